import { fileURLToPath } from "node:url";
import { launchBrowser } from "@translogue/testkit/browser";
import { bundle } from "@translogue/testkit/bundle";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";

let browser: Browser;
let page: Page;

beforeAll(async () => {
  const code = await bundle(fileURLToPath(import.meta.resolve("translogue")), "translogue");
  browser = await launchBrowser();
  page = await browser.newPage();
  await page.addScriptTag({ content: code });
});

afterAll(async () => await browser.close());

/** Runs in the page, where `translogue` is the bundle. */
const inPage = async (expression: string): Promise<unknown> => await page.evaluate(expression);

test("the whole core runs in a browser: a history is converted there and back", async () => {
  const history = [
    { role: "user", content: "19 + 23?" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c", type: "function", function: { name: "add", arguments: '{"a":19}' } }],
    },
    { role: "tool", tool_call_id: "c", content: "42" },
  ];
  const there = `translogue.convert(${JSON.stringify(history)}, { from: "openai-chat", to: "ai-sdk-ui:v7", carry: true }).value`;
  expect(await inPage(`translogue.convert(${there}, { from: "ai-sdk-ui:v7", to: "openai-chat" }).value`)).toEqual(
    history,
  );
});

test("a stream of bytes goes through the machines of the browser's own streams", async () => {
  const chunk = {
    id: "1",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta: { content: "hé🥟" } }],
  };
  const body = `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`;
  const text = await inPage(`(async () => {
    const through = translogue.toTransformStream(translogue.transcode("openai-chat", "ai-sdk-ui:v7"));
    return await new Response(new Blob([${JSON.stringify(body)}]).stream().pipeThrough(through)).text();
  })()`);
  expect(text).toContain('"delta":"hé🥟"');
  expect(text).toMatch(/data: \[DONE\]\n\n$/);
});

test("hostile names pollute nothing there either", async () => {
  const json = '{"messages":[{"role":"user","parts":[{"type":"data","data":{"__proto__":{"polluted":1}}}]}]}';
  expect(
    await inPage(`translogue.check(translogue.parseJson(${JSON.stringify(json)}).value).length + String({}.polluted)`),
  ).toBe("0undefined");
});
