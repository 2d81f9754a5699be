/** What langchain-core makes of blocks where no provider is known: five readings, one after the other. */

import { rowOf } from "../../codec/reader.ts";
import { present } from "../../codec/remainder.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { at, type Blocks, isText } from "./content-blocks-message.ts";
import type { NewId } from "./content-blocks-python.ts";
import { anthropicFile } from "./content-blocks-python-anthropic.ts";
import { addExtras, dataUri, isTruthy, knownTypes, orElse } from "./content-blocks-python-shape.ts";

export function fromInput(content: string | Blocks, newId: NewId): Blocks {
  const items: Blocks = isText(content) ? (content === "" ? [] : [content]) : content;
  return items.flatMap((item): Blocks => {
    if (isText(item)) return [{ type: "text", text: item }];
    return isJsonObject(item) ? [standardBlock(item, newId)] : [];
  });
}

/** Each reading takes the block out of its wrapper, and wraps what it does not know. */
function standardBlock(item: JsonObject, newId: NewId): JsonObject {
  let block = item;
  for (const read of [fromFirst, fromChat, anthropicFile, fromGenai, fromConverse]) {
    const inner = block["type"] === "non_standard" ? block["value"] : block;
    if (!isJsonObject(inner)) return block;
    block = read(inner, newId) ?? wrapped(inner);
  }
  return block;
}

const wrapped = (block: JsonObject): JsonObject => {
  const { type } = block;
  return type !== undefined && knownTypes.includes(type) ? block : { type: "non_standard", value: block };
};

// data blocks of the first version

const firstTypes: readonly Json[] = ["image", "audio", "file"];

function fromFirst(block: JsonObject, newId: NewId): JsonObject | undefined {
  const { type, source_type: source } = block;
  if (type === undefined || !firstTypes.includes(type) || source === undefined) return undefined;
  return (isText(source) ? firstBlock(block, source, newId) : undefined) ?? block;
}

const firstMembers: { readonly [source: string]: { readonly from: string; readonly to: string } } = {
  url: { from: "url", to: "url" },
  base64: { from: "data", to: "base64" },
  id: { from: "id", to: "file_id" },
  text: { from: "url", to: "text" },
};

/** What else the block has goes to `extras`. Where Python raises (an `id` of its own), the id is kept as one. */
function firstBlock(block: JsonObject, source: string, newId: NewId): JsonObject | undefined {
  const row = rowOf(firstMembers, source);
  const value = row && block[row.from];
  const isText = source === "text";
  if (!row || value === undefined || (isText && block["type"] !== "file")) return undefined;
  const { id, mime_type: mimeType } = block;
  const isId = source === "id";
  if (isId && block["type"] === "file") return fileById(block, newId);
  const own = isId ? undefined : id;
  const standard = present({
    type: isText ? "text-plain" : (block["type"] ?? null),
    id: own,
    [row.to]: value,
    mime_type: isText
      ? isTruthy(mimeType)
        ? mimeType
        : "text/plain"
      : !isId && isTruthy(mimeType)
        ? mimeType
        : undefined,
  });
  const known = ["type", "source_type", row.from, "id", ...(isId ? [] : ["mime_type"])];
  return addExtras(standard, withoutNull(block), known);
}

/** A file by its id gets an id of its own, and keeps its type in its place. */
function fileById(block: JsonObject, newId: NewId): JsonObject {
  const { id, mime_type: mimeType, index } = withoutNull(block);
  const file = present({ type: "file", id: newId?.(), file_id: id, mime_type: mimeType, index });
  return addExtras(file, withoutNull(block), ["type", "source_type", "id", "mime_type", "index"]);
}

const withoutNull = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));

// images, audio and files of OpenAI's Chat

/** Members of the inner object that go to `extras`, under a name that says whose they are. */
function innerExtras(inner: JsonObject, known: readonly string[], prefix: string): JsonObject {
  const more = Object.keys(inner).filter(key => !known.includes(key));
  return Object.fromEntries(
    more.map(key => [prefix === "image_url" && key === "detail" ? key : `${prefix}_${key}`, inner[key] ?? null]),
  );
}

