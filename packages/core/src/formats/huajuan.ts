/**
 * The Huajuan agent API: simplified messages and the AI SDK's, mixed; its requests, its envelope, its stream and its errors
 * (docs.wolian.cc, message formats and streaming, read 2026-11-30). Where document and server disagree, the document counts.
 * It cannot carry: ids and parts of simplified messages, models and times of answers, usage of single steps.
 */
import {
  decodeMessage,
  encodeMessages,
  type Generation,
  holdsOf,
  isKnownMaker,
  isOldMessage,
  losses as messageLosses,
  family as sdk,
  streamReader,
  streamReadingLosses,
  streamWriter,
  streamWritingLosses,
  writeCarry,
} from "../blocks/ai-sdk/family.ts";
import { type DecodeContext, defineCodec, type EncodeContext, type Holds, type Sniff } from "../codec/codec.ts";
import { wholeOf } from "../codec/hints.ts";
import { fill, native, Reader } from "../codec/reader.ts";
import { wholeUsage } from "../codec/remainder.ts";
import type { Conversation, Message, Usage } from "../model/conversation.ts";
import { TranslogueError } from "../model/error.ts";
import type { Event } from "../model/events.ts";
import type { Path } from "../model/issue.ts";
import { equalJson, isJsonObject, type Json, type JsonObject, type MutableJsonObject } from "../model/json.ts";
import type { Part } from "../model/parts.ts";
import { accumulate } from "../stream/accumulate.ts";
import { emit } from "../stream/emit.ts";
import { type Machine, runAll } from "../stream/machine.ts";

// tables

const family = "huajuan";
const generations: { readonly [dialect: string]: Generation } = { v5: 5, v6: 6, v7: 7 };
const roles = ["user", "assistant", "system"];
const statuses = ["submitted", "streaming", "ready", "error"];
/** Members of a request that no other format has. */
const ownMembers = [
  "systemPrompt",
  "promptType",
  "allowedTools",
  "toolContext",
  "contextStrategy",
  "validateOnly",
  "prune",
  "pruneOptions",
  "sandboxId",
];

/** One message a step, and tools as `dynamic-tool`: what the document shows. */
const usageOf = (dialect: string) =>
  ({ generation: generations[dialect] ?? 5, steps: "apart", dynamic: true }) as const;

/** Words of the wire may be anything; even turning them into text can fail. */
const isOneOf = (words: readonly string[], value: unknown): boolean =>
  typeof value === "string" && words.includes(value);

const tables = new Map<string, Holds>();

function holdsFor(dialect: string, shape: string): Holds {
  const key = `${dialect} ${shape}`;
  const known = tables.get(key);
  if (known) return known;
  const base = holdsOf(usageOf(dialect).generation, shape === "stream" || shape === "event" ? "stream" : "whole");
  const answers = shape === "answer" || shape === "error";
  const holds: Holds = {
    ...base,
    conversation: shape === "request" ? ["model"] : [],
    message: [
      ...base.message,
      ...(answers ? (["usage", "responseId"] as const) : []),
      ...(shape === "error" ? (["finish"] as const) : []),
    ],
    parts: shape === "error" ? { ...base.parts, error: ["message", "code"] } : base.parts,
    usage: answers ? ["input", "cacheRead", "cacheWrite", "output", "reasoning", "other"] : [],
    families: [...base.families, family],
  };
  tables.set(key, holds);
  return holds;
}

// codec

/** A stream is one message of steps, as its clients read it. */
const chunkReader = (context: DecodeContext): Machine<Json, Event> =>
  streamReader({ ...usageOf(context.dialect), steps: "joined", context });
const chunkWriter = (context: EncodeContext): Machine<Event, Json> =>
  streamWriter({ ...usageOf(context.dialect), steps: "joined", context });

