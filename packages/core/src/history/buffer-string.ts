import type { Message } from "../model/conversation.ts";
import { demandMessages } from "../model/given.ts";
import { demandOptions, oneOf, text } from "../model/options.ts";
import type { FilePart, Part, ToolCallPart } from "../model/parts.ts";
import { namesOf } from "./filter.ts";

export interface BufferOptions {
  /** Words for roles. Absent = System, Developer, Human, AI, Tool; other roles are called what they are. */
  readonly prefixes?: { readonly [role: string]: string };
  /** Between messages. Absent = a line break. */
  readonly separator?: string;
  /** "lines" (absent): `Human: …`; "xml": `<message type="human">…</message>`, escaped, so that no text can pass for a message. */
  readonly format?: "lines" | "xml";
}

/** The messages as one text for a prompt: what is said and called; files as what they are, reasoning only in XML. */
export function bufferString(messages: readonly Message[], options: BufferOptions = {}): string {
  demandMessages(messages);
  demandOptions(options, { prefixes: undefined, separator: text, format: oneOf("lines", "xml") }, "history/bad-option");
  const write = options.format === "xml" ? asElement : asLine;
  return messages
    .filter(({ role }) => role !== "control")
    .map(message => write(message, options.prefixes ?? {}))
    .join(options.separator ?? "\n");
}

const names = new Map([
  ["system", "System"],
  ["developer", "Developer"],
  ["user", "Human"],
  ["assistant", "AI"],
  ["tool", "Tool"],
]);

const types = new Map([
  ["user", "human"],
  ["assistant", "ai"],
]);

const callsOf = ({ parts }: Message): readonly ToolCallPart[] => parts.filter(part => part.type === "tool-call");

function asLine(message: Message, prefixes: { readonly [role: string]: string }): string {
  const { role, parts } = message;
  const prefix = (Object.hasOwn(prefixes, role) ? prefixes[role] : undefined) ?? names.get(role) ?? role;
  const [name] = namesOf(message);
  const calls = callsOf(message);
  const said = parts.map(lineOf).join("");
  const called = calls.length === 0 ? "" : JSON.stringify(calls.map(callOf));
  return `${prefix}: ${name === undefined ? "" : `${name}, `}${said}${called}`;
}

const callOf = ({ name, input, inputText, callId }: ToolCallPart) => ({
  name,
  args: input ?? inputText ?? {},
  id: idOf(callId),
  type: "tool_call",
});

/** An id that was made because there was none says nothing. */
function idOf(callId: string): string | null {
  if (callId.startsWith("~")) return null;
  return callId.length > 64 ? `${callId.slice(0, 64)}...` : callId;
}

function lineOf(part: Part): string {
  switch (part.type) {
    case "text":
    case "refusal":
      return part.text;
    case "tool-result":
      return (part.output ?? []).map(lineOf).join("");
    case "data":
      return JSON.stringify(part.data);
    case "error":
      return part.message;
    case "compaction":
      return (part.summary ?? []).map(lineOf).join("");
    case "file":
      return "text" in part.source && !("data" in part.source) ? part.source.text : `[${mediumOf(part)}]`;
    default:
      return "";
  }
}

function mediumOf({ mediaType = "" }: FilePart): string {
  const [medium = ""] = mediaType.split("/");
  return ["image", "audio", "video"].includes(medium) ? medium : "file";
}

// as XML

const escapes: { readonly [character: string]: string } = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const escaped = (text: string): string => text.replace(/[&<>]/g, character => escapes[character] ?? character);
const quoted = (text: string): string => `"${escaped(text).replaceAll('"', "&quot;").replaceAll("\n", "&#10;")}"`;

function asElement(message: Message, prefixes: { readonly [role: string]: string }): string {
  const { role, parts } = message;
  const type = (Object.hasOwn(prefixes, role) ? prefixes[role]?.toLowerCase() : undefined) ?? types.get(role) ?? role;
  const [name] = namesOf(message);
  const head = `<message type=${quoted(type)}${name === undefined ? "" : ` name=${quoted(name)}`}>`;
  const content = parts.flatMap(elementOf).join(" ");
  const calls = callsOf(message).map(call => {
    const { name: tool, args, id } = callOf(call);
    return `  <tool_call id=${quoted(id ?? "")} name=${quoted(tool)}>${escaped(JSON.stringify(args))}</tool_call>`;
  });
  if (calls.length === 0) return `${head}${content}</message>`;
  const lines = content === "" ? [] : [`  <content>${content}</content>`];
  return [head, ...lines, ...calls, "</message>"].join("\n");
}

/** What is said; a file by its address, and not at all where it has none: bytes are not for reading. */
function elementOf(part: Part): readonly string[] {
  if (part.type === "reasoning") return part.text ? [`<reasoning>${escaped(part.text)}</reasoning>`] : [];
  if (part.type === "tool-result") return (part.output ?? []).flatMap(elementOf);
  if (part.type !== "file") {
    const line = lineOf(part);
    return line === "" ? [] : [escaped(line)];
  }
  const { source } = part;
  if ("url" in source) return [`<${mediumOf(part)} url=${quoted(source.url)} />`];
  if ("id" in source) return [`<${mediumOf(part)} file_id=${quoted(source.id)} />`];
  return "text" in source ? [escaped(source.text)] : [];
}
