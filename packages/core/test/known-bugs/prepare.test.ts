import { type Conversation, decode, type FormatRef, type Json, type JsonObject, type Message } from "translogue";
import { type PrepareOptions, prepare, repair } from "translogue/targets";
import { describe, expect, test } from "vitest";
import { all, ask, called, png, request } from "./wire.ts";

/** A request of one provider, prepared for another: what goes out, and which repairs were needed. */
function prepared(value: Json, from: FormatRef, target: string, options: PrepareOptions = {}) {
  const { conversation } = decode(value, from.startsWith("ai-sdk") ? from : { from, ...request });
  const { model: _, ...others } = conversation;
  const { value: written, changes, issues } = prepare(others, target, options);
  expect(issues).toEqual([]);
  return { wire: written as Json, repairs: [...new Set(changes.map(change => change.repair))] }; // wire values are JSON
}

const chat = (...messages: readonly Json[]): Json => ask([{ role: "user", content: "q" }, ...messages]);
const asks = (...ids: readonly string[]): Json => ({ role: "assistant", tool_calls: ids.map(id => called(id)) });
const tells = (id: string, content: Json = "1"): Json => ({ role: "tool", tool_call_id: id, content });
const said = (role: string, content: Json): Json => ({ role, content });
const use = (id: string, name = "f"): Json => ({ type: "tool_use", id, name, input: {} });
const told = (id: string, content: Json = "1"): Json => ({ type: "tool_result", tool_use_id: id, content });
const thinking = (words: string, signature: string): Json => ({ type: "thinking", thinking: words, signature });
const tools: Json = [{ name: "f", input_schema: { type: "object" } }];
const claude = (messages: readonly Json[]): Json => ask([said("user", "q"), ...messages], { tools });
const items = (input: readonly Json[], more: JsonObject = {}): Json => ({ model: "m", input, ...more });
const functionCall = (id: string, more: JsonObject = {}): Json => ({
  type: "function_call",
  call_id: id,
  name: "f",
  arguments: "{}",
  ...more,
});
const output = (id: string, value: Json = "1"): Json => ({ type: "function_call_output", call_id: id, output: value });
const rs = (id: string): Json => ({ type: "reasoning", id, summary: [], encrypted_content: "E" });
const message = (id: string): Json => ({
  type: "message",
  id,
  role: "assistant",
  content: [{ type: "output_text", text: "a", annotations: [] }],
});
const image: Json = { type: "image", source: { type: "base64", media_type: "image/png", data: png } };

describe("ids of calls", () => {
  const long = `call_x__thought__${"A".repeat(900)}`;

  test.each<[report: string, value: Json, from: FormatRef, target: string, ids: RegExp, members: readonly string[]]>([
    [
      "pi 9048",
      claude([said("assistant", [use("call_AB|fc_0f0d91e0a300")]), said("user", [told("call_AB|fc_0f0d91e0a300")])]),
      "anthropic-messages:compatible",
      "anthropic-messages",
      /^[a-zA-Z0-9_-]{1,64}$/,
      ["id", "tool_use_id"],
    ],
    [
      "pi 3975",
      chat(asks("ns.bash:0"), tells("ns.bash:0")),
      "openai-chat",
      "mistral",
      /^[a-zA-Z0-9]{9}$/,
      ["id", "tool_call_id"],
    ],
    [
      "pi 2328",
      chat(asks(long), tells(long)),
      "openai-chat",
      "openai-responses",
      /^(?!.*A{20}).{1,64}$/,
      ["call_id", "call_id"],
    ],
    [
      "langchain 37756",
      chat(asks("functions.write_todos:0"), tells("functions.write_todos:0")),
      "openai-chat",
      "anthropic-messages",
      /^[a-zA-Z0-9_-]{1,64}$/,
      ["id", "tool_use_id"],
    ],
    [
      "litellm 38337",
      items([functionCall("call_23__thought__AY89", { id: "call_9" }), output("call_23__thought__AY89")]),
      "openai-responses",
      "openai-responses",
      /^(?!.*AY89).{1,64}$/,
      ["call_id", "call_id"],
    ],
  ])(
    "that another provider gave fit, in the call and in its result (%s)",
    (...[, value, from, target, fits, members]) => {
      const { wire, repairs } = prepared(value, from, target);
      const ids = [...new Set(members)].flatMap(member => all(wire, member)) as string[]; // ids are texts
      expect(ids).toHaveLength(2);
      expect(new Set(ids).size).toBe(1);
      expect(ids[0]).toMatch(fits);
      expect(repairs).toContain("fit-call-ids");
      expect(prepared(value, from, target).wire).toEqual(wire);
    },
  );

  test("that fit stay byte for byte (langchain 37756)", () => {
    const { wire } = prepared(
      chat(asks("toolu_01", "a.b"), tells("toolu_01"), tells("a.b")),
      "openai-chat",
      "anthropic-messages",
    );
    expect(all(wire, "tool_use_id")[0]).toBe("toolu_01");
    expect(all(wire, "tool_use_id")).toEqual(all(wire, "id"));
  });

  test("of items that begin with another word are left out, and the pairs stay (agentgateway 2937, litellm 38337)", () => {
    const custom: Json = { type: "custom_tool_call", id: "call_b", call_id: "call_b", name: "g", input: "x" };
    const input = [
      functionCall("call_a", { id: "call_a" }),
      custom,
      output("call_a"),
      { type: "custom_tool_call_output", call_id: "call_b", output: "2" },
    ];
    const { wire, repairs } = prepared(items(input), "openai-responses", "openai-responses");
    expect(all(wire, "id")).toEqual([]);
    expect(all(wire, "call_id")).toEqual(["call_a", "call_b", "call_a", "call_b"]);
    expect(repairs).toEqual(["drop-item-ids"]);
  });
});

