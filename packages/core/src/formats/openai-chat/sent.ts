import { writeCallId } from "../../blocks/chat-parts/calls.ts";
import { chatParts } from "../../blocks/chat-parts/parts.ts";
import type { EncodeContext } from "../../codec/codec.ts";
import { hintsOf } from "../../codec/remainder.ts";
import type { Event } from "../../model/events.ts";
import {
  equalJson,
  isJsonObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  setMember,
} from "../../model/json.ts";
import type { Part, PartOf } from "../../model/parts.ts";
import { Channel } from "./channel.ts";
import { dialectOf } from "./dialects.ts";
import { plainMembers } from "./reasoning.ts";
import { family } from "./wire.ts";

type PartEvent = Exclude<Event, { readonly type: "message-start" | "message-set" | "error" }>;

/** A call by its part: the place in the list that its chunks name, dense from 0, and the text that is out. */
interface SentCall {
  readonly message: number;
  readonly part: number;
  readonly member: "function" | "custom" | "function_call";
  index: number | undefined;
  readonly head: JsonObject;
  readonly pieces: string[];
}

interface SentDetail {
  readonly key: string;
  readonly wire: JsonObject;
  readonly pieces: string[];
}

/** What of a choice is out in chunks. */
export class SentChoice {
  readonly index: number;
  readonly #plain: readonly string[];
  readonly #channels = new Map<string, Channel>();
  readonly #calls = new Map<string, SentCall>();
  /** Details that are out in pieces, by their part, and by what tells them apart on the wire. */
  readonly #details = new Map<string, SentDetail>();
  readonly #detailsByKey = new Map<string, SentDetail>();
  /** Plain members that the details' text goes to as well. */
  #repeated: readonly string[] = [];
  #repeating: string | undefined;
  #nextCall = 0;
  #hasLegacy = false;
  readonly #context: EncodeContext;

  constructor(index: number, context: EncodeContext) {
    this.index = index;
    this.#context = context;
    this.#plain = dialectOf(context).reasoning.slice(0, 1);
  }

  /** A new attempt: what is out stays, and what comes is compared with what comes from here on. */
  restart(): void {
    this.#channels.clear();
    this.#calls.clear();
    this.#details.clear();
    this.#detailsByKey.clear();
    this.#repeating = undefined;
  }

