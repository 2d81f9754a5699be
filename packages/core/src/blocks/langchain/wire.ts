import { rowOf } from "../../codec/reader.ts";
import { hintsOf } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";

/** Family of the nodes that are this format's own: messages, calls and results. Content blocks are a module below. */
export const family = "langchain";

export type Language = "python" | "js";
export type Container = "flat" | "stored" | "lc" | "dict";

/** A way to write a message: whose members and spelling, and what they are put into. */
export interface Form {
  readonly language: Language;
  readonly container: Container;
  /** Dialects of one group write the same members in the same order: a spelling read from one counts for the others. */
  readonly group: Group;
}
export type Group = "python" | "python-lc" | "js" | "openai";

/** The default first. */
export const dialects = {
  python: { language: "python", container: "flat", group: "python" },
  "python-stored": { language: "python", container: "stored", group: "python" },
  "python-lc": { language: "python", container: "lc", group: "python-lc" },
  "js-lc": { language: "js", container: "lc", group: "js" },
  "js-stored": { language: "js", container: "stored", group: "js" },
  "js-flat": { language: "js", container: "flat", group: "js" },
  openai: { language: "python", container: "dict", group: "openai" },
} as const satisfies { readonly [name: string]: Form };

export type DialectName = keyof typeof dialects;

export const formOf = (dialect: string): Form => rowOf<Form>(dialects, dialect) ?? dialects.python;

// classes

type Base = "SystemMessage" | "HumanMessage" | "AIMessage" | "ToolMessage" | "ChatMessage" | "FunctionMessage";
/** The only classes that are ever read or written, whatever a text names. */
export type ClassName = Base | `${Base}Chunk` | "RemoveMessage";

export interface Class {
  readonly name: ClassName;
  readonly base: Base | "RemoveMessage";
  /** Its `type` in each language. */
  readonly python: string;
  readonly js: string;
}

const bases = {
  SystemMessage: "system",
  HumanMessage: "human",
  AIMessage: "ai",
  ToolMessage: "tool",
  ChatMessage: "generic",
  FunctionMessage: "function",
} as const satisfies { readonly [base in Base]: string };

export const classes: { readonly [name: string]: Class } = {
  ...Object.fromEntries(
    (Object.keys(bases) as Base[]).flatMap((base): [string, Class][] => {
      const js = bases[base]; // a key of it
      const name: ClassName = `${base}Chunk`;
      return [
        [base, { name: base, base, python: js === "generic" ? "chat" : js, js }],
        [name, { name, base, python: name, js }],
      ];
    }),
  ),
  RemoveMessage: { name: "RemoveMessage", base: "RemoveMessage", python: "remove", js: "remove" },
};

export const classNamed = (name: string): Class | undefined => rowOf(classes, name);

/** The class that a message was read from, where its role does not tell it. */
export function hintedClass(message: Message): Class | undefined {
  const { $class: name } = hintsOf(message, family);
  return typeof name === "string" ? classNamed(name) : undefined;
}

/** A row of `classes` that is there. */
export const classOf = (name: ClassName): Class => classes[name] as Class; // every name has its row

/** By the word in `type`, of either language. */
const byType: { readonly [type: string]: Class } = Object.fromEntries([
  ...Object.values(classes)
    .filter(({ name, base }) => name === base)
    .flatMap(row => [[row.js, row] as const, [row.python, row] as const]),
  ...Object.values(classes).map(row => [row.name, row] as const),
]);

export const classOfType = (type: Json | undefined): Class | undefined =>
  typeof type === "string" ? rowOf(byType, type) : undefined;

/** By the words that people put in place of a class: OpenAI's roles and LangChain's types. */
const byRole: { readonly [role: string]: ClassName } = {
  user: "HumanMessage",
  human: "HumanMessage",
  assistant: "AIMessage",
  ai: "AIMessage",
  system: "SystemMessage",
  developer: "SystemMessage",
  tool: "ToolMessage",
  function: "FunctionMessage",
  remove: "RemoveMessage",
};

export const classOfRole = (role: string): Class | undefined => {
  const name = rowOf(byRole, role);
  return name === undefined ? undefined : classOf(name);
};

export const typeOf = (row: Class, language: Language): string => row[language];

// bodies

/** What all forms of a message have in common: a class and its members, in the order of the wire, nothing escaped. */
export interface Body {
  readonly row: Class;
  readonly members: JsonObject;
}

/** Members in the order in which each language declares them. */
const declared: { readonly [base in Class["base"]]: readonly string[] } = {
  SystemMessage: [],
  HumanMessage: [],
  AIMessage: ["tool_calls", "invalid_tool_calls", "usage_metadata", "tool_call_chunks", "chunk_position"],
  ToolMessage: ["tool_call_id", "artifact", "status"],
  ChatMessage: ["role"],
  FunctionMessage: [],
  RemoveMessage: [],
};

