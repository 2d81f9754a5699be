import { readMaf, type StyleName, writeMaf } from "translogue/maf";
import { describe, expect, test } from "vitest";

const strictly = (text: string, type: string): string =>
  writeMaf(readMaf(text, { type, strict: true }), { type, strict: true });
const tolerantly = (text: string, type: string): string => writeMaf(readMaf(text, { type }), { type });

describe("a declared type is written as .NET writes it", () => {
  const call = '{"$type":"functionCall","name":"f","arguments":{"a":null},"informationalOnly":false,"callId":"c"}';
  test.each<[style: StyleName, text: string]>([
    ["compact", call],
    [
      "indented",
      `{
  "$type": "functionCall",
  "name": "f",
  "arguments": {
    "a": null
  },
  "informationalOnly": false,
  "callId": "c"
}`,
    ],
    ["nulls", call.replace(/}$/, ',"annotations":null,"additionalProperties":null}')],
    ["web", call.replace(/}$/, ',"annotations":null,"additionalProperties":null}')],
  ])("in the style %s", (style, text) => {
    expect(writeMaf(readMaf(call, { type: "AIContent" }), { type: "AIContent", style })).toBe(text);
  });

  test.each([
    [
      "members in the order of the type, the base's last",
      "AIContent",
      '{"$type":"hostedFile","additionalProperties":{},"name":"n","fileId":"f"}',
      '{"$type":"hostedFile","fileId":"f","name":"n","additionalProperties":{}}',
    ],
    [
      "names in any case",
      "ChatMessage",
      '{"Role":"user","CONTENTS":[],"messageid":"m"}',
      '{"role":"user","contents":[],"messageId":"m"}',
    ],
    ["what stands for a missing member", "ChatMessage", '{"contents":null}', '{"role":"user","contents":[]}'],
    [
      "no `$type` for a concrete type",
      "List<FunctionCallContent>",
      '[{"name":"f","callId":"c"}]',
      '[{"name":"f","informationalOnly":false,"callId":"c"}]',
    ],
    [
      "`$type` for a base",
      "ToolResultContent",
      '{"$type":"functionResult","callId":"c"}',
      '{"$type":"functionResult","callId":"c"}',
    ],
    [
      "the media type of an address",
      "AIContent",
      '{"$type":"uri","uri":"a.gif"}',
      '{"$type":"uri","uri":"a.gif","mediaType":"image/gif"}',
    ],
    [
      "a key of properties once, whatever its case",
      "AIContent",
      '{"additionalProperties":{"A":1,"b":2,"a":3.0}}',
      '{"additionalProperties":{"A":3.0,"b":2}}',
    ],
    [
      "keys of arguments by their case, in their order",
      "AIContent",
      '{"$type":"functionCall","name":"f","callId":"c","arguments":{"10":1,"a":2,"9":3,"A":4,"a":5}}',
      '{"$type":"functionCall","name":"f","arguments":{"10":1,"a":5,"9":3,"A":4},"informationalOnly":false,"callId":"c"}',
    ],
    [
      "number literals of values",
      "AIContent",
      '{"$type":"functionResult","callId":"c","result":[1.0,1e3,-0,12345678901234567890]}',
      '{"$type":"functionResult","result":[1.0,1e3,-0,12345678901234567890],"callId":"c"}',
    ],
    [
      "whole numbers as text",
      "UsageDetails",
      '{"inputTokenCount":"+007","outputTokenCount":9223372036854775807}',
      '{"inputTokenCount":7,"outputTokenCount":9223372036854775807}',
    ],
    ["floats", "ChatOptions", '{"temperature":0.30000001,"topP":1e10}', '{"temperature":0.3,"topP":1E+10}'],
    [
      "enums by name or number",
      "ReasoningOptions",
      '{"effort":" low, HIGH ","output":2}',
      '{"effort":"High","output":"Full"}',
    ],
    ["a typed answer", "ChatResponse<Int32>", '{"messages":[],"result":5}', '{"result":5,"messages":[]}'],
    [
      "a dictionary of messages",
      "Dictionary<string, ChatMessage>",
      '{"K":{},"n":null}',
      '{"K":{"role":"user","contents":[]},"n":null}',
    ],
    ["null", "ChatRole?", "null", "null"],
  ])("%s", (_, type, text, written) => {
    expect(tolerantly(text, type)).toBe(written);
  });

  test("enums are numbers for bare web options, and dates and bytes are not escaped", () => {
    const options = readMaf('{"reasoning":{"effort":"High"},"continuationToken":"+/+/"}', { type: "ChatOptions" });
    const text = writeMaf(options, { type: "ChatOptions", style: "web" });
    expect(text).toContain('"reasoning":{"effort":3,"output":null}');
    expect(text).toContain('"continuationToken":"+/+/"');
  });
});

