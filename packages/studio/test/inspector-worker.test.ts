import { type Conversation, encode, type FormatRef, findFormat, formats, stringifyJson } from "translogue";
import { describe, expect, test } from "vitest";
import { samples } from "../src/inspector/samples.ts";
import { Unreadable } from "../src/inspector/worker/problem.ts";
import type { Opened } from "../src/inspector/worker/protocol.ts";
import { Work } from "../src/inspector/worker/work.ts";
import { formatOptions } from "../src/panel/conversion.ts";
import { galleryMessages } from "./gallery.ts";

function open(value: unknown, asked = {}): { readonly work: Work; readonly opened: Opened } {
  const work = new Work();
  const text = typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
  return { work, opened: work.open({ text, asked }) };
}

/** The texts at the places of each row. */
const piecesOf = ({ text, rows }: Opened): { readonly [path: string]: readonly string[] } =>
  Object.fromEntries(
    rows.map(({ path, spans }) => [
      path,
      spans.flatMap((from, index) => (index % 2 === 0 ? [text.slice(from, spans[index + 1])] : [])),
    ]),
  );

const problemOf = (text: string, asked = {}) => {
  try {
    open(text, asked);
  } catch (error) {
    if (error instanceof Unreadable) return error.problem;
    throw error;
  }
  return undefined;
};

const weather: Conversation = {
  messages: [
    { role: "user", parts: [{ type: "text", text: "Weather in Beijing?" }] },
    {
      role: "assistant",
      parts: [
        { type: "text", text: "I look it up." },
        { type: "tool-call", callId: "call_1", name: "get_weather", input: { city: "Beijing" } },
      ],
    },
    {
      role: "tool",
      parts: [
        { type: "tool-result", callId: "call_1", name: "get_weather", output: [{ type: "text", text: "Sunny" }] },
      ],
    },
    { role: "assistant", parts: [{ type: "text", text: "It is sunny." }] },
    { role: "user", parts: [{ type: "text", text: "Weather in Beijing?" }] },
  ],
};

describe("a history of any format", () => {
  const readable = formatOptions.filter(({ ref }) => findFormat(ref).codec.shapes.includes("messages"));

  test.each(readable.map(({ ref }) => ref))("is shown where its words are: %s", ref => {
    const { value, exact } = encode(weather, { to: ref as FormatRef, shape: "messages" });
    const { opened } = open(stringifyJson(value, exact, 2) ?? "", { ref });
    const rows = opened.rows.filter(({ kind, text }) => kind === "part" && text.includes("Weather in Beijing?"));
    expect(rows).toHaveLength(2);
    const [first, last] = rows.map(({ spans: [from = 0, to = 0] }) => [from, opened.text.slice(from, to)] as const);
    expect(first?.[1]).toContain("Weather in Beijing?");
    expect(last?.[1]).toContain("Weather in Beijing?");
    expect(last?.[0]).toBeGreaterThan(first?.[0] ?? 0);
    const messages = opened.rows.filter(({ kind, spans }) => kind === "message" && spans.length > 0);
    expect(messages.length).toBeGreaterThan(2);
  });

  test("has its messages and parts at the values that are theirs", () => {
    const { opened } = open(samples.history);
    const pieces = piecesOf(opened);
    expect(pieces["tools[1]"]?.join()).toContain('"Adds two numbers."');
    expect(pieces["messages[1]"]?.join()).toMatch(/^\{\s+"role": "user"[^{}]+\}$/);
    expect(pieces["messages[1].parts[0]"]).toEqual(['"What is the weather in Beijing, and what is 19 + 23?"']);
    expect(pieces["messages[2].parts[1]"]?.join()).toMatch(/^\{\s+"id": "call_sum"[\s\S]+\}\s+\}$/);
    expect(pieces["messages[3]"]?.join()).toContain('"42"');
  });

  test("of ours stands at its paths", () => {
    const { opened } = open({ messages: galleryMessages });
    expect(opened.format).toBe("canonical");
    for (const { path, spans } of opened.rows) {
      const piece: unknown = JSON.parse(opened.text.slice(spans[0], spans[1]));
      expect(piece, path).toHaveProperty(path.endsWith("]") && !/parts|output|summary/.test(path) ? "role" : "type");
    }
  });

  test("that is one long line is laid out, with its numbers as they were", () => {
    const text = JSON.stringify({
      model: "m",
      temperature: 1,
      messages: Array(20).fill({ role: "user", content: "x".repeat(30) }),
    });
    const { opened } = open(text.replace('"temperature":1', '"temperature":1.0'));
    expect(opened.isTidy).toBe(true);
    expect(opened.text).toContain('\n  "temperature": 1.0,\n');
    expect(open(text, { isTidy: false }).opened.text).toBe(text);
  });

  test("of JSON Lines is a list of messages, or one of several conversations", () => {
    const messages = [
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Hello" },
    ];
    const lines = open(messages.map(message => JSON.stringify(message)).join("\n")).opened;
    expect(lines).toMatchObject({ container: "jsonl", values: 1 });
    expect(piecesOf(lines)["messages[1]"]).toEqual(['{"role":"assistant","content":"Hello"}']);
    const several = [1, 2, 3]
      .map(number => JSON.stringify({ model: "m", messages: [{ role: "user", content: `${number}` }] }))
      .join("\n");
    expect(open(several).opened).toMatchObject({ values: 3, value: 0 });
    const second = open(several, { value: 1 }).opened;
    expect(second.rows.map(({ text }) => text)).toEqual(["2", "2"]);
    expect(second).toMatchObject({ values: 3, value: 1 });
  });
});

