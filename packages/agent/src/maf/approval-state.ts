import { isJsonObject, type Json, type JsonObject } from "translogue";
import { dotnetString } from "translogue/maf";
import type { StandingRule } from "../approval-rules.ts";
import { failure } from "../errors.ts";

interface ApprovalState {
  readonly rules: readonly StandingRule[];
  /** Answers that wait for those about other calls. */
  readonly collected: readonly Json[];
  /** Requests that nobody has seen yet. */
  readonly queued: readonly Json[];
}

/** `toolApprovalState` of a session: its rules have the JSON text of each argument, as ours do, in .NET's spelling. */
export function readRules(state: Json | undefined): ApprovalState | undefined {
  if (state === undefined || state === null) return undefined;
  if (!isJsonObject(state)) throw failure("session/invalid", "the state of its approvals is no object");
  const { rules, collectedApprovalResponses: collected, queuedApprovalRequests: queued } = state;
  return {
    rules: (Array.isArray(rules) ? rules.filter(isJsonObject) : []).flatMap(readRule),
    collected: Array.isArray(collected) ? collected : [],
    queued: Array.isArray(queued) ? queued : [],
  };
}

function readRule({ toolName, arguments: given }: JsonObject): readonly StandingRule[] {
  if (typeof toolName !== "string") return [];
  if (!isJsonObject(given)) return [{ toolName }];
  const texts = Object.entries(given).flatMap(([name, text]) =>
    typeof text === "string" ? [[name, respelled(text, JSON.stringify)]] : [],
  );
  return [{ toolName, arguments: Object.fromEntries(texts) as { [name: string]: string } }]; // pairs of texts
}

/** Rules are compared by their texts on both sides, so each side has to find its own spelling of a string. */
const respelled = (text: string, spell: (value: string) => string): string =>
  text.replace(/"(?:[^"\\]|\\.)*"/g, string => {
    try {
      return spell(String(JSON.parse(string)));
    } catch {
      return string; // no JSON: a rule that lets nothing through stays as it is
    }
  });

/** All rules of a session: those that are there for its agent, and those of others that were carried. */
export function rulesIn(
  found: readonly StandingRule[] | undefined,
  { approvalRules: own }: JsonObject,
  rulesOf: string | undefined,
): readonly StandingRule[] | undefined {
  const named = (found ?? []).map(rule => ({ ...(rulesOf !== undefined && { agent: rulesOf }), ...rule }));
  const carried = Array.isArray(own) ? (own as unknown as readonly StandingRule[]) : []; // written by us
  const rules = [...named, ...carried.filter(({ agent }) => agent !== rulesOf)];
  return found || rules.length > 0 ? rules : undefined;
}

export const writeRules = (rules: readonly StandingRule[]): JsonObject => ({
  rules: rules.map(({ toolName, arguments: given }) => ({ toolName, ...(given && { arguments: dotnetTexts(given) }) })),
  collectedApprovalResponses: [],
  queuedApprovalRequests: [],
  surfacedApprovalRequests: {},
});

const dotnetTexts = (texts: NonNullable<StandingRule["arguments"]>): JsonObject =>
  Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, respelled(text, string => dotnetString(string))]),
  );
