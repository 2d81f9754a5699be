import type { JsonObject, Message, Settings, Tool } from "translogue";
import type { Agent } from "../agent.ts";
import type { AutoApproval } from "../approval-rules.ts";
import type { Operations } from "../engine.ts";
import type { Middleware } from "../middleware.ts";
import type { Model } from "../model.ts";
import type { PromptCache } from "../models/cache-marks.ts";
import type { RunChain } from "../run-chain.ts";
import type { AgentSession } from "../session.ts";
import type { Sleep } from "../time.ts";
import type { ToolErrors, UnknownTools } from "../tools/execute.ts";
import type { Toolset } from "../tools/toolset.ts";
import type { Compaction } from "./compaction.ts";
import type { RunSnapshot } from "./state.ts";
import type { StepModel } from "./step-model.ts";

/** A run and all that its effects need. */
export interface RunTask {
  readonly agent: Agent;
  readonly session: AgentSession;
  readonly model: Model;
  readonly modelFor: StepModel | undefined;
  readonly tools: () => Toolset | Promise<Toolset>;
  readonly hostedTools: readonly Tool[];
  readonly unknownTools: UnknownTools;
  readonly toolErrors: ToolErrors;
  readonly autoApprovals: readonly AutoApproval[];
  /** What standing rules name the agent by. */
  readonly rulesOf: string | undefined;
  readonly middleware: readonly Middleware[];
  readonly instructions: string | undefined;
  readonly settings: Settings;
  readonly additionalProperties: JsonObject;
  readonly signal: AbortSignal | undefined;
  readonly stopSignal: AbortSignal | undefined;
  readonly now: () => Date;
  readonly sleep: Sleep;
  /** Models may go on in the background. */
  readonly background: boolean;
  /** Whoever runs it reads it once it is over. */
  readonly polls: boolean;
  /** The reader has seen what there is of the run. */
  readonly isSeen: boolean;
  readonly promptCache: PromptCache | undefined;
  /** How long the run may take, beside the time of all that it is one of. */
  readonly timeoutMs: number | undefined;
  readonly chain: RunChain | undefined;
  readonly view: ((messages: readonly Message[]) => readonly Message[]) | undefined;
  readonly compaction: Compaction | undefined;
  /** Keeps what is done; without it nothing is kept. */
  readonly operations: Operations | undefined;
  /** The session before the run. */
  readonly history: readonly Message[];
  /** Where the run begins, or goes on. */
  readonly from: RunSnapshot;
}
