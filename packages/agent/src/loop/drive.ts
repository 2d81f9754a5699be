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
import type { Operations } from "../engine.ts";
import { type RunError, runError, thrownError } from "../errors.ts";
import { around, type Middleware, type ModelCallContext, type ToolCallContext } from "../middleware.ts";
import type { Model, ModelReport, ModelRequest } from "../model.ts";
import type { AgentSession } from "../session.ts";
import type { Sleep } from "../time.ts";
import { planCalls, runTool, type ToolBench, type ToolErrors, type UnknownTools } from "../tools/execute.ts";
import type { AgentTool, ToolReturn } from "../tools/tool.ts";
import type { Toolset } from "../tools/toolset.ts";
import { Inbox } from "./inbox.ts";
import { type Told, toldIssues, toldLosses } from "./losses.ts";
import { AnswerRecord, keptEvents, type ModelOutcome, type PlanOutcome, type ToolOutcome } from "./outcomes.ts";
import { readable } from "./readable.ts";
import { messagesOf, replay, withoutProgress } from "./snapshot.ts";
import type { Effect, RunSnapshot, RunState, StepInput } from "./state.ts";
import { step } from "./step.ts";

/** A run and all that its effects need. */
export interface RunTask {
  readonly agent: Agent;
  readonly session: AgentSession;
  readonly model: Model;
  readonly tools: () => Toolset | Promise<Toolset>;
  readonly hostedTools: readonly Tool[];
  readonly unknownTools: UnknownTools;
  readonly toolErrors: ToolErrors;
  readonly middleware: readonly Middleware[];
  readonly instructions: string | undefined;
  readonly settings: Settings;
  readonly additionalProperties: JsonObject;
  readonly signal: AbortSignal | undefined;
  readonly stopSignal: AbortSignal | undefined;
  readonly now: () => Date;
  readonly sleep: Sleep;
  /** Keeps what is done; without it nothing is kept. */
  readonly operations: Operations | undefined;
  /** The session before the run. */
  readonly history: readonly Message[];
  /** Where the run begins, or goes on. */
  readonly from: RunSnapshot;
}

