// biome-ignore-all lint/performance/useDomNodeTextContent: what a person sees is meant, not what the document holds

import { launchBrowser } from "@translogue/testkit/browser";
import type { Browser, Page } from "playwright-core";
import { formats } from "translogue";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { askingAgent, painter } from "./asking-agent.ts";
import { brokenMessages, failedMessages, galleryMessages } from "./gallery.ts";
import { failing, long } from "./scripted-models.ts";
import { openStudio, type StudioPage } from "./studio-page.ts";
import { builtStudio, type StudioServer, studioServer } from "./studio-server.ts";

let browser: Browser;
let studio: Awaited<ReturnType<typeof builtStudio>>;
let demo: StudioServer;

beforeAll(async () => {
  [browser, studio] = await Promise.all([launchBrowser(), builtStudio()]);
  demo = await studioServer({ studioDir: studio.folder });
  await demo.keep("gallery", galleryMessages);
  await demo.keep("failed", failedMessages);
});
afterAll(async () => {
  await browser?.close();
  await demo?.close();
  await studio?.remove();
});

const pages: StudioPage[] = [];
afterEach(() => Promise.all(pages.splice(0).map(page => page.close())));

async function open(path = "/", options: Parameters<typeof openStudio>[2] = {}, server = demo): Promise<StudioPage> {
  const opened = await openStudio(browser, `${server.url}${path}`, options);
  pages.push(opened);
  return opened;
}

async function serverWith(options: Omit<Parameters<typeof studioServer>[0], "studioDir">): Promise<StudioServer> {
  const server = await studioServer({ studioDir: studio.folder, ...options });
  onTestFinished(() => server.close());
  return server;
}

describe("an answer", () => {
  test("shows the call as a card with input and output, and the text below", async () => {
    const { page, say, settled, complaints } = await open();
    await say("19 + 23");
    await settled();
    const card = page.locator("details.call");
    await poll(() => card.locator("summary").innerText()).toMatch(/^add\s+a: 19, b: 23\s+Output:\s+42\s+Done$/);
    await card.locator("summary").click();
    expect(await card.locator(".face").first().innerText()).toMatch(/a:\s*19[\s\S]*b:\s*23/);
    expect(await card.locator(".face").last().innerText()).toContain("42");
    const answer = page.getByRole("article", { name: "Demo" });
    expect(await answer.innerText()).toContain("19 + 23 = 42");
    expect(complaints).toEqual([]);
  });

  test("folds its reasoning, and says that the demo is a demo", async () => {
    const { page, say, settled } = await open();
    await page.getByText("The demo model follows rules").waitFor();
    await say("19 + 23");
    await settled();
    const reasoning = page.locator("details.reasoning").first();
    expect(await reasoning.getAttribute("open")).toBeNull();
    await reasoning.locator("summary").click();
    expect(await reasoning.innerText()).toContain("add");
    await poll(() => page.locator(".facts-line .badge").innerText()).toBe("Demo");
    expect(await page.locator(".picker .badge").innerText()).toBe("Demo");
  });

  test("that thinks says so while it does", async () => {
    const server = await serverWith({ paceMs: 30 });
    const { page, say } = await open("/", {}, server);
    await say("19 + 23");
    await page.getByText("Thinking…").waitFor();
    await page.getByText("Thinking…").waitFor({ state: "hidden" });
  });

  test("is Markdown without HTML, and its links are marked and take nothing along", async () => {
    const { page, say, settled } = await open();
    await say("show me markdown");
    await settled();
    const text = page.locator(".markdown").last();
    expect(await text.locator("table th").allInnerTexts()).toEqual(["format", "streams"]);
    expect(await text.locator("figure.code").innerText()).toContain("const answer: number = 19 + 23;");
    const link = text.getByRole("link", { name: "link" });
    expect(await link.getAttribute("rel")).toContain("noopener");
    expect(await link.getAttribute("target")).toBe("_blank");
    await page.goto(`${demo.url}/s/gallery`);
    await page.getByText("Raw <b>HTML</b> stays text.").waitFor();
    expect(await page.locator(".markdown img").count()).toBe(0);
  });

  test("with a part that cannot be drawn shows it as it is, and all the others", async () => {
    await demo.keep("broken", brokenMessages);
    const { page } = await open("/s/broken");
    await sees(page, "Still here.");
    expect(await page.locator(".note pre").allInnerTexts()).toEqual([
      expect.stringContaining('"type": "file"'),
      expect.stringContaining('"toolsAdded": 7'),
    ]);
  });

  test("can be stopped, and keeps what it said", async () => {
    const server = await serverWith({ paceMs: 20 });
    const { page, say, settled } = await open("/", {}, server);
    await say("write 5000 words");
    await sees(page, "A conversation is a list of turns");
    await page.getByRole("button", { name: "Stop" }).click();
    await settled();
    expect(await page.getByText("A conversation is a list of turns").count()).toBeGreaterThan(0);
    await say("19 + 23");
    await sees(page, "19 + 23 = 42");
  });

  test("that broke off says what to do, and can be tried again", async () => {
    const server = await serverWith({ model: failing(1) });
    const { page, say } = await open("/", {}, server);
    await say("hello");
    const failure = page.locator(".note.failure").filter({ hasText: "The answer broke off" });
    await failure.getByText("Try again, or go on with a new message.").waitFor();
    await failure.getByRole("button", { name: "Try again" }).click();
    await sees(page, "A whole answer.");
    expect(await failure.count()).toBe(0);
  });

  test("is there again after a reload, under its own address", async () => {
    const { page, say, settled } = await open();
    await say("weather in Beijing");
    await settled();
    await poll(async () => new URL(page.url()).pathname).toMatch(/^\/s\/\w+$/);
    const before = await page.locator(".entries").innerText();
    await page.reload();
    await page.locator(".entry.answer").waitFor();
    expect(await page.locator(".entries").innerText()).toContain("Beijing: ");
    expect((await page.locator(".entries").innerText()).split("\n")[0]).toBe(before.split("\n")[0]);
    await page.goBack();
    await page.getByRole("heading", { name: "What is on your mind?" }).waitFor();
  });

  test("that is under way goes on after a reload, once and whole", async () => {
    const server = await serverWith({ paceMs: 15 });
    const { page, say, settled } = await open("/", {}, server);
    await say("write 120 words");
    await sees(page, "A conversation is a list of turns");
    await page.reload();
    await page.getByRole("button", { name: "Stop" }).waitFor();
    await settled();
    expect(await page.locator(".entry").count()).toBe(2);
    expect(await page.getByRole("heading", { name: "About 120 words" }).count()).toBe(1);
  });
});

