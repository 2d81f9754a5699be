import {
  accumulate,
  type Conversation,
  type Event,
  emit,
  encode,
  isJsonObject,
  type Json,
  type JsonObject,
  runAll,
  streamEncoder,
} from "translogue";
import { type Generation, readChunks } from "../../generations.ts";
import { type Kept, keeps } from "../../keeps.ts";
import { liveErrors } from "./aisdk-loop-streams.ts";
import { type AnswerCompared, answerChecks } from "./aisdk-provider-allowances.ts";
import { optionsOf } from "./aisdk-provider-places.ts";
import { untag } from "./tags.ts";

export interface Answer {
  /** What the SDK's package made of the answer. */
  readonly out: JsonObject;
  readonly ours: Conversation | readonly Event[];
  /** What the service sent. */
  readonly wire: unknown;
  readonly generation: Generation;
  /** The format of the answer. */
  readonly from: string;
}

type View = readonly [name: string, kept: () => Kept | Promise<Kept>];

const specifications = { v5: "v2", v6: "v3", v7: "v4" } as const;

/** Each form that the SDK has for an answer: ours holds what theirs holds. */
export function* answerViews(answer: Answer): Iterable<View> {
  const { out, generation } = answer;
  const theirs = said(out);
  const isStream = Array.isArray(answer.ours);
  const conversation: Conversation = isStream
    ? { messages: accumulate(answer.ours as readonly Event[]) }
    : (answer.ours as Conversation); // one or the other
  const events = isStream ? (answer.ours as readonly Event[]) : emit(conversation.messages);
  const compare = (theirs: Json, ours: Json): Kept => {
    const all: AnswerCompared = {
      theirs: plain(theirs),
      ours: plain(ours),
      carried: carriedOf(conversation, generation),
      wire: answer.wire,
      generation,
    };
    return keeps(all.theirs, all.ours, optionsOf(answerChecks, all));
  };
  const options = { shape: "answer", recipient: "client", carry: false } as const;
  if (!isStream) {
    yield [
      "answer",
      () =>
        compare(
          theirs,
          wholeAnswer(encode(conversation, { to: `ai-sdk-prompt:${specifications[generation]}`, ...options }).value),
        ),
    ];
  }
  yield [
    "stream",
    () =>
      compare(theirs, streamed(runAll(streamEncoder(`ai-sdk-model:${generation}`, { recipient: "client" }), events))),
  ];
  if (Array.isArray(out["responseMessages"]))
    yield [
      "messages",
      () => {
        const { value } = encode(conversation, { to: `ai-sdk-model:${generation}`, ...options, shape: "messages" });
        return compare(untag(out["responseMessages"] ?? []), value as unknown as Json); // codecs write JSON
      },
    ];
  const { uiMessage } = out;
  if (!isJsonObject(uiMessage)) return;
  yield [
    "UI message",
    () => {
      const { value } = encode(conversation, { to: `ai-sdk-ui:${generation}`, ...options, shape: "messages" });
      return compare(uiOf(untag(uiMessage)), uiOf((value as unknown as readonly Json[]).at(-1) ?? null)); // codecs write JSON
    },
  ];
  yield [
    "UI stream",
    async () => {
      const chunks = runAll(streamEncoder(`ai-sdk-ui:${generation}`, { recipient: "client" }), events);
      const { message } = await readChunks(generation, chunks);
      return compare(uiOf(untag(uiMessage)), uiOf(JSON.parse(JSON.stringify(message ?? null)) as Json)); // messages are JSON
    },
  ];
}

function carriedOf(conversation: Conversation, generation: Generation): Json {
  const { value } = encode(conversation, {
    to: `ai-sdk-model:${generation}`,
    shape: "messages",
    recipient: "store",
    carry: true,
  });
  return value as unknown as Json; // codecs write JSON
}

/** What the packages made of an answer, whole or streamed, in one form. */
function said(out: JsonObject): Json {
  const stream = list(out["fullStream"]).map(part => liveErrors(untag(part)));
  const { finishReason = null, rawFinishReason, usage = null, response = null, providerMetadata } = out;
  const end = {
    finishReason,
    usage,
    response,
    ...(rawFinishReason !== undefined && { rawFinishReason }),
    ...(providerMetadata !== undefined && { providerMetadata }),
  };
  const parts = stream.length > 0 ? joined(stream) : list(out["content"]).map(part => liveErrors(untag(part)));
  return { parts: parts as readonly Json[], end: untag(end) }; // a list of JSON
}

/** A stream of a run: its parts, and how its last step ended. */
function streamed(stream: readonly Json[]): Json {
  const end = stream.filter(isJsonObject).findLast(part => part["type"] === "finish-step");
  return { parts: joined(stream), end: end ?? {} };
}

const ends: ReadonlySet<Json | undefined> = new Set(["start", "start-step", "finish-step", "finish", "raw"]);

