import type { Event, Json, JsonObject, Message, Part, ToolCallPart, ToolResultPart, Usage } from "translogue";
import type { RunError } from "../errors.ts";
import type { FailedModel } from "../model.ts";
import type { Author, Finish } from "../response.ts";
import type { ModelUsage, UsageTree } from "../spending.ts";
import type { Resumed, Suspension } from "./asks.ts";
import type { Refused } from "./compaction.ts";
import type { SpendingLimits, Spent } from "./limits.ts";
import type { RepeatPolicy, Repeats } from "./repeats.ts";

/**
 * Where a run stands, as plain JSON. With the messages that came of its events so far (`RunSnapshot`) it is all that is
 * needed to go on, in this process or another.
 */
export interface RunState {
  readonly version: 1;
  /** Id of the run. A run that paused for an answer goes on under its id. */
  readonly run: string;
  readonly phase: "start" | "model" | "plan" | "tools" | "done";
  readonly author: Author;
  /** Of the agent's definition, where it has one. */
  readonly agentVersion?: string;
  readonly model: { readonly id: string; readonly provider: string; readonly metadata?: JsonObject };
  readonly policy: RunPolicy;
  /** Number of the next message. */
  readonly next: number;
  /** Messages made under this run's id, over all its pauses: the next one's id is made of it. */
  readonly made: number;
  /** The run that paused, where its calls are answered but another run goes on from there. */
  readonly resumed?: { readonly run: string; readonly made: number };
  /** Model calls begun, over all pauses. */
  readonly step: number;
  /** The model call under way, or whose calls are being planned. */
  readonly answer?: OpenAnswer;
  /** The tool calls of the step. */
  readonly calls: readonly StepCall[];
  /** The tool message that takes the results. `parts`: numbers of those it has, in order. */
  readonly results?: { readonly message: number; readonly parts: readonly number[] };
  /** Steps in a row in which a tool failed. */
  readonly errors: number;
  /** Where the provider keeps the conversation, and how many messages of the session it has there. */
  readonly served?: ServedConversation;
  /** The limit that ended, or ends, the run. */
  readonly limit?:
    | "max-steps"
    | "max-consecutive-errors"
    | "max-repeats"
    | "max-tokens"
    | "max-cost"
    | "max-tool-calls"
    | "max-time";
  /** What the limits count. */
  readonly spent?: Spent;
  /** Of agents inside the tools of this run. */
  readonly inner?: readonly UsageTree[];
  /** What the run spent before it paused. */
  readonly earlier?: Earlier;
  /** Runs before it that it is one with, and what they spent. */
  readonly before?: readonly UsageTree[];
  /** The model reads the history compacted: whole, it was too long. */
  readonly compacted?: Refused;
  /** The run ends with the step under way. */
  readonly stopping?: true;
  /** The model works on in the background: the run goes on with its answer when it is asked to. */
  readonly parked?: true;
  /** An answer without content was asked for again. */
  readonly asked?: true;
  /** Kept where the policy counts them. */
  readonly repeats?: Repeats;
  readonly finish?: Finish;
  readonly error?: RunError;
}

export interface ServedConversation {
  readonly id: string;
  /** Absent: whoever is asked next. */
  readonly provider?: string;
  /** Messages of the session, from its first, that need not be sent again. */
  readonly known: number;
}

export interface RunPolicy {
  readonly maxSteps: number;
  readonly maxConsecutiveErrors: number;
  /** At `max-steps` the model is asked once more, without tools. */
  readonly finalAnswer: boolean;
  readonly repeats?: RepeatPolicy;
  readonly spending?: SpendingLimits;
  /** Of a run inside of a tool: what is left to the run around it. */
  readonly left?: SpendingLimits;
  /** A history that is too long for the model is compacted, and the model asked once more. */
  readonly compacts?: true;
  /** An answer without content is taken as it is, or asked for once more. */
  readonly emptyAnswer?: "accept" | "retry";
  readonly toolExecution: "parallel" | "serial";
  /** Calls beside one that waits for an answer: run at once, or held until all are answered. */
  readonly mixed: "run" | "hold";
}