/** What a member is where nothing was said: left out by those who leave defaults out. */
const fallbacks: { readonly [member: string]: Json } = {
  additional_kwargs: {},
  response_metadata: {},
  name: null,
  id: null,
  tool_calls: [],
  invalid_tool_calls: [],
  usage_metadata: null,
  tool_call_chunks: [],
  chunk_position: null,
  artifact: null,
  status: "success",
};

export const fallbackOf = (member: string): Json | undefined => rowOf(fallbacks, member);

const isNothing = (value: Json): boolean =>
  value === null ||
  (Array.isArray(value) && value.length === 0) ||
  (isJsonObject(value) && Object.keys(value).length === 0);

/** Whether a value says no more than the member's absence. */
export function isFallback(member: string, value: Json): boolean {
  const fallback = fallbackOf(member);
  if (fallback === undefined) return false;
  if (fallback === "success") return value === fallback;
  return isNothing(value) && (value === null) === (fallback === null);
}

/**
 * The order of the members of a message as its group's own package writes it, and which of them are always there.
 * `says`: whether the message has something to say under a name.
 */
export function layoutOf(row: Class, group: Group, says: (member: string) => boolean): Layout {
  switch (group) {
    case "python":
      return pythonLayout(row);
    case "python-lc":
      return pythonLcLayout(row, says);
    case "openai":
      return { order: dictOrder, always: ["role", "content"] };
    default:
      return jsLayout(row);
  }
}

export interface Layout {
  readonly order: readonly string[];
  readonly always: readonly string[];
}

const pythonBase = ["content", "additional_kwargs", "response_metadata", "type", "name", "id"];
const dictOrder = ["role", "name", "tool_calls", "refusal", "tool_call_id", "id", "content"];

const isChunk = (row: Class): boolean => row.name !== row.base;

function pythonLayout(row: Class): Layout {
  const own = declared[row.base].filter(member => isChunk(row) || !chunkMembers.includes(member));
  const order = [...pythonBase, ...own];
  return { order, always: order };
}

const chunkMembers = ["tool_call_chunks", "chunk_position"];

/** Defaults are left out; but an AI message always has its two lists, and those that are empty come last. */
function pythonLcLayout(row: Class, says: (member: string) => boolean): Layout {
  const order = [...pythonBase, ...declared[row.base]];
  if (row.base !== "AIMessage") {
    return { order, always: row.base === "ToolMessage" ? ["content", "type", "status"] : ["content", "type"] };
  }
  const empty = ["tool_calls", "invalid_tool_calls"].filter(member => !says(member));
  return {
    order: [...order.filter(member => !empty.includes(member)), ...empty],
    always: ["content", "type", "tool_calls", "invalid_tool_calls"],
  };
}

/** JavaScript writes what its constructor was given, in that order: this is the order of ours. */
function jsLayout(row: Class): Layout {
  const ending = ["additional_kwargs", "response_metadata"];
  const base = ["content", "name", "id"];
  switch (row.base) {
    case "AIMessage": {
      const lists = ["tool_calls", "invalid_tool_calls"];
      const always = ["content", ...lists, ...(isChunk(row) ? ["tool_call_chunks"] : []), ...ending];
      return { order: [...base, ...lists, "tool_call_chunks", "usage_metadata", ...ending], always };
    }
    case "ToolMessage":
      return {
        order: ["content", "tool_call_id", "name", "id", "status", "artifact", "metadata", ...ending],
        always: ["content", ...ending],
      };
    case "ChatMessage":
      return { order: ["content", "role", "name", "id", ...ending], always: ["content", ...ending] };
    case "RemoveMessage":
      return { order: ["id", "content", ...ending], always: ["content", ...ending] };
    default:
      return { order: [...base, ...ending], always: ["content", ...ending] };
  }
}

/** The class that a role is written as where nothing else is known. */
export function usualClass(role: string): ClassName {
  switch (role) {
    case "system":
    case "developer":
      return "SystemMessage";
    case "user":
      return "HumanMessage";
    case "assistant":
      return "AIMessage";
    case "tool":
      return "ToolMessage";
    case "control":
      return "RemoveMessage";
    default:
      return "ChatMessage";
  }
}

/** Members of `additional_kwargs` that have a part or a role of their own, in the order in which they are written. */
export const besideMembers = [
  "reasoning_content",
  "reasoning",
  "refusal",
  "audio",
  "tool_calls",
  "function_call",
  "__gemini_function_call_thought_signatures__",
  "__openai_role__",
] as const;
