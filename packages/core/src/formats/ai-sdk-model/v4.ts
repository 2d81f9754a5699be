/** Messages of AI SDK 4 (`CoreMessage`) in the words of generation 5: from there on they are read as such. */

import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";

/** A message; what is none stays as it is. */
export function fromCore(wire: Json): Json {
  if (!isJsonObject(wire)) return wire;
  const { content } = wire;
  const message = withOptions(wire);
  if (!Array.isArray(content)) return message;
  return { ...message, content: content.map((part: Json) => fromPart(part)) };
}

/** Generation 4 had two names for the options of providers. */
function withOptions({ experimental_providerMetadata: older, ...wire }: JsonObject): JsonObject {
  if (older === undefined) return wire;
  return wire["providerOptions"] === undefined
    ? { ...wire, providerOptions: older }
    : { ...wire, experimental_providerMetadata: older };
}

function fromPart(wire: Json): Json {
  if (!isJsonObject(wire)) return wire;
  const part = withOptions(wire);
  switch (part["type"]) {
    case "tool-call":
      return renamed(part, "args", "input");
    case "tool-result":
      return fromResult(part);
    case "image":
    case "file":
      return renamed(part, "mimeType", "mediaType");
    case "reasoning":
      return sealed(part, "signature", "signature");
    case "redacted-reasoning":
      return sealed({ ...part, type: "reasoning", text: "" }, "data", "redactedData");
    default:
      return part;
  }
}

function renamed(part: JsonObject, from: string, to: string): JsonObject {
  const { [from]: value, ...others } = part;
  return value === undefined || others[to] !== undefined ? part : { ...others, [to]: value };
}

/** Only Claude's models signed what they thought. */
function sealed(part: JsonObject, from: string, to: string): JsonObject {
  const { [from]: value, ...others } = part;
  if (typeof value !== "string") return part;
  const options = isJsonObject(others["providerOptions"]) ? others["providerOptions"] : {};
  const anthropic = isJsonObject(options["anthropic"]) ? options["anthropic"] : {};
  return { ...others, providerOptions: { ...options, anthropic: { ...anthropic, [to]: value } } };
}

/** What the model was sent counts: the content if there was one, else the result as a value. */
function fromResult({ result, isError, experimental_content: content, ...part }: JsonObject): JsonObject {
  if (part["output"] !== undefined) return part;
  if (Array.isArray(content)) {
    const given = result === undefined ? {} : { result };
    return { ...part, ...given, output: { type: "content", value: content.map((item: Json) => fromItem(item)) } };
  }
  if (result === undefined) return part;
  const isText = typeof result === "string";
  const kind = isText ? "text" : "json";
  return { ...part, output: { type: isError === true ? `error-${kind}` : kind, value: result } };
}

function fromItem(item: Json): Json {
  if (!isJsonObject(item) || item["type"] !== "image") return item;
  const { mimeType, ...others } = item;
  return { ...others, type: "media", mediaType: mimeType ?? "image/png" };
}
