import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import Markdown from "react-markdown";
import remarkGfm from "remark-gfm";
import { describe, expect, test } from "vitest";
import { type Block, MarkdownBlocks, withDefinitions } from "../src/markdown/blocks.ts";
import { TextCutter } from "../src/markdown/text-cutter.ts";

const all = (reader: MarkdownBlocks, text: string): readonly Block[] => {
  const { finished, open } = reader.read(text);
  return open ? [...finished, open] : finished;
};
const blocksOf = (text: string): readonly Block[] => all(new MarkdownBlocks(), text);
const shown = (block: Block): string => (block.kind === "code" ? `${block.language}:${block.code}` : block.text);

const html = (text: string): string =>
  renderToStaticMarkup(createElement(Markdown, { remarkPlugins: [remarkGfm] }, text)).replaceAll(/\s+/g, " ");

/** As `html`, of each block by itself. */
function htmlInBlocks(text: string): string {
  const reader = new MarkdownBlocks();
  const blocks = all(reader, text);
  const { definitions } = reader.read(text);
  const whole = blocks.map(block => {
    if (block.kind === "text") return html(withDefinitions(block, definitions));
    return html(`~~~~~~~~${block.language}\n${block.code}\n~~~~~~~~`);
  });
  return whole.filter(piece => piece !== "").join(" ");
}

const texts: { readonly [title: string]: string } = {
  paragraphs: "One\nline.\n\nTwo.\n\n\n  Three.\n",
  headings: "# One\ntext\n## Two\n\nmore\n### Three\n",
  "a setext heading": "Title\n=====\n\ntext",
  "a fence after a paragraph": "See:\n```ts\nconst a = 1;\n\nconst b = 2;\n```\nAfter.",
  "a fence with marks inside": "````md\n```ts\nx\n```\n````\n\nend",
  "tildes and an indent": "  ~~~py\n  a\n    b\n  ~~~\nend",
  "a fence without an end": "```js\nlet a;\n\nlet b;",
  "an empty fence": "```\n```\n",
  "backticks that are no fence": "``` a ` b ```\n\ntext",
  "a loose list": "- one\n\n  more\n\n- two\n\ntext",
  "a tight list, then another kind": "- one\n- two\n\n* other\n\n1. first\n2. second\n\n3) third",
  "a fence in a list": "1. do\n\n   ```sh\n   ls\n\n   pwd\n   ```\n\n2. done\n\nend",
  "a fence that begins a list": "- ```js\n  a\n\n  b\n  ```\n- two\n",
  "a fence that ends a list": "- one\n```js\na\n```\n",
  "a list in a list": "- one\n  - two\n\n    deep\n- three\n",
  quotations: "> one\n>\n> two\n\n> three\nlazy\n\nend",
  "a table": "| a | b |\n|---|---|\n| 1 | 2 |\n\nend",
  "indented code": "text\n\n    code\n\n    more\n\nend",
  "a rule": "one\n\n---\n\ntwo",
  "html as text": "<b>x</b>\n\n<div>\n\ny",
  "a reference before its definition":
    "See [the site] and [it][b].\n\nMore.\n\n[the site]: https://example.com\n[B]: https://b.example 'title'",
  "a task list": "- [ ] one\n- [x] two\n",
  "windows lines": "one\r\n\r\ntwo\r\n```\r\ncode\r\n```\r\nend",
};

