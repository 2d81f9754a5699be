import type { Issue, JsonObject, Loss, Path } from "translogue";
import type { Change } from "translogue/targets";
import type { Mended } from "./paired.ts";
import { homed, type Reading } from "./reading.ts";

/** Losses of one kind, or issues: how many, and where the first one is. */
export interface Told {
  readonly code: string;
  readonly kind: string;
  readonly count: number;
  readonly path: Path;
  readonly message: string;
}

/** Members of a message that say how it came about, not what is said in it: they are kept here and no model needs them. */
const ofHead = new Set([
  ...["id", "parent", "run", "createdAt", "model", "provider", "responseId", "finish", "usage", "metadata"],
  ...["audience", "synthetic"],
]);
/** Of a part: the faces of a result that are for programs and people, and when it was written. */
const ofPart = new Set(["structured", "display", "startedAt", "endedAt"]);
/** What passed between the agent and people; what came of it is in the calls' results. */
const ofPeople = new Set(["approval-request", "approval-response", "input-request", "input-response", "error"]);

/**
 * Whether only the session's own books are concerned. A loss of content is none, nor is a seal that stays home: the model
 * reads less then. `isOurs`: the message at this place was made here, and so was its author.
 */
function isBookkeeping({ path, code }: Loss, isOurs: (message: number) => boolean): boolean {
  const [root, index, third] = path;
  const last = path.at(-1);
  if (root !== "messages") return path.length === 1 && last === "id";
  if (third === "author") return typeof index === "number" && isOurs(index);
  if (third !== "parts") return path.length === 3 && typeof third === "string" && ofHead.has(third);
  return ofPeople.has(code) || (typeof last === "string" && ofPart.has(last));
}

/** Repairs by which the model reads less: what they did is told as a loss, like what the format cannot take. */
const leavingOut: ReadonlySet<Change["repair"]> = new Set([
  ...(["close-streams", "drop-names", "drop-members", "drop-seals", "drop-item-ids", "drop-reasoning"] as const),
  ...(["trim-text", "replace-media", "leave-out"] as const),
]);

/** What the host of a model did not take of what that read; paths of losses and changes lead into its conversation. */
export function lostOf(
  reading: Reading,
  { losses, changes }: { readonly losses: readonly Loss[]; readonly changes: readonly Change[] },
  agentId: string,
): JsonObject {
  const { all, mended, conversation } = reading;
  const compacted = conversation.messages.findLastIndex(({ parts }) => parts.some(({ type }) => type === "compaction"));
  // What a compaction hides that the model reads is in what the compaction says.
  const isHidden = ({ code, path: [, index] }: Loss): boolean =>
    code === "out-of-context" && typeof index === "number" && index < compacted;
  const isOfHidden = ({ repair, path }: Change): boolean =>
    repair === "leave-out" && path.length === 1 && compacted >= 0;
  const homedChanges = changes.filter(change => !isOfHidden(change)).map(change => homed(change, reading));
  const homedLosses = losses.filter(loss => !isHidden(loss)).map(loss => homed(loss, reading));
  return {
    ...toldRepairs(mended, homedChanges),
    ...toldLosses(homedLosses, homedChanges, index => all[index]?.author?.id === agentId),
  };
}

/** What a model's host could not take, in a form that does not grow with the history. */
export function toldLosses(
  losses: readonly Loss[],
  changes: readonly Change[],
  isOurs: (message: number) => boolean,
): JsonObject {
  const leftOut = changes.flatMap(change => (leavingOut.has(change.repair) ? lossesOf(change) : []));
  const all = [...leftOut, ...losses];
  const content = all.filter(loss => !isBookkeeping(loss, isOurs));
  const left = all.length - content.length;
  return {
    ...(content.length > 0 && { losses: grouped([], content) as unknown as JsonObject[] }), // plain JSON
    ...(left > 0 && { lossesOfBookkeeping: left }),
  };
}

/** A seal that stays home is a loss of its own, by the code that encoders have for it: what it sealed may have gone along. */
function lossesOf({ repair: code, path, message }: Change): readonly Loss[] {
  const kind = "dropped";
  const isSeal = path.at(-1) === "seal";
  const whole: readonly Loss[] = isSeal ? [] : [{ code, kind, path, message }];
  if (code !== "drop-seals") return whole;
  return [...whole, { code: "foreign-seal", kind, path: isSeal ? path : [...path, "seal"], message }];
}

/** What was wrong with answers, added to what is told of earlier ones; remarks are left out. */
export const toldIssues = (told: readonly Told[], issues: readonly Issue[]): readonly Told[] =>
  grouped(
    told,
    issues.flatMap(({ code, severity, path, wirePath, message }) =>
      severity === "info" ? [] : [{ code, kind: severity, path: wirePath ?? path, message }],
    ),
  );

/** What was mended for the model alone, with nothing left out: the session keeps its history as it is. */
export function toldRepairs(mended: readonly Mended[], changes: readonly Change[] = []): JsonObject {
  const fitted = changes.flatMap(({ repair: code, path, message }) =>
    leavingOut.has(code) ? [] : [{ code, path, message }],
  );
  const told = [...mended, ...fitted].map(change => ({ ...change, kind: "repaired" }));
  return told.length === 0 ? {} : { repairs: grouped([], told) as unknown as JsonObject[] }; // plain JSON
}

function grouped(told: readonly Told[], more: readonly Omit<Told, "count">[]): readonly Told[] {
  const groups = new Map(told.map(group => [`${group.code} ${group.kind}`, group]));
  for (const { code, kind, path, message } of more) {
    const key = `${code} ${kind}`;
    const group = groups.get(key);
    groups.set(key, group ? { ...group, count: group.count + 1 } : { code, kind, count: 1, path, message });
  }
  return [...groups.values()];
}
