import {
  type AgentResponseUpdate,
  agentRun,
  agentRuns,
  createAgent,
  type Engine,
  type ModelAgent,
  type RunBody,
  untold,
} from "@translogue/agent";
import { accumulate, type Event, type Json, type Message } from "translogue";
import { type Scenario, toolset } from "./scenarios.ts";
import { scripted } from "./scripted-model.ts";

/** Where the runs of one scenario are kept. Engines over it come one after another, as processes would. */
export interface EngineStorage extends AsyncDisposable {
  open(body: RunBody): Promise<Engine>;
}

/** How a scenario went, over all its runs and processes. */
export interface Course {
  /** Messages of the session, at the end. */
  readonly messages: readonly Message[];
  /** What each run of the scenario told a reader who stayed. */
  readonly told: ReadonlyMap<string, readonly Event[]>;
  /** How often each operation was run. */
  readonly counts: ReadonlyMap<string, number>;
  /** Those of them that a reader had seen the end of when the first process was cut. */
  readonly seen: readonly string[];
  /** Updates that the first process told. */
  readonly updates: number;
}

/** Runs a scenario and answers what it asks. `cutAt`: after this update the process is gone, and another goes on. */
export async function runScenario(scenario: Scenario, storage: EngineStorage, cutAt = 0): Promise<Course> {
  const counts = new Map<string, number>();
  const told = new Map<string, Event[]>();
  const first = new Process(scenario, { counts, told, cutAt });
  const engine = await storage.open(first.body);
  const whole = answered(scenario, engine).catch(error => {
    if (cutAt === 0) throw error;
  });
  if (cutAt === 0) {
    await whole;
    return over(engine, scenario, { counts, told, seen: [], updates: first.updates });
  }
  await Promise.race([first.cut, whole]);
  const seen = finished([...told.values()].flat());
  await engine.close();
  const second = new Process(scenario, { counts, told, cutAt: 0 });
  const next = await storage.open(second.body);
  await next.recover();
  await answered(scenario, next);
  return over(next, scenario, { counts, told, seen, updates: first.updates });
}

/** The run of a scenario's input, and those of its answers. */
export const idOf = (answer: number): string => `run-${answer}`;

/** Starts all runs of a scenario that have not begun, one after the other. */
export async function answered(scenario: Scenario, engine: Engine): Promise<void> {
  const said: Message = { role: "user", parts: [{ type: "text", text: scenario.input }] };
  await engine.start(idOf(0), agentRun({ messages: [said] }));
  for (const [index] of (scenario.answers ?? []).entries()) await answer(scenario, engine, index);
  await engine.result(idOf(scenario.answers?.length ?? 0));
}

/** Starts the run of an answer to what the run before it asks. */
export async function answer({ answers = [] }: Scenario, engine: Engine, index: number): Promise<void> {
  const [callId, approved = false] = answers[index] ?? [];
  const messages = messagesOf(await engine.result(idOf(index)));
  const asked = messages
      .flatMap(({ parts }) => parts)
      .find(part => part.type === "approval-request" && part.callId === callId);
    if (asked?.type !== "approval-request") throw new Error(`nothing waits for ${callId}`);
    const answer: Message = {
      role: "tool",
      parts: [{ type: "approval-response", requestId: asked.requestId, approved }],
    };
    await engine.start(idOf(index + 1), agentRun({ after: idOf(index), messages: [answer] }));
  }
  await engine.result(idOf(scenario.answers?.length ?? 0));
}

export const messagesOf = (result: Json): readonly Message[] =>
  (result as unknown as { readonly session: { readonly messages: readonly Message[] } }).session.messages; // as `agentRuns` gives it

async function over(engine: Engine, scenario: Scenario, course: Omit<Course, "messages">): Promise<Course> {
  const messages = messagesOf(await engine.result(idOf(scenario.answers?.length ?? 0)));
  await engine.close();
  return { messages, ...course };
}

export interface Seen {
  readonly counts: Map<string, number>;
  readonly told: Map<string, Event[]>;
  readonly cutAt: number;
}

/** One process of a scenario: its agent, and a reader that stays from one process to the next. */
class Process {
  readonly body: RunBody;
  readonly cut: Promise<void>;
  updates = 0;
  readonly #filters = new Map<string, (event: Event) => boolean>();

  constructor(scenario: Scenario, { counts, told, cutAt }: Seen) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.cut = promise;
    const tell = async ({ events }: AgentResponseUpdate, run: string): Promise<void> => {
      const heard = told.get(run) ?? [];
      told.set(run, heard);
      const isNew = this.#filters.get(run) ?? untold([...heard]);
      this.#filters.set(run, isNew);
      heard.push(...events.filter(isNew));
      if (++this.updates !== cutAt) return;
      resolve();
      await new Promise(() => {});
    };
    this.body = agentRuns({ agents: [agentOf(scenario, counts)], tell });
  }
}

let made = 0;

/** Its model answers by what it is shown, so that it says the same to a run that was cut; its ids and times are never the same. */
function agentOf({ turns, options }: Scenario, counts: Map<string, number>): ModelAgent {
  const model = scripted(({ conversation, conversationId: id }) => {
    const kept = id === undefined ? -1 : turns.findIndex(({ conversationId }) => conversationId === id);
    const number = kept >= 0 ? kept + 1 : conversation.messages.filter(({ role }) => role === "assistant").length;
    counts.set(`turn ${number}`, (counts.get(`turn ${number}`) ?? 0) + 1);
    const turn = turns[number];
    if (!turn) throw new Error("the scenario has no such turn");
    return turn;
  });
  return createAgent({
    id: "ada",
    model,
    tools: toolset(counts),
    newId: () => `id-${++made}`,
    clock: () => new Date(Date.UTC(2026, 10, 30) + 1000 * ++made),
    ...options,
  });
}

/** Answers and calls whose end a reader has heard. */
function finished(events: readonly Event[]): string[] {
  const messages = accumulate(events);
  const ended = new Set(events.flatMap(event => (event.type === "message-end" ? [event.message] : [])));
  const answers = messages.filter(({ role }, number) => role === "assistant" && ended.has(number));
  const results = messages.flatMap(({ parts }) =>
    parts.flatMap(part => (part.type === "tool-result" && !part.preliminary ? [part.callId] : [])),
  );
  return [...answers.map((_, number) => `turn ${number}`), ...results];
}
