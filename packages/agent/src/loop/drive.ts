import { accumulator, type Event, type JsonObject, type Message, type Usage } from "translogue";
import { type RunError, runError, thrownError } from "../errors.ts";
import { checkedBatch } from "../hooks.ts";
import { aroundModel, aroundTool } from "../middleware.ts";
import { type Model, type ModelReport, type ModelRequest, streamOf } from "../model.ts";
import { answeredBy } from "../models/fallback.ts";
import { shownIn } from "../session.ts";
import { planCalls, runTool, type ToolBench } from "../tools/execute.ts";
import type { Toolset } from "../tools/toolset.ts";
import { withKept } from "./asks.ts";
import { Inbox } from "./inbox.ts";
import { linked } from "./lineage.ts";
import { lostOf, type Told, toldIssues, toldRepairs } from "./losses.ts";
import { withMadeIds } from "./made-ids.ts";
import { continuing, openEvents } from "./open-answer.ts";
import { askedInstead } from "./other-model.ts";
import {
  AnswerRecord,
  type Done,
  keptEvents,
  type ModelOutcome,
  Once,
  type Outcome,
  type PlanOutcome,
  type ToolOutcome,
} from "./outcomes.ts";
import { homed, type Reading, SessionReader } from "./reading.ts";
import { requestOf } from "./request.ts";
import { RunningCalls } from "./running-calls.ts";
import { giveUp, keptAfter, servedBy, whereabouts } from "./served.ts";
import { behind, behindHistory, replay, withoutProgress } from "./snapshot.ts";
import { type Standing, stoppedBy } from "./standing.ts";
import type { Effect, RunSnapshot, RunState, StepInput } from "./state.ts";
import { step } from "./step.ts";
import { checkHolder, checkReader, stepModel } from "./step-model.ts";
import type { Taken } from "./taken.ts";
import type { RunTask } from "./task.ts";

/** Drives the step machine in this process: does what its effects say, and gives it what comes of them. */
export class RunDriver {
  state: RunState;
  /** Facts of the model's last call. */
  report: Omit<ModelReport, "usageSoFar" | "losses" | "changes" | "requestIssues" | "issues"> = {};
  /** What its format could not take of what it read. */
  lost: JsonObject = {};
  /** What was wrong with the answers, over all calls. */
  issues: readonly Told[] = [];
  readonly #task: RunTask;
  readonly #inbox = new Inbox<Taken>();
  readonly #transcript = accumulator();
  /** Of the model call under way. */
  #answer: ReturnType<typeof accumulator> | undefined;
  #asked: Model | undefined;
  #usageSoFar: (() => Usage | undefined) | undefined;
  readonly #running = new RunningCalls();
  readonly #stop = new AbortController();
  readonly #once: Once;
  readonly #reader: SessionReader;
  /** Batches that its reader has already. */
  readonly #known = new WeakSet<readonly Event[]>();
  /** As they were last given. */
  #toolset: Toolset = { offered: new Map(), known: new Map() };