describe("a message", () => {
  test("that cannot be sent is kept, says why, and goes when tried again", async () => {
    const { page, say, findings } = await open();
    await page.route("**/api/v1/chat?**", route => route.abort());
    await say("19 + 23");
    await page.getByRole("heading", { name: "The server cannot be reached" }).waitFor();
    expect(await page.locator("[aria-live=polite]").innerText()).toContain("The server cannot be reached");
    expect(await findings()).toEqual([]);
    await page.unroute("**/api/v1/chat?**");
    await page.getByRole("button", { name: "Try again" }).click();
    await sees(page, "19 + 23 = 42");
    expect(await page.locator(".entry.user").count()).toBe(1);
  });

  test("takes files along, which are shown before and after", async () => {
    const { page, say, settled, findings } = await open();
    const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByTitle("Attach files").click()]);
    const dot = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
    await chooser.setFiles([
      { name: "dot.svg", mimeType: "image/svg+xml", buffer: dot },
      { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("a b c") },
    ]);
    await page.getByRole("button", { name: "Remove notes.txt" }).click();
    expect(await findings()).toEqual([]);
    await say("what is this?");
    await settled();
    expect(await page.locator(".entry.user img").getAttribute("alt")).toBe("dot.svg");
    await sees(page, "I received dot.svg");
  });

  test("goes to the model that was chosen, which is kept", async () => {
    const server = await serverWith({ models: ["demo/one", "demo/two"] });
    const { page, say, settled } = await open("/", {}, server);
    await page.getByLabel("Model").selectOption("demo/two");
    await say("19 + 23");
    await settled();
    await page.locator(".facts-line").getByText("demo/two").waitFor();
    await page.reload();
    await poll(() => page.getByLabel("Model").inputValue()).toBe("demo/two");
  });
});

describe("conversations", () => {
  test("are listed, opened, and deleted unless that is taken back", async () => {
    const server = await serverWith({});
    const { page, say, settled } = await open("/", {}, server);
    for (const words of ["19 + 23", "weather in London"]) {
      await page.getByRole("button", { name: "New chat" }).click();
      await say(words);
      await settled();
      await page.locator(".facts-line").waitFor();
    }
    await page.getByRole("button", { name: "Show conversations" }).click();
    const list = page.getByRole("navigation", { name: "Conversations" });
    await poll(() => list.getByRole("link").allInnerTexts()).toEqual([
      expect.stringContaining("weather in London"),
      expect.stringContaining("19 + 23"),
    ]);
    await list.getByRole("link", { name: "19 + 23" }).click();
    await sees(page, "19 + 23 = 42");
    await list.getByRole("button", { name: "Delete “weather in London”" }).click();
    expect(await list.getByRole("link").count()).toBe(1);
    await list.getByRole("button", { name: "Undo" }).click();
    expect(await list.getByRole("link").count()).toBe(2);
  });
});

