import { checkMessage } from "../model/check.ts";
import type { Conversation, Message } from "../model/conversation.ts";
import type { Issue, Loss, Path } from "../model/issue.ts";
import {
  equalJson,
  isJsonObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  setMember,
} from "../model/json.ts";
import type { Part } from "../model/parts.ts";
import { type CarriedMessage, type CarriedPart, type Carry, type Changes, fingerprint, isCarry } from "./carry-form.ts";
import type { Codec, Shape } from "./codec.ts";
import { decodeContext, type Group } from "./context.ts";
import { valueAt } from "./provenance.ts";

/** Writes into the slots of an encoded value what the encoder could not say; the losses come back marked as carried. */
export function writeCarry(
  codec: Codec,
  conversation: Conversation,
  written: {
    readonly groups: readonly Group[];
    readonly shape: Shape;
    readonly dialect: string;
    readonly value: unknown;
    readonly losses: readonly Loss[];
    /** Whether the caller wants it; else it only stays where nobody sees it. */
    readonly isAsked: boolean;
  },
): readonly Loss[] {
  const alone = readsOf(codec, written.groups, written);
  const groups = covering(written.groups, conversation.messages, () => outside(codec, alone.flat(), written));
  const told = isMistaken(codec, written) ? { dialect: written.dialect } : undefined;
  groups.forEach(({ wireMessages, first, count, lead = [] }, index) => {
    const read = [...lead, ...(alone[index] ?? [])];
    const given = conversation.messages.slice(first, first + count);
    const own = difference(read, given) ?? (told && index === 0 ? nothing(read) : undefined);
    const carry = own && { ...own, ...(lead.length > 0 && { before: lead.length }), ...told };
    if (!carry || (isOpaque(read) && !isReadAgain(codec, wireMessages[0], written))) return;
    codec.slot?.write(wireMessages[0], carry as unknown as Json, written.isAsked); // Carry is made of JSON only
  });
  // What is only hidden in an object does not come along once the object is written as text.
  if (groups.length === 0 || !written.isAsked || written.losses.length === 0) return written.losses;
  const isBack = comingBack(codec, conversation.messages, written);
  return written.losses.map(loss => (isBack(loss.path) ? { ...loss, carried: true } : loss));
}

/** Whether what stands at a path of the messages is there again when the value is read with all that it carries. */
function comingBack(
  codec: Codec,
  messages: readonly Message[],
  { shape, dialect, value }: { readonly shape: Shape; readonly dialect: string; readonly value: unknown },
): (path: Path) => boolean {
  const { context, carries } = decodeContext(codec, { shape, dialect });
  const back = restoreCarried(codec.decode(value, context), carries, []).messages;
  const offset = back.length - messages.length; // what is joined is joined at the front
  const isSame = (given: unknown, read: unknown): boolean => JSON.stringify(bare(given)) === JSON.stringify(bare(read));
  return ([member, index, ...rest]) => {
    if (member !== "messages") return false;
    if (typeof index !== "number") return isSame(messages, back);
    return isSame(valueAt(messages[index], rest), valueAt(back[index + offset], rest));
  };
}

const isParent = (value: unknown): value is { readonly [step: string | number]: unknown } =>
  typeof value === "object" && value !== null;

/** A node without how it was spelled, its members in one order. */
function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (!isParent(value)) return value;
  const names = Object.keys(value).filter(name => name !== "native" && name !== "exact");
  return names.sort().map(name => [name, bare(value[name])]);
}

/** Whether the value would be taken for another dialect of its format, and read otherwise. */
function isMistaken(
  codec: Codec,
  { shape, dialect, value }: { readonly shape: Shape; readonly dialect: string; readonly value: unknown },
): boolean {
  const [first] = codec.sniff(value);
  const taken = first?.dialect ?? codec.dialects[0];
  if (taken === dialect) return false;
  const [own, other] = [dialect, taken].map(
    name => codec.decode(value, decodeContext(codec, { shape, dialect: name }).context).messages,
  );
  return !equalJson(own, other);
}

