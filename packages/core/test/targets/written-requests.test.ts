import { deepFreeze } from "@translogue/testkit/difference";
import {
  assistant,
  type Conversation,
  conversation,
  decode,
  type FormatId,
  type Message,
  type Part,
  pairResults,
  text,
  toolCall,
  toolMessage,
  toolResult,
  user,
} from "translogue";
import { checkTarget, findTarget, type Policies, prepare, repair, targets } from "translogue/targets";
import { describe, expect, test } from "vitest";

/** Faults of a prepared request when it is read again, as its provider reads it. */
function faultsOf(
  given: Conversation,
  target: string,
  model?: string,
  policies: Partial<Policies> = {},
): readonly string[] {
  const row = findTarget(target);
  const asked = model === undefined ? {} : { model };
  const { dialect } = row;
  const { value } = prepare(deepFreeze(given), row, { ...asked, ...policies });
  const read = decode(value, { from: row.format as FormatId, shape: "request", ...(dialect && { dialect }) }); // of a target
  const issues = checkTarget(read.conversation, row, asked);
  return issues.filter(({ severity }) => severity === "error").map(({ code, message }) => `${code} ${message}`);
}

const call = (callId: string, more = {}) => toolCall({ callId, name: "f", input: {}, ...more });
const kept: Pick<Message, "native"> = { native: { "openai-chat": { x_kept: 1 } } };
const hosted: Part = { type: "tool-call", callId: "h", name: "web", executedBy: "provider" };
const unsaid: Part = { type: "compaction", summary: [{ type: "error", message: "e" }] };
const strange: Part = { type: "tool-result", callId: "c", kind: "strange" };
const foreign: Part = { type: "opaque", family: "elsewhere", value: {} };
const document = (...parts: readonly Part[]): Part => ({ type: "file", source: { parts } });
const summary = (...parts: readonly Part[]): Part => ({ type: "compaction", summary: parts });
const written: Part = { type: "file", mediaType: "image/*", source: { text: "words" } };

