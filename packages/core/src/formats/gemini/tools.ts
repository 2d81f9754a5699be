import { NodeReader, writerOf } from "../../blocks/gemini/node.ts";
import { textInput } from "../../blocks/text-input.ts";
import type { DecodeContext, EncodeContext } from "../../codec/codec.ts";
import { defined } from "../../codec/reader.ts";
import { fillAll, hintsOf, kept, remainderOf } from "../../codec/remainder.ts";
import type { Tool } from "../../model/conversation.ts";
import { equalJson, isJsonObject, type Json, type JsonObject, type MutableJsonObject } from "../../model/json.ts";
import { searchesStore } from "./host.ts";
import { isTaken, places, type SchemaPlace, writeSchema } from "./schemas.ts";
import { family } from "./wire.ts";

/** Google's own tools, by their members; each is a tool here, with its settings in native. */
const hosted: { readonly [member: string]: { readonly name: string; readonly kind: string } } = {
  googleSearch: { name: "google_search", kind: "web-search" },
  googleSearchRetrieval: { name: "google_search_retrieval", kind: "web-search" },
  enterpriseWebSearch: { name: "enterprise_web_search", kind: "web-search" },
  codeExecution: { name: "code_execution", kind: "code-interpreter" },
  urlContext: { name: "url_context", kind: "web-fetch" },
  fileSearch: { name: "file_search", kind: "file-search" },
  googleMaps: { name: "google_maps", kind: "maps" },
  computerUse: { name: "computer_use", kind: "computer" },
  retrieval: { name: "retrieval", kind: "file-search" },
  mcpServers: { name: "mcp_servers", kind: "mcp" },
};
/** What a hosted tool of another provider is here. */
const byKind: { readonly [kind: string]: string } = {
  "web-search": "googleSearch",
  "code-interpreter": "codeExecution",
  "web-fetch": "urlContext",
};
const functions = "functionDeclarations";

/** Reads `tools`; undefined where they are something else, which then stays as it is (R4). */
export function readTools(wire: Json, context: DecodeContext): readonly Tool[] | undefined {
  const entries: readonly Json[] = Array.isArray(wire) ? wire : [wire];
  const tools = entries.flatMap(entry => readEntry(entry) ?? [undefined]);
  const all = tools.filter(tool => tool !== undefined);
  const silent = { lose: () => undefined, recipient: "store" } as const;
  const isWhole = all.length === tools.length && equalJson(writeTools(all, silent, !Array.isArray(wire)), wire);
  if (isWhole) return all;
  context.issue(
    "unknown-tools",
    ["tools"],
    "expected a list of objects with `functionDeclarations` or Google's own tools; kept as it is",
  );
  return undefined;
}

function readEntry(entry: Json): (Tool | undefined)[] | undefined {
  if (!isJsonObject(entry)) return undefined;
  const tools: (Tool | undefined)[] = [];
  for (const key of Object.keys(entry)) {
    const value = entry[key] ?? null;
    const member = camelOf(key);
    const place = tools.length > 0 ? { $entry: "same" } : {};
    if (member === functions) {
      if (!Array.isArray(value) || value.length === 0) return undefined;
      for (const [index, declaration] of (value as readonly Json[]).entries()) {
        // a list of JSON
        const inner = index > 0 ? {} : tools.length > 0 ? place : { $entry: "new" };
        tools.push(readFunction(declaration, { ...inner, ...(key !== member && { $list: key }) }));
      }
    } else tools.push(readHosted(key, member, value, place));
  }
  return tools;
}

const camelOf = (key: string): string => key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

function readHosted(key: string, member: string, value: Json, place: JsonObject): Tool {
  const known = Object.hasOwn(hosted, member) ? hosted[member] : undefined;
  const isEmpty = isJsonObject(value) && Object.keys(value).length === 0;
  const hints = { ...place, $member: key };
  return {
    ...(known ?? { name: key, kind: key }),
    ...kept(family, isEmpty ? undefined : { settings: value }, hints),
  };
}

