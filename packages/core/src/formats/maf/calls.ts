/** Calls of functions and of hosted tools ↔ tool calls. */

import { defined, type Reader, rowOf } from "../../codec/reader.ts";
import { hintsOf, present } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Part, ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import { repeatsKeys } from "../../stream/input.ts";
import { isBlank } from "./text-blank.ts";
import { toBase64 } from "./text-uris.ts";
import {
  family,
  Properties,
  propertiesOf,
  type Reading,
  readCache,
  rest,
  type Writing,
  wireOf,
  withProperties,
} from "./wire.ts";

interface Hosted {
  /** Kind of the tool call. */
  readonly kind: string;
  /** Its usual name, where the wire has none. */
  readonly name?: string;
  readonly type: string;
  readonly resultType: string;
}

/** Hosted tools by the beginning of their contents' `$type`. */
const hosted: { readonly [stem: string]: Hosted } = {
  mcpServerTool: { kind: "mcp", type: "McpServerToolCallContent", resultType: "McpServerToolResultContent" },
  codeInterpreterTool: {
    kind: "code-interpreter",
    name: "code_interpreter",
    type: "CodeInterpreterToolCallContent",
    resultType: "CodeInterpreterToolResultContent",
  },
  imageGenerationTool: {
    kind: "image-generation",
    name: "image_generation",
    type: "ImageGenerationToolCallContent",
    resultType: "ImageGenerationToolResultContent",
  },
  webSearchTool: {
    kind: "web-search",
    name: "web_search",
    type: "WebSearchToolCallContent",
    resultType: "WebSearchToolResultContent",
  },
};

/** The hosted tool of a content: of a call by `…Call`, of a result by `…Result`. */
export const hostedOf = (word: string, end: "Call" | "Result"): Hosted | undefined =>
  word.endsWith(end) ? rowOf(hosted, word.slice(0, -end.length)) : undefined;

/** The hosted tool of a kind, with the beginning of its contents' `$type`. */
export function hostedBy(kind: string | undefined): (Hosted & { readonly stem: string }) | undefined {
  const stem = Object.keys(hosted).find(each => hosted[each]?.kind === kind);
  const row = stem === undefined ? undefined : hosted[stem];
  return row && stem !== undefined ? { ...row, stem } : undefined;
}

/** A call; undefined where it has not what makes one. `id`: its own, or one made for a call without. */
export function readCall(reader: Reader, id: string, reading: Reading): ToolCallPart | undefined {
  const word = reader.string("$type") ?? "";
  const tool = hostedOf(word, "Call");
  const isFunction = word === "functionCall";
  if (!tool && !isFunction) return undefined;
  const name = isFunction || tool?.kind === "mcp" ? reader.string("name") : tool?.name;
  if (name === undefined) return undefined;
  if (reader.peek("callId") === id) reader.take("callId");
  const isHandled = reader.boolean("informationalOnly") === true;
  const properties = new Properties(reader);
  const cached = readCache(properties);
  const { input, hints = {} } = tool ? readHostedInput(tool, reader) : { input: reader.object("arguments") };
  return {
    type: "tool-call",
    callId: id,
    name,
    ...defined<Pick<ToolCallPart, "input" | "server">>({
      input,
      server: tool?.kind === "mcp" ? reader.string("serverName") : undefined,
    }),
    ...(tool && { kind: tool.kind, executedBy: "provider" as const }),
    ...(isHandled && isFunction && { handled: true as const }),
    ...cached,
    ...rest(reader, { ...hints, ...properties.hints(reading.exact) }, reading.exact),
  };
}

interface HostedInput {
  readonly input: Json | undefined;
  readonly hints?: JsonObject;
}