export const huajuan = defineCodec<Json>({
  id: "huajuan",
  title: "Huajuan agent API",
  spec: "https://docs.wolian.cc",
  shapes: ["request", "answer", "messages", "message", "stream", "error"],
  dialects: ["v5", "v6", "v7"],
  places: ["huajune.duliday.com", "/api/v1/chat"],
  losses: {
    ...messageLosses,
    ...streamReadingLosses,
    ...streamWritingLosses,
    "empty-answer": {
      kind: "dropped",
      note: "an assistant's message without parts, as the SDK's client leaves it after an error or a stop, is no message",
    },
    "response-id": { kind: "dropped", note: "an envelope does not name the provider's answers" },
    "usage-summed": { kind: "merged", note: "an envelope has one usage for all of its messages" },
    "usage-buckets": { kind: "merged", note: "an envelope counts input and output tokens as a whole" },
    "error-message": { kind: "dropped", note: "an error body has one error and nothing else" },
  },
  holds: ({ dialect, shape }) => holdsFor(dialect, shape),
  isHome: isKnownMaker,
  oneAnswer: true,
  slot: { write: writeCarry },
  sniff,
  decode,
  encode,
  stream: {
    framing: "sse",
    done: "[DONE]",
    decoder: chunkReader,
    encoder: chunkWriter,
  },
});

function sniff(value: unknown): readonly Sniff[] {
  if (Array.isArray(value)) {
    const confidence = likeness(value);
    return confidence > 0 ? [{ shape: "messages", confidence, keys: ["role", "content", "parts"] }] : [];
  }
  if (!isJsonObject(value)) return [];
  const { data, correlationId, statusCode } = value;
  if (isJsonObject(data) && Array.isArray(data["messages"]))
    return [{ shape: "answer", confidence: 0.97, keys: ["success", "data"] }];
  if (typeof statusCode === "number" && typeof value["message"] === "string") {
    // A refusal before the API is reached has no correlation id, and then looks like that of many servers.
    const confidence = correlationId === undefined ? 0.5 : 0.95;
    return [{ shape: "error", confidence, keys: ["statusCode", "correlationId"] }];
  }
  if (value["messages"] !== undefined && !Object.hasOwn(value, "trigger")) return [sniffRequest(value)];
  const confidence = likeness([value]);
  return confidence > 0 ? [{ shape: "message", confidence, keys: ["role", "content", "parts"] }] : [];
}

function sniffRequest(body: JsonObject): Sniff {
  const { model, messages } = body;
  const own = ownMembers.filter(key => Object.hasOwn(body, key));
  const named = typeof model === "string" && model.includes("/");
  const mixed = Array.isArray(messages) ? likeness(messages) : 0;
  const confidence = own.length > 0 ? 0.95 : named ? Math.max(0.45, mixed) : Math.min(0.3, mixed);
  return { shape: "request", confidence, keys: own.length > 0 ? own : ["model", "messages"] };
}

/** A list of both forms is ours alone; either form by itself has another owner, and a text with an id is generation 4's. */
function likeness(list: readonly Json[]): number {
  const some = list.slice(0, 50).filter(isJsonObject);
  const isOld = some.some(isOldMessage);
  const simplified = some.some(
    ({ id, content, role, parts }) =>
      typeof content === "string" && parts === undefined && id === undefined && isOneOf(["user", "assistant"], role),
  );
  const ui = some.some(({ parts }) => Array.isArray(parts));
  if (simplified && ui) return isOld ? 0.3 : 0.9;
  return ui ? 0.4 : simplified ? 0.25 : 0;
}

// decode

function decode(value: unknown, context: DecodeContext): Conversation {
  if (context.shape === "request") return decodeRequest(value, context);
  if (context.shape === "answer") return decodeAnswer(value, context);
  if (context.shape === "error") return decodeError(value);
  if (context.shape === "stream" && Array.isArray(value)) {
    return { messages: accumulate(runAll(chunkReader(context), value)) };
  }
  if (Array.isArray(value)) return { messages: decodeList(value, { path: [], first: 0 }, context) };
  if (isJsonObject(value))
    return { messages: decodeOne(value, { path: [], first: 0 }, { context, isSdkClient: false }) };
  throw notThis("messages", value);
}

