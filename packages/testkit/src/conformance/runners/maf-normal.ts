import { isJsonObject, type Json, type JsonObject } from "translogue";

/** One spelling for values that two writers spell in several: before theirs and ours are compared. */

const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? value : []);
const objects = (value: unknown): readonly JsonObject[] => list(value).filter(isJsonObject);
const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "");

/** Chat's content is a text, a list of parts, or nothing. */
export function chatMessages(messages: unknown): readonly Json[] {
  return objects(messages).map(message => {
    const { content, ...rest } = message;
    const parts =
      typeof content === "string" ? (content === "" ? [] : [{ type: "text", text: content }]) : list(content);
    return { ...rest, content: joined(parts, "text") };
  });
}

/**
 * Anthropic's contents are a text or a list of blocks, also those of results and of the system; system turns that follow
 * one another are one, and a result that did not fail need not say so. `joined`:
 * turns of the other sides are, too, for clients that make turns alternate.
 */
export function anthropicRequest(request: JsonObject, joined: readonly string[] = ["system"]): JsonObject {
  const { system, messages } = request;
  return {
    ...request,
    ...(system !== undefined && { system: blocks(system) }),
    ...(messages !== undefined && { messages: turns(objects(messages), joined) }),
  };
}

function turns(messages: readonly JsonObject[], joined: readonly string[]): readonly Json[] {
  const merged: JsonObject[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    const { role } = message;
    const isSame = last?.["role"] === role && joined.includes(String(role));
    const content = isSame
      ? [...list(last?.["content"]), ...textBlocks(message["content"])]
      : textBlocks(message["content"]);
    merged.splice(isSame ? -1 : merged.length, 1, { ...message, content });
  }
  return merged.map(message => ({ ...message, content: blocks(message["content"]) }));
}

const textBlocks = (content: Json | undefined): readonly Json[] =>
  typeof content === "string" ? (content === "" ? [] : [{ type: "text", text: content }]) : list(content);

const blocks = (content: Json | undefined): readonly Json[] =>
  textBlocks(content).map(block => {
    if (!isJsonObject(block) || block["type"] !== "tool_result") return block;
    const { is_error: isError, ...rest } = block;
    return { ...(isError === false ? rest : block), content: blocks(block["content"]) };
  });

/** Responses' messages may leave out their type and the type of their only text; the assistant's neighbours are one message. */
export function responsesItems(items: unknown): readonly Json[] {
  const merged: JsonObject[] = [];
  for (const item of objects(items).map(spelledOut)) {
    const last = merged.at(-1);
    if (last && item["role"] === "assistant" && last["role"] === "assistant") {
      merged[merged.length - 1] = { ...last, ...item, content: [...list(last["content"]), ...list(item["content"])] };
    } else merged.push(item);
  }
  return merged.map(item =>
    item["type"] === "message" ? { ...item, content: joined(list(item["content"]), "") } : item,
  );
}

function spelledOut(item: JsonObject): JsonObject {
  const { output, summary } = item;
  if (typeof output === "string" && item["type"] === "function_call_output") {
    return { ...item, output: [{ type: "input_text", text: output }] };
  }
  if (Array.isArray(summary)) return { ...item, summary: joined(summary, "") };
  if (item["role"] === undefined || (item["type"] ?? "message") !== "message") return item;
  const { content } = item;
  const type = item["role"] === "assistant" ? "output_text" : "input_text";
  return {
    ...item,
    type: "message",
    content: typeof content === "string" ? [{ type, text: content }] : (content ?? []),
  };
}

/** Texts that follow one another are one; an empty list of annotations is none, an empty text is nothing. */
function joined(parts: readonly Json[], type: string): readonly Json[] {
  const merged: JsonObject[] = [];
  for (const part of parts.filter(isJsonObject)) {
    const last = merged.at(-1);
    const { annotations, ...rest } = part;
    const own = list(annotations).length > 0 ? part : rest;
    const isText =
      typeof part["text"] === "string" && (type === "" ? /_text$/.test(textOf(part["type"])) : part["type"] === type);
    if (isText && last && last["type"] === part["type"]) {
      merged[merged.length - 1] = { ...last, text: textOf(last["text"]) + textOf(part["text"]) };
    } else if (!isText || part["text"] !== "") merged.push(own);
  }
  return merged;
}

/** MAF's answer: messages of one role that follow one another are one, and so are the pieces of one text or reasoning. */
export function mafAnswer(answer: unknown): Json {
  if (!isJsonObject(answer)) return null;
  const merged: JsonObject[] = [];
  for (const message of objects(answer["messages"])) {
    const last = merged.at(-1);
    if (last && last["role"] === message["role"]) {
      const { messageId, contents, ...both } = last;
      void messageId; // of two messages neither's
      merged[merged.length - 1] = { ...both, contents: [...list(contents), ...list(message["contents"])] };
    } else merged.push(message);
  }
  return { ...answer, messages: merged.map(message => ({ ...message, contents: pieces(list(message["contents"])) })) };
}

function pieces(contents: readonly Json[]): readonly Json[] {
  const merged: JsonObject[] = [];
  for (const content of contents.filter(isJsonObject)) {
    const last = merged.at(-1);
    const whole = last && (withCitations(last, content) ?? oneText(last, content) ?? oneReasoning(last, content));
    if (whole) merged[merged.length - 1] = whole;
    else if (Object.keys(content).length > 0) merged.push(content); // a bare content says nothing in JSON
  }
  return merged.filter(content => !(content["$type"] === "text" && content["text"] === "" && !content["annotations"]));
}

/** A stream brings citations after their text, in a content of their own. */
const withCitations = (text: JsonObject, content: JsonObject): JsonObject | undefined =>
  text["$type"] === "text" && content["$type"] === undefined && content["annotations"] !== undefined
    ? { ...text, annotations: [...list(text["annotations"]), ...list(content["annotations"])] }
    : undefined;

const oneText = (first: JsonObject, second: JsonObject): JsonObject | undefined => {
  if (first["$type"] !== "text" || second["$type"] !== "text") return undefined;
  const annotations = [...list(first["annotations"]), ...list(second["annotations"])];
  const text = textOf(first["text"]) + textOf(second["text"]);
  return { ...first, text, ...(annotations.length > 0 && { annotations }) };
};

const itemOf = ({ additionalProperties }: JsonObject): Json | undefined =>
  isJsonObject(additionalProperties) ? additionalProperties["reasoningItemId"] : undefined;

/** A summary has several entries, which .NET strings together. */
const oneReasoning = (first: JsonObject, second: JsonObject): JsonObject | undefined =>
  first["$type"] === "reasoning" && second["$type"] === "reasoning" && itemOf(first) === itemOf(second)
    ? { ...first, ...second, text: textOf(first["text"]) + textOf(second["text"]) }
    : undefined;
