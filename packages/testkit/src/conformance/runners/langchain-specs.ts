import { type FormatId, formats, isJsonObject, type Json, type JsonObject, type Message } from "translogue";
import type { CaseResult, FixtureFile } from "../case.ts";
import type { langchainRules } from "../rules/langchain.ts";

/** A case of LangChain's fixtures. */
export interface Case {
  readonly name: string;
  readonly [member: string]: Json;
}
export type About = { readonly format: string; readonly name: string };

export const casesOf = (file: FixtureFile): Case[] => (JSON.parse(file.read()) as { cases: Case[] }).cases; // as the folder's README says
export const isNamed = (file: FixtureFile, pattern: RegExp): boolean =>
  file.folder === "langchain" && file.kind === undefined && pattern.test(file.path.slice("langchain/".length));

export const ruled = (about: About, rule: keyof typeof langchainRules): CaseResult => ({
  ...about,
  outcome: { status: "set-aside", rule },
});

/** Targets whose name is a class of LangChain's instead of a format. */
const formatsOfClasses: { readonly [target: string]: FormatId } = {
  anthropic: "anthropic-messages",
  google: "gemini",
  "google-genai": "gemini",
};

/** Targets are named by the format and what of it they differ in, or by the class; undefined where the format is none of ours. */
export const formatOf = (target: string): FormatId | undefined =>
  formatsOfClasses[target] ??
  formats.map(({ id }) => id as FormatId).find(id => target === id || target === `${id}-reasoning`); // formats are the registered ones

/** What a message says: its parts without hints and addresses. */
export function said(message: Message | undefined): Json {
  const parts = (message?.parts ?? []).map(
    part =>
      part.type === "tool-call"
        ? [part.type, part.callId.replace(/^~.*/, "~"), part.name]
        : withoutNative(part as unknown as Json), // parts are JSON
  );
  return { role: message?.role ?? null, parts };
}

function withoutNative(value: Json): Json {
  if (Array.isArray(value)) return value.map(item => withoutNative(item as Json)); // an item of JSON
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => (key === "native" ? [] : [[key, withoutNative(member)]])),
  );
}

/** A chunk of an answer, serialised. */
export const asChunk = (kwargs: Json): Json => ({
  lc: 1,
  type: "constructor",
  id: ["langchain_core", "messages", "AIMessageChunk"],
  kwargs,
});

/** A message spec of the fixtures, as its class would write it. */
export function chunkOf(spec: Json): Json {
  if (!isJsonObject(spec)) return spec;
  const [first, second] = listOf(spec["args"]);
  const isContent = typeof first === "string" || Array.isArray(first);
  const fields = isContent ? { content: first, ...(second !== undefined && { role: second }) } : (first ?? {});
  return { lc: 1, type: "constructor", id: ["langchain_core", "messages", spec["class"] ?? ""], kwargs: clean(fields) };
}

/** As JSON has it: no undefined, minus zero or NaN; members named `__proto__`, which LangChain's own writing drops, left out. */
export function clean(value: Json): Json {
  if (Array.isArray(value)) return value.map(item => clean(item as Json)); // an item of JSON
  if (!isJsonObject(value)) return value;
  if ("$number" in value) return value["$number"] === "-0" ? 0 : null;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) =>
      key === "__proto__" || memberOf(member, "$undefined") === true ? [] : [[key, clean(member)]],
    ),
  );
}

export function fieldsOf(wire: Json | undefined): JsonObject {
  if (!isJsonObject(wire)) return {};
  return isJsonObject(wire["kwargs"]) ? wire["kwargs"] : wire;
}

export const memberOf = (value: Json | undefined, key: string): Json | undefined =>
  isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
export const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
