/**
 * Messages of AI SDK 4, as they lie in databases, in the words of generation 5: from there on they are read as such.
 * By the SDK's own guide (ai-sdk.dev/docs/migration-guides/migration-guide-5-0-data, read 2026-11-30), and where it is
 * silent, as generation 4 read them itself.
 */

import { family, type OwnMessage, unnamed } from "../../blocks/ai-sdk/family.ts";
import { Reader } from "../../codec/reader.ts";
import type { Message } from "../../model/conversation.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";

type Parts = readonly Json[];

/** Reports what is given up. */
type Report = (code: string, message: string) => void;

const mark = { type: "step-start" } as const;
const done = { state: "done" } as const;

/** A message in the words of generation 5. What it says twice is said once; what has no newer place keeps its name. */
export function fromV4(wire: JsonObject, report: Report): OwnMessage {
  const reader = new Reader(wire);
  const role = reader.string("role") ?? "user";
  const createdAt = readTime(reader);
  const parts =
    role === "data" ? dataOf(reader) : role === "system" ? systemOf(reader, report) : saidBy(reader, report);
  reader.take("parts");
  return {
    // Generation 4 did without ids; the newer ones do not, so one is made wherever the message is written.
    wire: { id: unnamed, ...reader.rest(), role: role === "data" ? "assistant" : role, parts },
    finish: first => {
      const timed = createdAt === undefined ? first : { ...first, createdAt };
      return role === "data" ? noTurn(timed) : timed;
    },
  };
}

/** No model read it: it is no turn of the assistant's, though the newer generations have no other place for it. */
function noTurn(message: Message): Message {
  const { $message: _, $stepStart: __, ...kept } = message.native?.[family] ?? {};
  return { ...message, role: "control", native: { ...message.native, [family]: { ...kept, $role: "data" } } };
}

/** In a running program it is a `Date`. */
function readTime(reader: Reader): string | undefined {
  const raw: unknown = reader.peek("createdAt");
  const text = raw instanceof Date && !Number.isNaN(raw.getTime()) ? raw.toISOString() : raw;
  if (typeof text !== "string" || !/^\d{4}-\d{2}-\d{2}T/.test(text)) return undefined;
  reader.take("createdAt");
  return text;
}

/** What an application put between the messages; no model read it. */
function dataOf(reader: Reader): Parts {
  const content = reader.peek("content");
  const data = reader.json("data");
  if (data === undefined || content === "") reader.take("content");
  return [{ type: "data-custom", data: data ?? content ?? null }];
}

/** Its content is what counted. */
function systemOf(reader: Reader, report: Report): Parts {
  const parts = reader.array("parts") ?? [];
  const text = reader.string("content");
  if (text === undefined) return parts;
  if (parts.length > 0 && textOf(parts) !== text)
    report("unread-parts", "of a system message the `content` is read, as generation 4 did, and not the `parts`");
  return [{ type: "text", text }];
}

function saidBy(reader: Reader, report: Report): Parts {
  const isAssistant = reader.peek("role") === "assistant";
  const given = reader.array("parts") ?? [];
  if (given.length > 0) takeRepeated(reader, given);
  const parts = given.length > 0 ? given : filled(reader, isAssistant);
  const place = { state: isAssistant ? done : {}, report };
  const hasMarks = parts.some(part => isJsonObject(part) && part["type"] === mark.type);
  const marked = isAssistant && !hasMarks ? withMarks(parts) : parts;
  return [...marked.flatMap(part => convert(part, place)), ...attachmentsOf(reader)];
}

/** Beside parts, `content` and its like say the same again; where they say something else they stay. */
function takeRepeated(reader: Reader, parts: Parts): void {
  const content = reader.peek("content");
  const last = parts.findLast(part => isJsonObject(part) && part["type"] === "text");
  // A client writes all texts there, a server the last.
  if (content === "" || content === textOf(parts) || (last !== undefined && content === textOf([last])))
    reader.take("content");
  if (reader.peek("reasoning") === textOf(parts, "reasoning")) reader.take("reasoning");
  const calls = new Set(parts.map(part => callId(isJsonObject(part) ? part["toolInvocation"] : undefined)));
  const invocations = reader.peek("toolInvocations");
  if (Array.isArray(invocations) && invocations.every(call => calls.has(callId(call)))) reader.take("toolInvocations");
}

const callId = (call: Json | undefined): Json | undefined => (isJsonObject(call) ? call["toolCallId"] : undefined);

/** The texts of the parts of a type. Generation 4's reasoning has its text under its own name. */
const textOf = (parts: Parts, type: "text" | "reasoning" = "text"): string =>
  parts
    .map(part => (isJsonObject(part) && part["type"] === type ? part[type] : undefined))
    .filter(text => typeof text === "string")
    .join("");

