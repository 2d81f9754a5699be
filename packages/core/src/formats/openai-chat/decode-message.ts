import { googleSeal, idSpelling, readArguments, readExtraSeal, readToolCall } from "../../blocks/chat-parts/calls.ts";
import { chatParts, readCitation, readContentPart, usualHost } from "../../blocks/chat-parts/parts.ts";
import { readHistory, type HistoryScope as Scope, type Turns } from "../../blocks/history.ts";
import type { DecodeContext } from "../../codec/codec.ts";
import { at, defined, Reader } from "../../codec/reader.ts";
import { kept } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import type { MessageHead } from "../../model/events.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Citation, FilePart, Node, Part, PartOf, Seal, ToolCallPart } from "../../model/parts.ts";
import { readReasoning } from "./reasoning.ts";
import { envelopeMembers, family, isText, type Placed, places, type ReadMessage } from "./wire.ts";

const turns: Turns = {
  family,
  carryMember: "translogue",
  plain: readPlain,
  assistant: readAssistant,
  result: (reader, role, scope) =>
    role === "tool" || role === "function" ? readResult(reader, role, scope) : undefined,
  other: (reader, role, scope) => {
    const { parts, hints } = readContent(reader, scope);
    const head = { role, ...named(reader), ...messageRest(reader, hints) };
    return { head, parts: parts.map((part, index) => ({ place: index, part })) };
  },
};

/** The messages of a history; ids that are missing are made once, by the message's number (R8). */
export const readMessages = (
  list: readonly Json[],
  context: DecodeContext,
  pathOf?: (index: number) => Path,
): Message[] => readHistory(list, turns, { context, pathOf });

/** A message that is a text and nothing else, as most are: read to the same as below, without asking for what it does not have. */
function readPlain(wire: JsonObject, role: string, scope: Scope): ReadMessage | undefined {
  const { content } = wire;
  if (typeof content !== "string" || role === "function" || role === "tool") return undefined;
  if (Object.keys(wire).length !== 2 || !Object.hasOwn(wire, "content")) return undefined;
  const isAnswer = role === "assistant";
  if (isAnswer && content === "") return undefined;
  if (!isAnswer) scope.unanswered.endTurn();
  const place = isAnswer ? places.content : 0;
  return { head: { role }, parts: [{ place, part: { type: "text", text: content } }], carry: undefined };
}

function named(reader: Reader): Pick<MessageHead, "author" | "weight"> {
  const name = reader.string("name");
  const weight = reader.number("weight");
  return defined<Pick<MessageHead, "author" | "weight">>({ author: name === undefined ? undefined : { name }, weight });
}

const messageRest = (reader: Reader, hints: JsonObject): Pick<Node, "native"> =>
  kept(family, reader.rest(), hints, envelopeMembers);

interface Content {
  readonly parts: readonly Part[];
  /** Whether the wire has a list, which has places for what is no text. */
  readonly isList: boolean;
  readonly hints: JsonObject;
}

/** A text or a list of parts; what it is where its parts alone do not tell, as a hint. */
function readContent(reader: Reader, { context, path }: Scope): Content {
  const content = reader.peek("content");
  if (typeof content === "string") {
    reader.take("content");
    return { parts: [{ type: "text", text: content }], isList: false, hints: {} };
  }
  if (Array.isArray(content)) {
    reader.take("content");
    const parts = content.map((wire, index) =>
      readContentPart(wire, at(path, "content", index), context, context.dialect),
    );
    const isTold = parts.some(part => part.type !== "text");
    return { parts, isList: true, hints: isTold ? {} : { $content: "list" } };
  }
  if (content !== undefined && content !== null) {
    context.issue("unknown-content", at(path, "content"), "expected a text or a list of parts; kept as it is");
  }
  return { parts: [], isList: false, hints: content === undefined ? { $content: false } : {} };
}

// results

function readResult(reader: Reader, role: "tool" | "function", scope: Scope): Omit<ReadMessage, "carry"> {
  const id = reader.peek("tool_call_id");
  const spelling = idSpelling(id);
  const hasId = isText(id);
  if (hasId || spelling !== false) reader.take("tool_call_id");
  const name = reader.string("name");
  const queue = role === "function" ? `function ${name ?? ""}` : "tool";
  const callId = hasId ? id : (scope.unanswered.answer(queue) ?? `~${scope.made}.0`);
  const isJson = role === "tool" && isData(reader.peek("content"));
  const data = isJson ? reader.json("content") : undefined;
  const { parts, hints }: Pick<Content, "parts" | "hints"> = isJson
    ? { parts: [], hints: {} }
    : readContent(reader, scope);
  const isNothing =
    reader.peek("content") !== undefined ? !isSaid(reader.peek("content")) : hints["$content"] === false;
  const output: readonly Part[] | undefined =
    data !== undefined ? [{ type: "data", data }] : isNothing ? undefined : parts;
  const part = defined<PartOf<"tool-result">>({
    type: "tool-result",
    callId,
    name,
    output,
    ...kept(chatParts, undefined, spelling === undefined ? {} : { $id: spelling }),
  });
  const head = {
    role: "tool",
    ...messageRest(reader, {
      ...hints,
      ...(role === "function" && { $role: role }),
      ...(data !== undefined && { $content: "json" }),
    }),
  };
  return { head, parts: [{ place: 0, part }] };
}

