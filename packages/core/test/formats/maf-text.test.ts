import { type Json, parseJson } from "translogue";
import {
  addUsageDetails,
  dotnetDate,
  dotnetNumber,
  dotnetString,
  foldKey,
  hashMaf,
  hasTopLevelMediaType,
  isMediaType,
  mediaTypeOfUri,
  readDataUri,
  sameKey,
  textOfMaf,
} from "translogue/maf";
import { describe, expect, test } from "vitest";

describe("a string is escaped as .NET's encoders do", () => {
  test.each([
    ["plain é 你 ✓ \u200d", "plain é 你 ✓ \u200d", "plain \\u00E9 \\u4F60 \\u2713 \\u200D"],
    ['"\\\b\t\n\f\r', '\\"\\\\\\b\\t\\n\\f\\r', "\\u0022\\\\\\b\\t\\n\\f\\r"],
    ["<>&'+`/", "<>&'+`/", "\\u003C\\u003E\\u0026\\u0027\\u002B\\u0060/"],
    ["\u0000\u007f\u0085", "\\u0000\\u007F\\u0085", "\\u0000\\u007F\\u0085"],
    ["\u00a0\u2003\u2028\u3000", "\\u00A0\\u2003\\u2028\\u3000", "\\u00A0\\u2003\\u2028\\u3000"],
    ["\ufeff\ue000\u0378", "\\uFEFF\\uE000\\u0378", "\\uFEFF\\uE000\\u0378"],
    ["🤖", "\\uD83E\\uDD16", "\\uD83E\\uDD16"],
    ["a\ud83d", "a\\uFFFD", "a\\uFFFD"],
    ["\ude00\ud83d\ude00", "\\uFFFD\\uD83D\\uDE00", "\\uFFFD\\uD83D\\uDE00"],
  ])("%j", (text, relaxed, plain) => {
    expect(dotnetString(text)).toBe(`"${relaxed}"`);
    expect(dotnetString(text, "default")).toBe(`"${plain}"`);
  });

  test("and reads back as itself, but for halves of pairs", () => {
    for (let code = 0; code <= 0xffff; code += 7) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const text = `a${String.fromCharCode(code)}b`;
      expect(JSON.parse(dotnetString(text))).toBe(text);
      expect(JSON.parse(dotnetString(text, "default"))).toBe(text);
    }
  });
});

test.each([
  [1e16, "10000000000000000"],
  [1e17, "1E+17"],
  [1.5e300, "1.5E+300"],
  [0.0001, "0.0001"],
  [0.00001, "1E-05"],
  [-1.25e-10, "-1.25E-10"],
  [-0, "-0"],
  [3, "3"],
  [123456.789, "123456.789"],
  [Number.NaN, undefined],
  [Number.POSITIVE_INFINITY, undefined],
])("the double %d is written %s", (value, text) => {
  expect(dotnetNumber(value)).toBe(text);
});

test.each([
  [0.1, "float", "0.1"],
  [1 / 3, "float", "0.33333334"],
  [16777216, "float", "16777216"],
  [1e9, "float", "1E+09"],
  [1e-45, "float", "1E-45"],
  [1e39, "float", undefined],
  [0.1, "half", "0.1"],
  [333.25, "half", "333.2"],
  [65504, "half", "65500"],
  [1e-7, "half", "1E-07"],
  [65520, "half", undefined],
] as const)("%d as a %s is written %s", (value, type, text) => {
  expect(dotnetNumber(value, type)).toBe(text);
});

test.each([
  ["2026-04-12T03:00:21Z", "2026-04-12T03:00:21+00:00"],
  ["2026-04-12", "2026-04-12T00:00:00+00:00"],
  ["2026-04-12T03:00+02", "2026-04-12T03:00:00+02:00"],
  ["2026-04-12T03:00:21.1230-03:30", "2026-04-12T03:00:21.123-03:30"],
  ["2026-04-12T03:00:21.123456789Z", "2026-04-12T03:00:21.1234567+00:00"],
  ["2026-04-12T03:00:21.Z", "2026-04-12T03:00:21+00:00"],
  ["2026-04-12T03:00:21.", undefined],
  ["0001-01-01T14:00:00+14:00", "0001-01-01T14:00:00+14:00"],
  ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00+00:00"],
  ["1900-02-29T00:00:00Z", undefined],
  ["0001-01-01T13:59:59+14:00", undefined],
  ["9999-12-31T23:00:00-01:00", undefined],
  ["2026-04-12t03:00:21Z", undefined],
  ["2026-04-12 03:00:21Z", undefined],
  ["2026-04-12T03:00:21+0200", undefined],
  ["2026-04-12T24:00:00Z", undefined],
  ["2026-04-12T03:00:21.12345678901234567Z", undefined],
])("the date %s is written %s", (text, written) => {
  expect(dotnetDate(text)).toBe(written);
});