describe("what a log has put something around", () => {
  const request = { model: "m", messages: [{ role: "user", content: "Hi" }], tools: [] };
  test("is found in it, and said to be all that is read", () => {
    const { opened, work } = open({ name: "first", status: 200, request }, {});
    expect(opened).toMatchObject({ format: "openai-chat", shape: "request" });
    expect(piecesOf(opened)["messages[0].parts[0]"]).toEqual(['"Hi"']);
    expect(work.issues({}).map(({ code, severity }) => [code, severity])).toEqual([["inner-value", "info"]]);
  });
  test("line by line is one of several", () => {
    const text = [1, 2].map(status => JSON.stringify({ name: "x", status, request })).join("\n");
    expect(open(text).opened).toMatchObject({ container: "jsonl", values: 2, format: "openai-chat" });
  });
  test("may be a list of events, each with its place", () => {
    const events = [
      { messageStart: { role: "assistant" } },
      { contentBlockDelta: { contentBlockIndex: 0, delta: { text: "Hi" } } },
    ];
    const { opened } = open({ name: "x", events });
    expect(opened).toMatchObject({ format: "bedrock-converse", shape: "stream" });
    expect(piecesOf(opened)["messages[0].parts[0]"]?.join()).toContain('"text": "Hi"');
  });
});

describe("what cannot be read says what, and where", () => {
  test.each([
    ["  \n", {}, { code: "empty" }],
    ['{"messages": [\n  {"role": "user", "content": hello}]}', {}, { code: "not-json", line: 2, column: 31 }],
    ["data: {oops\n\n", {}, { code: "not-json", line: 1 }],
    ['{"a": 1}', {}, { code: "not-detected" }],
    ["[1, 2]", { ref: "canonical" }, { code: "not-this-format" }],
    ["42", { ref: "openai-chat" }, { code: "not-this-format" }],
    ["[]", { ref: "openai-chatt" }, { code: "not-this-format" }],
    ['data: {"a":1}\n\n', { ref: "lighter" }, { code: "not-this-format" }],
    [`${"[".repeat(2000)}${"]".repeat(2000)}`, {}, { code: "too-deep" }],
  ])("%.40s as %j", (text, asked, problem) => {
    expect(problemOf(text, asked)).toMatchObject(problem);
  });
  test("with the line, and a mark below the place", () => {
    expect(problemOf('{\n  "a": hello\n}')?.excerpt).toBe('  "a": hello\n       ^');
  });
});

