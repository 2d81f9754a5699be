import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  accumulate,
  type Conversation,
  decode,
  encode,
  type FormatId,
  isJsonObject,
  type Json,
  type JsonObject,
  type Loss,
  type Message,
  pipe,
  runAll,
  sseDecoder,
  streamDecoder,
  streamEncoder,
  type Tool,
  writeText,
} from "translogue";
import { readChatOptions, toChatResponse, writeMaf } from "translogue/maf";
import { deepFreeze } from "../../difference.ts";
import { keeps, lacks } from "../../keeps.ts";
import { type CaseResult, claims, type FixtureFile, type Runner, type World } from "../case.ts";
import type { MafRule } from "../rules/maf.ts";
import { answersIn } from "./answers.ts";
import { answerOptions, type Compared } from "./maf-allowances.ts";
import { anthropicRequest, chatMessages, mafAnswer, responsesItems } from "./maf-normal.ts";
import { ollamaAnswers, ollamaRequests } from "./maf-ollama.ts";
import { requestOptions } from "./maf-request-allowances.ts";

interface Case {
  readonly name: string;
  readonly provider: string;
  readonly direction?: "request" | "response";
  readonly [member: string]: Json | undefined;
}

const readCases = (text: string): readonly Case[] => (JSON.parse(text) as { cases: Case[] }).cases; // as the folder's README says

/** What Microsoft's provider adapters keep of an answer and of a history, ours keeps in the same members. */
/** The providers whose adapters are compared. */
const providers = ["openai-chat", "openai-responses", "anthropic-messages", "ollama"] as const;

export const mafAdapters: Runner = {
  name: "maf adapters",
  reads: file => file.folder === "maf" && (file.kind === "adapter" || file.kind === "adapter-round-trip"),
  async *run(file, world) {
    for (const each of readCases(file.read())) {
      const about = { format: "maf adapters", name: `${each.provider} ${each.name}` };
      const provider = providers.find(id => id === each.provider);
      if (!provider) yield { ...about, outcome: { status: "set-aside", rule: "maf other providers" } };
      else yield* compared(about, { ...each, provider }, { file, world });
    }
  },
};

type KnownCase = Case & { readonly provider: FormatId };
interface About {
  readonly format: string;
  readonly name: string;
}
interface Place {
  readonly file: FixtureFile;
  readonly world: World;
}

async function* compared(about: About, each: KnownCase, place: Place): AsyncIterable<CaseResult> {
  if (each["sent"] !== undefined) yield* roundTrip(about, each, place);
  else if (each.direction === "request") yield* requested(about, each);
  else yield* answered(about, each, place.world);
}

/** One claim, and for each rule that it needed a result of its own. */
async function* judged(about: About, kept: () => ReturnType<typeof keeps>): AsyncIterable<CaseResult> {
  let rules: readonly string[] = [];
  yield await claims(about, [
    () => {
      const result = kept();
      rules = result.rules;
      return lacks(result);
    },
  ]);
  for (const rule of rules) yield { ...about, name: `${about.name} (${rule})`, outcome: { status: "set-aside", rule } };
}

type Wire = { readonly whole: Json } | { readonly events: readonly Json[] };

/** The body or stream of a case as wire values; undefined where it is no JSON, or its recording is not there. */
function wireOf(each: Case, world: World): Wire | undefined {
  if (each["body"] !== undefined) return { whole: each["body"] };
  const { sse, recording } = each;
  if (typeof sse === "string") {
    // Ollama's streams are lines without a frame.
    const isFramed = each.provider !== "ollama";
    const lines = isFramed ? runAll(sseDecoder(), [sse]).map(({ data }) => data) : sse.split("\n");
    return { events: lines.flatMap(parsed) };
  }
  if (typeof recording !== "string") return undefined;
  const path = world.roots.map(root => join(root, "recordings", recording)).find(existsSync);
  if (path === undefined) return undefined;
  const text = readFileSync(path, "utf8");
  return recording.endsWith(".json")
    ? { whole: JSON.parse(text) as Json }
    : { events: text.split("\n").flatMap(parsed) }; // JSON.parse gives JSON
}

const parsed = (line: string): Json[] => {
  try {
    return [JSON.parse(line) as Json]; // JSON.parse gives JSON
  } catch {
    return []; // empty lines, `[DONE]`, and what a broken stream holds
  }
};

