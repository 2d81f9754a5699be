import { decodeMessage } from "../../blocks/langchain/decode.ts";
import { splitBySide } from "../../blocks/langchain/join.ts";
import { classOfRole, type DialectName, family, type Language } from "../../blocks/langchain/wire.ts";
import { WaitingCalls } from "../../blocks/waiting-calls.ts";
import type { DecodeContext } from "../../codec/codec.ts";
import type { Message } from "../../model/conversation.ts";
import { TranslogueError } from "../../model/error.ts";
import type { Issue } from "../../model/issue.ts";
import { isJsonObject, type Json } from "../../model/json.ts";
import { exactPointers, parseJson } from "../../model/json-text.ts";
import type { Part } from "../../model/parts.ts";
import { coerceForJs } from "./coerce-js.ts";
import { coerceForPython } from "./coerce-python.ts";
import { isInstance, serialised } from "./instances.ts";
import { Refusal } from "./refusal.ts";

/** Whose rules hold for what is like a message. */
export interface ReadMessagesOptions {
  /**
   * `python` and `js` refuse what the language's own function refuses, and understand what it does not refuse as it does.
   * Absent: all forms that either of them reads, and nothing is lost: malformed arguments stay a call, unknown members stay.
   */
  readonly language?: Language;
}

export interface ReadMessages {
  readonly messages: readonly Message[];
  readonly issues: readonly Issue[];
}

/**
 * What LangChain takes for messages, as messages: a string, `[role, content]`, a dict with a `role` or `type`, a message of
 * any form, a live one of `@langchain/core`, or a list of these. Throws `decode/not-this-format` where the language refuses
 * one of them, and without a language where the only one is none; in a list an opaque part stands for it, with an issue.
 */
export function readMessages(input: unknown, options: ReadMessagesOptions = {}): ReadMessages {
  const isList = Array.isArray(input) && !isTuple(input);
  const list: readonly unknown[] = isList ? input : [input];
  const issues: Issue[] = [];
  const unanswered = new WaitingCalls();
  const messages = list.flatMap((item, index) =>
    splitBySide(read(item, index, { ...options, isList, issues, unanswered })),
  );
  return { messages, issues };
}

interface Reading extends ReadMessagesOptions {
  readonly isList: boolean;
  readonly issues: Issue[];
  readonly unanswered: WaitingCalls;
}

/** Two strings of which the first is a role are one message, not two. */
const isTuple = (input: readonly unknown[]): boolean =>
  input.length === 2 && typeof input[0] === "string" && classOfRole(input[0]) !== undefined;

function read(item: unknown, index: number, { language, isList, issues, unanswered }: Reading): Message {
  const isLive = isInstance(item);
  const given = isLive ? serialised(item, index, issues) : ((item ?? null) as Json); // whatever is no JSON is refused below
  const coerce = language === "python" ? coerceForPython : coerceForJs;
  const stored = language && !isLive ? coerce(given) : undefined;
  if (stored instanceof Refusal) throw refused(stored.why, index);
  const wire = stored ? { type: stored.type, data: stored.data } : plainForm(given);
  const context: DecodeContext = {
    shape: "message",
    dialect: dialectOf(language),
    newId: undefined,
    issue: (code, wirePath, message, severity = "warning") =>
      issues.push({ code, severity, path: [], wirePath, message }),
    lose: () => {},
    carried: () => {},
  };
  const before = issues.length;
  const message = decodeMessage(wire, { context, path: [index], index, unanswered });
  const isNone = issues.slice(before).some(({ code }) => code === "not-a-message");
  if (isNone && (language || !isList)) throw refused("it has neither a `role` nor a `type` of LangChain's", index);
  if (!language && !isLive && !isNone) reportRefusal(given, index, issues);
  return stored ? withExactArguments(message, given) : message;
}

/** Says of what is short for a message that both languages would refuse it. */
function reportRefusal(given: Json, index: number, issues: Issue[]): void {
  const isShort = Array.isArray(given) || (isJsonObject(given) && typeof given["role"] === "string");
  const [python, js] = isShort ? [coerceForPython(given), coerceForJs(given)] : [];
  if (!(python instanceof Refusal) || !(js instanceof Refusal)) return;
  const message = `LangChain itself refuses this: ${python.why}`;
  issues.push({ code: "refused", severity: "warning", path: [], wirePath: [index], message });
}

const dialectOf = (language: Language | undefined): DialectName =>
  language === "js" ? "js-stored" : language === "python" ? "python-stored" : "python";

/** A string or a tuple as the dict that it is short for. */
function plainForm(item: Json): Json {
  if (typeof item === "string") return { role: "user", content: item };
  if (!Array.isArray(item)) return item;
  const [role, content = null, ...others] = item as readonly Json[];
  return typeof role === "string" && classOfRole(role) && others.length === 0 ? { role, content } : item;
}

function refused(why: string, index: number): TranslogueError {
  return new TranslogueError(
    "decode/not-this-format",
    `item ${index} is nothing that LangChain takes for a message: ${why}`,
    { data: { format: family, item: index } },
  );
}

// arguments

/** Arguments that were text keep the spelling of their numbers, which the languages' own parsers may round. */
function withExactArguments(message: Message, given: Json): Message {
  const texts = new Map<string, string>();
  for (const call of callsOf(given)) {
    const inner = isJsonObject(call) ? call["function"] : undefined;
    if (!isJsonObject(call) || !isJsonObject(inner)) continue;
    const { id } = call;
    const { arguments: text } = inner;
    if (typeof id === "string" && typeof text === "string") texts.set(id, text);
  }
  if (texts.size === 0) return message;
  const parts = message.parts.map((part): Part => {
    const text = part.type === "tool-call" ? texts.get(part.callId) : undefined;
    if (text === undefined || part.type !== "tool-call") return part;
    const parsed = tryParse(text);
    if (!parsed) return part;
    const call = { ...part, input: parsed.value };
    const exact = exactPointers(call, parsed.exact);
    return exact ? { ...call, exact } : part;
  });
  return { ...message, parts };
}

function callsOf(given: Json): readonly Json[] {
  if (!isJsonObject(given)) return [];
  const kwargs = given["kwargs"];
  const calls = isJsonObject(kwargs) ? kwargs["tool_calls"] : given["tool_calls"];
  return Array.isArray(calls) ? calls : [];
}

function tryParse(text: string): ReturnType<typeof parseJson> | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