function readHostedInput(tool: Hosted, reader: Reader): HostedInput {
  switch (tool.kind) {
    case "mcp":
      return { input: reader.object("arguments") };
    case "web-search": {
      const queries = reader.array("queries");
      const [query] = queries ?? [];
      return { input: queries && (isOneText(queries) ? { query: query ?? "" } : { queries }) };
    }
    case "code-interpreter": {
      const inputs = reader.array("inputs");
      const [only] = inputs ?? [];
      const code = inputs?.length === 1 && isJsonObject(only) ? codeOf(only) : undefined;
      if (code) return { input: { [code.member]: code.text }, hints: code.isText ? { $code: "text" } : {} };
      return { input: inputs && { inputs } };
    }
    default:
      return { input: undefined };
  }
}

/** How .NET's clients write what is to run, by the member of the call's input that has it. */
const codeHeads = { code: "data:text/x-python;base64,", command: "data:application/x-sh;base64," } as const;
type CodeMember = keyof typeof codeHeads;
const codeMembers = Object.keys(codeHeads) as readonly CodeMember[]; // the table's own

/** The one input that is code, as .NET's clients write it, or as plain text. */
function codeOf(
  content: JsonObject,
): { readonly member: CodeMember; readonly text: string; readonly isText: boolean } | undefined {
  const { $type: word, text, uri } = content;
  if (Object.keys(content).length !== 2) return undefined;
  if (word === "text" && typeof text === "string") return { member: "code", text, isText: true };
  const member = typeof uri === "string" ? codeMembers.find(each => uri.startsWith(codeHeads[each])) : undefined;
  if (word !== "data" || typeof uri !== "string" || !member) return undefined;
  try {
    const bytes = Uint8Array.from(atob(uri.slice(codeHeads[member].length)), character => character.charCodeAt(0));
    const code = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { member, text: code, isText: false };
  } catch {
    return undefined; // no text: stays a content
  }
}

/** `isNamed`: something else names the call by its made id. */
export function writeCall(part: ToolCallPart, writing: Writing, isNamed = false): JsonObject {
  const tool = part.executedBy === "provider" || part.kind === "mcp" ? hostedBy(part.kind) : undefined;
  return tool && !(part.kind === "mcp" && isBlank(part.name))
    ? writeHosted(part, { ...tool, isNamed }, writing)
    : writeFunction(part, writing, isNamed);
}

/** A made id gives way to what stood there: `null`, or the empty text. */
export const idFields = ({ callId, native }: Pick<ToolCallPart, "callId" | "native">, isNamed = false): JsonObject =>
  callId.startsWith("~") && !isNamed && Object.hasOwn(native?.[family] ?? {}, "callId") ? {} : { callId };

/** Made ids that must be written: calls and results pair by id, so where one of the two has to name it, both do. */
export function idsToName(messages: readonly Message[]): ReadonlySet<string> {
  const parts = messages.flatMap(message => message.parts.filter(isCallOrResult));
  return new Set(
    parts.flatMap(part => (part.callId.startsWith("~") && "callId" in idFields(part) ? [part.callId] : [])),
  );
}

const isCallOrResult = (part: Part): part is ToolCallPart | ToolResultPart =>
  part.type === "tool-call" || part.type === "tool-result";

function writeHosted(
  part: ToolCallPart,
  tool: Hosted & { readonly stem: string; readonly isNamed: boolean },
  writing: Writing,
): JsonObject {
  const { context, path } = writing;
  if (part.executedBy !== "provider") context.lose("hosted-kind", [...path, "executedBy"]);
  if (part.handled) context.lose("handled", [...path, "handled"]);
  if (tool.kind !== "mcp" && part.name !== tool.name) context.lose("tool-name", [...path, "name"], part.name);
  if (tool.kind !== "mcp" && part.server !== undefined) context.lose("server", [...path, "server"]);
  const fields: JsonObject = {
    $type: `${tool.stem}Call`,
    ...(tool.kind === "mcp" && { name: part.name, ...present({ serverName: part.server }) }),
    ...writeHostedInput(part, tool, writing),
    ...idFields(part, tool.isNamed),
    ...withProperties(part, propertiesOf(part)),
  };
  return wireOf(tool.type, fields, part);
}