describe("what is left of a history in its request is taken, where", () => {
  test.each<[what: string, targets: readonly string[], given: Conversation, model?: string]>([
    [
      "an assistant's message keeps members and nothing else",
      ["openai-chat"],
      conversation(assistant([hosted], kept), user("b")),
    ],
    [
      "a summary holds nothing that is told",
      ["anthropic-messages", "openai-chat", "cohere"],
      conversation(user(unsaid)),
    ],
    [
      "a summary in an answer holds nothing that is told",
      ["bedrock-converse"],
      conversation(assistant([unsaid])),
      "claude-opus-4-8",
    ],
    [
      "the summary's only piece has no place",
      ["openai-chat"],
      conversation(assistant([{ type: "compaction", summary: [{ type: "source" }] }], kept), user("b")),
    ],
    [
      "a text stands beside what goes, and is empty",
      ["mistral"],
      conversation(assistant([{ type: "opaque", family: "x", value: {} }, text("")]), user("b")),
    ],
    ["a file is an empty text", ["vertex"], conversation(user([{ type: "file", source: { text: "" } }, text("a")]))],
    [
      "a summary holds an empty text as a file",
      ["vertex"],
      conversation(user([{ type: "compaction", summary: [{ type: "file", source: { text: "" } }, text("a")] }])),
    ],
    [
      "an answer is an empty text, and so is its summary",
      ["mistral"],
      conversation(assistant([text(""), summary(text(""))])),
    ],
    ["a document's block is an empty text", ["vertex"], conversation(user([document(text("")), text("a")]))],
    [
      "a document of a summary holds one, in which a block is an empty text",
      ["vertex"],
      conversation(assistant([summary(document(text("a"), document(text(""))))])),
    ],
    ["a document has no blocks", ["gemini", "vertex"], conversation(assistant([{ type: "reasoning" }, document()]))],
    [
      "a document's only block has no place",
      ["gemini", "vertex"],
      conversation(user("a"), assistant([document(foreign)]), user("b")),
    ],
    [
      "a tool is taken away beside results",
      ["bedrock-converse"],
      conversation(
        user("a"),
        assistant([call("c")]),
        toolMessage(toolResult("c", "r")),
        user([{ type: "change", toolsRemoved: ["f"] }, foreign]),
      ),
    ],
    [
      "a compaction is a seal of which no value has a place",
      ["anthropic-messages"],
      conversation(assistant([{ type: "compaction", seal: { maker: "anthropic", values: { a: "" } } }])),
      "claude-opus-4-8",
    ],
    [
      "a summary to be gone on with ends in white space",
      ["bedrock-converse", "anthropic-messages"],
      conversation(user("a"), assistant([summary(summary(text("b\n")), { type: "error", message: "e" }), unsaid])),
      "claude-3-5-sonnet",
    ],
    ["a text is told as an image", ["bedrock-converse"], conversation(user([written]))],
    [
      "a document stands alone in a summary",
      ["bedrock-converse"],
      conversation(user([{ type: "compaction", summary: [{ type: "file", source: { parts: [text("a")] } }] }])),
    ],
    [
      "data has no type",
      ["groq", "openai-responses", "azure-openai-responses"],
      conversation(user([{ type: "file", source: { data: "AAAA" } }, text("a")])),
    ],
    [
      "an answer paused, and says nothing",
      ["gemini"],
      conversation(user("a"), assistant([], { finish: { reason: "pause" } })),
    ],
    [
      "an answer paused with nothing to go on with",
      ["anthropic-messages"],
      conversation(user("a"), assistant("b", { finish: { reason: "pause" } })),
      "claude-opus-4-8",
    ],
    [
      "a result without a call is of a kind that the format does not know",
      ["anthropic-messages", "bedrock-converse", "openai-responses"],
      conversation(user("a"), assistant([strange, text("b")]), user("c")),
    ],
    [
      "a result without a call is known by a seal alone, which stays home",
      ["responses"],
      conversation(user("a"), assistant([{ type: "tool-result", callId: "c", seal: { values: {} } }, text("b")])),
    ],
    [
      "a refusal to be gone on with ends in white space",
      ["anthropic-messages"],
      conversation(user("a"), assistant([{ type: "refusal", text: "no\n" }])),
    ],
    [
      "results stand behind a message without parts",
      ["gemini"],
      conversation(user("a"), assistant([call("c")]), user([]), toolMessage(toolResult("c", "r"))),
    ],
    [
      "results stand behind a text in one message",
      ["gemini", "mistral"],
      conversation(user("a"), assistant([call("c")]), user([text("b"), toolResult("c", "r")])),
    ],
    [
      "a tool's message says words, and thinking is on in the open tool loop behind it",
      ["bedrock-converse", "anthropic-messages"],
      {
        ...conversation(
          assistant("a"),
          { role: "tool", parts: [text("b")] },
          assistant([text("c"), call("c")]),
          toolMessage(toolResult("c", "r")),
        ),
        settings: { reasoning: { budget: 2048 }, maxOutputTokens: 4096 },
      },
      "claude-opus-4-8",
    ],
    [
      "a call has the id of one that the provider runs",
      ["deepseek-responses"],
      conversation(
        user("a"),
        assistant([call("c"), toolCall({ callId: "c", name: "", kind: "web-search", executedBy: "provider" })]),
        toolMessage(toolResult("c", "r")),
      ),
    ],
    [
      "the provider's own tool has the id of a call of another turn, and stands between that and its result",
      ["deepseek-responses", "openai-responses"],
      conversation(
        user("a"),
        assistant([call("c")]),
        { role: "system", parts: [text("s")] },
        assistant([toolCall({ callId: "c", name: "", kind: "web-search", executedBy: "provider" })]),
        toolMessage(toolResult("c", "r")),
      ),
    ],
    [
      "a call was denied, and a person goes on, in the same message or the next",
      ["mistral"],
      conversation(
        user("a"),
        assistant([call("Abcdefgh1")]),
        user([{ type: "approval-response", requestId: "r", callId: "Abcdefgh1", approved: false }, text("b")]),
        assistant([call("Abcdefgh2")]),
        user([{ type: "approval-response", requestId: "s", callId: "Abcdefgh2", approved: false }]),
        user("c"),
      ),
    ],
    [
      "a call was denied twice",
      ["openai-chat", "anthropic-messages", "gemini"],
      conversation(
        user("a"),
        assistant([call("c")]),
        user([
          { type: "approval-response", requestId: "r", callId: "c", approved: false },
          { type: "approval-response", requestId: "s", callId: "c", approved: false },
        ]),
        user("b"),
      ),
    ],
    [
      "a custom tool has a name that no function may have",
      ["mistral"],
      conversation(
        user("a"),
        assistant([toolCall({ callId: "c", name: "a b", kind: "custom", input: "x" })]),
        toolMessage(toolResult("c", "r")),
      ),
    ],
    [
      "an answer behind a call holds what the provider's own tool of the same id gave",
      ["chat"],
      conversation(assistant([hosted, call("h")]), assistant([toolResult("h", "r"), call("d")])),
    ],
  ])("%s", (_, targets, given, model) => {
    for (const target of targets) expect(faultsOf(given, target, model)).toEqual([]);
  });
});

