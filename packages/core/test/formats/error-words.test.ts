import {
  convert,
  type Event,
  type FormatId,
  isJsonObject,
  type Json,
  type JsonObject,
  streamDecoder,
  streamEncoder,
} from "translogue";
import { describe, expect, test } from "vitest";

/** What each provider calls the same failures, as error bodies. */
const bodies = {
  "anthropic-messages": type => ({ type: "error", error: { type, message: "m" } }),
  "openai-chat": code => ({ error: { message: "m", type: null, param: null, code } }),
  "openai-responses": code => ({ error: { message: "m", type: null, param: null, code } }),
  gemini: status => ({ error: { code: 0, message: "m", status } }),
  "gemini-interactions": code => ({ error: { code, message: "m" } }),
  "bedrock-converse": __type => ({ __type, message: "m" }),
  mistral: code => ({ object: "error", message: "m", type: null, param: null, code }),
} satisfies { readonly [format in FormatId]?: (word: string) => JsonObject };

type Provider = keyof typeof bodies;
const providers = Object.keys(bodies) as Provider[]; // the table's own keys

const failures: readonly { readonly [provider in Provider]: string }[] = [
  {
    "anthropic-messages": "rate_limit_error",
    "openai-chat": "rate_limit_exceeded",
    "openai-responses": "rate_limit_exceeded",
    gemini: "RESOURCE_EXHAUSTED",
    "gemini-interactions": "rate_limit_exceeded",
    "bedrock-converse": "ThrottlingException",
    mistral: "1300",
  },
  {
    "anthropic-messages": "overloaded_error",
    "openai-chat": "server_is_overloaded",
    "openai-responses": "server_is_overloaded",
    gemini: "UNAVAILABLE",
    "gemini-interactions": "overloaded",
    "bedrock-converse": "ServiceUnavailableException",
    mistral: "3505",
  },
  {
    "anthropic-messages": "invalid_request_error",
    "openai-chat": "invalid_request_error",
    "openai-responses": "invalid_request_error",
    gemini: "INVALID_ARGUMENT",
    "gemini-interactions": "invalid_request",
    "bedrock-converse": "ValidationException",
    mistral: "invalid_request_error",
  },
  {
    "anthropic-messages": "authentication_error",
    "openai-chat": "invalid_api_key",
    "openai-responses": "invalid_api_key",
    gemini: "UNAUTHENTICATED",
    "gemini-interactions": "authentication",
    "bedrock-converse": "UnrecognizedClientException",
    mistral: "unauthorized",
  },
  {
    "anthropic-messages": "not_found_error",
    "openai-chat": "not_found",
    "openai-responses": "not_found",
    gemini: "NOT_FOUND",
    "gemini-interactions": "not_found",
    "bedrock-converse": "ResourceNotFoundException",
    mistral: "not_found",
  },
];

/** The word wherever a body has it. */
function wordOf(body: unknown): Json | undefined {
  if (!isJsonObject(body)) return undefined;
  const error = isJsonObject(body["error"]) ? body["error"] : body;
  return error["status"] ?? error["code"] ?? error["__type"] ?? error["type"];
}

