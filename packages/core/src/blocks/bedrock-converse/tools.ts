/** Tools on Bedrock's Converse wire, as requests declare them. */

import type { Recipient } from "../../codec/codec.ts";
import { defined, Reader } from "../../codec/reader.ts";
import { hintsOf, kept, present, restored } from "../../codec/remainder.ts";
import type { Conversation, Tool } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { anthropicStrict, anthropicTools } from "../json-schema/rows-anthropic.ts";
import { anyTools } from "../json-schema/rows-any.ts";
import { fitted, isFit, type SchemaSubsets } from "../json-schema/strictness.ts";
import { strictLosses } from "../json-schema/subset.ts";
import { textInput } from "../text-input.ts";
import { asObject, bedrock, kindOf, usualName, withCachePoints, writeCachePoint } from "./node.ts";

export const bedrockToolLosses = {
  "host-tool": { kind: "dropped", note: "a hosted tool that the model does not have" },
  "tool-member": { kind: "dropped", note: "a tool of this type has no such member" },
  "tool-input": { kind: "approximated", note: "the input of a tool is an object" },
  ...strictLosses,
} as const;

/** How often each name was met: names are unique in a list. */
type Taken = Map<string, number>;

export function readTools(list: readonly JsonObject[], vendor: string | undefined): Tool[] {
  const taken: Taken = new Map();
  return withCachePoints(list, wire => readTool(asObject(wire), taken, vendor));
}

/** Claude's schemas are Anthropic's, at any host. */
const subsetsOf = (vendor: string | undefined): SchemaSubsets =>
  vendor === "anthropic" ? { usual: anthropicTools, strict: anthropicStrict } : { usual: anyTools };

function readTool(wire: JsonObject, taken: Taken, vendor: string | undefined): Tool {
  const reader = new Reader(wire);
  const own = new Reader(asObject(reader.peek("toolSpec")));
  const name = own.string("name");
  if (name === undefined) return readOther(reader, taken);
  reader.take("toolSpec");
  const holder = own.peek("inputSchema");
  const schema = isJsonObject(holder) ? new Reader(holder) : undefined;
  const input = schema?.object("json");
  if (input) own.take("inputSchema");
  const left = input && schema?.rest();
  const description = own.string("description");
  const strict = own.boolean("strict");
  const rest = left ? { ...own.rest(), inputSchema: left } : own.rest();
  const unique = uniqueName(name, taken);
  return defined<Tool>({
    name: unique,
    description,
    input,
    strict,
    ...kept(bedrock, reader.rest(), {
      ...(rest && { toolSpec: rest }),
      ...(unique !== name && { $name: name }),
      ...(!isFit({ schema: input, strict }, subsetsOf(vendor)) && { $unfit: true }),
    }),
  });
}

/** A tool that the provider defines; or of a type that is not known, by its member. */
function readOther(reader: Reader, taken: Taken): Tool {
  const holder = new Reader(asObject(reader.peek("systemTool")));
  const own = holder.string("name");
  if (own !== undefined) reader.take("systemTool");
  const rest = own === undefined ? undefined : holder.rest();
  const [member = "tool"] = Object.keys(reader.value);
  const name = own ?? member;
  const unique = uniqueName(name, taken);
  return {
    name: unique,
    kind: own === undefined ? member : kindOf(own),
    ...kept(bedrock, reader.rest(), {
      $tool: own === undefined ? "other" : "systemTool",
      ...(rest && { systemTool: rest }),
      ...(unique !== name && { $name: name }),
    }),
  };
}

function uniqueName(name: string, taken: Taken): string {
  const number = (taken.get(name) ?? 0) + 1;
  taken.set(name, number);
  return number === 1 ? name : uniqueName(`${name}:${number}`, taken);
}

// writing

export interface ToolScope {
  readonly recipient: Recipient;
  /** Whose model is asked. */
  readonly vendor: string | undefined;
  readonly lose: (code: keyof typeof bedrockToolLosses, path: Path, detail?: string) => void;
}