describe("whatever stands in a summary or a document passes, or is left out", () => {
  const pieces: readonly Part[] = [
    text("a"),
    text(""),
    text(" "),
    { type: "refusal", text: "no " },
    { type: "reasoning", text: "r" },
    { type: "reasoning", text: "r", seal: { maker: "anthropic", route: "bedrock", values: { signature: "c2ln" } } },
    { type: "data", data: { a: 1 } },
    { type: "source", url: "https://a.example" },
    { type: "error", message: "e" },
    { type: "change", toolsRemoved: ["f"] },
    { type: "file", source: { text: "x" } },
    { type: "file", mediaType: "image/png", source: { data: "AAAA" } },
    foreign,
    hosted,
    call("c"),
    toolResult("c", "r"),
  ];
  const holders = [summary, document, (part: Part) => summary(document(part)), (part: Part) => summary(summary(part))];

  test.each(targets.map(({ id }) => id))("for %s", target => {
    for (const piece of pieces) {
      for (const holder of holders) {
        const held = holder(piece);
        const loop = [user("a"), assistant([call("k"), held]), { role: "tool", parts: [held, toolResult("k", "r")] }];
        for (const given of [conversation(user("a"), assistant([held])), conversation(...loop, user([held]))])
          expect(faultsOf(given, target)).toEqual([]);
      }
    }
  });
});

test.each<[what: string, part: Part]>([
  ["the name of a file", { type: "file", name: "\ud83d", source: { text: "a" } }],
  ["the title of a source", { type: "source", title: "\ud83d", url: "https://a.example" }],
  ["an error that a source holds", { type: "source", parts: [{ type: "error", message: "\ud83d" }] }],
  ["the words that are cited", text("a", { citations: [{ title: "\ud83d", quote: "\ud83d" }] })],
])("half a character goes out in no request: %s", (_, part) => {
  const given = deepFreeze(conversation(user([summary(part), part, text("b")])));
  for (const target of ["anthropic-messages", "gemini", "bedrock-converse", "openai-responses", "mistral"]) {
    const { value, conversation: repaired } = prepare(given, target);
    expect(JSON.stringify(value)).not.toMatch(/\\ud83d/);
    expect(JSON.stringify(repaired)).not.toMatch(/\\ud83d/);
  }
});

test("a message that is left out lets what is before a compaction stand, so that turns alternate again", () => {
  const given = conversation(
    assistant("a"),
    assistant([foreign]),
    user([{ type: "compaction" }, text("b")]),
    assistant([{ type: "compaction", summary: [], replaces: null }]),
  );
  expect(faultsOf(given, "bedrock-converse", "claude-opus-4-8", { turns: "bridge" })).toEqual([]);
});

test("Bedrock takes a history that begins with the assistant of Claude alone, as requests that it accepted show", () => {
  const given = conversation(assistant("a"), user("b"));
  const codes = (model: string) => checkTarget(given, "bedrock-converse", { model }).map(({ code }) => code);
  expect(codes("anthropic.claude-sonnet-4-5")).toEqual([]);
  expect(codes("amazon.nova-pro-v1:0")).toEqual(["first-turn"]);
});