/** Blocks of texts as one part each, at their start. */
function joined(stream: readonly Json[]): readonly JsonObject[] {
  const parts: { [member: string]: Json }[] = [];
  const open = new Map<string, number>();
  for (const part of stream.filter(isJsonObject)) {
    const [, block, step] = /^(text|reasoning|tool-input)-(start|delta|end)$/.exec(String(part["type"])) ?? [];
    if (ends.has(part["type"])) continue;
    if (block === undefined) {
      parts.push(part);
      continue;
    }
    const key = `${block} ${String(part["id"])}`;
    const { id, type: _, delta, text, deltas: __, ...members } = part;
    if (step === "start" || !open.has(key)) {
      open.set(key, parts.length);
      const named = block === "tool-input" ? { toolCallId: id ?? null } : {};
      parts.push({ type: block, ...named, text: "" });
    }
    const place = open.get(key) ?? 0;
    const before = parts[place] ?? {};
    parts[place] = { ...before, ...members, text: String(before["text"]) + String(delta ?? text ?? "") };
  }
  return parts;
}

/** The answer of a model in the words of a run. */
function wholeAnswer(value: unknown): Json {
  const answer = value as { readonly content: readonly JsonObject[]; readonly [member: string]: Json }; // as the codec writes it
  const { content, finishReason = null, usage = null, ...others } = answer;
  const end = isJsonObject(finishReason)
    ? { finishReason: finishReason["unified"] ?? null, rawFinishReason: finishReason["raw"] ?? null }
    : { finishReason };
  const calls = new Map<Json | undefined, JsonObject>();
  const parts = content.map(part => {
    if (part["type"] === "tool-call") calls.set(part["toolCallId"], { ...part, input: inputOf(part) });
    return inRun(part, calls.get(part["toolCallId"]));
  });
  return { parts, end: { ...others, ...end, usage: isJsonObject(usage) ? flat(usage) : usage } };
}

const inputOf = ({ input }: JsonObject): Json => {
  try {
    return JSON.parse(String(input)) as Json; // JSON.parse gives JSON
  } catch {
    return input ?? null;
  }
};

function inRun(part: JsonObject, call: JsonObject | undefined): JsonObject {
  const { result, isError, ...others } = part;
  const known = call?.["input"] === undefined ? {} : { input: call["input"] };
  switch (part["type"]) {
    case "tool-call":
      return call ?? part;
    case "tool-result":
      return isError === true
        ? { ...others, ...known, type: "tool-error", error: result ?? null, providerExecuted: true }
        : { ...others, ...known, output: result ?? null, providerExecuted: true };
    case "tool-approval-request":
      return { ...withoutCall(part), ...(call && { toolCall: call }) };
    default:
      return part;
  }
}

const withoutCall = ({ toolCallId: _, ...part }: JsonObject): JsonObject => part;

/** A model's count in the words of a run. */
function flat(usage: JsonObject): JsonObject {
  const { inputTokens: input, outputTokens: output, ...others } = usage;
  if (!isJsonObject(input) || !isJsonObject(output)) return usage;
  const totals = [input["total"], output["total"]].filter(count => typeof count === "number");
  return JSON.parse(
    JSON.stringify({
      ...others,
      inputTokens: input["total"],
      outputTokens: output["total"],
      totalTokens: totals.reduce((sum, count) => sum + count, 0),
      reasoningTokens: output["reasoning"],
      cachedInputTokens: input["cacheRead"],
      inputTokenDetails: {
        noCacheTokens: input["noCache"],
        cacheReadTokens: input["cacheRead"],
        cacheWriteTokens: input["cacheWrite"],
      },
      outputTokenDetails: { textTokens: output["text"], reasoningTokens: output["reasoning"] },
    }),
  ) as JsonObject; // without what is undefined
}

/** A message's own id is the application's. */
function uiOf(message: Json): Json {
  if (!isJsonObject(message)) return message;
  const { id: _, parts, ...others } = message;
  return { ...others, parts: list(parts).map(part => (isJsonObject(part) ? toolOf(part) : part)) };
}

/** A part of a tool says its name in its type, or in a member: whether the reader knows the tool is not the answer's. */
function toolOf(part: JsonObject): JsonObject {
  const [, name] = /^tool-(.*)$/s.exec(String(part["type"])) ?? [];
  if (name !== undefined) return { ...part, type: "tool", toolName: name };
  return part["type"] === "dynamic-tool" ? { ...part, type: "tool" } : part;
}

/** One spelling for what the cases mask or cut, and for times. */
function plain(value: Json): Json {
  if (typeof value === "string") return cut(value.replaceAll(/<id-(\d+)>/g, "<guid-$1>"));
  if (Array.isArray(value)) return value.map(plain);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, key === "timestamp" ? time(member) : plain(member)]),
  );
}

const time = (value: Json): Json => (typeof value === "string" && value !== "<now>" ? Date.parse(value) : value);

const cut = (text: string): string =>
  text.length > 2000 && !/\s/.test(text.slice(0, 400)) ? `${text.slice(0, 64)}…<${text.length} characters>` : text;

const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
