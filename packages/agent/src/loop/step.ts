import type { Event, Message, ToolCallPart, ToolResultPart } from "translogue";
import type { RunError } from "../errors.ts";
import type { Finish } from "../response.ts";
import { callsOf, missingEnd, openCalls } from "./answer.ts";
import { isOver, isRebuilt, judged, rebuiltCalls, requestEvents, rewrites } from "./calls.ts";
import { asksAgain, endEvents, finishEvent, hidden, isBare, loopHead, runEvents } from "./messages.ts";
import { noted } from "./repeats.ts";
import { interrupted, skipped, withoutTools } from "./results.ts";
import { settled } from "./settled.ts";
import {
  type Effect,
  type GivenResult,
  type OpenAnswer,
  operationOfModel,
  operationOfTool,
  type RunState,
  type Step,
  type StepCall,
  type StepInput,
  type Verdict,
} from "./state.ts";

/**
 * The loop: `(state, input) → events, next state, effects`. Pure: the clock comes in, ids are made of the run's, and what
 * the effects give comes back as input. Whoever drives it (a run, a resumed one, a durable engine) does what the effects
 * say and may stop between any two inputs.
 */
export function step(state: RunState, input: StepInput, now: string): Step {
  const machine = new Machine(state, now);
  machine.take(input);
  return { state: machine.state, events: machine.events, effects: machine.effects };
}

class Machine {
  state: RunState;
  readonly events: Event[] = [];
  readonly effects: Effect[] = [];
  readonly #now: string;

  constructor(state: RunState, now: string) {
    this.state = state;
    this.#now = now;
  }

  take(input: StepInput): void {
    if (this.state.phase === "done") return;
    switch (input.type) {
      case "go":
        this.#go();
        break;
      case "model-events":
        this.#modelEvents(input);
        break;
      case "model-end":
        this.#modelEnd(input);
        break;
      case "planned":
        this.#planned(input.verdicts);
        break;
      case "tool-progress":
        this.#progress(input);
        break;
      case "tool-end":
        this.#toolEnd(input);
        break;
      case "stop":
        this.#set({ stopping: true });
        break;
      case "abort":
        this.#abort(input.answer);
        break;
    }
  }

