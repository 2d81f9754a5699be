import { type Lose, readCache, writeCache } from "../../blocks/chat-parts/parts.ts";
import { fitted, unfitHint } from "../../blocks/json-schema/strictness.ts";
import type { DecodeContext, EncodeContext } from "../../codec/codec.ts";
import { defined, Reader } from "../../codec/reader.ts";
import { fillAll, hintsOf, kept, present, remainderOf } from "../../codec/remainder.ts";
import type { Tool } from "../../model/conversation.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { dialectOf, functionSchemas } from "./dialects.ts";
import { family } from "./wire.ts";

/** `tools`, then `functions` of the legacy form. A list with something that is no object is kept as it is (R4). */
export function readTools(reader: Reader, context: DecodeContext, model: string | undefined): Tool[] | undefined {
  const taken: Taken = new Map();
  const about = { taken, dialect: context.dialect, model };
  const tools = readList(reader, "tools", context)?.map(wire => readTool(wire, about));
  const functions = readList(reader, "functions", context)?.map(wire =>
    readFunction(wire, { ...about, wrapper: undefined }),
  );
  return tools || functions ? [...(tools ?? []), ...(functions ?? [])] : undefined;
}

function readList(reader: Reader, member: string, context: DecodeContext): readonly JsonObject[] | undefined {
  const wire = reader.peek(member);
  if (wire === undefined || wire === null) return undefined;
  const isList = Array.isArray(wire) && wire.every(isJsonObject) && (member === "tools" || wire.length > 0);
  if (!isList) {
    context.issue(`unknown-${member}`, [member], "expected a list of objects; kept as it is");
    return undefined;
  }
  reader.take(member);
  return wire;
}

interface ListWire {
  readonly taken: Taken;
  readonly dialect: string;
  readonly model: string | undefined;
}

function readTool(wire: JsonObject, about: ListWire): Tool {
  const reader = new Reader(wire);
  const type = reader.peek("type");
  const member = type === "custom" ? "custom" : "function";
  const holder = reader.peek(member);
  const isKnown = (type === member || type === undefined) && isJsonObject(holder) && typeof holder["name"] === "string";
  if (isKnown && isJsonObject(holder)) {
    reader.take(member, "type");
    return readFunction(holder, { ...about, wrapper: { reader, member, hasType: type !== undefined } });
  }
  // A tool of the host itself: its type is its name, the rest its settings.
  const name = typeof type === "string" ? type : "tool";
  return {
    name: unique(name, about.taken),
    kind: (Object.hasOwn(kinds, name) ? kinds[name] : undefined) ?? name,
    ...kept(family, reader.rest(), { $tool: "host" }),
  };
}

/** Hosts' own tools that others have too. */
const kinds: { readonly [type: string]: string } = {
  web_search: "web-search",
  web_search_preview: "web-search",
  code_interpreter: "code-interpreter",
  "openrouter:web_search": "web-search",
};

interface ToolWire extends ListWire {
  /** Absent: the legacy form, which has none. */
  readonly wrapper: { readonly reader: Reader; readonly member: string; readonly hasType: boolean } | undefined;
}

function readFunction(wire: JsonObject, { wrapper, taken, ...asked }: ToolWire): Tool {
  const inner = new Reader(wire);
  const own = inner.string("name");
  const name = own ?? unnamed;
  const { cache, remainder } = wrapper ? readCache(wrapper.reader) : { remainder: {} };
  const fields = {
    description: inner.string("description"),
    input: inner.object("parameters"),
    strict: inner.boolean("strict"),
  };
  const rest = inner.rest();
  const spelling = wrapper
    ? { ...remainder, ...(rest && { [wrapper.member]: rest }), ...(!wrapper.hasType && { $type: false }) }
    : { $tool: "legacy", ...(rest && { function: rest }) };
  const unfit = unfitHint({ schema: fields.input, strict: fields.strict }, functionSchemas(asked), asked.dialect);
  const hints = { ...spelling, ...unfit };
  const wireName = unique(name, taken);
  return defined<Tool>({
    name: wireName,
    kind: wrapper?.member === "custom" ? "custom" : undefined,
    ...fields,
    cache,
    ...kept(family, wrapper?.reader.rest(), { ...hints, ...(wireName !== own && { $name: own ?? false }) }),
  });
}

/** What a function is called that has no name. */
const unnamed = "function";

/** How often each name was met. */
type Taken = Map<string, number>;

/** Names are unique in the list: a second one of a name gets a number, and its own name is kept beside. */
function unique(name: string, taken: Taken): string {
  const number = (taken.get(name) ?? 0) + 1;
  taken.set(name, number);
  return number === 1 ? name : unique(`${name}:${number}`, taken);
}

export function writeTools(tools: readonly Tool[], context: EncodeContext): JsonObject {
  const legacy: Json[] = [];
  const list: Json[] = [];
  for (const [index, tool] of tools.entries()) {
    const wire = writeTool(tool, index, context);
    if (hintsOf(tool, family)["$tool"] === "legacy") legacy.push(wire ?? {});
    else if (wire) list.push(wire);
  }
  return {
    ...((list.length > 0 || legacy.length === 0) && { tools: list }),
    ...(legacy.length > 0 && { functions: legacy }),
  };
}

function writeTool(tool: Tool, index: number, context: EncodeContext): Json | undefined {
  const { $tool: form, $name: ownName, $type: type, $unfit: unfit, ...others } = hintsOf(tool, family);
  if (form === "host") return remainderOf(tool, family);
  const isCustom = tool.kind === "custom";
  if (tool.kind !== undefined && !isCustom) {
    context.lose("host-tool", ["tools", index], tool.kind);
    return undefined;
  }
  const name = typeof ownName === "string" && tool.name.startsWith(`${ownName}:`) ? ownName : tool.name;
  const isUnnamed = ownName === false && (name === unnamed || name.startsWith(`${unnamed}:`));
  const { description, input, cache } = tool;
  const isOwn = isCustom || context.recipient !== "provider" || unfit === context.dialect;
  const path = ["tools", index];
  const place = { schema: [...path, "input"], strict: [...path, "strict"], lose: context.lose };
  const ruled = { schema: input, strict: tool.strict };
  const { schema, strict } = isOwn ? ruled : fitted(ruled, functionSchemas(context), place);
  const inner = present({
    name: isUnnamed ? undefined : name,
    description,
    parameters: isCustom ? undefined : schema,
    strict,
  });
  if (isCustom && input !== undefined) context.lose("custom-schema", ["tools", index, "input"]);
  if (form === "legacy") return fillAll(inner, isJsonObject(others["function"]) ? others["function"] : {});
  const member = isCustom ? "custom" : "function";
  const dialect = dialectOf(context);
  const lose: Lose = (code, path, detail) => context.lose(code, path, detail);
  const hinted = others["$cache"] === "cache_control" ? "cache_control" : "prompt_cache_breakpoint";
  const options = context.recipient === "provider" ? dialect.cache : "any";
  // OpenAI's breakpoint is a member of content parts only.
  const marker = options === "any" ? hinted : options === "cache_control" ? options : undefined;
  if (cache && !marker) context.lose("tool-cache", ["tools", index, "cache"]);
  const fields = {
    ...(type !== false && { type: member }),
    [member]: inner,
    ...(cache && writeCache(cache, ["tools", index, "cache"], { marker, lose, cache: options })),
  };
  return fillAll(fields, remainderOf(tool, family));
}
