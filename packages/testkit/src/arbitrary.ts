/**
 * Generators of the model: without an error by `check`, and as odd as that allows. Texts hold any UTF-16, lone halves too;
 * values hold `__proto__` and integer-like keys; spellings (`inputText`, `exact`) stand only where they read as their
 * value (R1). Conversations also pair results with calls and responses with requests.
 */

import * as fc from "fast-check";
import type { Conversation, FinishReason, Json, Message, Part, Settings, Tool, Usage } from "translogue";
import { arbitraryText, date, json, members, native, object, word } from "./arbitrary-json.ts";
import { partsByType } from "./arbitrary-parts.ts";
import { relate } from "./relate.ts";

export { arbitraryText };

export const arbitraryJson: fc.Arbitrary<Json> = json;

/** Any part. In a message of its own it may answer nothing: see `arbitraryConversation`. */
export const arbitraryPart: fc.Arbitrary<Part> = fc.oneof(...Object.values(partsByType));

/** The parts of a side, the frequent ones first. */
const partsOf = (often: readonly (keyof typeof partsByType)[], seldom: readonly (keyof typeof partsByType)[]) =>
  fc.array(
    fc.oneof(
      ...often.map(type => ({ weight: 4, arbitrary: partsByType[type] as fc.Arbitrary<Part> })), // each is of some part
      ...seldom.map(type => ({ weight: 1, arbitrary: partsByType[type] as fc.Arbitrary<Part> })),
    ),
    { maxLength: 4 },
  );

const partsByRole: { readonly [role: string]: fc.Arbitrary<Part[]> } = {
  system: partsOf(["text"], ["change"]),
  developer: partsOf(["text"], []),
  user: partsOf(["text", "file"], ["data", "source", "approval-response", "input-response", "opaque", "compaction"]),
  assistant: partsOf(
    ["text", "reasoning", "tool-call"],
    [
      "refusal",
      "file",
      "source",
      "data",
      "error",
      "approval-request",
      "input-request",
      "tool-result",
      "compaction",
      "opaque",
    ],
  ),
  tool: partsOf(["tool-result"], ["approval-response"]),
  control: partsOf([], ["change", "data", "opaque"]),
};

const usage = object<Usage>(
  {},
  {
    input: fc.nat(),
    cacheRead: fc.nat(),
    cacheWrite: fc.nat(),
    output: fc.nat(),
    reasoning: fc.nat(),
    other: fc.nat(),
    modalities: fc.constant({ "input.image": 12 }),
    cost: fc.constant({ amount: 0.25, currency: "USD" }),
  },
);

const finishReasons: readonly FinishReason[] = [
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
];

type Finish = NonNullable<Message["finish"]>;

/** What only an answer has. */
const answer = object<Pick<Message, "model" | "provider" | "responseId" | "run" | "finish" | "usage">>(
  {},
  {
    model: word,
    provider: word,
    responseId: word,
    run: word,
    finish: object<Finish>({ reason: fc.constantFrom(...finishReasons) }, { raw: word }),
    usage,
  },
);

const common = object<
  Omit<Message, "role" | "parts" | "parent" | keyof (typeof answer extends fc.Arbitrary<infer A> ? A : never)>
>(
  {},
  {
    id: word,
    author: object<NonNullable<Message["author"]>>(
      {},
      { id: word, name: arbitraryText, kind: fc.constantFrom("person", "agent", "tool", "harness") },
    ),
    createdAt: date,
    audience: fc.constantFrom("model", "user"),
    synthetic: word,
    weight: fc.constantFrom(0, 1),
    metadata: json,
    native,
  },
);

const seldom = <T extends object>(some: fc.Arbitrary<T>): fc.Arbitrary<T | object> =>
  fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: some });

const messageOf = (role: string): fc.Arbitrary<Message> =>
  fc
    .tuple(
      seldom(common),
      role === "assistant" ? seldom(answer) : fc.constant({}),
      partsByRole[role] ?? fc.constant([]),
    )
    .map(([head, answered, parts]) => ({ role, ...head, ...answered, parts }));

/** A message with what its side may say. Its results and responses may answer nothing: see `arbitraryConversation`. */
export const arbitraryMessage: fc.Arbitrary<Message> = fc.oneof(
  ...Object.keys(partsByRole).map(role => ({ weight: role === "assistant" ? 4 : 1, arbitrary: messageOf(role) })),
);

const tool = object<Tool>(
  { name: word },
  { kind: word, description: arbitraryText, input: members, output: members, strict: fc.boolean(), native },
);

const settings = object<Settings>(
  {},
  {
    maxOutputTokens: fc.nat(),
    temperature: fc.double({ min: 0, max: 2, noNaN: true }).map(value => value + 0),
    topP: fc.constant(0.5),
    topK: fc.nat(),
    stopSequences: fc.array(arbitraryText, { maxLength: 2 }),
    seed: fc.integer(),
    frequencyPenalty: fc.constantFrom(-2, 0.5),
    presencePenalty: fc.constantFrom(0, 1.5),
    toolChoice: fc.constantFrom("auto", "none", "required"),
    parallelToolCalls: fc.boolean(),
    reasoning: object<NonNullable<Settings["reasoning"]>>({}, { effort: word, budget: fc.nat(), summary: word }),
    responseFormat: object<NonNullable<Settings["responseFormat"]>>(
      { type: fc.constantFrom("text", "json") },
      { schema: members, name: word, description: arbitraryText, strict: fc.boolean() },
    ),
  },
);

const conversationHead = object<Omit<Conversation, "messages" | "head">>(
  {},
  {
    id: word,
    title: arbitraryText,
    origin: object<NonNullable<Conversation["origin"]>>(
      { kind: fc.constantFrom("fork", "resume", "subagent") },
      { conversation: word, message: word, call: word, agent: word },
    ),
    tools: fc.uniqueArray(tool, { selector: ({ name }) => name, maxLength: 2 }),
    model: word,
    settings,
    createdAt: date,
    updatedAt: date,
    app: object<NonNullable<Conversation["app"]>>({ name: word }, { version: word }),
    metadata: json,
    native,
  },
);

/** Mostly the message before is the parent. */
const step = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(5) });

/** A plain list, or a tree of several branches with its head. */
export const arbitraryConversation: fc.Arbitrary<Conversation> = fc
  .tuple(
    seldom(conversationHead),
    fc.array(arbitraryMessage, { maxLength: 6 }),
    fc.option(fc.array(step, { minLength: 6, maxLength: 6 }), { freq: 2 }),
  )
  .map(([head, messages, branches]) => ({ ...head, ...relate(messages, branches ?? undefined) }));
