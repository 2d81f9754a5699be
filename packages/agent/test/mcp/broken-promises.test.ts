import { InMemoryTransport } from "@modelcontextprotocol/client";
import { type CallToolResult, Server, type Tool } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import { calls, joined, ran } from "./joined.ts";

/** A tool that says what its results are, and gives something else: it has run, and its words are not lost. */

const sum: Tool["outputSchema"] = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] };

async function resultOf(result: CallToolResult, outputSchema = sum) {
  let times = 0;
  const transport = async () => {
    const server = new Server({ name: "vague", version: "1" }, { capabilities: { tools: {} } });
    const inputSchema = { type: "object" as const };
    server.setRequestHandler("tools/list", () => ({
      tools: [{ name: "add", inputSchema, ...(outputSchema && { outputSchema }) }],
    }));
    server.setRequestHandler("tools/call", () => {
      times += 1;
      return result;
    });
    const [here, there] = InMemoryTransport.createLinkedPair();
    await server.connect(there);
    return here;
  };
  const { results } = await ran(await joined({ vague: { transport } }), [calls(["add"]), { text: "Done." }]);
  expect(times).toBe(1);
  return results[0];
}

const words: CallToolResult["content"] = [{ type: "text", text: "42" }];

test("a result without the structured content that was promised is its words, with a note", async () => {
  const result = await resultOf({ content: words });
  expect(result?.output).toEqual([
    { type: "text", text: "42" },
    { type: "text", text: expect.stringMatching(/^Note: the tool's output schema promises structured content/) },
  ]);
  expect(result).not.toHaveProperty("outcome");
});

test("structured content that does not fit is read by the model, with a note, and given to no program", async () => {
  const result = await resultOf({ content: words, structuredContent: { sum: "many" } });
  expect(result?.output).toEqual([
    { type: "text", text: "42" },
    { type: "data", data: { sum: "many" } },
    { type: "text", text: expect.stringMatching(/^Note: the structured content is not as .*sum/) },
  ]);
  expect(result).not.toHaveProperty("structured");
});

test("structured content that fits is given as it is", async () => {
  const result = await resultOf({ content: words, structuredContent: { sum: 42 } });
  expect(result).toMatchObject({ output: [{ type: "text", text: "42" }], structured: { sum: 42 } });
});

test("a failure needs no structured content", async () => {
  const result = await resultOf({ content: [{ type: "text", text: "no" }], isError: true });
  expect(result).toMatchObject({ outcome: "error", output: [{ type: "text", text: "no" }] });
});

test("a schema that nobody can read promises nothing, and its tool is called all the same", async () => {
  const unreadable = { type: "object", properties: { a: { type: "string", pattern: "(" } } } as const;
  const result = await resultOf({ content: words, structuredContent: { a: "x" } }, unreadable);
  expect(result).toMatchObject({ structured: { a: "x" } });
  expect(result).not.toHaveProperty("outcome");
});