describe("a repair", () => {
  test("keeps results with the calls of one id that they answer when one of them gets a made one", () => {
    const given = conversation(
      user("a"),
      assistant([call("c"), call("c"), call("c")]),
      user("and"),
      toolMessage(toolResult("c", "1")),
      toolMessage(toolResult("c", "2")),
    );
    const { messages } = repair(given, "gemini").conversation;
    const said = [...pairResults(messages)].map(([result, { callId }]) => [result.output?.[0], callId]);
    expect(said.slice(0, 2).map(([output]) => output)).toEqual([text("1"), text("2")]);
    expect(said[2]?.[0]).toMatchObject({ text: expect.stringMatching(/interrupted/) });
    expect(new Set(said.map(([, callId]) => callId)).size).toBe(3);
  });

  test("keeps results right behind their calls that are messages of their own, whatever is asked of calls without one", () => {
    const given = conversation(
      user("a"),
      assistant([call("c"), call("d")]),
      toolMessage(toolResult("c", "1")),
      toolMessage(toolResult("d", "2")),
    );
    for (const calls of ["error", "drop"] as const) {
      const { messages } = repair(given, "bedrock-converse", { calls }).conversation;
      expect([...pairResults(messages)].map(([{ output }, { callId }]) => [callId, output?.[0]])).toEqual([
        ["c", text("1")],
        ["d", text("2")],
      ]);
    }
  });

  test("puts results right behind their calls, before what a tool's message says without one", () => {
    const given = conversation(
      user("a"),
      assistant([call("c")]),
      { role: "tool", parts: [text("b")] },
      toolMessage(toolResult("c", "r")),
    );
    for (const turns of ["join", "bridge"] as const) {
      for (const calls of ["move", "error"] as const)
        expect(faultsOf(given, "bedrock-converse", undefined, { turns, calls })).toEqual([]);
    }
  });

  test("says of a result that stands elsewhere that it is left out where its call is to say that it has none", () => {
    const given = conversation(user("a"), assistant([call("c")]), user("b"), toolMessage(toolResult("c", "r")));
    const { changes } = repair(given, "openai-chat", { calls: "error" });
    expect(changes.map(({ path }) => path.join("."))).toContain("messages.3.parts.0");
  });

  test("answers a denied call once, whatever the provider runs between", () => {
    const denial: Part = { type: "approval-response", requestId: "r", approved: false, callId: "c" };
    const given = conversation(
      user("a"),
      assistant([call("c")]),
      assistant([{ ...hosted, callId: "c" }]),
      user([denial]),
    );
    for (const target of ["openai-chat", "groq", "cohere"])
      expect(checkTarget(repair(given, target).conversation, target)).toEqual([]);
  });

  test("says which sealed reasoning it leaves out where answers are joined, and keeps that of one answer", () => {
    const thought = (signature: string): Part => ({
      type: "reasoning",
      text: signature,
      seal: { maker: "anthropic", values: { signature } },
    });
    const answers = (...ids: readonly string[]) =>
      conversation(
        user("a"),
        ...ids.map((responseId, index) => assistant([thought(`s${index}`), text("b")], { responseId })),
        user("c"),
      );
    const options = { model: "claude-sonnet-4-5" };
    const other = repair(answers("one", "two"), "bedrock-converse", options);
    expect(JSON.stringify(other.conversation)).not.toContain('"s0"');
    expect(other.changes.map(({ repair: name, path }) => `${name} ${path.join(".")}`)).toContain(
      "drop-reasoning messages.1.parts.0",
    );
    const same = repair(answers("one", "one"), "bedrock-converse", options);
    expect(same.conversation.messages[1]?.parts).toEqual([thought("s0"), text("b"), thought("s1"), text("b")]);
    expect(new Set(same.changes.map(({ repair: name }) => name))).toEqual(new Set(["join-turns"]));
    const bridged = repair(answers("one", "two"), "bedrock-converse", { ...options, turns: "bridge" });
    expect(JSON.stringify(bridged.conversation)).toContain('"s0"');
    expect(new Set(bridged.changes.map(({ repair: name }) => name))).toEqual(new Set(["join-turns"]));
  });
});

test("a check of answers that come in another order than their calls searches no list of the calls for each", () => {
  for (const count of [100, 800]) {
    const ids = Array.from({ length: count }, (_, index) => `c${index}`);
    const given: Conversation = {
      messages: [
        user("a"),
        assistant(ids.map(id => call(id))),
        toolMessage(...ids.toReversed().map(id => toolResult(id, "r"))),
      ],
      tools: [{ name: "f" }],
    };
    let issues: unknown;
    expect(
      searched(() => {
        issues = checkTarget(given, "anthropic-messages");
      }),
    ).toBeLessThan(20 * count);
    expect(issues).toEqual([]);
  }
});

/** How many entries of lists are looked at in searches. */
function searched(run: () => void): number {
  const { indexOf, includes } = Array.prototype;
  let entries = 0;
  Array.prototype.indexOf = function (this: unknown[], ...args) {
    const at = indexOf.apply(this, args);
    entries += at === -1 ? this.length : at + 1;
    return at;
  };
  Array.prototype.includes = function (this: unknown[], ...args) {
    entries += this.length;
    return includes.apply(this, args);
  };
  try {
    run();
  } finally {
    Object.assign(Array.prototype, { indexOf, includes });
  }
  return entries;
}
