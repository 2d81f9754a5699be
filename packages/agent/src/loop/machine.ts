import type { Event, Message, ToolCallPart, ToolResultPart } from "translogue";
import type { Finish } from "../response.ts";
import type { UsageTree } from "../spending.ts";
import { sumUsage } from "../usage.ts";
import { prefixed, type Suspension } from "./asks.ts";
import { spentWith } from "./limits.ts";
import { closingEvents, endEvents } from "./messages.ts";
import type { Effect, OpenAnswer, RunState, StepCall } from "./state.ts";

/** What every step of the machine writes: its state, its events and effects, and what is always written together. */
export abstract class RunMachine {
  state: RunState;
  readonly events: Event[] = [];
  readonly effects: Effect[] = [];
  protected readonly now: string;

  constructor(state: RunState, now: string) {
    this.state = state;
    this.now = now;
  }

  /** A tool message that answers calls which nobody will run. */
  protected close(calls: readonly ToolCallPart[], result: (call: ToolCallPart) => ToolResultPart): void {
    if (calls.length === 0) return;
    this.events.push(...closingEvents(this.state, calls.map(result), this.now));
    this.set({ next: this.state.next + 1, made: this.state.made + 1 });
  }

  protected done(finish: Finish): void {
    const { answer: _, results: __, ...rest } = this.state;
    this.state = { ...rest, phase: "done", finish };
  }

  protected isCurrent(answer: OpenAnswer, input: { readonly operation: string; readonly attempt: number }): boolean {
    return answer.operation === input.operation && answer.attempt === input.attempt;
  }

  protected set(members: Partial<RunState>): void {
    this.state = { ...this.state, ...members };
  }

  protected setCall(index: number, members: Partial<StepCall>): void {
    this.set({ calls: this.state.calls.map(call => (call.index === index ? { ...call, ...members } : call)) });
  }

  protected endAnswer(answer: OpenAnswer): void {
    this.events.push(...endEvents(answer));
    this.countAnswer(answer);
  }

  protected countAnswer(answer: OpenAnswer): void {
    this.set({ next: answer.message + answer.count, made: this.state.made + answer.count });
  }

  protected closeAnswer(): void {
    const { answer, ...rest } = this.state;
    if (!answer) return;
    this.events.push(...endEvents(answer));
    this.state = rest;
  }

  protected spend(answer: readonly Message[]): void {
    const { policy, model, spent } = this.state;
    const name = answer.findLast(message => message.model !== undefined)?.model ?? model.id;
    const prices = policy.spending?.prices;
    this.set({ spent: spentWith(spent, sumUsage(answer), prices?.[name] ?? prices?.[model.id]) });
  }

  protected spendInside(tree: UsageTree): void {
    const { inner = [], spent } = this.state;
    this.set({ inner: [...inner, tree], spent: spentWith(spent, tree.total) });
  }

  /** Only an answer that came whole is in the provider's books; without an id the conversation is ours again. */
  protected serve(served: RunState["served"]): void {
    const { served: _, ...rest } = this.state;
    this.state = served ? { ...rest, served } : rest;
  }

  protected suspend({ index, resumptions = 0, answers: _ }: StepCall, { asks, state }: Suspension): void {
    const prefix = `${this.state.run}:approval-${this.state.step}.${index}`;
    const suspended = { asks: prefixed(asks, prefix), state };
    this.setCall(index, { status: "waiting", attempt: 0, resumptions: resumptions + 1, suspended, answers: [] });
  }
}
