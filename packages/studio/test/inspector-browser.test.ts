// biome-ignore-all lint/performance/useDomNodeTextContent: what a person sees is meant, not what the document holds

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { launchBrowser } from "@translogue/testkit/browser";
import type { Browser, Locator, Page } from "playwright-core";
import { type Conversation, encode, type FormatId, stringifyJson } from "translogue";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { samples } from "../src/inspector/samples.ts";
import { galleryMessages } from "./gallery.ts";
import { openStudio, type StudioPage } from "./studio-page.ts";
import { builtStudio, type StudioServer, studioServer } from "./studio-server.ts";

let browser: Browser;
let studio: Awaited<ReturnType<typeof builtStudio>>;
let server: StudioServer;

beforeAll(async () => {
  [browser, studio] = await Promise.all([launchBrowser(), builtStudio()]);
  server = await studioServer({ studioDir: studio.folder });
  await server.keep("gallery", galleryMessages);
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
  await studio?.remove();
});

const pages: StudioPage[] = [];
afterEach(() => Promise.all(pages.splice(0).map(page => page.close())));

async function open(path = "/inspect", options: Parameters<typeof openStudio>[2] = {}): Promise<StudioPage> {
  const opened = await openStudio(browser, `${server.url}${path}`, {
    permissions: ["clipboard-read", "clipboard-write"],
    ...options,
  });
  pages.push(opened);
  return opened;
}

/** As a person does: from the clipboard, by the keys. */
async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate(words => navigator.clipboard.writeText(words), text);
  await page.getByRole("textbox").first().focus();
  await page.keyboard.press("Control+v");
  await page.locator(".panes").waitFor();
}

const poll = <Value>(read: () => Promise<Value>) => expect.poll(read, { timeout: 15_000 });
const rowsOf = (page: Page) => page.getByRole("treeitem");
const selectedText = (page: Page): Promise<string> =>
  page.locator('[role="treeitem"][aria-selected="true"] .text').innerText();
const toTop = (place: Locator): Promise<void> =>
  place.evaluate(element => {
    element.scrollTop = 0;
  });
const litText = async (page: Page): Promise<string> =>
  (await page.locator(".source-pane mark.selected").allInnerTexts()).join("\n");
const text = (words: string) => ({ type: "text" as const, text: words });

const weather: Conversation = {
  model: "some-model",
  messages: [
    { role: "user", parts: [text("Weather in Beijing?")] },
    {
      role: "assistant",
      parts: [{ type: "tool-call", callId: "call_1", name: "get_weather", input: { city: "Beijing" } }],
    },
    { role: "tool", parts: [{ type: "tool-result", callId: "call_1", name: "get_weather", output: [text("Sunny")] }] },
    { role: "assistant", parts: [text("It is sunny.")] },
  ],
};

const written = (to: FormatId): string => {
  const { value, exact } = encode(weather, { to, shape: "messages" });
  return stringifyJson(value, exact, 2) ?? "";
};

