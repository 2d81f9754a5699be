/** What was given in one answer, or for one step, and is told apart from that of others. */

import type { Message } from "../../model/conversation.ts";
import { isJsonObject, type Json } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import { isJoined, isPlaced, type Placed } from "../turns.ts";
import type { RuleCheck } from "./rule.ts";

/** Results of one step in one message: counts went wrong where each was a message (pi 5528). */
export const resultsTogether: RuleCheck<"results-together"> = (view, _, { asked, report }) => {
  for (const { side, messages } of view.turns) {
    if (side !== "user") continue;
    let before: Message | undefined;
    for (const index of messages) {
      const message = view.conversation.messages[index];
      const isSecond = before && message && isResults(before) && isResults(message);
      if (isSecond && !isJoined(message, asked.target.format)) {
        report(["messages", index], "is a second message of results of one step. Put the results into one message.");
      }
      before = message;
    }
  }
};

const isResults = ({ role, parts }: Message): boolean =>
  role === "tool" && parts.length > 0 && parts.every(({ type }) => type === "tool-result");

/** Sealed reasoning of several answers in one turn (vscode 328157): that of the last message with calls stays, else the last. */
export const reasoningOnce: RuleCheck<"reasoning-once"> = (view, _, { report }) => {
  for (const { side, parts, messages } of view.turns) {
    if (side !== "assistant" || messages.length < 2) continue;
    const thoughts = parts.filter(each => isPlaced(each, "reasoning") && each.part.seal !== undefined);
    const owners = new Set(thoughts.map(({ message }) => message));
    const called = parts.findLast(each => isPlaced(each, "tool-call") && owners.has(each.message));
    const owner = called?.message ?? thoughts.at(-1)?.message;
    const answer = responseOf(view.conversation.messages[owner ?? -1]);
    for (const { message, path } of thoughts) {
      if (message === owner || (answer !== undefined && responseOf(view.conversation.messages[message]) === answer))
        continue;
      report(path, "is sealed reasoning of another answer in the same turn. Leave it out.");
    }
  }
};

const responseOf = (message: Message | undefined): string | undefined => message?.responseId;

/** Items by their ids alone, or with ids, where the provider does not look them up. */
export const storedItems: RuleCheck<"stored-items"> = (view, _, { asked, report }) => {
  const request = view.conversation.native?.[asked.target.format];
  const isStored = request?.["store"] !== false;
  const isContinued = asked.target.continues?.some(name => (request?.[name] ?? null) !== null) ?? false;
  for (const { parts, side } of view.turns) {
    for (const [place, { part, path }] of parts.entries()) {
      const reference = referenceOf(part);
      if (reference === undefined) {
        const id = side === "assistant" && part.type !== "reasoning" ? part.seal?.values["id"] : undefined;
        if (isContinued && id !== undefined && isStored) {
          report(
            [...path, "seal", "values", "id"],
            `is \`${id}\`, an item that the stored answer may have already. Send only what is new.`,
            {
              id,
            },
          );
        }
        if (isStored || id === undefined) continue;
        report([...path, "seal", "values", "id"], `is \`${id}\`, an item that is not stored. Leave the id out.`, {
          id,
        });
      } else if (isContinued) {
        report(path, `names an item (\`${reference}\`) that the stored answer has already. Send only what is new.`, {
          id: reference,
        });
      } else if (!isStored) {
        report(path, `names an item (\`${reference}\`) where nothing is stored. Send the item itself.`, {
          id: reference,
        });
      } else if (reference.startsWith("rs_") && !isKnown(parts[place + 1])) {
        report(
          path,
          `names reasoning (\`${reference}\`) whose following item has no id. Give both their ids, or neither.`,
          { id: reference },
        );
      }
    }
  }
};

function referenceOf(part: Part): string | undefined {
  const value: Json | undefined = part.type === "opaque" ? part.value : undefined;
  if (!isJsonObject(value) || value["type"] !== "item_reference") return undefined;
  const { id } = value;
  return typeof id === "string" ? id : "";
}

const isKnown = (next: Placed | undefined): boolean =>
  next !== undefined && (referenceOf(next.part) !== undefined || next.part.seal?.values["id"] !== undefined);
