/** Messages of AI SDK 4, as they lie in databases, in the words of generation 5: from there on they are read as such. */

import type { OwnMessage } from "../../blocks/ai-sdk.ts";
import { Reader } from "../../codec/reader.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";

type Parts = readonly JsonObject[];

const done = { state: "done" } as const;

/** Whether a message is one of generation 4. A list of parts alone does not tell: their types do. */
export function isV4Message(wire: Json): wire is JsonObject {
  if (!isJsonObject(wire)) return false;
  const { role, parts, content, toolInvocations, experimental_attachments: attachments } = wire;
  if (role === "data" || Array.isArray(toolInvocations) || Array.isArray(attachments)) return true;
  return Array.isArray(parts) ? parts.some(isV4Part) : typeof content === "string" && typeof role === "string";
}

function isV4Part(part: Json): boolean {
  if (!isJsonObject(part)) return false;
  switch (part["type"]) {
    case "tool-invocation":
      return isJsonObject(part["toolInvocation"]);
    case "reasoning":
      return typeof part["reasoning"] === "string";
    case "source":
      return isJsonObject(part["source"]);
    case "file":
      return typeof part["data"] === "string" && typeof part["mimeType"] === "string";
    default:
      return false;
  }
}

/** The message in the words of generation 5. What it says twice is said once; the rest stays as members of its own. */
export function fromV4(wire: JsonObject): OwnMessage {
  const reader = new Reader(wire);
  const role = reader.string("role") ?? "user";
  const createdAt = reader.string("createdAt");
  const parts = partsOf(reader, role);
  return {
    wire: { ...reader.rest(), role: role === "data" ? "assistant" : role, parts },
    finish: first => (createdAt === undefined ? first : { ...first, createdAt }),
  };
}

function partsOf(reader: Reader, role: string): Parts {
  const content = reader.peek("content");
  const listed = reader.array("parts") ?? [];
  const own = listed.flatMap(part => convertPart(part, role));
  if (role === "data") {
    reader.take("data", "content");
    return [{ type: "data-custom", data: reader.peek("data") ?? content ?? null }];
  }
  if (role === "system") {
    // Its content is what counted; a list of parts beside it was not read.
    reader.take("content");
    return [{ type: "text", text: typeof content === "string" ? content : "" }];
  }
  const attachments = attachmentsOf(reader);
  const isSaid = listed.length > 0;
  // Beside parts, the content and its like say the same again.
  reader.take("content", "toolInvocations", "reasoning");
  if (isSaid) return [...own, ...attachments];
  return [...(role === "assistant" ? stepsOf(reader) : textOf(content, role)), ...attachments];
}

const textOf = (content: Json | undefined, role: string): Parts =>
  typeof content === "string" && (content !== "" || role !== "assistant")
    ? [{ type: "text", text: content, ...(role === "assistant" && done) }]
    : [];

/** Without parts: reasoning, the calls by their steps, then what was said in the end. */
function stepsOf(reader: Reader): Parts {
  const reasoning = reader.peek("reasoning");
  const list = reader.peek("toolInvocations");
  const calls = (Array.isArray(list) ? list : []).filter(isJsonObject);
  const text = textOf(reader.peek("content"), "assistant");
  const thought: Parts =
    typeof reasoning === "string" && reasoning !== "" ? [{ type: "reasoning", text: reasoning, ...done }] : [];
  const steps = new Map<Json, JsonObject[]>();
  for (const call of calls) {
    const step = call["step"] ?? 0;
    steps.set(step, [...(steps.get(step) ?? []), ...convertCall(call)]);
  }
  if (steps.size === 0) return [...thought, ...text];
  const called = [...steps.values()].flatMap((step, index) => [mark, ...(index === 0 ? thought : []), ...step]);
  return [...called, ...(text.length > 0 ? [mark, ...text] : [])];
}

const mark: JsonObject = { type: "step-start" };

function attachmentsOf(reader: Reader): Parts {
  const list = reader.peek("experimental_attachments");
  if (!Array.isArray(list)) return [];
  reader.take("experimental_attachments");
  return list.filter(isJsonObject).map(({ contentType, name, url, ...others }) => ({
    ...others,
    type: "file",
    mediaType: typeof contentType === "string" ? contentType : "application/octet-stream",
    ...(typeof name === "string" && { filename: name }),
    url: typeof url === "string" ? url : "",
  }));
}

function convertPart(part: Json, role: string): Parts {
  if (!isJsonObject(part)) return [];
  const { type, ...others } = part;
  switch (type) {
    case "text":
      return [{ ...part, ...(role === "assistant" && part["state"] === undefined && done) }];
    case "reasoning":
      return typeof part["reasoning"] === "string" ? convertReasoning(part, part["reasoning"]) : [part];
    case "tool-invocation":
      return isJsonObject(part["toolInvocation"]) ? convertCall(part["toolInvocation"]) : [part];
    case "source":
      return isJsonObject(part["source"]) ? [convertSource(part["source"])] : [part];
    case "file": {
      const { data, mimeType, ...rest } = others;
      if (typeof data !== "string" || typeof mimeType !== "string") return [part];
      const url = /^(?:data|https?):/.test(data) ? data : `data:${mimeType};base64,${data}`;
      return [{ ...rest, type: "file", mediaType: mimeType, url }];
    }
    default:
      return [part];
  }
}

/** Its details are what was thought, each with its signature; only Claude's models had any. */
function convertReasoning({ details }: JsonObject, reasoning: string): Parts {
  const list = (Array.isArray(details) ? details : []).filter(isJsonObject);
  if (list.length === 0) return [{ type: "reasoning", text: reasoning, ...done }];
  return list.map(({ type, text, data, signature }) => {
    const seal =
      type === "redacted" ? { redactedData: data ?? "" } : typeof signature === "string" ? { signature } : undefined;
    return {
      type: "reasoning",
      text: type !== "redacted" && typeof text === "string" ? text : "",
      ...done,
      ...(seal && { providerMetadata: { anthropic: seal } }),
    };
  });
}

const states: { readonly [state: string]: string } = { "partial-call": "input-streaming", call: "input-available" };

/** Its step is said by the marks around it. */
function convertCall({ state, toolName, toolCallId, args, result, step: _, ...others }: JsonObject): Parts {
  const now = (typeof state === "string" ? states[state] : undefined) ?? "output-available";
  return [
    {
      ...others,
      type: `tool-${typeof toolName === "string" ? toolName : ""}`,
      toolCallId: toolCallId ?? "",
      state: now,
      ...(args !== undefined ? { input: args } : now !== "input-streaming" && { input: {} }),
      ...(now === "output-available" && { output: result ?? null }),
    },
  ];
}

const convertSource = ({ sourceType: _, id, ...source }: JsonObject): JsonObject => ({
  ...source,
  type: "source-url",
  sourceId: id ?? "",
});
