import { fitted, unfitHint, usualTools } from "../../blocks/json-schema/strictness.ts";
import { textInput } from "../../blocks/text-input.ts";
import type { DecodeContext, EncodeContext } from "../../codec/codec.ts";
import { defined, Reader } from "../../codec/reader.ts";
import { fillAll, hintsOf, kept, present, remainderOf } from "../../codec/remainder.ts";
import type { Tool } from "../../model/conversation.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { family } from "./wire.ts";

/** `tools`, and `strict_tools`, which is said of all of them. A list with something else than tools stays as it is (R4). */
export function readTools(reader: Reader, context: DecodeContext): Tool[] | undefined {
  const list = reader.peek("tools");
  if (list === undefined || list === null) return undefined;
  const names = Array.isArray(list) ? list.map(nameOf) : [];
  const isList = Array.isArray(list) && !names.includes(undefined) && new Set(names).size === names.length;
  if (!isList) {
    context.issue("unknown-tools", ["tools"], "expected a list of functions; kept as it is");
    return undefined;
  }
  reader.take("tools");
  const strict = list.length > 0 ? reader.boolean("strict_tools") : undefined;
  return (list as readonly JsonObject[]).map(wire => readTool(wire, strict)); // each has a name
}

function nameOf(wire: Json): string | undefined {
  const holder = isJsonObject(wire) ? wire["function"] : undefined;
  const name = isJsonObject(holder) ? holder["name"] : undefined;
  return typeof name === "string" ? name : undefined;
}

function readTool(wire: JsonObject, strict: boolean | undefined): Tool {
  const reader = new Reader(wire);
  const inner = new Reader(reader.object("function") ?? {});
  const hasType = reader.literal("type", "function") || reader.peek("type") !== undefined;
  const fields = {
    name: inner.string("name") ?? "",
    description: inner.string("description"),
    input: inner.object("parameters"),
    strict,
  };
  const rest = inner.rest();
  return defined<Tool>({
    ...fields,
    ...kept(family, reader.rest(), {
      ...(rest && { function: rest }),
      ...(!hasType && { $type: false }),
      ...(fields.input === undefined && { $parameters: false }),
      ...unfitHint({ schema: fields.input }, usualTools, family),
    }),
  });
}

export function writeTools(tools: readonly Tool[], context: EncodeContext): JsonObject {
  const list = tools.flatMap((tool, index) => {
    const wire = writeTool(tool, index, context);
    return wire ? [{ wire, tool, index }] : [];
  });
  const [first] = list;
  const strict = first?.tool.strict;
  const isSame = list.every(({ tool }) => tool.strict === strict);
  for (const { tool, index } of isSame ? [] : list) {
    if (tool.strict !== undefined) context.lose("strict", ["tools", index, "strict"]);
  }
  return { tools: list.map(({ wire }) => wire), ...(isSame && strict !== undefined && { strict_tools: strict }) };
}

function writeTool(tool: Tool, index: number, context: EncodeContext): JsonObject | undefined {
  const { name, kind, description, input } = tool;
  if (kind !== undefined && kind !== "custom") {
    context.lose("host-tool", ["tools", index], kind);
    return undefined;
  }
  if (kind === "custom") context.lose("custom-tool", ["tools", index], name);
  const { $type: type, $parameters: told, $unfit: unfit } = hintsOf(tool, family);
  const path = ["tools", index];
  const place = { schema: [...path, "input"], strict: [...path, "strict"], lose: context.lose };
  const isOwn = context.recipient !== "provider" || unfit === family;
  // The API demands parameters: a tool that takes none says so.
  const none = told === false ? undefined : { type: "object", properties: {} };
  const empty = context.recipient === "provider" ? (kind === "custom" ? textInput : none) : undefined;
  const parameters = isOwn ? (input ?? empty) : fitted({ schema: input ?? empty }, usualTools, place).schema;
  const remainder = remainderOf(tool, family);
  const hasType = type !== false && !Object.hasOwn(remainder, "type");
  return fillAll(
    present({
      type: hasType ? "function" : undefined,
      function: present({ name, description, parameters }),
    }),
    remainder,
  );
}
