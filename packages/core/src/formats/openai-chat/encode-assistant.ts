import { googleSeal, writeArguments, writeExtraSeal, writeToolCall } from "../../blocks/chat-parts/calls.ts";
import { chatParts, usualHost, writeCitation, writeContentPart } from "../../blocks/chat-parts/parts.ts";
import type { Shape } from "../../codec/codec.ts";
import { fillAll, hintsOf, present } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Citation, FilePart, OpaquePart, Part, PartOf, Seal } from "../../model/parts.ts";
import { wantedReasoning } from "./dialects.ts";
import { type Reasoning, writeReasoning } from "./reasoning.ts";
import { family, type Located, places } from "./wire.ts";
import { callIdOf, finished, type Writing } from "./writing.ts";

type Slot = keyof typeof places;
type Slots = { readonly [slot in Slot]: Located[] };

/** One assistant's message. Parts go to the members of their kind: what order they had among them is lost. */
export function writeAssistant(
  parts: readonly Located[],
  { message, path }: { readonly message: Message; readonly path: Path },
  writing: Writing,
): JsonObject {
  const slots = sorted(parts, path, writing);
  const hints = hintsOf(message, family);
  const { context, dialect } = writing;
  const reasoning = [...slots.reasoning, ...slots.details];
  const isBare = parts.length === slots.content.length && slots.content.length === 0;
  const said = isBare
    ? { fields: bareContent(message, writing), citations: [] }
    : contentFields(slots.content, message, writing);
  const fields = present({
    role: isRoleless(hints, context.shape) ? undefined : "assistant",
    ...said.fields,
    ...writeReasoning(
      reasoning.map(({ part }) => part as Reasoning),
      hints,
      {
        plain: dialect.reasoning,
        hasDetails: dialect.hasDetails,
        wanted: wantedReasoning(context),
        isSent: context.recipient === "provider",
        lose: (code, place, detail) => context.lose(code, reasoning[place]?.path ?? path, detail),
      },
    ),
    refusal: refusalOf(slots.refusal, writing),
    annotations: annotationsOf(said.citations, slots.annotations),
    audio: audioOf(slots.audio, writing),
    images: imagesOf(slots.images, writing),
    ...callFields([...slots.calls, ...slots.functionCall], hints, writing),
    ...messageSeal(slots, hints, writing),
  });
  return finished(fields, message, path, writing);
}

/** Hosts leave the role out of answers; no request may do so. */
const isRoleless = (hints: JsonObject, shape: Shape): boolean =>
  Object.hasOwn(hints, "role") || (hints["$role"] === false && shape === "answer");

/** The parts by the member they go to. */
function sorted(parts: readonly Located[], path: Path, writing: Writing): Slots {
  const slots: Slots = {
    reasoning: [],
    details: [],
    content: [],
    refusal: [],
    audio: [],
    images: [],
    annotations: [],
    calls: [],
    functionCall: [],
    error: [],
  };
  let last = 0;
  let isOrdered = true;
  for (const each of parts) {
    const slot = slotOf(each.part, writing);
    if (slot === undefined) {
      const isServers = each.part.type === "tool-call" || each.part.type === "tool-result";
      writing.context.lose(isServers ? "server-tool" : "misplaced", each.path, each.part.type);
      continue;
    }
    slots[slot].push(each);
    if (places[slot] < last) isOrdered = false;
    last = places[slot];
  }
  if (!isOrdered) writing.context.lose("order", [...path, "parts"]);
  return slots;
}

function slotOf(part: Part, { dialect }: Writing): Slot | undefined {
  const place = hintsOf(part, chatParts)["$place"];
  switch (part.type) {
    case "text":
      return "content";
    case "reasoning":
      return place === "content" ? "content" : hintsOf(part, family)["$place"] === "details" ? "details" : "reasoning";
    case "refusal":
      return place === "content" ? "content" : "refusal";
    case "file":
      return fileSlot(part, place);
    case "tool-call":
      if (part.executedBy) return undefined;
      return place === "function_call" ? "functionCall" : "calls";
    case "opaque":
      return opaqueSlot(part, place, dialect.hasDetails);
    case "error":
      return "error";
    default:
      return undefined;
  }
}

function fileSlot(part: PartOf<"file">, place: Json | undefined): Slot | undefined {
  if (place === "content" || place === "images" || place === "audio") return place;
  if (part.mediaType?.startsWith("audio/")) return "audio";
  return part.mediaType?.startsWith("image/") ? "images" : undefined;
}

function opaqueSlot(part: OpaquePart, place: Json | undefined, hasDetails: boolean): Slot | undefined {
  if (hintsOf(part, family)["$place"] === "details") return hasDetails ? "details" : undefined;
  return place === "images" || place === "annotations" || place === "calls" ? place : "content";
}

// content

interface Said {
  readonly fields: JsonObject;
  readonly citations: readonly Json[];
}

