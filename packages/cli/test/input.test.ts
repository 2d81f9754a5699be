import { describe, expect, test } from "vitest";
import { type Container, ContainerScout } from "../src/input/container.ts";
import { Frames } from "../src/input/frames.ts";
import { LineBatches, linesOf } from "../src/input/lines.ts";
import { Lookahead } from "../src/input/lookahead.ts";
import { readJson, readText } from "../src/input/text.ts";

/** Every way to cut bytes into pieces of one size. */
function* cuts(bytes: Buffer): Generator<Buffer[]> {
  for (let size = 1; size <= bytes.length; size++) {
    const pieces: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
    yield pieces;
  }
}

async function* each(pieces: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* pieces;
}

describe("what an input is, told by its content", () => {
  test.for<readonly [name: string, text: string, container: Container]>([
    ["one value on one line", '{"a":1}', "jsonl"],
    ["a value a line", '{"a":1}\n{"a":2}\n', "jsonl"],
    ["blank lines between", '\n\n{"a":1}\n\n{"a":2}', "jsonl"],
    ["line ends of Windows", '{"a":1}\r\n{"a":2}\r\n', "jsonl"],
    ["a byte order mark", '\ufeff{"a":1}\n{"a":2}', "jsonl"],
    ["a value over several lines", '{\n  "a": 1\n}', "json"],
    ["a list whose items are lines", '[\n{"a":1},\n{"a":2}\n]', "json"],
    ["a list of one item, which is a value of its own", '[\n{"a":1}\n]', "json"],
    ["a broken first line before a whole one", '{"a":1,"b\n{"a":2}\n', "jsonl"],
    ["a first line of which the start is missing", '":1}\n{"a":2}\n', "jsonl"],
    ["a value that is broken further on", '{\n  "a": x\n}', "json"],
    ["a cut value", '{"a":', "json"],
    ["nothing", "", "json"],
    ["no JSON at all", "hello\nworld\n", "json"],
    ["an event's data", 'data: {"a":1}\n\n', "sse"],
    ["an event's name first", 'event: x\ndata: {"a":1}\n\n', "sse"],
    ["a comment first", ': ping\n\ndata: {"a":1}\n\n', "sse"],
    ["blank lines first", '\n\ndata:{"a":1}', "sse"],
    ["a code before each value", '0:"Hel"\n0:"lo"\n', "coded"],
    ["a code before an object", 'f:{"messageId":"m"}\n', "coded"],
  ])("%s", async ([, text, container]) => {
    for (const pieces of cuts(Buffer.from(text))) {
      expect(await new Lookahead(each(pieces)).scan(new ContainerScout())).toBe(container);
    }
  });

  test("no more of a stream is waited for than its first line", async () => {
    async function* live(): AsyncGenerator<Buffer> {
      yield Buffer.from('data: {"a":1}\n');
      throw new Error("waited for more");
    }
    expect(await new Lookahead(live()).scan(new ContainerScout())).toBe("sse");
  });

  test("what was looked at is read again", async () => {
    const bytes = Buffer.from('{"a":1}\n{"a":2}\n');
    for (const pieces of cuts(bytes)) {
      const lookahead = new Lookahead(each(pieces));
      await lookahead.scan(new ContainerScout());
      const read: Buffer[] = [];
      for await (const chunk of lookahead.bytes()) read.push(chunk);
      expect(Buffer.concat(read)).toEqual(bytes);
    }
  });
});

describe("lines", () => {
  const text = 'a\n\nsnow ☃\r\n{"x":"😀"}\nno end';

  test("are the same for any cut of the bytes, each with its number", () => {
    for (const pieces of cuts(Buffer.from(text))) {
      const batches = new LineBatches();
      const found = [...pieces.map(piece => batches.push(piece)), batches.end()].flatMap(batch =>
        batch ? [...linesOf(batch)].map(({ bytes, line }) => [line, bytes.toString()]) : [],
      );
      expect(found).toEqual([
        [1, "a"],
        [2, ""],
        [3, "snow ☃\r"],
        [4, '{"x":"😀"}'],
        [5, "no end"],
      ]);
    }
  });

  test("events know the line of their data, for any cut of the bytes", () => {
    const sse = 'event: x\ndata: {"a":1}\n\n: comment\n\nid: 7\ndata: one\ndata: two\n\ndata: [DONE]';
    for (const pieces of cuts(Buffer.from(sse))) {
      const frames = new Frames("sse", "file");
      const found = [...pieces.flatMap(piece => [...frames.push(piece)]), ...frames.end()];
      expect(found).toEqual([
        { text: '{"a":1}', line: 2 },
        { text: "one\ntwo", line: 7 },
        { text: "[DONE]", line: 10 },
      ]);
    }
  });

  test("a line that is no text is told apart from the others", () => {
    const frames = new Frames("jsonl", "file");
    const bytes = Buffer.concat([Buffer.from("1\n"), Buffer.from([0x22, 0xff, 0x22, 0x0a]), Buffer.from("3\n")]);
    const [first, second, third] = [...frames.push(bytes)];
    expect(first).toEqual({ text: "1", line: 1 });
    expect(second).toMatchObject({ line: 2, error: { data: { file: "file", line: 2, column: 2 } } });
    expect(third).toEqual({ text: "3", line: 3 });
  });
});

describe("where an input cannot be read", () => {
  const unreadable = (run: () => unknown): unknown => {
    try {
      return run();
    } catch (error) {
      return error;
    }
  };

  test.for<readonly [name: string, before: string, byte: number, line: number, column: number]>([
    ["at the start", "", 0xff, 1, 1],
    ["after other characters", "snow ☃ 😀", 0x80, 1, 10],
    ["on a later line", "a\nbc\nde", 0xc3, 3, 3],
    ["after the character that stands for bad bytes", "\ufffd", 0xff, 1, 2],
  ])("a byte that is no UTF-8 %s", ([, before, byte, line, column]) => {
    const bytes = Buffer.concat([Buffer.from(before), Buffer.from([byte]), Buffer.from(" more")]);
    expect(unreadable(() => readText(bytes, { file: "f" }))).toMatchObject({
      code: "input/unreadable",
      data: { file: "f", line, column },
      message: `found the byte 0x${byte.toString(16)}; expected UTF-8 text`,
    });
  });

  test("JSON says line and column of the file, and what was expected", () => {
    expect(unreadable(() => readJson('{"a": }', { file: "f", line: 7 }))).toMatchObject({
      code: "input/unreadable",
      data: { file: "f", line: 7, column: 7 },
      message: 'found "}"; expected a value',
    });
    expect(unreadable(() => readJson('{\n "a": 1,\n}', { file: "f" }))).toMatchObject({
      data: { file: "f", line: 3, column: 1 },
    });
  });
});
