import { type Conversation, type Event, stringifyJson, type Usage } from "translogue";
import type { Model } from "../model.ts";
import { type Sleep, sleep } from "../time.ts";
import { type Plan, planFor } from "./rules.ts";
import { readTurn, type Turn } from "./turn.ts";
import { words } from "./words.ts";

export interface DemoModelOptions {
  /** Milliseconds between two pieces. Default 0. */
  readonly paceMs?: number;
  readonly sleep?: Sleep;
  /** Reasons in the open. Default true. */
  readonly reasoning?: boolean;
  /** Says in the first answer of a conversation that it is a demo. Default true. */
  readonly notice?: boolean;
}

/**
 * A model of rules that needs no key: streams, reasons, calls tools, in English and Chinese. Every answer says in its
 * metadata that it is one (`demo: true`), whatever model it stands in for. The same conversation gets the same answer.
 */
export function demoModel(ref = "demo/standard", options: DemoModelOptions = {}): Model {
  const { paceMs = 0, sleep: wait = sleep } = options;
  const id = ref.startsWith("demo/") ? ref : `demo/${ref}`;
  return {
    id,
    provider: "demo",
    metadata: { demo: true },
    async *stream({ conversation, signal }) {
      for (const batch of answer(conversation, options)) {
        signal?.throwIfAborted();
        yield batch;
        if (paceMs > 0) await wait(paceMs, signal);
      }
    },
  };
}

function* answer(conversation: Conversation, options: DemoModelOptions): Generator<readonly Event[]> {
  const { reasoning = true, notice = true } = options;
  const turn = readTurn(conversation);
  const plan = planFor(turn);
  const text =
    plan.text && notice && turn.isFirst && !plan.error ? `${plan.text}\n\n${words[turn.language].notice}` : plan.text;
  yield [{ type: "message-start", message: 0, head: { role: "assistant", metadata: { demo: true } } }];
  let part = 0;
  if (reasoning) yield* streamed(part++, "reasoning", plan.reasoning);
  if (text) yield* streamed(part++, "text", text);
  yield* calls(plan, turn, part);
  if (plan.error !== undefined) {
    yield [{ type: "error", error: { message: plan.error, code: "demo/asked-for" } }];
    return;
  }
  const usage = usageOf(conversation, plan);
  yield [{ type: "message-set", message: 0, set: { usage, finish: { reason: plan.calls ? "tool-calls" : "stop" } } }];
  yield [{ type: "message-end", message: 0 }];
}

function* streamed(part: number, type: "reasoning" | "text", text: string): Generator<readonly Event[]> {
  yield [{ type: "part-start", message: 0, part, value: { type, text: "" } }];
  for (const piece of pieces(text)) yield [{ type: "part-delta", message: 0, part, of: type, text: piece }];
  yield [{ type: "part-end", message: 0, part }];
}

/** A call's id is its tool and how often the conversation has called it: no two are the same. */
function* calls({ calls = [] }: Plan, turn: Turn, first: number): Generator<readonly Event[]> {
  const counts = new Map<string, number>();
  for (const [index, { name, input }] of calls.entries()) {
    const count = (counts.get(name) ?? turn.callsOf(name)) + 1;
    counts.set(name, count);
    const part = first + index;
    yield [
      { type: "part-start", message: 0, part, value: { type: "tool-call", callId: `call_${name}_${count}`, name } },
    ];
    for (const text of JSON.stringify(input).match(/.{1,12}/gsu) ?? []) {
      yield [{ type: "part-delta", message: 0, part, of: "tool-call", text }];
    }
    yield [{ type: "part-end", message: 0, part }];
  }
}

/** As a model would send it: a word, or two Chinese characters. */
const pieces = (text: string): readonly string[] =>
  text.match(/\p{Script=Han}{1,2}|[^\p{Script=Han}\s]+\s*|\s+/gu) ?? [];

/** About four characters a token: for people to see where numbers go, not for a bill. */
function usageOf({ messages }: Conversation, { reasoning, text = "", calls = [] }: Plan): Usage {
  const tokens = (characters: number) => Math.ceil(characters / 4);
  return {
    input: tokens(messages.reduce((sum, { parts }) => sum + (stringifyJson(parts)?.length ?? 0), 0)),
    output: tokens(text.length + JSON.stringify(calls).length),
    reasoning: tokens(reasoning.length),
  };
}