type Accumulator = ReturnType<typeof accumulator>;
/** `at`: the time that the loop goes by, where it is a kept one. */
type Taken = { readonly at?: string } & (
  | StepInput
  | {
      readonly type: "model-over";
      readonly operation: string;
      readonly attempt: number;
      readonly error?: RunError;
      readonly conversationId?: string;
    }
  /** The engine keeps nothing more: the run is left as it stands there. */
  | { readonly type: "left"; readonly error: unknown }
);

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
  /** As they were last given. */
  #toolset: Toolset = { offered: new Map(), known: new Map() };

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
    const { stopSignal } = this.#task;
    const stop = (): void => void this.#inbox.put({ type: "stop" });
    signal?.addEventListener("abort", abort, { once: true });
    stopSignal?.addEventListener("abort", stop, { once: true });
    try {
      const missed = replay(this.#task.from);
      if (missed.length > 0) yield missed;
      if (signal?.aborted) abort();
      else {
        if (stopSignal?.aborted) stop();
        this.#go().catch(this.#leave);
      }
      while (!this.#isDone()) {
        const taken = await this.#inbox.take();
        if (taken.type === "left") throw taken.error;
        const { events, effects } = this.#take(taken);
        if (this.#isDone()) this.#stop.abort(signal?.reason);
        if (events.length > 0) yield events;
        for (const effect of effects) this.#start(effect).catch(this.#leave);
      }
    } finally {
      signal?.removeEventListener("abort", abort);
      stopSignal?.removeEventListener("abort", stop);
      if (!this.#isDone()) this.#take({ type: "abort", answer: [] });
      this.#stop.abort(signal?.reason);
      this.#inbox.close();
    }
  }

  #isDone(): boolean {
    return this.state.phase === "done";
  }

  #take(taken: Exclude<Taken, { type: "left" }>): {
    readonly events: readonly Event[];
    readonly effects: readonly Effect[];
  } {
    const { state, events, effects } = step(this.state, this.#completed(taken), taken.at ?? this.#now());
    this.state = state;
    this.#transcript.pushAll(events);
    // From here on, though the call is made only when the reader comes back.
    if (effects.some(({ type }) => type === "call-model")) this.#answer = accumulator();
    return { events, effects };
  }

  /** Inputs about an answer, with what there is of it: only events that the machine has taken count. */
  #completed(taken: Exclude<Taken, { type: "left" }>): StepInput {
    switch (taken.type) {
      case "model-events":
        this.#answer?.pushAll(taken.events.filter(({ type }) => type !== "error"));
        return taken;
      case "model-over":
        return this.#ended(taken);
      case "abort":
        return { type: "abort", answer: this.#answer?.messages ?? [] };
      default:
        return taken;
    }
  }

  #ended({ conversationId, ...over }: Extract<Taken, { type: "model-over" }>): StepInput {
    const answer = this.#answer?.end() ?? [];
    const known = this.#task.history.length + messagesOf(this.snapshot()).length;
    const served = conversationId?.trim() ? { served: { id: conversationId, known } } : {};
    return { ...over, type: "model-end", answer, ...served };
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

  // operations: each is begun before anything is waited for, so that they begin in the same order in every execution

  #now(): string {
    return this.#task.now().toISOString();
  }

  readonly #leave = (error: unknown): void => this.#inbox.interrupt({ type: "left", error });

  /** The outcome that is kept, or what the work gives, kept. Without an engine nothing is, and times are those of the loop. */
  async #once<O extends { readonly at?: string; readonly stopped?: true }>(
    name: string,
    work: (attempt: number) => Promise<O>,
  ): Promise<{ readonly outcome: O; readonly isKept: boolean }> {
    const { operations } = this.#task;
    if (!operations) return { outcome: await work(1), isKept: false };
    let isKept = true;
    const outcome = await operations.operation<O>(name, async ({ number }) => {
      isKept = false;
      const done = await work(number);
      return { ...done, at: this.#now(), ...(this.#stop.signal.aborted && { stopped: true }) };
    });
    return { outcome, isKept };
  }

  /** Tells the loop what came of an operation, or that the run was stopped in it. */
  #told(input: Taken, { outcome, isKept }: { readonly outcome: { stopped?: true; at?: string }; isKept: boolean }) {
    const at = outcome.at === undefined ? {} : { at: outcome.at };
    return this.#inbox.put({ ...(isKept && outcome.stopped ? { type: "abort", answer: [] } : input), ...at });
  }

  /** Answered calls have results before any operation: their time is kept too. */
  async #go(): Promise<void> {
    const { phase, calls } = this.state;
    if (!this.#task.operations || phase !== "start" || calls.length === 0) return this.#inbox.put({ type: "go" });
    return this.#told({ type: "go" }, await this.#once("go", async () => ({})));
  }

  // the model

  async #callModel(effect: Extract<Effect, { readonly type: "call-model" }>): Promise<void> {
    const { operation, attempt } = effect;
    const { fallbacks: earlier } = this.report;
    this.report = earlier ? { fallbacks: earlier } : {};
    this.lost = {};
    const done = await this.#once(operation, () => this.#answered(effect));
    const { outcome, isKept } = done;
    if (isKept) {
      this.report = outcome.report;
      this.lost = outcome.lost;
      this.issues = outcome.issues;
      for (const batch of keptEvents(outcome)) {
        await this.#inbox.put({ type: "model-events", operation, attempt, ...batch });
      }
    }
    const { error, report } = outcome;
    const conversationId = report.conversationId === undefined ? {} : { conversationId: report.conversationId };
    await this.#told({ type: "model-over", operation, attempt, ...(error && { error }), ...conversationId }, done);
  }

  /** Asks the model and tells what comes of it as it comes. */
  async #answered({ operation, attempt, tools }: Extract<Effect, { type: "call-model" }>): Promise<ModelOutcome> {
    const record = this.#task.operations && new AnswerRecord();
    let error: RunError | undefined;
    try {
      for await (const events of await this.#ask(tools)) {
        const failed = events.find(event => event.type === "error");
        if (failed) error = runError(failed.error);
        const at = record ? { at: this.#now() } : {};
        record?.push(events, at.at ?? "");
        await this.#inbox.put({ type: "model-events", operation, attempt, events, ...at });
        if (error || this.#stop.signal.aborted) break;
      }
    } catch (thrown) {
      error = thrownError(thrown);
    }
    const { raw: _, ...report } = this.report;
    const { answer, begun } = record?.end() ?? { answer: [], begun: [] };
    return { answer, begun, ...(error && { error }), report, lost: this.lost, issues: this.issues };
  }

  async #ask(withTools: boolean): Promise<AsyncIterable<readonly Event[]>> {
    const { agent, session, model, middleware } = this.#task;
    const { run, step, served } = this.state;
    const tools = withTools ? (await this.#tools()).offered : undefined;
    const { conversation, places, all } = this.#conversation(tools);
    const request: ModelRequest = {
      conversation,
      signal: this.#stop.signal,
      ...(served && { conversationId: served.id }),
      report: ({ losses, issues, ...facts }) => {
        const fallbacks = [...(this.report.fallbacks ?? []), ...(facts.fallbacks ?? [])];
        this.report = { ...this.report, ...facts, ...(fallbacks.length > 0 && { fallbacks }) };
        if (issues) this.issues = toldIssues(this.issues, issues);
        if (losses)
          this.lost = toldLosses(
            losses.map(loss => homed(loss, places)),
            index => all[index]?.author?.id === this.agentId,
          );
      },
    };
    const call = around<ModelCallContext, AsyncIterable<readonly Event[]>>(
      middleware.map(each => each.model),
      context => context.model.stream(context.request),
    );
    return call({ agent, session, run, step, model, request });
  }

  /** What the model reads, and where each of its messages stands in the session: undefined for the instructions. */
  #conversation(tools: ReadonlyMap<string, AgentTool> | undefined): {
    readonly conversation: Conversation;
    readonly places: readonly (number | undefined)[];
    readonly all: readonly Message[];
  } {
    const { instructions, model, session, hostedTools } = this.#task;
    const offered = [...hostedTools, ...[...(tools?.values() ?? [])].map(declaration)];
    const all = this.#sessionMessages();
    const indexes = new Map(all.map((message, index) => [message, index]));
    const read = readable(context({ messages: all }).messages).filter(
      ({ source }) => !this.#isServed(source, indexes.get(source)),
    );
    const system: Message[] = instructions
      ? [{ role: "system", parts: [{ type: "text", text: instructions }], synthetic: "instructions" }]
      : [];
    return {
      all,
      conversation: {
        id: session.id,
        messages: [...system, ...read.map(({ message }) => message)],
        ...(offered.length > 0 && { tools: offered }),
        model: model.id,
        settings: this.#settings(tools !== undefined || hostedTools.length > 0),
      },
      places: [...system.map(() => undefined), ...read.map(({ source }) => indexes.get(source))],
    };
  }

  /** What the provider has already, and what it said itself: calls that were let through, in their new place. */
  #isServed({ role, run }: Message, index = Number.POSITIVE_INFINITY): boolean {
    const { served } = this.state;
    return served !== undefined && (index < served.known || (role === "assistant" && run !== undefined));
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

  /** Whoever gives them may fail where a model is about to be asked; of the calls made since, those known before are run. */
  async #tools(): Promise<Toolset> {
    this.#toolset = await this.#task.tools();
    return this.#toolset;
  }

  async #plan({ calls }: Extract<Effect, { readonly type: "plan" }>): Promise<void> {
    const done = await this.#once<PlanOutcome>(`plan-${this.state.step}`, async () => ({
      verdicts: await planCalls(calls, await this.#bench()),
    }));
    await this.#told({ type: "planned", verdicts: done.outcome.verdicts }, done);
  }

  async #runTool(effect: Extract<Effect, { readonly type: "run-tool" }>): Promise<void> {
    const { operation, attempt } = effect;
    const of = { operation, attempt };
    const done = await this.#once<ToolOutcome>(operation, async begun =>
      runTool({ ...effect, attempt: attempt + begun - 1 }, await this.#bench(), shown =>
        this.#inbox.putLatest(operation, { type: "tool-progress", ...of, result: shown }),
      ),
    );
    const { result, failed, terminates } = done.outcome;
    await this.#told({ type: "tool-end", ...of, result, failed, terminates }, done);
  }

  async #bench(): Promise<ToolBench> {
    const { agent, session, middleware, unknownTools, toolErrors, additionalProperties, sleep } = this.#task;
    const { run, step } = this.state;
    const messages = this.#sessionMessages();
    const { known } = await this.#tools().catch(() => this.#toolset);
    return {
      tools: known,
      unknownTools,
      toolErrors,
      wrap: (call, execute) =>
        around<ToolCallContext, Promise<ToolReturn>>(
          middleware.map(({ tool }) => tool && (async (context, next) => tool(context, next))),
          context => execute(context.input),
        )(call),
      ...{ agent, session, run, step, messages, additionalProperties, signal: this.#stop.signal, sleep },
    };
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