/** Texts as one string where the reader expects an answer, else as a list; nothing as null. */
function contentFields(parts: readonly Located[], message: Message, writing: Writing): Said {
  const { $content: hint } = hintsOf(message, family);
  // A text that is there for the seal of the message says nothing.
  const said = parts.length === 1 && parts.every(({ part }) => isSealOnly(part)) ? [] : parts;
  const citations = citationsOf(said, writing);
  if (said.length === 0) return { fields: noContent(message), citations };
  const texts = said.flatMap(({ part }) => (part.type === "text" ? [part.text] : []));
  const isPlain = texts.length === said.length && said.every(({ part }) => isPlainText(part));
  const { context } = writing;
  const isAnswer = context.shape === "answer" || context.shape === "stream";
  if (isPlain && (hint !== "list" || context.shape === "stream") && (isAnswer || texts.length === 1)) {
    if (texts.length > 1) for (const { path } of said) context.lose("text-joined", path);
    else if (texts[0] === "" && hint !== "") context.lose("empty-text", said[0]?.path ?? []);
    return { fields: { content: texts.join("") }, citations };
  }
  const content = said.flatMap(({ part, path }) => {
    const wire = writeContentPart(
      part as PartOf<"text" | "refusal" | "file" | "reasoning" | "opaque">,
      path,
      writing.parts,
    ); // what slotOf puts here
    return wire === undefined ? [] : [wire];
  });
  return { fields: { content }, citations };
}

function noContent(message: Message): JsonObject {
  const { $content: hint, ...members } = hintsOf(message, family);
  if (hint === "list") return { content: [] };
  if (hint === "") return { content: "" };
  return hint === false || Object.hasOwn(members, "content") ? {} : { content: null };
}

/** A message of which nothing is left: providers refuse null where there is nothing else either. */
function bareContent(message: Message, { context }: Writing): JsonObject {
  const content = noContent(message);
  const isRefused =
    context.recipient === "provider" && content["content"] === null && hintsOf(message, family)["$content"] !== null;
  return isRefused ? { content: "" } : content;
}

const isSealOnly = (part: Part): boolean => part.type === "text" && part.text === "" && part.seal !== undefined;

const isPlainText = (part: Part): boolean =>
  part.type === "text" && !part.cache && Object.keys(hintsOf(part, chatParts)).length === 0;

/** Ranges count from the beginning of the whole content. */
function citationsOf(said: readonly Located[], { context }: Writing): readonly Json[] {
  let offset = 0;
  const written: Json[] = [];
  for (const { part, path } of said) {
    if (part.type !== "text") continue;
    const isOne = said.length === 1;
    for (const citation of part.citations ?? []) {
      written.push(writeCitation(isOne ? citation : ranged(citation, part), offset));
    }
    const isKept = isOne && part.citations?.length !== 0;
    if (part.citations && !isKept) context.lose("citations", [...path, "citations"]);
    offset += part.text.length;
  }
  return written;
}

/** What stands under the whole of a text stands under its range, where that is one of several. */
const ranged = (citation: Citation, { text }: PartOf<"text">): Citation =>
  citation.start === undefined && citation.end === undefined ? { ...citation, start: 0, end: text.length } : citation;

/** Citations, with annotations of other kinds at their places among them. */
function annotationsOf(citations: readonly Json[], others: readonly Located[]): Json | undefined {
  const list = [...citations];
  for (const { part } of others) {
    if (part.type !== "opaque") continue;
    const { $index: index } = hintsOf(part, chatParts);
    list.splice(typeof index === "number" ? index : list.length, 0, part.value);
  }
  return list.length > 0 ? list : undefined;
}

function refusalOf(parts: readonly Located[], { context }: Writing): string | undefined {
  const texts = parts.flatMap(({ part }) => (part.type === "refusal" ? [part.text] : []));
  const code = texts.length > 1 ? "text-joined" : texts[0] === "" ? "empty-text" : undefined;
  if (code) for (const { path } of parts) context.lose(code, path);
  return texts.join("") || undefined;
}

// media

/** OpenAI takes its own audio back by id only; readers of an answer get all of it. */
function audioOf(parts: readonly Located[], { context }: Writing): Json | undefined {
  const [first, ...others] = parts;
  for (const { path } of others) context.lose("assistant-media", path, "audio");
  if (first?.part.type !== "file") return undefined;
  const isSent = context.recipient === "provider";
  const host = keeperOf(first.part, context.dialect);
  if (isSent && host !== context.dialect) {
    context.lose("foreign-state", first.path, host);
    return undefined;
  }
  const { source, id: ownId, text, name, detail, mediaType } = first.part;
  const id = "id" in source ? source.id : ownId;
  const hasData = "data" in source && !isSent;
  if ("id" in source && source.provider !== context.dialect) {
    context.lose("file-member", [...first.path, "source", "provider"]);
  }
  if (mediaType !== "audio/*") context.lose("media-type", [...first.path, "mediaType"], mediaType);
  if (id === undefined || ("url" in source && !ownId) || name !== undefined || detail !== undefined) {
    context.lose("assistant-media", first.path, "audio");
    if (id === undefined) return undefined;
  }
  if (isSent && ("data" in source || text !== undefined)) context.lose("audio-by-id", first.path);
  const { audio: rest } = hintsOf(first.part, chatParts);
  const fields = present({
    id,
    data: hasData ? source.data : undefined,
    transcript: isSent ? undefined : text,
  });
  return fillAll(fields, isJsonObject(rest) && !isSent ? rest : {});
}

