import type { Message, Part, Path, ToolCallPart, ToolResultPart } from "translogue";
import { isOpenCall } from "../tools/tool.ts";
import type { Readable } from "./readable.ts";
import { resultsInOrder } from "./result-order.ts";
import { interrupted } from "./results.ts";

/** A message as it is read; one that was made has no source. */
export type Piece = Pick<Readable, "message"> & Partial<Readable>;

/** What was mended. `path` leads into the messages that were read; what was added counts as where its call stands. */
export interface Mended {
  readonly code: "answer-calls" | "pair-results";
  readonly path: Path;
  readonly message: string;
}

interface Place<P extends Part> {
  /** The number of its message. */
  readonly at: number;
  readonly part: number;
  readonly value: P;
}

interface Slot extends Place<ToolCallPart> {
  answer?: Place<ToolResultPart>;
}

/**
 * Every call with its results behind it, before anybody else speaks, in the order of the calls; no result without a call, and
 * one that says so for a call that has none: a session may begin with a history that was broken elsewhere, and no provider
 * takes one. The same for the same history. `isGiven`: results
 * that the caller gives now stay where they are.
 */
export function paired(
  read: readonly Piece[],
  isGiven: (message: Message) => boolean = () => false,
): { readonly read: readonly Piece[]; readonly changes: readonly Mended[] } {
  const { slots, orphans } = matched(read);
  const changes: Mended[] = [];
  const gone = new Set<Part>();
  const isOwn = (at: number): boolean => !isGiven(read[at]?.source ?? { role: "tool", parts: [] });
  for (const { at, part, value } of orphans) {
    if (!isOwn(at)) continue;
    gone.add(value);
    changes.push(mended("pair-results", [at, part], `the result of \`${value.callId}\` is left out: no call has it`));
  }
  const behind = new Behind(read);
  const isInPlace = placesOf(read);
  for (const { at, part, value: call, answer } of slots) {
    if (call.executedBy === "provider") continue;
    if (answer ? !isOwn(answer.at) || isInPlace(at, answer.at) : !isOpenCall(call)) continue;
    behind.add(at, answer?.value ?? interrupted(call), answer?.at);
    const what = `the call \`${call.callId}\` of \`${call.name}\``;
    if (answer) gone.add(answer.value);
    else changes.push(mended("answer-calls", [at, part], `${what} has no result: it gets one that says so`));
  }
  return { read: resultsInOrder(behind.rebuilt(gone)), changes };
}

const mended = (code: Mended["code"], [at, part]: readonly [number, number], message: string): Mended => ({
  code,
  path: ["messages", at, "parts", part],
  message,
});

/** Calls of one id in one message; the first `answered` of them have their results. */
interface Group {
  readonly at: number;
  readonly slots: Slot[];
  answered: number;
}

/** A result answers the nearest message before it that has an unanswered call of its id, and there the first such call (R9). */
function matched(read: readonly Piece[]) {
  const slots: Slot[] = [];
  const open = new Map<string, Group[]>();
  const orphans: Place<ToolResultPart>[] = [];
  for (const [at, { message }] of read.entries()) {
    for (const [part, value] of message.parts.entries()) {
      if (value.type === "tool-call") {
        const slot: Slot = { at, part, value };
        slots.push(slot);
        const groups = open.get(value.callId) ?? [];
        open.set(value.callId, groups);
        const last = groups.at(-1);
        if (last?.at === at) last.slots.push(slot);
        else groups.push({ at, slots: [slot], answered: 0 });
      } else if (value.type === "tool-result" && !value.preliminary) {
        const slot = answeredBy(open.get(value.callId));
        if (slot) slot.answer = { at, part, value };
        else orphans.push({ at, part, value });
      }
    }
  }
  return { slots, orphans };
}

function answeredBy(groups: Group[] = []): Slot | undefined {
  const group = groups.at(-1);
  if (!group) return undefined;
  const slot = group.slots[group.answered++];
  if (group.answered === group.slots.length) groups.pop();
  return slot;
}

/** Whether nobody but the agent and its tools speaks between a call's message and its result's. */
function placesOf(read: readonly Piece[]): (call: number, result: number) => boolean {
  let count = 0;
  /** How often somebody has spoken before each message. */
  const before = read.map(({ message: { role } }) => (role === "tool" || role === "assistant" ? count : count++));
  return (call, result) => result === call || before[result] === before[call + 1];
}

/** Results on their way to the end of the results behind their call's message. */
class Behind {
  readonly #read: readonly Piece[];
  readonly #added = new Map<number, Piece[]>();
  /** Of messages with calls: the last message of the results behind it. */
  readonly #last = new Map<number, number>();

  constructor(read: readonly Piece[]) {
    this.#read = read;
  }

  /** `from`: where it stood. */
  add(call: number, result: ToolResultPart, from: number | undefined): void {
    const { message, source } = (from === undefined ? undefined : this.#read[from]) ?? {};
    const piece = { message: { ...message, role: "tool" as const, parts: [result] }, ...(source && { source }) };
    const last = this.#lastBehind(call);
    const added = this.#added.get(last);
    if (added) added.push(piece);
    else this.#added.set(last, [piece]);
  }

  #lastBehind(call: number): number {
    let last = this.#last.get(call) ?? call;
    while (this.#read[last + 1]?.message.role === "tool") last++;
    this.#last.set(call, last);
    return last;
  }

  rebuilt(gone: ReadonlySet<Part>): readonly Piece[] {
    if (gone.size === 0 && this.#added.size === 0) return this.#read;
    return this.#read.flatMap((piece, at) => {
      const added = this.#added.get(at) ?? [];
      const { message } = piece;
      if (!message.parts.some(part => gone.has(part))) return [piece, ...added];
      const parts = message.parts.filter(part => !gone.has(part));
      return parts.length === 0 ? added : [{ ...piece, message: { ...message, parts } }, ...added];
    });
  }
}
