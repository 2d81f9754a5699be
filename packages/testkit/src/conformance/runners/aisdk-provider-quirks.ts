import { equalJson, isJsonObject, type Json, type JsonObject } from "translogue";
import {
  bytesOf,
  type Compared,
  downloaded,
  isContent,
  listOf,
  parsedText,
  partsOf,
  wordsOf,
} from "./aisdk-provider-given.ts";
import { type Checks, holdsLeaves, member, stepsInto } from "./aisdk-provider-places.ts";

/** Smaller differences between what packages send and what ours sends; each needs its own evidence in the case. */
export const furtherChecks: Checks<Compared> = {
  "sdk defaults": ({ at, key, theirs, all }) =>
    (key === "eager_input_streaming" && theirs === true && all.call["stream"] === true) ||
    (key === "strict" && theirs === false && isSomeStrict(all.call)) ||
    (at === "toolConfig" && JSON.stringify(theirs).includes('"VALIDATED"') && isSomeStrict(all.call)),
  "sdk blank texts": ({ theirs, ours, all }) =>
    ours === undefined && isBlank(member(theirs, "text")) && hasLoss(all, /^empty-text$/),
  "sdk foreign calls": ({ theirs, ours, all }) =>
    ours === undefined &&
    hasLoss(all, /^(foreign-call|server-tool)$/) &&
    idsOf(theirs).some(id => isHostedCall(id, all.given)),
  "sdk foreign seals": ({ key, theirs, ours, all }) =>
    ours === undefined &&
    ((key === "extra_content" && hasLoss(all, /^foreign-seal$/)) ||
      (member(theirs, "reasoningContent") !== undefined && hasLoss(all, /seal|reasoning|unsigned/))),
  "sdk names of hidden reasoning": ({ path, key, theirs, ours, all }) => {
    const own = member(stepsInto(all.ours, path.slice(0, -1)), "redactedContent");
    const data = String(member(theirs, "data"));
    return (
      key === "redactedReasoning" &&
      ours === undefined &&
      (own === data || own === Buffer.from(data).toString("base64") || holdsRedacted(all.ours, data))
    );
  },
  "sdk clamps": ({ at, theirs, ours, all }) =>
    (/^(inferenceConfig\.)?max_?[tT]okens$/.test(at) &&
      ours === member(all.settings, "maxOutputTokens") &&
      Number(ours) > Number(theirs)) ||
    (/^reasoning[._]effort$/.test(at) && ours !== undefined && ours === member(all.settings, "reasoning")) ||
    (at === "reasoning_effort" && typeof ours === "string" && hasLoss(all, /effort|reasoning/)),
  "sdk names of settings": ({ at, theirs, ours, all }) =>
    at === "inferenceConfig" &&
    ours === undefined &&
    equalJson(theirs as Json, { topK: member(all.settings, "topK") ?? null } as JsonObject), // bodies are JSON
  "sdk callers": ({ at, theirs }) => /\.caller\.type$/.test(at) && /^code_execution_\d+$/.test(String(theirs)),
  "sdk package options": ({ at, theirs, ours, all }) =>
    ours === undefined &&
    ((member(theirs, "cachePoint") !== undefined &&
      hasLoss(all, /^(empty-text|message\.native)$/) &&
      JSON.stringify(all.given).includes('"cachePoint"')) ||
      (at === "input.*.namespace" && hasLoss(all, /^tool-call\.native$/))),
  "sdk stored items": ({ theirs, ours, all }) =>
    ours === undefined && member(theirs, "type") === "item_reference" && holdsLeaves(all.sent, member(theirs, "id")),
  "sdk places": ({ path, theirs, ours, all }) => {
    const id = member(member(theirs, "functionResponse"), "id");
    const others = listOf(member(all.ours, "contents")).filter((_, index) => index !== path[1]);
    const results = others.flatMap(each => listOf(member(each, "parts"))).map(part => member(part, "functionResponse"));
    return ours === undefined && id !== undefined && results.some(each => member(each, "id") === id);
  },
  "sdk spelled constants": ({ path, key, theirs, ours, all }) =>
    key === "const" &&
    ours === undefined &&
    listOf(member(stepsInto(all.ours, path.slice(0, -1)), "enum")).includes(theirs),
  "sdk tool files": ({ at, theirs, ours, all }) =>
    (typeof ours === "string" && isJoined(ours, wordsOf(contentIn(theirs)))) ||
    (ours === undefined &&
      isContent(contentIn(theirs)) &&
      wordsOf(contentIn(theirs)).every(words => holdsLeaves(all.ours, words)) &&
      (isToldFile(all) || /"(image|document)_url"/.test(JSON.stringify(all.ours)))) ||
    (/^messages\.\*\.content\.\*$/.test(at) &&
      ours === undefined &&
      member(theirs, "type") === "image_url" &&
      isOfResult(theirs, all.given) &&
      isToldFile(all)),
  "sdk results in pieces": ({ at, path, theirs, ours, all }) =>
    /\.functionResponse\.response\.output$/.test(at)
      ? typeof ours === "string" && ours.split("\n").includes(String(theirs))
      : ours === undefined &&
        isPieceOf(member(theirs, "functionResponse"), stepsInto(all.theirs, path.slice(0, -1)), all),
  "sdk glued texts": ({ theirs, ours, all }) => {
    const text = typeof ours === "string" ? theirs : ours === undefined ? member(theirs, "text") : undefined;
    if (typeof text !== "string") return false;
    return listOf(all.given).some(message => {
      const pieces = [textsOf(message), wordsIn(message)];
      return pieces.some(
        texts =>
          texts.length > 1 && (texts.join("") === text || texts.includes(text)) && isToldInOrder(texts, all.ours),
      );
    });
  },
  "sdk downloads": ({ key, theirs, ours, all }) =>
    (key === "source" && member(theirs, "data") === downloaded && /^https?:/.test(String(member(ours, "url")))) ||
    (member(theirs, "file_data") !== undefined &&
      bytesOf(member(theirs, "file_data")) === downloaded &&
      /^https?:/.test(String(member(ours, "file_url")))) ||
    (ours === undefined &&
      [
        member(member(member(theirs, "document"), "source"), "bytes"),
        bytesOf(member(member(theirs, "file"), "file_data")),
        ...listOf(theirs).map(each => base64Of(member(member(each, "data"), "text"))),
      ].includes(downloaded) &&
      hasLoss(all, /file|media/)),
  "sdk documents": ({ at, theirs, ours, all }) =>
    at === "documents" &&
    ours === undefined &&
    listOf(theirs).every(each => {
      const text = member(member(each, "data"), "text");
      const isFile = partsOf(all.given).some(part => bytesOf(part["data"]) === text) && isToldFile(all);
      return isFile || JSON.stringify(all.ours).includes(JSON.stringify(text).slice(1, -1));
    }),
  "sdk several references": ({ theirs, ours, all }) => {
    const id = member(member(theirs, "fileData"), "fileUri") ?? member(member(theirs, "file"), "file_id");
    return (
      ours === undefined &&
      id !== undefined &&
      partsOf(all.given).some(part => holdsLeaves(member(part["data"], "reference"), id))
    );
  },
  "sdk schema in words": ({ key, theirs, ours }) =>
    key === "text" &&
    typeof ours === "string" &&
    String(theirs).startsWith(ours) &&
    /^\s*(You MUST answer with JSON\.|Return JSON)/.test(String(theirs).slice(ours.length)),
  "sdk empty values": ({ theirs, ours }) =>
    ours === undefined &&
    member(theirs, "type") === "thinking" &&
    Array.isArray(member(theirs, "thinking")) &&
    listOf(member(theirs, "thinking")).every(each => member(each, "text") === ""),
};

