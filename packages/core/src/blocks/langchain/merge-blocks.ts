import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { isBlank, jsonKey } from "./call-sayings.ts";
import { isMergeable, type ListIndex } from "./merge-values.ts";

/** The place of the block of a content that this one goes on with. */
export function matchBlock(list: ListIndex, item: JsonObject): number | undefined {
  const { index, id, type } = item;
  if (isMergeable(index)) {
    const place = list.withIndex(index).findLast(each => typesFit(list.at(each), item) && idsFit(list.at(each), item));
    return place === undefined || relationOf(list.at(place), item) === "other" ? undefined : place;
  }
  // Without an index only texts come in pieces; other things of one id are said again, and both are kept.
  if (typeof id !== "string" || typeof type !== "string" || !texts.has(type)) return undefined;
  return list.withId(id).findLast(place => list.at(place)["type"] === type);
}

/** What the block adds to the one that it goes on with. */
export function newsOf(element: JsonObject, item: JsonObject): JsonObject {
  if (relationOf(element, item) !== "again") return item;
  const { input: _, args: __, functionCall: ___, ...others } = item;
  return others;
}

/** Calls whose arguments are whole: the same once more, as its id says, or another; undefined = a piece, or no calls. */
function relationOf(element: JsonObject, item: JsonObject): "again" | "other" | undefined {
  const [left, right] = [callOf(element), callOf(item)];
  if (!left || !right) return undefined;
  if (isBlank(item["id"]) || item["id"] !== element["id"]) return "other";
  if (jsonKey(left) === jsonKey(right)) return "again";
  return [left, right].some(({ args }) => Object.keys(args).length === 0) ? undefined : "other";
}

/** A call of a block whose arguments came as an object. */
function callOf(block: JsonObject): { readonly name: Json; readonly args: JsonObject } | undefined {
  const { functionCall } = block;
  const { name = "", args, input } = isJsonObject(functionCall) ? functionCall : block;
  const given = args ?? input;
  return isBlank(name) || !isJsonObject(given) ? undefined : { name, args: given };
}

const texts: ReadonlySet<string> = new Set(["text", "reasoning", "thinking", "refusal", "output_text"]);

const idsFit = ({ id: left }: JsonObject, { id: right }: JsonObject): boolean =>
  isBlank(left) || isBlank(right) || left === right;

const baseOf = (type: string): string => type.replace(/_delta$/, "");

function typesFit({ type: left }: JsonObject, { type: right }: JsonObject): boolean {
  if (typeof left !== "string" || typeof right !== "string" || baseOf(left) === baseOf(right)) return true;
  // Anthropic's arguments come as blocks of their own.
  return right === "input_json_delta" && left.endsWith("tool_use");
}