const isSaid = (content: Json | undefined): boolean => typeof content === "string" || Array.isArray(content);

/** Output that a program put in without making it a text. */
const isData = (content: Json | undefined): boolean =>
  isJsonObject(content) || typeof content === "number" || typeof content === "boolean";

// assistant

/** Its members have no order among them: the parts get their fixed places. */
export function readAssistant(reader: Reader, scope: Scope): ReadMessage {
  const carry = reader.json("translogue");
  const hasRole = reader.literal("role", "assistant");
  const reasoning = readReasoning(reader);
  const said = readSaid(reader, scope);
  const { citations, opaque } = readAnnotations(reader, said.parts, said.isList);
  const placed: Placed[] = [
    ...(reasoning.plain ? [{ place: places.reasoning, part: reasoning.plain }] : []),
    ...placedAt(places.details, reasoning.details),
    ...placedAt(places.content, citations ? said.parts.map(part => ({ ...part, citations }) as Part) : said.parts), // one text, as readAnnotations made sure
    ...placedAt(places.refusal, readRefusal(reader)),
    ...placedAt(places.audio, readSpeech(reader, scope)),
    ...placedAt(places.images, readImages(reader, scope)),
    ...opaque,
    ...readCalls(reader, scope),
  ];
  const { parts, hints } = withMessageSeal(placed, reader);
  const names = named(reader);
  const rest = messageRest(reader, {
    ...reasoning.hints,
    ...said.hints,
    ...hints,
    ...(!hasRole && reader.peek("role") === undefined && { $role: false }),
  });
  return { head: { role: "assistant", ...names, ...rest }, parts, carry };
}

const placedAt = (place: number, parts: readonly Part[]): readonly Placed[] =>
  parts.length === 0 ? noParts : parts.map((part, index) => ({ place: place + index, part }));

const noParts: readonly Placed[] = [];

/** An empty text says nothing: it is a spelling of no content, as null is. */
function readSaid(reader: Reader, scope: Scope): Content {
  const isEmpty = reader.literal("content", "");
  if (isEmpty) return { parts: [], isList: false, hints: { $content: "" } };
  const content = readContent(reader, scope);
  const isNull = reader.literal("content", null);
  const parts = content.parts.map(part => (part.type === "file" ? hinted(part, { $place: "content" }) : part));
  return { ...content, parts, hints: isNull ? { $content: null } : content.hints };
}

function readRefusal(reader: Reader): Part[] {
  const text = reader.peek("refusal");
  if (!isText(text)) return [];
  reader.take("refusal");
  return [{ type: "refusal", text }];
}

/** `audio`: of an answer with its data and transcript, of a history its id only. */
function readSpeech(reader: Reader, { context }: Scope): Part[] {
  const wire = reader.peek("audio");
  const inner = isJsonObject(wire) ? new Reader(wire) : undefined;
  const id = inner?.string("id");
  if (!inner || !isText(id)) return [];
  reader.take("audio");
  const data = inner.string("data");
  const text = inner.string("transcript");
  const rest = inner.rest();
  const part: FilePart = defined<FilePart>({
    type: "file",
    mediaType: "audio/*",
    ...(data === undefined ? { source: { id, provider: context.dialect } } : { id, source: { data } }),
    text,
    ...kept(chatParts, undefined, {
      $place: "audio",
      ...(rest && { audio: rest }),
      ...(data !== undefined && context.dialect !== usualHost && { $host: context.dialect }),
    }),
  });
  return [part];
}

function readImages(reader: Reader, { context, path }: Scope): Part[] {
  const images = reader.peek("images");
  if (!Array.isArray(images) || images.length === 0) return [];
  reader.take("images");
  return images.map((wire: Json, index) => {
    const part = readContentPart(wire, at(path, "images", index), context, context.dialect);
    const kept: Part = part.type === "file" ? part : { type: "opaque", family: chatParts, value: wire };
    return hinted(kept, { $place: "images" });
  });
}

