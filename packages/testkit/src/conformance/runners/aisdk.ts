import {
  accumulate,
  decode,
  emit,
  encode,
  isJsonObject,
  type Json,
  type Loss,
  runAll,
  sseDecoder,
  streamDecoder,
  streamEncoder,
} from "translogue";
import { deepFreeze, difference } from "../../difference.ts";
import { type Generation, generations, readChunks, refusedChunk, refusedMessages } from "../../generations.ts";
import { type CaseResult, claims, type FixtureFile, type Runner } from "../case.ts";
import { untag } from "./tags.ts";

const format = "ai-sdk-ui";

interface Case {
  readonly name: string;
  readonly [member: string]: Json;
}

const casesOf = (file: FixtureFile): Case[] => (JSON.parse(file.read()) as { cases: Case[] }).cases; // as the folder's README says

/** Chunks → message, as each generation's own reader makes it. */
export const aisdkRead: Runner = {
  name: "aisdk read",
  reads: file => file.folder === "aisdk" && file.kind === "read",
  async *run(file) {
    for (const each of casesOf(file)) {
      for (const generation of generations) {
        const out = member(each["out"], generation);
        if (isJsonObject(out)) yield await readCase(each, generation, out);
      }
    }
  },
};

async function readCase(
  each: Case,
  generation: Generation,
  out: { readonly [key: string]: Json },
): Promise<CaseResult> {
  const about = { format: `${format} read`, name: `${each.name} ${generation}` };
  if (typeof each["sse"] === "string") return await claims(about, [() => sseCase(each["sse"] as string, generation)]); // just looked at
  const chunks = list(each["chunks"]).map(untag);
  if (chunks.length === 0) return await claims(about, [() => acceptCase(untag(each["chunk"] ?? null), generation)]);
  const broken = out["thrown"] !== undefined || list(out["errors"]).length > 0 || out["valid"] !== true;
  const refused = list(out["rejectedByWireSchema"]).length > 0 || each["message"] !== undefined;
  const read = (): ReturnType<typeof accumulate> =>
    accumulate(runAll(streamDecoder(`${format}:${generation}`), chunks));
  if (broken || refused || !isJsonObject(out["final"])) {
    const survives = await claims(about, [() => (read().length >= 0 ? undefined : "")]);
    return survives.outcome.status === "failed"
      ? survives
      : { ...about, outcome: { status: "set-aside", rule: "dead stream" } };
  }
  const final = untag(out["final"]);
  const reads = (): string | undefined => difference(lastOf(written(read(), generation)), withoutUndefined(final));
  if (!JSON.stringify(chunks).includes('"__proto__"')) {
    return await claims(about, [reads, () => rewrittenStream(chunks, generation, final)]);
  }
  const result = await claims(about, [reads]);
  return result.outcome.status === "failed"
    ? result
    : { ...about, outcome: { status: "set-aside", rule: "unsafe names" } };
}

/** Our messages, as this generation's UI messages. */
function written(messages: ReturnType<typeof accumulate>, generation: Generation): Json {
  const { value } = encode(
    { messages },
    { to: `${format}:${generation}`, shape: "messages", recipient: "store", carry: false },
  );
  return value as Json; // the codec writes JSON
}

/** A reader that meets another message id begins anew, and has only the last message at the end. */
const lastOf = (messages: Json): Json => (Array.isArray(messages) ? (messages.at(-1) ?? null) : messages);

/** What we write for a generation passes its transport and reads as the same message. */
async function rewrittenStream(
  chunks: readonly Json[],
  generation: Generation,
  final: Json,
): Promise<string | undefined> {
  const events = runAll(streamDecoder(`${format}:${generation}`), chunks);
  const again = runAll(streamEncoder(`${format}:${generation}`, { recipient: "store" }), events);
  const refused = await refusedChunk(generation, again);
  if (refused) return refused;
  const { message, errors } = await readChunks(generation, again);
  if (errors.length > 0) return `ai ${generation} reading what we wrote: ${errors.join("; ")}`;
  if (message === undefined)
    return `ai ${generation} makes no message of what we wrote: ${JSON.stringify(again).slice(0, 300)}`;
  const reason = difference(withoutUndefined(message as Json), withoutUndefined(final)); // a message is JSON
  return reason === undefined ? undefined : `written again and read by ai ${generation}: ${reason}`;
}