function decodeRequest(value: unknown, context: DecodeContext): Conversation {
  if (!isJsonObject(value)) throw notThis("a request", value);
  const reader = new Reader(value);
  const isSdkClient = value["trigger"] !== undefined;
  const model = reader.string("model");
  if (model === undefined ? !isSdkClient : !/^[^/]+\/./.test(model)) {
    context.issue(
      "model",
      ["model"],
      "expected a model named `provider/model`; GET /api/v1/models lists them",
      "error",
    );
  }
  const prompt = reader.string("systemPrompt");
  const list = reader.array("messages");
  if (list === undefined)
    context.issue(
      "messages",
      ["messages"],
      'expected `messages`, an array; a first one is { role: "user", content: "…" }',
      "error",
    );
  const first = prompt === undefined ? 0 : 1;
  const system: Message[] =
    prompt === undefined
      ? []
      : [{ role: "system", parts: [{ type: "text", text: prompt }], native: { [family]: { $place: "systemPrompt" } } }];
  const messages = decodeList(list ?? [], { path: ["messages"], first }, context, isSdkClient);
  const hint = list === undefined && value["messages"] === undefined ? { $messages: "none" } : undefined;
  return {
    ...(model !== undefined && { model }),
    messages: [...system, ...messages],
    ...native(family, reader.remainder(), hint),
  };
}

interface Place {
  readonly path: Path;
  /** How many messages of the conversation stand before it. */
  readonly first: number;
}

function decodeList(
  list: readonly Json[],
  { path, first }: Place,
  context: DecodeContext,
  isSdkClient = false,
): Message[] {
  const messages: Message[] = [];
  const ids = new Set<string>();
  list.forEach((wire, index) => {
    const place = { path: [...path, index], first: first + messages.length };
    const id = isJsonObject(wire) ? wire["id"] : undefined;
    if (typeof id === "string" && ids.has(id))
      context.issue(
        "duplicate-id",
        [...place.path, "id"],
        `\`${id}\` is an earlier message's \`id\`; it should be its own`,
      );
    if (typeof id === "string") ids.add(id);
    messages.push(...decodeOne(wire, place, { context, isSdkClient }));
  });
  return messages;
}

function decodeOne(
  wire: Json,
  place: Place,
  { context, isSdkClient }: { readonly context: DecodeContext; readonly isSdkClient: boolean },
): Message[] {
  if (isJsonObject(wire) && Array.isArray(wire["parts"])) {
    if (isSdkClient && wire["role"] === "assistant" && wire["parts"].length === 0) {
      context.lose("empty-answer", ["messages", place.first]);
      return [];
    }
    checkUiMessage(wire, place.path, context);
    return decodeMessage(wire, place, {
      ...usageOf(context.dialect),
      context: strict(context),
      ownPart: decodeFileData,
    });
  }
  if (isJsonObject(wire) && typeof wire["content"] === "string" && isOneOf(roles, wire["role"])) {
    return [decodeSimplified(wire, place.path, context)];
  }
  context.issue(...whatIsWrong(wire, place.path), "error");
  return [{ role: "control", parts: [{ type: "opaque", family: sdk, value: wire }] }];
}

/** What is told of a message and no reason to refuse it: a part of a type that we do not know, metadata that is not ours. */
const harmless: readonly string[] = ["unknown-part", "not-a-carry", "other-media-type"];

/** A part that is none, or lacks what its type needs, is refused. */
const strict = (context: DecodeContext): DecodeContext => ({
  ...context,
  issue: (code, path, message, severity) =>
    context.issue(code, path, message, harmless.includes(code) ? severity : "error"),
});

