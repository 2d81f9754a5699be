/** Every member of every node, with its shape: the checker, the JSON Schema and the tables of docs/model.md come from here. */

import type { Conversation, Message, Settings, Tool, Usage } from "./conversation.ts";
import { cache, nodeMembers, partShapes, parts, ref, referenceMembers } from "./part-shapes.ts";
import type { Citation, Seal } from "./parts.ts";
import {
  boolean,
  count,
  isoDate,
  json,
  list,
  literalTrue,
  type Members,
  type MembersOf,
  may,
  must,
  nothing,
  number,
  object,
  oneOf,
  record,
  string,
  union,
  usually,
} from "./shape.ts";

const seal = {
  maker: may(
    string,
    "`anthropic`, `openai`, `google`, …; absent = unknown: it goes to nobody unless the caller names the origin.",
  ),
  model: may(string, "The model that made it; others refuse it."),
  route: may(string, "The host, where it matters: `vertex`, `azure`, `bedrock`, …"),
  values: must(record(string), "Opaque values by the maker's own names: `signature`, `encrypted_content`, `id`, …"),
} satisfies MembersOf<Seal>;

const citation = {
  start: may(count, "Start of the range in this part's text, in UTF-16 units. Absent = the whole part."),
  end: may(count, "End of the range, exclusive."),
  quote: may(string, "The cited words of the source."),
  at: may(
    object<NonNullable<Citation["at"]>>({
      unit: must(oneOf("char", "page", "block"), "What start and end count."),
      start: may(count, "First one."),
      end: may(count, "End, as the source counts it."),
      document: may(count, "The source's ordinal in the request."),
    }),
    "Place in the source.",
  ),
  seal: may(ref("Seal"), "Sent back, or the citation is refused."),
  ...referenceMembers,
  ...nodeMembers,
} satisfies MembersOf<Citation>;

const message = {
  id: may(string, "Unique; required once the conversation is a tree."),
  parent: may(union(string, nothing), "Id of the message before it; null = a root; absent on all = a plain list."),
  role: must(
    usually("system", "developer", "user", "assistant", "tool", "control"),
    "Whose turn it is; `control` = no turn: a log line or command. Other roles are kept as they are.",
  ),
  parts: must(parts, "In order, always."),
  author: may(
    object<NonNullable<Message["author"]>>({
      id: may(string, "In the application's words."),
      name: may(string, "As shown."),
      kind: may(oneOf("person", "agent", "tool", "harness"), "What it is."),
    }),
    "Who speaks, in group chats and sub-agents.",
  ),
  createdAt: may(isoDate, "ISO 8601, offset as written."),
  model: may(string, "The model that answered."),
  provider: may(string, "The provider that answered."),
  responseId: may(string, "The provider's answer; usage, finish and envelope stand on its last message (R16)."),
  run: may(string, "Messages of one run: UI formats join them into one message (R18)."),
  finish: may(
    object<NonNullable<Message["finish"]>>({
      reason: must(
        oneOf(
          "stop",
          "stop-sequence",
          "length",
          "context",
          "tool-calls",
          "refusal",
          "content-filter",
          "pause",
          "compaction",
          "malformed-call",
          "error",
          "aborted",
          "incomplete",
          "pending",
          "other",
        ),
        "Cut, stopped, failed and pending are reasons: there is no second status.",
      ),
      raw: may(string, "The word of the wire, where the reason does not say it."),
    }),
    "How it ended. Absent = not told.",
  ),
  usage: may(ref("Usage"), "Once per `responseId` (R24)."),
  audience: may(oneOf("model", "user"), "Absent = all."),
  synthetic: may(string, "What made a message that nobody wrote: `environment`, `reminder`, `hook`, `summary`, …"),
  weight: may(number, "Training label."),
  metadata: may(json, "The application's own."),
  ...nodeMembers,
} satisfies MembersOf<Message>;

const tool = {
  name: must(string, "Unique in the list."),
  kind: may(string, "As the call's `kind`; settings of hosted tools are native."),
  description: may(string, "Read by the model."),
  input: may(json, "JSON Schema of the arguments."),
  output: may(json, "JSON Schema of the result."),
  strict: may(boolean, "Whether arguments must follow the schema."),
  cache: may(cache, "Cache breakpoint after this tool."),
  ...nodeMembers,
} satisfies MembersOf<Tool>;

