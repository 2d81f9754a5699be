import type { Conversation, Message, Settings, Tool, Usage } from "../model/conversation.ts";
import type { Event } from "../model/events.ts";
import type { LossKind, Path, Severity } from "../model/issue.ts";
import type { Json } from "../model/json.ts";
import type { ExactText, ParsedJson } from "../model/json-text.ts";
import type { Citation, Node, PartOf, PartType, Seal } from "../model/parts.ts";
import type { Machine } from "../stream/machine.ts";
import type { RangeRow } from "./setting-ranges.ts";

/** What a wire value is: a body to send, a body received, bare lists and pieces, what a stream is made of, stored files. */
export type Shape =
  | "request"
  | "answer"
  | "messages"
  | "message"
  | "block"
  | "stream"
  | "event"
  | "log"
  | "file"
  | "error";

/** Who will read what is written. A provider gets its own seals only; a client or a store gets all of them (R14). */
export type Recipient = "provider" | "client" | "store";

/** One reading of a value that a codec recognises. `keys` are the members that told. */
export interface Sniff {
  readonly shape: Shape;
  readonly dialect?: string;
  /** 0–1. 1: no other format looks like this. */
  readonly confidence: number;
  readonly keys: readonly string[];
}

/** Loss codes a codec may report itself, beyond those that follow from `Holds`. */
export type LossTable = {
  readonly [code: string]: { readonly kind: LossKind; readonly note: string };
};

/** A part that a format has no place for, and why. */
export interface Unsupported {
  readonly unsupported: string;
}
export const unsupported = (why: string): Unsupported => ({ unsupported: why });

type MemberOf<T> = Exclude<keyof T & string, "type" | keyof Node>;

/** For each part the members that the format has a place for; a new part makes the compiler ask every format. */
export type PartHolds = { readonly [T in PartType]: readonly MemberOf<PartOf<T>>[] | Unsupported };

/**
 * What a format has a place for. Shared code takes everything else out before the encoder runs and reports each loss,
 * so an encoder sees only what it can write, and forgetting a member is a loss that says so.
 */
export interface Holds {
  readonly conversation: readonly Exclude<MemberOf<Conversation>, "messages">[];
  readonly message: readonly Exclude<MemberOf<Message>, "role" | "parts">[];
  readonly parts: PartHolds;
  /** Parts inside a tool's output; default: as `parts`. */
  readonly output?: PartHolds;
  readonly citation: readonly MemberOf<Citation>[];
  readonly tool: readonly MemberOf<Tool>[];
  readonly settings: readonly (keyof Settings)[];
  readonly usage: readonly (keyof Usage)[];
  /** Families whose `native` members the format writes back. */
  readonly families: readonly string[];
}

interface Context {
  readonly shape: Shape;
  readonly dialect: string;
}

export interface DecodeContext extends Context {
  /** Reports something wrong with the value read; nothing is thrown away for it. */
  issue(code: string, wirePath: Path, message: string, severity?: Severity): void;
  /** Reports something that the conversation cannot hold. `path`: where it would be. */
  lose(code: string, path: Path, detail?: string): void;
  /** Source texts of the value, for what a codec copies out of objects one by one; whole objects keep theirs by themselves. */
  readonly exact?: ExactText;
  /** Ids for messages that have none, where the caller wants them. */
  readonly newId: (() => string) | undefined;
  /** Hands over what a carry slot of the wire held for the messages decoded from `first` on. */
  carried(first: number, carry: Json): void;
}

export interface EncodeContext extends Context {
  readonly recipient: Recipient;
  /** The model that is asked, where the conversation names it: some seals are at home with it alone. */
  readonly model?: string;
  /** The spelling of what is written, where there is one: an encoder adds that of the values which it has read of texts. */
  readonly exact?: ExactText;
  /** Reports something that the format cannot hold. `path` leads into the conversation given to `encode`. */
  lose(code: string, path: Path, detail?: string): void;
  /** Says that wire messages were written from `count` messages from `first` on, so that what they cannot hold can travel in the slot of the first. */
  wrote(wireMessages: readonly [object, ...object[]], first: number, count: number): void;
}

/** Frames of bytes, each with one wire event. */
export interface BinaryFraming {
  /**
   * Bytes → whole frames, in any chunking. Damage, or an end within a frame, is reported, and nothing follows it. Throws
   * `stream/event-too-large` once the frames before the large one are out.
   */
  split(options: {
    readonly report: (message: string) => void;
    readonly maxEventBytes?: number;
  }): Machine<Uint8Array, Uint8Array>;
  /** The wire event of a frame. Throws where it holds none. `exact` takes the spelling of its numbers. */
  read(frame: Uint8Array, exact?: ExactText): Json;
  /** The frames of a wire event. */
  write(wireEvent: Json, exact?: ExactText): readonly Uint8Array[];
}

