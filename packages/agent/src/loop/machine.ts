import type { Event, Message, ToolCallPart, ToolResultPart, Usage } from "translogue";
import type { Finish } from "../response.ts";
import { isSameRun, plusUsage, spentSince, type UsageTree } from "../spending.ts";
import { sumUsage } from "../usage.ts";
import { prefixed, type Suspension } from "./asks.ts";
import { counting, spentInside, spentWith } from "./limits.ts";
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
    const prices = counting(this.state.policy).prices;
    const name = answer.findLast(message => message.model !== undefined)?.model ?? answeredBy;
    const inVain = failed.reduce((spent, each) => spentWith(spent, each.usage, prices?.[each.model]), this.state.spent);
    this.set({ spent: spentWith(inVain, sumUsage(answer), prices?.[name] ?? prices?.[answeredBy]) });
  }

  /** What an answer and agents inside of tools had spent by then. */
  protected spendStopped({ usage, spent = [] }: Pick<Extract<StepInput, { type: "abort" }>, "usage" | "spent">): void {
    for (const { index, trees } of spent) {
      const call = this.state.calls.find(each => each.index === index && each.status === "running");
      if (call) for (const tree of trees) this.spendInside(call, tree);
    }
    if (usage) this.#spendAnswer(usage);
  }

  /** One that had said nothing leaves no message: what it spent is in the account alone. */
  #spendAnswer(usage: Usage): void {
    const { answer, earlier = {}, model } = this.state;
    if (answer && answer.count > 0) {
      this.events.push({ type: "message-set", message: answer.message + answer.count - 1, set: { usage } });
      return;
    }
    const all = plusUsage(earlier.usage, usage);
    const models = [...(earlier.models ?? []), { model: model.id, usage }];
    this.set({ earlier: { ...(all && { usage: all }), models } });
  }

  /** A call that goes on tells what it had told before too, here or in a run that waited: only what is new counts. */
  protected spendInside(call: StepCall, tree: UsageTree): void {
    const { inner = [], spent, policy } = this.state;
    const since = (told: readonly UsageTree[] = []): UsageTree => {
      const then = told.find(each => isSameRun(tree, each));
      return then ? spentSince(tree, then) : tree;
    };
    const others = inner.filter(each => each.callId !== tree.callId || !isSameRun(tree, each));
    this.set({
      inner: [...others, since(call.toldElsewhere)],
      spent: spentInside(spent, since(call.told), counting(policy)),
    });
  }

  /** Only an answer that came whole is in the provider's books; without an id the conversation is ours again. */
  protected serve(served: RunState["served"]): void {
    const { served: _, ...rest } = this.state;
    this.state = served ? { ...rest, served } : rest;
  }

  protected suspend(
    { index, resumptions = 0, told: before = [] }: StepCall,
    { asks, state }: Suspension,
    spent: readonly UsageTree[] = [],
  ): void {
    const suspended = { asks: prefixed(asks, this.state.run, `${this.state.step}.${index}`), state };
    const told = [...before.filter(then => !spent.some(now => isSameRun(now, then))), ...spent];
    const more = { resumptions: resumptions + 1, suspended, answers: [], ...(told.length > 0 && { told }) };
    this.setCall(index, { status: "waiting", attempt: 0, ...more });
  }
}
