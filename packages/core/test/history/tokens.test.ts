import {
  assistant,
  fileData,
  imageUrl,
  type Message,
  system,
  text,
  toolCall,
  toolMessage,
  toolResult,
  user,
} from "translogue";
import { countTokens, estimateText, estimator, mediaRules } from "translogue/history";
import { describe, expect, test } from "vitest";

describe("a text's tokens", () => {
  // Counted once with o200k_base.
  const table: readonly (readonly [text: string, tokens: number])[] = [
    ["The quick brown fox jumps over the lazy dog, and nobody at all was surprised by it this time.", 21],
    ["const answer = await fetch(url, { method: 'POST', body: JSON.stringify(value) });", 20],
    ['{"name":"weather","city":"Paris","celsius":21,"tags":["sun","wind"]}', 21],
    ["今天天气很好,我们一起去公园散步吧。", 14],
    ["Сегодня очень хорошая погода, пойдём гулять в парк.", 15],
    ["0123456789012345678901234567890123456789", 14],
  ];
  test.each(table)("%s", (words, tokens) => {
    const estimate = estimateText(words);
    expect(Math.abs(estimate - tokens)).toBeLessThanOrEqual(Math.max(3, tokens * 0.35));
  });
  test("nothing is nothing", () => expect(estimateText("")).toBe(0));
  test("a text of two halves counts as its halves do", () => {
    const half = "All work and no play makes a dull day. ";
    expect(Math.abs(estimateText(half.repeat(200)) - 200 * estimateText(half))).toBeLessThanOrEqual(200);
  });
});

describe("a message's tokens", () => {
  const letters = estimator({ text: words => words.length, perMessage: 1, perCall: 2 });
  test("are its words, names, calls and results, with the frame around them", () => {
    expect(letters(user("abc"))).toBe(4);
    expect(letters(user("abc", { author: { name: "li" } }))).toBe(6);
    expect(letters(assistant([toolCall({ callId: "c", name: "f", input: { a: 1 } })]))).toBe(1 + 2 + 1 + 7);
    expect(letters(toolMessage(toolResult("c", "xyz")))).toBe(1 + 2 + 3);
  });
  test("are counted once for an object", () => {
    let counted = 0;
    const count = estimator({ text: () => ++counted });
    const message = user("abc");
    expect(count(message)).toBe(count(message));
    expect(counted).toBe(1);
  });
  test("are summed over a conversation, and its tools count too", () => {
    const messages: readonly Message[] = [system("a"), user("b")];
    const tools = [{ name: "look", description: "Looks.", input: { type: "object" } }];
    expect(countTokens({ messages })).toBe(countTokens(messages));
    expect(countTokens({ messages, tools })).toBeGreaterThan(countTokens(messages));
  });
});

test("a given tokeniser never gets a long run without spaces at once, and all of every text", () => {
  const pieces: string[] = [];
  const count = estimator({ text: words => pieces.push(words), perMessage: 0 });
  const run = "🙂a".repeat(21_000);
  const whole = `some words before ${run} and after ${"b ".repeat(5000)}`;
  count(user(whole));
  expect(pieces.join("")).toBe(whole);
  expect(Math.max(...pieces.flatMap(piece => piece.split(/\s/)).map(word => word.length))).toBeLessThanOrEqual(4000);
  expect(pieces.every(piece => piece.isWellFormed())).toBe(true);
});

describe("a picture's tokens", () => {
  const png = (width: number, height: number): string => {
    const bytes = new Uint8Array(33);
    const view = new DataView(bytes.buffer);
    view.setUint32(0, 0x89504e47);
    view.setUint32(16, width);
    view.setUint32(20, height);
    return btoa(String.fromCharCode(...bytes));
  };
  const gif = btoa(`GIF89a${String.fromCharCode(0x58, 2, 0xf4, 1)}${"\0".repeat(20)}`); // 600 × 500
  const jpeg = btoa(
    String.fromCharCode(
      0xff,
      0xd8,
      0xff,
      0xe0,
      0,
      4,
      0,
      0,
      0xff,
      0xc0,
      0,
      11,
      8,
      1,
      0xf4,
      2,
      0x58,
      3,
      0,
      0,
      0,
      0,
      0,
      0,
    ),
  );
  const of = (media: (typeof mediaRules)[keyof typeof mediaRules], ...parts: Message["parts"]) =>
    estimator({ media, perMessage: 0 })({ role: "user", parts });

  test.each([
    ["tiles", 512, 512, 85 + 170],
    ["tiles", 1024, 1024, 85 + 4 * 170],
    ["tiles", 2048, 4096, 85 + 6 * 170],
    ["patches", 512, 512, 308],
    ["patches", 1920, 1080, 2448],
    ["area", 600, 500, 400],
    ["area", 4000, 3000, 1600],
    ["squares", 300, 384, 258],
    ["squares", 1536, 768, 516],
  ] as const)("by %s of %i × %i are %i", (rule, width, height, tokens) => {
    expect(of(mediaRules[rule], fileData(png(width, height), "image/png"))).toBe(tokens);
  });
  test("are told by the size of GIF and JPEG too", () => {
    expect(of(mediaRules.area, fileData(gif, "image/gif"))).toBe(400);
    expect(of(mediaRules.area, fileData(jpeg, "image/jpeg"))).toBe(400);
  });
  test("are the rule's own number where the size is not known", () => {
    expect(of(mediaRules.tiles, imageUrl("https://example.com/x.png"))).toBe(765);
    expect(of(mediaRules.tiles, fileData("%%%", "image/png"))).toBe(765);
    expect(of(mediaRules.tiles, imageUrl("u", { detail: "low" }))).toBe(85);
  });
  test("of a document and a minute of audio go by the rule, a text file by its words", () => {
    expect(of(mediaRules.squares, fileData("AAAA", "audio/wav"))).toBe(1920);
    expect(of(mediaRules.area, fileData("AAAA", "application/pdf"))).toBe(2250);
    expect(of(mediaRules.area, { type: "file", source: { text: "abc def" } })).toBe(
      of(mediaRules.area, text("abc def")),
    );
  });
});