  #go(): void {
    const { phase, calls, answer } = this.state;
    if (phase === "start") {
      if (calls.some(({ status }) => status === "ready")) this.#openTools();
      else if (calls.length > 0) this.#settle();
      else this.#callModel();
    } else if (phase === "model" && answer) {
      this.#askModel({ ...answer, attempt: answer.attempt + 1, count: 0, lastPart: -1, callsAt: [] });
    } else if (phase === "plan") this.effects.push({ type: "plan", calls });
    else {
      const running = calls.filter(({ status }) => status === "running");
      for (const { index } of running) this.#runTool(index);
    }
  }

  // the model call

  #callModel(): void {
    const step = this.state.step + 1;
    this.#set({ step });
    const operation = operationOfModel(step);
    this.#askModel({ operation, attempt: 1, message: this.state.next, count: 0, lastPart: -1, callsAt: [] });
  }

  #askModel(answer: OpenAnswer): void {
    const { operation, attempt } = answer;
    const { results: _, resumed: __, ...rest } = this.state;
    this.state = { ...rest, phase: "model", calls: [], answer };
    this.effects.push({ type: "call-model", operation, attempt, tools: this.state.limit === undefined });
  }

  #modelEvents(input: Extract<StepInput, { type: "model-events" }>): void {
    const { answer } = this.state;
    if (!answer || !this.#isCurrent(answer, input)) return;
    const told = runEvents(this.state, answer, { events: input.events, now: this.#now });
    this.events.push(...told.events);
    if (told.answer !== answer) this.#set({ answer: told.answer });
  }

  #modelEnd(input: Extract<StepInput, { type: "model-end" }>): void {
    const { answer } = this.state;
    if (!answer || this.state.phase !== "model" || !this.#isCurrent(answer, input)) return;
    const error = input.error ?? missingEnd(input.answer);
    if (!error) this.#serve(input.served);
    const calls = callsOf(input.answer, answer);
    if (error) this.#fail(answer, input.answer, error);
    else if (calls.length === 0) this.#answered(answer, input.answer);
    else if (this.state.limit) {
      this.#answered(answer, input.answer);
      this.#close(openCalls(input.answer), withoutTools);
    } else {
      this.#set({ phase: "plan", calls });
      this.effects.push({ type: "plan", calls });
    }
  }

  /** Only an answer that came whole is in the provider's books; without an id the conversation is ours again. */
  #serve(served: RunState["served"]): void {
    const { served: _, ...rest } = this.state;
    this.state = served ? { ...rest, served } : rest;
  }

  #answered(answer: OpenAnswer, messages: readonly Message[]): void {
    if (this.#asksAgain(answer, messages)) return;
    const { reason, ...raw } = messages.at(-1)?.finish ?? { reason: "stop" as const };
    // A model that says `tool-calls` and calls nothing has answered all the same.
    const finish: Finish = { ...raw, reason: reason === "tool-calls" ? "stop" : reason };
    if (isBare(messages)) this.events.push(finishEvent(answer, finish, { audience: "user" }));
    this.#endAnswer(answer);
    this.#done(this.state.limit ? { reason: "other", raw: this.state.limit } : finish);
  }

  /** An answer of nothing, or of thoughts alone, is for people; the same is asked once more. */
  #asksAgain(answer: OpenAnswer, messages: readonly Message[]): boolean {
    if (!asksAgain(this.state, messages)) return false;
    const finish = messages.at(-1)?.finish ?? { reason: "stop" };
    this.events.push(...hidden(answer), finishEvent(answer, finish));
    this.#endAnswer(answer);
    this.#set({ asked: true });
    this.#callModel();
    return true;
  }

  /** What came stands, and says that it failed; its calls get results, so that the history can go on. */
  #fail(answer: OpenAnswer, messages: readonly Message[], error: RunError): void {
    const open = answer.count === 0 ? this.#startEmpty(answer) : answer;
    if (isBare(messages)) this.events.push(finishEvent(open, { reason: "error" }, { audience: "user" }));
    const { details: _, ...told } = error;
    this.events.push({ type: "error", error: told });
    this.#endAnswer(open);
    this.#close(openCalls(messages), interrupted);
    this.#set({ error });
    this.#done({ reason: "error" });
  }

  /** A failure before the first event needs a message to stand in. */
  #startEmpty(answer: OpenAnswer): OpenAnswer {
    const head = { role: "assistant" } as const;
    const events: Event[] = [{ type: "message-start", message: 0, head }];
    const told = runEvents(this.state, answer, { events, now: this.#now });
    this.events.push(...told.events);
    return told.answer;
  }

  #endAnswer(answer: OpenAnswer): void {
    this.events.push(...endEvents(answer));
    this.#countAnswer(answer);
  }

  #countAnswer(answer: OpenAnswer): void {
    this.#set({ next: answer.message + answer.count, made: this.state.made + answer.count });
  }

  // the calls of the answer

  #planned(verdicts: readonly Verdict[]): void {
    const { answer, calls: planned } = this.state;
    if (this.state.phase !== "plan" || !answer) return;
    const unknown = planned.find(({ inRequest }, index) => !inRequest && verdicts[index]?.verdict === "fail");
    if (unknown) {
      this.#failUnknown(answer, unknown);
      return;
    }
    const calls = judged(this.state, verdicts);
    this.events.push(...rewrites(planned, calls));
    const isLoop = this.state.policy.repeats?.action === "stop" && calls.some(({ repeated }) => repeated);
    this.#set({ calls, ...(isLoop && { limit: "max-repeats" }) });
    this.#countAnswer(answer);
    // Requests come out once they can be answered: when all that runs has run. Until then their message stays open.
    if (!calls.some(({ status }) => status === "waiting")) this.#closeAnswer();
    if (calls.some(({ status }) => status === "ready")) this.#openTools();
    else this.#settle();
  }

  #failUnknown(answer: OpenAnswer, { call }: StepCall): void {
    const error: RunError = {
      code: "tool/unknown",
      message: `the model called \`${call.name}\`, and no tool has this name`,
    };
    this.events.push({ type: "error", error });
    this.#endAnswer(answer);
    this.#close(
      this.state.calls.map(each => each.call),
      skipped,
    );
    this.#set({ error });
    this.#done({ reason: "error" });
  }

  #closeAnswer(): void {
    const { answer, ...rest } = this.state;
    if (!answer) return;
    this.events.push(...endEvents(answer));
    this.state = rest;
  }

  #openTools(): void {
    const rebuilt = this.#rebuild();
    const head = loopHead(this.state, "tool", { after: rebuilt, now: this.#now });
    const message = this.state.next + rebuilt;
    this.events.push({ type: "message-start", message, head });
    const own = this.state.phase === "start" && this.state.resumed ? 0 : 1 + rebuilt;
    this.#set({ phase: "tools", next: message + 1, made: this.state.made + own, results: { message, parts: [] } });
    for (const { index, status, result } of this.state.calls) {
      if (status === "ready" && result) this.#give(index, { result, failed: false });
    }
    this.#startReady();
    this.#closeTools();
  }

  /** How many messages that makes. */
  #rebuild(): number {
    const { calls, next } = this.state;
    if (!calls.some(isRebuilt)) return 0;
    this.events.push(...rebuiltCalls(calls, loopHead(this.state, "assistant", { after: 0, now: this.#now }), next));
    return 1;
  }

  #startReady(): void {
    const { calls, policy } = this.state;
    const serial = policy.toolExecution === "serial";
    if (serial && calls.some(({ status }) => status === "running")) return;
    const ready = calls.filter(({ status }) => status === "ready");
    for (const { index } of serial ? ready.slice(0, 1) : ready) this.#runTool(index);
  }

  #runTool(index: number): void {
    const entry = this.state.calls[index];
    if (!entry) return;
    const attempt = entry.attempt + 1;
    this.#setCall(index, { status: "running", attempt });
    const operation = operationOfTool(this.state.step, index);
    this.effects.push({ type: "run-tool", operation, attempt, index, call: entry.call });
  }

  #running(input: { readonly operation: string; readonly attempt: number }): StepCall | undefined {
    const { calls, step } = this.state;
    return calls.find(
      call =>
        call.status === "running" &&
        call.attempt === input.attempt &&
        operationOfTool(step, call.index) === input.operation,
    );
  }

  #progress(input: Extract<StepInput, { type: "tool-progress" }>): void {
    const call = this.#running(input);
    const message = this.state.results?.message;
    if (!call || message === undefined) return;
    this.events.push({ type: "part", message, part: call.index, value: { ...input.result, preliminary: true } });
  }

  #toolEnd(input: Extract<StepInput, { type: "tool-end" }>): void {
    const call = this.#running(input);
    if (!call) return;
    this.#give(call.index, input);
    if (this.state.policy.repeats) this.#set({ repeats: noted(this.state.repeats, call.call, input.result) });
    const rest = isOver(this.state, call.index) ? this.state.calls.filter(({ status }) => status === "ready") : [];
    for (const left of rest) this.#give(left.index, { result: skipped(left.call), failed: false });
    this.#startReady();
    this.#closeTools();
  }

  /** Results stand in the order of their calls, in whichever they come. */
  #give(index: number, { result, failed, terminates }: GivenResult): void {
    const { results } = this.state;
    if (!results) return;
    this.events.push({ type: "part", message: results.message, part: index, value: result });
    this.#setCall(index, { status: "done", ...(failed && { failed }), ...(terminates && { terminates }) });
    this.#set({ results: { ...results, parts: [...results.parts, index].sort((a, b) => a - b) } });
  }

  #closeTools(): void {
    const { calls, results } = this.state;
    if (calls.some(({ status }) => status === "running" || status === "ready")) return;
    if (results) this.events.push({ type: "message-end", message: results.message });
    const errors = calls.some(({ failed }) => failed) ? this.state.errors + 1 : 0;
    this.#set({ errors });
    this.#settle();
  }

  /** All that can run has run: wait, stop, or ask the model again. */
  #settle(): void {
    const { answer, calls } = this.state;
    if (answer) this.events.push(...requestEvents(answer, calls));
    this.#closeAnswer();
    const next = settled(this.state);
    if ("finish" in next) this.#done(next.finish);
    else if ("stopAt" in next) this.#stopAt(next.stopAt);
    else {
      if (next.ask === "last") this.#set({ limit: "max-steps" });
      this.#callModel();
    }
  }

  #stopAt(limit: NonNullable<RunState["limit"]>): void {
    this.#set({ limit });
    this.#done({ reason: "other", raw: limit });
  }

  // the end

  /** At once, whatever is under way: it is told to stop, and what it still gives is ignored. */
  #abort(messages: readonly Message[]): void {
    const { answer, phase, calls, results } = this.state;
    const finish: Finish = { reason: "aborted" };
    if (phase === "tools" && results) this.#markStep(results.message, finish);
    else if (phase === "model" && answer?.count === 0) this.#markStep(answer.message - 1, finish);
    if ((phase === "model" || phase === "plan") && answer && answer.count > 0) {
      const isForPeople = phase === "model" && isBare(messages);
      this.events.push(finishEvent(answer, finish, isForPeople ? { audience: "user" } : {}));
      this.#endAnswer(answer);
    }
    if (phase === "model") this.#close(openCalls(messages), interrupted);
    else if (results && phase === "tools") {
      for (const call of calls)
        if (call.status !== "done") this.#give(call.index, { result: interrupted(call.call), failed: false });
      this.events.push({ type: "message-end", message: results.message });
      this.#closeAnswer();
    } else
      this.#close(
        calls.map(({ call }) => call),
        interrupted,
      );
    this.#done(finish);
  }

  /**
   * The results and the answer before them say that they were stopped: readers of a stream take what is said last, or what
   * the last answer says, for how the run ended.
   */
  #markStep(results: number, finish: Finish): void {
    for (const message of [results - 1, results]) {
      if (message >= 0) this.events.push({ type: "message-set", message, set: { finish } });
    }
  }

  /** A tool message that answers calls which nobody will run. */
  #close(calls: readonly ToolCallPart[], result: (call: ToolCallPart) => ToolResultPart): void {
    if (calls.length === 0) return;
    const message = this.state.next;
    const { state } = this;
    this.events.push({ type: "message-start", message, head: loopHead(state, "tool", { after: 0, now: this.#now }) });
    for (const [part, call] of calls.entries()) this.events.push({ type: "part", message, part, value: result(call) });
    this.events.push({ type: "message-end", message });
    this.#set({ next: message + 1, made: state.made + 1 });
  }

  #done(finish: Finish): void {
    const { answer: _, results: __, ...rest } = this.state;
    this.state = { ...rest, phase: "done", finish };
  }

  #isCurrent(answer: OpenAnswer, input: { readonly operation: string; readonly attempt: number }): boolean {
    return answer.operation === input.operation && answer.attempt === input.attempt;
  }

  #set(members: Partial<RunState>): void {
    this.state = { ...this.state, ...members };
  }

  #setCall(index: number, members: Partial<StepCall>): void {
    this.#set({ calls: this.state.calls.map(call => (call.index === index ? { ...call, ...members } : call)) });
  }
}
