import {
  accumulator,
  type Conversation,
  context,
  type Event,
  type JsonObject,
  type Loss,
  type Message,
  type Settings,
  type Tool,
} from "translogue";
import type { Agent } from "../agent.ts";
import { type RunError, runError, thrownError } from "../errors.ts";
import type { Model, ModelReport } from "../model.ts";
import type { AgentSession } from "../session.ts";
import type { Sleep } from "../time.ts";
import { planCalls, runTool, type ToolBench } from "../tools/execute.ts";
import type { AgentTool } from "../tools/tool.ts";
import { Inbox } from "./inbox.ts";
import { type Told, toldIssues, toldLosses } from "./losses.ts";
import { messagesOf, replay, withoutProgress } from "./snapshot.ts";
import type { Effect, RunSnapshot, RunState, StepInput } from "./state.ts";
import { step } from "./step.ts";

/** A run and all that its effects need. */
export interface RunTask {
  readonly agent: Agent;
  readonly session: AgentSession;
  readonly model: Model;
  readonly tools: ReadonlyMap<string, AgentTool>;
  readonly instructions: string | undefined;
  readonly settings: Settings;
  readonly additionalProperties: JsonObject;
  readonly signal: AbortSignal | undefined;
  readonly now: () => Date;
  readonly sleep: Sleep;
  /** The session before the run. */
  readonly history: readonly Message[];
  /** Where the run begins, or goes on. */
  readonly from: RunSnapshot;
}

type Accumulator = ReturnType<typeof accumulator>;
type Taken =
  | StepInput
  | { readonly type: "model-over"; readonly operation: string; readonly attempt: number; readonly error?: RunError };

/** Drives the step machine in this process: does what its effects say, and gives it what comes of them. */
export class RunDriver {
  state: RunState;
  /** Facts of the model's last call. */
  report: Omit<ModelReport, "losses" | "issues"> = {};
  /** What its format could not take of what it read. */
  lost: JsonObject = {};
  /** What was wrong with the answers, over all calls. */
  issues: readonly Told[] = [];
  readonly #task: RunTask;
  readonly #inbox = new Inbox<Taken>();
  readonly #transcript: Accumulator = accumulator();
  /** Of the model call under way. */
  #answer: Accumulator | undefined;
  readonly #stop = new AbortController();

  constructor(task: RunTask) {
    this.#task = task;
    this.state = task.from.state;
    this.#transcript.pushAll(replay(task.from));
  }

