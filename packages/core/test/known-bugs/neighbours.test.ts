import { type Conversation, convert, decode, encode, type Json, type JsonObject, type Message } from "translogue";
import { checkTarget, explain, prepare, targets } from "translogue/targets";
import { describe, expect, test } from "vitest";
import { all, ask, called, request, to } from "./wire.ts";

/** What stands next to the faults that were reported: the same kind, for other hosts, roles and places. */

const said = (role: string, ...parts: Message["parts"]): Message => ({ role, parts });
const text = (words: string) => ({ type: "text", text: words }) as const;
const call = (callId: string, more: object = {}) =>
  ({ type: "tool-call", callId, name: "f", input: {}, ...more }) as const;
const result = (callId: string, more: object = {}) =>
  ({ type: "tool-result", callId, output: [text("1")], ...more }) as const;
const tools = [{ name: "f", input: { type: "object", properties: {} } }] as const;
const history = (...messages: readonly Message[]): Conversation => ({
  messages: [said("user", text("q")), ...messages],
  tools,
});
const out = (conversation: Conversation, target: string, model?: string): Json =>
  prepare(conversation, target, model === undefined ? {} : { model }).value as Json; // wire values are JSON

const ids = targets.map(({ id }) => id);

describe("a seal that is packed into an id (litellm 38337, pi 2328)", () => {
  const packed = "call_23__thought__AY89";
  const given = history(
    said("assistant", call(packed), call("call_24")),
    said("tool", result(packed), result("call_24")),
  );

  // A proxy that packs wants its own ids back: what is known of no host in particular may be one.
  test.each(ids.filter(id => !["chat", "responses", "openrouter"].includes(id)))(
    "is told, and is not sent to %s, however short",
    id => {
      expect(checkTarget(given, id).map(({ code }) => code)).toContain("ids-unpacked");
      const wire = out(given, id);
      expect(JSON.stringify(wire)).not.toContain("AY89");
      const named = ["id", "call_id", "tool_call_id", "tool_use_id", "toolUseId"].flatMap(member => all(wire, member));
      const calls = named.filter(name => typeof name === "string" && name.startsWith("call_23"));
      expect(new Set(calls).size).toBeLessThanOrEqual(1);
    },
  );

  test.each(["chat", "openrouter"])("goes back to %s, which may have packed it", id => {
    expect(JSON.stringify(out(given, id))).toContain(packed);
  });
});

describe("calls and results in messages that cannot have them", () => {
  const misplaced = history(said("user", text("and then?"), call("c")), said("system", result("c")));
  test.each(ids)("stand in messages of their own for %s, called before answered", id => {
    const { issues, value, changes } = prepare(misplaced, id);
    expect(issues).toEqual([]);
    expect(changes.map(({ repair }) => repair)).toContain("fit-roles");
    const wire = JSON.stringify(value);
    expect(wire.indexOf("and then?")).toBeLessThan(wire.search(/"name":"f"/));
  });
});

describe("results of which the last one counts", () => {
  const bit = result("c", { output: [text("half")], preliminary: true });
  test.each(ids)("go to %s as that one alone", id => {
    const wire = JSON.stringify(out(history(said("assistant", call("c")), said("tool", bit, result("c"))), id));
    expect(wire).not.toContain("half");
  });

  test("leave a call open where the last never came", () => {
    const { changes } = prepare(history(said("assistant", call("c")), said("tool", bit)), "openai-chat");
    expect(changes.map(({ repair }) => repair)).toEqual(["pair-results", "answer-calls"]);
  });
});

describe("system text in the middle (litellm 36559)", () => {
  const given = history(
    said("assistant", text("b")),
    said("user", text("c")),
    said("system", text("new rule")),
    said("user", text("d")),
  );
  test.each(["bedrock-converse", "gemini", "vertex", "anthropic-messages"])("is never hoisted by %s", id => {
    const wire = out(given, id) as JsonObject; // a request
    expect(JSON.stringify(wire["system"] ?? wire["systemInstruction"] ?? null)).not.toContain("new rule");
    expect(JSON.stringify(wire["messages"] ?? wire["contents"])).toMatch(/"c".*new rule.*"d"/);
  });
});

