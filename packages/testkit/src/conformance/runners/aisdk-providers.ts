import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Conversation,
  decode,
  encode,
  type FormatId,
  type Json,
  type JsonObject,
  type Loss,
  type Message,
  runAll,
  streamDecoder,
} from "translogue";
import { deepFreeze } from "../../difference.ts";
import type { Generation } from "../../generations.ts";
import { type Kept, lacks } from "../../keeps.ts";
import { type CaseResult, claims, type Runner, type World } from "../case.ts";
import type { AisdkRule } from "../rules/aisdk.ts";
import { answerViews } from "./aisdk-provider-answers.ts";
import { keepsRequest } from "./aisdk-provider-requests.ts";
import { answersIn } from "./answers.ts";
import { untag } from "./tags.ts";

interface RequestCase {
  readonly name: string;
  readonly out: { readonly [provider: string]: JsonObject };
  readonly [member: string]: Json;
}

interface ResponseCase {
  readonly name: string;
  readonly recording: string;
  readonly provider: string;
  readonly version: 5 | 6 | 7;
  readonly streaming: boolean;
  readonly out: JsonObject;
}

interface About {
  readonly format: string;
  readonly name: string;
}

/** The formats that the SDK's packages speak, and the hosts that they are for. */
type Target = `${FormatId}:${string}`;
const targets: { readonly [provider: string]: Target } = {
  "openai-chat": "openai-chat:openai",
  "openai-chat-reasoning": "openai-chat:openai",
  "openai-responses": "openai-responses:openai",
  "openai-responses-reasoning": "openai-responses:openai",
  "openai-compatible": "openai-chat:llama.cpp",
  deepseek: "openai-chat:deepseek",
  groq: "openai-chat:groq",
  xai: "openai-responses:xai",
  anthropic: "anthropic-messages:anthropic",
  google: "gemini:gemini",
  "google-interactions": "gemini-interactions:gemini",
  bedrock: "bedrock-converse:bedrock",
  "bedrock-anthropic": "bedrock-converse:bedrock",
  "bedrock-nova": "bedrock-converse:bedrock",
  cohere: "cohere:cohere",
  mistral: "mistral:mistral",
};

const targetOf = (provider: string): Target | undefined => {
  const name = provider.replace(/-v\d$/, "");
  return Object.hasOwn(targets, name) ? targets[name] : undefined;
};

/** What the SDK's provider packages send, ours sends too, in the same members. */
export const aisdkRequests: Runner = {
  name: "aisdk requests",
  reads: file => file.folder === "aisdk" && file.kind === "request",
  async *run(file) {
    const { cases } = JSON.parse(file.read()) as { cases: RequestCase[] }; // as the folder's README says
    for (const each of cases) {
      for (const [provider, sent] of Object.entries(each.out)) {
        const about = { format: "ai-sdk requests", name: `${each.name} ${provider}` };
        const to = targetOf(provider);
        if (!to) yield setAside(about, "sdk other providers");
        else if (sent["body"] === undefined) yield setAside(about, "sdk sends nothing");
        else
          yield* judged(about, () =>
            keepsRequest(untag(sent["body"] ?? null), { ...requestOf(each, { provider, sent, to }), call: each }),
          );
      }
    }
  },
};

interface Sent {
  readonly provider: string;
  readonly sent: JsonObject;
  readonly to: Target;
}

function requestOf(
  each: RequestCase,
  { provider, sent, to }: Sent,
): { readonly ours: Json; readonly losses: readonly Loss[] } {
  const generation = (/-(v\d)$/.exec(provider)?.[1] ?? "v7") as Generation; // as the folder's README says
  const call = callOf(each, generation);
  const model = modelOf(sent);
  const { messages } = decode(deepFreeze(untag(each["messages"] ?? [])), {
    from: `ai-sdk-model:${generation}`,
    shape: "messages",
  }).conversation;
  const { system } = each;
  const first: readonly Message[] =
    typeof system === "string" ? [{ role: "system", parts: [{ type: "text", text: system }] }] : [];
  const { value, losses } = encode(
    { ...call, model, messages: [...first, ...messages] },
    { to: to as "openai-chat:openai", shape: "request" }, // a dialect of either
  );
  return { ours: value as unknown as Json, losses }; // codecs write JSON
}

/** The model that is asked, which stands in the body or in the address. */
function modelOf({ body, url }: JsonObject): string {
  const { model } = body as { readonly model?: string }; // a body as the folder's README says
  return model ?? decodeURIComponent(/\/models?\/([^/:]+)/.exec(String(url))?.[1] ?? "");
}

const specifications = { v5: "v2", v6: "v3", v7: "v4" } as const;

