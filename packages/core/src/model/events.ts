import type { Message } from "./conversation.ts";
import type { Citation, Part } from "./parts.ts";

/** Everything a message has besides its parts. */
export type MessageHead = Omit<Message, "parts">;

/** `message`, `part`: the stream's own numbers. Messages stand in order of start, several may be open; parts sort by number in their message, gaps are fine (E4, E5). */
export interface At {
  readonly message: number;
  readonly part: number;
}

type Members<P> = P extends Part ? Partial<Omit<P, "type" | "text">> : never;
/** Members of a part that become known after its start. Never text: deltas are the whole text (E1). */
export type PartMembers = Members<Part>;

export interface StreamError {
  readonly message: string;
  readonly code?: string;
  readonly retryable?: boolean;
}

/** Which text of a part a delta continues: its own, a call's arguments, or the text that ends a result's output. */
export type DeltaOf = "text" | "reasoning" | "refusal" | "tool-call" | "tool-result";

/** What is new in a stream of messages. An event never holds a growing copy. Rules (E1–E9): docs/model.md. */
export type Event =
  /** The same number again: the message starts over (E9). */
  | { readonly type: "message-start"; readonly message: number; readonly head: MessageHead }
  /** Members known later: id, finish, usage, metadata. */
  | { readonly type: "message-set"; readonly message: number; readonly set: Partial<MessageHead> }
  | { readonly type: "message-end"; readonly message: number }
  /** All that is known at the start; its texts are "". */
  | ({ readonly type: "part-start"; readonly value: Part } & At)
  | ({ readonly type: "part-delta"; readonly of: DeltaOf; readonly text: string } & At)
  | ({ readonly type: "citation"; readonly citation: Citation } & At)
  /** Seal, input, phase, native, also after the end. */
  | ({ readonly type: "part-set"; readonly set: PartMembers } & At)
  | ({ readonly type: "part-end" } & At)
  /** Whole at once; replaces one of the same number. */
  | ({ readonly type: "part"; readonly value: Part } & At)
  /** Of the stream, not of a message. */
  | { readonly type: "error"; readonly error: StreamError };

export type EventType = Event["type"];
