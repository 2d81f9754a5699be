import type { Event, Message, ToolCallPart, ToolResultPart } from "translogue";
import type { Finish } from "../response.ts";
import type { UsageTree } from "../spending.ts";
import { sumUsage } from "../usage.ts";
import { prefixed, type Suspension } from "./asks.ts";
import { spentInside, spentWith } from "./limits.ts";
import { closingEvents, endEvents } from "./messages.ts";
import type { Effect, OpenAnswer, RunState, StepCall, StepInput } from "./state.ts";

type ModelEnd = Extract<StepInput, { type: "model-end" }>;

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

  protected spend(
    answer: readonly Message[],
    { failed = [], answeredBy = this.state.model.id }: Pick<ModelEnd, "failed" | "answeredBy">,
  ): void {
    const prices = this.state.policy.spending?.prices;
    const name = answer.findLast(message => message.model !== undefined)?.model ?? answeredBy;
    const inVain = failed.reduce((spent, each) => spentWith(spent, each.usage, prices?.[each.model]), this.state.spent);
    this.set({ spent: spentWith(inVain, sumUsage(answer), prices?.[name] ?? prices?.[answeredBy]) });
  }

  protected spendInside(tree: UsageTree): void {
    const { inner = [], spent, policy } = this.state;
    const before = inner.find(({ run, callId }) => run === tree.run && callId === tree.callId);
    const others = inner.filter(each => each !== before);
    this.set({ inner: [...others, tree], spent: spentInside(spent, { tree, before }, policy.spending?.prices) });
  }

  /** Only an answer that came whole is in the provider's books; without an id the conversation is ours again. */
  protected serve(served: RunState["served"]): void {
    const { served: _, ...rest } = this.state;
    this.state = served ? { ...rest, served } : rest;
  }

  protected suspend({ index, resumptions = 0, answers: _ }: StepCall, { asks, state }: Suspension): void {
    const suspended = { asks: prefixed(asks, this.state.run, `${this.state.step}.${index}`), state };
    this.setCall(index, { status: "waiting", attempt: 0, resumptions: resumptions + 1, suspended, answers: [] });
  }
}
