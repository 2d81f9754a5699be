import { describe, expect, test } from "vitest";
import type { Package } from "../workspace.ts";
import { brokenBoundaries } from "./boundaries.ts";

const manifests: readonly Package[] = [
  { folder: "core", manifest: { name: "translogue" } },
  {
    folder: "agent",
    manifest: {
      name: "@translogue/agent",
      dependencies: { translogue: "0.1.0" },
      peerDependencies: { ai: "7" },
    },
  },
  { folder: "server", manifest: { name: "@translogue/server" } },
  { folder: "cli", manifest: { name: "@translogue/cli" } },
  { folder: "studio", manifest: { name: "@translogue/studio", private: true } },
  { folder: "testkit", manifest: { name: "@translogue/testkit", private: true } },
];

const broken = (files: Readonly<Record<string, string>>) =>
  brokenBoundaries(
    Object.entries(files).map(([path, text]) => ({ path, text })),
    manifests,
    ["openai-chat", "lighter"],
  );

const sentence = (path: string, text: string) => broken({ [path]: text })[0];

describe("between packages", () => {
  const table: readonly (readonly [path: string, text: string, sentence: string | undefined])[] = [
    ["packages/agent/src/run.ts", `import { walk } from "translogue";`, undefined],
    ["packages/agent/src/run.ts", `import { openaiChat } from "translogue/openai-chat";`, undefined],
    ["packages/core/src/index.ts", `import "@translogue/agent";`, "core may import only itself, by path"],
    ["packages/core/src/index.ts", `export * from "translogue/convert";`, "core may import only itself, by path"],
    ["packages/agent/src/run.ts", `import type { App } from "@translogue/server";`, "agent may import only translogue"],
    [
      "packages/agent/src/run.ts",
      `const app = await import("@translogue/server");`,
      "agent may import only translogue",
    ],
    ["packages/agent/src/run.ts", `let a: import("@translogue/server").App;`, "agent may import only translogue"],
    ["packages/studio/src/app.tsx", `import "@translogue/server/contract";`, undefined],
    [
      "packages/studio/src/app.tsx",
      `import "@translogue/server";`,
      "studio may import only translogue, @translogue/server/contract, @translogue/server/client",
    ],
    [
      "packages/agent/src/run.ts",
      `import "@translogue/testkit";`,
      "testkit is only for tests, conformance, bench and scripts",
    ],
    ["packages/agent/test/run.test.ts", `import "@translogue/testkit/corpus";`, undefined],
    ["packages/core/test/run.test.ts", `import "@translogue/agent";`, "core may import only translogue"],
    ["packages/agent/src/run.ts", `import "../../core/src/index.ts";`, "another package is imported by its name"],
    ["packages/core/src/index.ts", `import "../test/corpus.ts";`, "src holds all that ships"],
    ["packages/cli/src/main.ts", `import manifest from "../package.json" with { type: "json" };`, undefined],
    ["packages/agent/src/sdk.ts", `import "ai/react";`, undefined],
    ["packages/agent/src/run.ts", `import "zod";`, "zod is no dependency of @translogue/agent"],
    ["packages/agent/test/run.test.ts", `import "zod";`, undefined],
    ["examples/one/main.ts", `import "@translogue/testkit";`, "an example imports only what is published"],
    ["examples/one/main.ts", `import "../../packages/core/src/index.ts";`, "an example imports packages by name"],
    ["scripts/docs.ts", `import "../packages/core/src/index.ts";`, undefined],
  ];
  test.each(table)("%s: %s → %s", (path, text, expected) => {
    const found = sentence(path, text);
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(new RegExp(`^${path}:1 imports .*: ${expected}$`));
  });
});

describe("inside core", () => {
  test("a folder imports itself and those before it", () => {
    expect(broken({ "packages/core/src/model/x.ts": `import "../codec/y.ts";` })).toEqual([
      "packages/core/src/model/x.ts:1 imports codec/y.ts: model may import only model",
    ]);
    expect(broken({ "packages/core/src/stream/x.ts": `\nimport "../convert.ts";` })).toEqual([
      "packages/core/src/stream/x.ts:2 imports convert.ts: stream may import only model, stream",
    ]);
    expect(broken({ "packages/core/src/history/x.ts": `import "../model/a.ts"; import "../targets/b.ts";` })).toEqual(
      [],
    );
  });
  test("files at the top may import all", () => {
    expect(broken({ "packages/core/src/index.ts": `export * from "./history/x.ts";` })).toEqual([]);
  });
  test("a folder outside the order is named", () => {
    expect(sentence("packages/core/src/extra/x.ts", `import "./y.ts";`)).toContain(
      "extra is no folder of core's order",
    );
  });
  test("a format imports its own files and no other format's", () => {
    const formats = "packages/core/src/formats";
    expect(broken({ [`${formats}/a.ts`]: `import "./a/wire.ts"; import "../blocks/b.ts";` })).toEqual([]);
    expect(sentence(`${formats}/a/decode.ts`, `import "../b.ts";`)).toContain("a format never imports another format");
    expect(sentence(`${formats}/a.ts`, `import "./b/wire.ts";`)).toContain("a format never imports another format");
    expect(sentence(`${formats}/a.ts`, `import "./registry.ts";`)).toContain("the registry imports the formats");
    expect(broken({ [`${formats}/registry.ts`]: `import "./a.ts"; import "./b/index.ts";` })).toEqual([]);
  });
  test("model, stream and codec name no format", () => {
    const text = `const usual = id === "openai-chat";`;
    for (const folder of ["model", "stream", "codec"]) {
      expect(broken({ [`packages/core/src/${folder}/x.ts`]: text })).toEqual([
        `packages/core/src/${folder}/x.ts:1 names openai-chat: shared code knows no format`,
      ]);
    }
    expect(broken({ "packages/core/src/blocks/x.ts": text, "packages/core/src/index.ts": text })).toEqual([]);
  });
});

describe("Node builtins", () => {
  test("core and the studio use none, the agent one, the others all", () => {
    expect(sentence("packages/core/src/model/x.ts", `import "node:fs";`)).toContain("core may use no Node builtin");
    expect(sentence("packages/studio/src/x.ts", `import "fs";`)).toContain("studio may use no Node builtin");
    expect(sentence("packages/agent/src/x.ts", `import "node:fs";`)).toContain("agent may use only node:async_hooks");
    expect(broken({ "packages/agent/src/x.ts": `import "node:async_hooks";` })).toEqual([]);
    expect(broken({ "packages/server/src/x.ts": `import "node:sqlite";` })).toEqual([]);
    expect(broken({ "packages/core/test/x.test.ts": `import "node:fs";` })).toEqual([]);
  });
  test("what the server's contract and client run needs none, through whatever modules", () => {
    const server = "packages/server/src";
    const files = {
      [`${server}/contract.ts`]: `import type { Row } from "./store.ts"; import "./ids.ts";`,
      [`${server}/ids.ts`]: `import "node:crypto";`,
      [`${server}/store.ts`]: `import "node:sqlite";`,
    };
    expect(broken(files)).toEqual([
      `${server}/ids.ts:1 imports node:crypto: ${server}/contract.ts imports it and runs in the browser too`,
    ]);
  });
});
