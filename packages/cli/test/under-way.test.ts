import { EventEmitter } from "node:events";
import { describe, expect, test } from "vitest";
import { ContainerScout } from "../src/input/container.ts";
import { FormatScout } from "../src/input/format.ts";
import { Lookahead } from "../src/input/lookahead.ts";
import { type LineTask, LineWorkers, type Thread } from "../src/reading/line-workers.ts";
import type { ReadOptions } from "../src/reading/values.ts";

const options: ReadOptions = { order: { verb: "stats" }, onError: "skip", file: "f", isOnly: true };

/** A thread that answers each batch with its first line's number, as soon as it has it. */
class Answering extends EventEmitter implements Thread {
  postMessage({ line }: LineTask): void {
    queueMicrotask(() => this.emit("message", { text: `${line}`, messages: 0, remarks: [] }));
  }
  unref(): void {}
  async terminate(): Promise<number> {
    return 0;
  }
}

/** A source of lines that counts what was asked of it. */
class Source {
  asked = 0;
  readonly #line: Buffer;
  readonly #count: number;

  constructor(size: number, count: number) {
    this.#line = Buffer.alloc(size, "x");
    this.#line[size - 1] = 10;
    this.#count = count;
  }

  async *bytes(): AsyncGenerator<Buffer> {
    while (this.asked < this.#count) {
      this.asked++;
      yield this.#line;
    }
  }
}

const mega = 1024 * 1024;

describe("what is under way between the input and threads", () => {
  const rows: readonly (readonly [title: string, size: number, jobs: number, ahead: number])[] = [
    ["small batches: two a thread and one", 1024, 2, 5],
    ["small batches: two a thread and one", 1024, 3, 7],
    ["batches of 10 MB: no more than 32 MB and one", 10 * mega, 4, 4],
    ["a batch of more than all that may be: it alone", 40 * mega, 4, 1],
  ];
  test.each(rows)("is bounded while nobody takes the results, of %s (%i bytes, %i threads)", async (...row) => {
    const [, size, jobs, ahead] = row;
    const source = new Source(size, 40);
    const workers = new LineWorkers(new URL("file:///none"), jobs, () => new Answering());
    const results = workers.read(source.bytes(), options);
    const numbers: string[] = [];
    const left: number[] = [];
    for (let next = await results.next(); !next.done; next = await results.next()) {
      numbers.push(next.value.text);
      // However long the taker thinks about it, nothing more is asked for.
      await new Promise(resolve => setImmediate(resolve));
      left.push(source.asked - numbers.length + 1);
    }
    expect(numbers).toEqual(Array.from({ length: 40 }, (_, index) => `${index + 1}`));
    expect(Math.max(...left)).toBe(ahead);
  });
});

describe("what is held to tell what an input is", () => {
  test("ends where nothing of much text is JSON", async () => {
    const source = new Source(mega, 1000);
    const scout = new FormatScout("jsonl", undefined, "f");
    expect(await new Lookahead(source.bytes()).scan(scout)).toEqual({ isStream: false, detected: [] });
    expect(source.asked).toBeLessThan(20);
  });

  test.each([
    ["", "}\n", "jsonl"],
    ["", "]  \r\n", "jsonl"],
    ["", "}", "jsonl"],
    ["", ",\n", "json"],
    ["[\n", "},\n", "json"],
    ["[\n", "}\n", "json"],
    ["{broken}\n", "}\n", "jsonl"],
  ])("is a first long line by how it ends: %j … %j is %s", async (start, end, container) => {
    async function* long(): AsyncGenerator<Buffer> {
      yield Buffer.from(`${start}{"a":"`);
      const piece = Buffer.alloc(mega, "x");
      for (let count = 0; count < 65; count++) yield piece;
      yield Buffer.from(`"${end}`);
      if (end.endsWith("\n")) yield Buffer.from("{}\n");
    }
    expect(await new Lookahead(long()).scan(new ContainerScout())).toBe(container);
  });
});