  constructor(task: RunTask) {
    this.#task = task;
    this.state = task.from.state;
    this.#reader = new SessionReader(task.from.input);
    const [now, stop, bag] = [() => this.#now(), this.#stop.signal, task.session.stateBag];
    this.#once = new Once({ operations: task.operations, now, stop, bag });
    this.#transcript.pushAll(replay(task.from));
  }

  /** Where the run stands, after the events that were given last. */
  snapshot(): RunSnapshot {
    const { answers, input, inputAt } = this.#task.from;
    const messages = withoutProgress(this.#transcript.messages);
    return { state: withKept(this.state, this.#running.keepers), messages, answers, input, inputAt };
  }

  get messages(): readonly Message[] {
    return this.#transcript.messages;
  }

  get agentId(): string {
    return this.#task.agent.id;
  }

  get rulesOf(): string | undefined {
    return this.#task.rulesOf;
  }

  /** Where it would stand, stopped now: with what all that is under way has spent. */
  get stopped(): Standing {
    return stoppedBy(this, this.#soFar());
  }

  /** Whether whoever reads the run has this batch already: an answer came again from its start. */
  readonly isTold = (events: readonly Event[]): boolean => this.#known.has(events);

  /** Batches of events, to the end of the run. Leaving it before stops everything, as an abort does. */
  async *run(): AsyncGenerator<readonly Event[], void, undefined> {
    const { signal, stopSignal } = this.#task;
    const abort = (): void => this.#inbox.interrupt({ type: "abort", answer: [] });
    const stop = (): void => void this.#inbox.put({ type: "stop" });
    signal?.addEventListener("abort", abort, { once: true });
    stopSignal?.addEventListener("abort", stop, { once: true });
    this.#endInTime();
    try {
      const { from, isSeen } = this.#task;
      const missed = isSeen ? [] : replay(from);
      // An answer that goes on may come again, in place of what was missed of it.
      if (missed.length > 0 && from.state.answer?.continuation === undefined) yield missed.splice(0);
      if (signal?.aborted) abort();
      else {
        if (stopSignal?.aborted) stop();
        this.#go().catch(this.#leave);
      }
      while (!this.#isDone()) {
        const taken = await this.#inbox.take();
        if (taken.type === "left") throw taken.error;
        const { events: now, effects } = this.#take(taken);
        if (this.#isDone()) this.#stop.abort(signal?.reason);
        if (taken.isTold && isSeen) this.#known.add(now);
        const events = now.length > 0 || this.#isDone() ? behind(missed.splice(0), now) : now;
        if (events.length > 0) yield events;
        for (const effect of effects) this.#start(effect).catch(this.#leave);
      }
    } finally {
      signal?.removeEventListener("abort", abort);
      stopSignal?.removeEventListener("abort", stop);
      const isParked = this.state.answer?.continuation !== undefined && !signal?.aborted;
      if (!this.#isDone()) this.#take(isParked ? { type: "park" } : { type: "abort", answer: [] });
      this.#stop.abort(signal?.reason);
      this.#inbox.close();
    }
  }

  #endInTime(): void {
    const { timeoutMs, sleep, chain } = this.#task;
    const late = (): void => this.#inbox.interrupt({ type: "abort", answer: [], limit: "max-time" });
    if (timeoutMs === 0) late();
    const own = timeoutMs ? sleep(timeoutMs, this.#stop.signal) : undefined;
    for (const time of [chain?.limits.clock.timeUp(), own]) time?.then(late, () => undefined);
  }

  #isDone(): boolean {
    return this.state.phase === "done" || this.state.parked === true;
  }

  #take(taken: Exclude<Taken, { type: "left" }>): {
    readonly events: readonly Event[];
    readonly effects: readonly Effect[];
  } {
    const { state, events, effects } = step(this.state, this.#completed(taken), taken.at ?? this.#now());
    this.state = state;
    this.#transcript.pushAll(events);
    // From here on, though the call is made only when the reader comes back.
    const call = effects.find(effect => effect.type === "call-model");
    if (call) this.#answer = accumulator();
    if (call?.continuation !== undefined) this.#answer?.pushAll(openEvents(this.#begunAnswer()));
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
        return this.#stopped(taken);
      default:
        return taken;
    }
  }

  #stopped(abort: Extract<StepInput, { type: "abort" }>): StepInput {
    const stopped = { ...this.#soFar(), ...abort, answer: this.#answer?.messages ?? [] };
    if (this.#isAsked) giveUp(this.#asked ?? this.#task.model, this.state.answer, this.report);
    return stopped;
  }

  get #isAsked(): boolean {
    return this.state.phase === "model" && !this.state.parked;
  }

  /** What is known of the answer under way, with what its host has told of tokens, and of agents inside of tools. */
  #soFar(): Pick<Extract<StepInput, { type: "abort" }>, "answer" | "usage" | "spent"> {
    const usage = this.#isAsked ? this.#usageSoFar?.() : undefined;
    return { answer: this.#answer?.messages ?? [], ...(usage && { usage }), spent: this.#running.spent };
  }

  #ended({ conversationId, ...over }: Extract<Taken, { type: "model-over" }>): StepInput {
    const answer = this.#answer?.end() ?? [];
    const { history, from } = this.#task;
    const known = history.length + from.answers.length + from.input.length + this.messages.length;
    const { provider } = this.report.answeredBy ?? this.#task.model;
    const served = keptAfter(this.state.served, { id: conversationId, provider, known });
    return { ...over, type: "model-end", answer, ...(served && { served }) };
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

  // operations

  #now(): string {
    return this.#task.now().toISOString();
  }

  readonly #leave = (error: unknown): void => this.#inbox.interrupt({ type: "left", error });

  /** Tells the loop what came of an operation, or that the run was stopped in it. */
  #told(input: Taken, { outcome, isKept }: Done<Outcome>): Promise<void> {
    const at = outcome.at === undefined ? {} : { at: outcome.at };
    return this.#inbox.put({ ...(isKept && outcome.stopped ? { type: "abort", answer: [] } : input), ...at });
  }

  /** Answered calls have results before any operation: their time is kept too. */
  async #go(): Promise<void> {
    const { phase, calls } = this.state;
    if (!this.#task.operations || phase !== "start" || calls.length === 0) return this.#inbox.put({ type: "go" });
    return this.#told({ type: "go" }, await this.#once.do("go", async () => ({})));
  }

  // the model

  /** What there is of the answer that is gone on with. */
  #begunAnswer(): readonly Message[] {
    const { answer } = this.state;
    return answer ? this.#transcript.messages.slice(answer.message, answer.message + answer.count) : [];
  }

  async #callModel(effect: Extract<Effect, { readonly type: "call-model" }>): Promise<void> {
    const { operation, attempt } = effect;
    const { fallbacks: earlier } = this.report;
    this.report = earlier ? { fallbacks: earlier } : {};
    this.#usageSoFar = undefined;
    this.lost = {};
    const done = await this.#once.do(operation, () => this.#answered(effect));
    const { outcome, isKept } = done;
    if (isKept) {
      this.report = outcome.report;
      this.lost = outcome.lost;
      this.issues = outcome.issues;
      this.#usageSoFar = () => outcome.usage;
      for (const batch of keptEvents(outcome)) {
        await this.#inbox.put({ type: "model-events", operation, attempt, ...batch });
      }
    }
    const { error, report } = outcome;
    const conversationId = report.conversationId === undefined ? {} : { conversationId: report.conversationId };
    const continuation = whereabouts(report, this.#task.model);
    const failed = report.fallbacks?.slice(earlier?.length ?? 0) ?? [];
    const answeredBy = report.answeredBy && { answeredBy: report.answeredBy.model };
    const told = { ...conversationId, ...continuation, ...answeredBy };
    const facts = { ...(error && { error }), ...(failed.length > 0 && { failed }), ...told };
    await this.#told({ type: "model-over", operation, attempt, ...facts }, done);
  }

  /** Asks the model and tells what comes of it as it comes. */
  async #answered(effect: Extract<Effect, { type: "call-model" }>): Promise<ModelOutcome> {
    const { operation, attempt } = effect;
    const known = effect.continuation === undefined ? undefined : this.#begunAnswer();
    const goOn = known && continuing(known);
    const record = this.#task.operations && new AnswerRecord(known ?? []);
    let error: RunError | undefined;
    try {
      for await (const batch of await this.#ask(effect)) {
        const told = checkedBatch(batch);
        const events = withMadeIds(goOn && this.report.goesOn ? goOn(told) : told, this.state);
        const failed = events.find(event => event.type === "error");
        if (failed) error = runError(failed.error);
        const at = record ? { at: this.#now() } : {};
        record?.push(events, at.at ?? "");
        const facts = { ...whereabouts(this.report, this.#task.model), ...at, isTold: this.report.told === true };
        await this.#inbox.put({ type: "model-events", operation, attempt, events, ...facts });
        if (error || this.#stop.signal.aborted) break;
      }
    } catch (thrown) {
      error = thrownError(thrown);
    }
    const usage = this.#stop.signal.aborted ? this.#usageSoFar?.() : undefined;
    record?.stopped(usage);
    const { raw: _, ...report } = this.report;
    const { answer, begun } = record?.end() ?? { answer: [], begun: [] };
    const { lost, issues } = this;
    return { answer, begun, ...(error && { error }), ...(usage && { usage }), report, lost, issues };
  }

  async #ask(effect: Extract<Effect, { type: "call-model" }>): Promise<AsyncIterable<readonly Event[]>> {
    const { agent, session, middleware } = this.#task;
    const { run, step } = this.state;
    const messages = this.#sessionNow();
    const model = await stepModel(this.#task, this.state, messages);
    const served = servedBy(this.state.served, model);
    const tools = effect.tools ? (await this.#tools()).offered : undefined;
    const given = { all: messages(), tools, served, isKnown: effect.continuation !== undefined };
    let reading: Reading;
    const read = async (by: Model): Promise<Reading> => {
      reading = await this.#reader.read({ ...this.#task, model: by }, this.state, given);
      this.lost = toldRepairs(reading.mended);
      return reading;
    };
    reading = await read(model);
    const request: ModelRequest = {
      ...requestOf(this.#task, this.state, { reading, served, effect, signal: this.#stop.signal }),
      report: ({ losses, changes = [], requestIssues = [], issues = [], usageSoFar, ...facts }) => {
        this.#usageSoFar = usageSoFar ?? this.#usageSoFar;
        const fallbacks = [...(this.report.fallbacks ?? []), ...(facts.fallbacks ?? [])];
        this.report = { ...this.report, ...facts, ...(fallbacks.length > 0 && { fallbacks }) };
        this.issues = toldIssues(this.issues, [...requestIssues.map(issue => homed(issue, reading)), ...issues]);
        if (losses) this.lost = lostOf(reading, { losses, changes }, this.agentId);
      },
    };
    const call = aroundModel(middleware, ({ model: asked, request }) => {
      checkReader(asked, model, request);
      checkHolder(asked, request);
      this.#asked = asked;
      const ask = (changed: ModelRequest): AsyncIterable<readonly Event[]> =>
        asked === this.#task.model ? streamOf(asked, changed) : answeredBy(asked, changed);
      return asked === model ? ask(request) : askedInstead(asked, request, { reading, again: () => read(asked) }, ask);
    });
    return call({ agent, session, run, step, model, request });
  }

  /** All that is said in the session by now, put together where somebody asks for it. */
  #sessionNow(): () => readonly Message[] {
    const { messages } = this;
    const { answer, phase } = this.state;
    const { history, from } = this.#task;
    let all: readonly Message[] | undefined;
    return () => {
      const finished = answer && phase === "model" ? messages.slice(0, answer.message) : messages;
      all ??= linked(behindHistory(history, { ...from, messages: finished }));
      return all;
    };
  }

  // tools

  /** Whoever gives them may fail where a model is about to be asked; of the calls made since, those known before are run. */
  async #tools(): Promise<Toolset> {
    this.#toolset = await this.#task.tools();
    return this.#toolset;
  }

  async #plan({ calls }: Extract<Effect, { readonly type: "plan" }>): Promise<void> {
    const done = await this.#once.do<PlanOutcome>(`plan-${this.state.step}`, async () => ({
      verdicts: await planCalls(calls, await this.#bench()),
    }));
    await this.#told({ type: "planned", verdicts: done.outcome.verdicts }, done);
  }

  async #runTool(effect: Extract<Effect, { readonly type: "run-tool" }>): Promise<void> {
    const { operation, attempt } = effect;
    const of = { operation, attempt };
    const running = this.#running.of(effect.index, this.state);
    const done = await this.#once.do<ToolOutcome>(operation, async (begun, operations) =>
      runTool(
        { ...effect, attempt: attempt + begun - 1 },
        { ...(await this.#bench()), ...running, ...(operations && { operations }) },
        shown => this.#inbox.putLatest(operation, { type: "tool-progress", ...of, result: shown }),
      ),
    );
    const { at: _, stopped: __, state: ___, ...given } = done.outcome;
    if (done.isKept && given.spent) running.spends(() => given.spent ?? []);
    await this.#told({ type: "tool-end", ...of, ...given }, done);
    this.#running.end(effect.index);
  }

  async #bench(): Promise<ToolBench> {
    const { agent, session, middleware, unknownTools, toolErrors, autoApprovals, rulesOf } = this.#task;
    const { additionalProperties, sleep } = this.#task;
    const { run, step } = this.state;
    const all = this.#sessionNow();
    const messages = () => shownIn(session, all());
    const { known } = await this.#tools().catch(() => this.#toolset);
    return {
      tools: known,
      unknownTools,
      toolErrors,
      autoApprovals,
      rulesOf,
      wrap: (call, execute) => aroundTool(middleware, call, execute),
      ...{ agent, session, run, step, messages, additionalProperties, signal: this.#stop.signal, sleep },
    };
  }
}
