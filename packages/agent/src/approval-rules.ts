import {
  type ApprovalResponsePart,
  inputTextOf,
  type Json,
  type Message,
  parseJson,
  stringifyJson,
  type ToolCallPart,
} from "translogue";
import { openAsks } from "./loop/asks.ts";
import { isHistory } from "./loop/resume.ts";
import type { PausedRun } from "./loop/state.ts";
import type { PendingApproval } from "./session.ts";
import type { ApprovalContext } from "./tools/tool.ts";

/** What a person let through for good in a session: a tool of an agent, or the tool with exactly these arguments. */
export interface StandingRule {
  /** The agent's id, else its name; absent for an agent that has neither. Another agent's tool of the same name is another tool. */
  readonly agent?: string;
  readonly toolName: string;
  /** The JSON text of each argument. */
  readonly arguments?: { readonly [name: string]: string };
}

/** Whether a call that needs approval goes through without asking anybody. One that throws lets nothing through. */
export type AutoApproval = (call: ToolCallPart, context: ApprovalContext) => boolean | Promise<boolean>;

/** The options that an answer may take: what it lets through from now on. */
const options = { tool: "allow-always", arguments: "allow-always-arguments" } as const;

export interface ApproveOptions {
  readonly reason?: string;
  /** From now on in this session: every call of the tool, or every one with the same arguments. */
  readonly always?: "tool" | "arguments";
}

/** The answer that lets a call through. */
export const approve = ({ requestId, call }: PendingApproval, { reason, always }: ApproveOptions = {}) =>
  ({
    type: "approval-response",
    requestId,
    callId: call.callId,
    approved: true,
    ...(reason !== undefined && { reason }),
    ...(always && { optionId: options[always] }),
  }) satisfies ApprovalResponsePart;

/** The answer that refuses a call; the model reads the reason. */
export const deny = ({ requestId, call }: PendingApproval, reason?: string) =>
  ({
    type: "approval-response",
    requestId,
    callId: call.callId,
    approved: false,
    ...(reason !== undefined && { reason }),
  }) satisfies ApprovalResponsePart;

/** A call that a person is asked about, and whose rules its answer makes. */
interface Asked {
  readonly requestId: string;
  readonly call: ToolCallPart;
  readonly rulesOf: string | undefined;
}

/** The rule that an answer makes, about the call that was asked about; a refusal makes none. */
function standingRule(answer: ApprovalResponsePart, { call, rulesOf: agent }: Asked): StandingRule | undefined {
  const { approved, optionId } = answer;
  if (!approved) return undefined;
  const rule = { ...(agent !== undefined && { agent }), toolName: call.name };
  if (optionId === options.tool) return rule;
  return optionId === options.arguments ? { ...rule, arguments: argumentTexts(call) } : undefined;
}

/** Own calls, and those of agents inside of tools; of such without id and name no rule outlives the call of the tool. */
function askedOf({ calls }: PausedRun, rulesOf: string | undefined): readonly Asked[] {
  return calls.flatMap(call => {
    const { status, suspended, requestId } = call;
    if (status === "waiting" && !suspended && requestId !== undefined) return [{ requestId, call: call.call, rulesOf }];
    return openAsks(call).flatMap(({ requestId, input, call, rulesOf }) =>
      requestId === undefined || input || rulesOf === undefined ? [] : [{ requestId, call, rulesOf }],
    );
  });
}

/**
 * The input of a run with the rules that its answers make: other calls that wait, and that a new rule lets through, are
 * answered by it. `rulesOf`: whose rules those about its own calls are.
 */
export function withStanding(
  messages: readonly Message[],
  paused: PausedRun | undefined,
  rulesOf: string | undefined,
): { readonly messages: readonly Message[]; readonly rules: readonly StandingRule[] } {
  const waiting = paused ? askedOf(paused, rulesOf) : [];
  const answers = messages.flatMap(({ parts }) =>
    parts.flatMap(part => (part.type === "approval-response" && !isHistory(part, messages) ? [part] : [])),
  );
  const answerTo = ({ requestId }: Asked) => answers.find(answer => answer.requestId === requestId);
  const rules = waiting.flatMap(asked => {
    const answer = answerTo(asked);
    return (answer && standingRule(answer, asked)) ?? [];
  });
  const others = waiting.filter(asked => !answerTo(asked) && lets(rules, asked));
  if (others.length === 0) return { messages, rules };
  const parts = others.map(({ call, requestId }) => approve({ requestId, call }, { reason: byRule }));
  return { messages: [{ role: "user", parts }, ...messages], rules };
}

/** As the Microsoft Agent Framework says it. */
const byRule = "Auto-approved by standing rule";

export function withRule(rules: readonly StandingRule[] = [], rule: StandingRule): readonly StandingRule[] {
  const text = canonical(rule);
  return rules.some(each => canonical(each) === text) ? rules : [...rules, rule];
}

const canonical = ({ agent, toolName, arguments: given }: StandingRule): string =>
  JSON.stringify([agent ?? null, toolName, given ? Object.entries(given).sort(([a], [b]) => (a < b ? -1 : 1)) : null]);

/** Arguments are compared by their text, as the Microsoft Agent Framework does: 1 and 1.0 are not the same. */
export const lets = (
  rules: readonly StandingRule[],
  { call, rulesOf: agent }: Pick<Asked, "call" | "rulesOf">,
): boolean => {
  const about = { ...(agent !== undefined && { agent }), toolName: call.name };
  const allowed = new Set([canonical(about), canonical({ ...about, arguments: argumentTexts(call) })]);
  return rules.some(rule => allowed.has(canonical(rule)));
};

function argumentTexts(call: ToolCallPart): { readonly [name: string]: string } {
  const { value, exact } = parsedInput(call);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(
    Object.entries(value).map(([name, argument]) => {
      const spelled = exact?.numbers.get(value)?.get(name);
      return [name, spelled ?? stringifyJson(argument, exact) ?? "null"];
    }),
  );
}

function parsedInput(call: ToolCallPart): {
  readonly value: Json;
  readonly exact?: ReturnType<typeof parseJson>["exact"];
} {
  const text = inputTextOf(call);
  try {
    return parseJson(text ?? "{}");
  } catch {
    return { value: call.input ?? {} };
  }
}