describe("what is pasted", () => {
  test.each<FormatId>([
    "openai-responses",
    "anthropic-messages",
    "gemini",
    "ai-sdk-ui",
    "ai-sdk-model",
    "langchain",
    "maf",
    "bedrock-converse",
  ])("is told as %s, and shown as messages and parts", async format => {
    const { page, complaints } = await open();
    await paste(page, written(format));
    expect(await page.getByLabel("Read as").inputValue()).toBe(format);
    const names = await rowsOf(page).locator(".name").allInnerTexts();
    expect(names).toEqual(expect.arrayContaining(["user", "text", "assistant", "tool-call", "tool-result"]));
    expect(complaints).toEqual([]);
  });

  test("is selected from the tree and from the source", async () => {
    const { page } = await open();
    await paste(page, samples.history);
    await rowsOf(page).filter({ hasText: 'add {"a":19' }).click();
    await poll(() => litText(page)).toContain("call_sum");
    expect(await litText(page)).not.toContain("call_weather");
    await toTop(page.locator(".source-pane .source"));
    await page.locator(".source-pane .line").getByText("You answer briefly.").click();
    await poll(() => selectedText(page)).toBe("You answer briefly.");
  });

  test("is walked through by the keys", async () => {
    const { page } = await open();
    await paste(page, samples.history);
    await page.getByRole("tree").focus();
    const selected = () => page.locator('[role="treeitem"][aria-selected="true"]').innerText();
    await page.keyboard.press("End");
    await poll(selected).toContain("And in Shanghai?");
    await page.keyboard.press("ArrowLeft");
    await poll(selected).toMatch(/^user/);
    const count = await rowsOf(page).count();
    await page.keyboard.press("ArrowLeft");
    await poll(() => rowsOf(page).count()).toBe(count - 1);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await poll(selected).toMatch(/^text/);
  });

  test("that is no JSON says where and what to do, and can be mended there", async () => {
    const { page } = await open();
    const field = page.getByLabel("Paste it here");
    await field.fill('{"messages": [\n  {"role": "user", "content": hello}\n]}');
    await page.getByRole("button", { name: "Inspect" }).click();
    const alert = page.getByRole("alert");
    expect(await alert.innerText()).toMatch(/This is not JSON[\s\S]*Line 2, column 31[\s\S]*Mend the text/);
    await page.getByLabel("Paste it here").fill('{"messages": [{"role": "user", "content": "hello"}]}');
    await page.getByRole("button", { name: "Inspect" }).click();
    await page.locator(".panes").waitFor();
    expect(await alert.count()).toBe(0);
  });

  test("and what is dropped or opened is read, packed or not", async () => {
    const { page } = await open();
    const history = await page.evaluateHandle(words => {
      const data = new DataTransfer();
      data.items.add(new File([words], "history.json", { type: "application/json" }));
      return data;
    }, samples.history);
    await page.locator(".inspector").dispatchEvent("drop", { dataTransfer: history });
    await page.locator(".given").getByText("history.json").waitFor();
    await page.locator('input[type="file"]').setInputFiles({
      name: "recording.jsonl.gz",
      mimeType: "application/gzip",
      buffer: gzipSync(samples.recording),
    });
    await page.locator(".given").getByText("recording.jsonl.gz").waitFor();
    await page.locator('input[type="file"]').setInputFiles({
      name: "picture.png",
      mimeType: "image/png",
      buffer: Buffer.from([0x89, 0x50, 0xff, 0xfe]),
    });
    await page.getByRole("alert").getByText("This file is no text").waitFor();
  });

  test("can be read as another format, which the address keeps", async () => {
    const { page } = await open("/inspect?target=mistral&tab=facts");
    await paste(page, samples.history);
    expect(await page.getByRole("tab", { name: "Facts" }).getAttribute("aria-selected")).toBe("true");
    await page.getByRole("tab", { name: /Issues/ }).click();
    expect(await page.getByLabel("To be sent to").inputValue()).toBe("mistral");
    await page.getByLabel("Read as").selectOption("mistral");
    await page.locator(".panes").waitFor();
    await poll(async () => new URL(page.url()).search).toBe("?target=mistral&tab=issues&format=mistral");
  });

  test("stays in the browser: not even a picture that it points to is asked for", async () => {
    const { page } = await open();
    const asked: string[] = [];
    page.on("request", request => asked.push(request.url()));
    const picture = "https://example.com/pixel.png";
    const part = { type: "image_url", image_url: { url: picture } };
    await paste(page, JSON.stringify({ messages: [{ role: "user", content: [part, { type: "text", text: "?" }] }] }));
    for (const tab of ["Convert", "Facts", "Issues"]) await page.getByRole("tab", { name: tab }).click();
    await rowsOf(page).last().click();
    expect(asked).toEqual([]);
  });
});

describe("an issue", () => {
  test("is shown where it is, mended, and the repair is taken back", async () => {
    const { page, findings } = await open();
    await paste(page, samples.history);
    const issue = page.locator(".issue").filter({ hasText: "calls-answered" });
    expect(await issue.innerText()).toMatch(/error[\s\S]*The provider says:[\s\S]*call_weather[\s\S]*Source:/);
    await issue.getByRole("button", { name: /messages\[2\]/ }).click();
    await poll(() => litText(page)).toContain("call_weather");
    expect(await page.locator(".tree .fault.error").count()).toBe(2);
    await issue.getByRole("button", { name: "Mend: answer-calls" }).press("Enter");
    await poll(() => issue.count()).toBe(0);
    await poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("Undo");
    expect(await page.locator(".changes").innerText()).toContain("answer-calls");
    await rowsOf(page).filter({ hasText: "Tool call was interrupted" }).first().click();
    await poll(() => litText(page)).toContain("Tool call was interrupted");
    await page.getByRole("button", { name: "Mend all" }).click();
    await page.getByText("Nothing is wrong with it").waitFor();
    expect(await findings()).toEqual([]);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.locator(".issue").filter({ hasText: "results-called" }).waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await issue.waitFor();
    expect(await page.getByRole("button", { name: "Undo" }).isDisabled()).toBe(true);
  });

  test("depends on who is to get it", async () => {
    const { page } = await open();
    await paste(page, written("anthropic-messages"));
    expect(await page.getByLabel("To be sent to").inputValue()).toBe("anthropic-messages");
    await page.getByLabel("To be sent to").selectOption("mistral");
    await page.locator(".issue").filter({ hasText: "call-ids" }).first().waitFor();
    await page.getByLabel("To be sent to").selectOption("");
    await page.getByText("Nothing is wrong with it.").waitFor();
  });
});

