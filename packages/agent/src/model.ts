import type { Conversation, Event, Issue, JsonObject, Loss } from "translogue";

/** One call of a model. */
export interface ModelRequest {
  /** What the model reads: messages (instructions first), the tools offered, the settings. */
  readonly conversation: Conversation;
  readonly signal?: AbortSignal;
  /** Takes facts of the call that are no events, as they become known. */
  readonly report?: (report: ModelReport) => void;
}

export interface ModelReport {
  /** What the model's format could not take of the conversation; `path` leads into it. */
  readonly losses?: readonly Loss[];
  /** What was wrong with the answer's wire form. */
  readonly issues?: readonly Issue[];
  /** Headers of the answer that are worth keeping: ids, rate limits. Lower case. */
  readonly headers?: { readonly [name: string]: string };
  /** The provider's own object, of an answer that came whole. */
  readonly raw?: unknown;
}

/** Whatever answers a conversation. Its events begin at message 0 and tell the finish; failures are `error` events or thrown. */
export interface Model {
  /** As its provider calls it. */
  readonly id: string;
  readonly provider: string;
  /** Laid on the metadata of every message that it answers. */
  readonly metadata?: JsonObject;
  stream(request: ModelRequest): AsyncIterable<readonly Event[]>;
}
