import type { RunError } from "../errors.ts";
import type { FailedModel } from "../model.ts";
import type { StepInput } from "./state.ts";

/** `at`: the time that the loop goes by, where it is a kept one. `isTold`: whoever reads the run has its events already. */
export type Taken = { readonly at?: string; readonly isTold?: boolean } & (
  | StepInput
  | {
      readonly type: "model-over";
      readonly operation: string;
      readonly attempt: number;
      readonly error?: RunError;
      readonly failed?: readonly FailedModel[];
      readonly answeredBy?: string;
      readonly conversationId?: string;
      readonly continuation?: string | null;
      readonly provider?: string;
    }
  /** The engine keeps nothing more: the run is left as it stands there. */
  | { readonly type: "left"; readonly error: unknown }
);
