import { check, type Event, emit, type Message } from "translogue";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { evaluate, sumsIn } from "../src/demo/arithmetic.ts";
import { demoAgent, demoModel, demoTools } from "../src/demo/index.ts";
import { createAgent, defineTool } from "../src/index.ts";
import { collected, fixed } from "./scripted-model.ts";

const quiet = () => demoAgent({ ...fixed(), notice: false });
const callsIn = (messages: readonly Message[]) =>
  messages.flatMap(({ parts }) =>
    parts.flatMap(part => (part.type === "tool-call" ? [[part.callId, part.input]] : [])),
  );

describe("the demo answers", () => {
  test.each<[string, unknown[], string]>([
    ["计算 19 + 23。", [["call_add_1", { a: 19, b: 23 }]], "19 + 23 = 42。"],
    ["What is 19 + 23?", [["call_add_1", { a: 19, b: 23 }]], "19 + 23 = 42."],
    ["2 * 3 plus 0.1?", [["call_calculate_1", { expression: "2 * 3 + 0.1" }]], "2 * 3 + 0.1 = 6.1."],
    ["Weather in London?", [["call_get_weather_1", { city: "London" }]], "London: 8 °C, fog."],
    [
      "北京和上海的天气",
      [
        ["call_get_weather_1", { city: "北京" }],
        ["call_get_weather_2", { city: "上海" }],
      ],
      "北京：3 °C，晴。\n\n上海：12 °C，多云。",
    ],
    ["What time is it?", [["call_get_time_1", {}]], "It is 2026-11-30 08:00 (UTC)."],
    ["现在几点？", [["call_get_time_1", { timezone: "Asia/Shanghai" }]], "现在是 2026-11-30 16:00（Asia/Shanghai）。"],
    ["research tea", [["call_research_1", { topic: "tea" }]], "I looked “tea” up in 3 imaginary sources."],
    [
      "fail on purpose",
      [["call_fail_on_purpose_1", { reason: "This tool always fails." }]],
      "The tool `fail_on_purpose` failed: This tool always fails.",
    ],
    [
      "delete note Draft 3",
      [["call_delete_note_1", { title: "Draft 3" }]],
      "The note “Draft 3” is deleted. (In this demo there was none.)",
    ],
  ])("%s", async (question, calls, text) => {
    const { messages, text: said } = await quiet().run(question);
    expect(callsIn(messages)).toEqual(calls);
    expect(said).toBe(text);
  });

  test("at the length asked for, in the language asked in", async () => {
    const { text } = await quiet().run("Write 500 words, please");
    expect(text.split(/\s+/).length).toBeGreaterThan(500);
    expect(text.split(/\s+/).length).toBeLessThan(550);
    const zh = (await quiet().run("写一篇长文")).text;
    expect(zh.match(/\p{Script=Han}/gu)?.length).toBeGreaterThan(800);
  });

  test("with Markdown, and with what it can do where it has no rule", async () => {
    expect((await quiet().run("show me a table in markdown")).text).toMatch(/^# [\s\S]*\| Chat \| yes \|[\s\S]*```ts/);
    expect((await quiet().run("Good morning")).text).toMatch(/Good morning[\s\S]*`19 \+ 23`/);
    expect((await quiet().run("早上好")).text).toMatch(/早上好[\s\S]*`计算 19 \+ 23`/);
    expect((await quiet().run("weather?")).text).toMatch(/which city/);
  });

  test("about files by their name", async () => {
    const file = { type: "file", mediaType: "image/png", source: { data: "AAAA" } } as const;
    const { text } = await quiet().run({ role: "user", parts: [{ type: "text", text: "What is it?" }, file] });
    expect(text).toMatch(/image\/png/);
  });

  test("nobody with a failure that breaks off, unless it is asked to", async () => {
    const response = await quiet().run("model error");
    expect(response).toMatchObject({ finish: { reason: "error" }, error: { code: "demo/asked-for" } });
    expect(response.text).not.toBe("");
  });

  test("by any tool that is offered and named", async () => {
    const tool = defineTool({
      name: "zhipin_reply_generator",
      parameters: z.object({ brand: z.string() }),
      execute: ({ brand }) => ({ reply: `您好 ${brand}` }),
    });
    const agent = createAgent({ ...fixed(), model: demoModel(), tools: [tool] });
    const { messages, text } = await agent.run('调用 zhipin_reply_generator {"brand": "蜀地源冒菜"}');
    expect(callsIn(messages)).toEqual([["call_zhipin_reply_generator_1", { brand: "蜀地源冒菜" }]]);
    expect(text).toContain("您好 蜀地源冒菜");
  });

  test("sums by itself where it has no tool for them", async () => {
    const { text, messages } = await createAgent({
      ...fixed(),
      model: demoModel("demo/standard", { notice: false }),
    }).run("19 + 23?");
    expect([text, messages.length]).toEqual(["19 + 23 = 42.", 1]);
  });
});

describe("the demo", () => {
  test("says of every message that it is one, and in words once", async () => {
    const agent = demoAgent(fixed());
    const session = await agent.createSession();
    const first = await agent.run("19 + 23?", { session });
    const second = await agent.run("2 + 2?", { session });
    for (const message of [...first.messages, ...second.messages]) {
      if (message.role === "assistant") expect(message).toMatchObject({ metadata: { demo: true }, provider: "demo" });
    }
    expect([first.text, second.text].map(text => text.includes("demo model"))).toEqual([true, false]);
  });

  test("reasons in the open before it answers", async () => {
    const { messages } = await quiet().run("19 + 23?");
    expect(messages[0]?.parts.map(({ type }) => type)).toEqual(["reasoning", "tool-call"]);
  });

  test("asks before it sends, and tells what became of it", async () => {
    for (const [approved, words] of [
      [true, /on its way/],
      [false, /not approved: Not now/],
    ] as const) {
      const agent = quiet();
      const session = await agent.createSession();
      await agent.run("Send an email to bob@example.org", { session });
      const [pending] = session.pendingApprovals;
      expect(pending).toMatchObject({
        call: { name: "send_email", input: { to: "bob@example.org" } },
        reason: expect.any(String),
      });
      const answer: Message = {
        role: "tool",
        parts: [{ type: "approval-response", requestId: pending?.requestId ?? "", approved, reason: "Not now" }],
      };
      expect((await agent.run(answer, { session })).text).toMatch(words);
    }
  });

  test("gives the same events for the same conversation, in small pieces, and waits between them as it is told", async () => {
    const conversation = { messages: [{ role: "user", parts: [{ type: "text", text: "Hello there" }] }] } as const;
    const waits: number[] = [];
    const model = demoModel("demo/standard", { paceMs: 15, sleep: async ms => void waits.push(ms) });
    const batches = await collected(model.stream({ conversation }));
    expect(await collected(demoModel().stream({ conversation }))).toEqual(batches);
    expect(waits).toEqual(batches.map(() => 15));
    const texts = batches.flat().map((event: Event) => (event.type === "part-delta" ? event.text : ""));
    expect(Math.max(...texts.map(({ length }) => length))).toBeLessThan(30);
  });

  test("leaves a history that holds, whatever is said", async () => {
    const agent = demoAgent(fixed());
    const session = await agent.createSession();
    for (const question of [
      "19 + 23?",
      "fail on purpose",
      "Send an email",
      "never mind",
      "model error",
      "天气 北京",
      "",
      "{}",
    ]) {
      await agent.run({ role: "user", parts: [{ type: "text", text: question }] }, { session });
    }
    expect(check({ messages: session.messages }).filter(({ severity }) => severity !== "info")).toEqual([]);
    expect(emit(session.messages).length).toBeGreaterThan(0);
  });

  test("shows how far a long tool is", async () => {
    const shown: unknown[] = [];
    for await (const { events } of demoAgent({ ...fixed(), paceMs: 1, sleep: async () => {} }).runStreaming(
      "research tea",
    )) {
      for (const event of events)
        if (event.type === "part" && event.value.type === "tool-result") shown.push(event.value.preliminary);
    }
    expect(shown.at(-1)).toBeUndefined();
    expect(shown.length).toBeGreaterThan(1);
  });

  test("has tools that a model can be offered, each with words for it", () => {
    for (const { name, description, title, input } of demoTools) {
      expect([name, description, title].every(words => words)).toBe(true);
      expect(input).toMatchObject({ type: "object" });
    }
  });
});

describe("its sums", () => {
  test.each([
    ["1 + 2 * 3", 7],
    ["(1 + 2) * 3", 9],
    ["-2 - -3", 1],
    ["0.1 + 0.2", 0.3],
    ["8 / 4 / 2", 1],
  ])("%s = %d", (expression, value) => expect(evaluate(expression)).toBe(value));

  test.each(["1 / 0", "1 +", "(1", "2 ** 3", "a + 1", "", "1 2"])("%j is none", expression =>
    expect(() => evaluate(expression)).toThrow(),
  );

  test("are found in words, and dates are none", () => {
    expect(sumsIn("on 2026-11-30, 19 plus 23 and 2*3, or 7 除以 2, but not 3/4")).toEqual([
      "19 + 23",
      "2 * 3",
      "7 / 2",
    ]);
  });
});