  /** Where the run stands, after the events that were given last. */
  snapshot(): RunSnapshot {
    const { answers, input, inputAt } = this.#task.from;
    const messages = withoutProgress(this.#transcript.messages);
    return { state: this.state, messages, answers, input, inputAt };
  }

  get messages(): readonly Message[] {
    return this.#transcript.messages;
  }

  get agentId(): string {
    return this.#task.agent.id;
  }

  /** Batches of events, to the end of the run. Leaving it before stops everything, as an abort does. */
  async *run(): AsyncGenerator<readonly Event[], void, undefined> {
    const { signal } = this.#task;
    const abort = (): void => this.#inbox.interrupt({ type: "abort", answer: [] });
    signal?.addEventListener("abort", abort, { once: true });
    try {
      const missed = replay(this.#task.from);
      if (missed.length > 0) yield missed;
      if (signal?.aborted) abort();
      else void this.#inbox.put({ type: "go" });
      while (!this.#isDone()) {
        const { events, effects } = this.#take(await this.#inbox.take());
        if (this.#isDone()) this.#stop.abort(signal?.reason);
        if (events.length > 0) yield events;
        for (const effect of effects) void this.#start(effect);
      }
    } finally {
      signal?.removeEventListener("abort", abort);
      if (!this.#isDone()) this.#take({ type: "abort", answer: [] });
      this.#stop.abort(signal?.reason);
      this.#inbox.close();
    }
  }

  #isDone(): boolean {
    return this.state.phase === "done";
  }

  #take(taken: Taken): { readonly events: readonly Event[]; readonly effects: readonly Effect[] } {
    const { state, events, effects } = step(this.state, this.#completed(taken), this.#task.now().toISOString());
    this.state = state;
    this.#transcript.pushAll(events);
    // From here on, though the call is made only when the reader comes back.
    if (effects.some(({ type }) => type === "call-model")) this.#answer = accumulator();
    return { events, effects };
  }

  /** Inputs about an answer, with what there is of it: only events that the machine has taken count. */
  #completed(taken: Taken): StepInput {
    switch (taken.type) {
      case "model-events":
        this.#answer?.pushAll(taken.events.filter(({ type }) => type !== "error"));
        return taken;
      case "model-over":
        return { ...taken, type: "model-end", answer: this.#answer?.end() ?? [] };
      case "abort":
        return { type: "abort", answer: this.#answer?.messages ?? [] };
      default:
        return taken;
    }
  }

  #start(effect: Effect): Promise<void> {
    switch (effect.type) {
      case "call-model":
        return this.#callModel(effect);
      case "plan":
        return this.#plan(effect);
      case "run-tool":
        return this.#runTool(effect);
    }
  }

  // the model

  async #callModel(effect: Extract<Effect, { readonly type: "call-model" }>): Promise<void> {
    const { operation, attempt } = effect;
    this.report = {};
    this.lost = {};
    let error: RunError | undefined;
    try {
      for await (const events of this.#ask(effect.tools)) {
        const failed = events.find(event => event.type === "error");
        if (failed) error = runError(failed.error);
        await this.#inbox.put({ type: "model-events", operation, attempt, events });
        if (error || this.#stop.signal.aborted) break;
      }
    } catch (thrown) {
      error = thrownError(thrown);
    }
    await this.#inbox.put({ type: "model-over", operation, attempt, ...(error && { error }) });
  }

  #ask(withTools: boolean): AsyncIterable<readonly Event[]> {
    const { model } = this.#task;
    const { conversation, places, all } = this.#conversation(withTools);
    return model.stream({
      conversation,
      signal: this.#stop.signal,
      report: ({ losses, issues, ...facts }) => {
        this.report = { ...this.report, ...facts };
        if (issues) this.issues = toldIssues(this.issues, issues);
        if (losses)
          this.lost = toldLosses(
            losses.map(loss => homed(loss, places)),
            index => all[index]?.author?.id === this.agentId,
          );
      },
    });
  }

  /** What the model reads, and where each of its messages stands in the session: undefined for the instructions. */
  #conversation(withTools: boolean): {
    readonly conversation: Conversation;
    readonly places: readonly (number | undefined)[];
    readonly all: readonly Message[];
  } {
    const { instructions, model, session, tools } = this.#task;
    const all = this.#sessionMessages();
    const { messages } = context({ messages: all });
    const places = new Map(all.map((message, index) => [message, index]));
    const system: Message[] = instructions
      ? [{ role: "system", parts: [{ type: "text", text: instructions }], synthetic: "instructions" }]
      : [];
    return {
      all,
      conversation: {
        id: session.id,
        messages: [...system, ...messages],
        ...(withTools && tools.size > 0 && { tools: [...tools.values()].map(declaration) }),
        model: model.id,
        settings: this.#settings(withTools),
      },
      places: [...system.map(() => undefined), ...messages.map(message => places.get(message))],
    };
  }

  /** A forced choice holds for the first step only: it would call the tool for ever. */
  #settings(withTools: boolean): Settings {
    const { toolChoice, ...settings } = this.#task.settings;
    const isForced = toolChoice !== undefined && toolChoice !== "auto" && toolChoice !== "none";
    const holds = toolChoice !== undefined && withTools && (!isForced || this.state.step <= 1);
    return holds ? { ...settings, toolChoice } : settings;
  }

  #sessionMessages(): readonly Message[] {
    const { messages, answer } = { messages: this.#transcript.messages, answer: this.state.answer };
    const finished = answer && this.state.phase === "model" ? messages.slice(0, answer.message) : messages;
    return [...this.#task.history, ...messagesOf({ ...this.#task.from, messages: finished })];
  }

  // tools

  async #plan({ calls }: Extract<Effect, { readonly type: "plan" }>): Promise<void> {
    const verdicts = await planCalls(calls, this.#bench());
    await this.#inbox.put({ type: "planned", verdicts });
  }

  async #runTool(effect: Extract<Effect, { readonly type: "run-tool" }>): Promise<void> {
    const { operation, attempt } = effect;
    const of = { operation, attempt };
    const { result, failed } = await runTool(effect, this.#bench(), shown =>
      this.#inbox.putLatest(operation, { type: "tool-progress", ...of, result: shown }),
    );
    await this.#inbox.put({ type: "tool-end", ...of, result, failed });
  }

  #bench(): ToolBench {
    const { agent, session, tools, additionalProperties, sleep } = this.#task;
    const { run, step } = this.state;
    const messages = this.#sessionMessages();
    return { tools, agent, session, run, step, messages, additionalProperties, signal: this.#stop.signal, sleep };
  }
}

const declaration = ({ name, description, input }: AgentTool): Tool => ({
  name,
  ...(description !== undefined && { description }),
  input,
});

/** Its path, from the model's conversation into the session's messages. */
function homed(loss: Loss, places: readonly (number | undefined)[]): Loss {
  const [root, index, ...rest] = loss.path;
  if (root !== "messages" || typeof index !== "number") return loss;
  const place = places[index];
  return { ...loss, path: place === undefined ? ["instructions", ...rest] : ["messages", place, ...rest] };
}