describe("calls and results", () => {
  test("a call that is open when the history is compacted is answered before (openai-agents 2317)", () => {
    const { wire, repairs } = prepared(
      items([functionCall("c1"), { type: "compaction_trigger" }]),
      "openai-responses",
      "openai-responses",
    );
    expect(all(wire, "type")).toEqual(["function_call", "function_call_output", "compaction_trigger"]);
    expect(repairs).toEqual(["answer-calls"]);
  });

  test("results of one step are one content, in the order of the calls (pi 5528)", () => {
    const ids = ["c1", "c2", "c3", "c4"];
    const { wire } = prepared(chat(asks(...ids), ...ids.map(id => tells(id))), "openai-chat", "gemini");
    const contents = (wire as { contents: { role: string; parts: Json[] }[] }).contents; // a request
    expect(contents.map(({ role, parts }) => [role, parts.length])).toEqual([
      ["user", 1],
      ["model", 4],
      ["user", 4],
    ]);
    expect(all(contents.at(-1) as Json, "id")).toEqual(ids);
  });

  const cut: Json = [
    { id: "1", role: "assistant", parts: [{ type: "tool-x", toolCallId: "t1", state: "input-available", input: {} }] },
  ];

  test("a call that nobody finished is answered as interrupted, or left out (vercel/ai 7100)", () => {
    const answered = prepared(cut, "ai-sdk-ui", "anthropic-messages").wire;
    expect(all(answered, "is_error")).toEqual([true]);
    expect(all(answered, "tool_use_id")).toEqual(["t1"]);
    // Nothing else was said, and no provider takes an empty history.
    const left = prepared(cut, "ai-sdk-ui", "anthropic-messages", { calls: "drop" }).wire;
    expect(all(left, "role")).toEqual(["user"]);
    expect(all(left, "tool_use_id")).toEqual([]);
  });

  test("tools that only the history calls are declared (sigit 81 and others, bedrock)", () => {
    const { wire, repairs } = prepared(
      ask([said("user", "q"), said("assistant", [use("t")]), said("user", [told("t")])]),
      "anthropic-messages",
      "bedrock-converse",
    );
    expect(wire).toMatchObject({ toolConfig: { tools: [{ toolSpec: { name: "f" } }] } });
    expect(repairs).toEqual(["declare-tools"]);
  });

  test("a user right behind results is told apart by a made answer, marked as such (litellm 6323)", () => {
    const value = chat(asks("Abcdefgh1"), tells("Abcdefgh1"), said("user", "n"));
    expect(all(prepared(value, "openai-chat", "mistral").wire, "role")).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
    const { conversation } = decode(value, { from: "openai-chat", ...request });
    expect(repair(conversation, "mistral").conversation.messages[3]).toMatchObject({
      role: "assistant",
      synthetic: "bridge",
    });
  });
});

