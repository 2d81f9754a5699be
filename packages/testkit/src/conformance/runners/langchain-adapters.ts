import * as classes from "@langchain/core/messages";
import {
  type Conversation,
  decode,
  encode,
  type FormatId,
  isJsonObject,
  type Json,
  type JsonObject,
  type Settings,
  type Tool,
} from "translogue";
import { readMessages } from "translogue/langchain";
import { deepFreeze } from "../../difference.ts";
import { type Kept, keeps, lacks } from "../../keeps.ts";
import { type CaseResult, claims, type Runner } from "../case.ts";
import type { langchainRules } from "../rules/langchain.ts";
import type { Fitted } from "./fitted-schemas.ts";
import { geminiRequest } from "./gemini-normal.ts";
import { requestOptions } from "./langchain-allowances.ts";
import { withoutSilence } from "./langchain-silence.ts";
import { type About, type Case, casesOf, formatOf, listOf, memberOf, ruled } from "./langchain-specs.ts";
import { anthropicRequest, chatMessages, responsesItems } from "./maf-normal.ts";
import { untag } from "./tags.ts";

type RuleName = keyof typeof langchainRules;

/** What LangChain's classes send for a history, ours sends: to each provider that the case was sent to. */
export const langchainRequests: Runner = {
  name: "langchain requests",
  reads: file => file.folder === "langchain" && file.kind === "request",
  async *run(file) {
    const models = (JSON.parse(file.read()) as { models: JsonObject }).models; // as the file's `about` says
    for (const each of casesOf(file)) {
      for (const [target, result] of Object.entries(objectOf(each["results"]))) {
        const about = { format: "langchain request", name: `${each.name} to ${target}` };
        const fields = each["fields"] ?? memberOf(models[target], "fields") ?? {};
        yield* sentTo(about, { each, target, result, fields: isJsonObject(fields) ? fields : {} });
      }
    }
  },
};

interface Sent {
  readonly each: Case;
  readonly target: string;
  /** `{ path, body }` of what was sent, or the error. */
  readonly result: Json;
  readonly fields: JsonObject;
}

async function* sentTo(about: About, { each, target, result, fields }: Sent): AsyncIterable<CaseResult> {
  const body = memberOf(result, "body");
  // What the class decides by the model's name: some are served by Responses alone.
  const provider = body === undefined ? formatOf(target) : isOfResponses(body) ? "openai-responses" : formatOf(target);
  if (!provider) {
    yield ruled(about, "other providers' adapters");
    return;
  }
  const ours = (): Request => requestOf(each, fields, provider);
  if (body === undefined) {
    const sent = await claims(about, [() => (ours().value === undefined ? "nothing is sent" : undefined)]);
    yield sent.outcome.status === "passed" ? ruled(about, "adapter refuses") : sent;
    return;
  }
  yield* judged(about, () => {
    const { value: sent, ...fitted } = ours();
    const own = normalRequest(sent, provider);
    const { value, rules } = withRoles(normalRequest(body, provider), own);
    const all = { provider, theirs: value, ours: own, fitted, given: { ...each, results: null, fields } as JsonObject }; // a case is JSON
    const kept = keeps(all.theirs, all.ours, requestOptions(all));
    return { ...kept, rules: [...rules, ...kept.rules] };
  });
}

const isOfResponses = (body: Json): boolean =>
  isJsonObject(body) && body["input"] !== undefined && body["messages"] === undefined;

/** One claim, and for each rule that it needed a result of its own. */
export async function* judged(about: About, kept: () => Kept): AsyncIterable<CaseResult> {
  let rules: readonly string[] = [];
  yield await claims(about, [
    () => {
      const result = kept();
      rules = result.rules;
      return lacks(result);
    },
  ]);
  for (const rule of rules) yield ruled({ ...about, name: `${about.name} (${rule})` }, rule as RuleName); // allowances name rules
}

// ours

interface Request extends Fitted {
  readonly value: unknown;
}

function requestOf(each: Case, fields: JsonObject, provider: FormatId): Request {
  const call = { ...objectOf(each["bind"]), ...objectOf(each["call"]) };
  const tools = toolsOf(listOf(each["tools"]), call["strict"], provider);
  const conversation: Conversation = {
    model: String(fields["model"]),
    messages: readMessages(deepFreeze(listOf(each["messages"]).map(wireOf))).messages,
    settings: settingsOf({ ...fields, ...call }),
    ...(tools.length > 0 && { tools }),
  };
  const { value, losses } = encode(conversation, { to: provider, shape: "request" });
  return { value, losses, tools };
}

const objectOf = (value: Json | undefined): JsonObject => (isJsonObject(value ?? null) ? (value as JsonObject) : {}); // just looked at

/** A message of a class as the class itself writes it; what is like a message, as it is. */
function wireOf(spec: Json): Json {
  const name = memberOf(spec, "class");
  if (typeof name !== "string") return spec;
  const known = Object.entries(classes).find(([key]) => key === name)?.[1] as new (
    ...given: readonly Json[]
  ) => unknown; // the cases name classes of the package
  return JSON.parse(JSON.stringify(new known(...listOf(memberOf(spec, "args")).map(untag)))) as Json; // JSON is Json
}

