import { decode, isJsonObject, type Json, type Message } from "translogue";
import type { Match } from "translogue/history";
import { deepFreeze, difference } from "../../difference.ts";
import { type CaseResult, claims } from "../case.ts";
import type { HistoryRule } from "../rules/history.ts";
import { asJson, construct } from "./langchain-instances.ts";
import { type About, type Case, listOf, memberOf, said } from "./langchain-specs.ts";

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

/** As their class has them: its constructor leaves out what it does not take. An id that was made is of its message alone. */
export const given = (specs: Json | undefined): readonly Message[] =>
  (Array.isArray(specs) ? (specs as readonly Json[]) : specs === undefined ? [] : [specs])
    .map(spec => deepFreeze(isJsonObject(spec) ? asJson(construct(structuredClone(spec))) : spec))
    .flatMap((wire, index) => {
      const message = read(wire);
      const text = JSON.stringify(message)?.replace(/"~[\d.]+"/g, made => `${made.slice(0, -1)}.${index}"`);
      return message && text ? [deepFreeze(JSON.parse(text) as Message)] : []; // a message as it was
    });

export const results = (each: Case): readonly Message[] =>
  listOf(each["result"]).flatMap(item => read(memberOf(item, "json") ?? null) ?? []);

const tell = (message: Message): Json => {
  const { id = null, author } = message;
  const whole = said(message);
  return withoutMade({ id, name: author?.name ?? null, ...(isJsonObject(whole) && whole) });
};

/** A made id is of a place. */
export const withoutMade = (value: Json): Json =>
  JSON.parse(JSON.stringify(value).replace(/"~[\d.]+"/g, '"~"')) as Json; // JSON is Json

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
  if (typeof own === "string" && own.startsWith("Chat")) return "generic";
  return typesOfRoles.get(role) ?? "generic";
}
