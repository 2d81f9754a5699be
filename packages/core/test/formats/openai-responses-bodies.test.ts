import type { Json, JsonObject, Part } from "translogue";
import { decode, encode } from "translogue/convert";
import { openaiResponses } from "translogue/openai-responses";
import { describe, expect, test } from "vitest";
import {
  again,
  body,
  codes,
  message,
  readAnswer,
  request,
  said,
  seal,
  text,
  write,
} from "./openai-responses-values.ts";

describe("answers", () => {
  const call = { id: "fc_1", type: "function_call", status: "completed", call_id: "c", name: "f", arguments: "{}" };
  const refusal = message("", { content: [{ type: "refusal", refusal: "no" }] });
  test.each<[name: string, wire: JsonObject, finish: JsonObject]>([
    ["done", body([message("a")]), { reason: "stop" }],
    ["with calls", body([call]), { reason: "tool-calls" }],
    ["with a refusal", body([refusal]), { reason: "refusal" }],
    [
      "too long",
      body([], { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }),
      { reason: "length" },
    ],
    [
      "filtered",
      body([], { status: "incomplete", incomplete_details: { reason: "content_filter" } }),
      { reason: "content-filter" },
    ],
    [
      "steered",
      body([], { status: "incomplete", incomplete_details: { reason: "steered" } }),
      { reason: "other", raw: "steered" },
    ],
    ["cut", body([], { status: "incomplete" }), { reason: "incomplete" }],
    ["cancelled", body([], { status: "cancelled" }), { reason: "aborted" }],
    ["in the queue", body([], { status: "queued" }), { reason: "pending", raw: "queued" }],
    ["at work", body([], { status: "in_progress" }), { reason: "pending" }],
    ["failed", body([], { status: "failed", error: { code: "e", message: "m" } }), { reason: "error" }],
    ["of a status that nobody knows", body([], { status: "dreaming" }), { reason: "other", raw: "dreaming" }],
  ])("%s", (_, wire, finish) => {
    expect(readAnswer(wire).at(-1)?.finish).toEqual(finish);
    expect(again(wire, "answer")).toMatchObject({ value: wire, losses: [] });
  });

  test("an error that is a text with a code beside it is one (xAI)", () => {
    const wire = { code: "invalid-argument", error: "No such model." };
    const { conversation, shape } = decode(openaiResponses, wire);
    expect(shape).toBe("error");
    expect(conversation.messages[0]?.parts[0]).toMatchObject({ type: "error", message: "No such model." });
    expect(again(wire, "error").value).toEqual(wire);
  });

  const { id: _, ...withoutId } = call;
  test.each<[item: JsonObject]>([
    [{ ...withoutId, item_id: "fc_1" }],
    [{ type: "message", role: "assistant", status: "completed", content: [] }],
    [{ type: "reasoning", summary: [{ type: "summary_text", text: "a" }] }],
    [{ type: "function_call_output", call_id: "c", output: "a" }],
    [{ type: "compaction", encrypted_content: "E" }],
  ])("an item without an id gets none: %j", item => {
    const wire = body([item]);
    expect(again(wire, "answer")).toMatchObject({ value: wire, losses: [] });
    expect(again(wire, "answer").value).toEqual(wire);
  });

  test("usage is told in buckets that add up (R24)", () => {
    const usage = {
      input_tokens: 90,
      input_tokens_details: { cached_tokens: 64, cache_write_tokens: 6 },
      output_tokens: 40,
      output_tokens_details: { reasoning_tokens: 30 },
      total_tokens: 135,
    };
    const wire = body([message("a")], { usage });
    expect(readAnswer(wire)[0]?.usage).toEqual({
      input: 20,
      cacheRead: 64,
      cacheWrite: 6,
      output: 10,
      reasoning: 30,
      other: 5,
    });
    expect(again(wire, "answer").value).toEqual(wire);
  });

  test.each([
    ["cached in input", { input_tokens: 10, input_tokens_details: { cached_tokens: 20 }, output_tokens: 5 }, true],
    [
      "reasoning in output",
      { input_tokens: 1, output_tokens: 5, output_tokens_details: { reasoning_tokens: 6 } },
      true,
    ],
    [
      "beside, as the total says",
      { input_tokens: 10, input_tokens_details: { cached_tokens: 20 }, output_tokens: 5, total_tokens: 35 },
      false,
    ],
    [
      "all of it",
      { input_tokens: 10, input_tokens_details: { cached_tokens: 10 }, output_tokens: 5, total_tokens: 15 },
      false,
    ],
  ])("parts that are more than their count are reported (R24): %s", (_, usage, isReported) => {
    const { issues } = decode(openaiResponses, body([message("a")], { usage }));
    expect(issues.map(({ code, wirePath }) => [code, wirePath])).toEqual(
      isReported ? [["usage-parts", ["usage"]]] : [],
    );
  });

  test("an item that is not whole is open", () => {
    const wire = body([message("On"), message("ce", { id: "msg_2", status: "incomplete" })], { status: "incomplete" });
    expect(said(readAnswer(wire)).map(part => part.partial)).toEqual([undefined, true]);
    expect(again(wire, "answer").value).toEqual(wire);
  });

  test("a compacted history has messages of all sides, with one answer's id (R16)", () => {
    const wire: JsonObject = {
      id: "resp_1",
      object: "response.compaction",
      created_at: 1,
      output: [
        {
          id: "msg_1",
          type: "message",
          status: "completed",
          role: "user",
          content: [{ type: "input_text", text: "a" }],
        },
        { id: "cmp_1", type: "compaction", encrypted_content: "E" },
      ],
      usage: null,
    };
    expect(readAnswer(wire).map(({ role, responseId }) => [role, responseId])).toEqual([
      ["user", "resp_1"],
      ["assistant", "resp_1"],
    ]);
    expect(again(wire, "answer").value).toEqual(wire);
  });

  test("an answer of another provider has all members that clients look for, and ids that are told from a maker's", () => {
    const { value, losses } = encode(
      openaiResponses,
      { messages: [{ role: "assistant", parts: [text("a")], finish: { reason: "stop" } }] },
      { shape: "answer" },
    );
    expect(losses.map(({ message }) => message.split(": ").at(-1))).toEqual(["id", "created_at", "model"]);
    expect(value).toEqual(body([message("a", { id: "msg_~0" })], { id: "resp_~", created_at: 0, model: "" }));
    const made = { $response: { blank: ["id", "created_at", "model"] } };
    expect(readAnswer(value as JsonObject)).toEqual([
      { role: "assistant", parts: [text("a")], finish: { reason: "stop" }, native: { "openai-responses": made } },
    ]);
    expect(again(value, "answer")).toMatchObject({ value, losses: [] });
  });

  test("an answer without an id comes back without one", () => {
    const { id: _, ...wire } = body([message("a", { id: "msg_1" })]) as JsonObject; // a body is an object
    expect(again(wire, "answer")).toMatchObject({ value: wire, losses: [] });
    expect(again(wire, "answer").value).not.toHaveProperty("id");
  });

  test("a search that failed says so by its status, and is read as failed", () => {
    const action = { type: "search", query: "q", sources: [] };
    const item = { id: "ws_1", type: "web_search_call", action, status: "failed" };
    const [read] = readAnswer(body([item]) as JsonObject); // a body is an object
    expect(read?.parts[1]).toMatchObject({ type: "tool-result", outcome: "error" });
    expect(again(body([item]), "answer").value).toEqual(body([item]));
  });
});

