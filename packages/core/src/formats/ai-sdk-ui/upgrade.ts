/**
 * Messages of AI SDK 4, which are still in databases, as messages of the newest generation: by the SDK's own guide
 * (ai-sdk.dev/docs/migration-guides/migration-guide-5-0-data, read 2026-11-30).
 */
import { defined } from "../../codec/reader.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";

const states: { readonly [state: string]: string } = {
  "partial-call": "input-streaming",
  call: "input-available",
  result: "output-available",
};

/** A message in its newer form. Members that have no newer place keep their names; what is no message stays as it is. */
export function upgradeMessage(wire: Json): Json {
  if (!isJsonObject(wire)) return wire;
  const {
    role,
    content,
    parts,
    toolInvocations,
    reasoning,
    experimental_attachments: attachments,
    data,
    ...others
  } = wire;
  const given = Array.isArray(parts) ? parts.map(upgradePart) : partsOf({ reasoning, toolInvocations, content });
  const files = Array.isArray(attachments) ? attachments.map(upgradeAttachment) : [];
  const isData = role === "data";
  const all = [...given, ...files, ...(isData && data !== undefined ? [{ type: "data-custom", data }] : [])];
  return {
    ...others,
    role: isData ? "assistant" : (role ?? null),
    // A text that the parts do not say is kept beside them.
    ...(typeof content === "string" &&
      Array.isArray(parts) &&
      content !== textOf(all) &&
      content !== "" && { content }),
    ...(!isData && data !== undefined && { data }),
    parts: all,
  };
}

/** Generation 4 without parts says reasoning, then tools, then text. */
function partsOf(
  message: { readonly [member in "reasoning" | "toolInvocations" | "content"]: Json | undefined },
): Json[] {
  const { reasoning, toolInvocations, content } = message;
  const tools = Array.isArray(toolInvocations) ? toolInvocations : [];
  return [
    ...(typeof reasoning === "string" ? [{ type: "reasoning", text: reasoning }] : []),
    ...inSteps(tools),
    ...(typeof content === "string" && (content !== "" || tools.length === 0) ? [{ type: "text", text: content }] : []),
  ];
}

/** Calls say the number of their step: where it grows, a step begins. */
function inSteps(invocations: readonly Json[]): Json[] {
  let last: Json | undefined;
  return invocations.flatMap(invocation => {
    const step = isJsonObject(invocation) ? invocation["step"] : undefined;
    const isNext = last !== undefined && step !== undefined && step !== last;
    last = step ?? last;
    return [...(isNext ? [{ type: "step-start" }] : []), upgradeTool(invocation)];
  });
}

function upgradePart(part: Json): Json {
  if (!isJsonObject(part)) return part;
  const { type, toolInvocation, reasoning, source, mimeType, data, ...others } = part;
  if (type === "tool-invocation" && toolInvocation !== undefined) return upgradeTool(toolInvocation, others);
  if (type === "reasoning" && typeof reasoning === "string") return { ...others, type, text: reasoning };
  if (type === "source" && isJsonObject(source)) return upgradeSource(source, others);
  if (type === "file" && typeof mimeType === "string" && typeof data === "string") {
    return { ...others, type, mediaType: mimeType, url: urlOf(data, mimeType) };
  }
  return part;
}

function upgradeTool(invocation: Json, others: JsonObject = {}): Json {
  if (!isJsonObject(invocation) || typeof invocation["toolName"] !== "string")
    return { type: "tool-invocation", toolInvocation: invocation };
  const { state, toolName, args, result, step: _, ...rest } = invocation;
  const known = typeof state === "string" && Object.hasOwn(states, state) ? states[state] : undefined;
  const now = known ?? "output-available";
  return {
    ...others,
    ...rest,
    type: `tool-${toolName}`,
    state: now,
    ...(args === undefined && now === "input-streaming" ? {} : { input: args ?? {} }),
    ...(now === "output-available" && { output: result ?? null }),
  };
}

function upgradeSource(source: JsonObject, others: JsonObject): Json {
  const { sourceType, id, ...rest } = source;
  if (sourceType !== "url") return { ...others, type: "source", source };
  return { ...others, ...rest, type: "source-url", sourceId: id ?? "" };
}

function upgradeAttachment(attachment: Json): Json {
  if (!isJsonObject(attachment)) return { type: "file", attachment };
  const { name, contentType, url, ...rest } = attachment;
  const mediaType =
    typeof contentType === "string"
      ? contentType
      : (/^data:([^;,]+)/.exec(String(url))?.[1] ?? "application/octet-stream");
  return { ...rest, ...defined<{ filename?: Json }>({ filename: name }), type: "file", mediaType, url: url ?? "" };
}

/** Files were base64 or an address. */
const urlOf = (data: string, mediaType: string): string =>
  /^[a-z][a-z0-9+.-]*:/i.test(data) ? data : `data:${mediaType};base64,${data}`;

const textOf = (parts: readonly Json[]): string =>
  parts
    .map(part =>
      isJsonObject(part) && part["type"] === "text" && typeof part["text"] === "string" ? part["text"] : "",
    )
    .join("");
