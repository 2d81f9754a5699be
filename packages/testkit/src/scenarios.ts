import type { AgentOptions } from "@translogue/agent";
import type { Turn } from "./scripted-model.ts";

export interface Scenario {
  readonly title: string;
  readonly input: string;
  readonly turns: readonly Turn[];
  /** Turns of `clerk`, an agent that is a tool. */
  readonly inside?: readonly Turn[];
  /** There is `desk`, which can be handed the session, and hands it back; turns are of whoever leads. */
  readonly handsOver?: true;
  readonly options?: Partial<AgentOptions>;
  /** Tool results by call id, or `waits`. */
  readonly results?: Readonly<Record<string, unknown>>;
  readonly finish: string;
  readonly text?: string;
  /** Answers to approvals by call id, given one after another once the run waits; then the run goes on. */
  readonly answers?: readonly (readonly [callId: string, approved: boolean])[];
}

/** Equals whatever there is, to those who compare by `asymmetricMatch`. */
const anything = { asymmetricMatch: (value: unknown): boolean => value !== undefined };

/** What the loop meets. Each is run whole, streamed, and cut after each of its events. */
export const scenarios: readonly Scenario[] = [
  { title: "an answer of text", input: "Hi", turns: [{ chunks: ["Hel", "lo"] }], finish: "stop", text: "Hello" },
  {
    title: "reasoning, a tool, an answer",
    input: "计算 19 + 23。",
    turns: [
      {
        reasoning: "A sum.",
        text: "Let me see.",
        calls: [["c1", "add", { a: 19, b: 23 }]],
        usage: { input: 10, output: 2 },
      },
      { text: "19 + 23 = 42。", usage: { input: 15, output: 4 } },
    ],
    results: { c1: [{ type: "data", data: 42 }] },
    finish: "stop",
    text: "Let me see.\n19 + 23 = 42。",
  },
  {
    title: "four tools at once, two of which fail",
    input: "All of it",
    turns: [
      {
        calls: [
          ["c1", "slow", {}],
          ["c2", "fails", {}],
          ["c3", "add", { a: 1, b: 2 }],
          ["c4", "add", { a: "1", b: 2 }],
        ],
      },
      { text: "Two of four." },
    ],
    results: {
      c1: [{ type: "text", text: "slow but sure" }],
      c2: [{ type: "text", text: "no disk" }],
      c3: [{ type: "data", data: 3 }],
      c4: anything,
    },
    finish: "stop",
    text: "Two of four.",
  },
  {
    title: "tools one after another, where asked",
    input: "Go",
    options: { toolExecution: "serial" },
    turns: [
      {
        calls: [
          ["c1", "slow", {}],
          ["c2", "add", { a: 1, b: 2 }],
        ],
      },
      { text: "Done." },
    ],
    results: { c1: [{ type: "text", text: "slow but sure" }], c2: [{ type: "data", data: 3 }] },
    finish: "stop",
    text: "Done.",
  },
  {
    title: "a call that waits beside one that runs, let through",
    input: "Open north",
    turns: [
      {
        text: "One moment.",
        calls: [
          ["c1", "add", { a: 4, b: 5 }],
          ["c2", "gate", { gate: "north" }],
        ],
      },
      { text: "It is open." },
    ],
    answers: [["c2", true]],
    results: { c1: [{ type: "data", data: 9 }], c2: [{ type: "text", text: "north is open" }] },
    finish: "stop",
    text: "It is open.",
  },
  {
    title: "two calls that wait, answered one by one in the other order",
    input: "Open both",
    turns: [
      {
        calls: [
          ["c1", "gate", { gate: "north" }],
          ["c2", "gate", { gate: "south" }],
        ],
      },
      { text: "One of two." },
    ],
    answers: [
      ["c2", false],
      ["c1", true],
    ],
    results: {
      c1: [{ type: "text", text: "north is open" }],
      c2: [{ type: "text", text: "Tool call invocation was rejected by the approver and must not be retried." }],
    },
    finish: "stop",
    text: "One of two.",
  },
  {
    title: "a call held beside one that waits, where asked",
    input: "Open north",
    options: { approvals: { mixed: "hold" } },
    turns: [
      {
        calls: [
          ["c1", "add", { a: 4, b: 5 }],
          ["c2", "gate", { gate: "north" }],
        ],
      },
      { text: "It is open." },
    ],
    answers: [["c2", true]],
    results: { c1: [{ type: "data", data: 9 }], c2: [{ type: "text", text: "north is open" }] },
    finish: "stop",
    text: "It is open.",
  },
  {
    title: "blank arguments, and arguments that are no JSON",
    input: "Go",
    turns: [
      {
        calls: [
          ["c1", "slow", { raw: "" }],
          ["c2", "slow", { raw: "  " }],
          ["c3", "add", { raw: '{"a": 1, "b": ' }],
          ["c4", "nothing_like_it", {}],
        ],
      },
      { text: "Half of it." },
    ],
    results: {
      c1: [{ type: "text", text: "slow but sure" }],
      c2: [{ type: "text", text: "slow but sure" }],
      c3: anything,
      c4: anything,
    },
    finish: "stop",
    text: "Half of it.",
  },
  {
    title: "the limit of steps",
    input: "For ever",
    options: { limits: { maxSteps: 2 } },
    turns: [{ calls: [["c1", "add", { a: 1, b: 1 }]] }, { calls: [["c2", "add", { a: 2, b: 2 }]] }],
    results: { c1: [{ type: "data", data: 2 }], c2: [{ type: "data", data: 4 }] },
    finish: "other",
    text: "",
  },
  {
    title: "the limit of steps, with a last answer",
    input: "For ever",
    options: { limits: { maxSteps: 1, finalAnswer: true } },
    turns: [{ calls: [["c1", "add", { a: 1, b: 1 }]] }, { text: "Partial: 2" }],
    results: { c1: [{ type: "data", data: 2 }] },
    finish: "other",
    text: "Partial: 2",
  },
  {
    title: "a tool that ends the run, with one that has not begun",
    input: "Go",
    options: { toolExecution: "serial" },
    turns: [
      {
        calls: [
          ["c1", "slow", {}],
          ["c2", "end", {}],
          ["c3", "slow", {}],
        ],
      },
    ],
    results: {
      c1: [{ type: "text", text: "slow but sure" }],
      c2: [{ type: "text", text: "enough" }],
      c3: [{ type: "text", text: "The call was not run: the run ended before it." }],
    },
    finish: "stop",
    text: "",
  },
  {
    title: "a provider that keeps the conversation, and then does not",
    input: "Go",
    turns: [
      { calls: [["c1", "add", { a: 1, b: 1 }]], conversationId: "r1" },
      { calls: [["c2", "add", { a: 2, b: 2 }]] },
      { text: "Done." },
    ],
    results: { c1: [{ type: "data", data: 2 }], c2: [{ type: "data", data: 4 }] },
    finish: "stop",
    text: "Done.",
  },
  {
    title: "the same call three times, of which two are run",
    input: "Go",
    options: { limits: { maxRepeats: 2 } },
    turns: [
      { calls: [["c1", "add", { a: 1, b: 1 }]] },
      { calls: [["c2", "add", { b: 1, a: 1 }]] },
      { calls: [["c3", "add", { a: 1, b: 1 }]] },
      { text: "Two." },
    ],
    results: { c1: [{ type: "data", data: 2 }], c2: [{ type: "data", data: 2 }], c3: anything },
    finish: "stop",
    text: "Two.",
  },
  {
    title: "tools that take their time, and a call that waits",
    input: "Take your time",
    turns: [
      {
        text: "First.",
        calls: [
          ["c1", "nap", { ms: 30 }],
          ["c2", "add", { a: 1, b: 2 }],
          ["c3", "nap", { ms: 60 }],
        ],
      },
      { calls: [["c4", "nap", { ms: 40 }]] },
      { text: "Then this.", calls: [["c5", "gate", { gate: "north" }]] },
      { text: "All done." },
    ],
    answers: [["c5", true]],
    results: {
      c1: [{ type: "text", text: "slept 30 ms" }],
      c2: [{ type: "data", data: 3 }],
      c3: [{ type: "text", text: "slept 60 ms" }],
      c4: [{ type: "text", text: "slept 40 ms" }],
      c5: [{ type: "text", text: "north is open" }],
    },
    finish: "stop",
    text: "All done.",
  },
  {
    title: "an agent as a tool, which runs tools and has to ask",
    input: "Open north",
    turns: [
      {
        text: "I ask.",
        calls: [
          ["c1", "clerk", { query: "Open north" }],
          ["c2", "add", { a: 4, b: 5 }],
        ],
      },
      { text: "It is open." },
    ],
    inside: [
      {
        calls: [
          ["k1", "slow", {}],
          ["k2", "gate", { gate: "north" }],
        ],
      },
      { calls: [["k3", "add", { a: 1, b: 2 }]] },
      { text: "North is open." },
    ],
    answers: [["k2", true]],
    results: { c1: [{ type: "text", text: "North is open." }], c2: [{ type: "data", data: 9 }] },
    finish: "stop",
    text: "It is open.",
  },
  {
    title: "a hand-off, and a hand-back",
    input: "Help",
    handsOver: true,
    turns: [
      {
        text: "One moment.",
        calls: [
          ["c1", "transfer_to_desk", {}],
          ["c2", "add", { a: 1, b: 2 }],
        ],
      },
      { text: "I look.", calls: [["c3", "slow", {}]] },
      { text: "Back to Ada.", calls: [["c4", "transfer_to_ada", {}]] },
      { text: "All yours." },
    ],
    results: {
      c1: anything,
      c2: [{ type: "data", data: 3 }],
      c3: [{ type: "text", text: "slow but sure" }],
      c4: anything,
    },
    finish: "stop",
    text: "One moment.\nI look.\nBack to Ada.\nAll yours.",
  },
  {
    title: "a hand-off to an agent that has to ask",
    input: "Open north",
    handsOver: true,
    turns: [
      { calls: [["c1", "transfer_to_desk", {}]] },
      { calls: [["c2", "gate", { gate: "north" }]] },
      { text: "It is open." },
    ],
    answers: [["c2", true]],
    results: { c1: anything, c2: [{ type: "text", text: "north is open" }] },
    finish: "stop",
    text: "It is open.",
  },
  {
    title: "an error in mid-answer",
    input: "Hi",
    turns: [{ text: "I begin", calls: [["c1", "add", { a: 1, b: 1 }]], error: { message: "overloaded", code: "x" } }],
    results: { c1: anything },
    finish: "error",
    text: "I begin",
  },
  {
    title: "an error before the answer",
    input: "Hi",
    turns: [{ throws: new Error("connection refused") }],
    finish: "error",
    text: "",
  },
  {
    title: "an answer that is cut",
    input: "Hi",
    turns: [{ text: "I beg", finish: "none" }],
    finish: "error",
    text: "I beg",
  },
];