describe("strict reading refuses what .NET refuses", () => {
  test.each([
    ["AIContent", '{"text":"a","$type":"text"}'],
    ["AIContent", '{"$type":"hologram"}'],
    ["AIContent", '{"$type":"text","$id":"1"}'],
    ["AIContent", '{"$type":"inputRequest","requestId":"r"}'],
    ["AIContent", '{"$type":"functionCall","name":"f"}'],
    ["AIContent", '{"$type":"hostedFile","fileId":" "}'],
    ["AIContent", '{"$type":"hostedFile","fileId":"f","mediaType":"nonsense"}'],
    ["AIContent", '{"$type":"text","text":5}'],
    ["AIContent", '{"$type":"text","text":"\\ud83d"}'],
    ["AIContent", '{"$type":"data","uri":"https://example.com"}'],
    ["AIContent", '{"$type":"uri","uri":"https://example.com:99999/"}'],
    ["AIContent", '{"$type":"functionCall","name":"f","callId":"c","informationalOnly":null}'],
    ["AIContent", '{"$type":"text",}'],
    ["ToolCallContent", '{"$type":"toolCall","callId":"c"}'],
    ["ChatMessage", '{"role":""}'],
    ["ChatMessage", '{"createdAt":"yesterday"}'],
    ["ChatMessage", '{"contents":[[]]}'],
    ["ChatRole", "null"],
    ["UsageDetails", '{"inputTokenCount":1.0}'],
    ["UsageDetails", '{"inputTokenCount":9223372036854775808}'],
    ["ChatResponseFormat", '{"schema":{}}'],
    ["ChatResponseFormat", '{"$type":"json","schemaName":"n"}'],
    ["ReasoningOptions", '{"effort":"extra_high"}'],
    ["ReasoningOptions", '{"effort":3.0}'],
    ["ReasoningOptions", '{"effort":3000000000}'],
    ["ResponseContinuationToken", '"AQ"'],
    ["AIContent", `{"$type":"functionResult","callId":"c","result":${"[".repeat(64)}${"]".repeat(64)}}`],
  ])("%s %s", (type, text) => {
    expect(() => readMaf(text, { type, strict: true })).toThrow();
  });

  test("with the place and the reason", () => {
    expect(() => strictly('{"contents":[{"$type":"functionCall","name":"f"}]}', "ChatMessage")).toThrow(
      expect.objectContaining({
        code: "decode/refused",
        data: { path: ["contents", 0, "callId"], reason: "it is missing" },
      }),
    );
  });

  test("drops what .NET does not know", () => {
    expect(strictly('{"$type":"text","text":"a","other":1}', "AIContent")).toBe('{"$type":"text","text":"a"}');
    expect(tolerantly('{"$type":"text","other":1,"text":"a"}', "AIContent")).toBe(
      '{"$type":"text","text":"a","other":1}',
    );
  });

  test("what can be read and not written is refused when it is written", () => {
    for (const [type, text] of [
      ["AIContent", '{"$type":"functionResult","callId":"c","result":"\\ud83d"}'],
      ["ChatOptions", '{"temperature":1e39}'],
    ] as const) {
      const value = readMaf(text, { type, strict: true });
      expect(() => writeMaf(value, { type, strict: true })).toThrow(
        expect.objectContaining({ code: "encode/not-writable" }),
      );
    }
  });
});

describe("tolerant reading takes it and says so", () => {
  test.each([
    ["`$type` in any place", '{"text":"a","$type":"text"}', '{"$type":"text","text":"a"}', "misplaced-type"],
    [
      "a kind that nobody knows",
      '{"$type":"hologram","b":1.0,"a":2}',
      '{"$type":"hologram","b":1.0,"a":2}',
      "unknown-kind",
    ],
    [
      "a missing member",
      '{"$type":"functionResult","result":1}',
      '{"$type":"functionResult","result":1}',
      "missing-member",
    ],
    ["a member of another type", '{"$type":"text","text":5}', '{"$type":"text","text":5}', "not-dotnet"],
    [
      "the approvals of older versions",
      '{"$type":"functionApprovalRequest","id":"a","functionCall":{"callId":"c","name":"f"}}',
      '{"$type":"toolApprovalRequest","toolCall":{"$type":"functionCall","name":"f","informationalOnly":false,"callId":"c"},"requiresConfirmation":true,"requestId":"a"}',
      "legacy",
    ],
    [
      "the MCP contents of older versions",
      '{"$type":"mcpServerToolCall","callId":"c","toolName":"t"}',
      '{"$type":"mcpServerToolCall","name":"t","callId":"c"}',
      "legacy",
    ],
    [
      "the image contents of older versions",
      '{"$type":"imageGenerationToolResult","imageId":"i","outputs":[]}',
      '{"$type":"imageGenerationToolResult","outputs":[],"callId":"i"}',
      "legacy",
    ],
  ])("%s", (_, text, written, code) => {
    const read = readMaf(text, { type: "AIContent" });
    expect(read.issues.map(issue => issue.code)).toContain(code);
    expect(writeMaf(read, { type: "AIContent" })).toBe(written);
  });

  test("nothing is said where .NET reads it too", () => {
    const text = '{"role":"user","contents":[{"$type":"text","text":"a"}]}';
    expect(readMaf(text, { type: "ChatMessage" }).issues).toEqual([]);
  });
});

test.each([
  ["decode/no-such-type", () => readMaf("{}", { type: "Nonsense" })],
  ["encode/no-such-style", () => writeMaf({ value: null }, { type: "object", style: "pretty" as StyleName })], // an unknown word
])("a wrong call throws %s", (code, act) => {
  expect(act).toThrow(expect.objectContaining({ code }));
});