function writeHostedInput(part: ToolCallPart, tool: Hosted, writing: Writing): JsonObject {
  const { input } = part;
  if (tool.kind === "mcp") return writeArguments(part, writing);
  if (input === undefined) {
    if (part.inputText !== undefined) writing.context.lose("arguments", [...writing.path, "inputText"]);
    return {};
  }
  const members = isJsonObject(input) ? Object.keys(input) : [];
  const only = isJsonObject(input) && members.length === 1 ? input : {};
  const { query, queries, inputs } = only;
  if (tool.kind === "web-search" && typeof query === "string") return { queries: [query] };
  if (tool.kind === "web-search" && isList(queries, isTextOrNull) && !isOneText(queries)) return { queries };
  if (tool.kind === "code-interpreter" && isList(inputs, () => true) && !isCode(inputs)) return { inputs };
  const member =
    tool.kind === "code-interpreter" ? codeMembers.find(each => typeof only[each] === "string") : undefined;
  if (member) {
    const code = String(only[member]);
    const isText = member === "code" && hintsOf(part, family)["$code"] === "text";
    return {
      inputs: [isText ? { $type: "text", text: code } : { $type: "data", uri: codeHeads[member] + toBase64(code) }],
    };
  }
  writing.context.lose("hosted-input", [...writing.path, "input"]);
  if (tool.kind === "web-search") return present({ queries: isJsonObject(input) ? queriesOf(input) : undefined });
  if (tool.kind === "code-interpreter") return { inputs: [{ $type: "text", text: JSON.stringify(input) }] };
  return {};
}

/** What a search looks for, in members of other services' names. */
const queriesOf = ({ queries, query }: JsonObject): Json | undefined =>
  isList(queries, value => typeof value === "string") ? queries : typeof query === "string" ? [query] : undefined;

const isTextOrNull = (value: Json): boolean => value === null || typeof value === "string";

/** What a search that looks for one thing says as `query`. */
const isOneText = (queries: readonly Json[]): boolean => queries.length === 1 && typeof queries[0] === "string";

const isList = (value: Json | undefined, is: (item: Json) => boolean): value is readonly Json[] =>
  Array.isArray(value) && value.every(is);

const isCode = (inputs: readonly Json[]): boolean => {
  const [only] = inputs;
  return inputs.length === 1 && isJsonObject(only) && codeOf(only) !== undefined;
};

function writeFunction(part: ToolCallPart, writing: Writing, isNamed: boolean): JsonObject {
  const { context, path } = writing;
  const isForeign = part.executedBy === "provider" || part.kind !== undefined;
  if (isForeign) context.lose("tool-kind", path, part.kind);
  if (part.server !== undefined) context.lose("server", [...path, "server"]);
  const fields: JsonObject = {
    $type: "functionCall",
    name: part.name,
    ...writeArguments(part, writing),
    // Nobody but the provider may run its tools: .NET's loop runs every call that is not marked.
    informationalOnly: part.handled === true || part.executedBy === "provider",
    ...idFields(part, isNamed),
    ...withProperties(part, propertiesOf(part)),
  };
  return wireOf("FunctionCallContent", fields, part);
}

function writeArguments(part: ToolCallPart, writing: Writing): JsonObject {
  const { input, inputText } = part;
  if (isJsonObject(input)) {
    if (inputText !== undefined && repeatsKeys(inputText, input)) {
      writing.context.lose("input-text", [...writing.path, "inputText"]);
    }
    return { arguments: input };
  }
  if (input !== undefined) {
    writing.context.lose("arguments", [...writing.path, "input"]);
    return { arguments: { input } };
  }
  if (inputText !== undefined) writing.context.lose("arguments", [...writing.path, "inputText"]);
  return {};
}
