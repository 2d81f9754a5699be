import type { Model, ModelRequest } from "@translogue/agent";
import type { Event, FinishReason, Json, Usage } from "translogue";

/** One answer of a scripted model. A call's arguments are JSON, or text as a model may have written it. */
export interface Turn {
  readonly reasoning?: string;
  readonly text?: string;
  readonly chunks?: readonly string[];
  readonly calls?: readonly (readonly [id: string, tool: string, input: Json | { readonly raw: string }])[];
  readonly finish?: FinishReason | "none";
  readonly usage?: Usage;
  /** Where the provider keeps the conversation, as it says. */
  readonly conversationId?: string;
  /** After all else. */
  readonly error?: { readonly message: string; readonly code?: string; readonly retryable?: boolean };
  readonly throws?: unknown;
  /** Milliseconds that each piece of its text takes. */
  readonly pace?: number;
  /** After all else the answer just stays open. */
  readonly hangs?: true;
}

export interface ScriptedModel extends Model {
  /** What it was asked, one a call. */
  readonly requests: ModelRequest[];
}

/** Answers by the script, one turn a call; every event is a batch of its own. */
export function scripted(turns: readonly Turn[] | ((request: ModelRequest, call: number) => Turn)): ScriptedModel {
  const requests: ModelRequest[] = [];
  return {
    id: "script-1",
    provider: "test",
    requests,
    async *stream(request) {
      const call = requests.push(request) - 1;
      const turn = typeof turns === "function" ? turns(request, call) : turns[call];
      if (!turn) throw new Error(`the script has no turn ${call}`);
      const { conversationId } = turn;
      if (conversationId !== undefined) request.report?.({ conversationId });
      for (const event of eventsOf(turn)) {
        yield [event];
        if (turn.pace !== undefined && event.type === "part-delta" && event.of === "text")
          await new Promise(resolve => setTimeout(resolve, turn.pace));
      }
      if (turn.throws !== undefined) throw turn.throws;
      if (turn.hangs) await new Promise(() => {});
    },
  };
}

function* eventsOf(turn: Turn): Generator<Event> {
  const { reasoning, text, calls = [], usage, error } = turn;
  const chunks = turn.chunks ?? (text === undefined ? [] : [text]);
  if (turn.throws !== undefined && reasoning === undefined && chunks.length === 0 && calls.length === 0) return;
  if (error && reasoning === undefined && chunks.length === 0 && calls.length === 0)
    return yield { type: "error", error };
  let part = 0;
  yield { type: "message-start", message: 0, head: { role: "assistant" } };
  if (reasoning !== undefined) {
    yield { type: "part-start", message: 0, part, value: { type: "reasoning", text: "" } };
    yield { type: "part-delta", message: 0, part, of: "reasoning", text: reasoning };
    yield { type: "part-end", message: 0, part: part++ };
  }
  if (chunks.length > 0) {
    yield { type: "part-start", message: 0, part, value: { type: "text", text: "" } };
    for (const chunk of chunks) yield { type: "part-delta", message: 0, part, of: "text", text: chunk };
    yield { type: "part-end", message: 0, part: part++ };
  }
  for (const [callId, name, input] of calls) {
    yield { type: "part-start", message: 0, part, value: { type: "tool-call", callId, name } };
    yield { type: "part-delta", message: 0, part, of: "tool-call", text: argumentsText(input) };
    yield { type: "part-end", message: 0, part: part++ };
  }
  if (usage) yield { type: "message-set", message: 0, set: { usage } };
  if (error) return yield { type: "error", error };
  if (turn.finish === "none" || turn.hangs || turn.throws !== undefined) return;
  const reason = turn.finish ?? (calls.length > 0 ? "tool-calls" : "stop");
  yield { type: "message-set", message: 0, set: { finish: { reason } } };
  yield { type: "message-end", message: 0 };
}

const argumentsText = (input: Json | { readonly raw: string }): string =>
  typeof input === "object" && input !== null && "raw" in input && typeof input.raw === "string"
    ? input.raw
    : JSON.stringify(input);

/** Ids and times that every run of a test has the same. */
export function fixed(): { newId: () => string; clock: () => Date } {
  let ids = 0;
  return { newId: () => `id-${++ids}`, clock: () => new Date("2026-11-30T08:00:00.000Z") };
}

export async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
