/** Calls that stand as such beside fragments of calls: which of them the fragments tell of. */

import { copyExact, type ExactText } from "../../model/exact-text.ts";
import { isJsonObject, type Json, type JsonObject, type MutableJsonObject } from "../../model/json.ts";
import { argumentsOf, argumentsText, isBeginning, isBlank, jsonKey, nameOf, sayingOf } from "./call-sayings.ts";
import { type ChunkCalls, collapseJs, readLossless, readPython } from "./chunk-calls.ts";
import { parsePartialJson } from "./partial-json.ts";

/** A call as an entry of one of the lists, or what stands in place of one; `number`: of the chunk that told it. */
export interface WholeCall {
  readonly list: CallList;
  readonly call: Json;
  readonly number: number;
}
export type CallList = "tool_calls" | "invalid_tool_calls";

export type ReportCall = (of: WholeCall, what: string) => void;

/** A merged fragment, and what the calls that stand as such say of it. */
interface Fragment {
  readonly chunk: JsonObject;
  readonly wholes: WholeCall[];
  isSaid: boolean;
}

/**
 * Whether a call is what LangChain reads of the fragments that came with it: no other chunk tells of it. With an id it is
 * that only of a fragment that has this id.
 */
export function derivedTest(chunks: readonly Json[]): (call: JsonObject) => boolean {
  let derived: ReadonlySet<string> | undefined;
  return call => {
    if (chunks.length === 0 || hasMore(call)) return false;
    derived ??= new Set(chunks.flatMap(readings).flatMap(each => [keyOf(each), keyOf({ ...each, id: null })]));
    return derived.has(keyOf(call));
  };
}

/** What the languages read of merged fragments, or ours. */
const readings = (chunk: Json): readonly JsonObject[] =>
  [collapseJs, readPython, readLossless].flatMap(read => callsOf(read([chunk]))).filter(isJsonObject);

const callsOf = ({ tool_calls, invalid_tool_calls }: ChunkCalls): readonly Json[] => [
  ...tool_calls,
  ...invalid_tool_calls,
];

/** The id and what the call says: the same of a call and of it once more. */
export const keyOf = (call: JsonObject): string => jsonKey([idOf(call), sayingOf(call)]);

/** Whether an entry says more than a reader of fragments does. */
const hasMore = (call: JsonObject): boolean => isToldError(call) || Object.keys(call).some(key => !usual.has(key));

const usual: ReadonlySet<string> = new Set(["name", "args", "id", "type", "error", "index"]);

const isToldError = ({ error }: JsonObject): boolean => !isBlank(error) && error !== "Malformed args.";

const idOf = ({ id }: JsonObject): Json => (isBlank(id) ? null : (id ?? null));

/**
 * The calls of a message: those that no fragment tells of, then those of the fragments, with what only the others say of
 * them. A call is that of a fragment by its id, else by what it says: then each is the call of one fragment.
 */
export function joinCalls(
  given: readonly WholeCall[],
  chunks: readonly Json[],
  { numbers, ...options }: JoinOptions,
): ChunkCalls {
  if (chunks.length === 0 || given.length === 0) {
    const { tool_calls, invalid_tool_calls } = listsOf(given);
    const made = readLossless(chunks);
    return {
      ...made,
      tool_calls: [...tool_calls, ...made.tool_calls],
      invalid_tool_calls: [...invalid_tool_calls, ...made.invalid_tool_calls],
    };
  }
  const places = new Places(chunks);
  // Ids are surer than what is said, and that than what a language reads of a text that broke off.
  const isNamed = ({ call }: WholeCall): boolean => isJsonObject(call) && !isBlank(call["id"]);
  const named = given.filter(isNamed);
  const ordered = named.length === given.length ? named : [...named, ...given.filter(whole => !isNamed(whole))];
  const told = new Set<WholeCall>();
  for (const reading of ["said", "read"] as const) {
    for (const whole of ordered) if (!told.has(whole) && places.take(whole, reading)) told.add(whole);
  }
  const apart = given.filter(whole => !told.has(whole));
  const joined = places.fragments.map(fragment => joinedOf(fragment, options));
  const made = joined.flatMap(({ entries }, place) => entries.map(each => ({ ...each, number: numbers[place] ?? 0 })));
  const all = [...apart, ...made].sort((a, b) => a.number - b.number);
  return { tool_call_chunks: joined.map(({ chunk }) => chunk), ...listsOf(all) };
}

