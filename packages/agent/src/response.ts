import {
  accumulator,
  type Event,
  emit,
  type JsonObject,
  type Message,
  type TranslogueError,
  type Usage,
} from "translogue";
import { failure, type RunError } from "./errors.ts";
import type { UsageTree } from "./spending.ts";
import type { ContinuationToken } from "./token.ts";

export type Finish = NonNullable<Message["finish"]>;
export type Author = NonNullable<Message["author"]>;

/** The value that was asked for, or why there is none. */
export type ResultOutcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: TranslogueError };

/** What a run gave. JSON as it stands: `raw` and the result are in memory only. */
export interface AgentResponse<T = unknown> {
  readonly messages: readonly Message[];
  /** Texts of the messages, empty ones left out, joined by a line feed. */
  readonly text: string;
  readonly agentId: string;
  /** Id of the run; all its messages carry it. */
  readonly responseId: string;
  /** Where the provider keeps the conversation itself. */
  readonly conversationId?: string;
  readonly model?: string;
  readonly createdAt?: string;
  /** How the run ended; a limit is `other` with `raw` naming it (`max-steps`, `max-consecutive-errors`). */
  readonly finish?: Finish;
  /** Of all model calls of this run, those of agents inside of its tools too; absent where none told. */
  readonly usage?: Usage;
  /** The same by agent, where any ran inside. */
  readonly usageTree?: UsageTree;
  /** Why the finish is `error`. */
  readonly error?: RunError;
  /** The run goes on: give it to the next one. Without it the run is over, failed, or waits for somebody. */
  readonly continuationToken?: ContinuationToken;
  /**
   * `losses`: what the model's format could not take, one entry a code with its count and the first place, and
   * `lossesOfBookkeeping`: how many more were about ids, times and the like. `issues`: what was wrong with the answers, and
   * what of the requests their host may refuse, though it was sent.
   * `repairs`: what of the history the model's host, or any, would not have taken, and was mended for it.
   * `headers`: of the last one. The rest is the model's own.
   */
  readonly metadata?: JsonObject;
  /** The provider's own object of its last answer that came whole. */
  readonly raw?: unknown;
  /** The value that `responseFormat` asked for. Throws `result/none`, `result/invalid`. */
  readonly result: T;
  /** The same, without throwing. */
  tryResult(): ResultOutcome<T>;
  /** The response as a stream would have brought it. */
  toUpdates(): AgentResponseUpdate[];
}

/** What is new in a run: a batch of events. Folding those of all updates gives the response's messages. */
export interface AgentResponseUpdate {
  readonly events: readonly Event[];
  /** The text that the events add to assistant messages. */
  readonly text: string;
  readonly agentId: string;
  readonly responseId: string;
  /** Of the message that the last event is about. */
  readonly messageId?: string;
  readonly author?: Author;
  readonly createdAt?: string;
  readonly conversationId?: string;
  readonly model?: string;
  /** On the last update: how the run ended. */
  readonly finish?: Finish;
  /** On the last update: of the whole run. */
  readonly usage?: Usage;
  readonly usageTree?: UsageTree;
  readonly error?: RunError;
  /** From here the run can be gone on with. */
  readonly continuationToken?: ContinuationToken;
  readonly metadata?: JsonObject;
  /** True on the last update of a run only. */
  readonly isFinal: boolean;
}

/** What a response has besides its messages. */
export type ResponseFacts = Omit<AgentResponse, "messages" | "text" | "toUpdates" | "result" | "tryResult">;

export function agentResponse(messages: readonly Message[], facts: ResponseFacts): AgentResponse {
  const { raw, ...plain } = facts;
  const response = { messages, text: textOf(messages), ...plain };
  hide(response, "toUpdates", { value: () => updatesOf(messages, facts) });
  if (raw !== undefined) hide(response, "raw", { value: raw });
  return withResult(response as AgentResponse, unasked); // its hidden members are defined here
}

/** The response with this result, in place. */
export const withOutcome = <T>(response: AgentResponse, outcome: ResultOutcome<T>): AgentResponse<T> =>
  withResult(response, () => outcome);

function withResult<T>(response: AgentResponse, outcome: () => ResultOutcome<T>): AgentResponse<T> {
  hide(response, "tryResult", { value: outcome });
  hide(response, "result", { get: () => valueIn(outcome()) });
  return response as AgentResponse<T>; // as just defined
}

function valueIn<T>(outcome: ResultOutcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw outcome.error;
}

const unasked = (): ResultOutcome<never> => ({
  ok: false,
  error: failure(
    "result/none",
    "the run was given no `responseFormat`: read its answer with `typed(response, schema)`",
  ),
});

/** In memory only: JSON of the response has none of it. */
const hide = (target: object, key: string, property: PropertyDescriptor): void =>
  void Object.defineProperty(target, key, { ...property, enumerable: false, configurable: true });

/** The response of a run's updates; `raw`: the provider's own object, which no update has. */
export function accumulateUpdates(updates: Iterable<AgentResponseUpdate>, raw?: unknown): AgentResponse {
  const folded = accumulator();
  let facts: ResponseFacts = { agentId: "", responseId: "" };
  for (const update of updates) {
    folded.pushAll(update.events);
    facts = responseFacts(update, facts);
  }
  return agentResponse(folded.end(), { ...facts, ...(raw !== undefined && { raw }) });
}

/** What an update says of the whole response, over what was known before. */
export function responseFacts(update: AgentResponseUpdate, known: Partial<ResponseFacts> = {}): ResponseFacts {
  const { agentId, responseId, conversationId, model, createdAt, finish, usage, usageTree, error, metadata } = update;
  const { continuationToken } = update;
  const { continuationToken: _, ...before } = known;
  const first = known.createdAt ?? createdAt;
  return {
    ...before,
    agentId,
    responseId,
    ...(conversationId !== undefined && { conversationId }),
    ...(model !== undefined && { model }),
    ...(first !== undefined && { createdAt: first }),
    ...(finish && { finish }),
    ...(usage && { usage }),
    ...(usageTree && { usageTree }),
    ...(error && { error }),
    ...(continuationToken && { continuationToken }),
    ...(metadata && { metadata }),
  };
}

/** Only texts: reasoning, errors and results are none. */
export const textOf = (messages: readonly Message[]): string =>
  messages
    .map(({ parts }) => parts.map(part => (part.type === "text" ? part.text : "")).join(""))
    .filter(text => text !== "")
    .join("\n");

function updatesOf(messages: readonly Message[], facts: ResponseFacts): AgentResponseUpdate[] {
  const { finish, usage, usageTree, error, metadata, raw: _, ...shared } = facts;
  const updates = messages.map((message, number): AgentResponseUpdate => {
    const { id, author, createdAt, model } = message;
    return {
      events: emit([message]).map(event => numbered(event, number)),
      text: textOf([message]),
      ...shared,
      ...(id !== undefined && { messageId: id }),
      ...(author && { author }),
      ...(createdAt !== undefined && { createdAt }),
      ...(model !== undefined && { model }),
      isFinal: false,
    };
  });
  const ending = updates.pop() ?? { events: [], text: "", ...shared };
  const last: AgentResponseUpdate = {
    ...ending,
    ...(finish && { finish }),
    ...(usage && { usage }),
    ...(usageTree && { usageTree }),
    ...(error && { error }),
    ...(metadata && { metadata }),
    isFinal: true,
  };
  return [...updates, last];
}

const numbered = (event: Event, message: number): Event => ("message" in event ? { ...event, message } : event);