describe("a conversion", () => {
  test("stands beside the source, with what is lost lit on both sides and counted", async () => {
    const { page } = await open("/inspect?tab=convert");
    await paste(page, JSON.stringify({ messages: galleryMessages }));
    await page.getByLabel("Convert to").selectOption("openai-chat:openai");
    await page.locator(".report-pane .source").waitFor();
    const losses = page.locator(".report-pane .losses");
    await poll(() => losses.locator("h2").innerText()).toMatch(/^\d+ losses$/);
    await poll(() => page.locator(".source-pane mark.lost").count()).toBeGreaterThan(0);
    const row = losses.locator("details").filter({ hasText: "refusal" }).or(losses.locator("details")).first();
    await row.locator("summary").click();
    await row.getByRole("button").first().click();
    await poll(() => page.locator(".source-pane mark.selected").count()).toBeGreaterThan(0);
    await page.getByLabel("For", { exact: true }).selectOption("store");
    await page.getByLabel("Carry along what is lost").check();
    await losses.getByText(/carried along/).waitFor();
    await poll(() => page.locator(".source-pane mark.carried").count()).toBeGreaterThan(0);
  });

  test("is lit where the selected node is, and selects where it is clicked", async () => {
    const { page } = await open("/inspect?tab=convert");
    await paste(page, samples.history);
    await page.getByLabel("Convert to").selectOption("anthropic-messages:anthropic");
    const output = page.locator(".report-pane .source");
    await output.getByText('"tool_use"').first().waitFor();
    await rowsOf(page).filter({ hasText: 'add {"a":19' }).click();
    await poll(async () => (await output.locator("mark.selected").allInnerTexts()).join("")).toContain("call_sum");
    await toTop(output);
    await output.locator(".line").getByText("What is the weather").click();
    await poll(() => selectedText(page)).toContain("What is the weather");
  });
});

describe("a stream", () => {
  test("is stepped through and played, with the message so far and its pauses", async () => {
    const { page, findings } = await open();
    await page.getByRole("button", { name: "A recorded stream" }).click();
    const place = page.getByRole("slider", { name: "Place in the stream" });
    await place.waitFor();
    await page.getByText("Event 16 of 16").waitFor();
    expect(await page.locator(".event .gap").innerText()).toBe("+1245 ms");
    expect(await page.locator(".timeline .gap").count()).toBe(1);
    await page.getByRole("button", { name: "To the start" }).click();
    await page.getByText("Nothing has come yet.").waitFor();
    for (let step = 0; step < 8; step++) await page.getByRole("button", { name: "Next event" }).click();
    const soFar = page.getByRole("region", { name: "The message so far" });
    await soFar.getByText("Let me look", { exact: true }).waitFor();
    expect(await litText(page)).toContain('"t":1500');
    await place.focus();
    await page.keyboard.press("ArrowRight");
    await soFar.getByText("Let me look at the weather.").waitFor();
    expect(await findings()).toEqual([]);
    await page.getByLabel("Speed").selectOption("64");
    await page.getByRole("button", { name: "Play" }).click();
    await page.getByText("Event 16 of 16").waitFor();
    await soFar.getByText("get_weather").waitFor();
    await page.getByRole("button", { name: "Play" }).waitFor();
  });

  test("of server-sent events without times is played evenly", async () => {
    const { page } = await open();
    const events = ["Hel", "lo"].map(content => ({
      id: "c",
      object: "chat.completion.chunk",
      created: 1,
      model: "m",
      choices: [{ index: 0, delta: { content }, finish_reason: null }],
    }));
    await paste(page, `${events.map(event => `data: ${JSON.stringify(event)}`).join("\n\n")}\n\ndata: [DONE]\n\n`);
    await page.getByText("The recording has no times").waitFor();
    await page.getByRole("button", { name: "Event before" }).click();
    await page.getByText("Event 2 of 3").waitFor();
    await page.getByRole("region", { name: "The message so far" }).getByText("Hello").waitFor();
    await page.getByRole("button", { name: "To the start" }).click();
    await page.clock.install({ time: 0 });
    await page.clock.pauseAt(1000);
    await page.getByRole("button", { name: "Play" }).click();
    await page.getByRole("button", { name: "Pause" }).waitFor();
    // An event every 50 ms, and less than a frame of 16 late.
    await page.clock.runFor(30);
    for (const count of [1, 2, 3]) {
      await page.clock.runFor(50);
      await page.getByText(`Event ${count} of 3`).waitFor();
    }
    await page.getByRole("button", { name: "Play" }).waitFor();
  });
});