/** The parts of a message that has none: what was thought, the calls, what was said. */
function filled(reader: Reader, isAssistant: boolean): Parts {
  const reasoning = isAssistant ? reader.string("reasoning") : undefined;
  const calls = isAssistant ? (reader.array("toolInvocations") ?? []) : [];
  const content = reader.string("content");
  const hasText = content !== undefined && (content !== "" || !isAssistant);
  return [
    ...(reasoning === undefined || reasoning === "" ? [] : [{ type: "reasoning", reasoning }]),
    ...calls.map(toolInvocation => ({ type: "tool-invocation", toolInvocation })),
    ...(hasText ? [{ type: "text", text: content }] : []),
  ];
}

function attachmentsOf(reader: Reader): Parts {
  const list = reader.array("experimental_attachments") ?? [];
  return list.map(attachment => {
    if (!isJsonObject(attachment)) return attachment;
    const { contentType, name, url, ...others } = attachment;
    const said = typeof url === "string" ? /^data:([^;,]+)/.exec(url)?.[1] : undefined;
    return {
      ...others,
      type: "file",
      mediaType: typeof contentType === "string" ? contentType : (said ?? "application/octet-stream"),
      ...(name !== undefined && { filename: name }),
      ...(url !== undefined && { url }),
    };
  });
}

/** A step ends where the number of its calls grows, and where something is said after a call. */
function withMarks(parts: Parts): Parts {
  let step: Json | undefined;
  return parts.flatMap(part => {
    const type = isJsonObject(part) ? part["type"] : undefined;
    const call = isJsonObject(part) && isJsonObject(part["toolInvocation"]) ? part["toolInvocation"] : undefined;
    const before = step;
    if (call) step = call["step"] ?? before ?? 0;
    else if (type === "text" || type === "reasoning") step = undefined;
    return before !== undefined && step !== before ? [mark, part] : [part];
  });
}

interface ConvertPlace {
  /** What every text of the message says beside its text. */
  readonly state: JsonObject;
  readonly report: Report;
}

function convert(part: Json, { state, report }: ConvertPlace): Parts {
  if (!isJsonObject(part)) return [part];
  switch (part["type"]) {
    case "text":
      return [{ ...state, ...part }];
    case "reasoning":
      return typeof part["reasoning"] === "string" ? reasoningOf(part, part["reasoning"]) : [part];
    case "tool-invocation":
      return isJsonObject(part["toolInvocation"]) ? [callOf(part["toolInvocation"], report)] : [part];
    case "source":
      return isJsonObject(part["source"]) ? [sourceOf(part["source"])] : [part];
    case "file":
      return [fileOf(part)];
    default:
      return [part];
  }
}

/** Its details are what was thought, each with its signature; only Claude's models had any. */
function reasoningOf({ type: _, reasoning: __, details, ...others }: JsonObject, reasoning: string): Parts {
  const list = (Array.isArray(details) ? details : []).filter(isJsonObject);
  const all: readonly JsonObject[] = list.length > 0 ? list : [{ text: reasoning }];
  return all.map(({ type, text, data = "", signature }) => {
    const isHidden = type === "redacted";
    const seal = isHidden ? { redactedData: data } : typeof signature === "string" ? { signature } : undefined;
    return {
      ...others,
      type: "reasoning",
      text: !isHidden && typeof text === "string" ? text : "",
      ...done,
      ...(seal && { providerMetadata: { anthropic: seal } }),
    };
  });
}

const states: { readonly [state: string]: string } = {
  "partial-call": "input-streaming",
  call: "input-available",
  result: "output-available",
};

/** Its step is said by the marks around it. */
function callOf(
  { state, toolName, toolCallId, args, result, step: _, ...others }: JsonObject,
  report: Report,
): JsonObject {
  const known = typeof state === "string" && Object.hasOwn(states, state) ? states[state] : undefined;
  if (known === undefined) report("tool-state", "expected partial-call, call or result; read as a call with a result");
  const now = known ?? "output-available";
  return {
    ...others,
    type: `tool-${typeof toolName === "string" ? toolName : ""}`,
    ...(toolCallId !== undefined && { toolCallId }),
    state: now,
    ...(args !== undefined ? { input: args } : now !== "input-streaming" && { input: {} }),
    ...(now === "output-available" ? { output: result ?? null } : result !== undefined && { result }),
  };
}

/** There were no other sources than pages. */
const sourceOf = ({ sourceType: _, id, ...source }: JsonObject): JsonObject => ({
  ...source,
  type: "source-url",
  ...(id !== undefined && { sourceId: id }),
});

function fileOf(part: JsonObject): JsonObject {
  const { data, mimeType, ...others } = part;
  if (typeof data !== "string" || typeof mimeType !== "string") return part;
  const url = /^(?:data|https?):/i.test(data) ? data : `data:${mimeType};base64,${data}`;
  return { ...others, mediaType: mimeType, url };
}