function whatIsWrong(wire: Json, path: Path): [code: string, path: Path, message: string] {
  if (!isJsonObject(wire))
    return [
      "message",
      path,
      "expected a message, an object with `role` and `content`, or with `id`, `role` and `parts`",
    ];
  if (!isOneOf(roles, wire["role"]))
    return ["role", [...path, "role"], "expected a role of `user` or `assistant` (with `parts` also `system`)"];
  if (wire["parts"] !== undefined)
    return ["parts", [...path, "parts"], "expected `parts`, an array with at least one part"];
  return ["content", [...path, "content"], "expected `content`, a string; for other content use `id` and `parts`"];
}

function checkUiMessage(wire: JsonObject, path: Path, context: DecodeContext): void {
  const fault = (code: string, message: string): void => context.issue(code, [...path, code], message, "error");
  if (typeof wire["id"] !== "string" || wire["id"] === "") {
    fault(
      "id",
      "a message with `parts` needs an `id`, a string of its own (a UUID, say); or use the simplified form with `content`",
    );
  }
  if (!isOneOf(roles, wire["role"])) fault("role", "expected a role of `user`, `assistant` or `system`");
  if (Array.isArray(wire["parts"]) && wire["parts"].length === 0)
    fault("parts", 'expected at least one part, { type: "text", text: "…" } say');
  if (wire["status"] !== undefined && !isOneOf(statuses, wire["status"]))
    fault("status", `expected a status of ${statuses.join(", ")}, or none`);
}

function decodeSimplified(wire: JsonObject, path: Path, context: DecodeContext): Message {
  const reader = new Reader(wire);
  const role = reader.string("role") ?? "user";
  const text = reader.string("content") ?? "";
  if (role === "system") {
    context.issue(
      "role",
      [...path, "role"],
      "a simplified message is by `user` or `assistant`; system text goes into `systemPrompt`",
      "error",
    );
  }
  const id = context.newId?.();
  const hints = { $form: "simplified", ...(id !== undefined && { $id: id }) };
  return {
    ...(id !== undefined && { id }),
    role,
    parts: [{ type: "text", text }],
    ...native(family, reader.remainder(), hints),
  };
}

/** The document's file part has base64 and a type where the SDK has a URL. */
function decodeFileData(wire: JsonObject): Part | undefined {
  if (
    wire["type"] !== "file" ||
    typeof wire["data"] !== "string" ||
    typeof wire["mimeType"] !== "string" ||
    wire["url"] !== undefined
  )
    return undefined;
  const reader = new Reader(wire);
  const data = reader.string("data") ?? "";
  const mediaType = reader.string("mimeType") ?? "";
  reader.take("type");
  return { type: "file", mediaType, source: { data }, ...native(family, reader.remainder(), { $form: "data" }) };
}

function encodeFileData(part: Part): JsonObject | undefined {
  const own = part.native?.[family];
  if (part.type !== "file" || own?.["$form"] !== "data" || !("data" in part.source) || part.mediaType === undefined)
    return undefined;
  return fill({ type: "file", data: part.source.data, mimeType: part.mediaType }, own);
}

function decodeAnswer(value: unknown, context: DecodeContext): Conversation {
  const data = isJsonObject(value) ? value["data"] : undefined;
  if (!isJsonObject(value) || !isJsonObject(data) || !Array.isArray(data["messages"]))
    throw notThis("an envelope", value);
  const envelope = new Reader(value);
  const reader = new Reader(data);
  envelope.take("data");
  const success = envelope.literal("success", true) ? undefined : { $success: false };
  const messages = decodeList(reader.array("messages") ?? [], { path: ["data", "messages"], first: 0 }, context);
  const raw = reader.object("usage");
  const usage = raw && readUsage(raw);
  const tools = reader.json("tools");
  const isDerived = equalJson(tools ?? null, { used: namesOf(messages), skipped: [] });
  const ofData = { ...reader.rest(), ...(tools !== undefined && !isDerived && { tools }) };
  const rest = { ...envelope.remainder(), ...(Object.keys(ofData).length > 0 && { data: ofData }) };
  const counted = usage && writeUsage(usage);
  const hints: JsonObject = {
    ...(raw && counted && !equalJson(raw, counted) && wholeUsage(raw, counted)),
    ...(tools === undefined && { $tools: "none" }),
  };
  const last = messages.at(-1) ?? { role: "assistant", parts: [], native: { [family]: { $messages: "none" } } };
  // Under one name, so that it is not taken for members of the message that it stands on.
  const envelopeRest = Object.keys(rest).length > 0 ? { envelope: rest } : undefined;
  const members = { ...last.native?.[family], ...envelopeRest, ...success, ...hints };
  const closing: Message = {
    ...last,
    ...(usage && { usage }),
    ...(Object.keys(members).length > 0 && { native: { ...last.native, [family]: members } }),
  };
  return { messages: [...messages.slice(0, -1), closing] };
}