describe("what failed is said in the words of whoever reads it", () => {
  test.each(providers.flatMap(from => providers.map((to): [Provider, Provider] => [from, to])))(
    "an error of %s as one of %s",
    (from, to) => {
      for (const failure of failures) {
        const { value, losses } = convert(bodies[from](failure[from]), { from, to, shape: "error" });
        const isSame = failure[from] === failure[to];
        expect([wordOf(value), losses.filter(({ code }) => code === "error-word").length]).toEqual([
          failure[to],
          isSame ? 0 : 1,
        ]);
      }
    },
  );

  test.each<[from: Provider, word: string, to: Provider, written: string]>([
    ["openai-chat", "context_length_exceeded", "gemini", "INVALID_ARGUMENT"],
    ["openai-responses", "image_parse_error", "anthropic-messages", "invalid_request_error"],
    ["openai-responses", "image_parse_error", "openai-chat", "image_parse_error"],
    ["openai-responses", "invalid_prompt", "bedrock-converse", "ValidationException"],
    ["openai-chat", "524", "anthropic-messages", "timeout_error"],
    ["mistral", "3230", "openai-chat", "invalid_request_error"],
  ])("%s: %s as %s says it: %s", (from, word, to, written) => {
    expect(wordOf(convert(bodies[from](word), { from, to, shape: "error" }).value)).toBe(written);
  });

  test.each<[from: FormatId, wire: JsonObject, to: FormatId, written: JsonObject]>([
    [
      "anthropic-messages",
      { type: "error", error: { type: "overloaded_error", message: "m" } },
      "bedrock-converse",
      { serviceUnavailableException: { message: "m" } },
    ],
    [
      "bedrock-converse",
      { throttlingException: { message: "m" } },
      "gemini",
      { error: { code: 429, message: "m", status: "RESOURCE_EXHAUSTED" } },
    ],
    [
      "gemini",
      { error: { code: 429, message: "m", status: "RESOURCE_EXHAUSTED" } },
      "anthropic-messages",
      { type: "error", error: { type: "rate_limit_error", message: "m" } },
    ],
    [
      "openai-chat",
      { error: { message: "m", code: 402 } },
      "bedrock-converse",
      { throttlingException: { message: "m" } },
    ],
    ["ollama", { error: "m" }, "gemini", { error: { code: 500, message: "m", status: "UNKNOWN" } }],
  ])("an error in a stream of %s: %j as one of %s", (from, wire, to, written) => {
    const decoder = streamDecoder(from);
    const encoder = streamEncoder(to);
    const events: readonly Event[] = [...decoder.push(wire), ...decoder.end()];
    const wires = [...events.flatMap(event => encoder.push(event)), ...encoder.end()];
    expect(wires.at(-1)).toEqual(written);
    expect(encoder.losses).toContainEqual(
      expect.objectContaining({ code: expect.stringMatching(/error-(word|type)$/) }),
    );
  });

  test.each<[format: FormatId, body: JsonObject]>([
    ["openai-chat", { error: { message: "m", type: "invalid_request_error", param: null, code: null } }],
    ["openai-chat", { error: { message: "m", type: "authentication_error", param: null, code: null } }],
    ["openai-chat", { error: { message: "m", code: 429 } }],
    ["openai-chat", { error: { message: "m", type: "insufficient_quota", param: null, code: "insufficient_quota" } }],
    ["openai-responses", { error: { message: "m", type: "server_error", param: null, code: "server_error" } }],
    ["anthropic-messages", { type: "error", error: { type: "1210", message: "m" } }],
    ["anthropic-messages", { type: "error", error: { type: "brand_new_error", message: "m" } }],
    ["gemini", { error: { message: "m" } }],
    ["gemini", { error: { code: 418, message: "m", status: "TEAPOT" } }],
    ["bedrock-converse", { __type: "BrandNewException", message: "m" }],
    ["mistral", { object: "error", message: "m", type: "invalid_model", param: null, code: "1500" }],
  ])("%s gets its own words back: %j", (format, body) => {
    expect(convert(body, { from: format, to: format, shape: "error" })).toMatchObject({ value: body, losses: [] });
  });

  test("a word that nobody knows goes into no closed list of words", () => {
    const of = (to: FormatId) =>
      convert(
        { error: { message: "m", code: "E-17", type: null, param: null } },
        { from: "openai-chat", to, shape: "error" },
      );
    expect(of("anthropic-messages").value).toEqual({ type: "error", error: { type: "api_error", message: "m" } });
    expect(of("gemini").value).toEqual({ error: { code: 500, message: "m", status: "UNKNOWN" } });
    expect(of("bedrock-converse").value).toEqual({ message: "m" });
    expect(of("gemini").losses).toContainEqual(expect.objectContaining({ kind: "dropped", code: "error-word" }));
  });
});
