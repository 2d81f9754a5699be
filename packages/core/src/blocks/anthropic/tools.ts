/** Tools on Anthropic's Messages wire, as requests declare them and messages add them. */

import type { Recipient } from "../../codec/codec.ts";
import { defined, Reader, rowOf } from "../../codec/reader.ts";
import { hintsOf, kept, present, restored } from "../../codec/remainder.ts";
import type { Tool } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import type { JsonObject } from "../../model/json.ts";
import { anthropicStrict, anthropicTools } from "../json-schema/rows-anthropic.ts";
import { anyTools } from "../json-schema/rows-any.ts";
import { fitted, isFit, type SchemaSubsets } from "../json-schema/strictness.ts";
import { strictLosses } from "../json-schema/subset.ts";
import { textInput } from "../text-input.ts";
import { anthropic, readCache, writeCache } from "./node.ts";

export const anthropicToolLosses = {
  "host-tool": { kind: "dropped", note: "a hosted tool that the format does not have, or not without its settings" },
  "tool-member": { kind: "dropped", note: "a tool of this type has no such member" },
  "tool-input": { kind: "approximated", note: "the input of a tool is an object" },
  ...strictLosses,
} as const;

/** How often each name was met: names are unique in a list. */
export type Taken = Map<string, number>;

/** Kinds of tools by their type without its date; the rest tells its own. */
const kinds: { readonly [type: string]: string } = {
  code_execution: "code-interpreter",
  bash: "shell",
  text_editor: "text-editor",
  mcp_toolset: "mcp",
  tool_search_tool_bm25: "tool-search",
  tool_search_tool_regex: "tool-search",
};
const kindOf = (type: string): string => {
  const name = type.replace(/_\d{8}$/, "");
  return rowOf(kinds, name) ?? name.replaceAll("_", "-");
};

/** The tools that need no settings, as they were last released on 2026-11-30 for all who may use them. */
const usual: { readonly [kind: string]: { readonly type: string; readonly name: string } } = {
  "web-search": { type: "web_search_20250305", name: "web_search" },
  "web-fetch": { type: "web_fetch_20250910", name: "web_fetch" },
  "code-interpreter": { type: "code_execution_20250825", name: "code_execution" },
  "tool-search": { type: "tool_search_tool_bm25_20251119", name: "tool_search_tool_bm25" },
};

export const readAddedTool = (wire: JsonObject): Tool => readTool(wire, new Map());

export function readTool(wire: JsonObject, taken: Taken): Tool {
  const reader = new Reader(wire);
  const type = reader.peek("type");
  const name = reader.peek("name");
  const isOwn = (type === undefined || type === "custom" || type === null) && typeof name === "string";
  if (!isOwn) return readHosted(reader, typeof type === "string" ? type : undefined, taken);
  reader.take("name");
  const unique = uniqueName(name, taken);
  const description = reader.string("description");
  const ruled = { schema: reader.object("input_schema"), strict: reader.boolean("strict") };
  const hints = { ...(unique !== name && { $name: name }), ...(!isFit(ruled, ownSchemas) && { $unfit: true }) };
  return defined<Tool>({
    name: unique,
    description,
    input: ruled.schema,
    strict: ruled.strict,
    ...readCache(reader),
    ...kept(anthropic, reader.rest(), hints),
  });
}

/** A tool that the provider defines: its type says what it is, the rest its settings. */
function readHosted(reader: Reader, type: string | undefined, taken: Taken): Tool {
  if (type !== undefined) reader.take("type");
  const member = type === "mcp_toolset" ? "mcp_server_name" : "name";
  const own = reader.peek(member);
  const name = typeof own === "string" && own !== "" ? own : (type ?? "tool");
  if (name === own) reader.take(member);
  const unique = uniqueName(name, taken);
  return {
    name: unique,
    kind: type === undefined ? "tool" : kindOf(type),
    ...readCache(reader),
    ...kept(anthropic, reader.rest(), {
      $tool: type ?? "",
      ...(name === own && { $named: member }),
      ...(unique !== name && { $name: name }),
    }),
  };
}

function uniqueName(name: string, taken: Taken): string {
  const number = (taken.get(name) ?? 0) + 1;
  taken.set(name, number);
  return number === 1 ? name : uniqueName(`${name}:${number}`, taken);
}

const ownSchemas: SchemaSubsets = { usual: anthropicTools, strict: anthropicStrict };

interface ToolScope {
  readonly recipient: Recipient;
  /** Who made the models that are asked. */
  readonly maker: string | undefined;
  lose(code: keyof typeof anthropicToolLosses, path: Path, detail?: string): void;
}

/** Undefined = the format has no such tool. */
export function writeTool(tool: Tool, path: Path, scope: ToolScope): JsonObject | undefined {
  const { $tool: told, $named: member, $name: ownName } = hintsOf(tool, anthropic);
  const { kind } = tool;
  const name = typeof ownName === "string" && tool.name.startsWith(`${ownName}:`) ? ownName : tool.name;
  if (kind === undefined || kind === "custom") return writeOwn(tool, name, path, scope);
  for (const each of ["description", "input", "strict"] as const) {
    if (tool[each] !== undefined) scope.lose("tool-member", [...path, each]);
  }
  const isTold = typeof told === "string" && (told === "" || kindOf(told) === kind);
  if (isTold) {
    const fields = { ...(told !== "" && { type: told }), ...(typeof member === "string" && { [member]: name }) };
    return restored(present({ ...fields, ...writeCache(tool) }), tool, anthropic);
  }
  const row = rowOf(usual, kind);
  if (!row) {
    scope.lose("host-tool", path, kind);
    return undefined;
  }
  if (name !== row.name) scope.lose("tool-member", [...path, "name"], name);
  return restored(present({ ...row, ...writeCache(tool) }), tool, anthropic);
}

function writeOwn(tool: Tool, name: string, path: Path, scope: ToolScope): JsonObject {
  const { kind, description, input, strict: told } = tool;
  if (kind === "custom") scope.lose("tool-input", path);
  const hasSchema = Object.hasOwn(hintsOf(tool, anthropic), "input_schema");
  const isWanted = scope.recipient === "provider" && !hasSchema;
  const empty = isWanted ? { type: "object", properties: {} } : undefined;
  const usual = input ?? (kind === "custom" ? textInput : empty);
  const isOwn = scope.recipient !== "provider" || hintsOf(tool, anthropic)["$unfit"] === true;
  const subsets = scope.maker === anthropic ? ownSchemas : { usual: anyTools };
  const place = { schema: [...path, "input"], strict: [...path, "strict"], lose: scope.lose };
  const ruled = { schema: usual, strict: told };
  const { schema, strict } = isOwn ? ruled : fitted(ruled, subsets, place);
  return restored(present({ name, description, input_schema: schema, strict, ...writeCache(tool) }), tool, anthropic);
}