/** Frames of a body, whole and byte by byte. */
function sseCase(text: string, generation: Generation): string | undefined {
  const bytes = new TextEncoder().encode(text);
  const whole = runAll(sseDecoder(), [bytes]);
  const single = runAll(
    sseDecoder(),
    Array.from(bytes, byte => Uint8Array.of(byte)),
  );
  const decoder = streamDecoder(`${format}:${generation}`);
  for (const { data } of whole) {
    try {
      decoder.push(JSON.parse(data) as Json); // JSON.parse gives JSON
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return difference(single, whole);
}

/** A chunk alone: read without harm, and nothing that we write of it is refused by the generation. */
async function acceptCase(chunk: Json, generation: Generation): Promise<string | undefined> {
  const events = runAll(streamDecoder(`${format}:${generation}`), [chunk]);
  return await refusedChunk(generation, runAll(streamEncoder(`${format}:${generation}`), events));
}

/** UI messages that a generation takes survive the way through the model, and what we write is taken by every generation. */
export const aisdkMessages: Runner = {
  name: "aisdk messages",
  reads: file => file.folder === "aisdk" && ["convert", "validate", "loop", "v4"].includes(file.kind ?? ""),
  async *run(file) {
    for (const each of casesOf(file)) {
      const given = each["messages"] ?? each["uiMessages"];
      if (file.kind === "v4") yield await v4Case(each);
      else if (Array.isArray(given) && isUi(given)) yield await messagesCase(file, each, untag(given));
      if (file.kind !== "v4") {
        yield {
          format: `${format} ${file.kind}`,
          name: each.name,
          outcome: { status: "set-aside", rule: "agreement comes later" },
        };
      }
    }
  },
};

const isUi = (messages: readonly Json[]): boolean =>
  messages.every(message => isJsonObject(message) && Array.isArray(message["parts"]));

async function messagesCase(file: FixtureFile, each: Case, given: Json): Promise<CaseResult> {
  const about = { format: `${format} ${file.kind}`, name: each.name };
  const messages = deepFreeze(given);
  const losses: Loss[] = [];
  const accepted: Generation[] = [];
  for (const generation of generations) {
    if ((await refusedMessages(generation, messages)) === undefined) accepted.push(generation);
  }
  return await claims(
    about,
    [
      ...generations.map(generation => () => sameAgain(messages, generation)),
      ...accepted.map(from => () => takenByAll(messages, { from, losses })),
    ],
    losses,
  );
}

function sameAgain(messages: Json, generation: Generation): string | undefined {
  const from = `${format}:${generation}` as const;
  const { conversation } = decode(messages, { from, shape: "messages" });
  const { value } = encode(conversation, { to: from, shape: "messages", recipient: "store", carry: false });
  const reason = difference(value, messages);
  return reason === undefined ? undefined : `decoded and encoded as ${generation}: ${reason}`;
}

/** Written for every generation: its validator takes them, and its reader takes the streams of the assistant's. */
async function takenByAll(
  messages: Json,
  { from, losses }: { readonly from: Generation; readonly losses: Loss[] },
): Promise<string | undefined> {
  const { conversation } = decode(messages, { from: `${format}:${from}`, shape: "messages" });
  for (const to of generations) {
    const { value, losses: lost } = encode(conversation, { to: `${format}:${to}`, shape: "messages", carry: false });
    losses.push(...lost);
    const refused = await refusedMessages(to, value as Json); // the codec writes JSON
    if (refused) return `${from} → ${to}: ${refused}`;
    for (const message of value as Json[]) {
      const reason = isJsonObject(message) && message["role"] === "assistant" ? await streamed(message, to) : undefined;
      if (reason) return `${from} → ${to}, streamed: ${reason}`;
    }
  }
  return undefined;
}

/** An assistant message as a stream of its generation: let through, and read without an error. */
async function streamed(message: Json, generation: Generation): Promise<string | undefined> {
  const { conversation } = decode([message], { from: `${format}:${generation}`, shape: "messages" });
  const chunks = runAll(streamEncoder(`${format}:${generation}`), emit(conversation.messages));
  const refused = await refusedChunk(generation, chunks);
  if (refused) return refused;
  const { errors } = await readChunks(generation, chunks);
  return errors.length > 0
    ? `ai ${generation}: ${errors.join("; ")} for ${JSON.stringify(chunks).slice(0, 600)}`
    : undefined;
}

/** v4 is read only: its messages must be taken by the newer generations once read. */
async function v4Case(each: Case): Promise<CaseResult> {
  const about = { format: `${format} v4`, name: each.name };
  const given = Array.isArray(each["messages"]) ? untag(each["messages"]) : undefined;
  if (given === undefined) return { ...about, outcome: { status: "set-aside", rule: "agreement comes later" } };
  if (list(given).some(message => list(member(message, "parts")).some(part => !isV4Part(member(part, "type"))))) {
    return { ...about, outcome: { status: "set-aside", rule: "unknown part" } };
  }
  const losses: Loss[] = [];
  return await claims(
    about,
    [
      async () => {
        const { conversation } = decode(given, { from: `${format}:v4`, shape: "messages" });
        const { value, losses: lost } = encode(conversation, { to: `${format}:v7`, shape: "messages", carry: false });
        losses.push(...lost);
        const messages = (value as Json[]).filter(
          message => !isJsonObject(message) || message["role"] !== "user" || list(message["parts"]).length > 0,
        );
        return messages.length === 0 ? undefined : await refusedMessages("v7", messages);
      },
    ],
    losses,
  );
}

const isV4Part = (type: Json | undefined): boolean =>
  typeof type === "string" && ["text", "reasoning", "tool-invocation", "source", "file", "step-start"].includes(type);

/** Real server runs: headers aside, the chunks read as the message that the real client had at the end. */
export const aisdkEndToEnd: Runner = {
  name: "aisdk end to end",
  reads: file => file.folder === "aisdk" && file.kind === undefined && /e2e-streamText/.test(file.path),
  async *run(file) {
    const byGeneration = JSON.parse(file.read()) as { readonly [version: string]: { readonly [name: string]: Json } }; // as the folder's README says
    for (const generation of generations) {
      for (const [name, run] of Object.entries(byGeneration[generation] ?? {})) {
        const chunks = list(member(run, "chunks")).filter(isJsonObject);
        const final = member(run, "clientMessage");
        if (chunks.length === 0) continue;
        const about = { format: `${format} end to end`, name: `${name} ${generation}` };
        if (continuesMessage(chunks)) {
          yield { ...about, outcome: { status: "set-aside", rule: "continues a message" } };
          continue;
        }
        const messages = (): ReturnType<typeof accumulate> =>
          accumulate(runAll(streamDecoder(`${format}:${generation}`), chunks));
        yield await claims(about, [
          () =>
            isJsonObject(final) && list(final["parts"]).length > 0
              ? difference(written(messages(), generation), [final])
              : undefined,
          async () =>
            await refusedChunk(
              generation,
              runAll(
                streamEncoder(`${format}:${generation}`),
                runAll(streamDecoder(`${format}:${generation}`), chunks),
              ),
            ),
        ]);
      }
    }
  },
};

/** Whether a result in the stream answers a call that was made before it. */
function continuesMessage(chunks: readonly Json[]): boolean {
  const called = new Set(
    chunks.filter(chunk => /^tool-input/.test(String(member(chunk, "type")))).map(chunk => member(chunk, "toolCallId")),
  );
  return chunks.some(
    chunk => /^tool-output/.test(String(member(chunk, "type"))) && !called.has(member(chunk, "toolCallId")),
  );
}

/** What each generation's transport lets through: nothing that we write of a chunk is refused. */
export const aisdkTransport: Runner = {
  name: "aisdk transport",
  reads: file => file.folder === "aisdk" && file.kind === undefined && /misc-transport/.test(file.path),
  async *run(file) {
    const { strict } = JSON.parse(file.read()) as { strict: { readonly [chunk: string]: Json } }; // as the folder's README says
    for (const text of Object.keys(strict)) {
      const chunk = JSON.parse(text) as Json; // JSON.parse gives JSON
      for (const generation of generations) {
        yield await claims({ format: `${format} transport`, name: `${text} ${generation}` }, [
          () => acceptCase(chunk, generation),
        ]);
      }
    }
  },
};

/** Requests, refusals and answers by the document of the Huajuan API. */
export const huajuanSamples: Runner = {
  name: "huajuan samples",
  reads: file => file.folder === "aisdk" && file.kind === undefined && /huajuan/.test(file.path),
  async *run(file) {
    const samples = JSON.parse(file.read()) as {
      readonly requests: { readonly [name: string]: Json };
      readonly invalid: { readonly [name: string]: { readonly doc: string; readonly body: Json } };
      readonly responses: { readonly [name: string]: Json };
    }; // as the folder's README says
    const again = (value: Json, shape: "request" | "answer"): string | undefined => {
      const { conversation } = decode(deepFreeze(value), { from: "huajuan", shape });
      return difference(encode(conversation, { to: "huajuan", shape, recipient: "store", carry: false }).value, value);
    };
    for (const [name, body] of Object.entries(samples.requests))
      yield await claims({ format: "huajuan", name }, [() => again(body, "request")]);
    for (const [name, { doc, body }] of Object.entries(samples.invalid)) {
      if (!doc.startsWith("400")) continue;
      yield await claims({ format: "huajuan", name }, [
        () => {
          const { issues } = decode(body, { from: "huajuan", shape: "request" });
          return issues.some(({ severity }) => severity === "error")
            ? undefined
            : "the document refuses it, and no issue says so";
        },
      ]);
    }
    const answer = samples.responses["nonStream200"];
    if (answer !== undefined)
      yield await claims({ format: "huajuan", name: "nonStream200" }, [() => again(answer, "answer")]);
  },
};

const member = (value: Json | undefined, key: string): Json | undefined =>
  isJsonObject(value) ? value[key] : undefined;
const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
const withoutUndefined = (value: Json): Json => JSON.parse(JSON.stringify(value)) as Json; // JSON.parse gives JSON