interface Entry {
  readonly list: CallList;
  readonly call: Json;
}

const callEntries = ({ tool_calls, invalid_tool_calls }: ChunkCalls): readonly Entry[] => [
  ...tool_calls.map(call => ({ list: "tool_calls" as const, call })),
  ...invalid_tool_calls.map(call => ({ list: "invalid_tool_calls" as const, call })),
];

function listsOf(all: readonly Entry[]): Pick<ChunkCalls, CallList> {
  const of = (list: CallList): readonly Json[] => all.filter(each => each.list === list).map(({ call }) => call);
  return { tool_calls: of("tool_calls"), invalid_tool_calls: of("invalid_tool_calls") };
}

/** Merged fragments, to be found by what a call says. */
class Places {
  readonly fragments: readonly Fragment[];
  readonly #byId = new Map<string, Fragment>();
  readonly #alike = { said: new Map<string, Alike>(), read: new Map<string, Alike>() };

  constructor(chunks: readonly Json[]) {
    this.fragments = chunks.map(chunk => ({ chunk: isJsonObject(chunk) ? chunk : {}, wholes: [], isSaid: false }));
    for (const fragment of [...this.fragments].reverse()) {
      const { chunk } = fragment;
      if (!isBlank(chunk["id"])) for (const key of [idKey(chunk), anyName(chunk)]) this.#byId.set(key, fragment);
      this.#put("said", sayingOf(chunk), fragment);
      for (const saying of new Set(readings(chunk).map(sayingOf))) this.#put("read", saying, fragment);
    }
  }

  #put(reading: Reading, saying: string, fragment: Fragment): void {
    const same = this.#alike[reading].get(saying) ?? { named: [], unnamed: [] };
    this.#alike[reading].set(saying, same);
    (isBlank(fragment.chunk["id"]) ? same.unnamed : same.named).push(fragment);
  }

  /** Notes the call with its fragment; false where it has none. */
  take(whole: WholeCall, reading: Reading): boolean {
    const { call } = whole;
    if (!isJsonObject(call)) return false;
    const found = (isBlank(call["id"]) ? undefined : this.#withId(call)) ?? this.#saying(call, reading);
    found?.wholes.push(whole);
    return found !== undefined;
  }

  /** One without a name gets that of the first call of its id. */
  #withId(call: JsonObject): Fragment | undefined {
    const unnamed = idKey({ id: call["id"] ?? null });
    const known = this.#byId.get(idKey(call)) ?? (nameOf(call) === "" ? this.#byId.get(anyName(call)) : undefined);
    const fragment = known ?? this.#byId.get(unnamed);
    if (!known && fragment) {
      this.#byId.delete(unnamed);
      this.#byId.set(idKey(call), fragment);
    }
    return fragment;
  }

  /** One without an id, or where the call has none rather one with: each once. */
  #saying(call: JsonObject, reading: Reading): Fragment | undefined {
    const same = this.#alike[reading].get(sayingOf(call));
    if (!same) return undefined;
    const fragment = (isBlank(call["id"]) ? nextOf(same.named) : undefined) ?? nextOf(same.unnamed);
    if (!fragment) return undefined;
    fragment.isSaid = true;
    if (!isBlank(call["id"])) this.#byId.set(idKey(call), fragment);
    return fragment;
  }
}

/** What the text itself says, or what a language reads of it. */
type Reading = "said" | "read";

interface Alike {
  readonly named: Fragment[];
  readonly unnamed: Fragment[];
}

/** The first that was not said again yet; those before it are left out for good. The list is in reverse order. */
function nextOf(fragments: Fragment[]): Fragment | undefined {
  for (let next = fragments.pop(); next; next = fragments.pop()) if (!next.isSaid) return next;
  return undefined;
}

const idKey = (call: JsonObject): string => jsonKey(["named", call["id"] ?? null, nameOf(call)]);
const anyName = (call: JsonObject): string => jsonKey(["any", call["id"] ?? null]);

interface JoinOptions {
  /** Of the chunk that told of each fragment first: calls stand in this order. */
  readonly numbers: readonly number[];
  readonly exact: ExactText | undefined;
  readonly report: ReportCall;
}