describe("reasoning", () => {
  test("that another maker sealed never goes out as a signature (pi 9048)", () => {
    const value = items([rs("rs_1"), functionCall("c"), output("c")]);
    const { wire, repairs } = prepared(value, "openai-responses", "anthropic-messages");
    expect(JSON.stringify(wire)).not.toMatch(/thinking|rs_1|"E"/);
    expect(repairs).toContain("drop-seals");
  });

  test("keeps its order where an empty text between it has to go (opencode 21370, 24087)", () => {
    const content = [
      thinking("", "S1"),
      { type: "text", text: "" },
      thinking("", "S2"),
      { type: "text", text: "answer" },
      use("t"),
    ];
    const { wire, repairs } = prepared(
      claude([said("assistant", content), said("user", [told("t")])]),
      "anthropic-messages",
      "anthropic-messages",
    );
    expect(all(wire, "signature")).toEqual(["S1", "S2"]);
    expect(all(wire, "text")).toEqual(["answer"]);
    expect(repairs).toEqual(["trim-text"]);
  });

  test("of several answers in one turn is that of the answer with the call (vscode 328157)", () => {
    const messages = [
      said("assistant", [thinking("1", "S1")]),
      said("assistant", [thinking("2", "S2"), use("t")]),
      said("user", [told("t")]),
    ];
    const { wire, repairs } = prepared(claude(messages), "anthropic-messages", "anthropic-messages");
    expect(all(wire, "signature")).toEqual(["S2"]);
    expect(repairs).toEqual(["drop-reasoning"]);
  });

  test.each<[report: string, input: readonly Json[], more: JsonObject, left: readonly Json[]]>([
    [
      "named alone before a whole item: vercel/ai 10829",
      [{ type: "item_reference", id: "rs_1" }, functionCall("c1"), output("c1")],
      {},
      [],
    ],
    ["followed by other reasoning: inspect_ai 1990", [rs("rs_1"), rs("rs_2"), message("msg_1")], {}, ["rs_2", "msg_1"]],
    [
      "regrouped before the calls, which then stand alone: TanStack/ai 1212, 1365",
      [
        rs("rs_A"),
        rs("rs_B"),
        functionCall("a", { id: "fc_A" }),
        functionCall("b", { id: "fc_B" }),
        output("a"),
        output("b"),
      ],
      {},
      ["rs_B"],
    ],
    [
      "regrouped before some calls, and right before another, which keeps its own",
      [
        rs("rs_A"),
        rs("rs_B"),
        functionCall("a", { id: "fc_A" }),
        rs("rs_C"),
        functionCall("c", { id: "fc_C" }),
        output("a"),
        output("c"),
      ],
      {},
      ["rs_B", "rs_C", "fc_C"],
    ],
    ["with items that are not stored: langchain 38372", [rs("rs_1"), message("msg_1")], { store: false }, ["rs_1"]],
    [
      "named though the stored answer has it: mastra 21908",
      [{ type: "item_reference", id: "msg_turn1" }, said("user", "next")],
      { previous_response_id: "resp_1" },
      [],
    ],
  ])("goes back with what it belongs to (%s)", (_, input, more, left) => {
    const { wire } = prepared(items(input, more), "openai-responses", "openai-responses");
    expect(all(wire, "id")).toEqual(left);
    expect(all(wire, "encrypted_content").length).toBe(left.filter(id => String(id).startsWith("rs_")).length);
  });

  test("goes back with its calls to DeepSeek, an empty one where there was none (pi 3636)", () => {
    const { wire } = prepared(chat(asks("c"), tells("c")), "openai-chat", "deepseek-chat", {
      model: "deepseek-reasoner",
    });
    expect(all(wire, "reasoning_content")).toEqual([""]);
    const own: Json = { role: "assistant", content: "", reasoning_content: "hm", tool_calls: [called("c")] };
    const kept = prepared(chat(own, tells("c")), "openai-chat:deepseek", "deepseek-chat", {
      model: "deepseek-reasoner",
    });
    expect(all(kept.wire, "reasoning_content")).toEqual(["hm"]);
    expect(kept.repairs).toEqual([]);
  });
});