describe("an approval", () => {
  test("is a card with the call it is about; approved, the call runs and the answer goes on", async () => {
    const { page, say } = await open();
    await say("send an email to ada@example.com");
    const card = page.getByRole("article", { name: /^May .* run\?$/ });
    expect(await card.innerText()).toContain("It would send an e-mail in your name.");
    expect(await card.innerText()).toContain("ada@example.com");
    await card.getByRole("button", { name: /^Approve/ }).click();
    await sees(page, "The e-mail to ada@example.com is on its way.");
    expect(await card.count()).toBe(0);
    expect(await page.locator("details.call .state").innerText()).toBe("Done");
    expect(await page.locator(".entry").count()).toBe(2);
  });

  test("denied with a reason is not run, and the model reads the reason", async () => {
    const { page, say } = await open();
    await say("send an email to ada@example.com");
    await page.getByRole("button", { name: /^Deny/ }).click();
    await page.getByLabel(/^Why not\?/).fill("not tonight");
    await page.getByRole("button", { name: "Deny", exact: true }).click();
    await sees(page, "as it was not approved: not tonight");
    expect(await page.locator("details.call .state").innerText()).toBe("Denied");
  });

  test("waits over a reload", async () => {
    const { page, say } = await open();
    await say("send an email to ada@example.com");
    await page.getByRole("button", { name: /^Approve/ }).waitFor();
    await page.reload();
    await page.getByRole("button", { name: /^Approve/ }).click();
    await sees(page, "is on its way");
  });
});

describe("a question", () => {
  const asking = () => serverWith({ agent: askingAgent(), model: painter });

  test("is a form by its schema; it waits over a reload, and says what is wrong in it", async () => {
    const { page, say, findings } = await open("/", {}, await asking());
    await say("paint");
    const card = page.getByRole("article", { name: "The agent asks for something" });
    await card.waitFor();
    await page.reload();
    expect(await card.innerText()).toContain("What shall I paint?");
    const send = card.getByRole("button", { name: "Answer", exact: true });
    await card.getByLabel("Title", { exact: true }).fill("Sea");
    await card.getByLabel("How many").fill("two");
    await send.click();
    expect(await card.getByRole("alert").innerText()).toBe("This has to be a number.");
    expect(await findings()).toEqual([]);
    await card.getByLabel("How many").fill("2");
    await card.getByLabel(/^Framed/).selectOption("Yes");
    await card.getByLabel("Colour").selectOption("blue");
    await card.getByLabel(/^Anything else/).fill('{"size": [1, 2]}');
    await send.click();
    await sees(page, 'painted {"title":"Sea","count":2,"framed":true,"colour":"blue","more":{"size":[1,2]}}');
    expect(await card.count()).toBe(0);
    expect(await page.locator(".entry").count()).toBe(2);
  });

  test("that the person does not answer goes on without", async () => {
    const { page, say } = await open("/", {}, await asking());
    await say("paint");
    await page.getByRole("button", { name: "Do not say" }).click();
    await sees(page, "painted undefined");
    await sees(page, "Cancelled");
  });
});

describe("the panel", () => {
  test("shows the conversation as each format, with its losses by code", async () => {
    const { page, complaints } = await open("/s/gallery");
    await page.locator(".entry").first().waitFor();
    await page.getByRole("button", { name: "Formats" }).click();
    const choice = page.getByLabel("Format", { exact: true });
    await choice.waitFor();
    const refs = await choice
      .locator("option")
      .evaluateAll(options => options.map(option => option.getAttribute("value")));
    for (const { id } of formats) expect(refs.some(ref => ref?.split(":")[0] === id)).toBe(true);
    for (const ref of refs) {
      await choice.selectOption(ref);
      await poll(() => page.locator(".value pre").getAttribute("aria-label")).toContain(ref?.replace(":", "."));
      const json: unknown = JSON.parse(await page.locator(".value pre").innerText());
      // A run's records tell what came of it, and say so of what was put in.
      const isInput = /\binput\b/.test((await page.locator(".losses").allInnerTexts()).join());
      expect(JSON.stringify(json), `${ref}`).toContain(isInput ? "I would send this:" : "Send it to Ada, please.");
      if (ref === "canonical") expect(await page.getByText("Nothing is lost.").count()).toBe(1);
      else expect(await page.locator(".losses > ul > li").count()).toBeGreaterThan(0);
    }
    await page.locator(".losses details").first().click();
    expect(await page.locator(".losses .paths code").first().innerText()).toMatch(/^messages\[\d+\]/);
    expect(complaints).toEqual([]);
  });

  test("lives while an answer is written, and gives its text as a file", async () => {
    const server = await serverWith({ paceMs: 20 });
    const { page, say, settled } = await open("/", {}, server);
    await page.keyboard.press("Escape");
    await say("write 60 words");
    await page.getByRole("button", { name: "Formats" }).click();
    await page.locator(".value").getByText("write 60 words").waitFor();
    await page.locator(".badge.live").waitFor();
    await settled();
    await page.locator(".value").getByText("Whoever reads it later").first().waitFor();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download" }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/\.json$/);
  });
});