const settings = {
  maxOutputTokens: may(count, "Most tokens of an answer."),
  temperature: may(number, "Sampling temperature."),
  topP: may(number, "Nucleus sampling."),
  topK: may(number, "Sampling from the K likeliest."),
  stopSequences: may(list(string), "Texts that end the answer."),
  seed: may(number, "For answers that can be had again."),
  frequencyPenalty: may(number, "Against tokens by how often they came."),
  presencePenalty: may(number, "Against tokens that came at all."),
  toolChoice: may(
    union(
      oneOf("auto", "none", "required"),
      object<{ readonly name: string }>({ name: must(string, "The tool that must be called.") }),
      object<{ readonly allowed: readonly string[]; readonly required?: true }>({
        allowed: must(list(string), "The tools that may be called."),
        required: may(literalTrue, "One of them must be."),
      }),
    ),
    "Whether and which tools are called.",
  ),
  parallelToolCalls: may(boolean, "Whether an answer may hold several calls."),
  reasoning: may(
    object<NonNullable<Settings["reasoning"]>>({
      effort: may(string, "`low`, `medium`, `high`, …"),
      budget: may(number, "Tokens; some providers have special negative ones."),
      summary: may(string, "How much of it is told: `auto`, `detailed`, …"),
    }),
    "How much the model thinks.",
  ),
  responseFormat: may(
    object<NonNullable<Settings["responseFormat"]>>({
      type: must(oneOf("text", "json"), "Text, or JSON (of the schema, if there is one)."),
      schema: may(json, "JSON Schema."),
      name: may(string, "Of the schema."),
      description: may(string, "Of the schema, for the model."),
      strict: may(boolean, "Whether the schema must be followed."),
    }),
    "What the answer's text is.",
  ),
} satisfies MembersOf<Settings>;

const usage = {
  input: may(count, "Tokens neither read from nor written to the cache."),
  cacheRead: may(count, "Tokens read from the cache."),
  cacheWrite: may(count, "Tokens written to the cache."),
  output: may(count, "Tokens without reasoning, where it is told apart."),
  reasoning: may(count, "Tokens of reasoning."),
  other: may(count, "In the provider's total and in no bucket."),
  modalities: may(record(count), 'Another cut through the same tokens: `{ "input.image": 12 }`.'),
  cost: may(
    object<NonNullable<Usage["cost"]>>({
      amount: must(number, "In units of the currency."),
      currency: must(string, "ISO 4217."),
    }),
    "What it cost, where the provider says it.",
  ),
} satisfies MembersOf<Usage>;

const conversation = {
  id: may(string, "Session, thread."),
  title: may(string, "As shown."),
  messages: must(list(ref("Message")), "All messages of all branches, in the order of the source."),
  head: may(string, "Id of the leaf that counts."),
  origin: may(
    object<NonNullable<Conversation["origin"]>>({
      kind: must(oneOf("fork", "resume", "subagent"), "How it came from it."),
      conversation: may(string, "Its id."),
      message: may(string, "Id of the message it left from."),
      call: may(string, "`callId` of the call that started a sub-agent."),
      agent: may(string, "The sub-agent."),
    }),
    "The conversation it came from (R27).",
  ),
  tools: may(list(ref("Tool")), "What the model is offered from the start."),
  model: may(string, "The model asked for."),
  settings: may(ref("Settings"), "What the model is asked with."),
  createdAt: may(isoDate, "ISO 8601, offset as written."),
  updatedAt: may(isoDate, "ISO 8601, offset as written."),
  app: may(
    object<NonNullable<Conversation["app"]>>({
      name: must(string, "The application."),
      version: may(string, "Its version."),
    }),
    "The application that wrote it.",
  ),
  metadata: may(json, "The application's own."),
  ...nodeMembers,
} satisfies MembersOf<Conversation>;

/** Nodes and what stands in several of them; parts are in `partShapes`. */
export const nodeShapes = {
  Conversation: conversation,
  Message: message,
  Citation: citation,
  Seal: seal,
  Tool: tool,
  Settings: settings,
  Usage: usage,
};

/** One of several objects, told apart by their member `type`. */
export interface Variants {
  readonly variants: { readonly [type: string]: Members };
}
/** What a `ref` may name. */
export type NamedShapes = { readonly [name: string]: Members | Variants };

/** `tool-call` as `ToolCallPart`: the name of the own shape of a part or event. */
export const variantName = (type: string, suffix: "Part" | "Event"): string =>
  type.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase()) + suffix;

/** Every shape with a name that a conversation is made of. */
export const conversationShapes: NamedShapes = {
  ...nodeShapes,
  Part: { variants: partShapes },
  ...Object.fromEntries(Object.entries(partShapes).map(([type, members]) => [variantName(type, "Part"), members])),
};