export interface OpenAnswer {
  readonly operation: string;
  readonly attempt: number;
  /** Number of its first message. */
  readonly message: number;
  /** Messages that it has begun. */
  readonly count: number;
  /** The largest part number of its last message. */
  readonly lastPart: number;
  /** Where its tool calls stand, in order. */
  readonly callsAt: readonly { readonly message: number; readonly part: number }[];
  /** Where the model goes on with it, as it says itself: it works on in the background. */
  readonly continuation?: string;
  /** Who goes on with it. */
  readonly provider?: string;
}

/**
 * ready → running → done; or waiting (a person must approve), client (whoever holds the conversation must run it), held
 * (beside one that waits).
 */
export interface StepCall {
  readonly index: number;
  readonly call: ToolCallPart;
  /** Where it stands in the run's events. */
  readonly at?: { readonly message: number; readonly part: number };
  readonly status: "planned" | "ready" | "running" | "done" | "waiting" | "client" | "held";
  /** Of running it. */
  readonly attempt: number;
  readonly requestId?: string;
  readonly reason?: string;
  /** The result, where it is known without running it: denied, not answered. */
  readonly result?: ToolResultPart;
  readonly failed?: true;
  /** The call stands only inside its request (R22): once answered it gets a message of its own. */
  readonly inRequest?: true;
  /** It was not run: it repeats itself. */
  readonly repeated?: true;
  /** The tool asked for the run's end. */
  readonly terminates?: true;
  /** Its tool makes another agent lead: the agent's id. */
  readonly handsOff?: string;
  /** Its arguments are the result of the run. */
  readonly givesResult?: true;
  /** A person lets it run, or the rule of its tool does: nobody else is asked about it. */
  readonly cleared?: true;
  /** Its tool waits for answers itself; run again, it goes on with them. */
  readonly suspended?: Suspension;
  /** Those that came so far. */
  readonly answers?: readonly Part[];
  /** How often it has gone on: each time is an operation of its own. */
  readonly resumptions?: number;
  /** What agents inside of it had spent when it was suspended last: it tells that again. */
  readonly told?: readonly UsageTree[];
  /** Of that, what is in the account of an earlier run. */
  readonly toldElsewhere?: readonly UsageTree[];
}

/** What the run's own model calls spent up to a pause, and which models. */
export interface Earlier {
  readonly usage?: Usage;
  readonly models?: readonly ModelUsage[];
}

/** Where runs that are one stand between two of them: from here the limits and the account of the next count on. */
export interface Between {
  readonly step: number;
  readonly errors: number;
  readonly spent?: Spent;
  readonly repeats?: Repeats;
  /** Id of the agent that led. */
  readonly agent: string;
  /** The runs that are over. */
  readonly before: readonly UsageTree[];
  /** Id of the agent that leads now. */
  readonly handedTo?: string;
  /** What the same agent is told, where it is asked once more for its result; `time`: 1 for the first of them. */
  readonly again?: { readonly said: Message; readonly time: number };
}

/** What a session keeps of a run that waits. */
export interface PausedRun {
  readonly run: string;
  /** Id of the agent that asked: what is answered is done by it, and by no other. */
  readonly agent?: string;
  /** What standing rules name that agent by. */
  readonly rulesOf?: string;
  readonly made: number;
  readonly step: number;
  readonly errors: number;
  readonly agentVersion?: string;
  readonly spent?: Spent;
  readonly inner?: readonly UsageTree[];
  readonly earlier?: Earlier;
  readonly before?: readonly UsageTree[];
  readonly calls: readonly StepCall[];
}

/** A run between two of its events. */
export interface RunSnapshot {
  readonly state: RunState;
  /** The run's messages so far, numbered from 0 as its events do. */
  readonly messages: readonly Message[];
  /** Answers to what the run waited for, and what else it was given; all stand in the session before the run's messages, but `input` after `inputAt` of them. */
  readonly answers: readonly Message[];
  readonly input: readonly Message[];
  readonly inputAt: number;
}

