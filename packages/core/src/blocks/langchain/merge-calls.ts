import type { ExactText } from "../../model/exact-text.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { isBlank, jsonKey, nameOf, sayingOf } from "./call-sayings.ts";
import { type ChunkCalls, readLossless } from "./chunk-calls.ts";
import { MergedFragments } from "./merge-fragments.ts";
import type { MergeRules, Placed } from "./merge-values.ts";
import { type CallList, derivedTest, joinCalls, keyOf, type WholeCall } from "./told-calls.ts";

/** Told that calls of one id say two things: the number of the chunk, the list that it stands in, and what stays. */
export type ReportCalls = (number: number, list: CallList, what: string) => void;

/** The calls of chunks: fragments, and calls that stand as such, which may be those of fragments. */
export class MergedCalls {
  readonly #fragments: MergedFragments;
  readonly #exact: ExactText | undefined;
  /** Of the chunk that told of each fragment first. */
  readonly #numbers: number[] = [];
  #given: WholeCall[] = [];
  /** Those given with an id, so that each is given once. */
  readonly #known = new Set<string>();
  readonly #reported = new Set<WholeCall>();

  constructor(rules: MergeRules, exact: ExactText | undefined) {
    this.#fragments = new MergedFragments(rules, exact);
    this.#exact = exact;
  }

  /** The fragments so far, one for each call: they grow in place. */
  get fragments(): readonly Json[] {
    return this.#fragments.list;
  }

  /**
   * Takes the calls of a chunk. Which of those that stand as such are told by fragments is known when all are there. Without
   * an id a call that is said again in another chunk is another call, as for both languages.
   */
  add(fields: JsonObject, number: number, watch: Placed | undefined): void {
    const chunks = listOf(fields["tool_call_chunks"]);
    for (const chunk of chunks) {
      if (isJsonObject(chunk)) this.#fragments.add(chunk, watch);
      else this.#given.push({ list: "invalid_tool_calls", call: chunk, number }); // what it is its reader says
    }
    while (this.#numbers.length < this.#fragments.list.length) this.#numbers.push(number);
    const isDerived = derivedTest(chunks);
    for (const whole of wholesOf(fields, number)) {
      const { call } = whole;
      if (!isJsonObject(call) || !isDerived(call)) this.#give(whole);
    }
  }

  #give(whole: WholeCall): void {
    const { call, list } = whole;
    if (isJsonObject(call) && !isBlank(call["id"])) {
      const key = jsonKey([list, call]);
      if (this.#known.has(key)) return;
      this.#known.add(key);
    }
    this.#given.push(whole);
  }

  /** Takes those of the whole message, told at its end, that no chunk tells of. */
  fill(fields: JsonObject, number: number): void {
    if (this.#fragments.list.length + this.#given.length === 0) {
      this.add(fields, number, undefined);
      return;
    }
    const given = new GivenCalls(this.#given);
    const isDerived = derivedTest(this.#fragments.list);
    const wholes = wholesOf(fields, number);
    const all = [...wholes, ...wholesBeside(wholes, listOf(fields["tool_call_chunks"]), number)];
    const more: WholeCall[] = [];
    for (const whole of all) if (!isJsonObject(whole.call) || !given.tells(whole.call)) more.push(whole);
    this.#given = given.calls;
    for (const whole of more) {
      const isNamed = isJsonObject(whole.call) && !isBlank(whole.call["id"]);
      if (!isNamed || !isJsonObject(whole.call) || !isDerived(whole.call)) this.#give(whole);
    }
  }

  /** The lists of the whole message. What they say differently is reported once. */
  read(report: ReportCalls): ChunkCalls {
    return joinCalls(this.#given, this.#fragments.list, {
      numbers: this.#numbers,
      exact: this.#exact,
      report: (whole, what) => {
        if (this.#reported.has(whole)) return;
        this.#reported.add(whole);
        report(whole.number, whole.list, what);
      },
    });
  }
}

/** Calls that stood as such in chunks, of which a whole message tells again: each once. */
class GivenCalls {
  readonly calls: WholeCall[];
  readonly #ids = new Set<string>();
  readonly #named = new Map<string, number[]>();
  readonly #unnamed = new Map<string, number[]>();

  constructor(given: readonly WholeCall[]) {
    this.calls = [...given];
    for (const [place, { call }] of [...given.entries()].reverse()) {
      if (!isJsonObject(call)) this.#put(this.#unnamed, jsonKey(call), place);
      else {
        if (!isBlank(call["id"])) this.#ids.add(keyOf(call));
        this.#put(isBlank(call["id"]) ? this.#unnamed : this.#named, sayingOf(call), place);
      }
    }
  }

  #put(places: Map<string, number[]>, key: string, place: number): void {
    const same = places.get(key);
    if (same) same.push(place);
    else places.set(key, [place]);
  }

  /** Whether one of them is this call. One without an id gets that of the call. */
  tells(call: JsonObject): boolean {
    const saying = sayingOf(call);
    if (isBlank(call["id"])) return (this.#named.get(saying)?.pop() ?? this.#unnamed.get(saying)?.pop()) !== undefined;
    if (this.#ids.has(keyOf(call))) return true;
    const place = this.#unnamed.get(saying)?.pop();
    const known = place === undefined ? undefined : this.calls[place];
    if (place === undefined || !known || !isJsonObject(known.call)) return false;
    this.calls[place] = { ...known, call: { ...known.call, id: call["id"] ?? null } };
    return true;
  }
}

function wholesOf(fields: JsonObject, number: number): readonly WholeCall[] {
  return lists.flatMap(list => listOf(fields[list]).map(call => ({ list, call, number })));
}

/** Fragments that a whole message has kept are whole as well: those that its lists do not tell of. */
function wholesBeside(wholes: readonly WholeCall[], chunks: readonly Json[], number: number): readonly WholeCall[] {
  const idAndName = (call: JsonObject): string => jsonKey([call["id"] || null, nameOf(call)]);
  const told = new Set(wholes.flatMap(({ call }) => (isJsonObject(call) ? [idAndName(call)] : [])));
  return chunks.flatMap(chunk => {
    if (isJsonObject(chunk) && told.has(idAndName(chunk))) return [];
    const { tool_calls, invalid_tool_calls } = readLossless([chunk]);
    return wholesOf({ tool_calls, invalid_tool_calls }, number);
  });
}

const lists = ["tool_calls", "invalid_tool_calls"] as const;

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
