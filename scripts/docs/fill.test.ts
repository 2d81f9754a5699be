import { expect, test } from "vitest";
import { fill } from "./fill.ts";

const files: Readonly<Record<string, string>> = {
  "examples/one/main.ts": `import { a } from "a";

// #region call
  const b = a({
    // #region inner
    c: 1,
    // #endregion
  });
// #endregion
`,
};
const filled = (document: string, blocks: Readonly<Record<string, string>> = {}) =>
  fill(document, { blocks, file: path => files[path] });

test("a table takes the place of what stood between its markers, and stays when it is filled again", () => {
  const document = "Parts:\n<!-- generated:parts -->old<!-- /generated -->\nafter";
  const once = filled(document, { parts: "| a |\n" });
  expect(once).toEqual({
    text: "Parts:\n<!-- generated:parts -->\n\n| a |\n\n<!-- /generated -->\nafter",
    problems: [],
  });
  expect(filled(once.text, { parts: "| a |\n" })).toEqual(once);
});

test("a snippet is the region of its file, moved left, without the markers inside", () => {
  const once = filled("<!-- snippet:examples/one/main.ts#call -->\n```ts\nold\n```\nafter");
  expect(once.text).toBe("<!-- snippet:examples/one/main.ts#call -->\n```ts\nconst b = a({\n  c: 1,\n});\n```\nafter");
  expect(filled(once.text)).toEqual({ text: once.text, problems: [] });
});

test("an empty block is filled, and a file without a region is taken whole", () => {
  const { text } = filled("<!-- snippet:examples/one/main.ts -->\n\n```ts\n```\n");
  expect(text).toContain('```ts\nimport { a } from "a";');
  expect(text).not.toContain("#region");
});

test.each([
  ["<!-- generated:nothing -->x<!-- /generated -->", "no table is called `nothing`"],
  ["<!-- snippet:examples/two.ts -->\n```ts\nx\n```", "there is no `examples/two.ts`"],
  ["<!-- snippet:examples/one/main.ts#gone -->\n```ts\nx\n```", "there is no `examples/one/main.ts#gone`"],
  ["<!-- generated:parts -->without an end", "1 markers of generated text have no end or no fenced block after them"],
  [
    "<!-- snippet:examples/one/main.ts -->\nprose",
    "1 markers of generated text have no end or no fenced block after them",
  ],
])("%j stays as it is: %s", (document, problem) => {
  expect(filled(document, { parts: "" })).toEqual({ text: document, problems: [problem] });
});

test("two blocks of one name, and replacement patterns in a table, are written as they are", () => {
  const block = "<!-- generated:a --><!-- /generated -->";
  expect(filled(`${block}\n${block}`, { a: "$& $1" }).text.match(/\$& \$1/g)).toHaveLength(2);
});
