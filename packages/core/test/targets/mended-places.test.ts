import {
  assistant,
  type Conversation,
  conversation,
  decode,
  type FormatId,
  type Message,
  type Part,
  pairResults,
  reasoning,
  type Settings,
  text,
  toolCall,
  toolMessage,
  toolResult,
  user,
} from "translogue";
import { checkTarget, prepare, repair, targets } from "translogue/targets";
import { describe, expect, test } from "vitest";

const codes = (given: Conversation, target: string, model: string) =>
  checkTarget(given, target, { model }).map(({ code }) => code);
const elsewhere = { maker: "elsewhere", values: { a: "1" } };
/** With what was before it, so that places stay. */
const summary = (...parts: readonly Part[]): Part => ({ type: "compaction", summary: parts, replaces: null });

describe("Claude goes on behind a compaction of its own", () => {
  const answer = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-opus-4-8",
    content: [{ type: "compaction", content: "So far: tides. " }],
    stop_reason: "compaction",
    stop_sequence: null,
    usage: { input_tokens: 4, output_tokens: 3 },
  };
  const paused = decode(answer, { from: "anthropic-messages", shape: "answer" }).conversation;

  test("that has no seal, and is left as it is", () => {
    expect(codes(paused, "anthropic-messages", "claude-opus-4-8")).toEqual([]);
    const { value, changes } = prepare(paused, "anthropic-messages", { model: "claude-opus-4-8" });
    expect(changes).toEqual([]);
    expect(value).toMatchObject({ messages: [{ role: "assistant", content: answer.content }] });
  });

  test.each<[what: string, parts: readonly Part[]]>([
    ["nothing", []],
    ["a picture", [{ type: "file", mediaType: "image/png", source: { data: "AAAA" } }]],
  ])("whose summary holds %s, and is sent with no text that is empty", (_, parts) => {
    const seal = { maker: "anthropic", values: { encrypted_content: "c2ln" } };
    const { value } = prepare(conversation(user([{ type: "compaction", summary: parts, seal }])), "anthropic-messages");
    const content = [{ type: "compaction", encrypted_content: "c2ln" }];
    expect(value).toMatchObject({ messages: [{ content }] });
    expect(checkTarget(decode(value, { from: "anthropic-messages" }).conversation, "anthropic-messages")).toEqual([]);
  });

  test.each<[what: string, target: string, given: Conversation]>([
    ["on Bedrock, where it is written as a text", "bedrock-converse", paused],
    ["behind one of another maker", "anthropic-messages", conversation(assistant([summary(text("s"))]))],
    [
      "behind what it said after it",
      "anthropic-messages",
      { messages: paused.messages.map(each => ({ ...each, parts: [...each.parts, text("b")] })) },
    ],
  ])("but not %s", (_, target, given) => {
    expect(codes(given, target, "claude-opus-4-8")).toContain("last-turn");
  });
});

test("reasoning that ends a message stays where the next is joined to it", () => {
  const thought = reasoning("hm", { seal: { maker: "anthropic", values: { signature: "c2ln" } } });
  const given: Conversation = {
    ...conversation(
      user("a"),
      assistant([thought]),
      assistant([toolCall({ callId: "c", name: "f", input: {} })]),
      toolMessage(toolResult("c", "r")),
    ),
    tools: [{ name: "f" }],
  };
  const { conversation: joined, changes } = repair(given, "bedrock-converse", { model: "claude-sonnet-4-0" });
  expect(joined.messages[1]?.parts.map(({ type }) => type)).toEqual(["reasoning", "tool-call"]);
  expect(new Set(changes.map(change => change.repair))).toEqual(new Set(["join-turns"]));
});

test.each(["anthropic-messages", "bedrock-converse"])(
  "a message that tells tools and nothing else is no empty one for %s, which is sent them as blocks",
  target => {
    const given = conversation(user("a"), assistant("b"), user([{ type: "change", toolsAdded: ["f"] }]));
    expect(checkTarget(given, target)).toEqual([]);
    const { value, changes } = prepare(given, target);
    expect(changes).toEqual([]);
    expect(JSON.stringify(value)).toMatch(/tool_?addition/i);
    const named = conversation(user("a"), assistant("b"), user([{ type: "change", model: "m" }]));
    expect(checkTarget(named, target).map(({ code }) => code)).toEqual(["message-not-empty"]);
  },
);