describe("by keyboard alone", () => {
  test("one writes lines, sends, walks, opens, approves and leaves", async () => {
    const { page, settled } = await open();
    const focused = () =>
      page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.tagName);
    const hasFocus = (name: string) =>
      page.waitForFunction(
        label => (document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.tagName) === label,
        name,
      );
    await page.keyboard.press("/");
    await hasFocus("Message");
    await page.keyboard.type("send an email");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("to ada@example.com? / . j");
    expect(await page.getByRole("textbox", { name: "Message" }).inputValue()).toBe(
      "send an email\nto ada@example.com? / . j",
    );
    await page.keyboard.press("Enter");
    await settled();
    await page.keyboard.press("Escape");
    await page.keyboard.press("k");
    await hasFocus("Demo");
    await page.keyboard.press("k");
    await hasFocus("You");
    await page.keyboard.press("j");
    while (!(await focused())?.startsWith("Approve")) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await sees(page, "is on its way");
  });

  test("? lists the keys, . stops, f opens the panel and Escape closes it with the focus back", async () => {
    const server = await serverWith({ paceMs: 20 });
    const { page, say, settled } = await open("/", {}, server);
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await say("write 5000 words");
    await sees(page, "A conversation is a list");
    await page.keyboard.press("Escape");
    await page.keyboard.press(".");
    await settled();
    await page.getByRole("button", { name: "Formats" }).focus();
    await page.keyboard.press("f");
    await page.getByRole("complementary", { name: "Formats" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("complementary", { name: "Formats" }).waitFor({ state: "detached" });
    expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("Formats");
  });

  test("single keys can be turned off", async () => {
    const { page } = await open();
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByLabel("Single-key shortcuts").uncheck();
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    expect(await page.getByRole("dialog").count()).toBe(0);
  });
});

describe("a screen reader", () => {
  test("is told an answer by sentences, and calls by their states", async () => {
    const server = await serverWith({ paceMs: 15 });
    const { page, say, settled } = await open("/", {}, server);
    await say("weather in Beijing and London");
    await settled();
    const said = (await page.locator("[aria-live=polite] p").allInnerTexts()).map(text => text.trim());
    expect(said.filter(text => /^(Beijing|London): [^:]*\.$/.test(text))).toHaveLength(2);
    expect(said).toContain("get_weather is done.");
    expect(said.at(-1)).toBe("The answer is complete.");
  });
});

describe("the view", () => {
  test("follows the answer only while the reader is at its end", async () => {
    const server = await serverWith({ paceMs: 4 });
    const { page, say, settled } = await open("/", { viewport: { width: 800, height: 500 } }, server);
    const fromEnd = () =>
      page.locator(".room").evaluate(room => room.scrollHeight - room.scrollTop - room.clientHeight);
    await say("write 1200 words");
    await poll(() => page.locator(".room").evaluate(room => room.scrollTop)).toBeGreaterThan(200);
    expect(await fromEnd()).toBeLessThan(60);
    await page.locator(".room").hover();
    await page.mouse.wheel(0, -400);
    await page.getByRole("button", { name: "Jump to latest" }).waitFor();
    const place = await page.locator(".room").evaluate(room => room.scrollTop);
    const grown = await page.locator(".room").evaluate(room => room.scrollHeight);
    await poll(() => page.locator(".room").evaluate(room => room.scrollHeight)).toBeGreaterThan(grown + 100);
    expect(await page.locator(".room").evaluate(room => room.scrollTop)).toBe(place);
    await page.getByRole("button", { name: "Jump to latest" }).click();
    await poll(fromEnd).toBeLessThan(60);
    await settled();
    expect(await fromEnd()).toBeLessThan(60);
  });

  test("draws nothing again that is finished, however long the answer", async () => {
    const server = await serverWith({ model: long(20_000) });
    const { page, say, settled } = await open("/", {}, server);
    await page.evaluate(watchParagraphs);
    await say("go");
    await settled();
    const { paragraphs, touched } = await page.evaluate<{ paragraphs: number; touched: number }>("watched()");
    expect(paragraphs).toBeGreaterThan(300);
    expect(touched).toBe(0);
  });
});

/** As `expect.poll`, for a machine that has other things to do. */
const poll = <Value>(read: () => Promise<Value>) => expect.poll(read, { timeout: 15_000 });

const sees = (page: Page, words: string): Promise<void> => page.locator(".entries").getByText(words).first().waitFor();

const openAll = (page: Page): Promise<void> =>
  page.locator("details").evaluateAll(all => {
    for (const details of all) if (details instanceof HTMLDetailsElement) details.open = true;
  });

/** Counts changes inside of blocks that have others behind them. */
const watchParagraphs = `
  let touched = 0;
  new MutationObserver(records => {
    for (const { target } of records) {
      const block = (target.nodeType === 1 ? target : target.parentElement)?.closest?.(".block, figure.code");
      const markdown = block?.parentElement;
      if (markdown?.classList.contains("markdown") && [...markdown.children].indexOf(block) < markdown.children.length - 2) touched++;
    }
  }).observe(document.querySelector(".room"), { subtree: true, childList: true, characterData: true });
  globalThis.watched = () => ({ touched, paragraphs: document.querySelectorAll(".markdown .block").length });
`;

describe("every state, without a finding of axe", () => {
  const looks = [
    ["light", {}],
    ["dark", { colorScheme: "dark" }],
    ["at 360 pixels", { viewport: { width: 360, height: 740 } }],
    ["in Chinese", { locale: "zh-CN" }],
  ] as const;
  describe.each(looks)("%s", (_name, options) => {
    test.each(["/", "/s/gallery", "/s/failed", "/s/nowhere"])("%s", async path => {
      const { page, findings } = await open(path, options);
      await page.locator(".entry, .welcome h2, .missing").first().waitFor();
      await openAll(page);
      expect(await findings()).toEqual([]);
    });
    test("with the panel, the conversations and the dialogs open", async () => {
      const { page, findings } = await open("/s/failed", options);
      await page.locator(".entry").first().waitFor();
      for (const [key, place] of [
        ["f", ".panel .value"],
        ["s", ".sessions li"],
        ["?", "dialog"],
      ] as const) {
        await page.keyboard.press(key);
        await page.locator(place).first().waitFor();
        expect(await findings()).toEqual([]);
      }
    });
  });

  test("while an answer is written", async () => {
    const server = await serverWith({ paceMs: 20 });
    const { page, say, findings } = await open("/", {}, server);
    await say("write 5000 words");
    await sees(page, "A conversation is a list");
    expect(await findings()).toEqual([]);
    await page.getByRole("button", { name: "Stop" }).click();
  });
});

describe("looks", () => {
  test("Chinese comes from the browser, and by choice, and is kept", async () => {
    const { page, say } = await open("/", { locale: "zh-CN" });
    await page.getByRole("heading", { name: "想聊点什么" }).waitFor();
    expect(await page.locator("html").getAttribute("lang")).toBe("zh-CN");
    await say("北京的天气");
    await page.locator(".entry.answer").getByText("北京").last().waitFor();
    await page.getByRole("button", { name: "设置" }).click();
    await page.getByLabel("English").check();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "New chat" }).waitFor();
    await page.reload();
    await page.getByRole("button", { name: "New chat" }).waitFor();
  });

  test("dark comes from the system, light by choice, and is kept", async () => {
    const { page } = await open("/", { colorScheme: "dark" });
    const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    expect(await background()).toBe("rgb(20, 21, 23)");
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByLabel("Light").check();
    expect(await background()).toBe("rgb(251, 251, 249)");
    await page.reload();
    expect(await background()).toBe("rgb(251, 251, 249)");
  });

  test.each([360, 768, 2560])("nothing lies beyond the edge at %i pixels", async width => {
    const { page } = await open("/s/gallery", { viewport: { width, height: 740 } });
    await page.locator(".entry").first().waitFor();
    await openAll(page);
    const wide = await page.evaluate(() =>
      [...document.querySelectorAll("body *")]
        .filter(
          element =>
            element.getBoundingClientRect().right > innerWidth + 1 &&
            !element.closest("pre, .table, .sr-only, .call .line"),
        )
        .map(element => element.outerHTML.slice(0, 100)),
    );
    expect(wide).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  });
});