/** How a format streams. Wire events are JSON values (or, for a format of lines, what a line holds). */
export interface StreamCodec {
  readonly framing: "sse" | "ndjson" | "binary";
  /** Its frames, where they are `binary`. */
  readonly binary?: BinaryFraming;
  /** Data of the event that ends a stream, which is no JSON (`[DONE]`). */
  readonly done?: string;
  /** Whether a wire event ends its stream, so that nothing needs to be waited for behind it. */
  readonly isEnd?: (wireEvent: Json) => boolean;
  /** Reads the text of a dialect that is framed in another way; undefined for the others. */
  readonly lines?: (dialect: string, options: { readonly maxLineBytes?: number }) => Machine<string, Json> | undefined;
  /** The SSE `event:` name of a wire event, where the format writes one. */
  readonly eventName?: (wireEvent: Json) => string | undefined;
  decoder(context: DecodeContext): Machine<Json, Event>;
  encoder(context: EncodeContext): Machine<Event, Json>;
}

/** How a text of the format is written: what the value is, and in which of the format's styles. */
export interface TextOptions extends Context {
  readonly style: string;
  /** Source texts of the value, where the conversation holds spellings that JavaScript cannot. */
  readonly exact?: ExactText;
  /** Told of what the text does not hold as the value does. */
  readonly lose?: (code: string, wirePath: Path) => void;
}

/** The format's own JSON text, where it fixes bytes: .NET's escaping, Python's `json.dumps`. */
export interface TextCodec {
  /** Named ways to write, the default first. */
  readonly styles: readonly [string, ...string[]];
  /** Text → wire value, where the text is more than JSON. Default: `parseJson`. */
  readonly parse?: (text: string) => ParsedJson;
  stringify(value: unknown, options: TextOptions): string;
}

/** The place in a wire message where members that the format does not know survive. */
export interface CarrySlot {
  /** Nobody else sees it while the message stays an object of this process, so it is used for clients too unless the caller says no. */
  readonly hidden?: true;
  /**
   * Puts the carry into a wire message that the encoder has just made. The decoder hands it to `DecodeContext.carried`.
   * `isAsked`: the caller wants it, so it must last when the message is written as text.
   */
  write(wireMessage: object, carry: Json, isAsked: boolean): void;
}

/** A format: how its wire values become a conversation and back. Pure: no clock, no random, no fetch, no console. */
export interface Codec<Wire = unknown> {
  /** The format's id: file name, subpath, fixture folder. */
  readonly id: string;
  /** Its name for people. */
  readonly title: string;
  /** Where it is specified. */
  readonly spec: string;
  /** The shapes that it reads and writes. */
  readonly shapes: readonly Shape[];
  /** Variants, the default first. */
  readonly dialects: readonly [string, ...string[]];
  /** Ends of hosts and URL paths that speak it: `api.openai.com`, `/chat/completions`. */
  readonly places?: readonly string[];
  readonly losses: LossTable;
  holds(context: Context & { readonly recipient: Recipient }): Holds;
  /** Whether a seal may go to the provider that speaks this dialect. */
  isHome?(seal: Seal, context: EncodeContext): boolean;
  /** Whether the provider that speaks this dialect can fetch addresses in a maker's own store. Default: yes. */
  fetches?(maker: string, context: EncodeContext): boolean;
  /** The numbers that the provider which speaks this dialect takes of settings. Undefined: nothing is known of it. */
  ranges?(context: Context): RangeRow | undefined;
  /** Whether the API takes a tool strictly that does not say so. Undefined: nothing is known, or it is no API. */
  strictTools?(context: Context): boolean | undefined;
  /** Its own word for what failed, where an error has another's (`ThrottlingException`, `429`). Undefined: it has none for that. */
  errorWord?(code: string, context: EncodeContext): string | undefined;
  /** Its answers are one: of several choices the first is written, and the others are reported (R16). */
  readonly oneAnswer?: true;
  readonly slot?: CarrySlot;
  /** The readings that fit a value, the surest first; empty where none does. Looks at members, never at everything. */
  sniff(value: unknown): readonly Sniff[];
  /** Throws `decode/not-this-format` only where nothing of the value can be read as the shape. */
  decode(value: unknown, context: DecodeContext): Conversation;
  encode(conversation: Conversation, context: EncodeContext): Wire;
  readonly stream?: StreamCodec;
  /** Absent = plain JSON. */
  readonly text?: TextCodec;
}

/** Checks a codec's type without widening it. */
export const defineCodec = <Wire>(codec: Codec<Wire>): Codec<Wire> => codec;