describe("what is wrong", () => {
  const codes = (work: Work, target?: string) =>
    work.issues(target === undefined ? {} : { target }).map(({ from, code }) => `${from}: ${code}`);

  test("is said with its rule, place, source, the provider's words and the repair", () => {
    const { work, opened } = open(samples.history);
    const [group] = work.issues({ target: "openai-chat" });
    expect(group).toMatchObject({
      from: "target",
      code: "calls-answered",
      severity: "error",
      repair: "answer-calls",
      providerText: expect.stringContaining("call_weather"),
      source: expect.stringMatching(/\d{4}-\d{2}-\d{2}/),
    });
    expect(opened.rows[group?.spots[0]?.row ?? -1]?.path).toBe("messages[2].parts[0]");
  });

  test("is mended one by one, all at once, and taken back", () => {
    const { work, opened } = open(samples.history);
    const before = codes(work, "openai-chat");
    expect(before).toEqual(expect.arrayContaining(["target: calls-answered", "target: results-called"]));
    const one = work.repair({ target: "openai-chat", rule: "results-called" });
    expect(one.changes.map(({ repair }) => repair)).toEqual(["pair-results"]);
    expect(one.repairs).toBe(1);
    expect(codes(work, "openai-chat")).toEqual(["target: calls-answered"]);
    expect(one.text).not.toContain("call_of_before");
    const all = work.repair({ target: "openai-chat" });
    expect(all.repairs).toBe(2);
    expect(codes(work, "openai-chat")).toEqual([]);
    expect(JSON.parse(all.text)).toHaveProperty("messages");
    expect(work.undo().text).toBe(one.text);
    expect(work.undo().text).toBe(opened.text);
    expect(codes(work, "openai-chat")).toEqual(before);
    expect(work.undo().repairs).toBe(0);
  });

  test("a repair that has nothing to do is none", () => {
    const { work } = open({ model: "m", messages: [{ role: "user", content: "Hi" }] }, { ref: "openai-chat" });
    expect(work.repair({ target: "openai-chat" })).toMatchObject({ repairs: 0, changes: [] });
  });

  test("in the text is said beside the rest", () => {
    const { work } = open('{"role":"user","content":"Hi"}\n{oops\n{"role":"assistant","content":"Hello"}');
    expect(codes(work)).toEqual(["reading: line/not-json"]);
  });
});

describe("the conversation in another format", () => {
  test.each(formatOptions.map(({ ref }) => ref))("shows on both sides where something is lost: %s", ref => {
    const { work, opened } = open({ messages: galleryMessages });
    const written = work.write({ ref, recipient: "client", carry: false });
    if ("problem" in written) throw new Error(written.problem);
    JSON.parse(written.text);
    const places = written.groups.flatMap(({ lit }) => lit);
    expect(places).toHaveLength(written.groups.reduce((sum, { losses }) => sum + losses.length, 0));
    expect(places.length).toBeGreaterThan(0);
    for (const { row, source } of places) {
      if (row === undefined) continue;
      const [from = -1, to = -1] = source;
      expect(from).toBeGreaterThanOrEqual(0);
      expect(to).toBeGreaterThan(from);
      expect(to).toBeLessThanOrEqual(opened.text.length);
    }
    expect(written.places).toHaveLength(opened.rows.length);
    expect(written.places.some(spans => spans.length > 0)).toBe(true);
  });

  test("of a message that lost a member lights the member", () => {
    const { work, opened } = open({ messages: galleryMessages });
    const written = work.write({ ref: "openai-chat:openai", recipient: "client", carry: false });
    if ("problem" in written) throw new Error(written.problem);
    const group = written.groups.find(({ code }) => code === "message.run");
    const [from, to] = group?.lit[0]?.source ?? [];
    expect(opened.text.slice(from, to)).toBe('"run1"');
  });

  test("carries along what is lost, where that is wanted", () => {
    const { work } = open({ messages: galleryMessages });
    const groups = [false, true].map(carry => {
      const written = work.write({ ref: "openai-chat:openai", recipient: "store", carry });
      return "problem" in written ? [] : written.groups;
    });
    const carried = groups.map(some => some.reduce((sum, group) => sum + group.carried, 0));
    expect(carried[0]).toBe(0);
    expect(carried[1]).toBeGreaterThan(10);
  });
});