describe("the word that stands for a signature of Google's (OmniRoute 1410)", () => {
  test.each(["gemini", "vertex"])("reaches %s, with the first call of a step only", id => {
    const given = history(said("assistant", call("a"), call("b")), said("tool", result("a"), result("b")));
    expect(all(out(given, id, "gemini-3-pro"), "thoughtSignature")).toHaveLength(1);
    expect(all(out(given, id, "gemini-2.5-flash"), "thoughtSignature")).toHaveLength(0);
  });
});

describe("reasoning that is not sent", () => {
  const foreign = {
    type: "reasoning",
    text: "hm",
    seal: { maker: "anthropic", values: { signature: "SIG" } },
  } as const;
  const bare = { type: "reasoning", text: "hm" } as const;
  test.each([
    ["bedrock-converse", foreign],
    ["bedrock-converse", bare],
    ["anthropic-messages", bare],
    ["anthropic-messages", { type: "reasoning", text: "hm", seal: { maker: "anthropic", values: {} } } as const],
  ])("leaves no neighbours of one side and no blank end behind it for %s", (id, part) => {
    const model = id === "bedrock-converse" ? "amazon.nova-pro-v1:0" : "claude-sonnet-4-0";
    const { value, issues } = prepare(
      history(said("assistant", part), said("user", text("go on")), said("assistant", text("so "), part)),
      id,
      { model },
    );
    expect(issues).toEqual([]);
    expect(JSON.stringify(value)).not.toMatch(/SIG|"hm"/);
    const { conversation } = decode(value, { from: id as "anthropic-messages", ...request }); // a target of that format
    expect(checkTarget(conversation, id, { model }).filter(({ severity }) => severity === "error")).toEqual([]);
  });
});

describe("text that says nothing (opencode 24087, home-assistant 175637)", () => {
  test.each([
    ["a refusal", said("assistant", { type: "refusal", text: "" })],
    ["blanks beside blanks", said("assistant", text("\n"), text(" "))],
    ["a zero-width text of a tool's message", said("assistant", text("\u2003\n"))],
  ])("is left out, and its message with it: %s", (_, message) => {
    for (const id of ["anthropic-messages", "bedrock-converse"]) {
      const { value, issues } = prepare(history(message, said("user", text("go on"))), id);
      expect(issues).toEqual([]);
      expect(all(value as Json, "text").filter(words => typeof words === "string" && words.trim() === "")).toEqual([]);
    }
  });
});

describe("documents for Bedrock", () => {
  const pdf = { type: "file", mediaType: "application/pdf", name: "notes", source: { data: "JVBERi0=" } } as const;
  test("never stand alone in a message", () => {
    const wire = out({ messages: [said("user", pdf)] }, "bedrock-converse");
    expect(all(wire, "content")[0]).toMatchObject([{ text: "(document)" }, { document: {} }]);
  });
});

describe("histories with calls and no tools (zot 18)", () => {
  test("get the tools that they call, though others are there that only their provider runs", () => {
    const given = history(said("assistant", call("c")), said("tool", result("c")));
    const wire = out({ ...given, tools: [{ name: "web", kind: "web-search" }] }, "bedrock-converse");
    expect(all(wire, "toolSpec")).toMatchObject([{ name: "f" }]);
  });
});

