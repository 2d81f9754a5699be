import type { Conversation, Event, Issue, JsonObject, Loss, PartOf, Usage } from "translogue";
import type { Change } from "translogue/targets";
import type { RunError } from "./errors.ts";
import { streamed } from "./hooks.ts";
import type { PromptCache } from "./models/cache-marks.ts";

/** One call of a model. */
export interface ModelRequest {
  /** What the model reads: messages (instructions first), the tools offered, the settings. */
  readonly conversation: Conversation;
  readonly signal?: AbortSignal;
  /** Where the provider keeps the conversation: `conversation` has only the messages that it has not read yet. */
  readonly conversationId?: string;
  /** The history is to be cached by its provider: where that takes marks, the model sets them. */
  readonly promptCache?: PromptCache;
  /** The model may go on in the background, and say with `report({ continuation })` where its answer is to be fetched. */
  readonly background?: boolean;
  /** Whoever asks does not read the answer as it comes: one that goes on in the background may be fetched when it is whole. */
  readonly polls?: true;
  /** Fetch the answer from here: `conversation` has no messages. */
  readonly continuation?: string;
  /** Whose answer `continuation` is, where that is known: of several models only this provider's may be asked. */
  readonly continuationProvider?: string;
  /** Takes facts of the call that are no events, as they become known. */
  readonly report?: (report: ModelReport) => void;
}

export interface ModelReport {
  /** What the model's format could not take of the conversation; `path` leads into it. */
  readonly losses?: readonly Loss[];
  /** What was repaired of the conversation, so that the host takes it; `path` leads into it. */
  readonly changes?: readonly Change[];
  /** What the host may refuse, and no repair mends; `path` leads into the conversation. It is asked all the same. */
  readonly requestIssues?: readonly Issue[];
  /** What was wrong with the answer's wire form. */
  readonly issues?: readonly Issue[];
  /** Headers of the answer that are worth keeping: ids, rate limits. Lower case. */
  readonly headers?: { readonly [name: string]: string };
  /** Where the provider keeps the conversation from here on: later calls send only what is new. */
  readonly conversationId?: string;
  /** Where this answer can be gone on with, as text of the model's own; null once it is whole. */
  readonly continuation?: string | null;
  /** The events go on where `continuation` stood; without it they are the whole answer again. */
  readonly goesOn?: true;
  /** Of a whole answer that comes again, the events from here on were told before: nobody is told them twice. */
  readonly told?: boolean;
  /**
   * Asked where the answer is stopped: what it has told of tokens by then, which its events may tell at its end only. Of its
   * last message, in place of what they told of it. Nothing is read of the answer after that.
   */
  readonly usageSoFar?: () => Usage | undefined;
  /** The provider's own object, of an answer that came whole. */
  readonly raw?: unknown;
  /** Who answers, where it is another than the model that was asked. */
  readonly answeredBy?: { readonly model: string; readonly provider: string };
  /** Models that were asked before the one that answers, and why they did not. */
  readonly fallbacks?: readonly FailedModel[];
}

export interface FailedModel {
  readonly model: string;
  readonly provider: string;
  readonly error: RunError;
  /** What it told of tokens all the same; of the last of all, its message has it. */
  readonly usage?: Usage;
}

/** Whatever answers a conversation. Its events begin at message 0 and tell the finish; failures are `error` events or thrown. */
export interface Model {
  /** As its provider calls it. */
  readonly id: string;
  readonly provider: string;
  /** Laid on the metadata of every message that it answers. */
  readonly metadata?: JsonObject;
  /** Models that may answer in its place. */
  readonly alternatives?: readonly Model[];
  stream(request: ModelRequest): AsyncIterable<readonly Event[]>;
  /**
   * Whether it can read what a compaction stands for: one that another provider sealed says nothing to it, and it is given the
   * history before that. Absent: it reads all.
   */
  reads?(compaction: PartOf<"compaction">): boolean | Promise<boolean>;
  /**
   * Ends an answer that goes on in the background, at its host too: its run was stopped, and nobody will fetch it. `provider`:
   * whose answer it is, where that is known.
   */
  cancel?(continuation: string, provider?: string): Promise<void>;
}

/** Its answer. Throws `model/failed` for a model that gives none. */
export const streamOf = (model: Model, request: ModelRequest): AsyncIterable<readonly Event[]> =>
  streamed(model.stream(request), {
    code: "model/failed",
    by: `\`stream\` of the model \`${model.provider}/${model.id}\``,
    give: "an async iterable of lists of events: write it as `async *stream`",
  });