/** What a reader makes of each group. An envelope says things of its messages, so there the whole value is read. */
function readsOf(
  codec: Codec,
  groups: readonly Group[],
  { shape, dialect, value }: { readonly shape: Shape; readonly dialect: string; readonly value: unknown },
): readonly (readonly Message[])[] {
  const { context } = decodeContext(codec, { shape: "message", dialect });
  const alone = groups.map(({ wireMessages }) => wireMessages.flatMap(wire => codec.decode(wire, context).messages));
  if (shape !== "answer") return alone;
  const { messages } = codec.decode(value, decodeContext(codec, { shape, dialect }).context);
  if (messages.length !== alone.reduce((sum, { length }) => sum + length, 0)) return alone;
  let start = 0;
  return alone.map(({ length }) => {
    const from = start;
    start += length;
    return messages.slice(from, start);
  });
}

const isOpaque = (read: readonly Message[]): boolean =>
  read.length > 0 && read.every(({ parts }) => parts.length === 1 && parts[0]?.type === "opaque");

/** A message that is opaque as a whole is read with all that it holds, a carry too: that is not ours to change. */
function isReadAgain(
  codec: Codec,
  wireMessage: object,
  { dialect, isAsked }: { readonly dialect: string; readonly isAsked: boolean },
): boolean {
  const probe = JSON.parse(JSON.stringify(wireMessage)) as object; // a copy of the same outline
  codec.slot?.write(probe, {}, isAsked);
  const { context, carries } = decodeContext(codec, { shape: "message", dialect });
  codec.decode(probe, context);
  return carries.length > 0 || codec.slot?.hidden === true;
}

interface Outside {
  readonly messages: readonly Message[];
  /** They are read before all others. */
  readonly isLead: boolean;
}

/** What a reader makes of the whole value beside the messages of the groups: of places that have no slot. */
function outside(
  codec: Codec,
  alone: readonly Message[],
  { shape, dialect, value }: { readonly shape: Shape; readonly dialect: string; readonly value: unknown },
): Outside {
  const { messages } = codec.decode(value, decodeContext(codec, { shape, dialect }).context);
  const before = messages.length - alone.length;
  if (before > 0 && alone.every((message, index) => stable(message) === stable(messages[before + index] ?? message)))
    return { messages: messages.slice(0, before), isLead: true };
  const own = new Map<string, number>();
  for (const message of alone) {
    const text = stable(message);
    own.set(text, (own.get(text) ?? 0) + 1);
  }
  const others = messages.filter(message => {
    const text = stable(message);
    const times = own.get(text) ?? 0;
    own.set(text, times - 1);
    return times <= 0;
  });
  return { messages: others, isLead: false };
}

/** What tells a message from others, whatever its place: ids may be made of that. */
const stable = ({ role, parts }: Message): string => JSON.stringify([role, parts]);

interface Cover extends Group {
  /** Messages that are read just before the group's, and have no slot of their own. */
  readonly lead?: readonly Message[];
}

/**
 * The groups, such that every message is in one: a message that was not written at all travels with the one before it. So do
 * those that are read before all others, with the first; not those that are read from elsewhere, or they would come twice.
 */
function covering(groups: readonly Group[], messages: readonly Message[], elsewhere: () => Outside): readonly Cover[] {
  const inGroups = groups.reduce((sum, { count }) => sum + count, 0);
  const isCovered = inGroups === messages.length;
  const others = isCovered || groups.length === 0 ? nowhere : elsewhere();
  if (others.messages.length > 0 && !others.isLead) return groups;
  return groups.map((group, index) => {
    const first = index === 0 ? 0 : group.first;
    const count = (groups[index + 1]?.first ?? messages.length) - first;
    return { ...group, first, count, ...(index === 0 && { lead: others.messages }) };
  });
}

const nowhere: Outside = { messages: [], isLead: false };

/** A carry that changes nothing. */
const nothing = (read: readonly Message[]): Carry => ({
  v: 1,
  reads: read.length,
  base: fingerprint(read),
  messages: read.map((_, from) => ({ from })),
});

