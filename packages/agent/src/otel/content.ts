/** What was said, in the conventions' JSON (docs/gen-ai/gen-ai-input-messages.json and its like, 0.1.0, read 2026-11-30). */

import type { Json, JsonObject, Message, Part, Tool } from "translogue";
import type { Attributes } from "./conventions.ts";

export function inputContent(messages: readonly Message[], tools: readonly Tool[] = []): Attributes {
  const system = messages.filter(({ role }) => role === "system").flatMap(({ parts }) => parts.flatMap(partOf));
  const others = messages.filter(({ role }) => role !== "system").map(messageOf);
  const definitions = tools.map(({ name, description, input }) => ({
    type: "function",
    name,
    ...(description !== undefined && { description }),
    ...(input !== undefined && { parameters: input }),
  }));
  return {
    ...(system.length > 0 && { "gen_ai.system_instructions": JSON.stringify(system) }),
    "gen_ai.input.messages": JSON.stringify(others),
    ...(definitions.length > 0 && { "gen_ai.tool.definitions": JSON.stringify(definitions) }),
  };
}

export function outputContent(messages: readonly Message[]): Attributes {
  const said = messages.map(message => ({ ...messageOf(message), finish_reason: message.finish?.reason ?? "stop" }));
  return { "gen_ai.output.messages": JSON.stringify(said) };
}

export function toolContent(name: string, value: unknown): Attributes {
  const text = typeof value === "string" ? value : textOf(value);
  return text === undefined ? {} : { [name]: text };
}

/** A tool may give anything; what is no JSON is not shown. */
function textOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

const messageOf = ({ role, author, parts }: Message): JsonObject => ({
  role,
  ...(author?.name !== undefined && { name: author.name }),
  parts: parts.flatMap(partOf),
});

/** Data of applications and what people see beside are no part of it. */
function partOf(part: Part): JsonObject[] {
  switch (part.type) {
    case "text":
    case "refusal":
      return [{ type: "text", content: part.text }];
    case "reasoning":
      return part.text === undefined ? [] : [{ type: "reasoning", content: part.text }];
    case "tool-call":
      return [{ type: "tool_call", id: part.callId, name: part.name, arguments: part.input ?? part.inputText ?? {} }];
    case "tool-result":
      return [{ type: "tool_call_response", id: part.callId, response: responseOf(part.output ?? []) }];
    case "file":
      return [fileOf(part)];
    default:
      return [];
  }
}

const responseOf = (output: readonly Part[]): Json => {
  const [only, ...others] = output;
  if (only?.type === "text" && others.length === 0) return only.text;
  if (only?.type === "data" && others.length === 0) return only.data;
  return output.flatMap((part): Json[] => (part.type === "data" ? [part.data] : partOf(part)));
};

function fileOf({ source, mediaType, name }: Extract<Part, { readonly type: "file" }>): JsonObject {
  const about = {
    modality: mediaType?.split("/")[0] ?? "file",
    ...(mediaType !== undefined && { mime_type: mediaType }),
    ...(name !== undefined && { name }),
  };
  if ("url" in source) return { type: "uri", ...about, uri: source.url };
  if ("id" in source) return { type: "file", ...about, file_id: source.id };
  // Bytes are long, and nobody reads them in a trace.
  return { type: "blob", ...about, size: "data" in source ? source.data.length : JSON.stringify(source).length };
}
