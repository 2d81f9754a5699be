import { decode, isJsonObject, type Json, type Message } from "translogue";
import type { Match } from "translogue/history";
import { deepFreeze, difference } from "../../difference.ts";
import { type CaseResult, claims } from "../case.ts";
import type { HistoryRule } from "../rules/history.ts";
import { type About, type Case, chunkOf, listOf, memberOf, said } from "./langchain-specs.ts";
import { untag } from "./tags.ts";

export const failed = (about: About, reason: string): CaseResult => ({
  ...about,
  outcome: { status: "failed", reason },
});
export const aside = (about: About, rule: HistoryRule): CaseResult => ({
  ...about,
  outcome: { status: "set-aside", rule },
});

/** What it is either way, then the rule by which it is something else than LangChain's. */
export async function differing(
  about: About,
  rule: HistoryRule,
  ...list: Parameters<typeof claims>[1]
): Promise<CaseResult> {
  const result = await claims(about, list);
  return result.outcome.status === "passed" ? aside(about, rule) : result;
}

const read = (wire: Json): Message | undefined =>
  decode(wire, { from: "langchain:js-lc", shape: "message" }).conversation.messages[0];

export const given = (specs: Json | undefined): readonly Message[] =>
  deepFreeze(
    (Array.isArray(specs) ? specs : specs === undefined ? [] : [specs]).map(spec => chunkOf(untag(spec as Json))), // an item of JSON
  ) // an item of JSON
    .flatMap(wire => read(wire) ?? []);

export const results = (each: Case): readonly Message[] =>
  listOf(each["result"]).flatMap(item => read(memberOf(item, "json") ?? null) ?? []);

const tell = (message: Message): Json => {
  const { id = null, author } = message;
  const whole = said(message);
  return { id, name: author?.name ?? null, ...(isJsonObject(whole) && whole) };
};

export const same = (ours: readonly Message[], theirs: readonly Message[]): string | undefined =>
  difference(ours.map(tell), theirs.map(tell));

/** Types of LangChain's are roles of ours; `generic` is every other one. */
export function rolesOf(types: Json | undefined): Match | undefined {
  if (types === undefined) return undefined;
  const names = new Set(Array.isArray(types) ? types : [types]);
  return message => names.has(typeOf(message));
}

const typesOfRoles = new Map([
  ["system", "system"],
  ["developer", "system"],
  ["user", "human"],
  ["assistant", "ai"],
  ["tool", "tool"],
  ["control", "remove"],
]);

export function typeOf({ role, native }: Message): string {
  const own = memberOf(memberOf(native as Json | undefined, "langchain"), "$class"); // native members are JSON
  if (typeof own === "string" && own.startsWith("Function")) return "function";
  return typesOfRoles.get(role) ?? "generic";
}
