import { fits } from "../../blocks/json-schema/fit.ts";
import { geminiTools } from "../../blocks/json-schema/rows-gemini.ts";
import { fitted } from "../../blocks/json-schema/strictness.ts";
import { textInput } from "../../blocks/text-input.ts";
import type { DecodeContext, EncodeContext } from "../../codec/codec.ts";
import { defined, Reader, rowOf } from "../../codec/reader.ts";
import { hintsOf, kept, present, remainderOf, restored } from "../../codec/remainder.ts";
import type { Tool } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { family } from "./wire.ts";

/** Tools of Google's by their types. */
const kinds: { readonly [type: string]: string } = {
  google_search: "web-search",
  code_execution: "code-interpreter",
  url_context: "web-fetch",
  file_search: "file-search",
  google_maps: "maps",
  computer_use: "computer",
  mcp_server: "mcp",
  retrieval: "retrieval",
};

/** Those that need no settings: what a hosted tool of another provider is here. */
const plain: ReadonlySet<string> = new Set([
  "google_search",
  "code_execution",
  "url_context",
  "google_maps",
  "computer_use",
]);

/** Reads `tools`; undefined where they are something else, which then stays as it is (R4). */
export function readTools(wire: Json, context: DecodeContext): readonly Tool[] | undefined {
  if (!Array.isArray(wire) || !wire.every(isJsonObject)) {
    context.issue("unread-tools", ["tools"], "expected a list of objects; kept as it is");
    return undefined;
  }
  const taken = new Map<string, number>();
  return (wire as readonly JsonObject[]).map(tool => readTool(tool, taken)); // every item was looked at
}

function readTool(wire: JsonObject, taken: Map<string, number>): Tool {
  const reader = new Reader(wire);
  const name = reader.peek("name");
  if (reader.peek("type") !== "function" || typeof name !== "string") return readHosted(reader, taken);
  reader.take("type", "name");
  const unique = uniqueName(name, taken);
  const input = reader.object("parameters");
  return defined<Tool>({
    name: unique,
    description: reader.string("description"),
    input,
    ...kept(family, reader.rest(), {
      ...(unique !== name && { $name: name }),
      ...(!isTaken(input) && { $unfit: true }),
    }),
  });
}

/** A tool of Google's: its type is its name, unless it has one of its own; the rest are its settings. */
function readHosted(reader: Reader, taken: Map<string, number>): Tool {
  const type = reader.string("type");
  const own = reader.peek("name");
  const isNamed = typeof own === "string" && own !== "";
  if (isNamed) reader.take("name");
  const name = isNamed ? own : (type ?? "tool");
  const unique = uniqueName(name, taken);
  return {
    name: unique,
    kind: kindOf(type ?? "tool"),
    ...kept(family, reader.rest(), {
      $tool: type ?? false,
      ...(isNamed && { $named: true }),
      ...(unique !== name && { $name: name }),
    }),
  };
}

/** Whether a schema is one that the API takes; one that was read and is not stays. */
export const isTaken = (schema: Json | undefined): boolean => schema === undefined || fits(schema, geminiTools);

/** The schema as the API takes it. */
export const fitFor = (schema: Json | undefined, path: Path, { lose }: EncodeContext): Json | undefined =>
  fitted({ schema }, { usual: geminiTools }, { schema: path, strict: path, lose }).schema;

const kindOf = (type: string): string => rowOf(kinds, type) ?? type.replaceAll("_", "-");

function uniqueName(name: string, taken: Map<string, number>): string {
  const number = (taken.get(name) ?? 0) + 1;
  taken.set(name, number);
  return number === 1 ? name : uniqueName(`${name}:${number}`, taken);
}

/** Whether a tool searches what its host stores. */
export const searchesStore = (tool: Tool): boolean =>
  Object.hasOwn(remainderOf(tool, family), "file_search_store_names");

type ForTools = EncodeContext & {
  /** Stores that the tools speak of are another host's. */
  readonly isAway: boolean;
};

export const writeTools = (tools: readonly Tool[], context: ForTools): JsonObject[] =>
  tools.flatMap((tool, index) => {
    const wire = writeTool(tool, ["tools", index], context);
    return wire ? [wire] : [];
  });

function writeTool(tool: Tool, path: (string | number)[], context: ForTools): JsonObject | undefined {
  if (context.isAway && searchesStore(tool)) {
    context.lose("foreign-state", path, tool.kind);
    return undefined;
  }
  const { $tool: told, $named: isNamed, $name: ownName } = hintsOf(tool, family);
  const name = typeof ownName === "string" && tool.name.startsWith(`${ownName}:`) ? ownName : tool.name;
  const { kind, description, input } = tool;
  if (kind === undefined || (kind === "custom" && told === undefined)) {
    if (kind !== undefined) context.lose("custom-tool", [...path, "kind"]);
    if (input !== undefined && !isJsonObject(input)) context.lose("tool-member", [...path, "input"]);
    const isFree = context.recipient !== "provider" || hintsOf(tool, family)["$unfit"] === true;
    const given = kind === "custom" && context.recipient === "provider" ? textInput : undefined;
    const schema = isJsonObject(input) ? input : given;
    const parameters = isFree ? schema : fitFor(schema, [...path, "input"], context);
    return restored(present({ type: "function", name, description, parameters }), tool, family);
  }
  for (const each of ["description", "input"] as const) {
    if (tool[each] !== undefined) context.lose("tool-member", [...path, each]);
  }
  if (told === false || (typeof told === "string" && kindOf(told) === kind)) {
    const type = told === false ? undefined : told;
    return restored(present({ type, name: isNamed === true ? name : undefined }), tool, family);
  }
  const type = Object.keys(kinds).find(each => kinds[each] === kind);
  if (type === undefined || !plain.has(type)) {
    context.lose("host-tool", path, kind);
    return undefined;
  }
  if (name !== type) context.lose("host-tool-name", [...path, "name"], name);
  return restored({ type }, tool, family);
}