const hasLoss = ({ losses }: Compared, code: RegExp): boolean => losses.some(loss => code.test(loss.code));

const isToldFile = (all: Compared): boolean => hasLoss(all, /file|media/);

/** Whether a tool gave this picture, by its bytes or its address. */
function isOfResult(block: unknown, given: Json): boolean {
  const image = member(block, "image_url");
  const address = member(image, "url") ?? image;
  const results = partsOf(given).filter(part => part["type"] === "tool-result");
  return typeof address === "string" && holdsLeaves(results, bytesOf(address));
}

const isSomeStrict = (call: JsonObject): boolean => listOf(call["tools"]).some(tool => member(tool, "strict") === true);

const isBlank = (text: unknown): boolean => typeof text === "string" && text.trim() === "";

/** The ids of calls that a block names, in the words of all APIs. */
const idsOf = (block: unknown): readonly unknown[] =>
  [block, ...["functionCall", "functionResponse", "toolUse", "toolResult"].map(key => member(block, key))].flatMap(
    each => ["id", "call_id", "tool_use_id", "toolUseId"].map(key => member(each, key) ?? []),
  );

const isHostedCall = (id: unknown, given: Json): boolean =>
  partsOf(given).some(
    part =>
      part["providerExecuted"] === true && (part["toolCallId"] === id || holdsLeaves(part["providerOptions"], id)),
  );

