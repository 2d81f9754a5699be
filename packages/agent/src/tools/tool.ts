import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import type { Json, JsonObject, Message, Part, ToolCallPart, ToolResultPart } from "translogue";
import type { Agent } from "../agent.ts";
import type { Operations } from "../engine.ts";
import { failure } from "../errors.ts";
import type { InputRequest, Resumed, Suspension } from "../loop/asks.ts";
import type { AgentSession } from "../session.ts";
import type { UsageTree } from "../spending.ts";
import type { HandOffHistory } from "./hand-off.ts";
import { checkToolName } from "./name.ts";
import { readParameters, type Validated } from "./parameters.ts";

/** A schema that validates and, by itself or beside it, tells its JSON Schema. */
export type Parameters<Input = unknown> =
  | (StandardSchemaV1<unknown, Input> & StandardJSONSchemaV1<unknown, Input>)
  | { readonly schema: StandardSchemaV1<unknown, Input>; readonly jsonSchema: JsonObject };

/** What a tool's arguments are once they are validated. */
export type InputOf<P> = P extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<P>
  : P extends { readonly schema: infer S extends StandardSchemaV1 }
    ? StandardSchemaV1.InferOutput<S>
    : never;

/** What a tool can know of the call that it serves. */
export interface ToolContext {
  readonly callId: string;
  readonly toolName: string;
  /** The arguments as the model wrote them: numbers too large for JavaScript are whole here. */
  readonly inputText: string;
  /** Aborted when the run stops or the tool's time is over. */
  readonly signal: AbortSignal;
  readonly agent: Agent;
  readonly session: AgentSession;
  /** Id of the run. */
  readonly run: string;
  /** Model calls so far in this run. */
  readonly step: number;
  /** 1, and one more each time that a cut run was resumed while this call was under way. */
  readonly attempt: number;
  /** What the model had read, and its answer. */
  readonly messages: readonly Message[];
  /** As given to the run. */
  readonly additionalProperties: JsonObject;
  /** Shows what there is so far, in the form of a returned value; the final result replaces it. */
  progress(value: ToolReturn): void;
  /** Ends the run once this call has its result: the model is not asked again, and calls that have not begun are not run. */
  terminate(): void;
  /** What the call waited for, where it was suspended before. */
  readonly resumed?: Resumed;
  /**
   * For what the call does in its turn, in a durable run: what had ended is not done again where the call is cut and made
   * anew. Given to the run of an agent whose `isDurable` is true, they keep its model and tool calls.
   */
  readonly operations?: Operations;
  /** Gives what `resumed` is to have where the call is cut from here on; it is asked whenever the run is stored. */
  keep(state: () => Json): void;
  /** The call has no result yet: the run waits for the answers, and then calls the tool again, with `resumed`. */
  suspend(suspension: Suspension): void;
  /**
   * Asks a person: a value, a form, a sign-in; undefined where they would not say. The run waits for the answer as it does for
   * approvals, over restarts too, and then runs the tool again from its beginning, where this gives what was answered: what
   * has an effect outside belongs behind it. Of several questions each is known by its order.
   */
  ask(request: Omit<InputRequest, "kind"> & Partial<Pick<InputRequest, "kind">>): Promise<Json | undefined>;
  /** Counts what an agent inside of the tool spent into the run's total. A function is asked when the call ends, or is stopped. */
  spend(spending: UsageTree | (() => UsageTree | undefined)): void;
}

/**
 * A result with more than one face. A returned object is read as this where it has `output` and at least one other member,
 * and no member besides these; any other object is JSON.
 */
export interface ToolOutput {
  /** For the model. */
  readonly output: string | Json | readonly Part[];
  /** For programs: no model reads it. */
  readonly structured?: Json;
  /** For people: no model reads it. */
  readonly display?: readonly Part[];
  /** The call failed, in the words of `output`. */
  readonly isError?: boolean;
}

/**
 * Text, JSON, parts (a list of text, file, data and source parts), several faces, or nothing; or the `tool-result` part of
 * this very call, which is taken as it is.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing is a tool too
export type ToolReturn = string | Json | readonly Part[] | ToolOutput | ToolResultPart | undefined | void;

/** `true`, or a rule over the validated arguments: whatever it gives but `false` asks a person. */
export type ApprovalRule<Input> = boolean | ((input: Input, context: ApprovalContext) => boolean | Promise<boolean>);
export type ApprovalContext = Pick<
  ToolContext,
  "callId" | "toolName" | "agent" | "session" | "run" | "step" | "messages" | "additionalProperties"
>;

export interface ToolDefinition<P extends Parameters = Parameters> {
  /** 1 to 64 of `A–Z a–z 0–9 _ -`, which every provider takes. */
  readonly name: string;
  /** Read by the model. */
  readonly description?: string;
  /** For people. */
  readonly title?: string;
  readonly parameters: P;
  /** Absent: whoever holds the conversation runs it, and gives the result as input to the next run. */
  readonly execute?: (input: InputOf<P>, context: ToolContext) => ToolReturn | Promise<ToolReturn>;
  readonly needsApproval?: ApprovalRule<InputOf<P>>;
  /** Shown with the request for approval. */
  readonly approvalReason?: string;
  /** Milliseconds after which the call fails. Default: none. */
  readonly timeoutMs?: number;
}

/** A tool as the agent uses it: made by `defineTool`, or by hand where arguments are validated some other way. */
export interface AgentTool {
  readonly name: string;
  readonly description?: string;
  readonly title?: string;
  /** JSON Schema of the arguments. */
  readonly input: JsonObject;
  readonly approvalReason?: string;
  readonly timeoutMs?: number;
  /** Arguments as they came → as the tool takes them, or what is wrong with them. */
  validate(value: unknown): Validated | Promise<Validated>;
  /** `input` is a validated one. */
  readonly execute?: (input: unknown, context: ToolContext) => ToolReturn | Promise<ToolReturn>;
  readonly needsApproval?: ApprovalRule<unknown>;
  /** Once the call has its result, this agent leads the session. */
  readonly handsOff?: Agent;
  /** Its call ends the run with its arguments as the result; calls beside it are not run, or run first. */
  readonly givesResult?: "skip" | "run";
  /** What that agent reads of what was said before. Default `all`. */
  readonly handedHistory?: HandOffHistory;
}

/** A tool. Throws `tool/invalid` for a definition that no model could be offered. */
export function defineTool<P extends Parameters>(definition: ToolDefinition<P>): AgentTool {
  const { name, description, title, approvalReason, timeoutMs, execute, needsApproval } = definition;
  checkToolName(name);
  if (timeoutMs !== undefined && !(timeoutMs > 0)) {
    throw failure("tool/invalid", `\`timeoutMs\` of tool \`${name}\` is ${timeoutMs}: give a number above 0, or none`);
  }
  const { input, validate } = readParameters(name, definition.parameters);
  return {
    name,
    ...(description !== undefined && { description }),
    ...(title !== undefined && { title }),
    ...(approvalReason !== undefined && { approvalReason }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    input,
    validate,
    // Both get what `validate` gave, which is what the schema's type says.
    ...(execute && { execute: execute as NonNullable<AgentTool["execute"]> }), // as above
    ...(needsApproval !== undefined && { needsApproval: needsApproval as ApprovalRule<unknown> }), // as above
  };
}

/** Whether the call is one that the agent has to see to. */
export const isOpenCall = (call: ToolCallPart): boolean => call.executedBy !== "provider" && call.handled !== true;
