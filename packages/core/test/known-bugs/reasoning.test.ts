import { encode, type FormatId, type Json, type Message } from "translogue";
import { describe, expect, test } from "vitest";
import { all, anthropic, ask, block, called, read, request, response, thought, to, transcoded } from "./wire.ts";

describe("reasoning", () => {
  test("in several blocks stays several, in order and with its signatures (litellm 20698)", () => {
    const wire = anthropic([thought("A", "S1"), block({ type: "redacted_thinking", data: "R" }), thought("B", "S2")]);
    const chunks = transcoded(wire, "anthropic-messages", "openai-chat");
    const [message] = read(chunks, "openai-chat");
    expect(message?.parts).toMatchObject([
      { type: "reasoning", text: "A", seal: { maker: "anthropic", values: { signature: "S1" } } },
      { type: "reasoning", seal: { maker: "anthropic", values: { data: "R" } } },
      { type: "reasoning", text: "B", seal: { maker: "anthropic", values: { signature: "S2" } } },
    ]);
  });

  test("whose signature never comes is kept, unfinished (litellm 33034)", () => {
    const [message] = read(anthropic([thought("hello", "S")]).slice(0, 3), "anthropic-messages");
    expect(message).toMatchObject({
      finish: { reason: "incomplete" },
      parts: [{ type: "reasoning", text: "hello", partial: true }],
    });
  });

  test("that is redacted is kept for its maker (litellm 9058)", () => {
    const answer = {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "claude",
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    };
    const content: Json = [
      { type: "redacted_thinking", data: "ErYE" },
      { type: "text", text: "x" },
    ];
    const { wire } = to({ ...answer, content }, "anthropic-messages", "openai-chat", {
      shape: "answer",
      recipient: "client",
    });
    const [choice] = (wire as { choices: { message: Json }[] }).choices; // an answer
    const { wire: again } = to(ask([choice?.message ?? null]), "openai-chat", "anthropic-messages");
    expect(all(again, "content")).toEqual([content]);
  });

  test("of an earlier round is not lost nor sent to another maker (openai-agents 1704)", () => {
    const input: Json = [
      {
        type: "reasoning",
        id: "rs_1",
        summary: [],
        content: [{ type: "reasoning_text", text: "t" }],
        encrypted_content: "SIG",
      },
      { type: "function_call", call_id: "c", name: "f", arguments: "{}" },
    ];
    const { wire, codes } = to({ model: "m", input }, "openai-responses", "anthropic-messages");
    expect(JSON.stringify(wire)).not.toContain("SIG");
    expect(codes).toEqual(expect.arrayContaining(["foreign-seal", "bare-reasoning"]));
  });

  test("that only the last event tells whole is whole (pi 6409)", () => {
    const item = { type: "reasoning", id: "rs_1", summary: [] };
    const wire: Json[] = [
      { type: "response.created", response: response("in_progress") },
      { type: "response.output_item.added", output_index: 0, item },
      { type: "response.output_item.done", output_index: 0, item },
      {
        type: "response.completed",
        response: response("completed", { output: [{ ...item, encrypted_content: "E" }] }),
      },
    ];
    expect(read(wire, "openai-responses")[0]?.parts).toMatchObject([{ seal: { values: { encrypted_content: "E" } } }]);
  });

  test("under either name is written under the host's own, beside its calls (langchainjs 10883, agent-framework 8382, LibreChat 13368)", () => {
    const ai: Json = [
      {
        type: "ai",
        content: "",
        additional_kwargs: { reasoning_content: "t" },
        tool_calls: [{ id: "c", name: "f", args: {} }],
      },
    ];
    const asked = to(ai, "langchain", "openai-chat", { as: "request", toDialect: "deepseek" });
    expect(asked.wire).toMatchObject({ messages: [{ reasoning_content: "t", tool_calls: [{ id: "c" }] }] });
    const spelled = to(ask([{ role: "assistant", reasoning: "t", content: "a" }]), "openai-chat", "openai-chat", {
      ...request,
      dialect: "openrouter",
      toDialect: "deepseek",
    });
    expect(spelled.wire).toMatchObject({ messages: [{ reasoning_content: "t", content: "a" }] });
  });

  test.each<[report: string, details: Json]>([
    ["open-webui 19328", [{ type: "reasoning.encrypted", data: "E", format: "google-gemini-v1", id: "c", index: 0 }]],
    ["inspect_ai 4979", [{ type: "reasoning.encrypted", data: "E", format: "google-gemini-v1" }]],
  ])("of OpenRouter's goes back as it came, and never into the text (%s)", (_, reasoning_details) => {
    const body = ask([{ role: "assistant", content: "", reasoning_details, tool_calls: [called("c")] }]);
    const { wire } = to(body, "openai-chat", "openai-chat", { ...request, dialect: "openrouter" });
    expect(wire).toEqual(body);
  });

  test("of Gemini's goes back byte for byte (opencode 28732)", () => {
    const parts: Json = [
      { text: "t", thought: true, thoughtSignature: "U1M=" },
      { functionCall: { name: "f", args: {} }, thoughtSignature: "VFQ=" },
    ];
    const body: Json = { contents: [{ role: "model", parts }] };
    expect(to(body, "gemini", "gemini").wire).toEqual(body);
  });

  test.each<FormatId>(["ai-sdk-ui", "ai-sdk-model", "langchain", "maf"])(
    "and its signatures pass through a client of %s and home again (TanStack 403)",
    client => {
      const body: Json = {
        contents: [
          { role: "model", parts: [{ functionCall: { id: "c", name: "f", args: {} }, thoughtSignature: "VFQ=" }] },
        ],
      };
      const there = to(body, "gemini", client, { ...request, as: "messages", recipient: "client", carry: true });
      expect(to(there.wire, client, "gemini", { shape: "messages", as: "request" }).wire).toMatchObject(body as object); // an object
    },
  );

  test("of Claude's does not go to Gemini, nor that of one Google route to the other (OmniRoute 1410, OpenRouter 491)", () => {
    const signed = (maker: string, route?: string): Message => ({
      role: "assistant",
      parts: [
        {
          type: "tool-call",
          callId: "c",
          name: "f",
          input: {},
          seal: { maker, values: { thoughtSignature: "SIG=" }, ...(route && { route }) },
        },
      ],
    });
    for (const message of [signed("anthropic"), signed("google", "vertex")]) {
      const { value, losses } = encode({ messages: [message] }, { to: "gemini", ...request });
      expect(JSON.stringify(value)).not.toContain("SIG");
      expect(losses.map(({ code }) => code)).toContain("foreign-seal");
    }
  });

  test("between a provider's own tools keeps its order (TanStack 910, opencode 21370)", () => {
    const content: Json = [
      { type: "thinking", thinking: "", signature: "S1" },
      { type: "text", text: "" },
      { type: "thinking", thinking: "A", signature: "S2" },
      { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "q" } },
      { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
      { type: "thinking", thinking: "B", signature: "S3" },
      { type: "tool_use", id: "toolu_1", name: "f", input: {} },
    ];
    const body = ask([{ role: "assistant", content }]);
    const there = to(body, "anthropic-messages", "ai-sdk-ui", {
      ...request,
      as: "messages",
      recipient: "client",
      carry: true,
    });
    const back = to(there.wire, "ai-sdk-ui", "anthropic-messages", { shape: "messages", as: "request" });
    expect(to(body, "anthropic-messages", "anthropic-messages").wire).toEqual(body);
    expect(all(all(back.wire, "content")[0] ?? null, "type")).toEqual(all(content, "type"));
  });

  test("that nobody signed is not sent as signed, and an error stays an error (llm-bridge 2.0.1)", () => {
    const contents: Json = [
      { role: "model", parts: [{ thought: true, text: "th" }, { functionCall: { name: "f", args: {} } }] },
      { role: "user", parts: [{ functionResponse: { name: "f", response: { error: "bad" } } }] },
    ];
    const { wire, codes } = to({ contents }, "gemini", "anthropic-messages");
    expect(JSON.stringify(wire)).not.toContain("thinking");
    expect(codes).toContain("bare-reasoning");
    expect(all(wire, "is_error")).toEqual([true]);
  });

  test("of DeepSeek's stands in the member that it wants, beside what its router reads (inspect_ai 4079)", () => {
    const details = [{ type: "reasoning.text", text: "t" }];
    const call = { id: "c", type: "function", function: { name: "f", arguments: "{}" } };
    const said = { role: "assistant", content: null, reasoning_details: details, tool_calls: [call] };
    const messages = [said, { role: "tool", tool_call_id: "c", content: "r" }];
    const sent = (model: string) => {
      const { wire } = to({ model, messages }, "openai-chat", "openai-chat:openrouter");
      return all(wire, "messages")[0];
    };
    expect(sent("deepseek/deepseek-v4")).toMatchObject([
      { reasoning_details: [{ text: "t" }], reasoning_content: "t" },
      {},
    ]);
    expect(JSON.stringify(sent("qwen/qwen4"))).not.toContain("reasoning_content");
  });
});
