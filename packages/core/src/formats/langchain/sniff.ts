import { isPythonData, isPythonFlat, languageOfType } from "../../blocks/langchain/container.ts";
import { classOfId, memberOf } from "../../blocks/langchain/escape.ts";
import { outputOf, stateOf } from "../../blocks/langchain/state.ts";
import { classOfRole, classOfType, type DialectName } from "../../blocks/langchain/wire.ts";
import type { Sniff } from "../../codec/codec.ts";
import { isJsonObject, type Json } from "../../model/json.ts";

interface Likeness {
  readonly dialect: DialectName;
  readonly confidence: number;
  readonly keys: readonly string[];
}

/** How many messages of a list are looked at. */
const looked = 20;

export function sniff(value: unknown): readonly Sniff[] {
  const state = stateOf(value);
  if (!state) return sniffMessages(value);
  const output = outputOf(value, state);
  // What came out of a run is in the graph's own form. Messages that are OpenAI's as well tell nothing: there are requests of many.
  const lists = output ? [output.messages, state.messages] : [state.messages];
  const found = lists.map(list => sniffMessages(list)[0]).find(each => each && each.confidence >= 0.8);
  if (!found) return [];
  return [{ ...found, shape: "log", keys: ["messages", ...(state.holder === undefined ? [] : [state.holder])] }];
}

function sniffMessages(value: unknown): readonly Sniff[] {
  const shape = Array.isArray(value) ? "messages" : "message";
  const list: readonly unknown[] = Array.isArray(value) ? value.slice(0, looked) : [value];
  const found: Likeness[] = [];
  for (const message of list) {
    const likeness = isJsonObject(message) ? likenessOf(message) : likenessOfTuple(message);
    if (!likeness) return [];
    found.push(likeness);
  }
  const [first] = found;
  if (!first) return [];
  const best = found.reduce((surest, each) => (each.confidence > surest.confidence ? each : surest), first);
  return [{ shape, ...best }];
}

/** The members that tell: a class, a type of its own words, or what only one of the two languages writes. */
function likenessOf(message: { readonly [key: string]: Json }): Likeness | undefined {
  if (memberOf(message, "lc") === 1) {
    const id = memberOf(message, "id");
    if (memberOf(message, "type") !== "constructor" || classOfId(id) === undefined) return undefined;
    const isPython = Array.isArray(id) && id[0] === "langchain";
    return { dialect: isPython ? "python-lc" : "js-lc", confidence: 1, keys: ["lc", "type", "id", "kwargs"] };
  }
  const type = memberOf(message, "type");
  const row = classOfType(type);
  const data = memberOf(message, "data");
  if (row && isJsonObject(data) && !Object.hasOwn(message, "content")) {
    const isPython = (languageOfType(type) ?? (isPythonData(data) ? "python" : "js")) === "python";
    return { dialect: isPython ? "python-stored" : "js-stored", confidence: 0.95, keys: ["type", "data"] };
  }
  const has = (member: string): boolean => Object.hasOwn(message, member);
  const role = memberOf(message, "role");
  // As a message of these members is read.
  const isRoleDict = row && typeof role === "string" && row.base !== "ChatMessage" && !has("additional_kwargs");
  if (
    row &&
    !isRoleDict &&
    (has("content") || has("content_blocks") || has("additional_kwargs") || row.base === "RemoveMessage")
  ) {
    const keys = Object.keys(message);
    const isJs = (languageOfType(type) ?? (isPythonFlat(keys) ? "python" : "js")) === "js";
    const tells = ["additional_kwargs", "response_metadata"].filter(has);
    const confidence = tells.length > 0 ? 0.95 : type === "human" || type === "ai" ? 0.8 : 0.5;
    return { dialect: isJs ? "js-flat" : "python", confidence, keys: ["type", "content", ...tells] };
  }
  if (typeof role !== "string" || (typeof type === "string" && !row)) return undefined;
  const isOwn =
    row !== undefined || role === "human" || role === "ai" || has("additional_kwargs") || has("response_metadata");
  const calls = memberOf(message, "tool_calls");
  if (Array.isArray(calls) && isOwnCall(calls[0])) {
    return { dialect: "openai", confidence: 0.95, keys: ["role", "tool_calls"] };
  }
  if (!has("content")) return undefined;
  return { dialect: "openai", confidence: isOwn ? 0.8 : classOfRole(role) ? 0.2 : 0.1, keys: ["role", "content"] };
}

/** In OpenAI's dicts calls may be LangChain's, which no other API writes so. */
const isOwnCall = (call: Json | undefined): boolean =>
  isJsonObject(call) &&
  typeof memberOf(call, "name") === "string" &&
  isJsonObject(memberOf(call, "args")) &&
  !Object.hasOwn(call, "function");

function likenessOfTuple(message: unknown): Likeness | undefined {
  if (!Array.isArray(message) || message.length !== 2) return undefined;
  const [role, content] = message as readonly unknown[]; // a list of JSON
  if (typeof role !== "string" || !classOfRole(role) || typeof content !== "string") return undefined;
  return { dialect: "openai", confidence: 0.9, keys: [] };
}
