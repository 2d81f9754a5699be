import {
  assistant,
  decode,
  type FormatRef,
  type Json,
  type JsonObject,
  type Part,
  toolCall,
  toolMessage,
  user,
} from "translogue";
import { prepare } from "translogue/targets";
import { describe, expect, test } from "vitest";
import { all, ask, called, png, request, to } from "./wire.ts";

/** What others store and send that says the same as what one would write by hand, or nothing, in a way that a host refuses. */

const said = (role: string, content: Json): Json => ({ role, content });
const use = (id: string): Json => ({ type: "tool_use", id, name: "f", input: {} });

function prepared(value: Json, from: FormatRef, target: string, model?: string): Json {
  const { conversation } = decode(value, { from, ...request });
  const { value: wire, issues } = prepare(conversation, target, model === undefined ? {} : { model });
  expect(issues).toEqual([]);
  return wire as Json; // wire values are JSON
}

/** A question, a call and this result of it, as Anthropic has them. */
const claude = (result: JsonObject): Json =>
  ask([
    said("user", "q"),
    said("assistant", [use("t")]),
    said("user", [{ type: "tool_result", tool_use_id: "t", ...result }]),
  ]);

describe("what a Python SDK stores, with null for all that was not said", () => {
  const part = (more: JsonObject): Json => ({
    ...{ text: null, functionCall: null, functionResponse: null, inlineData: null, thought: null },
    ...{ thoughtSignature: null, videoMetadata: null },
    ...more,
  });

  test("is a text, a call and its result of Gemini's (googleapis/python-genai 437)", () => {
    const contents: Json = [
      { role: "user", parts: [part({ text: "q" })] },
      { role: "model", parts: [part({ functionCall: { id: null, name: "f", args: { a: 1 } } })] },
      { role: "user", parts: [part({ functionResponse: { id: null, name: "f", response: { r: 1 } } })] },
    ];
    const { wire, codes } = to({ contents }, "gemini", "openai-chat");
    expect(all(wire, "role")).toEqual(["user", "assistant", "tool"]);
    expect(all(wire, "arguments")).toEqual(['{"a":1}']);
    expect(codes).not.toContain("opaque");
    expect(to({ contents }, "gemini", "gemini").wire).toEqual({ contents });
    const text = JSON.stringify(contents).replace(/[a-z][A-Z]/g, ([low = "", up = ""]) => `${low}_${up.toLowerCase()}`);
    expect(to({ contents: JSON.parse(text) as Json }, "gemini", "openai-chat").wire).toEqual(wire);
  });

  test("is a result of Anthropic's that says nothing, and not something unknown", () => {
    const value = claude({ content: null, is_error: null, cache_control: null });
    const { wire, codes } = to(value, "anthropic-messages", "openai-chat");
    expect(all(wire, "role")).toEqual(["user", "assistant", "tool"]);
    expect(codes).toEqual(["no-output"]);
    expect(to(value, "anthropic-messages", "anthropic-messages").wire).toEqual(value);
  });
});

test.each<Json>([{ a: 1 }, 5, null])(
  "arguments and outputs that are %j, and no text, are written as text, which is what is taken (litellm 13420)",
  value => {
    const inResponses: Json = {
      model: "m",
      input: [
        { type: "function_call", call_id: "c", name: "f", arguments: value },
        { type: "function_call_output", call_id: "c", output: value },
      ],
    };
    const call: Json = { id: "c", type: "function", function: { name: "f", arguments: value } };
    const inChat = ask([
      said("user", "q"),
      { role: "assistant", tool_calls: [call] },
      { role: "tool", tool_call_id: "c", content: value },
    ]);
    const wires: Json[] = [
      prepared(inResponses, "openai-responses", "openai-responses"),
      prepared(inChat, "openai-chat", "openai-chat"),
    ];
    const told = ["arguments", "output", "content"].flatMap(name => all(wires, name));
    expect(told.map(text => typeof text)).toEqual(told.map(() => "string"));
    expect(told[0]).toBe(value === null ? "{}" : JSON.stringify(value));
  },
);

describe("what images are said to be", () => {
  const jpeg = "/9j/4AAQSkZJRgAB";
  const webp = "UklGRiQAAABXRUJQVlA4";
  test.each<[report: string, type: string, data: string, sent: string]>([
    ["1jehuang/jcode 465", "image/png", jpeg, "image/jpeg"],
    ["claude-code 11936", "image/jpeg", png, "image/png"],
    ["a type that there is none of", "image/jpg", "AAAA", "image/jpeg"],
    ["with a parameter", "image/png;charset=utf-8", png, "image/png"],
    ["in capitals", "IMAGE/WEBP", webp, "image/webp"],
    ["right", "image/webp", webp, "image/webp"],
  ])(
    "is what their bytes say, by the name that it has, and none is left out for its name (%s)",
    (...[, type, data, sent]) => {
      const shown: Json = { type: "image_url", image_url: { url: `data:${type};base64,${data}` } };
      const wire = prepared(ask([said("user", [shown])]), "openai-chat", "anthropic-messages");
      expect([all(wire, "media_type"), all(wire, "data")]).toEqual([[sent], [data]]);
      const inResult = claude({ content: [{ type: "image", source: { type: "base64", media_type: type, data } }] });
      expect(all(prepared(inResult, "anthropic-messages", "anthropic-messages"), "media_type")).toEqual([sent]);
    },
  );
});

describe("results that say nothing", () => {
  test.each<JsonObject>([{ content: "" }, { content: [] }, { content: " \n" }, {}])(
    "but that it failed say so to Claude: %j (bytedance/trae-agent 230, jlevy/markform 153, oh-my-pi 2250)",
    content => {
      for (const target of ["anthropic-messages", "bedrock-converse"]) {
        const wire = prepared(
          claude({ ...content, is_error: true }),
          "anthropic-messages",
          target,
          "anthropic.claude-sonnet-4-5",
        );
        expect(JSON.stringify(wire)).toContain("The tool failed and said nothing.");
      }
      const fine = prepared(claude(content), "anthropic-messages", "anthropic-messages");
      expect(JSON.stringify(fine)).not.toContain("failed");
    },
  );

  test.each<JsonObject>([{ content: [] }, {}, { content: "" }])(
    "are an empty text for Bedrock's other models, which refuse an empty list: %j (strands-agents 2122, pydantic-ai 6116)",
    content => {
      const wire = prepared(claude(content), "anthropic-messages", "bedrock-converse", "amazon.nova-pro-v1:0");
      expect(all(wire, "toolResult")).toEqual([{ toolUseId: "t", content: [{ text: "" }] }]);
    },
  );

  test.each<Part>([
    { type: "error", message: "" },
    { type: "refusal", text: " " },
  ])("say so whatever the kind of their part is: %j", part => {
    const failed = { type: "tool-result", callId: "c", outcome: "error", output: [part] } as const;
    const history = {
      messages: [user("q"), assistant([toolCall({ callId: "c", name: "f", input: {} })]), toolMessage(failed)],
    };
    expect(JSON.stringify(prepare(history, "anthropic-messages").value)).toContain("The tool failed and said nothing.");
  });

  test("stay as they are where that is taken (hermes-agent 55092)", () => {
    const chat = ask([
      said("user", "q"),
      { role: "assistant", tool_calls: [called("c")] },
      { role: "tool", tool_call_id: "c", content: "" },
    ]);
    const wire = prepared(chat, "openai-chat", "bedrock-converse", "anthropic.claude-sonnet-4-5");
    expect(all(wire, "toolResult")).toEqual([{ toolUseId: "c", content: [{ text: "" }] }]);
  });
});