describe("what an Anthropic-facing client echoes (cc-switch 5725)", () => {
  test("brings the signature of Google's call home", () => {
    const part: Json = { functionCall: { id: "t", name: "Bash", args: {} }, thoughtSignature: "VFQ=" };
    const answer: Json = { candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP" }] };
    const { wire } = to(answer, "gemini", "anthropic-messages", { shape: "answer", recipient: "client", carry: true });
    const [content = null] = all(wire, "content");
    const echoed: Json = [{ type: "tool_result", tool_use_id: "t", content: "1" }];
    const asked = ask([
      { role: "user", content: "q" },
      { role: "assistant", content },
      { role: "user", content: echoed },
    ]);
    expect(all(to(asked, "anthropic-messages", "gemini").wire, "parts")).toContainEqual([part]);
  });
});

describe("appending a message (llm-bridge 2.0.1)", () => {
  const first: Json = {
    model: "m",
    input: [
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "E" },
      { type: "function_call", call_id: "c", name: "f", arguments: "{}" },
      { type: "function_call_output", call_id: "c", output: "1" },
    ],
  };
  test("leaves all that was there as it was, in the same format and prepared", () => {
    const { conversation } = decode(first, { from: "openai-responses", ...request });
    const longer = { ...conversation, messages: [...conversation.messages, said("user", text("next"))] };
    const items = (value: unknown): readonly Json[] => (value as { input: readonly Json[] }).input; // a request
    for (const value of [
      encode(longer, { to: "openai-responses", ...request }).value,
      prepare(longer, "openai-responses").value,
    ]) {
      expect(items(value).slice(0, 3)).toEqual(items(first));
      expect(items(value)).toHaveLength(4);
    }
  });
});

describe("times of messages (TanStack 1203)", () => {
  test("come back from a list of UI messages that a store kept", () => {
    const given: Conversation = {
      messages: [{ ...said("user", text("x")), id: "m1", createdAt: "2026-08-22T00:00:00Z" }],
    };
    const { value } = encode(given, { to: "ai-sdk-ui", shape: "messages", recipient: "store" });
    const { value: back } = convert(value, {
      from: "ai-sdk-ui",
      to: "ai-sdk-ui",
      shape: "messages",
      recipient: "store",
    });
    expect(decode(back, { from: "ai-sdk-ui", shape: "messages" }).conversation.messages).toEqual(given.messages);
  });
});

describe("an error text of a provider", () => {
  test.each<[text: string, target: string, rule: string]>([
    [
      "messages.3.content.1.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
      "anthropic-messages",
      "call-ids",
    ],
    ["messages: text content blocks must be non-empty", "anthropic-messages", "text-not-empty"],
    ["No tool output found for function call call_7.", "openai-responses", "calls-answered"],
    [
      "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
      "openai-responses",
      "reasoning-followed",
    ],
    ["Unexpected role 'user' after role 'tool'", "mistral", "answer-after-results"],
    ["Please ensure that multiturn requests ends with a user role or a function response.", "gemini", "last-turn"],
    [
      "The toolConfig field must be defined when using toolUse and toolResult content blocks.",
      "bedrock-converse",
      "tools-declared",
    ],
  ])("leads to its rule, in whatever body it comes: %s", (words, target, rule) => {
    for (const body of [words, JSON.stringify({ error: { message: words } }), `400 ${words}\nrequest id: req_1`]) {
      expect(explain(body, { target })?.rule).toBe(rule);
    }
  });
});

test("calls of one id in several turns keep their own results, whatever the id becomes", () => {
  const id = "functions.f:0";
  const given = history(
    said("assistant", call(id)),
    said("tool", result(id, { output: [text("first")] })),
    said("assistant", call(id)),
    said("tool", result(id, { output: [text("second")] })),
  );
  const chat = to(
    ask([{ role: "assistant", tool_calls: [called(id), called(id)] }]),
    "openai-chat",
    "anthropic-messages",
  );
  expect(all(chat.wire, "type")).toContain("tool_use");
  for (const target of ["anthropic-messages", "mistral", "openai-responses"]) {
    const wire = JSON.stringify(out(given, target));
    expect(wire.indexOf("first")).toBeLessThan(wire.indexOf("second"));
  }
});