async function* answered(about: About, each: KnownCase, world: World): AsyncIterable<CaseResult> {
  const theirs = each["out"] ?? each["coalesced"];
  const wire = wireOf(each, world);
  if (!wire && typeof each["recording"] === "string") {
    yield { ...about, outcome: { status: "set-aside", rule: "recording not found" } };
  } else if (wire && "events" in wire && answersIn(wire.events) > 1) {
    yield { ...about, outcome: { status: "set-aside", rule: "maf several answers" } };
  } else if (!wire || typeof theirs !== "string") {
    yield { ...about, outcome: { status: "set-aside", rule: "maf adapter throws" } };
  } else {
    const { provider } = each;
    yield* kept(about, { theirs, wire, provider, ours: () => mafText(answerOf(wire, each.provider), forClient) });
    if (!("events" in wire)) return;
    const streamed = { ...about, name: `${about.name} (streamed)` };
    yield* kept(streamed, { theirs, wire, provider, ours: () => combinedUpdates(wire.events, each.provider) });
  }
}

const forClient = { shape: "answer", recipient: "client" } as const;

function kept(
  about: About,
  {
    theirs,
    wire,
    ours,
    provider,
  }: { readonly theirs: string; readonly wire: Wire; readonly ours: () => Json; readonly provider: FormatId },
): AsyncIterable<CaseResult> {
  return judged(about, () => {
    const all = { theirs: mafAnswer(JSON.parse(theirs)), ours: mafAnswer(ours()), ...factsOf(wire) };
    const options = answerOptions(all);
    return keeps(all.theirs, all.ours, provider === "ollama" ? ollamaAnswers(options, all) : options);
  });
}

/** A provider's stream as MAF's updates, and those combined as .NET combines them. */
function combinedUpdates(events: readonly Json[], provider: FormatId): Json {
  const updates = runAll(pipe(streamDecoder(provider), streamEncoder("maf")), events);
  const response = toChatResponse(updates.filter(isJsonObject));
  return JSON.parse(writeMaf({ value: response }, { type: "ChatResponse" })) as Json; // it is JSON
}

function factsOf(wire: Wire): Pick<Compared, "hasChoices" | "hasUsages" | "wire"> {
  const values = "whole" in wire ? [wire.whole] : wire.events;
  const choices = values.flatMap(value =>
    isJsonObject(value) && Array.isArray(value["choices"]) ? value["choices"] : [],
  );
  return {
    wire: values,
    hasChoices: choices.some(choice => isJsonObject(choice) && Number(choice["index"]) > 0),
    hasUsages: values.filter(value => isJsonObject(value) && isJsonObject(value["usage"])).length > 1,
  };
}

function answerOf(wire: Wire, provider: FormatId): Conversation {
  if ("whole" in wire) return decode(deepFreeze(wire.whole), { from: provider, shape: "answer" }).conversation;
  return { messages: accumulate(runAll(streamDecoder(provider), wire.events)) };
}

/** What MAF's own text of a conversation holds. */
function mafText(
  conversation: Conversation,
  { shape, recipient }: { readonly shape: "answer" | "messages"; readonly recipient: "client" | "store" },
): Json {
  const carry = recipient === "store";
  const { value, dialect, exact } = encode(conversation, { to: "maf", shape, recipient, carry });
  return JSON.parse(writeText(value, "maf", { shape, dialect, style: "compact", ...(exact && { exact }) })) as Json; // it is JSON
}

async function* requested(about: About, each: KnownCase): AsyncIterable<CaseResult> {
  const { body } = each;
  if (body === undefined) {
    yield { ...about, outcome: { status: "set-aside", rule: "maf adapter throws" } };
    return;
  }
  yield* judged(about, () => {
    const options = isJsonObject(each["options"] ?? null) ? (each["options"] as JsonObject) : {}; // just looked at
    const { instructions, ...asked } = readChatOptions(options);
    const messages = [...instructions, ...readMessages(each["messages"] ?? [])];
    const tools = toolsOf(options["tools"]);
    const { value, losses } = requestOf({ messages, ...asked, ...(tools && { tools }) }, each.provider);
    const ours = normalRequest(value, each.provider);
    const { theirs, rules } = withoutInstructions(body);
    const hasExceptions = each["exceptions"] !== undefined;
    const all = {
      theirs: normalRequest(theirs, each.provider),
      ours,
      options,
      hasExceptions,
      fitted: { losses, tools: tools ?? [] },
    };
    const kept = keeps(all.theirs, all.ours, optionsFor(each.provider, all));
    return { ...kept, rules: [...rules, ...kept.rules] };
  });
}