describe("blocks of Markdown", () => {
  test.each(Object.entries(texts))("say the same as the whole: %s", (_title, text) => {
    expect(htmlInBlocks(text)).toBe(html(text).trim());
  });

  test.each(Object.entries(texts))("are the same however the text grows: %s", (_title, text) => {
    const growing = new MarkdownBlocks();
    for (let end = 1; end < text.length; end++) {
      expect(all(growing, text.slice(0, end)).map(shown)).toEqual(blocksOf(text.slice(0, end)).map(shown));
    }
    expect(all(growing, text)).toEqual(blocksOf(text));
  });

  test("that are finished stay the same objects", () => {
    const reader = new MarkdownBlocks();
    const before = reader.read("One.\n\nTwo.\n\nThree, which goes on").finished;
    const after = reader.read("One.\n\nTwo.\n\nThree, which goes on and on.\n\nFour").finished;
    expect(before).toHaveLength(2);
    expect(after.slice(0, 2).every((block, index) => block === before[index])).toBe(true);
    expect(reader.read("One.\n\nTwo.\n\nThree, which goes on and on.\n\nFour!").finished).toBe(after);
  });

  test("begin anew where another text comes", () => {
    const reader = new MarkdownBlocks();
    reader.read("One.\n\nTwo.\n\nThree.");
    expect(all(reader, "Other.").map(shown)).toEqual(["Other."]);
    expect(all(reader, "Nothing like it, and longer than before.").map(shown)).toHaveLength(1);
  });
});

describe("what has no border", () => {
  const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`).join(" ");

  test("is cut between words, and loses nothing", () => {
    const text = words(20_000);
    const blocks = blocksOf(text);
    expect(blocks.length).toBeGreaterThan(10);
    expect(blocks.map(shown).join(" ")).toBe(text);
    expect(blocks.slice(1).every(block => block.kind === "text" && block.isRest)).toBe(true);
  });

  test("is cut where it can be in Chinese, and no character is halved", () => {
    const text = "字𠀀".repeat(20_000);
    const blocks = blocksOf(text);
    expect(blocks.map(shown).join("")).toBe(text);
    expect(blocks.every(block => shown(block).isWellFormed())).toBe(true);
  });

  test("is cut between the items of a list and the rows of a table, which keeps its head", () => {
    const list = Array.from({ length: 2000 }, (_, index) => `${index + 1}. item ${index}`).join("\n");
    expect(blocksOf(list).length).toBeGreaterThan(2);
    expect(blocksOf(list).every(block => /^\d+\. item/.test(shown(block)))).toBe(true);
    const table = `| a | b |\n|---|---|\n${"| 1 | 2 |\n".repeat(3000)}`;
    const tables = blocksOf(table);
    expect(tables.length).toBeGreaterThan(2);
    for (const block of tables) expect(html(shown(block))).toMatch(/^<table>.*<\/table>$/);
    expect(tables.map(block => html(shown(block)).match(/<td>1<\/td>/g)?.length ?? 0).reduce((a, b) => a + b)).toBe(
      3000,
    );
  });

  test("costs in proportion to its length", () => {
    const time = (size: number): number => {
      const reader = new MarkdownBlocks();
      const text = `${words(size)}\n\n${"line\n".repeat(size)}\n\n- ${words(size)}`;
      const begun = performance.now();
      for (let end = 500; end < text.length; end += 500) reader.read(text.slice(0, end));
      return performance.now() - begun;
    };
    const best = (size: number): number => Math.min(...[1, 2, 3, 4].map(() => time(size)));
    best(5_000);
    expect(best(80_000)).toBeLessThan(4 * 3 * best(20_000));
  });
});

describe("a long text", () => {
  test("is cut at the ends of lines into pieces that stay", () => {
    const cutter = new TextCutter(10);
    const text = "aaaa\nbbbb\ncccc\n\ndddddddddddd\neeee";
    const before = cutter.read(text.slice(0, 20));
    const { pieces, open } = cutter.read(text);
    expect([...pieces, open].join("\n")).toBe(text);
    expect(pieces.slice(0, before.pieces.length)).toEqual(before.pieces);
    expect(cutter.read("other")).toEqual({ pieces: [], open: "other" });
  });

  test("without lines is cut all the same, between characters", () => {
    const text = "\u{20000}a\u{20000}".repeat(50);
    const { pieces, open } = new TextCutter(10).read(text);
    expect(pieces.length).toBeGreaterThan(5);
    expect([...pieces, open].join("")).toBe(text);
    expect([...pieces, open].every(piece => piece.isWellFormed())).toBe(true);
  });
});
