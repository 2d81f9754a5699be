import type { CallToolResult } from "@modelcontextprotocol/client";
import type { Json, Part } from "translogue";
import { describe, expect, test } from "vitest";
import { resultOfCall } from "../../src/mcp/content.ts";

/** What clients of MCP kept from their models, or told them twice, each named by its public report. */

const words = (...texts: readonly string[]): CallToolResult["content"] =>
  texts.map(text => ({ type: "text" as const, text }));
const accounts = { accounts: [{ id: 1 }], total: 1 };
const data = (value: Json): Part => ({ type: "data", data: value });

describe("what a server gives as structured content", () => {
  test.each<[report: string, result: CallToolResult, output: readonly Part[]]>([
    ["alone, an empty list", { content: [], structuredContent: { result: [] } }, [data({ result: [] })]],
    [
      "beside an image, an empty list",
      { content: [{ type: "image", data: "AA==", mimeType: "image/png" }], structuredContent: { result: [] } },
      [{ type: "file", mediaType: "image/png", source: { data: "AA==" } }, data({ result: [] })],
    ],
    ["alone (agent-framework#3313, llama.cpp#26410)", { content: [], structuredContent: accounts }, [data(accounts)]],
    [
      "beside a short word about it (memos#6226, oh-my-pi#10522)",
      { content: words("1 account."), structuredContent: accounts },
      [{ type: "text", text: "1 account." }, data(accounts)],
    ],
  ])("is read by the model: %s", (_, result, output) => {
    const structured = result.structuredContent;
    expect(resultOfCall({ callId: "1", name: "t" }, result)).toMatchObject({ output, structured });
    expect(resultOfCall({ callId: "1", name: "t" }, result).output).toHaveLength(output.length);
  });

  test.each<[how: string, result: CallToolResult]>([
    ["as its JSON", { content: words(JSON.stringify(accounts, null, 2)), structuredContent: accounts }],
    ["as its only member", { content: words("42"), structuredContent: { result: 42 } }],
    ["as a text that is its only member", { content: words("hello"), structuredContent: { result: "hello" } }],
    ["as the items of its only member", { content: words("a", "b"), structuredContent: { result: ["a", "b"] } }],
    [
      "as objects, one a block",
      { content: words('{"a":1}', '{"a":2}'), structuredContent: { result: [{ a: 1 }, { a: 2 }] } },
    ],
    ["as nothing", { content: words("done"), structuredContent: {} }],
  ])("is told once where the words say it: %s (agent-framework#7866)", (_, result) => {
    const { output, structured } = resultOfCall({ callId: "1", name: "t" }, result);
    expect(output?.map(({ type }) => type)).toEqual(result.content.map(() => "text"));
    expect(structured).toEqual(result.structuredContent);
  });
});
