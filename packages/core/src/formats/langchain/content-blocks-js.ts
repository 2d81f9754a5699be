/** `contentBlocks` of @langchain/core. */

import { rowOf } from "../../codec/reader.ts";
import { present } from "../../codec/remainder.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import { anthropicView, fromAnthropicInput } from "./content-blocks-js-anthropic.ts";
import { bedrockView } from "./content-blocks-js-bedrock.ts";
import { googleGenaiView, googleView, vertexView } from "./content-blocks-js-google.ts";
import { openaiView } from "./content-blocks-js-openai.ts";
import {
  at,
  type Blocks,
  callBlock,
  isBlock,
  isList,
  isText,
  joinTexts,
  type ViewMessage,
} from "./content-blocks-message.ts";

export function jsContentBlocks(message: ViewMessage): Blocks {
  const { content, metadata } = message;
  if (!message.isAssistant) return baseView(content);
  if (metadata["output_version"] === "v1") {
    const blocks = isText(content) ? (content === "" && !message.isChunk ? [] : textBlocks(content)) : content;
    return message.isChunk ? blocks : [...blocks, ...missing(message, blocks)];
  }
  const { model_provider: provider } = metadata;
  const view = isText(provider) ? rowOf(views, provider) : undefined;
  if (view) return view(message);
  const blocks = baseView(content);
  return [...blocks, ...(message.isChunk ? missingOfChunk(message) : missing(message, blocks))];
}

const views: { readonly [provider: string]: (message: ViewMessage) => Blocks } = {
  anthropic: anthropicView,
  "bedrock-converse": bedrockView,
  deepseek: message => plainView(message, reasoningOf(message.kwargs["reasoning_content"])),
  google: googleView,
  "google-genai": googleGenaiView,
  "google-vertexai": vertexView,
  groq: groqView,
  ollama: message => plainView(message, reasoningOf(message.kwargs["reasoning_content"])),
  openai: openaiView,
  openrouter: message => plainView(message, openrouterReasoning(message.kwargs)),
  xai: message => plainView(message, xaiReasoning(message.kwargs)),
};

const textBlocks = (text: string): Blocks => [{ type: "text", text }];

// messages without a known provider

function baseView(content: ViewMessage["content"]): Blocks {
  return isText(content) ? textBlocks(content) : content.map(block => fromAnthropicInput(fromChat(fromData(block))));
}

const sources: { readonly [source: string]: { readonly from: string; readonly to: string } } = {
  url: { from: "url", to: "url" },
  base64: { from: "data", to: "data" },
  id: { from: "id", to: "fileId" },
};

/** Data blocks of the first version. */
function fromData(block: Json): Json {
  const source = at(block, "source_type");
  const row = isText(source) ? rowOf(sources, source) : undefined;
  const type = at(block, "type");
  const value = row && at(block, row.from);
  if (!row || !isText(type) || !isText(value)) return block;
  const mimeType = at(block, "mime_type") ?? (source === "base64" ? "application/octet-stream" : undefined);
  return present({ type, mimeType, [row.to]: value, metadata: at(block, "metadata") });
}

/** Only plain types, and only letters of base64: others stay addresses. */
function dataUrl(url: string): { readonly mimeType: string; readonly data: string } | undefined {
  const [, mimeType, data] = /^data:(\w+\/\w+);base64,([A-Za-z0-9+/]+=*)$/.exec(url) ?? [];
  return mimeType === undefined || data === undefined ? undefined : { mimeType: mimeType.toLowerCase(), data };
}

/** Images, audio and files of OpenAI's Chat. */
function fromChat(block: Json): Json {
  const url = isBlock(block, "image_url") ? at(block, "image_url", "url") : undefined;
  if (isText(url)) {
    const read = dataUrl(url);
    return read ? { type: "image", ...read } : { type: "image", url };
  }
  const audio = isBlock(block, "input_audio") ? at(block, "input_audio") : undefined;
  const [data, format] = [at(audio, "data"), at(audio, "format")];
  if (isText(data) && isText(format)) return { type: "audio", data, mimeType: `audio/${format}` };
  const file = isBlock(block, "file") ? at(block, "file") : undefined;
  const given = at(file, "data");
  if (!isText(given)) return block;
  const read = dataUrl(given);
  if (read) return { type: "file", ...read };
  const fileId = at(file, "file_id");
  return isText(fileId) ? { type: "file", fileId } : block;
}

/** Calls that no block tells of, by their id and name. */
function missing({ calls }: ViewMessage, blocks: Blocks): Blocks {
  const isThere = (call: JsonObject): boolean =>
    blocks.some(block => at(block, "id") === call["id"] && at(block, "name") === call["name"]);
  return calls.filter(call => !isThere(call)).map(callBlock);
}

function missingOfChunk({ content, calls }: ViewMessage): Blocks {
  if (isText(content)) return [];
  const ids = content.filter(block => isBlock(block, "tool_call")).map(block => at(block, "id"));
  return calls
    .filter(call => isText(call["id"]) && call["id"] !== "" && !ids.includes(call["id"]))
    .map(call => present({ ...call, type: "tool_call" }));
}

// hosts that speak OpenAI's Chat with reasoning beside it

function plainView({ content, calls }: ViewMessage, reasoning: Blocks): Blocks {
  return [...reasoning, ...textsOf(content).flatMap(text => textBlocks(text)), ...calls.map(callBlock)];
}

/** A text that is the whole content counts only where it is not empty. */
function textsOf(content: ViewMessage["content"]): readonly string[] {
  if (isText(content)) return content === "" ? [] : [content];
  return content.flatMap(block => {
    const text = isBlock(block, "text") ? at(block, "text") : undefined;
    return isText(text) ? [text] : [];
  });
}

const reasoningOf = (text: Json | undefined): Blocks =>
  isText(text) && text !== "" ? [{ type: "reasoning", reasoning: text }] : [];

function openrouterReasoning(kwargs: JsonObject): Blocks {
  const details = kwargs["reasoning_details"];
  const shown = (isList(details) ? details : []).flatMap(detail => {
    const type = at(detail, "type");
    if (type === "reasoning.summary") return reasoningOf(at(detail, "summary"));
    return type === "reasoning.text" ? reasoningOf(at(detail, "text")) : [];
  });
  return shown.length > 0 ? shown : reasoningOf(kwargs["reasoning_content"]);
}

function xaiReasoning(kwargs: JsonObject): Blocks {
  const summary = at(kwargs["reasoning"], "summary");
  const joined = isList(summary) ? reasoningOf(joinTexts(summary)) : [];
  return [...joined, ...reasoningOf(kwargs["reasoning_content"])];
}

const think = /<think>([\s\S]*?)<\/think>/;

function groqView({ content, calls, kwargs }: ViewMessage): Blocks {
  const texts = textsOf(content).flatMap((text): Blocks => {
    const found = think.exec(text);
    // A replacement text would read `$&` of the model's own words.
    const rest = found ? text.replace(think, () => "").trim() : text;
    return [...(found ? reasoningOf((found[1] ?? "").trim()) : []), ...(rest === "" ? [] : textBlocks(rest))];
  });
  return [...reasoningOf(kwargs["reasoning"]), ...texts, ...calls.map(callBlock)];
}
