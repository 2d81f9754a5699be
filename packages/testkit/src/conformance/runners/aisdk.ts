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
import { acceptCase, written } from "./aisdk-read.ts";
import { v4Case } from "./aisdk-v4.ts";
import { validations } from "./aisdk-validate.ts";
import { untag } from "./tags.ts";

const format = "ai-sdk-ui";

interface Case {
  readonly name: string;
  readonly [member: string]: Json;
}

const casesOf = (file: FixtureFile): Case[] => (JSON.parse(file.read()) as { cases: Case[] }).cases; // as the folder's README says

/** UI messages that a generation takes survive the way through the model, and what we write is taken by every generation. */
export const aisdkMessages: Runner = {
  name: "aisdk messages",
  reads: file => file.folder === "aisdk" && ["validate", "v4"].includes(file.kind ?? ""),
  async *run(file) {
    for (const each of casesOf(file)) {
      const given = each["messages"] ?? each["uiMessages"];
      if (file.kind === "v4") yield await v4Case(each);
      else if (Array.isArray(given) && isUi(given)) yield await messagesCase(file, each, untag(given));
    }
    if (file.kind === "validate") yield* validations(file);
  },
};

const isUi = (messages: readonly Json[]): boolean =>
  messages.every(message => isJsonObject(message) && Array.isArray(message["parts"]));

export async function messagesCase(file: FixtureFile, each: Case, given: Json): Promise<CaseResult> {
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
          () => sameFrames(member(run, "raw"), list(member(run, "chunks"))),
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

/** The text of the body, frame by frame; of a long one the file has the beginning. */
function sameFrames(raw: Json | undefined, chunks: readonly Json[]): string | undefined {
  if (typeof raw !== "string") return undefined;
  const frames = runAll(sseDecoder({ flushLast: false }), [raw]);
  const read = frames.map(({ data }) => (data === "[DONE]" ? data : (JSON.parse(data) as Json))); // JSON.parse gives JSON
  return difference(read, chunks.slice(0, read.length));
}

/** Whether a result in the stream answers a call that was made before it. */
function continuesMessage(chunks: readonly Json[]): boolean {
  const called = new Set(
    chunks.filter(chunk => /^tool-input/.test(String(member(chunk, "type")))).map(chunk => member(chunk, "toolCallId")),
  );
  return chunks.some(
    chunk => /^tool-output/.test(String(member(chunk, "type"))) && !called.has(member(chunk, "toolCallId")),
  );
}

interface Transport {
  readonly strict: { readonly [chunk: string]: Json };
  readonly transport: { readonly [generation: string]: Json };
  readonly response: { readonly [generation: string]: { readonly [name: string]: Json } };
}

/** What each generation's transport sends and lets through, and what a server's stream of it makes. */
export const aisdkTransport: Runner = {
  name: "aisdk transport",
  reads: file => file.folder === "aisdk" && file.kind === undefined && /misc-transport/.test(file.path),
  async *run(file) {
    const { strict, transport, response } = JSON.parse(file.read()) as Transport; // as the folder's README says
    for (const generation of generations) {
      for (const text of Object.keys(strict)) {
        const chunk = JSON.parse(text) as Json; // JSON.parse gives JSON
        yield await claims({ format: `${format} transport`, name: `${text} ${generation}` }, [
          () => acceptCase(chunk, generation),
        ]);
      }
      for (const [index, call] of list(member(transport[generation], "calls")).entries()) {
        const body = member(call, "body");
        if (body === undefined) continue;
        yield await claims({ format: `${format} transport`, name: `request ${index} ${generation}` }, [
          () => sameRequest(body, generation),
        ]);
      }
      for (const [name, made] of Object.entries(response[generation] ?? {})) {
        const about = { format: `${format} transport`, name: `response ${name} ${generation}` };
        const message = member(member(made, "onFinish"), "responseMessage");
        const begun = list(member(made, "chunks"));
        // It holds what an earlier stream said, or has an id that only the server knows.
        const isWhole = member(begun[0], "messageId") === member(message, "id") && !continuesEarlier(begun, message);
        if (isWhole) yield await claims(about, [() => sameMessages(begun, generation, message ?? null)]);
      }
    }
  },
};

function sameRequest(body: Json, generation: Generation): string | undefined {
  const from = `${format}:${generation}` as const;
  const { conversation } = decode(deepFreeze(body), { from, shape: "request" });
  const { value } = encode(conversation, { to: from, shape: "request", recipient: "store", carry: false });
  return difference(value, body);
}

/** Whether a message has more parts than a stream begins. */
function continuesEarlier(chunks: readonly Json[], message: Json | undefined): boolean {
  const begun = chunks.filter(chunk => /^(?:text|reasoning|tool-input)-start$/.test(String(member(chunk, "type"))));
  return list(member(message, "parts")).length > begun.length;
}

function sameMessages(chunks: readonly Json[], generation: Generation, message: Json): string | undefined {
  const messages = accumulate(runAll(streamDecoder(`${format}:${generation}`), chunks));
  // A message in which nothing was said is none, unless an error was.
  const expected = list(member(message, "parts")).length === 0 ? [] : [message];
  return difference(expected.length === 0 ? [] : written(messages, generation), expected);
}

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
    const again = (value: Json, shape: "request" | "answer" | "error"): string | undefined => {
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
    for (const [name, body] of Object.entries(samples.responses)) {
      const shape = member(body, "statusCode") === undefined ? "answer" : "error";
      // Lists of models, tools and the like are no answers of an agent.
      if (shape === "error" || list(member(member(body, "data"), "messages")).length > 0)
        yield await claims({ format: "huajuan", name }, [() => again(body, shape)]);
    }
  },
};

const member = (value: Json | undefined, key: string): Json | undefined =>
  isJsonObject(value) ? value[key] : undefined;
const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
