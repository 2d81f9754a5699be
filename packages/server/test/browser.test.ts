import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { launchBrowser } from "@translogue/testkit/browser";
import type { Browser, Page } from "playwright-core";
import { build } from "vite";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Listening, serve } from "../src/index.ts";
import { call, calls, type Fixture, heldAnswer, said, serverOf, text, toolOf } from "./scripted.ts";

let folder: string;
let browser: Browser;
let server: Fixture;
let listening: Listening;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "translogue-page-"));
  const root = fileURLToPath(new URL("page", import.meta.url));
  await build({ root, configFile: false, logLevel: "error", build: { outDir: folder, emptyOutDir: true } });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

beforeEach(async () => {
  server = await serverOf({ studioDir: folder, busyWaitMs: 1000, agentTools: [toolOf("look", () => "blue")] });
  listening = await serve(server, { signals: false });
  page = await browser.newPage();
  complaints = [];
  page.on("pageerror", error => complaints.push(error.message));
  await page.goto(`${listening.url}/?chat=c1`);
});
afterEach(async () => {
  await page.close();
  await listening.close();
});

const say = async (words: string): Promise<void> => {
  await page.getByLabel("Message").fill(words);
  await page.getByRole("button", { name: "Send" }).click();
};
const sees = (words: string) => page.getByText(words, { exact: true }).waitFor();
const answers = () => page.getByRole("article", { name: "assistant" }).allTextContents();
const ready = () => page.getByRole("status").getByText("ready").waitFor();

describe("useChat in a browser", () => {
  it("streams an answer with its tool call, and the next one", async () => {
    const held = heldAnswer();
    server.model.answer(
      calls({ type: "reasoning", text: "Hm." }, call("k1", "look", { at: "sea" })),
      held.answer,
      said(text("Bye.")),
    );
    await say("Which colour?");
    await sees('look {"at":"sea"} output-available "blue"');
    held.say("It is");
    await sees("It is");
    held.say(" blue.");
    await sees("It is blue.");
    held.end();
    await ready();
    await say("Thanks");
    await sees("Bye.");
    await ready();
    expect(await answers()).toEqual(['Hm.look {"at":"sea"} output-available "blue"It is blue.', "Bye."]);
    expect(complaints).toEqual([]);
  });

  it("shows that the model failed before it said anything, and goes on", async () => {
    await say("Hello");
    await page.getByRole("alert").getByText("the model's host refused the request").waitFor();
    server.model.answer(said(text("I am back.")));
    await say("Hello?");
    await sees("I am back.");
    await ready();
    expect(server.model.asked.at(-1)?.messages.map(({ role }) => role)).toEqual(["user", "user"]);
  });

  it.each(["Stop", "Leave"])("goes on after an answer that was left in its middle by %s", async button => {
    const held = heldAnswer();
    server.model.answer(held.answer, said(text("Something else.")));
    await say("Tell me all");
    held.say("Once upon");
    await sees("Once upon");
    await page.getByRole("button", { name: button }).click();
    await ready();
    await say("No, wait");
    await sees("Something else.");
    await ready();
    expect(await answers()).toEqual(["Once upon", "Something else."]);
    const asked = server.model.asked
      .at(-1)
      ?.messages.map(({ parts }) => parts.map(part => (part.type === "text" ? part.text : "")).join(""));
    expect(asked).toEqual(["Tell me all", "Once upon", "No, wait"]);
    expect(complaints).toEqual([]);
  });
});
