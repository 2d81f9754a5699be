/** `content_blocks` of langchain-core 1.6.5: later versions have other rules for some blocks. */

import { rowOf } from "../../codec/reader.ts";
import { present } from "../../codec/remainder.ts";
import type { JsonObject } from "../../model/json.ts";
import { at, type Blocks, isBlock, isText, objectsOf, parsed, type ViewMessage } from "./content-blocks-message.ts";
import { anthropicView } from "./content-blocks-python-anthropic.ts";
import { converseView, genaiView } from "./content-blocks-python-google.ts";
import { fromInput } from "./content-blocks-python-input.ts";
import { openaiView } from "./content-blocks-python-openai.ts";
import { addExtras, callBlock, chunkBlock, isTruthy } from "./content-blocks-python-shape.ts";

/** Makes ids of the kind `lc_<uuid>`. */
export type NewId = (() => string) | undefined;

export function pythonContentBlocks(message: ViewMessage, newId: NewId): Blocks {
  const { content, metadata } = message;
  const base = (): Blocks => fromInput(content, newId);
  if (!message.isAssistant) return base();
  if (metadata["output_version"] === "v1" && !isText(content)) return content;
  const { model_provider: provider } = metadata;
  const view = isText(provider) ? rowOf(views, provider)?.(message, newId) : undefined;
  if (view) return view;
  const whole = [...base(), ...missingCalls(message)];
  const blocks = message.isChunk ? withChunks(message, whole) : whole;
  const isReasoned = blocks.some(block => isBlock(block, "reasoning"));
  return isReasoned ? blocks : [...reasoningOf(message.kwargs), ...blocks];
}

const views: { readonly [provider: string]: (message: ViewMessage, newId: NewId) => Blocks | undefined } = {
  anthropic: anthropicView,
  bedrock: bedrockView,
  bedrock_converse: converseView,
  google_genai: genaiView,
  google_vertexai: genaiView,
  groq: groqView,
  openai: openaiView,
};

const reasoningOf = ({ reasoning_content: text }: JsonObject): Blocks =>
  isText(text) ? [{ type: "reasoning", reasoning: text }] : [];

// messages without a known provider

/** Calls that the content does not have. One without an id is left out. */
function missingCalls({ content, calls }: ViewMessage): Blocks {
  const ids = isText(content) ? [] : content.filter(block => isBlock(block, "tool_call")).map(block => at(block, "id"));
  return calls.filter(call => isTruthy(call["id"]) && !ids.includes(call["id"])).map(withMore);
}

const withMore = (call: JsonObject): JsonObject => {
  const { id, name, args, index, extras } = call;
  return present({ type: "tool_call", id, name, args, index, extras });
};

function withChunks(message: ViewMessage, blocks: Blocks): Blocks {
  if (!hasOpenCalls(message)) return blocks;
  const others = blocks.filter(block => !isBlock(block, "tool_call") && !isBlock(block, "invalid_tool_call"));
  return [...others, ...message.callChunks.map(chunkBlock)];
}

/** The pieces of calls stand for the calls while the message is not at its end. */
const hasOpenCalls = ({ content, callChunks, isLast }: ViewMessage): boolean =>
  callChunks.length > 0 && content.length === 0 && !isLast;

// Bedrock's older API, for Claude

function bedrockView(message: ViewMessage): Blocks | undefined {
  const { content, kwargs, calls, metadata } = message;
  if (!message.isChunk) {
    const model = metadata["model_name"];
    if (!isText(model) || !model.toLowerCase().includes("claude")) return undefined;
  } else if (content === "" && Object.keys(kwargs).length === 0 && calls.length === 0) return [];
  const blocks = anthropicView(message);
  if (message.isChunk) return hasOpenCalls(message) ? [...blocks, ...message.callChunks.map(chunkBlock)] : blocks;
  const ids = blocks.filter(block => isBlock(block, "tool_call")).map(block => at(block, "id"));
  return [...blocks, ...calls.filter(call => isTruthy(call["id"]) && !ids.includes(call["id"])).map(withMore)];
}

// Groq

function groqView({ content, calls, kwargs }: ViewMessage): Blocks {
  const executed = objectsOf(kwargs["executed_tools"]).flatMap(executedBlocks);
  const text: Blocks = isText(content) && content !== "" ? [{ type: "text", text: content }] : [];
  return [...reasoningOf(kwargs), ...executed, ...text, ...calls.map(callBlock)];
}

const isPython = ({ type, name }: JsonObject): boolean =>
  type === "python" || (type === "function" && name === "python");

function executedBlocks(tool: JsonObject, index: number): Blocks {
  const { arguments: given, output, type } = tool;
  const args = isText(given) && given !== "" ? executedArguments(tool, given) : undefined;
  if (args === null) return [];
  const name = type === "search" ? "web_search" : isPython(tool) ? "code_interpreter" : "";
  const call: Blocks = args === undefined ? [] : [{ type: "server_tool_call", name, id: `${index}`, args }];
  if (!isTruthy(output)) return call;
  const result = { type: "server_tool_result", tool_call_id: `${index}`, output, status: "success" };
  return [...call, addExtras(result, tool, ["type", "arguments", "index", "output"])];
}

/** Arguments of a tool that Groq ran, whose code may stand in them without escapes. null: the tool is left out. */
function executedArguments(tool: JsonObject, text: string): JsonObject | undefined | null {
  const args = parsed(text);
  if (args !== undefined)
    return typeof args === "object" && args !== null && !Array.isArray(args) ? (args as JsonObject) : undefined; // an object
  if (tool["type"] === "python") {
    const [, code] = /^\s*\{\s*"code"\s*:\s*"([\s\S]*)"\s*\}\s*$/.exec(text) ?? [];
    return code === undefined ? null : { code };
  }
  return isPython(tool) ? { code: text } : null;
}