function readFunction(wire: Json, place: JsonObject): Tool | undefined {
  const reader = isJsonObject(wire) ? new NodeReader(wire) : undefined;
  const name = reader?.string("name");
  if (!reader || name === undefined) return undefined;
  const memberOf = ({ json, openApi }: SchemaPlace): string | undefined =>
    [json, openApi].find(member => isJsonObject(reader.peek(member)));
  const [input, output] = [memberOf(places.input), memberOf(places.output)];
  const fields = {
    description: reader.string("description"),
    input: input && reader.object(input),
    output: output && reader.object(output),
  };
  const hints = {
    ...place,
    ...(input === "parameters" && { $input: input }),
    ...(output === "response" && { $output: output }),
    ...(!isTaken(fields.input, input, places.input) && { $unfit: true }),
    ...(!isTaken(fields.output, output, places.output) && { $unfitOutput: true }),
  };
  return { name, ...defined<Omit<Tool, "name">>(fields), ...reader.kept(hints) };
}

type ForTools = Pick<EncodeContext, "lose" | "recipient"> & {
  /** Stores that the tools speak of are another host's. */
  readonly isAway?: boolean;
};

/** Neighbouring functions stand in one list, each tool of Google's in an object of its own, unless they were read otherwise. */
export function writeTools(tools: readonly Tool[], context: ForTools, isOne: boolean): Json {
  const entries: MutableJsonObject[] = [];
  let list: Json[] | undefined;
  for (const [index, tool] of tools.entries()) {
    const { $entry: place, $list: member = functions } = hintsOf(tool, family);
    const written = writeTool(tool, index, context);
    if (!written) continue;
    const last = place === "same" ? entries.at(-1) : undefined;
    const isFunction = written.member === functions;
    if (isFunction && list && place === undefined) {
      list.push(written.value);
      continue;
    }
    const key = isFunction ? String(member) : written.member;
    const value: Json = isFunction ? [written.value] : written.value;
    if (last && !Object.hasOwn(last, key)) last[key] = value;
    else entries.push({ [key]: value });
    list = isFunction ? (value as Json[]) : undefined; // just made
  }
  const [only] = entries;
  return isOne && entries.length === 1 && only ? only : entries;
}

function writeTool(
  tool: Tool,
  index: number,
  context: ForTools,
): { readonly member: string; readonly value: Json } | undefined {
  const hints = hintsOf(tool, family);
  const { $member: member, $input: input, $output: output, $unfit: unfit, $unfitOutput: unfitOutput } = hints;
  const path = ["tools", index];
  if (context.isAway && searchesStore(tool)) {
    context.lose("foreign-state", path, tool.kind);
    return undefined;
  }
  if (typeof member === "string") return { member, value: remainderOf(tool, family)["settings"] ?? {} };
  if (tool.kind !== undefined && tool.kind !== "custom") {
    const like = Object.hasOwn(byKind, tool.kind) ? byKind[tool.kind] : undefined;
    const isNamed = like !== undefined && hosted[like]?.name === tool.name;
    if (like === undefined) context.lose("host-tool", path, tool.kind);
    else if (!isNamed) context.lose("host-tool-name", [...path, "name"], tool.name);
    return like === undefined ? undefined : { member: like, value: {} };
  }
  if (tool.kind === "custom") context.lose("custom-tool", [...path, "kind"]);
  const given = tool.kind === "custom" && context.recipient === "provider" ? textInput : undefined;
  const writer = writerOf(tool);
  const fields = writer.object({
    name: tool.name,
    description: tool.description,
    ...writeSchema(tool.input ?? given, places.input, {
      told: { member: input, isUnfit: unfit === true },
      path: [...path, "input"],
      context,
    }),
    ...writeSchema(tool.output, places.output, {
      told: { member: output, isUnfit: unfitOutput === true },
      path: [...path, "output"],
      context,
    }),
  });
  return { member: functions, value: fillAll(fields, remainderOf(tool, family)) };
}
