import { contextIndexes, type ReadsCompaction } from "../model/context.ts";
import type { Conversation } from "../model/conversation.ts";
import { demandConversation } from "../model/given.ts";
import type { Path } from "../model/issue.ts";
import { demandOptions } from "../model/options.ts";
import { checkTarget } from "./check.ts";
import { readsIn } from "./reads.ts";
import { rulesOf, targetOf } from "./registry.ts";
import { answerCalls } from "./repairs/answer-calls.ts";
import { bridgeTurns } from "./repairs/bridge-turns.ts";
import { closeStreams } from "./repairs/close-streams.ts";
import { type Change, Draft } from "./repairs/draft.ts";
import { dropCacheMarks } from "./repairs/drop-cache-marks.ts";
import { dropMembers } from "./repairs/drop-members.ts";
import { dropReasoning, keepReasoning, sealCalls, stopThinking } from "./repairs/drop-reasoning.ts";
import { dropCompactions, dropItemIds, dropSeals, isUnread } from "./repairs/drop-seals.ts";
import { isBroken as isRuleBroken } from "./repairs/faults.ts";
import { declareTools, fitArguments } from "./repairs/fit-arguments.ts";
import { fitCallIds } from "./repairs/fit-call-ids.ts";
import { dropNames, fitRoles } from "./repairs/fit-roles.ts";
import { fitSettings } from "./repairs/fit-settings.ts";
import { fitToolNames } from "./repairs/fit-tool-names.ts";
import { joinTurns } from "./repairs/join-turns.ts";
import { type LeftOut, leaveOut, withoutLeftOut } from "./repairs/leave-out.ts";
import { moveMedia, replaceMedia } from "./repairs/move-media.ts";
import { type RepairName, repairNames, repairOf } from "./repairs/names.ts";
import { orderResults } from "./repairs/order-results.ts";
import { pairResults } from "./repairs/pair-results.ts";
import { placeSystem } from "./repairs/place-system.ts";
import { defaultPolicies, type Policies, repairRules } from "./repairs/policies.ts";
import { tellResults } from "./repairs/tell-results.ts";
import { trimPrefill, trimText } from "./repairs/trim-text.ts";
import { wellFormedText } from "./repairs/well-formed-text.ts";
import { suspicionOf } from "./screen.ts";
import type { Target } from "./target.ts";

export type { Change } from "./repairs/draft.ts";
export { type RepairName, repairNames, repairOf } from "./repairs/names.ts";
export { defaultPolicies, fixedTexts, type Policies, policyValues } from "./repairs/policies.ts";

export interface RepairOptions extends Partial<Policies> {
  /** The model that will be asked. Default: the conversation's. */
  readonly model?: string;
}

export interface Repaired {
  /** The conversation given where nothing had to change, else what a model reads of it (R26), repaired. */
  readonly conversation: Conversation;
  readonly changes: readonly Change[];
}

const repairs: { readonly [Name in RepairName]: (draft: Draft) => void } = {
  "close-streams": closeStreams,
  "fit-roles": fitRoles,
  "place-system": placeSystem,
  "drop-names": dropNames,
  "drop-members": dropMembers,
  "well-formed-text": wellFormedText,
  "drop-seals": dropSeals,
  "drop-item-ids": dropItemIds,
  "drop-reasoning": dropReasoning,
  "fit-arguments": fitArguments,
  "pair-results": pairResults,
  "answer-calls": answerCalls,
  "order-results": orderResults,
  "fit-call-ids": fitCallIds,
  "fit-tool-names": fitToolNames,
  "move-media": moveMedia,
  "replace-media": replaceMedia,
  "trim-text": trimText,
  "tell-results": tellResults,
  "bridge-turns": bridgeTurns,
  "join-turns": joinTurns,
  "trim-prefill": trimPrefill,
  "seal-calls": sealCalls,
  "keep-reasoning": keepReasoning,
  "stop-thinking": stopThinking,
  "declare-tools": declareTools,
  "fit-settings": fitSettings,
  "drop-cache-marks": dropCacheMarks,
};

/** One repair may make work for one before it (a message that goes leaves two of one side): seldom, and never for long. */
const mostRounds = 4;

/**
 * What a provider would refuse, mended as little as can be. Deterministic, and idempotent: what is repaired needs no repair.
 * What needs none stays the same object; the conversation given is not changed, so its seals go home whenever its first
 * provider is asked again. Throws `target/no-such-target`.
 */
export function repair(conversation: Conversation, target: Target | string, options: RepairOptions = {}): Repaired {
  demandConversation(conversation);
  demandOptions(options, repairRules);
  const { conversation: repaired, changes } = repairAround(conversation, target, {
    ...options,
    reads: () => true,
    leftOut: () => ({ parts: [], pieces: [], kinds: [], tools: new Set() }),
  });
  return { conversation: repaired, changes };
}