function readUsage(raw: JsonObject): Usage | undefined {
  const count = (key: string): number => (typeof raw[key] === "number" ? raw[key] : 0);
  const [input, output, total] = [count("inputTokens"), count("outputTokens"), count("totalTokens")];
  const [cacheRead, reasoning] = [count("cachedInputTokens"), count("reasoningTokens")];
  const other = total - input - output;
  return {
    input: Math.max(0, input - cacheRead),
    ...(cacheRead > 0 && { cacheRead }),
    output: Math.max(0, output - reasoning),
    ...(reasoning > 0 && { reasoning }),
    ...(other > 0 && { other }),
  };
}

function decodeError(value: unknown): Conversation {
  if (!isJsonObject(value)) throw notThis("an error body", value);
  const reader = new Reader(value);
  const message = reader.string("message") ?? "";
  const code = reader.string("error");
  const part: Part = {
    type: "error",
    message,
    ...(code !== undefined && { code }),
    ...native(family, reader.remainder()),
  };
  return { messages: [{ role: "assistant", parts: [part], finish: { reason: "error" } }] };
}

function notThis(wanted: string, value: unknown): TranslogueError {
  const found = value === null ? "null" : Array.isArray(value) ? "an array" : `a value of type ${typeof value}`;
  return new TranslogueError("decode/not-this-format", `expected ${wanted} of the Huajuan API, and found ${found}`, {
    data: { format: huajuan.id },
  });
}

// encode

function encode(conversation: Conversation, context: EncodeContext): Json {
  if (context.shape === "request") return encodeRequest(conversation, context);
  if (context.shape === "answer") return encodeAnswer(conversation.messages, context);
  if (context.shape === "error") return encodeError(conversation.messages, context);
  if (context.shape === "stream") return runAll(chunkWriter(context), emit(conversation.messages));
  const list = encodeList(conversation.messages, context);
  if (context.shape === "messages") return list;
  const [only, ...others] = list;
  if (only !== undefined && others.length === 0) return only;
  throw new TranslogueError(
    "encode/not-one-message",
    `\`huajuan\` writes these as ${list.length} messages; ask for the shape \`messages\``,
  );
}

const encodeList = (messages: readonly Message[], context: EncodeContext, from = 0): Json[] =>
  encodeMessages(messages, { ...usageOf(context.dialect), context, ownPart: encodeFileData, ownMessage }, from);

/** A message that was read in the simplified form, as long as it says no more than that form can. */
function ownMessage(message: Message): JsonObject | undefined {
  const own = message.native?.[family];
  const [part] = message.parts;
  if (own?.["$form"] !== "simplified" || message.parts.length !== 1 || part?.type !== "text") return undefined;
  const saysMore =
    Object.keys(part).length > 2 ||
    Object.keys(message).some(key => !["role", "parts", "native", "id", "exact"].includes(key));
  const otherId = message.id !== undefined && message.id !== own["$id"];
  const { envelope: _, ...members } = own;
  return saysMore || otherId ? undefined : fill({ role: message.role, content: part.text }, members);
}

