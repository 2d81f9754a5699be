import type { Json } from "translogue";
import type { UsageTree } from "../spending.ts";
import { leftFor } from "./limits.ts";
import type { RunState, StepInput } from "./state.ts";

type Spent = NonNullable<Extract<StepInput, { type: "abort" }>["spent"]>;

/** What calls that run now say of themselves, by their index: what they need to go on, and what agents inside of them have spent. */
export class RunningCalls {
  readonly keepers = new Map<number, () => Json>();
  readonly #spenders = new Map<number, () => readonly UsageTree[]>();

  /** `begun`: where the run stood when the call began; what ends meanwhile ends at another time when it is replayed. */
  of(index: number, begun: RunState) {
    return {
      left: () => leftFor(begun, index),
      keep: (state: () => Json): void => void this.keepers.set(index, state),
      spends: (spent: () => readonly UsageTree[]): void => void this.#spenders.set(index, spent),
    };
  }

  get spent(): Spent {
    return [...this.#spenders].map(([index, trees]) => ({ index, trees: trees() }));
  }

  end(index: number): void {
    this.keepers.delete(index);
    this.#spenders.delete(index);
  }
}