/** LangChain's tools are live functions, or tools as one of OpenAI's APIs has them, or the one that they are for. */
function toolsOf(wires: readonly Json[], strict: Json | undefined, provider: FormatId): readonly Tool[] {
  return wires.flatMap(wire => {
    const isProviders = memberOf(wire, "googleSearch") !== undefined || /_\d{8}$/.test(String(memberOf(wire, "type")));
    if (isProviders) {
      const request = provider === "gemini" ? { contents: [], tools: [wire] } : { messages: [], tools: [wire] };
      return decode(request, { from: provider as "gemini", shape: "request" }).conversation.tools ?? []; // or another that has such tools
    }
    const { name, description, schema: parameters } = objectOf(memberOf(wire, "$tool"));
    const made: Json =
      name === undefined ? wire : { type: "function", function: { name, ...present({ description, parameters }) } };
    const isOfChat = memberOf(made, "function") !== undefined || memberOf(made, "custom") !== undefined;
    const list = isOfChat ? { messages: [] } : { input: [] };
    const { conversation } = decode(
      { model: "", tools: [made], ...list },
      { from: isOfChat ? "openai-chat" : "openai-responses", shape: "request" },
    );
    return (conversation.tools ?? []).map(tool => ({ ...(typeof strict === "boolean" && { strict }), ...tool }));
  });
}

const present = (members: { readonly [name: string]: Json | undefined }): JsonObject =>
  Object.fromEntries(Object.entries(members).filter((entry): entry is [string, Json] => entry[1] !== undefined));

const choices: { readonly [word: string]: "auto" | "none" | "required" } = {
  auto: "auto",
  none: "none",
  any: "required",
  required: "required",
};

/** The settings among a class's fields. The others are options of the class, which a conversation does not have. */
function settingsOf(fields: JsonObject): Settings {
  const {
    temperature,
    topP,
    topK,
    frequencyPenalty,
    presencePenalty,
    maxTokens = fields["maxOutputTokens"],
    stop = fields["stopSequences"],
    thinkingBudget = memberOf(fields["thinkingConfig"], "thinkingBudget"),
    reasoning,
    tool_choice: choice,
    parallel_tool_calls: isParallel,
  } = fields;
  const { seed } = objectOf(fields["modelKwargs"]);
  const { effort, summary } = objectOf(reasoning);
  const word = typeof choice === "string" ? choices[choice] : undefined;
  return {
    ...(typeof temperature === "number" && { temperature }),
    ...(typeof topP === "number" && { topP }),
    ...(typeof topK === "number" && { topK }),
    ...(fields["json"] === true && { responseFormat: { type: "json" as const } }),
    ...(typeof thinkingBudget === "number" && { reasoning: { budget: thinkingBudget } }),
    ...(typeof frequencyPenalty === "number" && { frequencyPenalty }),
    ...(typeof presencePenalty === "number" && { presencePenalty }),
    ...(typeof maxTokens === "number" && { maxOutputTokens: maxTokens }),
    ...(typeof seed === "number" && { seed }),
    ...(Array.isArray(stop) && { stopSequences: stop.map(String) }),
    ...(typeof isParallel === "boolean" && { parallelToolCalls: isParallel }),
    ...(word !== undefined && { toolChoice: word }),
    ...(typeof choice === "string" && !word && { toolChoice: { name: choice } }),
    ...(reasoning !== undefined && {
      reasoning: {
        ...(typeof effort === "string" && { effort }),
        ...(typeof summary === "string" && { summary }),
      },
    }),
  };
}

// one spelling

/** Whether to stream is said where the request is sent; `strict: null` and an empty `text` say nothing. */
function normalRequest(request: unknown, provider: FormatId): unknown {
  if (!isJsonObject(request)) return request;
  if (provider === "gemini") return withoutSilence(geminiRequest(request));
  if (provider === "anthropic-messages") {
    const { stream: _, ...sent } = request;
    return withoutSilence(anthropicRequest(sent));
  }
  const { messages, input, stream: _, stream_options: __, tools, text, ...rest } = request;
  return withoutSilence({
    ...rest,
    ...(isJsonObject(text ?? null) && Object.keys(objectOf(text)).length > 0 && { text }),
    ...(Array.isArray(tools) && { tools: tools.map(withoutNull) }),
    ...(messages !== undefined && { messages: chatMessages(messages).map(withRefusal) }),
    ...(input !== undefined && { input: responsesItems(input) }),
  });
}

function withoutNull(tool: Json): Json {
  if (memberOf(tool, "strict") !== null) return tool;
  const { strict: _, ...rest } = objectOf(tool);
  return rest;
}

const isInstructing = (message: Json): boolean => ["system", "developer"].includes(String(memberOf(message, "role")));

/** Theirs with ours' word for the role of instructions. */
function withRoles(theirs: unknown, ours: unknown): { readonly value: unknown; readonly rules: readonly RuleName[] } {
  const rules = new Set<RuleName>();
  const list = (request: unknown): readonly Json[] => {
    const { messages, input } = isJsonObject(request) ? request : {};
    return listOf(messages ?? input);
  };
  const own = list(ours).filter(isInstructing);
  const messages = list(theirs).map(message => {
    const role = isInstructing(message) ? memberOf(own.shift(), "role") : undefined;
    if (role === undefined || role === memberOf(message, "role")) return message;
    rules.add(role === "developer" ? "developer's role" : "roles by the model's name");
    return { ...objectOf(message), role };
  });
  if (!isJsonObject(theirs)) return { value: theirs, rules: [] };
  return { value: { ...theirs, [theirs["messages"] ? "messages" : "input"]: messages }, rules: [...rules] };
}

/** A refusal is a part of the content, or a member beside it. */
function withRefusal(message: Json): Json {
  if (!isJsonObject(message)) return message;
  const refusal = listOf(message["content"]).find(part => memberOf(part, "type") === "refusal");
  if (!refusal) return message;
  const content = listOf(message["content"]).filter(part => part !== refusal);
  return { ...message, content, refusal: memberOf(refusal, "refusal") ?? null };
}
