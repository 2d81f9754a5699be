import { present } from "../../codec/remainder.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { joinedData, joinsData } from "./coalesce-data.ts";
import { givenOf, itemsOf, wordOf } from "./update-members.ts";

/** Below as many contents within contents nothing is put together: .NET reads no deeper JSON. */
const mostLevels = 64;

/**
 * The contents of one message as .NET leaves them when it has combined updates: neighbours that are pieces of one thing are
 * one, later pictures and searches of one call are at the place of the first. Nulls separate texts, and then they go.
 */
export function coalesceContents(contents: readonly Json[], level = 0): readonly Json[] {
  if (level >= mostLevels) return contents;
  let items = mergeRuns(contents, texts).filter(isJsonObject);
  items = mergeRuns(items, reasoning);
  items = mergeCalls(items, "imageGenerationToolResult", pictures => pictures.at(-1) ?? {});
  items = mergeCalls(items, "webSearchToolCall", searches);
  items = mergeRuns(items, data);
  items = mergeRuns(items, code("codeInterpreterToolCall", "inputs", level));
  return mergeRuns(items, code("codeInterpreterToolResult", "outputs", level));
}

/** Contents of one kind that may follow one another as pieces. */
interface Run {
  readonly type: string;
  readonly joins?: (item: JsonObject, next: JsonObject) => boolean;
  readonly merge: (pieces: readonly JsonObject[]) => JsonObject;
  /** For a piece that stands alone, where it is not left as it is. */
  readonly alone?: (piece: JsonObject) => JsonObject;
}

const texts: Run = {
  type: "text",
  merge: pieces => ({ $type: "text", text: joinedText(pieces), ...propertiesOf(pieces[0]) }),
};

/** Protected data ends the reasoning that it protects. */
const reasoning: Run = {
  type: "reasoning",
  joins: ({ protectedData }) => wordOf(protectedData) === undefined,
  merge: pieces => ({
    $type: "reasoning",
    text: joinedText(pieces),
    ...present({ protectedData: givenOf(pieces.at(-1)?.["protectedData"]) }),
    ...propertiesOf(pieces[0]),
  }),
};

const data: Run = { type: "data", joins: joinsData, merge: joinedData };

const code = (type: string, list: "inputs" | "outputs", level: number): Run => ({
  type,
  joins: (item, next) => item["callId"] === next["callId"],
  merge: pieces => ({
    $type: type,
    [list]: coalesceContents(
      pieces.flatMap(piece => itemsOf(piece[list])),
      level + 1,
    ),
    ...present({ callId: pieces[0]?.["callId"] }),
    ...propertiesOf(pieces[0]),
  }),
  alone: piece => (Array.isArray(piece[list]) ? { ...piece, [list]: coalesceContents(piece[list], level + 1) } : piece),
});

function mergeRuns<T extends Json>(items: readonly T[], run: Run): (T | JsonObject)[] {
  const merged: (T | JsonObject)[] = [];
  for (let start = 0; start < items.length; ) {
    const first = items[start] as T; // inside the list
    let last = pieceOf(first, run);
    const pieces: JsonObject[] = last ? [last] : [];
    let end = start + 1;
    for (; last; end++) {
      const next = pieceOf(items[end], run);
      if (!next || (run.joins && !run.joins(last, next))) break;
      pieces.push(next);
      last = next;
    }
    if (pieces.length > 1) merged.push(run.merge(pieces));
    else merged.push(pieces[0] && run.alone ? run.alone(pieces[0]) : first);
    start = end;
  }
  return merged;
}

/** A content of the run's kind. One with annotations stays alone: they speak of its own text. */
const pieceOf = (item: Json | undefined, { type }: Run): JsonObject | undefined =>
  isJsonObject(item) && item["$type"] === type && itemsOf(item["annotations"]).length === 0 ? item : undefined;

/** Contents of one kind and one call, wherever they stand, merged at the place of the first. */
function mergeCalls(
  items: readonly JsonObject[],
  type: string,
  merge: (pieces: readonly JsonObject[]) => JsonObject,
): JsonObject[] {
  const calls = new Map<string, JsonObject[]>();
  const places = items.map(item => {
    const { $type, callId: id } = item;
    if ($type !== type || typeof id !== "string") return [item];
    const known = calls.get(id);
    if (known) {
      known.push(item);
      return undefined;
    }
    const pieces = [item];
    calls.set(id, pieces);
    return pieces;
  });
  return places.flatMap(pieces => {
    const [only, second] = pieces ?? [];
    if (!pieces || !only) return [];
    return [second ? merge(pieces) : only];
  });
}

function searches(pieces: readonly JsonObject[]): JsonObject {
  const queries = pieces.flatMap(piece => itemsOf(piece["queries"]));
  const firstOf = (name: string): Json | undefined =>
    pieces.map(piece => givenOf(piece[name])).find(value => value !== undefined);
  return {
    $type: "webSearchToolCall",
    ...present({
      queries: queries.length > 0 ? queries : givenOf(pieces[0]?.["queries"]),
      callId: pieces[0]?.["callId"],
      annotations: firstOf("annotations"),
      additionalProperties: firstOf("additionalProperties"),
    }),
  };
}

const joinedText = (pieces: readonly JsonObject[]): string =>
  pieces.map(({ text }) => (typeof text === "string" ? text : "")).join("");

const propertiesOf = (first: JsonObject | undefined): JsonObject =>
  present({ additionalProperties: givenOf(first?.["additionalProperties"]) });