  repeatReasoning(members: readonly Json[]): void {
    const isLate = [...this.#details.values()].some(({ pieces }) => pieces.length > 0);
    if (!isLate) this.#repeated = plainMembers.filter(member => members.includes(member));
  }

  /** The deltas that an event gives. */
  take(event: PartEvent): JsonObject[] {
    switch (event.type) {
      case "part-start":
      case "part":
        return this.#start(event);
      case "part-delta":
        return this.#delta(event);
      case "part-end":
        return this.#flush(keyOf(event));
      case "message-end":
        return [...this.#channels.keys()].flatMap(member => this.#texts(member, this.channel(member).endAll()));
      default:
        return [];
    }
  }

  #start(event: PartEvent & { readonly type: "part-start" | "part" }): JsonObject[] {
    const { value, message, part } = event;
    const key = keyOf(event);
    if (value.type === "tool-call") return this.#startCall(value, event);
    if (value.type === "opaque" && hintsOf(value, chatParts)["$place"] === "calls") {
      this.#calls.set(key, { message, part, member: "function", index: undefined, head: {}, pieces: [] });
    }
    if (event.type === "part") return this.#startWhole(value, key);
    const detail = value.type === "reasoning" ? detailOf(value) : undefined;
    if (detail) {
      const sent = { ...detail, pieces: [] };
      this.#details.set(key, sent);
      this.#detailsByKey.set(detail.key, sent);
      this.#repeating ??= key;
    }
    for (const member of detail ? [] : this.#membersOf(value)) this.channel(member).open(key);
    return [];
  }

  /** A text that is known at once goes out in its turn, or what follows it would stand before it. A compaction is its summary (R26). */
  #startWhole(value: Part, key: string): JsonObject[] {
    const texts = value.type === "compaction" ? (value.summary ?? []) : [value];
    return texts.flatMap((part, index) => {
      const own = part === value ? key : `${key}.${index}`;
      const text = "text" in part && part.type !== "file" ? (part.text ?? "") : "";
      return this.#membersOf(part).flatMap(member => {
        const channel = this.channel(member);
        if (text === "" || channel.has(own)) return [];
        channel.open(own);
        return this.#texts(member, channel.push(own, text) + channel.end(own));
      });
    });
  }

  /** Members that take the text of a part as it comes; a part in a list has its place there only at the end. */
  #membersOf(part: Part): readonly string[] {
    if (hintsOf(part, chatParts)["$place"] === "content") return [];
    if (part.type === "text") return ["content"];
    if (part.type === "refusal") return ["refusal"];
    if (part.type !== "reasoning" || hintsOf(part, family)["$place"] === "details") return [];
    const { $as: hint } = hintsOf(part, family);
    const hinted = Array.isArray(hint) ? plainMembers.filter(member => hint.includes(member)) : [];
    return hinted.length > 0 ? hinted : this.#plain;
  }

  channel(member: string): Channel {
    const known = this.#channels.get(member);
    if (known) return known;
    const channel = new Channel();
    this.#channels.set(member, channel);
    return channel;
  }

  #startCall(call: PartOf<"tool-call">, event: PartEvent & { readonly type: "part-start" | "part" }): JsonObject[] {
    if (call.executedBy) return [];
    // A call that is out already and comes again whole: what it says beyond that follows at the end, under its index.
    if (event.type === "part" && this.#calls.get(keyOf(event))?.index !== undefined) return [];
    const { message, part } = event;
    const isLegacy = hintsOf(call, chatParts)["$place"] === "function_call";
    const member = isLegacy ? "function_call" : call.kind === "custom" ? "custom" : "function";
    const isLive = event.type === "part-start" && !(isLegacy && this.#hasLegacy);
    if (isLegacy) this.#hasLegacy = true;
    const inner = { name: call.name, [member === "custom" ? "input" : "arguments"]: "" };
    const id = writeCallId(call);
    const head: JsonObject = isLegacy ? inner : { ...(id !== undefined && { id }), type: member, [member]: inner };
    const sent: SentCall = {
      message,
      part,
      member,
      index: isLive && !isLegacy ? this.#nextCall++ : undefined,
      head,
      pieces: [],
    };
    this.#calls.set(keyOf(event), sent);
    if (!isLive) return [];
    return isLegacy ? [{ function_call: head }] : [{ tool_calls: [{ index: sent.index ?? 0, ...head }] }];
  }

  #delta(event: PartEvent & { readonly type: "part-delta" }): JsonObject[] {
    const { text } = event;
    const key = keyOf(event);
    const call = this.#calls.get(key);
    if (call) return this.#callDelta(call, text);
    const detail = this.#details.get(key);
    if (detail) {
      detail.pieces.push(text);
      const repeated = this.#repeating === key ? this.#repeated : [];
      for (const member of repeated) this.channel(member).send(text);
      const wire = { ...detail.wire, [detail.wire["type"] === "reasoning.summary" ? "summary" : "text"]: text };
      return [{ ...Object.fromEntries(repeated.map(member => [member, text])), reasoning_details: [wire] }];
    }
    const sent: MutableJsonObject = {};
    for (const [member, channel] of this.#channels) {
      const now = channel.push(key, text);
      if (now !== "") setMember(sent, member, now);
    }
    return Object.keys(sent).length > 0 ? [sent] : [];
  }

  #callDelta(call: SentCall, text: string): JsonObject[] {
    call.pieces.push(text);
    const inner = { [call.member === "custom" ? "input" : "arguments"]: text };
    if (call.member === "function_call") return [{ function_call: inner }];
    return call.index === undefined ? [] : [{ tool_calls: [{ index: call.index, [call.member]: inner }] }];
  }

  #flush(key: string): JsonObject[] {
    return [...this.#channels].flatMap(([member, channel]) => this.#texts(member, channel.end(key)));
  }

  #texts(member: string, text: string): JsonObject[] {
    return text === "" ? [] : [{ [member]: text }];
  }

  /** The delta for everything that the whole message says beyond what is out. */
  rest(message: JsonObject): JsonObject {
    const { role, tool_calls: calls, function_call: legacy, reasoning_details: details, ...members } = message;
    const delta: MutableJsonObject = role === "assistant" || role === undefined ? {} : { role };
    for (const member of Object.keys(members)) {
      const left = this.#left(member, members[member] ?? null);
      if (left !== undefined) setMember(delta, member, left);
    }
    const restCalls = Array.isArray(calls) ? this.#restCalls(calls) : [];
    if (Array.isArray(calls) && (restCalls.length > 0 || calls.length === 0)) setMember(delta, "tool_calls", restCalls);
    else if (calls !== undefined && !Array.isArray(calls)) setMember(delta, "tool_calls", calls);
    if (legacy !== undefined) setMember(delta, "function_call", this.#restLegacy(legacy));
    const restDetails = Array.isArray(details) ? details.flatMap(detail => this.#restDetail(detail as Json)) : details; // an item of JSON
    if (
      restDetails !== undefined &&
      !(Array.isArray(restDetails) && restDetails.length === 0 && Array.isArray(details) && details.length > 0)
    ) {
      setMember(delta, "reasoning_details", restDetails as Json); // a list of JSON
    }
    return withoutEmpty(delta);
  }

  #left(member: string, value: Json): Json | undefined {
    const sent = this.#channels.get(member)?.sent;
    if (sent === undefined || sent === "") return value;
    if (typeof value === "string" && value.startsWith(sent)) return value.slice(sent.length) || undefined;
    if (!Array.isArray(value)) {
      this.#stays(member);
      return undefined;
    }
    // A list whose texts are out already: the rest follows.
    const list = value as readonly Json[]; // a list of JSON
    let out = "";
    let place = 0;
    for (; out.length < sent.length && place < list.length; place++) {
      const text = textOf(list[place] ?? null);
      if (text === undefined) break;
      out += text;
    }
    if (out !== sent) return value;
    return place < list.length ? list.slice(place) : undefined;
  }

  #stays(what: string): void {
    this.#context.lose("already-sent", ["messages", this.index], what);
  }

  #restCalls(wires: readonly Json[]): Json[] {
    const sent = [...this.#calls.values()].filter(({ member }) => member !== "function_call");
    sent.sort((a, b) => a.message - b.message || a.part - b.part);
    const places = sent.flatMap(({ index }) => index ?? []);
    if (places.some((index, at) => index < (places[at - 1] ?? 0))) {
      this.#stays("the order of calls");
    }
    return wires.flatMap((wire, place): Json[] => {
      if (!isJsonObject(wire)) return [wire];
      const call = sent[place];
      const { index: _, ...own } = wire;
      if (call?.index === undefined) return [{ index: this.#nextCall++, ...own }];
      const left = leftOf(own, call, () => this.#stays("arguments"));
      return Object.keys(left).length > 0 ? [{ index: call.index, ...left }] : [];
    });
  }

  #restLegacy(wire: Json): Json {
    const call = [...this.#calls.values()].find(({ member }) => member === "function_call");
    if (!call || !isJsonObject(wire)) return wire;
    const sent = { ...call, head: { function_call: call.head } };
    return leftOf({ function_call: wire }, sent, () => this.#stays("arguments"))["function_call"] ?? {};
  }

  #restDetail(detail: Json): Json[] {
    const key = isJsonObject(detail) ? detailKey(detail) : undefined;
    const sent = key === undefined ? undefined : this.#detailsByKey.get(key);
    if (!isJsonObject(detail) || !sent) return [detail];
    const { type, index, text, summary, ...others } = detail;
    const whole = typeof text === "string" ? text : typeof summary === "string" ? summary : "";
    const left = whole.slice(sent.pieces.join("").length);
    const member = type === "reasoning.summary" ? "summary" : "text";
    if (left === "" && Object.keys(others).length === 0 && sent.pieces.length > 0) return [];
    return [
      {
        type: type ?? null,
        index: index ?? null,
        ...others,
        ...((left !== "" || sent.pieces.length === 0) && { [member]: left }),
      },
    ];
  }
}

/** The text of an item that is nothing else. */
const textOf = (item: Json): string | undefined =>
  isJsonObject(item) && item["type"] === "text" && typeof item["text"] === "string" && Object.keys(item).length === 2
    ? item["text"]
    : undefined;

const keyOf = (event: PartEvent): string => ("part" in event ? `${event.message}.${event.part}` : "");

const detailKey = ({ type, index }: JsonObject): string | undefined =>
  typeof index === "number" && typeof type === "string" ? `${index} ${type}` : undefined;

/** A detail that can come in pieces: its index tells them apart. */
function detailOf(part: PartOf<"reasoning">): { readonly key: string; readonly wire: JsonObject } | undefined {
  const { $place: place, index, format } = hintsOf(part, family);
  const type = part.summary ? "reasoning.summary" : "reasoning.text";
  const key = detailKey({ type, index: index ?? null });
  if (place !== "details" || key === undefined || index === undefined) return undefined;
  return { key, wire: { type, index, ...(format !== undefined && { format }) } };
}

/** Members of a call that are not out, or are out otherwise; of its arguments the rest, if they begin with what is out. */
function leftOf(wire: JsonObject, { head, member, pieces }: SentCall, stays: () => void): JsonObject {
  const left: MutableJsonObject = {};
  if (head["type"] !== undefined && wire["type"] !== head["type"]) {
    stays();
    return left;
  }
  for (const key of Object.keys(wire)) {
    const value = wire[key] ?? null;
    if (key !== member) {
      if (!equalJson(value, head[key])) setMember(left, key, value);
      continue;
    }
    const own = isJsonObject(value) ? leftInner(value, { head: head[key], text: pieces.join(""), stays }) : value;
    if (!isJsonObject(own) || Object.keys(own).length > 0) setMember(left, key, own);
  }
  return left;
}

function leftInner(
  inner: JsonObject,
  sent: { readonly head: Json | undefined; readonly text: string; readonly stays: () => void },
): JsonObject {
  const left: MutableJsonObject = {};
  const head = isJsonObject(sent.head) ? sent.head : {};
  for (const key of Object.keys(inner)) {
    const value = inner[key] ?? null;
    if (key !== "arguments" && key !== "input") {
      if (!equalJson(value, head[key])) setMember(left, key, value);
      continue;
    }
    const { text } = sent;
    const rest = typeof value === "string" && value.startsWith(text) ? value.slice(text.length) : undefined;
    if (text === "" && value !== "") setMember(left, key, value);
    else if (rest === undefined) sent.stays();
    else if (rest !== "") setMember(left, key, rest);
  }
  return left;
}

/** An object of a delta in which nothing is left. */
function withoutEmpty(delta: MutableJsonObject): JsonObject {
  const { function_call: call, ...others } = delta;
  return isJsonObject(call) && Object.keys(call).length === 0 ? others : delta;
}
