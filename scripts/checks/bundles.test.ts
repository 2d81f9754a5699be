import { expect, test } from "vitest";
import { firstLoad, judged } from "./bundles.ts";

test("what is over its budget is a problem, everything is reported", () => {
  expect(
    judged([
      { name: "a", bytes: 12_001, budget: 12_000 },
      { name: "b", bytes: 99_000 },
    ]),
  ).toEqual({
    problems: ["a: 12.0 kB, at most 12.0 kB"],
    notes: ["a 12.0 kB", "b 99.0 kB"],
  });
});

test("a page loads the scripts, preloads and styles that it names, and nothing from elsewhere", () => {
  const html = `<link rel="icon" href="/icon.svg"><link rel="modulepreload" crossorigin href="/assets/react.js">
    <link rel="stylesheet" href="./assets/index.css"><script type="module" src="/assets/index.js"></script>
    <script src="https://example.org/x.js"></script>`;
  expect(firstLoad(html)).toEqual(["assets/react.js", "assets/index.css", "assets/index.js"]);
});