interface RepairedAround extends Repaired {
  /** Where a place in `conversation` stands in the conversation given. */
  readonly home: (path: Path) => Path;
  /** One look told that the target refuses nothing of what was given. */
  readonly isSound: boolean;
}

/**
 * As `repair`; and where the target's format leaves out something of what was repaired, so that a rule is broken by the rest,
 * that goes first, and the rest is repaired. `leftOut` is asked of what comes out, last; `reads` tells which compactions the format can say.
 */
export function repairAround(
  conversation: Conversation,
  target: Target | string,
  {
    leftOut,
    reads,
    model = conversation.model,
    ...policies
  }: RepairOptions & { readonly leftOut: (repaired: Conversation) => LeftOut; readonly reads: ReadsCompaction },
): RepairedAround {
  const row = targetOf(target);
  const rules = rulesOf(row, model);
  const own = readsIn(rules, model);
  const readsBoth: ReadsCompaction = part => own(part) && reads(part);
  const sent = contextIndexes(conversation, readsBoth);
  const newDraft = (): Draft =>
    new Draft(conversation, sent, { target: row, rules, policies: { ...defaultPolicies, ...policies }, model });
  const suspicion = suspicionOf(conversation, sent, { target: row, rules, model });
  // Most histories need nothing.
  const isBlind = sent.some(index => conversation.messages[index]?.parts.some(part => isUnread(part, readsBoth)));
  let draft = suspicion.rules.size === 0 && !suspicion.hasCutCall && !isBlind ? undefined : newDraft();
  if (draft && isBlind) dropCompactions(draft, readsBoth);
  if (draft) mend(draft);
  let repaired = draft?.conversation() ?? conversation;
  for (let round = 0; round < mostRounds; round++) {
    const left = leftOut(repaired);
    if (
      left.parts.length + left.pieces.length + left.kinds.length + left.tools.size === 0 ||
      !(isFrontLeftOut(repaired, left) || isBroken(withoutLeftOut(repaired, left), row, model))
    )
      break;
    draft ??= newDraft();
    leaveOut(draft, left);
    mend(draft);
    repaired = draft.conversation();
  }
  const unread = repaired === conversation ? 0 : conversation.messages.length - sent.length;
  const changes = [...(draft?.changes ?? []), ...(unread > 0 ? [notRead(unread)] : [])];
  const isSound = draft === undefined && suspicion.rules.size === 0 && sent.length === conversation.messages.length;
  return { conversation: repaired, changes, home: path => draft?.home(path) ?? path, isSound };
}

/** What is mended is what a model reads, and no more of the history: that goes on where it is kept. */
const notRead = (count: number): Change => ({
  repair: "leave-out",
  path: ["messages"],
  message: `${count} messages that no model reads (compacted away, of another branch, or not for it) are not in what was mended`,
});

/** Whether what is left out stands before all that others say: what the system says behind it then comes first, and has another place. */
function isFrontLeftOut(conversation: Conversation, { parts }: LeftOut): boolean {
  const gone = new Set(parts.flatMap(({ message, part }) => (part === undefined ? [message] : [])));
  if (gone.size === 0) return false;
  const isOfSystem = (index: number): boolean => systemRoles.has(conversation.messages[index]?.role ?? "");
  const sent = contextIndexes(conversation);
  const front = sent.findIndex(index => !isOfSystem(index));
  const next = sent.findIndex((index, place) => place >= front && !gone.has(index));
  return front >= 0 && next > front && isOfSystem(sent[next] ?? front);
}

const systemRoles: ReadonlySet<string> = new Set(["system", "developer"]);

/** Whether a repair would mend something. */
const isBroken = (conversation: Conversation, target: Target, model: string | undefined): boolean =>
  checkTarget(conversation, target, model === undefined ? {} : { model }).some(
    ({ repair: name }) => name !== undefined,
  );

function mend(draft: Draft): void {
  for (let round = 0; round < mostRounds && (round === 0 || isOpen(draft)); round++) {
    const before = draft.changes.length;
    for (const name of repairNames) repairs[name](draft);
    if (draft.changes.length === before) return;
  }
}

/** Whether another round may find something to mend: the rules that one look at each part suspects are asked, and no others. */
function isOpen(draft: Draft): boolean {
  const { conversation, sent } = draft.view();
  const { rules, hasCutCall } = suspicionOf(conversation, sent, draft);
  return hasCutCall || [...rules].some(name => repairOf[name] !== undefined && isRuleBroken(draft, name));
}