describe("requests", () => {
  test("instructions are a system message in a place of its own, and an input of one text a question (R19)", () => {
    const wire = { model: "gpt-5.4", instructions: "Be brief.", input: "Hello" };
    const { conversation } = decode(openaiResponses, wire);
    expect(conversation.messages.map(({ role, parts }) => [role, parts])).toEqual([
      ["system", [text("Be brief.")]],
      ["user", [text("Hello")]],
    ]);
    expect(again(wire, "request").value).toEqual(wire);
  });

  test("a system message that came from elsewhere stays where it stands", () => {
    const { value } = request({
      messages: [
        { role: "system", parts: [text("s")] },
        { role: "user", parts: [text("u")] },
      ],
    });
    expect(value).toEqual({
      input: [
        { role: "system", content: "s" },
        { role: "user", content: "u" },
      ],
    });
  });

  test("what stands before a compaction is sent with it (R26)", () => {
    const wire: JsonObject = {
      model: "gpt-5.4",
      input: [
        { role: "user", content: "a" },
        { type: "compaction", id: "cmp_1", encrypted_content: "E" },
        { role: "user", content: "b" },
      ],
    };
    const { conversation } = decode(openaiResponses, wire, { shape: "request" });
    expect(request(conversation)).toMatchObject({ value: wire, losses: [] });
  });

  test.each<[wire: JsonObject, settings: JsonObject]>([
    [
      { max_output_tokens: 9, temperature: 0, top_p: 1, parallel_tool_calls: false },
      { maxOutputTokens: 9, temperature: 0, topP: 1, parallelToolCalls: false },
    ],
    [{ tool_choice: "required" }, { toolChoice: "required" }],
    [{ tool_choice: { type: "function", name: "f" } }, { toolChoice: { name: "f" } }],
    [{ tool_choice: { type: "web_search" } }, { toolChoice: { name: "web_search" } }],
    [{ tool_choice: { type: "mcp", server_label: "s" } }, { toolChoice: { name: "s" } }],
    [
      { tool_choice: { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "f" }] } },
      { toolChoice: { allowed: ["f"] } },
    ],
    [{ reasoning: { effort: "low", summary: "auto" } }, { reasoning: { effort: "low", summary: "auto" } }],
    [{ text: { format: { type: "json_object" }, verbosity: "low" } }, { responseFormat: { type: "json" } }],
    [
      { text: { format: { type: "json_schema", name: "n", schema: {}, strict: true, description: "d" } } },
      { responseFormat: { type: "json", name: "n", description: "d", schema: {}, strict: true } },
    ],
  ])("%j is a setting, and comes back", (wire, settings) => {
    const whole = { model: "gpt-5.4", input: [], ...wire };
    expect(decode(openaiResponses, whole).conversation.settings).toEqual(settings);
    expect(again(whole, "request").value).toEqual(whole);
  });
});

