import { fitted, unfitHint, usualTools } from "../../blocks/json-schema/strictness.ts";
import { textInput } from "../../blocks/text-input.ts";
import type { DecodeContext, EncodeContext } from "../../codec/codec.ts";
import { defined, Reader, rowOf } from "../../codec/reader.ts";
import { fillAll, hintsOf, kept, present, remainderOf } from "../../codec/remainder.ts";
import type { Tool } from "../../model/conversation.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { family } from "./wire.ts";

/** How often each name was met. */
type Taken = Map<string, number>;

/** A list with something that is no object is kept as it is (R4). */
export function readTools(reader: Reader, context: DecodeContext): Tool[] | undefined {
  const wire = reader.peek("tools");
  if (wire === undefined || wire === null) return undefined;
  if (!Array.isArray(wire) || !wire.every(isJsonObject)) {
    context.issue("unknown-tools", ["tools"], "expected a list of objects; kept as it is");
    return undefined;
  }
  reader.take("tools");
  const taken: Taken = new Map();
  return wire.map(tool => readTool(tool, taken));
}

/** Mistral's own tools that others have too, by their types; the first of a kind is the usual one. */
const kinds: { readonly [type: string]: string } = {
  web_search: "web-search",
  web_search_premium: "web-search",
  code_interpreter: "code-interpreter",
  image_generation: "image-generation",
  document_library: "file-search",
};

function readTool(wire: JsonObject, taken: Taken): Tool {
  const reader = new Reader(wire);
  const type = reader.peek("type");
  const holder = type === "function" || type === undefined ? reader.object("function") : undefined;
  const inner = holder && new Reader(holder);
  const own = inner?.string("name");
  if (inner && own !== undefined) {
    reader.take("type");
    const name = unique(own, taken);
    const fields = {
      description: inner.string("description"),
      input: inner.object("parameters"),
      strict: inner.boolean("strict"),
    };
    const rest = inner.rest();
    const hints = {
      ...(rest && { function: rest }),
      ...(type === undefined && { $type: false }),
      ...(name !== own && { $name: own }),
      ...(fields.input === undefined && { $parameters: false }),
      ...unfitHint({ schema: fields.input }, usualTools, family),
    };
    return defined<Tool>({ name, ...fields, ...kept(family, reader.rest(), hints) });
  }
  // A tool of the host itself: its type is its name, the rest its settings.
  const name = typeof type === "string" ? type : "tool";
  const kind = rowOf(kinds, name) ?? name.replaceAll("_", "-");
  return { name: unique(name, taken), kind, ...kept(family, wire, { $tool: "host" }) };
}

/** Names are unique in the list: a second one of a name gets a number, and its own name is kept beside. */
function unique(name: string, taken: Taken): string {
  const number = (taken.get(name) ?? 0) + 1;
  taken.set(name, number);
  return number === 1 ? name : unique(`${name}:${number}`, taken);
}

export const writeTools = (tools: readonly Tool[], context: EncodeContext): Json[] =>
  tools.flatMap((tool, index) => writeTool(tool, index, context) ?? []);

function writeTool(tool: Tool, index: number, context: EncodeContext): JsonObject | undefined {
  const { $tool: form, $name: ownName, $type: type, $parameters: told, $unfit: unfit } = hintsOf(tool, family);
  if (form === "host") return remainderOf(tool, family);
  const path = ["tools", index];
  if (tool.kind !== undefined && tool.kind !== "custom") return writeHosted(tool, path, context);
  if (tool.kind === "custom") context.lose("custom-tool", [...path, "kind"]);
  const name = typeof ownName === "string" && tool.name.startsWith(`${ownName}:`) ? ownName : tool.name;
  const { description, input, strict } = tool;
  const place = { schema: [...path, "input"], strict: [...path, "strict"], lose: context.lose };
  const isOwn = context.recipient !== "provider" || unfit === family;
  // The API demands parameters: a tool that takes none says so.
  const none = told === false ? undefined : { type: "object", properties: {} };
  const empty = context.recipient === "provider" ? (tool.kind === "custom" ? textInput : none) : undefined;
  const parameters = isOwn ? (input ?? empty) : fitted({ schema: input ?? empty }, usualTools, place).schema;
  const inner = present({ name, description, parameters, strict });
  return fillAll({ ...(type !== false && { type: "function" }), function: inner }, remainderOf(tool, family));
}

/** A hosted tool of another provider is Mistral's own of its kind, if it has one and nothing is to be set. */
function writeHosted(tool: Tool, path: readonly (string | number)[], context: EncodeContext): JsonObject | undefined {
  const type = Object.keys(kinds).find(each => kinds[each] === tool.kind);
  if (type === undefined || type === "document_library") {
    context.lose("host-tool", path, tool.kind);
    return undefined;
  }
  for (const member of ["description", "input", "strict"] as const) {
    if (tool[member] !== undefined) context.lose("host-tool-member", [...path, member]);
  }
  if (tool.name !== type) context.lose("host-tool-name", [...path, "name"], tool.name);
  return { type };
}