describe("of what was only a seal of another's nothing stays", () => {
  test.each<[what: string, part: Part]>([
    ["in a summary", summary({ type: "text", text: "", seal: elsewhere })],
    ["in a document", { type: "file", source: { parts: [{ type: "text", text: "", seal: elsewhere }] } }],
    ["in a document of a summary", summary({ type: "file", source: { parts: [{ ...text(""), seal: elsewhere }] } })],
    ["as hidden reasoning of a summary", summary({ type: "reasoning", seal: elsewhere })],
  ])("%s", (_, part) => {
    const given = conversation(user("a"), assistant([part, text("b")]), user("c"));
    const { conversation: repaired } = repair(given, "openai-chat");
    expect(repaired.messages[1]?.parts).toEqual([text("b")]);
  });
});

describe("a place in a part that a repair made shorter", () => {
  const image: Part = { type: "file", mediaType: "image/png", source: { data: "AAAA" } };

  test.each<[what: string, target: string, part: Part, steps: readonly (string | number)[]]>([
    ["a summary without its first text", "anthropic-messages", summary(text(""), text("a")), ["summary"]],
    [
      "a document of a summary",
      "vertex",
      summary({ type: "file", source: { parts: [text(""), text("a")] } }),
      ["summary", 0, "source", "parts"],
    ],
  ])("leads home: %s", (_, target, part, steps) => {
    const { home } = prepare(conversation(user("b"), assistant([part]), user("c")), target);
    expect(home(["messages", 1, "parts", 0, ...steps, 0])).toEqual(["messages", 1, "parts", 0, ...steps, 1]);
  });

  test("leads home out of a result that gave its first file away", () => {
    const given = conversation(
      user("a"),
      assistant([toolCall({ callId: "c", name: "f", input: {} })]),
      toolMessage(toolResult("c", [image, text("r")])),
    );
    const { home } = prepare(given, "openai-chat");
    expect(home(["messages", 2, "parts", 0, "output", 0])).toEqual(["messages", 2, "parts", 0, "output", 1]);
  });

  test("is told by its first place in a later change too", () => {
    const given = conversation(user("b"), assistant([summary(text(""), { type: "refusal", text: "no\n" })]));
    const told = repair(given, "anthropic-messages").changes.map(({ repair: name, path }) => [name, ...path.slice(4)]);
    expect(told).toEqual([
      ["trim-text", "summary", 0],
      ["trim-prefill", "summary", 1],
    ]);
  });
});

describe("tools of one name", () => {
  const twice: Conversation = { ...conversation(user("a")), tools: [{ name: "f" }, { name: "f", description: "d" }] };

  test.each(["anthropic-messages", "bedrock-converse", "gemini", "mistral", "deepseek-chat", "deepseek-responses"])(
    "are refused by %s, and the first of them stays",
    target => {
      expect(checkTarget(twice, target)).toMatchObject([{ code: "tool-names", path: ["tools", 1, "name"] }]);
      const { conversation: repaired, changes } = repair(twice, target);
      expect(repaired.tools).toEqual([{ name: "f" }]);
      expect(changes).toMatchObject([{ repair: "fit-tool-names", path: ["tools", 1] }]);
    },
  );

  test("are known by what they are called on the wire, whatever a codec called the second", () => {
    const tool = (description: string) => ({ name: "f", description, input_schema: { type: "object" } });
    const request = { model: "m", max_tokens: 9, messages: [], tools: [tool("a"), tool("b")] };
    const read = decode(request, { from: "anthropic-messages", shape: "request" }).conversation;
    expect(checkTarget({ ...read, messages: [user("a")] }, "anthropic-messages")).toMatchObject([
      { code: "tool-names", path: ["tools", 1, "name"] },
    ]);
    const functions = [1, 2].map(() => ({ type: "function", function: { name: "f" } }));
    const chat = { model: "m", messages: [{ role: "user", content: "a" }], tools: functions };
    const asked = decode(chat, { from: "openai-chat", shape: "request" }).conversation;
    expect(checkTarget(asked, "openai-chat")).toEqual([]);
    const chosen = (toolChoice: Settings["toolChoice"]) =>
      repair({ ...asked, settings: { ...(toolChoice && { toolChoice }) } }, "deepseek-chat").conversation.settings;
    expect(chosen({ name: "f:2" })).toEqual({ toolChoice: { name: "f" } });
    expect(chosen({ allowed: ["f:2", "f"] })).toEqual({ toolChoice: { allowed: ["f"] } });
  });
});