describe("texts", () => {
  test("white space alone is no text (home-assistant 175637)", () => {
    const { wire } = prepared(
      ask([said("user", [{ type: "text", text: "\n" }]), said("user", "x")]),
      "anthropic-messages",
      "anthropic-messages",
    );
    expect(all(wire, "content")).toEqual(["x"]);
  });

  test("half a character is replaced where it goes out, and stays in the store (opencode 13985)", () => {
    const value = claude([said("assistant", [use("t")]), said("user", [told("t", "bad \ud83d end")])]);
    const { conversation } = decode(value, { from: "anthropic-messages", ...request });
    const { value: wire } = prepare(conversation, "anthropic-messages");
    expect(all(wire as Json, "content").at(-1)).toBe("bad \ufffd end"); // wire values are JSON
    expect(JSON.stringify(conversation)).toContain("bad \\ud83d end");
  });

  test.each([
    [undefined, ["user", "assistant", "user", "user"]],
    ["claude-opus-4-8", ["user", "assistant", "user", "system"]],
  ])("what the system says in the middle stays in its place for %s (litellm 36559)", (model, roles) => {
    const messages = [said("user", "a"), said("assistant", "b"), said("user", "c"), said("system", "new rule")];
    const { wire } = prepared(
      ask(messages),
      "anthropic-messages",
      "anthropic-messages",
      model === undefined ? {} : { model },
    );
    expect(all(wire, "role")).toEqual(roles);
    expect(all(wire, "system")).toEqual([]);
  });
});

describe("images of results", () => {
  test("are shown behind all results, with the name of the tool (anton 230)", () => {
    const content = [told("A", [{ type: "text", text: "r" }, image]), told("B", "2")];
    const { wire } = prepared(
      claude([said("assistant", [use("A", "shot"), use("B")]), said("user", content)]),
      "anthropic-messages",
      "openai-chat",
    );
    const messages = (wire as { messages: { role: string; content: Json }[] }).messages; // a request
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool", "user"]);
    expect(JSON.stringify(messages.at(-1))).toMatch(/`shot`.*data:image\/png;base64/);
    expect(messages.slice(2, 4).map(each => each.content)).toEqual(["r", "2"]);
  });

  const url = `data:image/png;base64,${png}`;
  const sdk: Json = [
    said("assistant", [{ type: "tool-call", toolCallId: "t", toolName: "f", input: {} }]),
    said("tool", [
      {
        type: "tool-result",
        toolCallId: "t",
        toolName: "f",
        output: { type: "content", value: [{ type: "media", mediaType: "image/png", data: png }] },
      },
    ]),
  ];

  test.each<[report: string, value: Json, from: FormatRef, target: string]>([
    [
      "litellm 6953",
      chat(
        asks("t"),
        tells("t", [
          { type: "text", text: "x" },
          { type: "image_url", image_url: { url } },
        ]),
      ),
      "openai-chat",
      "anthropic-messages",
    ],
    [
      "command-code 902",
      items([functionCall("c"), output("c", [{ type: "input_image", image_url: url, detail: "auto" }])]),
      "openai-responses",
      "anthropic-messages",
    ],
    ["vercel/ai 21174", sdk, "ai-sdk-model", "xai"],
  ])("are images, and never text (%s)", (_, value, from, target) => {
    const { wire } = prepared(value, from, target);
    expect(all(wire, "text").join("")).not.toContain(png);
    expect(
      all(wire, "content")
        .filter(content => typeof content === "string")
        .join(""),
    ).not.toContain(png);
    expect([...all(wire, "data"), ...all(wire, "url")].join("")).toContain(png);
  });

  test("images of results are words for a host that reads no images, and never their bytes (vercel/ai 21174)", () => {
    const { wire, repairs } = prepared(sdk, "ai-sdk-model", "deepseek-chat");
    expect(JSON.stringify(wire)).not.toContain(png);
    expect(repairs).toContain("replace-media");
  });
});

test("nothing of the stored conversation is changed, so the first provider gets its own part back byte for byte", () => {
  const first = claude([said("assistant", [thinking("hm", "S"), use("toolu_1")]), said("user", [told("toolu_1")])]);
  const { conversation } = decode(first, { from: "anthropic-messages", ...request });
  const answers: readonly Message[] = [
    {
      role: "assistant",
      parts: [
        { type: "reasoning", seal: { maker: "openai", values: { id: "rs_1", encrypted_content: "E" } } },
        { type: "text", text: "b" },
      ],
    },
    { role: "user", parts: [{ type: "text", text: "go on" }] },
  ];
  const longer: Conversation = { ...conversation, messages: [...conversation.messages, ...answers] };
  for (const target of ["openai-responses", "gemini", "mistral"]) {
    expect(JSON.stringify(prepare(longer, target).value)).not.toContain('"S"');
  }
  const back = (prepare(longer, "anthropic-messages").value as { messages: Json[] }).messages; // a request
  expect(back.slice(0, 3)).toEqual((first as { messages: Json[] }).messages);
});