const optionsFor = (provider: FormatId, all: Compared): ReturnType<typeof requestOptions> =>
  provider === "ollama" ? ollamaRequests(requestOptions(all), all) : requestOptions(all);

/** Instructions as the message that ours makes of them. */
function withoutInstructions(body: Json): { readonly theirs: Json; readonly rules: readonly MafRule[] } {
  if (!isJsonObject(body) || typeof body["instructions"] !== "string") return { theirs: body, rules: [] };
  const { instructions, input, ...rest } = body;
  const text = instructions.trim() === "" ? [] : [{ role: "system", content: instructions }];
  return { theirs: { ...rest, input: [...text, ...(Array.isArray(input) ? input : [])] }, rules: ["maf instructions"] };
}

/** The case's own way to list tools, which MAF's JSON has no place for: functions as tools, hosted ones not at all. */
function toolsOf(tools: Json | undefined): readonly Tool[] | undefined {
  if (!Array.isArray(tools)) return undefined;
  const functions = (tools as readonly Json[]).flatMap((tool): readonly Tool[] => {
    if (!isJsonObject(tool) || tool["type"] !== "function") return [];
    const { name, description, parameters, additionalProperties } = tool;
    const strict = isJsonObject(additionalProperties) ? additionalProperties["strict"] : undefined;
    return [
      {
        name: String(name),
        ...(typeof description === "string" && { description }),
        ...(parameters !== undefined && { input: parameters }),
        ...(typeof strict === "boolean" && { strict }),
      },
    ];
  }); // an array of JSON
  return functions.length > 0 ? functions : undefined;
}

const readMessages = (messages: Json): readonly Message[] =>
  decode(deepFreeze(messages), { from: "maf", shape: "messages" }).conversation.messages;

function requestOf(
  conversation: Conversation,
  provider: FormatId,
  dialect?: string,
): { readonly value: unknown; readonly losses: readonly Loss[] } {
  const { value, losses } = encode(
    { model: "model-default", ...conversation },
    { to: provider, shape: "request", ...(dialect !== undefined && { dialect }) },
  );
  return { value, losses };
}

function normalRequest(request: unknown, provider: FormatId): unknown {
  if (!isJsonObject(request)) return request;
  if (provider === "anthropic-messages") return anthropicRequest(request);
  const { messages, input } = request;
  return {
    ...request,
    ...(messages !== undefined && { messages: chatMessages(messages) }),
    ...(input !== undefined && { input: responsesItems(input) }),
  };
}

/** The adapter's own answer, put back into a conversation: from live objects in .NET, from a stored history in ours. */
async function* roundTrip(about: About, each: KnownCase, { file, world }: Place): AsyncIterable<CaseResult> {
  const answer = answerCase(each, file);
  const wire = answer && wireOf(answer, world);
  if (!wire) {
    yield { ...about, outcome: { status: "set-aside", rule: "recording not found" } };
    return;
  }
  const said = (text: string): JsonObject => ({ role: "user", contents: [{ $type: "text", text }] });
  yield* judged(about, () => {
    const stored = mafText(answerOf(wire, each.provider), { shape: "messages", recipient: "store" });
    const messages = readMessages([said("q"), ...(Array.isArray(stored) ? stored : []), said("next")]);
    // It goes back to the host that it came from.
    const dialect = "whole" in wire ? decode(wire.whole, { from: each.provider, shape: "answer" }).dialect : undefined;
    const { value, losses } = requestOf({ messages }, each.provider, dialect);
    const ours = normalRequest(value, each.provider);
    const sent = each.provider === "openai-responses" ? { input: each["sent"] } : { messages: each["sent"] };
    const fitted = { losses, tools: [] };
    const all = { theirs: normalRequest(sent, each.provider), ours, fitted, ...factsOf(wire) };
    return keeps(all.theirs, all.ours, optionsFor(each.provider, all));
  });
}

/** The response case that a round trip names, in the file beside it. */
function answerCase(each: Case, file: FixtureFile): Case | undefined {
  const name = each.provider === "anthropic-messages" ? "anthropic" : each.provider;
  const path = join(file.root, file.path, "..", `adapters-${name}.json`);
  if (!existsSync(path)) return undefined;
  return readCases(readFileSync(path, "utf8")).find(other => other.name === each["response"]);
}