function difference(read: readonly Message[], wanted: readonly Message[]): Carry | undefined {
  if (equalJson(read, wanted)) return undefined;
  const pool = new PartPool(read.flatMap(message => message.parts));
  let offset = 0;
  const messages = wanted.map((message, index): CarriedMessage => {
    const base = read[index];
    const { parts: baseParts = [], ...baseHead } = base ?? {};
    const { parts, ...head } = message;
    const start = offset;
    offset += baseParts.length;
    const changes = memberChanges(baseHead, head);
    if (!base) return { ...changes, parts: parts.map(part => pool.carried(part)) };
    if (equalJson(parts, baseParts)) {
      pool.skip(start, baseParts.length);
      return { from: index, ...changes };
    }
    return { from: index, ...changes, parts: parts.map(part => pool.carried(part)) };
  });
  return { v: 1, reads: read.length, base: fingerprint(read), messages };
}

/** The parts read, each given out once: to the part of its call, else to the next of its type. */
class PartPool {
  readonly #parts: readonly Part[];
  readonly #places = new Map<string, number[]>();
  readonly #used = new Set<number>();

  constructor(parts: readonly Part[]) {
    this.#parts = parts;
    for (let index = parts.length - 1; index >= 0; index--) {
      const part = parts[index];
      if (part) this.#queue(keyOf(part)).push(index);
    }
  }

  skip(start: number, count: number): void {
    for (let index = start; index < start + count; index++) this.#used.add(index);
  }

  carried(wanted: Part): CarriedPart {
    const queue = this.#queue(keyOf(wanted));
    let place = queue.pop();
    while (place !== undefined && this.#used.has(place)) place = queue.pop();
    const base = place === undefined ? undefined : this.#parts[place];
    if (place === undefined || !base) return { part: wanted as unknown as Json }; // a part is JSON
    this.#used.add(place);
    const changes = memberChanges(base, wanted);
    return Object.keys(changes).length > 0 ? { from: place, ...changes } : place;
  }

  #queue(key: string): number[] {
    const queue = this.#places.get(key) ?? [];
    this.#places.set(key, queue);
    return queue;
  }
}

const keyOf = (part: Part): string =>
  part.type === "tool-call" || part.type === "tool-result" ? `${part.type} ${part.callId}` : part.type;

function memberChanges(base: object, wanted: object): Changes {
  const { native: fromNative, ...from } = base as JsonObject; // parts and heads are JSON objects
  const { native: toNative, ...to } = wanted as JsonObject;
  const native = nativeChanges(fromNative, toNative);
  return { ...changesOf(from, to), ...(native && { native }) };
}

function nativeChanges(from: Json | undefined, to: Json | undefined): Changes["native"] {
  const [base, wanted] = [isJsonObject(from) ? from : {}, isJsonObject(to) ? to : {}];
  const set: { [family: string]: JsonObject } = {};
  const unset: { [family: string]: readonly string[] } = {};
  for (const family of new Set([...Object.keys(base), ...Object.keys(wanted)])) {
    const [own, other] = [base[family], wanted[family]];
    const changes = changesOf(isJsonObject(own) ? own : {}, isJsonObject(other) ? other : {});
    if (changes.set) set[family] = changes.set;
    if (changes.unset) unset[family] = changes.unset;
  }
  const isSet = Object.keys(set).length > 0;
  const isUnset = Object.keys(unset).length > 0;
  return isSet || isUnset ? { ...(isSet && { set }), ...(isUnset && { unset }) } : undefined;
}

function changesOf(from: JsonObject, to: JsonObject): Pick<Changes, "set" | "unset"> {
  const set: MutableJsonObject = {};
  for (const key of Object.keys(to)) {
    const value = to[key];
    if (value !== undefined && !(Object.hasOwn(from, key) && equalJson(from[key], value))) setMember(set, key, value);
  }
  const unset = Object.keys(from).filter(key => from[key] !== undefined && to[key] === undefined);
  return { ...(Object.keys(set).length > 0 && { set }), ...(unset.length > 0 && { unset }) };
}

/** The dialect that the carries say they were written in. */
export function dialectOf(carries: readonly { readonly carry: Json }[]): string | undefined {
  for (const { carry } of carries) {
    if (isCarry(carry) && carry.dialect !== undefined) return carry.dialect;
  }
  return undefined;
}