/** The host that knows the audio by its id. */
function keeperOf(part: FilePart, dialect: string): string {
  const { $host: host = usualHost } = hintsOf(part, chatParts);
  if ("id" in part.source) return part.source.provider ?? dialect;
  return typeof host === "string" ? host : usualHost;
}

function imagesOf(parts: readonly Located[], writing: Writing): Json | undefined {
  const images = parts.flatMap(({ part, path }) => {
    if (part.type !== "file" && part.type !== "opaque") return [];
    if (!writing.dialect.hasMedia) writing.context.lose("assistant-media", path, "image");
    const wire = writing.dialect.hasMedia ? writeContentPart(part, path, writing.parts) : undefined;
    return wire === undefined ? [] : [wire];
  });
  return images.length > 0 ? images : undefined;
}

// calls

function callFields(calls: readonly Located[], hints: JsonObject, writing: Writing): JsonObject {
  let sealed = hints["$seal"] === "message";
  let legacy: JsonObject | undefined;
  const list: Json[] = [];
  for (const { part, path } of calls) {
    if (part.type === "opaque") list.push(part.value);
    if (part.type !== "tool-call") continue;
    if (hintsOf(part, chatParts)["$place"] === "function_call" && !legacy) {
      const { function_call: rest } = hintsOf(part, chatParts);
      const fields = { name: part.name, ...writeArguments(part, path, writing.lose) };
      legacy = fillAll(fields, isJsonObject(rest) ? rest : {});
      continue;
    }
    const isMessages = sealed && part.seal !== undefined;
    if (isMessages) sealed = false;
    const { seal: own, ...unsealed } = part;
    const seal = own && !isMessages ? writtenSeal(own, [...path, "seal"], writing) : undefined;
    const id = callIdOf(part, path, writing);
    const call = seal ? { ...unsealed, seal } : unsealed;
    list.push(writeToolCall(call, path, { id, position: list.length, lose: writing.lose }));
  }
  return { ...(list.length > 0 && { tool_calls: list }), ...(legacy && { function_call: legacy }) };
}

/** The seal as the reader takes it: a host gets a signature under its own name and nothing of ours. */
function writtenSeal(seal: Seal, path: Path, { context, dialect }: Writing): Seal | undefined {
  const { thoughtSignature: signature, ...others } = seal.values;
  const isSent = context.recipient === "provider";
  if (!dialect.hasExtraContent || (isSent && signature === undefined)) context.lose("part-seal", path);
  else if (!isSent) return seal;
  else if (signature !== undefined) {
    const names = Object.keys(others);
    if (names.length > 0) context.lose("seal-value", path, names.join(", "));
    return googleSeal(signature);
  }
  return undefined;
}

/** Where the seal was the message's own, or is a text's, which has no other place. */
function messageSeal(slots: Slots, hints: JsonObject, writing: Writing): JsonObject {
  const { context, dialect } = writing;
  const sealed = [...slots.content, ...slots.refusal].filter(({ part }) => part.seal && part.type !== "reasoning");
  const call = hints["$seal"] === "message" ? slots.calls.find(({ part }) => part.seal) : undefined;
  const owner = call ?? sealed.findLast(({ part }) => part.type === "text");
  for (const each of sealed) {
    if (each !== owner || !dialect.hasExtraContent) context.lose("part-seal", [...each.path, "seal"]);
  }
  const isLast = owner !== undefined && owner === slots.content.findLast(({ part }) => part.type === "text");
  const hasCall = slots.calls.some(({ part }) => part.type === "tool-call" && !part.seal);
  if (owner && !call && (!isLast || hasCall)) context.lose("seal-place", owner.path.slice(0, 3));
  if (!owner?.part.seal || !dialect.hasExtraContent) return {};
  const seal = writtenSeal(owner.part.seal, [...owner.path, "seal"], writing);
  if (!seal) return {};
  const signature = seal.values["thoughtSignature"];
  const { $again: again } = hints;
  return {
    ...(again !== "only" && writeExtraSeal(seal)),
    ...(again !== undefined && signature !== undefined && { thought_signature: signature }),
  };
}
