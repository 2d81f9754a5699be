/** What @langchain/core makes of the blocks of Google's three integrations. */

import { present } from "../../codec/remainder.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import {
  at,
  type Blocks,
  callBlock,
  isBlock,
  isList,
  isText,
  nonStandard,
  objectOf,
  type ViewMessage,
} from "./content-blocks-message.ts";

const listOf = (content: ViewMessage["content"]): Blocks =>
  isText(content) ? [{ type: "text", text: content }] : content;

/** Pieces that all of them read alike. The call has the message's id: the API gave it none. */
function pieceOf(block: Json, { id }: ViewMessage): JsonObject | undefined {
  if (!isJsonObject(block)) return undefined;
  const { type, text, inlineData, functionCall, fileData } = block;
  if (type === "text" && isText(text)) return { type, text };
  if (type === "inlineData") {
    const [mimeType, data] = [at(inlineData, "mimeType"), at(inlineData, "data")];
    return isText(mimeType) && isText(data) ? { type: "file", mimeType, data } : undefined;
  }
  if (type === "functionCall") {
    const [name, args] = [at(functionCall, "name"), at(functionCall, "args")];
    const isCall = isText(name) && typeof args === "object" && args !== null;
    return isCall ? present({ type: "tool_call", id, name, args }) : undefined;
  }
  if (type !== "fileData") return undefined;
  const [mimeType, fileId] = [at(fileData, "mimeType"), at(fileData, "fileUri")];
  return isText(mimeType) && isText(fileId) ? { type: "file", mimeType, fileId } : undefined;
}

/** `thinking` of the older integrations. */
function thinkingOf(block: Json): JsonObject | undefined {
  const thinking = isBlock(block, "thinking") ? at(block, "thinking") : undefined;
  if (!isText(thinking)) return undefined;
  const signature = at(block, "signature");
  return { type: "reasoning", reasoning: thinking, ...(signature && { signature }) };
}

export function googleGenaiView(message: ViewMessage): Blocks {
  return listOf(message.content).map(block => thinkingOf(block) ?? pieceOf(block, message) ?? nonStandard(block));
}

// @langchain/google

const refusals: readonly Json[] = ["SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST"];

export function googleView(message: ViewMessage): Blocks {
  const blocks = signedContent(message).map(block => withThought(block, pieceOf(block, message) ?? nonStandard(block)));
  const { metadata, kwargs } = message;
  const finishReason = metadata["finishReason"] ?? metadata["finish_reason"] ?? kwargs["finishReason"];
  if (finishReason === undefined || !refusals.includes(finishReason)) return blocks;
  const said = metadata["finishMessage"] ?? kwargs["finishMessage"];
  return [...blocks, { type: "refusal", refusal: isText(said) ? said : "", extras: { finishReason } }];
}

/** The text block as the API gave it stands beside the content, with its signature. */
function signedContent({ content, kwargs }: ViewMessage): Blocks {
  const original = kwargs["originalTextContentBlock"];
  if (isText(content))
    return [isJsonObject(original) ? { ...original, type: "text" } : { type: "text", text: content }];
  const signature = at(original, "thoughtSignature");
  const isSigned = content.some(block => at(block, "thoughtSignature") !== undefined);
  if (!signature || isSigned) return content;
  const last = content.findLastIndex(block => isBlock(block, "text") && !block["thought"]);
  return content.map((block, index) =>
    index === last && isJsonObject(block) ? { ...block, thoughtSignature: signature } : block,
  );
}

function withThought(block: Json, piece: JsonObject): JsonObject {
  const { thought, thoughtSignature, partMetadata } = objectOf(block);
  const reasoning = piece["type"] === "text" ? piece["text"] : "";
  const shown = thought ? { type: "reasoning", reasoning, reasoningContentBlock: piece } : piece;
  return present({ thought, thoughtSignature, partMetadata, ...shown });
}

// @langchain/google-vertexai

export function vertexView(message: ViewMessage): Blocks {
  const list = listOf(message.content);
  const blocks = list.flatMap((block, index): Blocks => vertexBlock(block, signatureAt(message, index)));
  return [...blocks, ...message.calls.map(callBlock)];
}

function signatureAt({ kwargs }: ViewMessage, index: number): Json | undefined {
  const { signatures } = kwargs;
  return isList(signatures) ? signatures[index] : undefined;
}

function vertexBlock(block: Json, signature: Json | undefined): Blocks {
  if (!isJsonObject(block)) return [nonStandard(block)];
  const { type, text, reasoning, image_url: image, mimeType, data } = block;
  if (type === "reasoning" && isText(reasoning)) {
    return [{ type, reasoning, ...(isText(signature) && { signature }) }];
  }
  const thinking = thinkingOf(block);
  if (thinking) return [thinking];
  if (type === "text" && isText(text)) return text === "" ? [] : [{ type, text }];
  if (type === "image_url") return isText(image) ? [imageOf(image)] : [];
  if (type === "media" && isText(mimeType) && isText(data)) return [{ type: "file", mimeType, data }];
  return [nonStandard(block)];
}

function imageOf(url: string): JsonObject {
  const [, mimeType, data] = /^data:([^;]+);base64,(.+)$/.exec(url) ?? [];
  return mimeType === undefined || data === undefined ? { type: "image", url } : { type: "image", data, mimeType };
}