function fromChat(block: JsonObject, newId: NewId): JsonObject | undefined {
  const { type } = block;
  if (!isText(type)) return undefined;
  const inner =
    type === "file" ? block["file"] : type === "image_url" || type === "input_audio" ? block[type] : undefined;
  if (!isJsonObject(inner)) return undefined;
  const outer = Object.fromEntries(Object.entries(block).filter(([key]) => key !== "type" && key !== type));
  const made = (kind: string, fields: JsonObject, extras: JsonObject): JsonObject => {
    const { index, id = newId?.(), ...all } = withoutNull({ ...outer, ...extras });
    return present({ type: kind, id, ...fields, index, extras: Object.keys(all).length > 0 ? all : undefined });
  };
  switch (type) {
    case "image_url": {
      const { url } = inner;
      const isPlain = Object.keys(block).every(key => key === "type" || key === "image_url" || key === "detail");
      if (!isPlain || !isText(url)) return undefined;
      const read = dataUri(url);
      const fields: JsonObject = read ? { base64: read.data, mime_type: read.mimeType } : { url };
      return made("image", fields, innerExtras(inner, ["url"], "image_url"));
    }
    case "input_audio": {
      const { data, format } = inner;
      if (!isText(data) || !isText(format)) return undefined;
      const fields = { base64: data, mime_type: `audio/${format}` };
      return made("audio", fields, innerExtras(inner, ["data", "format"], "audio"));
    }
    default:
      return chatFile(inner, made);
  }
}

function chatFile(
  inner: JsonObject,
  made: (kind: string, fields: JsonObject, extras: JsonObject) => JsonObject,
): JsonObject | undefined {
  const { file_id: id, file_data: data, filename } = inner;
  if (isText(id)) return made("file", { file_id: id }, innerExtras(inner, ["file_id"], "file"));
  const read = isText(data) ? dataUri(data) : undefined;
  if (!read) return undefined;
  const extras = {
    ...(filename !== undefined && { filename }),
    ...innerExtras(inner, ["file_data", "filename"], "file"),
  };
  return made("file", { base64: read.data, mime_type: "application/pdf" }, extras);
}

// pieces of Google's and Bedrock's

function fromGenai(block: JsonObject): JsonObject | undefined {
  const { type } = block;
  const bare = fromBare(block);
  if (bare) return bare;
  switch (type) {
    case "file_data": {
      const { file_uri: url, mime_type: mimeType } = block;
      if (url === undefined) return undefined;
      return present({ type: "file", url, mime_type: isTruthy(mimeType) ? mimeType : undefined });
    }
    case "function_call":
      if (block["name"] === undefined) return undefined;
      return { type: "tool_call", name: block["name"], args: orElse(block["args"], {}), id: orElse(block["id"], "") };
    case "executable_code":
      return codeBlock(block);
    case "code_execution_result":
      return codeResult(block);
    default:
      return undefined;
  }
}

export const codeBlock = ({ executable_code: code, language, id }: JsonObject): JsonObject => ({
  type: "server_tool_call",
  name: "code_interpreter",
  args: { code: orElse(code, ""), language: orElse(language, "python") },
  id: orElse(id, ""),
});

/** `blockType`: named in `extras` where the provider is known. */
export function codeResult(block: JsonObject, blockType?: string): JsonObject {
  const outcome = block["outcome"] === undefined ? 1 : block["outcome"];
  const extras = present({ block_type: blockType, outcome: outcome ?? undefined });
  return {
    type: "server_tool_result",
    tool_call_id: orElse(block["tool_call_id"], ""),
    status: outcome === 1 ? "success" : "error",
    output: orElse(block["code_execution_result"], ""),
    ...(Object.keys(extras).length > 0 && { extras }),
  };
}

/** Blocks of one member without a type, as Bedrock has them; Google's reading knows them, too. */
function fromBare(block: JsonObject): JsonObject | undefined {
  const [member, ...others] = Object.keys(block);
  if (member === undefined || others.length > 0) return undefined;
  const value = block[member];
  if (member === "text") return isTruthy(value) ? { type: "text", text: value } : undefined;
  if ((member !== "document" && member !== "image") || !isJsonObject(value) || value["format"] === undefined)
    return undefined;
  const { format } = value;
  const [bytes, text] = [at(value, "source", "bytes"), at(value, "source", "text")];
  const extras = (file: JsonObject): JsonObject => addExtras(file, value, ["format", "source"]);
  if (member === "image") {
    return bytes === undefined
      ? undefined
      : extras({ type: "image", base64: bytes, mime_type: `image/${wordOf(format)}` });
  }
  if (format === "pdf" && bytes !== undefined)
    return extras({ type: "file", base64: bytes, mime_type: "application/pdf" });
  if (format === "txt" && text !== undefined) return extras({ type: "text-plain", text, mime_type: "text/plain" });
  return undefined;
}

const wordOf = (value: Json): string => (isText(value) ? value : JSON.stringify(value));

/** Bedrock's reading finds nothing that Google's did not. */
const fromConverse = fromBare;