const holdsRedacted = (ours: unknown, data: string): boolean =>
  JSON.stringify(ours).includes(`"redactedContent":"${data}"`) ||
  JSON.stringify(ours).includes(`"redactedContent":"${Buffer.from(data).toString("base64")}"`);

/** What a tool gave, which packages write as the JSON text of a list. */
const contentIn = (theirs: unknown): unknown => parsedText(member(theirs, "text") ?? theirs);

const isJoined = (ours: string, words: readonly unknown[]): boolean => words.length > 0 && ours === words.join("");

/** A further result of a call that has one already. */
function isPieceOf(result: unknown, parts: unknown, { ours }: Compared): boolean {
  const id = member(result, "id");
  const all = listOf(parts).filter(part => member(member(part, "functionResponse"), "id") === id);
  return id !== undefined && all.length > 1 && holdsLeaves(ours, id);
}

/** Whether a request says these words, or their base64, one behind the other. */
function isToldInOrder(words: readonly string[], request: unknown): boolean {
  const said = textsIn(request);
  const find = (from: { leaf: number; at: number }, word: string): { leaf: number; at: number } | undefined => {
    for (let leaf = from.leaf; leaf < said.length; leaf++) {
      const text = said[leaf] ?? "";
      const begin = leaf === from.leaf ? from.at : 0;
      const at = text.indexOf(word, begin);
      if (at >= 0) return { leaf, at: at + word.length };
      if (text.slice(begin).includes(base64Of(word))) return { leaf: leaf + 1, at: 0 };
    }
    return undefined;
  };
  let place: { leaf: number; at: number } | undefined = { leaf: 0, at: 0 };
  for (const word of words) place = place && find(place, word);
  return place !== undefined;
}

/** The texts of the turns of a request, in order. */
function textsIn(request: unknown): readonly string[] {
  const turns = ["system", "messages", "input", "contents"].map(key => member(request, key));
  const inside = (value: unknown): readonly string[] => {
    if (typeof value === "string") return [value];
    const inner = Array.isArray(value) ? value : isJsonObject(value) ? Object.values(value) : [];
    return inner.flatMap(inside);
  };
  return inside(turns);
}

const base64Of = (text: unknown): string => Buffer.from(String(text)).toString("base64");

/** Texts, and the words of text files. */
const wordsIn = (message: unknown): readonly string[] =>
  listOf(member(message, "content"))
    .filter(isJsonObject)
    .flatMap(({ type, text, mediaType, data }) => {
      if (type === "text" && typeof text === "string") return [text];
      if (type === "file" && member(data, "type") === "text") return [String(member(data, "text"))];
      const isText = type === "file" && mediaType === "text/plain" && typeof data === "string";
      return isText ? [Buffer.from(data, "base64").toString()] : [];
    });

const textsOf = (message: unknown): readonly string[] =>
  listOf(member(message, "content"))
    .filter(isJsonObject)
    .flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : []));
