import type { Conversation } from "../../model/conversation.ts";
import type { Part, Seal } from "../../model/parts.ts";
import { type Child, everyChild } from "../../model/walk.ts";
import { type MakerSeals, makerSeals } from "../data/makers.ts";
import { isStored } from "../stored.ts";
import type { RuleTable, Target } from "../target.ts";
import { isPlaced, type Placed, type Turn, type View } from "../turns.ts";
import { keptMember } from "./known-members.ts";
import { callsOf, toldDenials } from "./pairs.ts";
import { eachRead } from "./read.ts";
import type { RuleCheck } from "./rule.ts";
import { isSaid } from "./said.ts";

/** Whether a seal may go where the rule says. */
export const isAtHome = (
  { maker, route, model, values }: Seal,
  { makers, route: own, routed, models }: RuleTable["seals-at-home"],
  asked: string | undefined,
): boolean => {
  if (maker === undefined || !makers.includes(maker)) return false;
  const { base64 = [], anyRoute = [] }: Partial<MakerSeals> = Object.hasOwn(makerSeals, maker)
    ? (makerSeals[maker] ?? {})
    : {};
  const isFree = Object.keys(values).every(name => anyRoute.includes(name));
  if (!base64.every(name => /^[A-Za-z0-9+/_-]*=*$/.test(values[name] ?? ""))) return false;
  if (routed ? route !== own : route !== undefined && route !== own && !isFree) return false;
  return models === undefined || model === undefined || asked === undefined || model === asked;
};

/** Whether all seals of a part, and of what is in it, may go there. */
export const areAtHome = (node: Child, home: RuleTable["seals-at-home"], asked: string | undefined): boolean =>
  (!("seal" in node) || node.seal === undefined || isAtHome(node.seal, home, asked)) &&
  everyChild(node, child => areAtHome(child, home, asked));

export const sealsAtHome: RuleCheck<"seals-at-home"> = (view, home, { asked, report }) => {
  eachRead(view, ({ seal }, path) => {
    if (!seal || isAtHome(seal, home, asked.model)) return;
    const { maker = "an unknown maker", route } = seal;
    const of = route === undefined ? maker : `${maker} by way of ${route}`;
    report([...path, "seal"], `is of ${of}, which is not sent here. Keep it in the store; it goes back to its maker.`, {
      maker,
    });
  });
};

/** Where the current turn begins: behind the last thing that a person says. What is no result goes out as a person's, whoever said it. */
export function currentTurn({ turns }: View): number {
  const isOfPerson = ({ side, parts }: Turn): boolean =>
    side === "user" && parts.some(({ part }) => isSaid(part) && part.type !== "tool-result");
  return turns.findLastIndex(isOfPerson) + 1;
}

export const callsSealed: RuleCheck<"calls-sealed"> = (view, { maker }, { report }) => {
  for (const turn of view.turns.slice(currentTurn(view))) {
    if (turn.side !== "assistant") continue;
    const [first] = callsOf(turn);
    if (!first || first.part.seal?.maker === maker) continue;
    report(
      first.path,
      `is the first call of its step, and has no seal of ${maker}. Send the one it came with; for a call of another model, the word that stands for one.`,
      { tool: first.part.name, position: turn.parts.indexOf(first) + 1 },
    );
  }
};

/** The assistant's turns of a tool loop that is still open: the last turn is results, or denials that go out as results. */
function openLoop(view: View): readonly Turn[] {
  const last = view.turns.at(-1);
  if (last?.side !== "user" || !isOfResults(view, last)) return [];
  return view.turns.slice(currentTurn(view)).filter(({ side }) => side === "assistant");
}

function isOfResults(view: View, { parts }: Turn): boolean {
  if (parts.some(({ part }) => part.type === "tool-result")) return true;
  const denials = parts.filter(({ part }) => part.type === "approval-response" && !part.approved);
  if (denials.length === 0) return false;
  const told = toldDenials(view);
  return denials.some(denial => told.has(denial));
}

/** Whether the request asks for thinking by a budget, after which open loops begin with it. */
export const isThinking = ({ settings, ...request }: Conversation, { format, thinking }: Target): boolean =>
  settings?.reasoning?.budget !== undefined ||
  (thinking !== undefined && keptMember(request, thinking, format) !== undefined);

export const reasoningFirst: RuleCheck<"reasoning-first"> = (view, { maker }, { asked, report }) => {
  // A loop is one turn of the model's: what goes on in it needs no thinking of its own (docs of extended thinking, 2026-11-30).
  const [turn] = isThinking(view.conversation, asked.target) ? openLoop(view) : [];
  const [first] = turn?.parts.filter(({ part }) => isSaid(part)) ?? [];
  if (!turn || !first || callsOf(turn).length === 0) return;
  if (first.part.type === "reasoning" && first.part.seal?.maker === maker) return;
  report(
    first.path,
    "opens the assistant's turn of an open tool loop, which begins with its own sealed reasoning while thinking is on. Send the reasoning that it came with, or turn thinking off for this request.",
    { found: first.part.type === "tool-call" ? "tool_use" : first.part.type },
  );
};

