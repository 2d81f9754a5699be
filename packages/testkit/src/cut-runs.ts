import { type AgentResponseUpdate, agentRun, agentRuns, type Engine, type RunBody, untold } from "@translogue/agent";
import { accumulate, type Event, type Json, type Message } from "translogue";
import { agentOf, type Runs } from "./scenario-agents.ts";
import type { Scenario } from "./scenarios.ts";

/** Where the runs of one scenario are kept. Engines over it come one after another, as processes would. */
export interface EngineStorage extends AsyncDisposable {
  /** Of the runs' ids, where others are kept there too. */
  readonly prefix?: string;
  open(body: RunBody): Promise<Engine>;
}

/** How a scenario went, over all its runs and processes. */
export interface Course {
  /** Messages of the session, at the end. */
  readonly messages: readonly Message[];
  /** What a reader who stayed has heard, by run. */
  readonly heard: ReadonlyMap<string, readonly Event[]>;
  /** How often each operation was run. */
  readonly counts: Runs;
  /** Those of them whose end the reader had heard when the first process was cut. */
  readonly seen: readonly string[];
  /** Updates that the first process told. */
  readonly updates: number;
}

/** Runs a scenario and answers what it asks. `cutAt`: after this update the process is gone, and another goes on. */
export async function runScenario(scenario: Scenario, storage: EngineStorage, cutAt = 0): Promise<Course> {
  const reader = new Reader();
  const counts: Runs = new Map();
  let updates = 0;
  const cut = Promise.withResolvers<void>();
  const tell = async (update: AgentResponseUpdate, run: string): Promise<void> => {
    reader.hear(run, update.events);
    if (++updates !== cutAt) return;
    cut.resolve();
    await new Promise(() => {});
  };
  const first = await storage.open(bodyOf(scenario, counts, tell));
  const whole = answerAll(scenario, first, storage.prefix);
  if (cutAt === 0) {
    const messages = await whole;
    await first.close();
    return { messages, heard: reader.heard, counts, seen: [], updates };
  }
  whole.catch(() => undefined); // it is left
  await cut.promise;
  const seen = reader.finished();
  await first.close();
  reader.begin();
  const next = await storage.open(bodyOf(scenario, counts, (update, run) => reader.hear(run, update.events)));
  await next.recover();
  const messages = await answerAll(scenario, next, storage.prefix);
  await next.close();
  return { messages, heard: reader.heard, counts, seen, updates };
}

/** The run of a scenario's input, and those of its answers. */
export const idOf = (answer: number, prefix = ""): string => `${prefix}run-${answer}`;

/** Starts all runs of a scenario that have not begun, one after the other. Gives the messages of the last. */
export async function answerAll(scenario: Scenario, engine: Engine, prefix = ""): Promise<readonly Message[]> {
  await begin(scenario, engine, prefix);
  const { length } = scenario.answers ?? [];
  for (let to = 0; to < length; to++)
    await answer(scenario, engine, { to, in: messagesOf(await engine.result(idOf(to, prefix))), prefix });
  return messagesOf(await engine.result(idOf(length, prefix)));
}

/** Starts the run of a scenario's input. */
export async function begin({ input }: Scenario, engine: Engine, prefix = ""): Promise<void> {
  const said: Message = { role: "user", parts: [{ type: "text", text: input }] };
  await engine.start(idOf(0, prefix), agentRun({ messages: [said] }));
}

/** Starts the run of an answer to a run that asked in these messages. */
export async function answer(
  { answers = [] }: Scenario,
  engine: Engine,
  asked: { readonly to: number; readonly in: readonly Message[]; readonly prefix?: string },
): Promise<void> {
  const [callId, approved = false] = answers[asked.to] ?? [];
  const request = asked.in
    .flatMap(({ parts }) => parts)
    .find(part => part.type === "approval-request" && part.callId === callId);
  if (request?.type !== "approval-request") throw new Error(`nothing waits for ${callId}`);
  const { requestId } = request;
  const response: Message = { role: "tool", parts: [{ type: "approval-response", requestId, approved }] };
  const { to, prefix } = asked;
  await engine.start(idOf(to + 1, prefix), agentRun({ after: idOf(to, prefix), messages: [response] }));
}

export const messagesOf = (result: Json): readonly Message[] =>
  (result as unknown as { readonly session: { readonly messages: readonly Message[] } }).session.messages; // as `agentRuns` gives it

/** The runs of a scenario. */
export const bodyOf = (
  scenario: Scenario,
  counts: Runs,
  tell: (update: AgentResponseUpdate, run: string) => void | Promise<void>,
): RunBody => agentRuns({ agents: [agentOf(scenario, counts, fresh())], tell });

/** A client that stays, whatever processes come and go behind it. */
export class Reader {
  readonly heard = new Map<string, Event[]>();
  #filters = new Map<string, (event: Event) => boolean>();
  readonly #awaited: { readonly is: (event: Event) => boolean; readonly resolve: () => void }[] = [];

  /** Resolves once it hears an event of the kind. */
  hears(is: (event: Event) => boolean): Promise<void> {
    return new Promise(resolve => this.#awaited.push({ is, resolve }));
  }

  /** Another process tells from here on. */
  begin(): void {
    this.#filters = new Map([...this.heard].map(([run, events]) => [run, untold(events)]));
  }

  hear(run: string, events: readonly Event[]): void {
    const heard = this.heard.get(run) ?? [];
    this.heard.set(run, heard);
    const isNew = this.#filters.get(run) ?? (() => true);
    heard.push(...events.filter(isNew));
    for (const { is, resolve } of this.#awaited) if (events.some(is)) resolve();
  }

  /** The messages it has made of each run. */
  messages(): readonly Message[] {
    return [...this.heard.values()].flatMap(events => accumulate(events));
  }

  /** Answers and calls whose end it has heard: `turn n`, and call ids. */
  finished(): string[] {
    const answers: string[] = [];
    const results: string[] = [];
    for (const events of this.heard.values()) {
      const ended = new Set(events.flatMap(event => (event.type === "message-end" ? [event.message] : [])));
      for (const [number, { role, parts }] of accumulate(events).entries()) {
        if (role === "assistant" && ended.has(number)) answers.push(`turn ${answers.length}`);
        for (const part of parts) if (part.type === "tool-result" && !part.preliminary) results.push(part.callId);
      }
    }
    return [...answers, ...results];
  }
}

let made = 0;

/** Ids and times are never the same. */
const fresh = () => ({
  newId: () => `id-${process.pid}-${++made}`,
  clock: () => new Date(Date.UTC(2026, 10, 30) + 1000 * ++made),
});

/** Ids and times are those of the process that was first to make them. */
export const comparable = (messages: readonly Message[]): Json =>
  JSON.parse(
    JSON.stringify(messages, (key, value) =>
      ["id", "run", "requestId", "createdAt"].includes(key) ? undefined : value,
    ),
  );