test("an id of a provider's call into which another's seal was packed is renamed, in its result too", () => {
  const hosted: readonly Part[] = [
    {
      type: "tool-call",
      callId: "srvtoolu_1__thought__AAAA",
      name: "web_search",
      kind: "web-search",
      executedBy: "provider",
    },
    { type: "tool-result", callId: "srvtoolu_1__thought__AAAA", kind: "web-search", output: [text("hit")] },
  ];
  const given = conversation(user("a"), assistant([...hosted, text("b")]), user("c"));
  const { conversation: repaired } = repair(given, "anthropic-messages");
  const ids = (repaired.messages[1]?.parts ?? []).flatMap(part => ("callId" in part ? [part.callId] : []));
  expect(new Set(ids).size).toBe(1);
  expect(ids[0]).toMatch(/^srvtoolu_1_/);
  expect(JSON.stringify(repaired)).not.toContain("AAAA");
});

test.each<[what: string, results: readonly [string, string]]>([
  ["of another tool's name", ["g", "f"]],
  ["of its tool's name", ["f", "g"]],
])("for Google an empty id is none, and a result %s stays with its call", (_, [first, second]) => {
  const call = (name: string): Part => toolCall({ callId: "", name, input: {} });
  const result = (name: string, output: string) => ({ ...toolResult("", output), name });
  const calls = assistant([call("f"), call("g")]);
  const given: Conversation = {
    ...conversation(user("a"), calls, toolMessage(result(first, "1"), result(second, "2"))),
    tools: [{ name: "f" }, { name: "g" }],
  };
  const { value } = prepare(given, "gemini");
  const again = decode(value, { from: "gemini", shape: "request" }).conversation;
  expect(checkTarget(again, "gemini")).toEqual([]);
  const pairs = [...pairResults(again.messages)].map(([{ output }, { name }]) => [name, output]);
  expect(pairs).toEqual([
    ["f", [text("1")]],
    ["g", [text("2")]],
  ]);
});

test("calls of a system text are not made an answer before a compaction of Claude's, which reads nothing before it", () => {
  const seal = { maker: "anthropic", values: { encrypted_content: "c2ln" } };
  const given: Conversation = {
    messages: [
      { role: "system", parts: [text("a"), toolCall({ callId: "c", name: "f", input: {} })] },
      assistant([{ type: "compaction", seal }]),
      toolMessage(toolResult("c", "r")),
      user("b"),
    ],
    tools: [{ name: "f" }],
  };
  const { value, changes } = prepare(given, "anthropic-messages");
  const again = decode(value, { from: "anthropic-messages", shape: "request" }).conversation;
  expect(checkTarget(again, "anthropic-messages")).toEqual([]);
  expect(changes).toMatchObject([
    { repair: "fit-roles", path: ["messages", 0, "parts", 1] },
    { repair: "pair-results", path: ["messages", 2, "parts", 0] },
  ]);
});

test("a result is of the kind of the call that it answers, not of the last that has its id", () => {
  const call = (more: object): Message => assistant([toolCall({ callId: "c", name: "f", input: {}, ...more })]);
  const results = toolMessage(toolResult("c", "1"), toolResult("c", "2"));
  const rule: Message = { role: "system", parts: [text("b")] };
  const given: Conversation = {
    ...conversation(user("a"), call({}), rule, call({ kind: "custom", input: "x" }), results),
    tools: [{ name: "f" }],
  };
  const { value } = prepare(given, "openai-responses");
  const again = decode(value, { from: "openai-responses", shape: "request" }).conversation;
  expect(checkTarget(again, "openai-responses")).toEqual([]);
});