function encodeRequest(conversation: Conversation, context: EncodeContext): Json {
  const { messages, model, native: remainders } = conversation;
  const [first] = messages;
  const prompt =
    first?.native?.[family]?.["$place"] === "systemPrompt" && first.parts.length === 1 ? first.parts[0] : undefined;
  const isPrompt = prompt?.type === "text" && Object.keys(prompt).length === 2;
  const list = encodeList(messages, context, isPrompt ? 1 : 0);
  const own = remainders?.[family];
  const fields = {
    ...(model !== undefined && { model }),
    ...(isPrompt && { systemPrompt: prompt.text }),
    ...(own?.["$messages"] === "none" && list.length === 0 ? {} : { messages: list }),
  };
  const filled: MutableJsonObject = { ...fill(fields, own) };
  // What stood in place of the list when it was read stands there again.
  if (own && Object.hasOwn(own, "messages") && list.length === 0) filled["messages"] = own["messages"] ?? null;
  return filled;
}

function encodeAnswer(messages: readonly Message[], context: EncodeContext): Json {
  const last = messages.at(-1);
  const own = last?.native?.[family];
  const isEmpty = own?.["$messages"] === "none" && messages.length === 1 && last?.parts.length === 0;
  const used = namesOf(messages);
  const rest = own?.["envelope"];
  const envelope = isJsonObject(rest) ? rest : {};
  const ofData = isJsonObject(envelope["data"]) ? envelope["data"] : {};
  const isTold = own?.["$tools"] === "none" || ofData["tools"] !== undefined;
  const usage = answerUsage(messages, own && wholeOf(own, "usage"), context);
  const isCounted = ofData["usage"] === undefined || messages.some(message => message.usage);
  const data = {
    messages: isEmpty ? [] : encodeList(messages, context),
    ...(isCounted && { usage }),
    ...(isTold ? {} : { tools: { used, skipped: [] } }),
  };
  const success = own?.["$success"] === false ? {} : { success: true };
  return fill({ ...success, data }, envelope);
}

function answerUsage(messages: readonly Message[], raw: Json | undefined, context: EncodeContext): Json {
  const counted = new Map<string, Usage>();
  messages.forEach((message, index) => {
    if (message.responseId !== undefined) context.lose("response-id", ["messages", index, "responseId"]);
    if (message.usage) counted.set(message.responseId ?? String(index), message.usage);
  });
  const usages = [...counted.values()];
  if (usages.length > 1) context.lose("usage-summed", ["messages"]);
  const [only] = usages;
  if (usages.length === 1 && only && isJsonObject(raw) && equalJson(readUsage(raw), only)) return raw;
  messages.forEach(({ usage }, index) => {
    if (usage?.cacheRead || usage?.cacheWrite || usage?.reasoning)
      context.lose("usage-buckets", ["messages", index, "usage"]);
  });
  return usages.reduce((sum: { [key: string]: number }, usage) => {
    for (const [key, count] of Object.entries(writeUsage(usage))) sum[key] = (sum[key] ?? 0) + count;
    return sum;
  }, writeUsage({}));
}

function writeUsage({ input = 0, cacheRead = 0, cacheWrite = 0, output = 0, reasoning = 0, other = 0 }: Usage): {
  [key: string]: number;
} {
  const inputTokens = input + cacheRead + cacheWrite;
  const outputTokens = output + reasoning;
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens + other };
}

/** The tools that were called, in the order of their first call. */
const namesOf = (messages: readonly Message[]): string[] => [
  ...new Set(messages.flatMap(({ parts }) => parts.flatMap(part => (part.type === "tool-call" ? [part.name] : [])))),
];

function encodeError(messages: readonly Message[], context: EncodeContext): Json {
  const found = messages.flatMap(({ parts }, index) =>
    parts.map((part, place) => ({ part, path: ["messages", index, "parts", place] })),
  );
  const error = found.find(({ part }) => part.type === "error");
  for (const other of found) if (other !== error) context.lose("error-message", other.path);
  const part = error?.part.type === "error" ? error.part : undefined;
  return fill(
    { ...(part?.code !== undefined && { error: part.code }), message: part?.message ?? "" },
    part?.native?.[family],
  );
}