/** Tools and settings, as the SDK hands them to the model of its package. */
function callOf(each: RequestCase, generation: Generation): Omit<Conversation, "messages"> {
  const { settings, toolChoice, providerTools, providerOptions, output } = each;
  const tools = [...toolsOf(each["tools"] ?? []), ...(providerTools === "web-search" ? [webSearch(generation)] : [])];
  const call = {
    prompt: [],
    ...(settings as JsonObject | undefined),
    ...(tools.length > 0 && { tools }),
    ...(toolChoice !== undefined && { toolChoice: choiceOf(toolChoice) }),
    ...(providerOptions !== undefined && { providerOptions }),
    ...(output !== undefined && { responseFormat: formatOf(output, generation) }),
  };
  const from = `ai-sdk-prompt:${specifications[generation]}` as const;
  const { messages: _, ...conversation } = decode(deepFreeze(untag(call)), { from, shape: "request" }).conversation;
  return conversation;
}

const toolsOf = (tools: Json): readonly JsonObject[] =>
  (tools as readonly JsonObject[]).map(tool => ({ type: "function", ...tool })); // as the folder's README says

const choiceOf = (choice: Json): Json => (typeof choice === "string" ? { type: choice } : choice);

const webSearch = (generation: Generation): JsonObject => ({
  type: generation === "v5" ? "provider-defined" : "provider",
  id: "openai.web_search",
  name: "web_search",
  args: { searchContextSize: "low" },
});

function formatOf(output: Json, generation: Generation): JsonObject {
  if (output !== "object") return { type: "json" };
  const schema = {
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "object",
    properties: { name: { type: "string" }, steps: { type: "array", items: { type: "string" } } },
    required: ["name", "steps"],
    additionalProperties: false,
  };
  return generation === "v5"
    ? { type: "json", schema }
    : { type: "json", schema, name: "recipe", description: "A recipe" };
}

/** What the SDK's packages make of answers, ours makes too, in the same members. */
export const aisdkResponses: Runner = {
  name: "aisdk responses",
  reads: file => file.folder === "aisdk" && file.kind === "response",
  async *run(file, world) {
    const { cases } = JSON.parse(file.read()) as { cases: ResponseCase[] }; // as the folder's README says
    for (const each of cases) yield* answered(each, world);
  },
};

async function* answered(each: ResponseCase, world: World): AsyncIterable<CaseResult> {
  const about = { format: "ai-sdk answers", name: each.name };
  const to = targetOf(each.provider);
  if (!to) {
    yield setAside(about, "sdk other providers");
    return;
  }
  const wire = wireOf(each, world);
  if (!wire) {
    yield { ...about, outcome: { status: "set-aside", rule: "recording not found" } };
    return;
  }
  const failure = failureOf(each.out, wire);
  if (failure) {
    yield setAside(about, failure);
    return;
  }
  const from = to.split(":")[0] as FormatId; // a target's format
  const events =
    "events" in wire
      ? runAll(streamDecoder(to as "openai-chat:openai"), wire.events) // a dialect of either
      : decode(deepFreeze(wire.whole), { from: to as "openai-chat:openai", shape: "answer" }).conversation;
  const generation = `v${each.version}` as const;
  for (const [view, kept] of answerViews({ out: each.out, ours: events, wire, generation, from })) {
    yield* judged({ ...about, name: `${each.name} (${view})` }, kept);
  }
}

/** Why there is nothing of theirs to compare with. */
function failureOf(out: JsonObject, wire: Wire): AisdkRule | undefined {
  if (out["error"] !== undefined || out["fullStreamError"] !== undefined) return "sdk fails";
  if (JSON.stringify(out["onError"] ?? null).includes("AI_JSONParseError")) return "sdk broken lines";
  return "events" in wire && answersIn(wire.events) > 1 ? "sdk several answers" : undefined;
}

type Wire = { readonly whole: Json } | { readonly events: readonly Json[] };

function wireOf({ recording }: ResponseCase, world: World): Wire | undefined {
  const path = world.roots.map(root => join(root, "recordings", recording)).find(existsSync);
  if (path === undefined) return undefined;
  const text = readFileSync(path, "utf8");
  return recording.endsWith(".json")
    ? { whole: JSON.parse(text) as Json } // JSON.parse gives JSON
    : { events: text.split("\n").flatMap(parsed) };
}

const parsed = (line: string): Json[] => {
  try {
    return [JSON.parse(line) as Json]; // JSON.parse gives JSON
  } catch {
    return []; // empty lines, and what a broken stream holds
  }
};

const setAside = (about: About, rule: AisdkRule): CaseResult => ({ ...about, outcome: { status: "set-aside", rule } });

/** One claim, and for each rule that it needed a result of its own. */
async function* judged(about: About, kept: () => Kept | Promise<Kept>): AsyncIterable<CaseResult> {
  let rules: readonly string[] = [];
  yield await claims(about, [
    async () => {
      const result = await kept();
      rules = result.rules;
      return lacks(result);
    },
  ]);
  for (const rule of rules) yield { ...about, name: `${about.name} (${rule})`, outcome: { status: "set-aside", rule } };
}