describe("a conversation of the chat", () => {
  test("is opened from there, and left by the way back", async () => {
    const { page } = await open("/s/gallery");
    await page.locator(".entry").first().waitFor();
    await page.getByRole("button", { name: "Open in the inspector" }).click();
    await poll(async () => new URL(page.url()).pathname + new URL(page.url()).search).toBe("/inspect?session=gallery");
    await rowsOf(page).first().waitFor();
    expect(await page.getByLabel("Read as").inputValue()).toBe("canonical");
    await page.reload();
    await rowsOf(page).first().waitFor();
    await page.goBack();
    await page.locator(".entry").first().waitFor();
    expect(new URL(page.url()).pathname).toBe("/s/gallery");
  });

  test("that is not there says so", async () => {
    const { page } = await open("/inspect?session=nowhere");
    await page.getByRole("alert").getByText("This conversation is not here").waitFor();
  });
});

test("10 MB do not stop the page, and are gone through at once", async () => {
  const { page } = await open();
  const line = "the quick brown fox tells stories about a lazy dog. ".repeat(10);
  const messages = Array.from({ length: 18_000 }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `${index}: ${line}`,
  }));
  const history = JSON.stringify({ model: "m", messages });
  expect(history.length).toBeGreaterThan(10_000_000);
  const folder = await mkdtemp(join(tmpdir(), "history-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "large.json");
  await writeFile(file, history);
  await page.evaluate(watchFrames);
  await page.locator('input[type="file"]').setInputFiles(file);
  await page.getByRole("progressbar").waitFor();
  await page.locator(".panes").waitFor({ timeout: 60_000 });
  await page.getByRole("tree").focus();
  await page.keyboard.press("End");
  await poll(() => litText(page)).toContain("17999: the quick");
  expect(await rowsOf(page).count()).toBeLessThan(150);
  expect(await page.evaluate<number>("longestPause()")).toBeLessThan(1500);
});

/** The longest time in which nothing could be drawn. */
const watchFrames = `
  let last = performance.now();
  let longest = 0;
  const look = now => {
    longest = Math.max(longest, now - last);
    last = now;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  globalThis.longestPause = () => longest;
`;

describe("every state, without a finding of axe", () => {
  const looks = [
    ["light", {}],
    ["dark", { colorScheme: "dark" }],
    ["at 360 pixels", { viewport: { width: 360, height: 740 } }],
    ["in Chinese", { locale: "zh-CN" }],
  ] as const;
  test.each(looks)("%s", async (_name, options) => {
    const { page, findings, complaints } = await open("/inspect", options);
    await page.locator(".start h2").waitFor();
    expect(await findings()).toEqual([]);
    await paste(page, "{oops").catch(() => undefined);
    await page.getByRole("alert").waitFor();
    expect(await findings()).toEqual([]);
    await page.getByRole("textbox").first().fill("");
    await paste(page, samples.history);
    await page.locator(".issue").first().waitFor();
    const places: readonly (readonly [number, string])[] = [
      [0, ".issue"],
      [1, ".report-pane .source .line"],
      [2, ".bars li"],
    ];
    for (const [tab, place] of places) {
      await page.getByRole("tab").nth(tab).click();
      await page.locator(place).first().waitFor();
      await page.locator(".report-pane details").evaluateAll(all => {
        for (const details of all) if (details instanceof HTMLDetailsElement) details.open = true;
      });
      expect(await findings()).toEqual([]);
    }
    await page.keyboard.press("n");
    await page
      .getByRole("button")
      .filter({ hasText: /A recorded stream|一段录制的流/ })
      .click();
    await page.getByRole("tab").first().click();
    await page.locator(".timeline").waitFor();
    expect(await findings()).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test.each([360, 768, 2560])("nothing lies beyond the edge at %i pixels", async width => {
    const { page } = await open("/inspect", { viewport: { width, height: 740 } });
    await paste(page, samples.history);
    for (const tab of await page.getByRole("tab").all()) {
      await tab.click();
      await page.waitForFunction(() => document.querySelector(".tab-panel > *") !== null);
      for (const pane of await page.locator('input[name="pane"]').all()) {
        if (width < 900) await pane.check({ force: true });
        expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
        const wide = await page.evaluate(() =>
          [...document.querySelectorAll("body *")]
            .filter(
              element =>
                element.getBoundingClientRect().right > innerWidth + 1 && !element.closest(".source, .tabs, .sr-only"),
            )
            .map(element => element.outerHTML.slice(0, 100)),
        );
        expect(wide).toEqual([]);
      }
      if (width < 900) await page.locator('input[name="pane"]').last().check({ force: true });
    }
  });
});