/** Puts carried members back where the wire still reads as it did when they were written; else says that they are void. */
export function restoreCarried(
  conversation: Conversation,
  carries: readonly { readonly first: number; readonly carry: Json }[],
  issues: Issue[],
): Conversation {
  const messages: Message[] = [];
  let done = 0;
  for (const { first, carry } of carries) {
    const start = isCarry(carry) ? first - (carry.before ?? 0) : first;
    const read = isCarry(carry) ? conversation.messages.slice(Math.max(start, 0), start + carry.reads) : [];
    const stands = isCarry(carry) && start >= done && fingerprint(read) === carry.base;
    const parts = read.flatMap(message => message.parts);
    const wanted = stands ? carry.messages.map(each => restored(each, { read, parts })) : [];
    if (!stands || wanted.some(isBroken)) {
      const message =
        "what a message carried for us is void, because it is damaged or the message was edited since; its own content is read";
      issues.push({ code: "carry-void", severity: "info", path: ["messages", first], message });
      continue;
    }
    messages.push(...conversation.messages.slice(done, start), ...wanted);
    done = start + carry.reads;
  }
  messages.push(...conversation.messages.slice(done));
  return { ...conversation, messages: withoutLostParents(messages, issues) };
}

/** Carried ids and parents are a tree only while all of it is there; without a part of it, what is left is a list. */
function withoutLostParents(messages: readonly Message[], issues: Issue[]): readonly Message[] {
  if (!messages.some(({ parent }) => parent !== undefined)) return messages;
  const ids = new Set(messages.map(({ id }) => id));
  const isWhole = ids.size === messages.length && !ids.has(undefined);
  const lost = messages.findIndex(({ parent }) => typeof parent === "string" && !ids.has(parent));
  if (isWhole && lost < 0) return messages;
  const message = "messages were a tree, and not all of it came back; they are read as a list";
  issues.push({ code: "carry-tree", severity: "info", path: ["messages", Math.max(0, lost)], message });
  return messages.map(({ parent: _, ...others }) => others);
}

/** Carries come back from clients, who may have put anything into them. */
const isBroken = (message: Message): boolean => checkMessage(message).some(({ severity }) => severity === "error");

function restored(
  carried: CarriedMessage,
  { read, parts }: { readonly read: readonly Message[]; readonly parts: readonly Part[] },
): Message {
  const { from } = carried;
  const base = from === undefined ? undefined : read[from];
  const head = changed(base ?? {}, carried) as Message; // what was a message when it was carried
  return carried.parts ? { ...head, parts: carried.parts.flatMap(part => restoredPart(part, parts)) } : head;
}

function restoredPart(carried: CarriedPart, parts: readonly Part[]): Part[] {
  if (typeof carried === "object" && "part" in carried) return [carried.part as unknown as Part]; // written from a part
  const base = parts[typeof carried === "number" ? carried : carried.from];
  if (!base) return [];
  return [typeof carried === "number" ? base : (changed(base, carried) as Part)]; // members of a part
}

function changed(base: object, { set = {}, unset = [], native }: Changes): object {
  const result: MutableJsonObject = { ...(base as JsonObject) }; // parts and heads are JSON objects
  for (const key of unset) delete result[key];
  for (const key of Object.keys(set)) setMember(result, key, set[key] ?? null);
  const families = native && changedNative(result["native"], native);
  if (families && Object.keys(families).length > 0) setMember(result, "native", families);
  else if (families) delete result["native"];
  return result;
}

function changedNative(base: Json | undefined, { set = {}, unset = {} }: NonNullable<Changes["native"]>): JsonObject {
  const families: MutableJsonObject = { ...(isJsonObject(base) ? base : {}) };
  for (const family of new Set([...Object.keys(set), ...Object.keys(unset)])) {
    const own = families[family];
    const members: MutableJsonObject = { ...(isJsonObject(own) ? own : {}) };
    for (const key of unset[family] ?? []) delete members[key];
    const others = set[family] ?? {};
    for (const key of Object.keys(others)) setMember(members, key, others[key] ?? null);
    if (Object.keys(members).length > 0) setMember(families, family, members);
    else delete families[family];
  }
  return families;
}