describe("what a person said of a call", () => {
  const denial = (requestId: string): Part => ({
    type: "approval-response",
    requestId,
    callId: "c",
    approved: false,
    reason: "never",
  });
  const asks = assistant([toolCall({ callId: "c", name: "f", input: {} })]);
  const results = (given: Conversation) =>
    JSON.stringify(prepare(given, "openai-responses").value).match(/function_call_output/g);

  test.each(["openai-chat", "mistral", "anthropic-messages", "gemini", "openai-responses"])(
    "is told to %s in that person's words, though the answer itself has no place",
    target => {
      const { value, changes } = prepare(
        { ...conversation(user("a"), asks, user([denial("r")]), user("b")), tools: [{ name: "f" }] },
        target,
      );
      expect(JSON.stringify(value)).toContain("never");
      expect(JSON.stringify(value)).not.toMatch(/interrupted/);
      expect(changes.map(change => change.repair)).not.toContain("leave-out");
    },
  );

  test.each(targets.map(({ id }) => id))(
    "is told to %s where it is known by the request that it answers alone",
    target => {
      const request: Part = { type: "approval-request", requestId: "r", callId: "c" };
      const answer: Part = { type: "approval-response", requestId: "r", approved: false, reason: "never" };
      const asking = assistant([...asks.parts, request]);
      const { value } = prepare(
        { ...conversation(user("a"), asking, { role: "tool", parts: [answer] }, user("b")), tools: [{ name: "f" }] },
        target,
      );
      expect(JSON.stringify(value).match(/never/g)).toHaveLength(1);
      expect(JSON.stringify(value)).not.toMatch(/interrupted/);
    },
  );

  test.each(["openai-chat", "anthropic-messages", "gemini", "mistral"])(
    "counts for nothing to %s where the call has a result after all, wherever that stands",
    target => {
      const late = [user([denial("r")]), user("b"), toolMessage(toolResult("c", "removed"))];
      for (const messages of [
        late,
        [late[0] as Message, assistant("hm"), user("b"), toolMessage(toolResult("c", "removed"))],
      ]) {
        const given = { ...conversation(user("a"), asks, ...messages, user("d")), tools: [{ name: "f" }] };
        const { value, issues } = prepare(given, target);
        expect(issues).toEqual([]);
        expect(JSON.stringify(value)).toContain("removed");
        expect(JSON.stringify(value)).not.toContain("never");
      }
    },
  );

  const both = assistant(["c", "d"].map(callId => toolCall({ callId, name: "f", input: {} })));
  const denied = (callId: string): Part => ({ ...denial(`r-${callId}`), callId }) as Part;

  test.each<[what: string, target: string, messages: readonly Message[]]>([
    ["beside what else they say", "bedrock-converse", [asks, user([denial("r"), text("b")])]],
    ["behind it", "bedrock-converse", [asks, user([text("b"), denial("r")])]],
    ["beside a result", "bedrock-converse", [both, user([denied("c"), toolResult("d", "r")])]],
    ["of two calls", "bedrock-converse", [both, user([denied("c"), denied("d")]), user("b")]],
    ["behind a message of theirs", "anthropic-messages", [asks, user("b"), user([denial("r"), text("b")])]],
    ["behind a message of theirs", "gemini", [asks, user("b"), user([denial("r"), text("b")])]],
  ])("is told where a result is taken: %s, to %s", (_, target, messages) => {
    const given: Conversation = { ...conversation(user("a"), ...messages), tools: [{ name: "f" }] };
    const { value, issues, changes } = prepare(given, target);
    expect(issues).toEqual([]);
    expect(changes.length).toBeGreaterThan(0);
    expect(JSON.stringify(value).match(/never/g)).toHaveLength(JSON.stringify(given).match(/never/g)?.length ?? 0);
    const read = { from: target as FormatId, shape: "request" } as const; // a target of its format's name
    expect(checkTarget(decode(value, read).conversation, target)).toEqual([]);
  });

  test.each(["move", "error", "drop"] as const)("is told as such where calls without results are to %s", calls => {
    const given: Conversation = {
      ...conversation(user("a"), asks, user([denial("r")]), user("b")),
      tools: [{ name: "f" }],
    };
    const { value } = prepare(given, "bedrock-converse", { calls });
    expect(JSON.stringify(value)).toContain("never");
    expect(JSON.stringify(value)).not.toMatch(/interrupted/);
  });

  test("is told once, where it answers the call, though it stands before it too", () => {
    const said = user([denial("r")]);
    expect(results(conversation(user("a"), said, asks, said, user("b")))).toHaveLength(1);
  });
});

test("messages that no model reads are told where what is mended has them no more, and once", () => {
  const sealed: Part = {
    type: "compaction",
    summary: [text("s")],
    seal: { maker: "openai", values: { encrypted_content: "X" } },
  };
  const given = conversation(user("a"), assistant("b"), user([sealed]), user("q"));
  const { changes, conversation: repaired } = prepare(given, "anthropic-messages");
  expect(repaired.messages).toHaveLength(2);
  expect(changes.filter(({ path }) => path.length === 1)).toMatchObject([
    { repair: "leave-out", path: ["messages"], message: expect.stringContaining("2 messages") },
  ]);
  expect(repair(repaired, "anthropic-messages").changes).toEqual([]);
});