/** What the driver has to do. Every one but `plan` is an operation: run to its end once, however often the run is cut. */
export type Effect =
  | {
      readonly type: "call-model";
      readonly operation: string;
      readonly attempt: number;
      readonly tools: boolean;
      /** Goes on with an answer that was begun. */
      readonly continuation?: string;
    }
  | { readonly type: "plan"; readonly calls: readonly StepCall[] }
  | {
      readonly type: "run-tool";
      readonly operation: string;
      readonly attempt: number;
      readonly index: number;
      readonly call: ToolCallPart;
      readonly cleared?: true;
      /** The tool waited; now it goes on. */
      readonly resumed?: Resumed;
    };

/** What becomes of a call, by its index. */
export interface Verdict {
  /** `stop`: whoever holds the conversation must see to it, before anything else of the answer is run; `fail`: the run cannot go on. */
  readonly verdict: "run" | "ask" | "client" | "stop" | "fail";
  readonly reason?: string;
  /** Its tool makes another agent lead: the agent's id. */
  readonly handsOff?: string;
  /** Its arguments are the result of the run: calls beside it are not run, or run first. */
  readonly givesResult?: "skip" | "run";
  /** The rule of its tool was asked, and lets it run. */
  readonly cleared?: true;
  /** The arguments of a call that has them as text alone, or not at all. */
  readonly input?: Json;
}

/** Operation and attempt say to what it belongs: what arrives late from an attempt that was given up is ignored. */
interface Of {
  readonly operation: string;
  readonly attempt: number;
}

/** Where the model's answer can be gone on with from here on; null: nowhere. Absent: as before. */
interface Continued {
  readonly continuation?: string | null;
  /** Who says so. */
  readonly provider?: string;
}

/** What came of a tool call; `failed` counts towards the limit of errors. */
export interface GivenResult {
  readonly result: ToolResultPart;
  readonly failed: boolean;
  readonly terminates?: boolean;
  /** In place of a result: the tool waits, and `result` says so. */
  readonly suspended?: Suspension;
  /** What agents inside of it spent. */
  readonly spent?: readonly UsageTree[];
}

export const operationOfTool = (step: number, { index, resumptions = 0 }: StepCall): string =>
  `tool-${step}.${index}${resumptions > 0 ? `.${resumptions}` : ""}`;
export const operationOfModel = (step: number): string => `model-${step}`;

export type StepInput =
  /** Begins the run, or goes on with one that was cut: operations that had not ended are made again. */
  | { readonly type: "go" }
  | ({ readonly type: "model-events"; readonly events: readonly Event[] } & Continued & Of)
  /** `answer`: the messages that the call's events make. */
  | ({
      readonly type: "model-end";
      readonly answer: readonly Message[];
      readonly error?: RunError;
      /** Models that were asked in vain before the one that answered. */
      readonly failed?: readonly FailedModel[];
      /** The model that gave it, where it is another than the run's. */
      readonly answeredBy?: string;
      /** Where the provider keeps the conversation now, with this answer. */
      readonly served?: ServedConversation;
    } & Continued &
      Of)
  | { readonly type: "planned"; readonly verdicts: readonly Verdict[] }
  | ({ readonly type: "tool-progress"; readonly result: ToolResultPart } & Of)
  | ({ readonly type: "tool-end" } & Of & GivenResult)
  /** Leaves the run while the model works on in the background. */
  | { readonly type: "park" }
  /** Ends the run with the step under way. */
  | { readonly type: "stop" }
  /** `answer`: what there is of the model call under way. */
  | {
      readonly type: "abort";
      readonly answer: readonly Message[];
      readonly limit?: "max-time";
      /** What its last message has told of tokens, where its events have not. */
      readonly usage?: Usage;
      /** What agents inside of running tools have spent, by the index of the call. */
      readonly spent?: readonly { readonly index: number; readonly trees: readonly UsageTree[] }[];
    };

export interface Step {
  readonly state: RunState;
  readonly events: readonly Event[];
  readonly effects: readonly Effect[];
}