describe("seals", () => {
  const reasoning = (maker: string): Part => ({
    type: "reasoning",
    text: "r",
    summary: true,
    seal: seal({ id: "rs_1", encrypted_content: "E" }, maker),
  });

  test("go to their maker alone, and reasoning that has none is left out with a loss (R14)", () => {
    const messages = [
      {
        role: "assistant",
        parts: [reasoning("openai"), reasoning("xai"), { ...text("a"), seal: seal({ id: "msg_1" }, "xai") } as Part],
      },
    ];
    const { value, losses } = request({ model: "gpt-5.4", messages });
    expect(value).toMatchObject({
      input: [
        { type: "reasoning", id: "rs_1", encrypted_content: "E", summary: [{ text: "r" }] },
        { type: "message", content: [{ text: "a" }] },
      ],
    });
    expect(codes(losses)).toEqual(expect.arrayContaining(["foreign-seal", "bare-reasoning"]));
    expect(JSON.stringify(value)).not.toContain("msg_1");
  });

  test.each([
    ["openai", "gpt-5.4", "openai"],
    ["openai", "grok-4", "xai"],
    ["openrouter", "x-ai/grok-4", "xai"],
    ["azure", "my-deployment", "openai"],
    ["xai", "grok-4", "xai"],
    ["open", "gpt-oss-20b", undefined],
  ])("ids and encrypted contents read from `%s` with the model `%s` are %s's", (dialect, model, maker) => {
    const input = [{ type: "reasoning", id: "rs_1", summary: [], encrypted_content: "E" }];
    const { conversation } = decode(openaiResponses, { model, input }, { shape: "request", dialect });
    expect(conversation.messages[0]?.parts[0]?.seal?.maker).toBe(maker);
  });

  test.each([
    ["openai", "azure"],
    ["azure", "openai"],
  ])("citations of what `%s` keeps in its containers are not sent to `%s`, and go back", (from, to) => {
    const kept = { type: "container_file_citation", container_id: "cntr_1", file_id: "cfile_1", filename: "a" };
    const page = { type: "url_citation", url: "https://a.example", title: "t", start_index: 0, end_index: 1 };
    const cited = (...annotations: readonly Json[]) => ({
      input: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "a", annotations }] }],
    });
    const { conversation } = decode(openaiResponses, cited(kept, page), { shape: "request", dialect: from });
    const sent = (dialect: string) => encode(openaiResponses, conversation, { shape: "request", dialect });
    expect(sent(from).value).toMatchObject(cited(kept, page));
    expect(sent(to).value).toMatchObject(cited(page));
    expect(codes(sent(to).losses)).toContain("foreign-state");
  });

  test("a host of open models takes reasoning without a seal", () => {
    const { value } = request(
      { model: "qwen", messages: [{ role: "assistant", parts: [{ type: "reasoning", text: "r" }] }] },
      { dialect: "open" },
    );
    expect(value).toMatchObject({
      input: [{ type: "reasoning", summary: [], content: [{ type: "reasoning_text", text: "r" }] }],
    });
  });

  test.each(["tool", "assistant"])("a provider's result without its call is not sent, in a message of the %s", role => {
    const result: Part = { type: "tool-result", callId: "mcp_1", kind: "mcp", output: [text("r")] };
    const conversation = { messages: [{ role, parts: [result] }] };
    const sent = encode(openaiResponses, conversation, { shape: "request" });
    expect(sent).toMatchObject({ value: { input: [] } });
    expect(codes(sent.losses)).toContain("lone-result");
  });

  test("the calls of another provider's tools are not sent", () => {
    const parts: readonly Part[] = [
      {
        type: "tool-call",
        callId: "srvtoolu_1",
        name: "web_search",
        kind: "web-search",
        executedBy: "provider",
        input: { query: "q" },
      },
      { type: "tool-result", callId: "srvtoolu_1", output: [{ type: "source", url: "https://a" }] },
      text("a"),
    ];
    const { value, losses } = request({ model: "gpt-5.4", messages: [{ role: "assistant", parts }] });
    expect(value).toMatchObject({ input: [{ type: "message", content: [{ text: "a" }] }] });
    expect(codes(losses)).toEqual(["foreign-call", "foreign-call"]);
  });
});

describe("with carry, everything comes home", () => {
  test("messages that are joined, seals of others, members that no item has", () => {
    const messages = [
      {
        role: "assistant",
        id: "m1",
        parts: [{ ...text("a"), seal: seal({ signature: "S" }, "anthropic"), id: "p" } as Part],
      },
      { role: "assistant", id: "m2", metadata: { x: 1 }, parts: [text("b")] },
      { role: "user", parts: [{ type: "data", name: "n", data: 1 }, text("c")] as readonly Part[] },
    ];
    const { value, losses } = write(messages, { carry: true });
    expect(losses.every(({ carried }) => carried)).toBe(true);
    expect(decode(openaiResponses, value, { shape: "messages" }).conversation.messages).toEqual(messages);
  });
});