/** The fragment with the id, the name and the arguments that only the others have, and the entry that it makes. */
function joinedOf(
  { chunk, wholes }: Fragment,
  { exact, report }: Omit<JoinOptions, "numbers">,
): { readonly chunk: JsonObject; readonly entries: readonly Entry[] } {
  if (wholes.length === 0) return { chunk, entries: callEntries(readLossless([chunk])) };
  const calls = wholes.map(({ call }) => call as JsonObject); // only objects are taken
  const id = isBlank(chunk["id"]) ? calls.map(idOf).find(each => each !== null) : undefined;
  const name = isBlank(chunk["name"]) ? calls.map(nameOf).find(each => each !== "") : undefined;
  const args = argumentsBeyond(chunk, wholes, report);
  const copy: JsonObject = {
    ...chunk,
    ...(name !== undefined && { name }),
    ...(id !== undefined && { id }),
    ...(args !== undefined && { args }),
  };
  if (exact) copyExact(exact, chunk, copy);
  const [entry] = callEntries(readLossless([copy]));
  return { chunk: copy, entries: entry ? [withMore(entry, copy, { wholes, report })] : [] };
}

/** The arguments that the calls say and the fragment's text does not. */
function argumentsBeyond(chunk: JsonObject, wholes: readonly WholeCall[], report: ReportCall): string | undefined {
  const { all, isWhole } = textRead(chunk);
  let best: WholeCall | undefined;
  let value: Json = {};
  for (const whole of wholes) {
    const said = argumentsOf(whole.call as JsonObject); // only objects are taken
    const isKnown = isWhole
      ? isEmptyObject(said) || all.some(each => jsonKey(each) === jsonKey(said))
      : [...all, value].some(each => isBeginning(said, each));
    if (isKnown) continue;
    if (!isWhole && (!best || isBeginning(value, said))) [best, value] = [whole, said];
    else report(whole, "what came first stays");
  }
  if (!best) return undefined;
  if (all.length > 0 && !all.some(each => isBeginning(each, value))) report(best, "what came whole stays");
  const isCustom = chunk["isCustomTool"] === true && isJsonObject(value) && typeof value["input"] === "string";
  return isCustom && isJsonObject(value) ? `${value["input"] as string}` : argumentsText(best.call as JsonObject); // as above
}

/** What the fragment's text says, or what the languages read of it where it is not whole; nothing where it is blank. */
function textRead(chunk: JsonObject): { readonly all: readonly Json[]; readonly isWhole: boolean } {
  const { args = null } = chunk;
  if (isBlank(args) || (typeof args === "string" && args.trim() === "")) return { all: [], isWhole: false };
  if (chunk["isCustomTool"] === true) return { all: [{ input: args }, args], isWhole: true };
  const value = argumentsOf(chunk);
  if (typeof args !== "string" || value !== args.trim()) return { all: [value], isWhole: !isEmptyObject(value) };
  const partial = (["lossless", "python", "js"] as const).map(rules => parsePartialJson(args, rules));
  return { all: [value, ...partial.filter(each => each !== undefined)], isWhole: false };
}

const isEmptyObject = (value: Json): boolean => isJsonObject(value) && Object.keys(value).length === 0;

/** An entry with the members that only the calls have, which stand as such; one that says why it is invalid is that. */
function withMore(
  { list, call }: Entry,
  chunk: JsonObject,
  { wholes, report }: { readonly wholes: readonly WholeCall[]; readonly report: ReportCall },
): Entry {
  const more: MutableJsonObject = {};
  for (const whole of wholes) {
    const said = whole.call as JsonObject; // only objects are taken
    for (const key of Object.keys(said)) {
      if (usual.has(key) && !(key === "error" && isToldError(said))) continue;
      if (spellings.has(key)) continue;
      const value = said[key] ?? null;
      if (Object.hasOwn(more, key) && jsonKey(more[key] ?? null) !== jsonKey(value))
        report(whole, `the first \`${key}\` stays`);
      else more[key] = value;
    }
  }
  if (Object.keys(more).length === 0 || !isJsonObject(call)) return { list, call };
  if (!Object.hasOwn(more, "error") || list === "invalid_tool_calls") return { list, call: { ...call, ...more } };
  return {
    list: "invalid_tool_calls",
    call: { ...call, ...more, args: chunk["args"] ?? null, type: "invalid_tool_call" },
  };
}

/** Other words for the name and the arguments. */
const spellings: ReadonlySet<string> = new Set(["function", "input"]);
