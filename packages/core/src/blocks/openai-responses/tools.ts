/** Tools on the Responses wire, as requests declare them and items add them. */

import type { Recipient } from "../../codec/codec.ts";
import { defined, Reader, rowOf } from "../../codec/reader.ts";
import { hintsOf, kept, present, restored } from "../../codec/remainder.ts";
import type { Tool } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import type { JsonObject } from "../../model/json.ts";
import { fitted, type SchemaSubsets, unfitHint } from "../json-schema/strictness.ts";
import { strictLosses } from "../json-schema/subset.ts";
import { responses, usualHost } from "./node.ts";

export const responsesToolLosses = {
  "host-tool": { kind: "dropped", note: "a hosted tool that the format does not have, or not without its settings" },
  "tool-member": { kind: "dropped", note: "a tool of this type has no such member" },
  ...strictLosses,
} as const;

/** How often each name was met: names are unique in a list. */
export type Taken = Map<string, number>;

/** Hosted tools that others have too, by their types; the first of a kind is the usual one. */
const kinds: { readonly [type: string]: string } = {
  web_search: "web-search",
  web_search_preview: "web-search",
  file_search: "file-search",
  code_interpreter: "code-interpreter",
  image_generation: "image-generation",
  computer: "computer",
  computer_use_preview: "computer",
  mcp: "mcp",
  shell: "shell",
  local_shell: "local-shell",
  apply_patch: "apply-patch",
  tool_search: "tool-search",
  programmatic_tool_calling: "program",
  namespace: "namespace",
};

/** Those that need no settings. */
const plain: ReadonlySet<string> = new Set([
  "web_search",
  "image_generation",
  "computer",
  "local_shell",
  "apply_patch",
  "tool_search",
  "programmatic_tool_calling",
]);

interface ToolHost {
  /** The dialect. Absent = the usual one. */
  readonly host?: string | undefined;
  readonly functions?: SchemaSubsets | undefined;
}

export function readTool(wire: JsonObject, { host, functions = {} }: ToolHost, taken: Taken = new Map()): Tool {
  const reader = new Reader(wire);
  const type = reader.peek("type");
  const name = reader.peek("name");
  const isOwn = (type === "function" || type === "custom") && typeof name === "string";
  if (!isOwn) return readHosted(reader, typeof type === "string" ? type : "tool", taken);
  reader.take("type", "name");
  const unique = uniqueName(name, taken);
  const fields = {
    description: reader.string("description"),
    input: type === "function" ? reader.object("parameters") : undefined,
    output: type === "function" ? reader.object("output_schema") : undefined,
    strict: type === "function" ? reader.boolean("strict") : undefined,
  };
  const unfit = unfitHint({ schema: fields.input, strict: fields.strict }, functions, host ?? usualHost);
  return defined<Tool>({
    name: unique,
    kind: type === "custom" ? type : undefined,
    ...fields,
    ...kept(responses, reader.rest(), { ...(unique !== name && { $name: name }), ...unfit }),
  });
}

/** A tool of the host: its type is its name, or what tells two of a type apart, the rest its settings. */
function readHosted(reader: Reader, type: string, taken: Taken): Tool {
  const told = reader.peek("type");
  if (typeof told === "string") reader.take("type");
  const member = type === "mcp" ? "server_label" : "name";
  const own = reader.peek(member);
  const name = typeof own === "string" && own !== "" ? own : type;
  if (name === own) reader.take(member);
  const unique = uniqueName(name, taken);
  return {
    name: unique,
    kind: rowOf(kinds, type) ?? type.replaceAll("_", "-"),
    ...kept(responses, reader.rest(), {
      $tool: told === type ? type : "",
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

interface ToolScope extends ToolHost {
  readonly recipient: Recipient;
  lose(code: keyof typeof responsesToolLosses, path: Path, detail?: string): void;
}

/** Undefined = the format has no such tool. */
export function writeTool(tool: Tool, path: Path, scope: ToolScope): JsonObject | undefined {
  const { $tool: told, $named: member, $name: ownName } = hintsOf(tool, responses);
  const name = typeof ownName === "string" && tool.name.startsWith(`${ownName}:`) ? ownName : tool.name;
  if (tool.cache) scope.lose("tool-member", [...path, "cache"]);
  const isOwn = tool.kind === undefined || (tool.kind === "custom" && told === undefined);
  if (isOwn) return writeOwn(tool, name, path, scope);
  for (const each of ["description", "input", "output", "strict"] as const) {
    if (tool[each] !== undefined) scope.lose("tool-member", [...path, each]);
  }
  const isTold = typeof told === "string" && (rowOf(kinds, told) ?? told.replaceAll("_", "-")) === tool.kind;
  if (isTold || told === "") {
    return restored(
      present({ type: isTold ? told : undefined, ...(typeof member === "string" && { [member]: name }) }),
      tool,
      responses,
    );
  }
  const type = Object.keys(kinds).find(each => kinds[each] === tool.kind);
  if (type === undefined || !plain.has(type)) {
    scope.lose("host-tool", path, tool.kind);
    return undefined;
  }
  if (name !== type) scope.lose("tool-member", [...path, "name"], name);
  return restored({ type }, tool, responses);
}

function writeOwn(tool: Tool, name: string, path: Path, scope: ToolScope): JsonObject {
  const { kind, description, input, output } = tool;
  if (kind === "custom") {
    for (const each of ["input", "output", "strict"] as const) {
      if (tool[each] !== undefined) scope.lose("tool-member", [...path, each]);
    }
    return restored(present({ type: "custom", name, description }), tool, responses);
  }
  const hasSchema = Object.hasOwn(hintsOf(tool, responses), "parameters");
  const asked =
    input ?? (scope.recipient === "provider" && !hasSchema ? { type: "object", properties: {} } : undefined);
  const isOwn = scope.recipient !== "provider" || hintsOf(tool, responses)["$unfit"] === (scope.host ?? usualHost);
  const place = { schema: [...path, "input"], strict: [...path, "strict"], lose: scope.lose };
  const ruled = { schema: asked, strict: tool.strict };
  const { schema: parameters, strict } = isOwn ? ruled : fitted(ruled, scope.functions ?? {}, place);
  return restored(
    present({ type: "function", name, description, parameters, output_schema: output, strict }),
    tool,
    responses,
  );
}
