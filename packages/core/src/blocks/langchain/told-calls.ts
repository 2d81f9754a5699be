/** Calls that stand as such beside fragments of calls: which of them the fragments tell of. */

import { copyExact, type ExactText } from "../../model/exact-text.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { collapseJs, readLossless, readPython } from "./chunk-calls.ts";

export interface GivenCalls {
  readonly tool_calls: readonly Json[];
  readonly invalid_tool_calls: readonly Json[];
}

/**
 * Whether a call without an id is what LangChain reads of the fragments that came with it: no other chunk tells of it.
 * One with an id waits until all fragments are there.
 */
export function derivedTest(chunks: readonly Json[]): (call: Json) => boolean {
  let derived: readonly Json[] | undefined;
  return call => {
    if (chunks.length === 0 || !isJsonObject(call) || !isBlank(call["id"])) return false;
    derived ??= [collapseJs, readPython, readLossless].flatMap(read => callsOf(read(chunks)));
    return derived.some(each => isSame(call, each));
  };
}

/**
 * The calls that the merged fragments do not tell of, by their ids, else by their names and arguments; and the fragments,
 * with the ids and the arguments that only those calls have.
 */
export function apartFrom(
  given: GivenCalls,
  chunks: readonly Json[],
  exact: ExactText | undefined,
): { readonly given: GivenCalls; readonly chunks: readonly Json[] } {
  if (chunks.length === 0 || given.tool_calls.length + given.invalid_tool_calls.length === 0) return { given, chunks };
  const read = chunks.map(chunk => callsOf(readLossless([chunk]))[0]);
  const byId = new Map<Json | undefined, { readonly each: JsonObject; readonly at: number }[]>();
  read.forEach((each, at) => {
    if (!isJsonObject(each) || isBlank(each["id"])) return;
    const same = byId.get(each["id"]);
    if (same) same.push({ each, at });
    else byId.set(each["id"], [{ each, at }]);
  });
  const found = new Map<number, Json>();
  const filled = new Map<number, Json>();
  const isApart = (call: Json): boolean => {
    if (!isJsonObject(call)) return true;
    const { id = null } = call;
    if (isBlank(id)) return !read.some(each => isSame(call, each));
    const told = byId
      .get(id)
      ?.find(({ each }) => isBlank(call["name"]) || isBlank(each["name"]) || call["name"] === each["name"]);
    if (told) {
      const chunk = chunks[told.at];
      if (isJsonObject(chunk) && isBlank(chunk["args"]) && !isBlank(call["args"])) filled.set(told.at, textOf(call));
      return false;
    }
    const place = read.findIndex(
      (each, at) => isJsonObject(each) && isBlank(each["id"]) && !found.has(at) && isSame(call, each),
    );
    if (place >= 0) found.set(place, id);
    return place < 0;
  };
  const apart = {
    tool_calls: given.tool_calls.filter(isApart),
    invalid_tool_calls: given.invalid_tool_calls.filter(isApart),
  };
  const whole = (chunk: Json, place: number): Json => {
    const [id, args] = [found.get(place), filled.get(place)];
    if ((id === undefined && args === undefined) || !isJsonObject(chunk)) return chunk;
    const copy = { ...chunk, ...(id !== undefined && { id }), ...(args !== undefined && { args }) };
    if (exact) copyExact(exact, chunk, copy);
    return copy;
  };
  return { given: apart, chunks: found.size + filled.size === 0 ? chunks : chunks.map(whole) };
}

const callsOf = ({ tool_calls, invalid_tool_calls }: GivenCalls): readonly Json[] => [
  ...tool_calls,
  ...invalid_tool_calls,
];

const isBlank = (value: Json | undefined): boolean => value === undefined || value === null || value === "";

const textOf = ({ args = {} }: JsonObject): string => (typeof args === "string" ? args : JSON.stringify(args));

const isSame = (call: JsonObject, other: Json | undefined): boolean =>
  isJsonObject(other) &&
  (call["name"] || "") === (other["name"] || "") &&
  equalJson(argumentsOf(call), argumentsOf(other));

/** Those of a call that is not valid are text. */
function argumentsOf({ args }: JsonObject): Json {
  if (isBlank(args)) return {};
  if (typeof args !== "string") return args ?? {};
  try {
    return JSON.parse(args) as Json; // JSON.parse gives JSON
  } catch {
    return args.trim();
  }
}
