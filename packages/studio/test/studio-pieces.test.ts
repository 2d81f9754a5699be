import { assistant, formats, user } from "translogue";
import { describe, expect, test } from "vitest";
import { allows } from "../src/composer/use-models.ts";
import { canonical } from "../src/panel/canonical.ts";
import { conversionOf, formatOptions } from "../src/panel/conversion.ts";
import { formatBytes } from "../src/parts/file-view.tsx";
import { inOneLine } from "../src/parts/json-tree.tsx";
import { pathOf, routeOf } from "../src/shell/route.ts";
import { browserLanguage, languages } from "../src/shell/words.ts";

describe("addresses", () => {
  test.each([
    ["/", undefined],
    ["/s/abc", "abc"],
    ["/s/a%2Fb/", "a/b"],
    ["/s/%E4%BD%A0", "你"],
    ["/s/%zz", "%zz"],
    ["/s/", undefined],
    ["/other", undefined],
    ["/inspect", undefined],
  ])("%s is the session %j", (path, session) => {
    expect(routeOf(path).session).toBe(session);
  });
  test.each(["abc", "a/b", "你", "a b?c#d"])("lead back to %j", session => {
    expect(routeOf(pathOf({ session })).session).toBe(session);
  });
});

describe("languages", () => {
  test.each([
    [["zh-CN", "en"], "zh"],
    [["de", "zh-Hant"], "zh"],
    [["en-GB"], "en"],
    [["de", "fr"], "en"],
    [[], "en"],
  ])("of a browser that wants %j: %s", (wanted, language) => {
    expect(browserLanguage(wanted)).toBe(language);
  });

  test("say the same things: no text is empty, and none was forgotten in English", () => {
    const paths = (value: object, path = ""): string[] =>
      Object.entries(value).flatMap(([key, item]) =>
        typeof item === "object" ? paths(item, `${path}.${key}`) : [`${path}.${key}`],
      );
    expect(paths(languages.zh).sort()).toEqual(paths(languages.en).sort());
    expect(JSON.stringify(languages)).not.toContain('""');
    expect(languages.zh.examples).toHaveLength(languages.en.examples.length);
  });
});

describe("a value in one line", () => {
  test.each([
    [{ a: 19, b: 23 }, "a: 19, b: 23"],
    [{ city: "Beijing", days: [1, 2], more: { x: 1 } }, "city: Beijing, days: [1, 2], more: {x}"],
    [{ text: "two\nlines" }, "text: two lines"],
    [42, "42"],
    [null, "null"],
    ["words", "words"],
    [[], "[]"],
    [["a", { b: 1 }], "[a, …]"],
    [{}, ""],
  ])("%j is %j", (value, line) => {
    expect(inOneLine(value)).toBe(line);
  });
  test("is cut where it is long, and does not look at all of it", () => {
    const long = { text: "x".repeat(1_000_000), list: Array.from({ length: 100_000 }, () => "y") };
    expect(inOneLine(long, 20)).toBe(`text: ${"x".repeat(13)}…`);
  });
});

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1000, "1.0 kB"],
  [15_400, "15 kB"],
  [2_500_000, "2.5 MB"],
])("%i bytes are %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test("a row of a provider allows each of its models", () => {
  expect(allows("demo/standard", "demo/standard")).toBe(true);
  expect(allows("openrouter/*", "openrouter/any/model")).toBe(true);
  expect(allows("openrouter/*", "openrouter/")).toBe(false);
  expect(allows("openrouter/*", "other/model")).toBe(false);
});

describe("the panel", () => {
  const conversation = {
    messages: [
      user("19 + 23", { id: "u" }),
      assistant(
        [
          { type: "reasoning", text: "Add." },
          { type: "data", name: "chart", data: { x: 1 } },
        ],
        { id: "a" },
      ),
    ],
  };

  test("offers every format in each of its dialects", () => {
    const refs = formatOptions.map(({ ref }) => ref);
    expect(new Set(refs).size).toBe(refs.length);
    for (const { id } of formats) expect(refs.some(ref => ref.split(":")[0] === id)).toBe(true);
  });

  test.each(formatOptions.map(({ ref }) => ref))("shows a conversation as %s, as JSON, with what was lost", ref => {
    const conversion = conversionOf(conversation, ref, { recipient: "client" });
    if ("problem" in conversion) throw new Error(conversion.problem);
    // A run's records tell what came of it, and say so of what was put in.
    const isInput = conversion.losses.some(({ code }) => code === "input");
    expect(JSON.stringify(JSON.parse(conversion.text))).toContain(isInput ? "Add." : "19 + 23");
    for (const { losses, code } of conversion.losses) expect(losses.every(loss => loss.code === code)).toBe(true);
  });

  test("shows what we hold ourselves without a loss", () => {
    const conversion = conversionOf(conversation, canonical, { recipient: "client" });
    expect(conversion).toMatchObject({ losses: [] });
    expect("text" in conversion && JSON.parse(conversion.text)).toEqual(conversation);
  });
});
