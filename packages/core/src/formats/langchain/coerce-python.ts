import { memberOf } from "../../blocks/langchain/escape.ts";
import { rowOf } from "../../codec/reader.ts";
import { isJsonObject, type Json, type JsonObject, type MutableJsonObject, setMember } from "../../model/json.ts";
import { parseJson } from "../../model/json-text.ts";
import { Refusal, type Stored } from "./refusal.ts";

/**
 * `convert_to_messages` of langchain-core 1.6.5 (read 2026-11-30): the message with all the members that its class has.
 * What a dict has beside those that are named there goes to `additional_kwargs`, its usage too.
 */
export function coerceForPython(input: Json | undefined): Stored | Refusal {
  if (typeof input === "string") return create("human", { content: input });
  if (Array.isArray(input)) {
    const [type = null, content = null] = input as readonly Json[]; // a list of JSON
    if (input.length !== 2 || content === null) return new Refusal("a tuple is a role and a content");
    return create(type, { content });
  }
  return isJsonObject(input) ? fromDict(input) : new Refusal("it is neither a string, a tuple nor a dict");
}

/** Class names that are understood; chunks become whole messages. */
const typesOfClasses: { readonly [name: string]: string } = {
  HumanMessage: "human",
  HumanMessageChunk: "human",
  AIMessage: "ai",
  AIMessageChunk: "ai",
  SystemMessage: "system",
  SystemMessageChunk: "system",
  FunctionMessage: "function",
  FunctionMessageChunk: "function",
  ToolMessage: "tool",
  ToolMessageChunk: "tool",
  RemoveMessage: "remove",
};

function fromDict(dict: JsonObject): Stored | Refusal {
  const id = memberOf(dict, "id");
  const kwargs = memberOf(dict, "kwargs");
  const name = Array.isArray(id) ? id.at(-1) : undefined;
  if (
    memberOf(dict, "lc") === 1 &&
    memberOf(dict, "type") === "constructor" &&
    isJsonObject(kwargs) &&
    typeof name === "string"
  ) {
    const type = rowOf(typesOfClasses, name);
    if (type !== undefined) return fromDict({ type, ...kwargs });
  }
  const word = Object.hasOwn(dict, "role") ? "role" : "type";
  const type = memberOf(dict, word);
  if (type === undefined || !Object.hasOwn(dict, "content")) {
    return new Refusal("a dict needs its `role` or `type`, and its `content`");
  }
  const rest: MutableJsonObject = {};
  for (const key of Object.keys(dict)) if (key !== word) setMember(rest, key, dict[key] ?? null);
  return create(type, isEmpty(dict["content"]) ? { ...rest, content: "" } : rest);
}

const named = ["content", "name", "tool_call_id", "tool_calls", "id"];

function create(type: Json, rest: JsonObject): Stored | Refusal {
  const kind = typeof type === "string" ? rowOf(kinds, type) : undefined;
  if (kind === undefined) return new Refusal("its role is none of human, ai, system, developer, function and tool");
  const others: MutableJsonObject = {};
  for (const key of Object.keys(rest)) if (!named.includes(key)) setMember(others, key, rest[key] ?? null);
  const { response_metadata: metadata, additional_kwargs: kwargs, ...unknown } = others;
  const additional: MutableJsonObject = { ...unknown, ...(isJsonObject(kwargs) && kwargs) };
  if (type === "developer") additional["__openai_role__"] = "developer";
  const { content: said = "", ...given } = rest;
  const content = kind === "tool" ? toolContent(said) : said;
  if (!isContent(content, kind)) return new Refusal("its content is neither a text nor a list of texts and dicts");
  const calls = coerceCalls(given["tool_calls"] ?? null, kind);
  if (calls instanceof Refusal) return calls;
  const common: JsonObject = {
    content,
    additional_kwargs: additional,
    response_metadata: isEmpty(metadata ?? null) ? {} : (metadata ?? {}),
    type: kind,
    name: given["name"] ?? null,
    id: idOf(given["id"] ?? null),
  };
  return finish(kind, common, { additional, given, calls });
}

const kinds: { readonly [role: string]: string } = {
  human: "human",
  user: "human",
  ai: "ai",
  assistant: "ai",
  system: "system",
  developer: "system",
  function: "function",
  tool: "tool",
  remove: "remove",
};

interface Given {
  /** What goes to `additional_kwargs`, but for what the class takes out of it. */
  readonly additional: MutableJsonObject;
  readonly given: JsonObject;
  readonly calls: readonly Json[] | undefined;
}

function finish(kind: string, common: JsonObject, { additional, given, calls }: Given): Stored | Refusal {
  const pop = (member: string): Json | undefined => {
    const value = memberOf(additional, member);
    delete additional[member];
    return value;
  };
  const callId = given["tool_call_id"] ?? null;
  const extra = {
    ...(callId !== null && kind !== "tool" && { tool_call_id: callId }),
    ...(calls && kind !== "ai" && { tool_calls: calls }),
  };
  switch (kind) {
    case "ai": {
      const example = pop("example");
      return {
        type: kind,
        data: {
          ...common,
          ...listsOf(calls, additional),
          usage_metadata: null,
          ...(example ? { example } : {}),
          ...extra,
        },
      };
    }
    case "human": {
      const example = pop("example");
      return { type: kind, data: { ...common, ...(example ? { example } : {}), ...extra } };
    }
    case "tool": {
      const artifact = pop("artifact") ?? null;
      const status = pop("status") ?? "success";
      if (callId === null) return new Refusal("a tool's message needs its `tool_call_id`");
      if (status !== "success" && status !== "error") return new Refusal("a tool's status is success or error");
      return { type: kind, data: { ...common, tool_call_id: idOf(callId), artifact, status, ...extra } };
    }
    case "function":
      return typeof common["name"] === "string"
        ? { type: kind, data: { ...common, ...extra } }
        : new Refusal("a function's message needs its `name`");
    case "remove":
      return common["id"] === null
        ? new Refusal("a removal needs the `id` of what it removes")
        : { type: kind, data: { ...common, content: "", ...extra } };
    default:
      return { type: kind, data: { ...common, ...extra } };
  }
}

