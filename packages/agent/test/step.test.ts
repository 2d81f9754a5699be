import { accumulate, accumulator, type Event, type Message } from "translogue";
import { describe, expect, test } from "vitest";
import { toolResult } from "../src/loop/results.ts";
import type { Effect, RunState, StepInput } from "../src/loop/state.ts";
import { step } from "../src/loop/step.ts";
import { collected, scripted, type Turn } from "./scripted-model.ts";

const now = "2026-11-30T08:00:00.000Z";
const first: RunState = {
  version: 1,
  run: "r1",
  phase: "start",
  author: { id: "ada", kind: "agent" },
  model: { id: "script-1", provider: "test" },
  policy: { maxSteps: 9, maxConsecutiveErrors: 3, finalAnswer: false, toolExecution: "parallel", mixed: "run" },
  next: 0,
  made: 0,
  step: 0,
  calls: [],
  errors: 0,
};

const turns: readonly Turn[] = [
  {
    text: "Two things.",
    calls: [
      ["c1", "look", {}],
      ["c2", "fail", {}],
    ],
  },
  { reasoning: "Now the last.", calls: [["c3", "look", {}], ["c4", "ask", {}]] }, // biome-ignore format: one answer
];

function deepFrozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) for (const member of Object.values(value)) deepFrozen(member);
  return Object.freeze(value);
}

/** What an engine does that keeps nothing but the state as JSON and the events. */
class Engine {
  state: RunState;
  readonly events: Event[] = [];
  /** Of each operation, the attempts that were begun, and those that came to their end. */
  readonly begun: string[] = [];
  readonly ended: string[] = [];
  readonly queue: StepInput[] = [{ type: "go" }];
  inputs = 0;
  #answer = accumulator();

  constructor(state: RunState = first) {
    this.state = state;
  }

  /** Takes the next input. */
  async take(): Promise<void> {
    const input = this.queue.shift();
    if (!input) return;
    this.inputs++;
    const given = deepFrozen(JSON.parse(JSON.stringify(this.state)) as RunState); // the same JSON
    if (input.type === "model-events") this.#answer.pushAll(input.events);
    const full = input.type === "model-end" ? { ...input, answer: this.#answer.end() } : input;
    const { state, events, effects } = step(given, deepFrozen(full), now);
    expect(step(given, full, now)).toEqual({ state, events, effects });
    this.state = state;
    this.events.push(...events);
    if (input.type === "tool-end" || input.type === "model-end") this.ended.push(input.operation);
    for (const effect of effects) await this.#start(effect);
  }

  async run(): Promise<readonly Message[]> {
    while (this.queue.length > 0) await this.take();
    return accumulate(this.events);
  }

  /** Everything that is not in the state is lost. */
  crash(): StepInput[] {
    const lost = this.queue.splice(0);
    this.queue.push({ type: "go" });
    return lost;
  }

  async #start(effect: Effect): Promise<void> {
    if (effect.type === "plan") {
      const verdicts = effect.calls.map(({ call }) => ({
        verdict: call.name === "ask" ? ("ask" as const) : ("run" as const),
      }));
      this.queue.push({ type: "planned", verdicts });
      return;
    }
    const { operation, attempt } = effect;
    expect(this.ended, "an operation that has ended is not begun again").not.toContain(operation);
    this.begun.push(`${operation}#${attempt}`);
    if (effect.type === "call-model") {
      this.#answer = accumulator();
      const batches = await collected(
        scripted([turns[this.state.step - 1] ?? {}]).stream({ conversation: { messages: [] } }),
      );
      for (const events of batches) this.queue.push({ type: "model-events", operation, attempt, events });
      this.queue.push({ type: "model-end", operation, attempt, answer: [] });
      return;
    }
    const { call } = effect;
    const failed = call.name === "fail";
    const result = toolResult(call, {
      output: [{ type: "text", text: call.callId }],
      ...(failed && { outcome: "error" }),
    });
    this.queue.push(
      { type: "tool-progress", operation, attempt, result },
      { type: "tool-end", operation, attempt, result, failed },
    );
  }
}

describe("the step machine", () => {
  test("lives on its state as JSON alone, is pure, and says what a run says", async () => {
    const engine = new Engine();
    const messages = await engine.run();
    expect(messages.map(({ role, id, parts }) => [role, id, parts.map(({ type }) => type).join(" ")])).toEqual([
      ["assistant", "r1", "text tool-call tool-call"],
      ["tool", "r1:1", "tool-result tool-result"],
      ["assistant", "r1:2", "reasoning tool-call tool-call approval-request"],
      ["tool", "r1:3", "tool-result"],
    ]);
    expect(engine.begun).toEqual(["model-1#1", "tool-1.0#1", "tool-1.1#1", "model-2#1", "tool-2.0#1"]);
    expect(engine.state).toMatchObject({ phase: "done", finish: { reason: "tool-calls" }, errors: 0 });
  });

  test("stopped after any input, goes on with new attempts of what had not ended, and its events still make the same messages", async () => {
    const whole = new Engine();
    const expected = await whole.run();
    for (let stop = 0; stop < whole.inputs; stop++) {
      const engine = new Engine();
      for (let count = 0; count < stop; count++) await engine.take();
      engine.crash();
      expect(await engine.run(), `stopped after input ${stop}`).toEqual(expected);
      expect(new Set(engine.begun).size).toBe(engine.begun.length);
    }
  });

  test("takes nothing from an attempt that was given up, however late it comes", async () => {
    const whole = new Engine();
    const expected = await whole.run();
    for (let stop = 1; stop < whole.inputs; stop++) {
      const engine = new Engine();
      for (let count = 0; count < stop; count++) await engine.take();
      const late = engine.crash().filter(input => "attempt" in input);
      await engine.take();
      // Its engine would never give these: the machine alone must know them.
      for (const input of late) expect(step(engine.state, input, now).events, `stopped after ${stop}`).toEqual([]);
      expect(await engine.run()).toEqual(expected);
    }
  });

  test("says no more once it is done, whatever comes", async () => {
    const engine = new Engine();
    await engine.run();
    const inputs: StepInput[] = [
      { type: "go" },
      { type: "abort", answer: [] },
      { type: "planned", verdicts: [] },
      { type: "model-end", operation: "model-2", attempt: 1, answer: [] },
    ];
    for (const input of inputs)
      expect(step(engine.state, input, now)).toEqual({ state: engine.state, events: [], effects: [] });
  });

  test("stopped for good at any input, gives every call a result", async () => {
    const whole = new Engine();
    await whole.run();
    for (let stop = 0; stop < whole.inputs; stop++) {
      const engine = new Engine();
      for (let count = 0; count < stop; count++) await engine.take();
      const answer =
        engine.state.phase === "model" && engine.state.answer
          ? accumulate(engine.events).slice(engine.state.answer.message)
          : [];
      engine.queue.splice(0, Number.POSITIVE_INFINITY, { type: "abort", answer });
      const messages = await engine.run();
      const all = messages.flatMap(({ parts }) => parts);
      const calls = all.filter(part => part.type === "tool-call").map(({ callId }) => callId);
      const results = all.filter(part => part.type === "tool-result").map(({ callId }) => callId);
      expect(results.sort(), `stopped after input ${stop}`).toEqual(calls.sort());
      expect(engine.state.finish?.reason).toBe("aborted");
    }
  });
});
