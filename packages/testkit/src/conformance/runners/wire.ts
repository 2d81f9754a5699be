import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  accumulate,
  check,
  decode,
  type Event,
  emit,
  encode,
  encodeSse,
  type FormatId,
  formats,
  isJsonObject,
  type Json,
  type Loss,
  type Message,
  runAll,
  sseDecoder,
  streamDecoder,
  streamEncoder,
} from "translogue";
import { deepFreeze, difference } from "../../difference.ts";
import { ungrammatical } from "../../grammar.ts";
import { heardByAgent } from "../../heard.ts";
import { oracles } from "../../oracles.ts";
import { transcodedEverywhere } from "../../transcoded.ts";
import { type CaseResult, claims, type FixtureFile, type Runner } from "../case.ts";
import { targetCase } from "./target-checks.ts";

const formatOf = (file: FixtureFile): FormatId | undefined =>
  formats.map(({ id }) => id as FormatId).find(id => id === file.path.split("/")[1]); // formats are the registered ones

/** Providers' real answers, whole and streamed. */
export const recordings: Runner = {
  name: "recordings",
  reads: file => file.folder === "recordings" && formatOf(file) !== undefined,
  async *run(file) {
    const format = formatOf(file);
    if (!format) return;
    const about = { format, name: file.path.split("/").slice(2).join("/") };
    if (file.path.endsWith(".chunks.txt")) {
      const lines = file
        .read()
        .split("\n")
        .filter(line => line.trim() !== "");
      yield await streamCase(about, format, lines);
      if (hasSeveral(format, lines)) yield { ...about, outcome: { status: "set-aside", rule: "several answers" } };
      if (format === "openai-chat") yield await agentCase(about, lines);
      const pair = pairOf(file);
      if (pair) yield await pairCase({ ...about, name: `${about.name} (pair)` }, format, { lines, whole: pair });
    } else yield await wholeCase(about, { format, shape: "answer", value: JSON.parse(file.read()) as Json }); // JSON.parse gives JSON
  },
};

/** Real requests with their real answers. */
export const exchanges: Runner = {
  name: "exchanges",
  reads: file => file.folder === "exchanges" && formatOf(file) !== undefined && file.path.endsWith(".jsonl"),
  async *run(file) {
    const format = formatOf(file);
    if (!format) return;
    for (const line of file.read().split("\n")) {
      if (line.trim() === "") continue;
      const exchange = JSON.parse(line) as {
        name: string;
        status: number;
        path?: string;
        request: Json;
        response?: Json;
        sse?: string;
        events?: readonly Json[];
      }; // as the folder's README says
      const about = { format, name: exchange.name };
      yield await wholeCase(
        { ...about, name: `${about.name} request` },
        { format, shape: "request", value: exchange.request },
      );
      if (exchange.response !== undefined) {
        const refused = exchange.status >= 400 ? { shape: "error" as const } : {};
        yield await wholeCase(
          { ...about, name: `${about.name} answer` },
          { format, value: exchange.response, ...refused },
        );
      }
      if (exchange.events !== undefined) {
        const lines = exchange.events.map(event => JSON.stringify(event));
        yield await streamCase({ ...about, name: `${about.name} stream` }, format, lines);
      }
      if (exchange.sse !== undefined) {
        const lines = runAll(sseDecoder(), [exchange.sse]).map(({ data }) => data);
        yield await streamCase(
          { ...about, name: `${about.name} stream` },
          format,
          lines.filter(data => data !== "[DONE]"),
        );
      }
      const host =
        file.path
          .split("/")
          .at(-1)
          ?.replace(/\.jsonl$/, "") ?? "";
      yield await targetCase({ ...about, host }, exchange);
    }
  },
};

interface About {
  readonly format: string;
  readonly name: string;
}

/** A whole value survives the way through the model and back, and so do the events made of it. */
async function wholeCase(
  about: About,
  wire: { readonly format: FormatId; readonly shape?: "request" | "answer" | "error"; readonly value: Json },
): Promise<CaseResult> {
  const value = deepFreeze(wire.value);
  const isError = isJsonObject(value) && "error" in value && value["error"] !== null && !("choices" in value);
  const asked = wire.shape === "request" ? { shape: wire.shape } : isError ? {} : { shape: wire.shape ?? "answer" };
  const { conversation, shape, dialect } = decode(value, { from: wire.format, ...asked });
  const store = { to: wire.format, shape, dialect, recipient: "store", carry: false } as const;
  const { value: again, losses } = encode(conversation, store);
  return await claims(
    about,
    [
      () => difference(again, value),
      () => difference(decode(again, { from: wire.format, shape, dialect }).conversation, conversation),
      () => difference(accumulate(emit(conversation.messages)), conversation.messages),
      () => check(conversation).find(({ severity }) => severity === "error")?.message,
      () =>
        losses.length > 0
          ? `losses on the way back to its own format: ${losses.map(({ code }) => code).join(", ")}`
          : undefined,
    ],
    losses,
  );
}

/** A stream accumulates to what its own SDK makes of it, in any chunking, at any prefix, and after being written again. */
async function streamCase(about: About, format: FormatId, lines: readonly string[]): Promise<CaseResult> {
  const wireEvents = lines.flatMap(line => parsed(line));
  const decoder = streamDecoder(format);
  const events = runAll(decoder, wireEvents);
  const messages = accumulate(events);
  const losses: Loss[] = [];
  return await claims(
    about,
    [
      () => valid(messages),
      () => ungrammatical(events),
      () => oracles[format]?.(wireEvents, messages),
      () => chunkings(format, lines, events),
      () => prefixes(format, wireEvents),
      () => difference(accumulate(emit(messages)), messages),
      () => (hasSeveral(format, lines) ? undefined : rewritten(format, events, { messages, losses })),
      () => (hasSeveral(format, lines) ? undefined : transcodedEverywhere(format, wireEvents, messages)),
    ],
    losses,
  );
}

