import type { Event, Message } from "translogue";
import type { RunError } from "../errors.ts";
import type { Finish } from "../response.ts";
import { callsOf, isFiltered, isPaused, missingEnd, openCalls, whole } from "./answer.ts";
import { askEvents, resumedOf } from "./asks.ts";
import {
  givenCall,
  handOffEvents,
  isOver,
  isRebuilt,
  judged,
  nextLeader,
  rebuiltCalls,
  requestEvents,
  rewrites,
} from "./calls.ts";
import { refusedBy } from "./compaction.ts";
import { reached, withinLimits } from "./limits.ts";
import { RunMachine } from "./machine.ts";
import { asksAgain, finishEvent, isSilent, loopHead, markedStep, runEvents, silenced } from "./messages.ts";
import { movedOn } from "./open-answer.ts";
import { isOverflow, overflowed } from "./overflow.ts";
import { noted } from "./repeats.ts";
import { filtered, interrupted, skipped, withoutTools } from "./results.ts";
import { settled } from "./settled.ts";
import {
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

class Machine extends RunMachine {
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
      case "park":
        this.#park();
        break;
      case "stop":
        this.set({ stopping: true });
        break;
      case "abort":
        this.#abort(input);
        break;
    }
  }

  #go(): void {
    const { phase, calls, answer } = this.state;
    if (phase === "start") {
      if (calls.some(({ status }) => status === "ready") || nextLeader(calls) !== undefined) this.#openTools();
      else if (calls.length > 0 || this.state.step > 0) this.#settle();
      else this.#callModel();
    } else if (phase === "model" && answer?.continuation !== undefined) {
      this.#askModel({ ...answer, attempt: answer.attempt + 1 });
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
    this.set({ step });
    const operation = operationOfModel(step);
    this.#askModel({ operation, attempt: 1, message: this.state.next, count: 0, lastPart: -1, callsAt: [] });
  }

  #askModel(answer: OpenAnswer): void {
    const { operation, attempt, continuation } = answer;
    const { results: _, resumed: __, ...rest } = this.state;
    this.state = { ...rest, phase: "model", calls: [], answer };
    const tools = this.state.limit === undefined;
    this.effects.push({
      type: "call-model",
      operation,
      attempt,
      tools,
      ...(continuation !== undefined && { continuation }),
    });
  }

  #modelEvents(input: Extract<StepInput, { type: "model-events" }>): void {
    const { answer } = this.state;
    if (!answer || !this.isCurrent(answer, input)) return;
    const told = runEvents(this.state, answer, { events: input.events, now: this.now });
    this.events.push(...told.events);
    const next = movedOn(told.answer, input);
    if (next !== answer) this.set({ answer: next });
  }

  #park(error?: RunError): void {
    const finish: Finish = error ? { reason: "error" } : { reason: "pause", raw: "background" };
    this.set({ parked: true, finish, ...(error && { error }) });
  }

  #modelEnd(input: Extract<StepInput, { type: "model-end" }>): void {
    const { answer } = this.state;
    if (!answer || this.state.phase !== "model" || !this.isCurrent(answer, input)) return;
    const error = input.error ?? missingEnd(input.answer);
    const open = movedOn(answer, input);
    if (open.continuation !== undefined) {
      this.set({ answer: open });
      this.#park(input.error);
      return;
    }
    if (!error) this.serve(input.served);
    this.spend(input.answer, input);
    const calls = whole(callsOf(input.answer, answer), input.answer);
    if (error && isOverflow(error)) this.#overflow(answer, input.answer, error);
    else if (error) this.#fail(answer, input.answer, error);
    else if (calls.length === 0) this.#answered(answer, input.answer);
    else if (this.state.limit || isFiltered(input.answer)) {
      this.#answered(answer, input.answer);
      this.close(openCalls(input.answer), this.state.limit ? withoutTools : filtered);
    } else {
      this.set({ phase: "plan", calls });
      this.effects.push({ type: "plan", calls });
    }
  }

  /** A history that is too long is compacted and asked about once more, never twice in a run. */
  #overflow(answer: OpenAnswer, messages: readonly Message[], error: RunError): void {
    const { compacted, policy } = this.state;
    if (compacted || !policy.compacts || answer.count > 0) {
      this.#fail(answer, messages, overflowed(error));
      return;
    }
    this.set({ compacted: refusedBy(error) });
    this.#askModel({ ...answer, operation: `${answer.operation}.compacted`, attempt: 1 });
  }

  #answered(answer: OpenAnswer, messages: readonly Message[]): void {
    if (isPaused(messages) && !this.state.limit) {
      this.countAnswer(answer);
      this.#settle();
      return;
    }
    if (this.#asksAgain(answer, messages)) return;
    const { reason, ...raw } = messages.at(-1)?.finish ?? { reason: "stop" as const };
    // A model that says `tool-calls` and calls nothing has answered all the same.
    const finish: Finish = { ...raw, reason: reason === "tool-calls" ? "stop" : reason };
    if (isSilent(messages)) this.events.push(...silenced(answer, finish));
    this.endAnswer(answer);
    this.done(this.state.limit ? { reason: "other", raw: this.state.limit } : finish);
  }

  /** An answer of nothing, or of thoughts alone, is for people; the same is asked once more. */
  #asksAgain(answer: OpenAnswer, messages: readonly Message[]): boolean {
    if (!asksAgain(this.state, messages)) return false;
    const finish = messages.at(-1)?.finish ?? { reason: "stop" };
    this.events.push(...silenced(answer, finish));
    this.endAnswer(answer);
    this.set({ asked: true });
    this.#callModel();
    return true;
  }

  /** What came stands, and says that it failed; its calls get results, so that the history can go on. */
  #fail(answer: OpenAnswer, messages: readonly Message[], error: RunError): void {
    const open = answer.count === 0 ? this.#startEmpty(answer) : answer;
    if (isSilent(messages)) this.events.push(...silenced(open, { reason: "error" }));
    const { details: _, ...told } = error;
    this.events.push({ type: "error", error: told });
    this.endAnswer(open);
    this.close(openCalls(messages), interrupted);
    this.set({ error });
    this.done({ reason: "error" });
  }

  /** A failure before the first event needs a message to stand in. */
  #startEmpty(answer: OpenAnswer): OpenAnswer {
    const head = { role: "assistant" } as const;
    const events: Event[] = [{ type: "message-start", message: 0, head }];
    const told = runEvents(this.state, answer, { events, now: this.now });
    this.events.push(...told.events);
    return told.answer;
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
    const { calls, spent, isOver } = withinLimits(this.state, judged(this.state, verdicts));
    this.events.push(...rewrites(planned, calls));
    const isLoop = this.state.policy.repeats?.action === "stop" && calls.some(({ repeated }) => repeated);
    this.set({ calls, spent, ...(isOver && { limit: "max-tool-calls" }), ...(isLoop && { limit: "max-repeats" }) });
    this.countAnswer(answer);
    // Requests come out once they can be answered: when all that runs has run. Until then their message stays open.
    if (!calls.some(({ status }) => status === "waiting")) this.closeAnswer();
    if (calls.some(({ status }) => status === "ready")) this.#openTools();
    else this.#settle();
  }

  #failUnknown(answer: OpenAnswer, { call }: StepCall): void {
    const error: RunError = {
      code: "tool/unknown",
      message: `the model called \`${call.name}\`, and no tool has this name`,
    };
    this.events.push({ type: "error", error });
    this.endAnswer(answer);
    this.close(
      this.state.calls.map(each => each.call),
      skipped,
    );
    this.set({ error });
    this.done({ reason: "error" });
  }

  #openTools(): void {
    const rebuilt = this.#rebuild();
    const head = loopHead(this.state, "tool", { after: rebuilt, now: this.now });
    const message = this.state.next + rebuilt;
    this.events.push({ type: "message-start", message, head });
    const own = this.state.phase === "start" && this.state.resumed ? 0 : 1 + rebuilt;
    this.set({ phase: "tools", next: message + 1, made: this.state.made + own, results: { message, parts: [] } });
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
    this.events.push(...rebuiltCalls(calls, loopHead(this.state, "assistant", { after: 0, now: this.now }), next));
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
    this.setCall(index, { status: "running", attempt });
    const operation = operationOfTool(this.state.step, entry);
    const resumed = resumedOf(entry);
    const { call, cleared } = entry;
    const how = { ...(cleared && { cleared }), ...(resumed && { resumed }) };
    this.effects.push({ type: "run-tool", operation, attempt, index, call, ...how });
  }

  #running(input: { readonly operation: string; readonly attempt: number }): StepCall | undefined {
    const { calls, step } = this.state;
    return calls.find(
      call =>
        call.status === "running" && call.attempt === input.attempt && operationOfTool(step, call) === input.operation,
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
    for (const tree of input.spent ?? []) this.spendInside(call, tree);
    if (input.suspended) this.suspend(call, input.suspended, input.spent);
    else this.#give(call.index, input);
    if (this.state.policy.repeats && !input.suspended)
      this.set({ repeats: noted(this.state.repeats, call.call, input.result) });
    const rest = isOver(this.state, call.index) ? this.state.calls.filter(({ status }) => status === "ready") : [];
    for (const left of rest) this.#give(left.index, { result: skipped(left.call), failed: false });
    this.#startReady();
    this.#closeTools();
  }

  /** Results stand in the order of their calls, in whichever they come. */
  #give(index: number, given: GivenResult): void {
    const { results, calls } = this.state;
    if (!results) return;
    this.events.push({ type: "part", message: results.message, part: index, value: given.result });
    this.set({ calls: calls.map(call => (call.index === index ? givenCall(call, given) : call)) });
    this.set({ results: { ...results, parts: [...results.parts, index].sort((a, b) => a - b) } });
  }

  #closeTools(): void {
    const { calls, results } = this.state;
    if (calls.some(({ status }) => status === "running" || status === "ready")) return;
    if (results) {
      this.events.push(...askEvents(calls, results.message), ...handOffEvents(calls, results.message));
      this.events.push({ type: "message-end", message: results.message });
    }
    const errors = calls.some(({ failed }) => failed) ? this.state.errors + 1 : 0;
    this.set({ errors });
    this.#settle();
  }

  /** All that can run has run: wait, stop, or ask the model again. */
  #settle(): void {
    const { answer, calls } = this.state;
    if (answer) this.events.push(...requestEvents(answer, calls));
    this.closeAnswer();
    const next = settled(this.state, reached(this.state));
    if ("finish" in next) this.done(next.finish);
    else if ("stopAt" in next) this.#stopAt(next.stopAt);
    else {
      if (next.ask === "last") this.set({ limit: next.limit });
      this.#callModel();
    }
  }

  #stopAt(limit: NonNullable<RunState["limit"]>): void {
    this.set({ limit });
    this.done({ reason: "other", raw: limit });
  }

  // the end

  /** At once, whatever is under way: it is told to stop, and what it still gives is ignored. */
  #abort({ answer: messages, limit, ...spent }: Extract<StepInput, { readonly type: "abort" }>): void {
    const { answer, phase, calls, results } = this.state;
    const finish: Finish = { reason: "aborted" };
    if (limit) this.set({ limit });
    this.spendStopped(spent);
    if (phase === "tools" && results) this.events.push(...markedStep(results.message, finish));
    else if (phase === "model" && answer?.count === 0) this.events.push(...markedStep(answer.message - 1, finish));
    if ((phase === "model" || phase === "plan") && answer && answer.count > 0) {
      const isForPeople = phase === "model" && isSilent(messages);
      this.events.push(...(isForPeople ? silenced(answer, finish) : [finishEvent(answer, finish)]));
      this.endAnswer(answer);
    }
    if (phase === "model") this.close(openCalls(messages), interrupted);
    else if (results && phase === "tools") {
      for (const call of calls)
        if (call.status !== "done") this.#give(call.index, { result: interrupted(call.call), failed: false });
      this.events.push(...handOffEvents(this.state.calls, results.message));
      this.events.push({ type: "message-end", message: results.message });
      this.closeAnswer();
    } else this.#closeOpen();
    this.done(limit ? { reason: "other", raw: limit } : finish);
  }

  /** Calls that have not begun: those that were answered with a result have it already, others what was decided. */
  #closeOpen(): void {
    const { calls } = this.state;
    const open = new Map(calls.flatMap(({ status, call, result }) => (status === "done" ? [] : [[call, result]])));
    this.close([...open.keys()], call => open.get(call) ?? interrupted(call));
    this.set({ calls: calls.map(call => ({ ...call, status: "done" })) });
  }
}