/** Numbers become strings. */
const idOf = (id: Json): Json => (typeof id === "number" ? `${id}` : id);

const isEmpty = (value: Json | undefined): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  value === 0 ||
  value === false ||
  (Array.isArray(value) && value.length === 0) ||
  (isJsonObject(value) && Object.keys(value).length === 0);

function isContent(content: Json, kind: string): boolean {
  if (typeof content === "string" || kind === "remove") return true;
  return Array.isArray(content) && content.every(block => typeof block === "string" || isJsonObject(block));
}

/** What is no text is made one, as Python's `str` does. */
function toolContent(content: Json): Json {
  if (Array.isArray(content)) {
    return content.map((item: Json) => (typeof item === "string" || isJsonObject(item) ? item : pythonText(item)));
  }
  return typeof content === "string" ? content : pythonText(content);
}

const words: { readonly [word: string]: string } = { null: "None", true: "True", false: "False" };

function pythonText(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(pythonText).join(", ")}]`;
  if (isJsonObject(value)) {
    const members = Object.entries(value).map(([key, member]) => `${pythonText(key)}: ${pythonText(member)}`);
    return `{${members.join(", ")}}`;
  }
  if (typeof value !== "string") return rowOf(words, `${value}`) ?? `${value}`;
  const quote = value.includes("'") && !value.includes('"') ? '"' : "'";
  const escaped = value.replace(/[\\\n\r\t']/g, unit => {
    if (unit === "'") return quote === "'" ? "\\'" : unit;
    return { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" }[unit] ?? unit;
  });
  return quote + escaped + quote;
}

/** Calls in OpenAI's form with their arguments read; an AI message takes no other entries than calls. */
function coerceCalls(calls: Json, kind: string): readonly Json[] | undefined | Refusal {
  if (calls === null) return undefined;
  const list: readonly Json[] | undefined = Array.isArray(calls)
    ? calls
    : isJsonObject(calls)
      ? Object.keys(calls)
      : undefined;
  if (!list) return new Refusal("its calls are no list");
  const coerced: Json[] = [];
  for (const call of list) {
    const isOpenAi = isJsonObject(call) && Object.hasOwn(call, "function");
    const made = isOpenAi ? readOpenAi(call) : call;
    const checked = kind === "ai" && !(made instanceof Refusal) ? checkCall(made) : made;
    if (checked instanceof Refusal) return checked;
    coerced.push(checked);
  }
  return coerced;
}

function readOpenAi(call: JsonObject): JsonObject | Refusal {
  const inner = call["function"];
  const isWhole = isJsonObject(inner) && Object.hasOwn(inner, "name") && Object.hasOwn(inner, "arguments");
  if (!isWhole || !Object.hasOwn(call, "id")) return new Refusal("a call lacks its name, arguments or id");
  const { name = null, arguments: given = null } = inner;
  const args = typeof given === "string" ? parse(given) : given;
  return args === undefined
    ? new Refusal("the arguments of a call are no JSON")
    : { name, args, id: call["id"] ?? null, type: "tool_call" };
}

function checkCall(call: Json): JsonObject | Refusal {
  if (!isJsonObject(call)) return new Refusal("a call is no dict");
  const { type: _, extras: __, name, args, id, ...others } = call;
  const isWhole = typeof name === "string" && isJsonObject(args) && (typeof id === "string" || id === null);
  return isWhole && Object.keys(others).length === 0
    ? { name, args, id, type: "tool_call" }
    : new Refusal("a call has just its name, arguments and id");
}

function parse(text: string): Json | undefined {
  try {
    return parseJson(text).value;
  } catch {
    return undefined;
  }
}

/** Raw calls of OpenAI's fill the lists where no call was given. */
function listsOf(calls: readonly Json[] | undefined, additional: JsonObject): JsonObject {
  const raw = memberOf(additional, "tool_calls");
  if ((calls && calls.length > 0) || !Array.isArray(raw)) return { tool_calls: calls ?? [], invalid_tool_calls: [] };
  const valid: Json[] = [];
  const invalid: Json[] = [];
  for (const call of raw as readonly Json[]) {
    const inner = isJsonObject(call) ? call["function"] : undefined;
    if (!isJsonObject(call) || !isJsonObject(inner)) continue;
    const { name = "", arguments: text = "" } = inner;
    const id = call["id"] ?? null;
    const args = typeof text === "string" ? parse(text) : undefined;
    if (args === undefined) invalid.push({ type: "invalid_tool_call", id, name, args: text, error: null });
    else valid.push({ name: name || "", args: isEmpty(args) ? {} : args, id, type: "tool_call" });
  }
  return { tool_calls: valid, invalid_tool_calls: invalid };
}