/** A tool, and where it stands in the conversation. */
export interface PlacedTool {
  readonly tool: Tool;
  readonly path: Path;
}

/**
 * Tools that messages define, which the API has no place for there: they are declared with all others, and named where they are
 * added. One that is declared already is not declared again.
 */
export function addedTools({ messages, tools = [] }: Conversation): readonly PlacedTool[] {
  const known = new Set(tools.map(({ name }) => name));
  return messages.flatMap(({ parts }, message) =>
    parts.flatMap((part, place) =>
      (part.type === "change" ? (part.toolsAdded ?? []) : []).flatMap((tool, index) => {
        if (typeof tool === "string" || known.has(tool.name)) return [];
        known.add(tool.name);
        return [{ tool: withWords(tool), path: ["messages", message, "parts", place, "toolsAdded", index] }];
      }),
    ),
  );
}

/** Empty words are refused, and no repair looks for them where a message defines a tool. */
function withWords(tool: Tool): Tool {
  const { description, ...bare } = tool;
  return description === "" ? bare : tool;
}

export interface WrittenTools {
  readonly wire: Json[];
  /** Whether a definition is one of those that are written. */
  readonly declares: (tool: Tool) => boolean;
}

export function writeTools(tools: readonly PlacedTool[], scope: ToolScope): WrittenTools {
  const declared = new Map<string, Tool>();
  const wire = tools.flatMap(({ tool, path }) => {
    const written = writeTool(tool, path, scope);
    if (!written) return [];
    if (!declared.has(tool.name)) declared.set(tool.name, withWords(tool));
    return [written, ...writeCachePoint(tool, true)];
  });
  return { wire, declares: tool => equalJson(declared.get(tool.name), withWords(tool)) };
}

/** Undefined = the model has no such tool. */
function writeTool(tool: Tool, path: Path, scope: ToolScope): JsonObject | undefined {
  const { $tool: told, $name: ownName } = hintsOf(tool, bedrock);
  const { kind } = tool;
  const name = typeof ownName === "string" && tool.name.startsWith(`${ownName}:`) ? ownName : tool.name;
  if (kind === undefined || kind === "custom") return writeOwn(tool, name, path, scope);
  for (const each of ["description", "input", "strict"] as const) {
    if (tool[each] !== undefined) scope.lose("tool-member", [...path, each]);
  }
  if (told === "other") return restored({}, tool, bedrock);
  if (told === "systemTool" && kindOf(name) === kind) return restored({ systemTool: { name } }, tool, bedrock);
  const usual = scope.vendor === "amazon" ? usualName(kind) : undefined;
  if (usual === undefined) {
    scope.lose("host-tool", path, kind);
    return undefined;
  }
  if (name !== usual) scope.lose("tool-member", [...path, "name"], name);
  return restored({ systemTool: { name: usual } }, tool, bedrock);
}

function writeOwn(tool: Tool, name: string, path: Path, scope: ToolScope): JsonObject {
  const { kind, description, input, strict: told } = tool;
  if (kind === "custom") scope.lose("tool-input", path);
  const hasSchema = Object.hasOwn(asObject(hintsOf(tool, bedrock)["toolSpec"]), "inputSchema");
  const isWanted = scope.recipient === "provider" && !hasSchema;
  const empty = isWanted ? { type: "object", properties: {} } : undefined;
  const usual = { schema: input ?? (kind === "custom" ? textInput : empty), strict: told };
  const isOwn = scope.recipient !== "provider" || hintsOf(tool, bedrock)["$unfit"] === true;
  const place = { schema: [...path, "input"], strict: [...path, "strict"], lose: scope.lose };
  const { schema, strict } = isOwn ? usual : fitted(usual, subsetsOf(scope.vendor), place);
  const inputSchema = schema === undefined ? undefined : { json: schema };
  return restored({ toolSpec: present({ name, description, inputSchema, strict }) }, tool, bedrock);
}