describe("facts", () => {
  test("say what fills the context, whose ids and whose seals are in it", () => {
    const { work, opened } = open({
      messages: [
        ...weather.messages,
        {
          role: "assistant",
          id: "m6",
          usage: { input: 10, cacheRead: 5, output: 7, reasoning: 3 },
          parts: [
            { type: "reasoning", text: "Hm.", seal: { maker: "anthropic", values: { signature: "abc" } } },
            { type: "tool-call", callId: "call_2", name: "get_weather", input: {} },
          ],
        },
      ],
    });
    const facts = work.facts();
    expect(facts).toMatchObject({ messages: 6, usage: { input: 15, output: 10 } });
    expect(facts.bars.map(({ tokens }) => tokens).reduce((sum, tokens) => sum + tokens)).toBe(facts.tokens);
    expect(facts.byType.map(([type]) => type)).toEqual(
      expect.arrayContaining(["text", "tool-call", "tool-result", "reasoning"]),
    );
    expect(facts.seals).toEqual([{ maker: "anthropic", values: [["signature", 3]], row: expect.any(Number) }]);
    const calls = facts.ids.filter(({ kind }) => kind === "call");
    expect(calls.map(({ id, hasResult }) => [id, hasResult])).toEqual([
      ["call_1", true],
      ["call_2", false],
    ]);
    expect(opened.rows[calls[0]?.resultRow ?? -1]?.name).toBe("tool-result");
    expect(work.node({ row: calls[0]?.row ?? -1 })).toMatchObject({ type: "tool-call", callId: "call_1" });
  });
});

describe("a stream", () => {
  test("is known by its events, and each part by those that told of it", () => {
    const { opened } = open(samples.recording);
    expect(opened).toMatchObject({ format: "anthropic-messages", shape: "stream" });
    expect(opened.stream?.map(({ time }) => time)).toEqual(expect.arrayContaining([0, 40, 2055]));
    const pieces = piecesOf(opened);
    expect(pieces["messages[0].parts[1]"]?.join().split("\n")).toHaveLength(4);
    expect(pieces["messages[0].parts[1]"]?.join()).toContain("Let me look ");
  });

  test("is gone through forward and back", () => {
    const { work, opened } = open(samples.recording);
    const texts = (events: number) =>
      work.after({ events }).flatMap(({ parts }) => parts.map(part => ("text" in part ? part.text : part.type)));
    expect(texts(0)).toEqual([]);
    expect(texts(3)).toEqual(["They want the weather "]);
    expect(texts(8)).toEqual(["They want the weather in Beijing. I look it up.", "Let me look "]);
    expect(texts(4)).toEqual(["They want the weather in Beijing. I look it up."]);
    const end = work.after({ events: opened.stream?.length ?? 0 });
    expect(end[0]?.finish?.reason).toBe("tool-calls");
  });

  const chat = (delta: object, finish: string | null = null) => ({
    id: "c1",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const events = [
    chat({ role: "assistant", content: "" }),
    chat({ content: "Hel" }),
    chat({ content: "lo" }),
    chat({}, "stop"),
  ];

  const frames = events.map(event => `data: ${JSON.stringify(event)}\n\n`).join("");

  test.each([
    ["server-sent events", `${frames}data: [DONE]\n\n`, 5],
    ["JSON Lines", events.map(event => JSON.stringify(event)).join("\n"), 4],
    ["a list", JSON.stringify(events), 4],
    ["with a broken event", `data: {oops\n\n${frames}`, 5],
  ])("comes as %s", (_name, text, count) => {
    const { opened, work } = open(text);
    expect(opened).toMatchObject({ format: "openai-chat", shape: "stream" });
    expect(opened.stream).toHaveLength(count);
    expect(opened.rows.map(({ text: words }) => words)).toEqual(["Hello", "Hello"]);
    const broken = work.issues({}).filter(({ code }) => code === "stream/not-json");
    expect(broken).toHaveLength(text.includes("oops") ? 1 : 0);
  });

  test("can be repaired and converted as a history", () => {
    const { work } = open(samples.recording);
    expect(work.repair({ target: "anthropic-messages" }).repairs).toBe(1);
    const written = work.write({ ref: "openai-chat:openai", recipient: "client", carry: false });
    expect("text" in written && written.text).toContain("get_weather");
  });
});

test("every format and target can be chosen", () => {
  const offer = new Work().offer();
  expect(offer.formats.map(({ id }) => id)).toEqual(formats.map(({ id }) => id));
  expect(offer.targets.length).toBeGreaterThan(10);
  for (const { format } of offer.targets) expect(offer.formats.some(({ id }) => id === format)).toBe(true);
});