export const reasoningNotLast: RuleCheck<"reasoning-not-last"> = (view, _, { report }) => {
  for (const { side, parts } of view.turns) {
    if (side !== "assistant") continue;
    for (let place = parts.length - 1; place >= 0; place--) {
      const { part, path } = parts[place] ?? {};
      if (!part || !path || !isSaid(part)) continue;
      if (part.type !== "reasoning") break;
      report(path, "is reasoning at the end of the assistant's turn. Leave it out, or put behind it what it led to.");
    }
  }
};

/** Two items of reasoning in a row are refused too, although a provider may give them so (UKGovernmentBEIS/inspect_ai#1990). */
export const reasoningFollowed: RuleCheck<"reasoning-followed"> = (view, _, { report }) => {
  for (const { side, parts } of view.turns) {
    if (side !== "assistant") continue;
    for (const [place, placed] of parts.entries()) {
      const id = itemOf(placed);
      if (!isPlaced(placed, "reasoning") || id === undefined) continue;
      const rest = parts[place + 1];
      if (rest && (!isPlaced(rest, "reasoning") || itemOf(rest) === id)) continue;
      report(
        placed.path,
        `is reasoning (\`${id}\`) without what it was made for. Send what followed it, or leave it out.`,
        {
          id,
        },
      );
    }
  }
};

const itemOf = ({ part }: Placed): string | undefined => part.seal?.values["id"];

/** Whether reasoning has a seal that its maker takes it back by. */
export const isSealed = ({ seal }: Part, { by }: RuleTable["reasoning-sealed"]): boolean =>
  seal !== undefined && (by === undefined || by.some(name => (seal.values[name] ?? "") !== ""));

export const reasoningSealed: RuleCheck<"reasoning-sealed"> = (view, asked, { report }) => {
  for (const { side, parts } of view.turns) {
    if (side !== "assistant") continue;
    for (const { part, path } of parts) {
      if (part.type !== "reasoning" || isSealed(part, asked)) continue;
      report(path, "is reasoning without a seal, which is not sent. Keep it in the store; the model does without.");
    }
  }
};

export const reasoningKept: RuleCheck<"reasoning-kept"> = (view, { member }, { asked, report }) => {
  for (const turn of openLoop(view)) {
    const [index = 0] = turn.messages;
    // An empty one is no part, but counts.
    const told = view.conversation.messages[index]?.native?.[asked.target.format]?.[member];
    const isKept = typeof told === "string" || turn.parts.some(({ part }) => part.type === "reasoning");
    if (isKept || callsOf(turn).length === 0) continue;
    report(
      ["messages", index, "parts"],
      "have calls of an open tool loop without the reasoning that they came with. Send it with them, an empty one where there was none.",
    );
  }
};

export const itemIds: RuleCheck<"item-ids"> = (view, rule, { asked, report }) => {
  const { stored, whole } = rule;
  const known = new Set<string>();
  const areKept = stored && isStored(view.conversation, asked.target);
  for (const { side, parts } of view.turns) {
    for (const [place, placed] of parts.entries()) {
      const { part, path } = placed;
      // A compaction is an item of its own, whoever said what stands beside it.
      if (side !== "assistant" && part.type !== "compaction") continue;
      const id = itemOf(placed);
      if (id === undefined) continue;
      // The parts of one item stand side by side.
      const before = parts[place - 1];
      const isSame =
        before?.message === placed.message && itemOf(before) === id && isOneItem(part, asked.target.format);
      if (known.has(id) && !isSame) {
        report([...path, "seal", "values", "id"], `is \`${id}\`, as that of an item before it. Leave it out.`, { id });
        continue;
      }
      known.add(id);
      if (isItemKnown(part, areKept, rule)) continue;
      const wanted = prefixOf(part, rule);
      if (wanted !== undefined && !id.startsWith(wanted)) {
        report(
          [...path, "seal", "values", "id"],
          `is \`${id}\`; the id of such an item begins with \`${wanted}\`. Leave it out.`,
          {
            id,
            prefix: wanted.replace(/_$/, ""),
          },
        );
      } else {
        report(
          [...path, "seal"],
          `names an item (\`${id}\`) that is not stored, and does not hold it. Ask for \`reasoning.${whole}\`, or leave the reasoning out.`,
          { id },
        );
      }
    }
  }
};

/** Whether the part goes on with the item of the one before it: calls never do. */
const isOneItem = ({ type, native }: Part, format: string): boolean =>
  type !== "tool-call" && native?.[format]?.["$item"] !== "new";

/** Whether the provider knows a part by the id that it has, if it has one. */
export function isItemKnown(part: Part, isKept: boolean, rule: RuleTable["item-ids"]): boolean {
  const id = part.seal?.values["id"];
  if (id === undefined) return true;
  const wanted = prefixOf(part, rule);
  if (wanted !== undefined && !id.startsWith(wanted)) return false;
  return isKept || part.type !== "reasoning" || part.seal?.values[rule.whole] !== undefined;
}

function prefixOf(part: Part, { prefixes, callPrefixes }: RuleTable["item-ids"]): string | undefined {
  const table = part.type === "tool-call" ? callPrefixes : prefixes;
  const kind = part.type === "tool-call" ? (part.kind ?? "function") : part.type;
  if (part.type === "tool-call" && part.executedBy !== undefined) return undefined;
  return Object.hasOwn(table, kind) ? table[kind] : undefined;
}
