import type { ExactText } from "../../model/exact-text.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import { type PartialJson, partialJson } from "../../stream/partial-json.ts";
import { isBlank, sayingOf } from "./call-sayings.ts";
import { isMergeable, type ListIndex, type MergeRules, Merger, type Placed } from "./merge-values.ts";

/** The text of a call's arguments while it is watched, and how much of it was read. */
interface Watched {
  readonly json: PartialJson;
  length: number;
}

/**
 * Fragments of calls: by index, else by id, else going on with the last. One that has a name and arguments behind arguments
 * that are whole is the beginning of another call: some integrations (Ollama of JavaScript, 2026-11-30) write every call
 * with index 0 and without an id. LangChain's own rules would append one's text to the other's.
 */
export class MergedFragments {
  readonly list: Json[] = [];
  readonly #merger: Merger;
  readonly #watched = new WeakMap<JsonObject, Watched>();
  /** What of the fragment at hand is new. */
  #news: JsonObject = {};

  constructor(rules: MergeRules, exact: ExactText | undefined) {
    const match: MergeRules["match"] = (list, item) => this.#match(list, item);
    const continuing: MergeRules["continuing"] = element => rules.continuing(element, this.#news);
    this.#merger = new Merger({ ...rules, match, continuing }, exact);
  }

  add(chunk: JsonObject, placed?: Placed): void {
    this.#news = chunk;
    this.#merger.list(this.list, [chunk], (_, place) => placed?.(this.#news, place));
  }

  #match(list: ListIndex, item: JsonObject): number | undefined {
    const place = matchFragment(list, item);
    if (place === undefined) return undefined;
    const known = list.at(place);
    const isOther = !isBlank(known["name"]) && !isBlank(item["name"]) && hasArguments(item) && this.#isWhole(known);
    if (!isOther) return place;
    if (!isRepeated(known, item)) return undefined;
    this.#news = withoutArguments(item);
    return place;
  }

  /** Whether no text can follow its arguments. Each character is read once. */
  #isWhole(known: JsonObject): boolean {
    const { args = null, isCustomTool } = known;
    if (isCustomTool === true) return false;
    if (typeof args !== "string") return args !== null;
    const watched = this.#watched.get(known) ?? { json: partialJson(), length: 0 };
    this.#watched.set(known, watched);
    watched.json.push(args.slice(watched.length));
    watched.length = args.length;
    return watched.json.state === "complete" && typeof watched.json.value === "object";
  }
}

function matchFragment(list: ListIndex, item: JsonObject): number | undefined {
  const { index, id } = item;
  if (isMergeable(index)) return list.withIndex(index).findLast(place => idsFit(list.at(place), item));
  if (!isBlank(id)) return typeof id === "string" ? list.withId(id).at(-1) : undefined;
  return isBlank(item["name"]) && list.list.length > 0 ? list.list.length - 1 : undefined;
}

const hasArguments = ({ args }: JsonObject): boolean =>
  !isBlank(args) && (typeof args !== "string" || args.trim() !== "");

const idsFit = ({ id: left }: JsonObject, { id: right }: JsonObject): boolean =>
  isBlank(left) || isBlank(right) || left === right;

/** The same call once more, as its id says. */
const isRepeated = (known: JsonObject, item: JsonObject): boolean =>
  !isBlank(item["id"]) && item["id"] === known["id"] && sayingOf(known) === sayingOf(item);

function withoutArguments({ args: _, ...members }: JsonObject): JsonObject {
  return members;
}
