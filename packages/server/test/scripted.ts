import {
  type AgentTool,
  createAgent,
  createModelRouter,
  defineTool,
  type Model,
  type ModelRequest,
  type ModelRouter,
} from "@translogue/agent";
import { type Conversation, type Event, emit, type Json, type Message, type Part, TranslogueError } from "translogue";
import { createServer, type Server, type ServerConfig, sqliteStore } from "../src/index.ts";

/** What a model answers with: a message at once, or as it goes. */
export type Answer = Message | ((signal: AbortSignal, report: Report) => AsyncIterable<readonly Event[]>);
type Report = NonNullable<ModelRequest["report"]>;

export interface ScriptedModel extends Model {
  /** What it was asked, in order. */
  readonly asked: readonly Conversation[];
  /** Puts answers behind those that are left. */
  answer(...answers: readonly Answer[]): void;
}

const usage = { input: 10, output: 5 };

export const said = (...parts: readonly Part[]): Message => ({
  role: "assistant",
  parts,
  usage,
  finish: { reason: "stop" },
});
export const text = (words: string): Part => ({ type: "text", text: words });
export const call = (callId: string, name: string, input: Json): Part => ({ type: "tool-call", callId, name, input });
export const calls = (...parts: readonly Part[]): Message => ({ ...said(...parts), finish: { reason: "tool-calls" } });

export function scriptedModel(...script: readonly Answer[]): ScriptedModel {
  const asked: Conversation[] = [];
  const left = [...script];
  return {
    id: "scripted",
    provider: "test",
    asked,
    answer: (...answers) => void left.push(...answers),
    async *stream({ conversation, signal, report = () => {} }) {
      asked.push(conversation);
      const answer = left.shift();
      if (!answer) throw new TranslogueError("model/refused", "the script has no more answers");
      if (typeof answer === "function") yield* answer(signal ?? new AbortController().signal, report);
      else yield emit([answer]);
    },
  };
}

/** An answer in pieces, which the test lets go one by one: what is sent after the stream was cut is lost. */
export function heldAnswer(): {
  readonly answer: Answer;
  say(words: string): void;
  end(): void;
  readonly begun: Promise<void>;
} {
  const queue: (readonly Event[])[] = [];
  const begun = Promise.withResolvers<void>();
  let wake = Promise.withResolvers<void>();
  let isOver = false;
  const put = (...events: readonly Event[]): void => {
    queue.push(events);
    wake.resolve();
  };
  return {
    begun: begun.promise,
    say: words => put({ type: "part-delta", message: 0, part: 0, of: "text", text: words }),
    end: () => {
      isOver = true;
      put(
        { type: "part-end", message: 0, part: 0 },
        { type: "message-set", message: 0, set: { usage, finish: { reason: "stop" } } },
        { type: "message-end", message: 0 },
      );
    },
    answer: async function* (signal) {
      const stopped = new Promise<void>(resolve => signal.addEventListener("abort", () => resolve(), { once: true }));
      begun.resolve();
      yield [
        { type: "message-start", message: 0, head: { role: "assistant" } },
        { type: "part-start", message: 0, part: 0, value: { type: "text", text: "" } },
      ];
      for (;;) {
        const next = queue.shift();
        if (next) yield next;
        else if (isOver || signal.aborted) return;
        else {
          await Promise.race([wake.promise, stopped]);
          wake = Promise.withResolvers();
        }
      }
    },
  };
}

export interface Fixture extends Server {
  readonly model: ScriptedModel;
  post(path: string, body: unknown, headers?: { readonly [name: string]: string }): Promise<Response>;
  get(path: string, headers?: { readonly [name: string]: string }): Promise<Response>;
}

const modelsOf = (model: Model): ModelRouter => createModelRouter({ models: ["demo/scripted"], demo: () => model });

interface FixtureOptions extends Partial<ServerConfig> {
  readonly agentTools?: readonly AgentTool[];
  readonly script?: readonly Answer[];
}

/** A server over a scripted model, its sessions in memory. */
export async function serverOf({ agentTools = [], script = [], ...config }: FixtureOptions = {}): Promise<Fixture> {
  const model = scriptedModel(...script);
  const store = config.store ?? (await sqliteStore({ path: ":memory:" }));
  const agent = createAgent({ model, tools: agentTools, name: "Tester" });
  const server = createServer({ agent, models: modelsOf(model), busyWaitMs: 0, log: () => {}, ...config, store });
  const url = (path: string): string => `http://server.test${path}`;
  return {
    ...server,
    model,
    get: (path, headers = {}) => server.fetch(new Request(url(path), { headers })),
    post: (path, body, headers = {}) =>
      server.fetch(
        new Request(url(path), {
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
          body: typeof body === "string" ? body : JSON.stringify(body),
        }),
      ),
  };
}

/** Takes any object. */
export const anyObject = {
  schema: { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) } },
  jsonSchema: { type: "object" },
} as const;

export const toolOf = (name: string, execute: () => Json | Promise<Json>): AgentTool =>
  defineTool({ name, description: `The tool ${name}`, parameters: anyObject, execute });
