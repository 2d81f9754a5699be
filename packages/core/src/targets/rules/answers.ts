/** What was given in one answer, or for one step, and is told apart from that of others. */

import type { Message } from "../../model/conversation.ts";
import type { Part } from "../../model/parts.ts";
import { isContinued, isStored, referenceOf } from "../stored.ts";
import { isJoined, type Placed } from "../turns.ts";
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

/**
 * Sealed reasoning of several answers in one turn, or in turns that are to be joined (vscode 328157): that of the answer that owns the
 * last call stays, else that of the last.
 */
export const reasoningOnce: RuleCheck<"reasoning-once"> = (view, _, { report }) => {
  const { messages } = view.conversation;
  let run: number[] = [];
  const look = (): void => {
    const thinking = run.filter(index => messages[index]?.parts.some(isSealedThought));
    const owner =
      thinking.findLast(index => messages[index]?.parts.some(({ type }) => type === "tool-call")) ?? thinking.at(-1);
    const answer = messages[owner ?? -1]?.responseId;
    for (const index of thinking) {
      if (index === owner || (answer !== undefined && messages[index]?.responseId === answer)) continue;
      messages[index]?.parts.forEach((part, place) => {
        if (isSealedThought(part))
          report(
            ["messages", index, "parts", place],
            "is sealed reasoning of another answer in the same turn. Leave it out.",
          );
      });
    }
    run = [];
  };
  for (const { side, messages: own } of view.turns) {
    if (side === "assistant") for (const index of own) run.push(index);
    else look();
  }
  look();
};

const isSealedThought = ({ type, seal }: Part): boolean => type === "reasoning" && seal !== undefined;

/** Items by their ids alone, or with ids, where the provider does not look them up. */
export const storedItems: RuleCheck<"stored-items"> = (view, { reference: named, reasoning }, { asked, report }) => {
  const areKept = isStored(view.conversation, asked.target);
  const isAnother = isContinued(view.conversation, asked.target);
  for (const { parts, side } of view.turns) {
    for (const [place, { part, path }] of parts.entries()) {
      const reference = referenceOf(part, named);
      if (reference === undefined) {
        const id = side === "assistant" && part.type !== "reasoning" ? part.seal?.values["id"] : undefined;
        if (isAnother && id !== undefined && areKept) {
          report(
            [...path, "seal", "values", "id"],
            `is \`${id}\`, an item that the stored answer may have already. Send only what is new.`,
            {
              id,
            },
          );
        }
        if (areKept || id === undefined) continue;
        report([...path, "seal", "values", "id"], `is \`${id}\`, an item that is not stored. Leave the id out.`, {
          id,
        });
      } else if (isAnother) {
        report(path, `names an item (\`${reference}\`) that the stored answer has already. Send only what is new.`, {
          id: reference,
        });
      } else if (!areKept) {
        report(path, `names an item (\`${reference}\`) where nothing is stored. Send the item itself.`, {
          id: reference,
        });
      } else if (reference.startsWith(reasoning) && !isKnown(parts[place + 1], named)) {
        report(
          path,
          `names reasoning (\`${reference}\`) whose following item has no id. Give both their ids, or neither.`,
          { id: reference },
        );
      }
    }
  }
};

const isKnown = (next: Placed | undefined, named: string): boolean =>
  next !== undefined && (referenceOf(next.part, named) !== undefined || next.part.seal?.values["id"] !== undefined);
