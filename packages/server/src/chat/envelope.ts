import { isJsonObject, type JsonObject } from "translogue";
import type { PruneToTargetOptions } from "translogue/history";
import type { ContextStrategy } from "../contract.ts";
import { Members, refuse } from "../members.ts";

/** The members of a chat request besides its messages, read and checked. What is not listed is ignored. */
export interface Envelope {
  readonly model?: string;
  readonly stream: boolean;
  readonly systemPrompt?: string;
  readonly promptType?: string;
  readonly allowedTools?: readonly string[];
  readonly context: JsonObject;
  readonly toolContext: { readonly [tool: string]: JsonObject };
  readonly contextStrategy: ContextStrategy;
  readonly sandboxId?: string;
  readonly thinking?: { readonly enabled: boolean; readonly budget?: number };
  /** Absent = the history goes out whole. */
  readonly prune?: Pick<PruneToTargetOptions, "targetTokens" | "preserveRecentMessages">;
  readonly validateOnly: boolean;
  /** The session that the AI SDK's own client names. */
  readonly id?: string;
  /** Only the AI SDK's own client says it. */
  readonly trigger?: string;
  /** With `regenerate-message`: the answer that is asked for anew. */
  readonly messageId?: string;
  /** Options of other APIs that are in the body, and that nothing comes of. */
  readonly ignored: readonly string[];
}

const strategies: readonly string[] = ["error", "skip", "report"] satisfies ContextStrategy[];
const triggers: readonly string[] = ["submit-message", "regenerate-message"];
const budgets = { least: 1024, most: 128_000 };
const idLength = 256;

/** Throws a 400 that lists all that is wrong. */
export function readEnvelope(body: JsonObject): Envelope {
  const reader = new Members(body);
  const trigger = reader.oneOf("trigger", triggers);
  const thinking = readThinking(reader);
  const envelope: Envelope = {
    ...reader.member("model", reader.string("model")),
    stream: reader.boolean("stream") ?? true,
    ...reader.member("systemPrompt", reader.string("systemPrompt")),
    ...reader.member("promptType", reader.string("promptType")),
    ...reader.member("allowedTools", reader.strings("allowedTools")),
    context: reader.object("context") ?? {},
    toolContext: readToolContext(reader),
    contextStrategy: (reader.oneOf("contextStrategy", strategies) ?? "error") as ContextStrategy, // one of `strategies`
    ...reader.member("sandboxId", body["sandboxId"] === null ? undefined : reader.string("sandboxId")),
    ...reader.member("thinking", thinking),
    ...reader.member("prune", readPrune(reader)),
    validateOnly: reader.boolean("validateOnly") ?? false,
    ...reader.member("id", readId(reader)),
    ...reader.member("trigger", trigger),
    ...reader.member("messageId", body["messageId"] === null ? undefined : reader.string("messageId")),
    ignored: ignoredOf(body, trigger !== undefined),
  };
  if (envelope.model === undefined && trigger === undefined && reader.isAbsent("model")) {
    reader.fault(
      "missing",
      ["model"],
      "Missing required field: model; name one as `provider/model`, see GET /api/v1/models",
    );
  }
  refuse(reader.faults);
  return envelope;
}

/** What other APIs of the field call their options. Whoever sends one expects that something comes of it. */
const foreignOptions: readonly string[] = [
  ...["temperature", "topP", "top_p", "topK", "top_k", "seed", "stop", "stopSequences", "n", "user"],
  ...["maxTokens", "max_tokens", "maxOutputTokens", "max_completion_tokens", "max_output_tokens", "maxSteps"],
  ...["frequencyPenalty", "frequency_penalty", "presencePenalty", "presence_penalty", "reasoning_effort"],
  ...["tools", "toolChoice", "tool_choice", "activeTools", "responseFormat", "response_format", "metadata"],
  ...["system", "instructions", "input", "prompt", "options", "providerOptions", "maxRetries", "stream_options"],
];

function ignoredOf(body: JsonObject, isSdkClient: boolean): string[] {
  const ignored = foreignOptions.filter(name => Object.hasOwn(body, name) && body[name] !== null);
  // The document's own server warns by it, and does nothing else.
  const pruning = body["pruneOptions"] ?? null;
  if (isJsonObject(pruning) && Object.hasOwn(pruning, "maxOutputTokens")) ignored.push("pruneOptions.maxOutputTokens");
  // Without a trigger the session is named by the header, or by the `id` beside one `message`.
  const namesNothing = !isSdkClient && body["messages"] !== undefined;
  if (namesNothing && Object.hasOwn(body, "id")) ignored.push("id");
  if (!isSdkClient && Object.hasOwn(body, "messageId")) ignored.push("messageId");
  return ignored;
}

function readThinking(reader: Members): Envelope["thinking"] {
  const thinking = reader.object("thinking");
  if (!thinking) return undefined;
  const { type, budgetTokens } = thinking;
  if (type !== "enabled" && type !== "disabled") {
    reader.fault("invalid", ["thinking", "type"], "`thinking.type` must be `enabled` or `disabled`");
  }
  if (budgetTokens === undefined) return { enabled: type === "enabled" };
  const isInRange =
    Number.isInteger(budgetTokens) && budgets.least <= Number(budgetTokens) && Number(budgetTokens) <= budgets.most;
  if (isInRange) return { enabled: type === "enabled", budget: Number(budgetTokens) };
  const range = `\`thinking.budgetTokens\` must be a whole number from ${budgets.least} to ${budgets.most}`;
  reader.fault("invalid", ["thinking", "budgetTokens"], range);
  return undefined;
}

function readPrune(reader: Members): Envelope["prune"] {
  const isAsked = reader.boolean("prune") ?? false;
  const options = new Members(reader.object("pruneOptions") ?? {}, ["pruneOptions"]);
  const targetTokens = options.count("targetTokens");
  const preserveRecentMessages = options.count("preserveRecentMessages");
  options.count("maxOutputTokens");
  reader.take(options);
  if (!isAsked) return undefined;
  return {
    ...options.member("targetTokens", targetTokens),
    ...options.member("preserveRecentMessages", preserveRecentMessages),
  };
}

function readToolContext(reader: Members): { readonly [tool: string]: JsonObject } {
  const all = reader.object("toolContext") ?? {};
  const kept: [string, JsonObject][] = [];
  for (const [tool, fields] of Object.entries(all)) {
    if (isJsonObject(fields)) kept.push([tool, fields]);
    else reader.fault("invalid", ["toolContext", tool], `\`toolContext\` of \`${tool}\` must be an object of fields`);
  }
  return Object.fromEntries(kept);
}

function readId(reader: Members): string | undefined {
  const id = reader.string("id");
  if (id !== undefined && !isSessionId(id)) reader.fault("invalid", ["id"], `\`id\` ${sessionIdRule}`);
  return id;
}

/** A name that fits into an address: the AI SDK refuses dots alone too. */
export const isSessionId = (id: string): boolean =>
  id.length > 0 && id.length <= idLength && id !== "." && id !== ".." && id.isWellFormed() && !/\p{Cc}/u.test(id);
export const sessionIdRule = `names a session: 1 to ${idLength} characters, no control characters, not \`.\` or \`..\``;