describe("a data URI", () => {
  test.each([
    ["data:image/png;base64,aGk=", "image/png", "data:image/png;base64,aGk="],
    ["Data: image/png ;BASE64,aGk=", "image/png", "Data: image/png ;BASE64,aGk="],
    ["data:;base64,aGk=", "text/plain;charset=US-ASCII", "data:;base64,aGk="],
    ["data:,a+b", "text/plain;charset=US-ASCII", "data:text/plain;charset=US-ASCII;base64,YSti"],
    ["data:text/plain,%68%C3%A9 %zz", "text/plain", "data:text/plain;base64,aMOpICV6eg=="],
    ["data:text/plain;base64;x=1,aGk=", "text/plain;base64;x=1", "data:text/plain;base64;x=1;base64,YUdrPQ=="],
  ])("%s is of the type %s and is written %s", (uri, mediaType, written) => {
    expect(readDataUri(uri)).toMatchObject({ mediaType, uri: written });
  });

  test("may be of megabytes", () => {
    const uri = `data:image/png;base64,${"A".repeat(8_000_000)}`;
    expect(readDataUri(uri)).toMatchObject({ uri });
  });

  test("is written anew with a type that was given", () => {
    expect(readDataUri("data:image/png;base64,aGk=", "image/x")).toMatchObject({ uri: "data:image/x;base64,aGk=" });
  });

  test.each([
    "https://example.com",
    "data:image/png;base64",
    "data:nonsense,x",
    "data:a/b;,x",
    "data:a/b;base64,aGk",
    "data:a/b;base64,a Gk=",
    "data:a/b;base64,AR==",
    "data:a/b;base64,-_-_",
  ])("is refused in words: %s", uri => {
    expect(readDataUri(uri)).toBeTypeOf("string");
  });
});

test.each([
  ["a/b", true],
  [" a / b ; c", true],
  ['a/b; c="d \\" e"', true],
  ["*/*", true],
  ["a/b;", false],
  ["a/b; c=", false],
  ["a/b;;c=d", false],
  ["a/b\n", false],
  ["é/b", false],
  ["a", false],
])("whether %j is a media type: %s", (text, is) => {
  expect(isMediaType(text)).toBe(is);
});

test.each([
  ["https://example.com/A.PNG?x=.jpg#.gif", "image/png"],
  ["https://example.png", "application/octet-stream"],
  ["https://example.com/a%2Ep%6Eg", "image/png"],
  ["https://example.com/v1.png/file", "application/octet-stream"],
  ["a.tar.gz", "application/gzip"],
  ["png", "image/png"],
  ["x/png", "application/octet-stream"],
  [".html", "text/html"],
  ["C:\\a\\b.txt", "text/plain"],
  ["mailto:a@example.json", "application/octet-stream"],
  ["", "application/octet-stream"],
])("the media type of the URI %s is %s", (uri, mediaType) => {
  expect(mediaTypeOfUri(uri)).toBe(mediaType);
});

test("top-level types are compared without regard to case", () => {
  expect(hasTopLevelMediaType("Image/PNG", "image")).toBe(true);
  expect(hasTopLevelMediaType("image/png", "image/png")).toBe(false);
  expect(hasTopLevelMediaType(undefined, "image")).toBe(false);
});

test.each([
  ["ÉCOLE", "école", true],
  ["µ", "Μ", true],
  ["ς", "Σ", true],
  ["𐐀", "𐐨", true],
  ["ß", "ẞ", false],
  ["ſ", "s", false],
  ["\u212a", "k", false],
  ["ı", "I", false],
  ["é", "e\u0301", false],
])("whether %s and %s are one key: %s", (a, b, same) => {
  expect(sameKey(a, b)).toBe(same);
  expect(foldKey(a) === foldKey(b)).toBe(same);
});

describe("the hash of values", () => {
  const hash = (text: string) => {
    const { value, exact } = parseJson(text);
    return hashMaf([value], exact);
  };

  test("is SHA-384 over their texts by the default encoder, one after the other", async () => {
    const expected = await hashOf('"\\u003C\\u00E9"null');
    expect(await hashMaf(["<é", null])).toBe(expected);
  });

  test("sorts keys by their units and keeps number literals", async () => {
    expect(await hash('{"b":1.0,"a":{"é":1,"Z":[1e2]}}')).toBe(await hashOf('{"a":{"Z":[1e2],"\\u00E9":1},"b":1.0}'));
    expect(await hash("1.0")).toBe(await hashOf("1.0"));
  });

  test.each(['{"a":1,"a":2}', '{"a":1,"A":2}'])("is refused where .NET takes keys for one: %s", async text => {
    await expect(hash(text)).rejects.toMatchObject({ code: "maf/repeated-key" });
  });
});

async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-384", new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map(byte => byte.toString(16).padStart(2, "0").toUpperCase()).join("");
}

describe("the text of a value", () => {
  const text = (value: string): Json => ({ $type: "text", text: value });
  test.each<[what: string, value: Json, expected: string]>([
    ["a message joins its texts", { contents: [text("a"), null, { $type: "reasoning", text: "x" }, text("b")] }, "ab"],
    [
      "a response puts each message that has one on a line",
      { messages: [{ contents: [text("a")] }, {}, { contents: [text("b")] }] },
      "a\nb",
    ],
    ["a content has its own", text("a"), "a"],
    ["a role is its own", "tool", "tool"],
    ["anything else has none", 5, ""],
  ])("%s", (_, value, expected) => {
    expect(textOfMaf(value)).toBe(expected);
  });

  test("takes another line end where the platform has one", () => {
    expect(textOfMaf({ messages: [{ contents: [text("a")] }, { contents: [text("b")] }] }, "\r\n")).toBe("a\r\nb");
  });
});

test("usage is added count by count, names of additional counts whatever their case", () => {
  const a = { inputTokenCount: 1, additionalCounts: { Audio: 2 } };
  const sum = addUsageDetails(a, { inputTokenCount: 2, outputTokenCount: 0, additionalCounts: { audio: 3, x: 1 } });
  expect(sum).toEqual({ inputTokenCount: 3, outputTokenCount: 0, additionalCounts: { Audio: 5, x: 1 } });
  expect(a).toEqual({ inputTokenCount: 1, additionalCounts: { Audio: 2 } });
});