/** Annotations of the one text; others than web citations stay what they are, by their place in the list. */
function readAnnotations(
  reader: Reader,
  parts: readonly Part[],
  isList: boolean,
): { readonly citations?: readonly Citation[]; readonly opaque: readonly Placed[] } {
  const annotations = reader.peek("annotations");
  if (!Array.isArray(annotations) || annotations.length === 0) return { opaque: [] };
  const hasText = !isList && parts.length === 1;
  const read = annotations.map(wire => (hasText ? readCitation(wire) : undefined));
  if (!hasText && annotations.some(wire => readCitation(wire))) return { opaque: [] };
  reader.take("annotations");
  const citations = read.filter(citation => citation !== undefined);
  const opaque = annotations.flatMap((value: Json, index) => {
    if (read[index]) return [];
    const part: Part = hinted({ type: "opaque", family: chatParts, value }, { $place: "annotations", $index: index });
    return [{ place: places.annotations + index, part }];
  });
  return citations.length > 0 ? { citations, opaque } : { opaque };
}

function readCalls(reader: Reader, scope: Scope): Placed[] {
  const wire = reader.peek("tool_calls");
  const list = Array.isArray(wire) ? wire : [];
  if (list.length > 0) reader.take("tool_calls");
  else if (wire !== undefined && wire !== null && !Array.isArray(wire)) {
    scope.context.issue("unknown-tool-calls", at(scope.path, "tool_calls"), "expected a list; kept as it is");
  }
  const calls = list.map((call, index): Placed => {
    const made = `~${scope.made}.${index}`;
    const part = readToolCall(call, at(scope.path, "tool_calls", index), {
      made,
      position: index,
      issues: scope.context,
    });
    if (part.type === "tool-call" && part.callId === made) scope.unanswered.ask(["tool"], made);
    const placed = part.type === "opaque" ? hinted(part, { $place: "calls" }) : part;
    return { place: places.calls + index, part: placed };
  });
  const legacy = readFunctionCall(reader, `~${scope.made}.${list.length}`);
  if (!legacy) return calls;
  scope.unanswered.ask([`function ${legacy.name}`], legacy.callId);
  return [...calls, { place: places.functionCall, part: legacy }];
}

/** The form before `tool_calls`: one call, no id. Without a name it is only the empty shell that some hosts send. */
function readFunctionCall(reader: Reader, callId: string): ToolCallPart | undefined {
  const wire = reader.peek("function_call");
  const inner = isJsonObject(wire) ? new Reader(wire) : undefined;
  const name = inner?.string("name");
  if (!inner || !isText(name)) return undefined;
  reader.take("function_call");
  const { hints, ...input } = readArguments(inner);
  const rest = inner.rest();
  return {
    type: "tool-call",
    callId,
    name,
    ...input,
    ...kept(chatParts, undefined, {
      $place: "function_call",
      $id: false,
      ...hints,
      ...(rest && { function_call: rest }),
    }),
  };
}

/** R13: the seal of a whole message is on its first call, else its last text, else an empty text. */
function withMessageSeal(placed: readonly Placed[], reader: Reader): { parts: readonly Placed[]; hints: JsonObject } {
  const { seal, remainder } = messageSeal(reader);
  if (!seal) return { parts: placed, hints: remainder };
  const call = placed.findIndex(({ part }) => part.type === "tool-call" && !part.seal);
  const index = call >= 0 ? call : placed.findLastIndex(({ part }) => part.type === "text");
  const hints = { ...remainder, ...(call >= 0 && { $seal: "message" }) };
  if (index >= 0) {
    return {
      parts: placed.map((each, place) => (place === index ? { ...each, part: { ...each.part, seal } } : each)),
      hints,
    };
  }
  const empty: Placed = { place: places.content, part: { type: "text", text: "", seal } };
  return { parts: [...placed, empty].sort((a, b) => a.place - b.place), hints };
}

/** Google's endpoint says the signature twice. */
function messageSeal(reader: Reader): { seal: Seal | undefined; remainder: JsonObject } {
  const { seal, remainder } = readExtraSeal(reader);
  const again = reader.peek("thought_signature");
  if (!isText(again) || (seal && seal.values["thoughtSignature"] !== again)) return { seal, remainder };
  reader.take("thought_signature");
  return { seal: seal ?? googleSeal(again), remainder: { ...remainder, $again: seal ? "too" : "only" } };
}

const hinted = <P extends Part>(part: P, hints: JsonObject): P => ({
  ...part,
  native: { ...part.native, [chatParts]: { ...part.native?.[chatParts], ...hints } },
});