/** Several answers, one after another, in a recording: most formats' streams, and clients, have one. */
const hasSeveral = (format: string, lines: readonly string[]): boolean => {
  const mark = oncePerAnswer[format];
  return mark !== undefined && lines.filter(line => line.includes(`"type":"${mark}"`)).length > 1;
};

const oncePerAnswer: { readonly [format: string]: string } = {
  "anthropic-messages": "message_stop",
  "openai-responses": "response.created",
};

/** The recording once more, from a host into an agent. */
async function agentCase({ name }: About, lines: readonly string[]): Promise<CaseResult> {
  const wireEvents = lines.flatMap(parsed);
  const messages = accumulate(runAll(streamDecoder("openai-chat"), wireEvents));
  return await claims({ format: "agent over recordings", name }, [() => heardByAgent(wireEvents, messages)]);
}

const parsed = (line: string): Json[] => {
  try {
    return [JSON.parse(line) as Json]; // JSON.parse gives JSON
  } catch {
    return []; // some recordings have broken lines: framing reports them, and the rest must still be read
  }
};

const valid = (messages: readonly Message[]): string | undefined =>
  check({ messages }).find(({ severity }) => severity === "error")?.message;

/** The same events whatever the borders of the bytes. */
function chunkings(format: FormatId, lines: readonly string[], expected: readonly Event[]): string | undefined {
  const bytes = new TextEncoder().encode(lines.map(data => encodeSse({ data })).join(""));
  const sizes = bytes.length > 200_000 ? [1021, 65_536] : [1, 7, 1021];
  for (const size of sizes) {
    const sse = sseDecoder();
    const decoder = streamDecoder(format);
    const events: Event[] = [];
    const take = (items: readonly { readonly data: string }[]): void => {
      for (const { data } of items) for (const wire of parsed(data)) events.push(...decoder.push(wire));
    };
    for (let start = 0; start < bytes.length; start += size) take(sse.push(bytes.subarray(start, start + size)));
    take(sse.end());
    events.push(...decoder.end());
    const reason = difference(events, expected);
    if (reason !== undefined) return `in chunks of ${size} bytes: ${reason}`;
  }
  return undefined;
}

/** Every prefix of the wire events gives valid messages. */
function prefixes(format: FormatId, wireEvents: readonly Json[]): string | undefined {
  for (let length = 0; length <= wireEvents.length; length++) {
    const messages = accumulate(runAll(streamDecoder(format), wireEvents.slice(0, length)));
    const reason = valid(messages);
    if (reason !== undefined) return `after ${length} events: ${reason}`;
    if (length > 0 && length < wireEvents.length - 2 && messages.some(({ finish }) => finish === undefined)) {
      return `after ${length} events: a message of a cut stream has no finish`;
    }
  }
  return undefined;
}

function rewritten(
  format: FormatId,
  events: readonly Event[],
  expected: { readonly messages: readonly Message[]; readonly losses: Loss[] },
): string | undefined {
  const encoder = streamEncoder(format, { recipient: "store" });
  const wire = runAll(encoder, events);
  expected.losses.push(...encoder.losses);
  const again = accumulate(runAll(streamDecoder(format), wire));
  const reason = difference(again, expected.messages);
  return reason === undefined ? undefined : `written again: ${reason}`;
}

function pairOf(file: FixtureFile): Json | undefined {
  const path = join(file.root, file.path.replace(/\.chunks\.txt$/, ".json"));
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Json) : undefined; // JSON.parse gives JSON
}

async function pairCase(
  about: About,
  format: FormatId,
  pair: { readonly lines: readonly string[]; readonly whole: Json },
): Promise<CaseResult> {
  const told = pair.lines.flatMap(parsed);
  const streamed = accumulate(runAll(streamDecoder(format), told));
  const { conversation } = decode(pair.whole, { from: format, shape: "answer" });
  const [live] = streamed;
  const [whole] = conversation.messages;
  const counts = [countOf(told), countOf(pair.whole)].filter(count => count !== undefined);
  const isOther = live?.responseId !== whole?.responseId || new Set(counts).size > 1;
  if (live?.responseId === undefined || isOther)
    return { ...about, outcome: { status: "set-aside", rule: "not the same answer" } };
  const isLess = difference(streamed, conversation.messages) !== undefined;
  if (isLess && difference(saying(streamed), saying(conversation.messages)) === undefined) {
    return { ...about, outcome: { status: "set-aside", rule: "the whole says less" } };
  }
  return await claims(about, [() => difference(streamed, conversation.messages)]);
}

/** The last count of written tokens on the wire itself, so that no misreading of ours sets a pair aside. */
function countOf(wire: Json): number | undefined {
  const counts = [
    ...JSON.stringify(wire).matchAll(/"(?:completion_tokens|output_?tokens|candidatesTokenCount)":(\d+)/gi),
  ];
  return counts.length === 0 ? undefined : Number(counts.at(-1)?.[1]);
}

/** A value without what says nothing: counts of 0, null, and what is empty without them. */
function saying(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(saying);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([key, member]) => [key, saying(member)] as const);
  return Object.fromEntries(members.filter(([, member]) => !isNothing(member)));
}

const isNothing = (value: unknown): boolean =>
  value === null || value === 0 || (typeof value === "object" && Object.keys(value).length === 0);
