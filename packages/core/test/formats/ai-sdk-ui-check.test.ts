import { type Generation, generations } from "@translogue/testkit/generations";
import { mutated } from "@translogue/testkit/hostile";
import * as v5 from "ai-v5";
import * as v6 from "ai-v6";
import * as v7 from "ai-v7";
import fc from "fast-check";
import { formatPath, type Json } from "translogue";
import { type CheckUIOptions, type CheckUISchemas, checkUIMessages, uiCheckCodes } from "translogue/ai-sdk-ui";
import { describe, expect, test } from "vitest";
import { z } from "zod";

type Validate = (options: object) => Promise<{ success: boolean; data?: unknown; error?: unknown }>;
const sdks = { v5, v6, v7 } as unknown as Record<Generation, { safeValidateUIMessages: Validate }>; // three generations of one API, typed apart

const said = { type: "text", text: "hi" };
const ui = (role: string, ...parts: Json[]): Json => ({ id: `${role}-1`, role, parts });
const tool = (state: string, members: object = {}): Json => ({
  type: "tool-weather",
  toolCallId: `c-${state}`,
  state,
  input: { city: "Rome" },
  ...members,
});
const approval = (members: object = {}): object => ({ approval: { id: "a", ...members } });
const metadata = { openai: { itemId: "x", list: [1, null, { deep: true }] } };

/** Every state of a tool part, as each generation takes it. */
const states: readonly Json[] = [
  tool("input-streaming", { input: undefined, rawInput: '{"ci', callProviderMetadata: metadata }),
  tool("input-available", { title: "Weather", toolMetadata: { a: [1] }, providerExecuted: true }),
  tool("approval-requested", approval({ descriptor: {}, signature: "s", requestReason: "why", isAutomatic: true })),
  tool("approval-responded", approval({ approved: false, reason: "no" })),
  tool("output-available", { output: { temp: 1 }, preliminary: true, resultProviderMetadata: metadata }),
  tool("output-available", { output: null, ...approval({ approved: true }) }),
  tool("output-error", { errorText: "broke", rawInput: "{" }),
  tool("output-denied", approval({ approved: false })),
];
const dynamic = states.map(
  part => ({ ...(part as object), type: "dynamic-tool", toolName: "mcp", dynamic: false }) as Json,
); // a JSON object

const plain: readonly Json[] = [
  { type: "text", text: "hi", state: "done", providerMetadata: metadata },
  { type: "reasoning", id: "r", text: "so", state: "streaming" },
  {
    type: "file",
    mediaType: "image/png",
    url: "data:image/png;base64,AA==",
    filename: "a.png",
    providerReference: { openai: "f" },
  },
  { type: "source-url", sourceId: "s", url: "https://example.com", title: "T" },
  { type: "source-document", sourceId: "s", mediaType: "text/plain", title: "T", filename: "a.txt" },
  { type: "data-note", id: "n", data: { x: 1 } },
  { type: "step-start" },
];
const late: readonly Json[] = [
  {
    type: "text",
    text: "cited",
    citations: [
      { source: { type: "source", sourceType: "url", id: "s", url: "u" }, startIndex: 0, endIndex: 2, citedText: "ci" },
      { source: { type: "source", sourceType: "document", id: "d", mediaType: "a/b", title: "T" } },
    ],
  },
  { type: "custom", kind: "a.b", providerMetadata: metadata },
  { type: "reasoning-file", mediaType: "image/png", url: "u" },
  { type: "steering-message", id: "u2", parts: [said, { type: "file", mediaType: "a/b", url: "u" }] },
];

/** Conversations whose damage is compared with what the SDK says of it. */
const good: readonly Json[] = [
  [ui("user", said), ui("assistant", ...plain)],
  [ui("system", said), { ...(ui("user", said) as object), metadata: { a: 1 }, createdAt: 1 } as Json], // a JSON object
  ...states.map(part => [ui("assistant", part)]),
  ...dynamic.map(part => [ui("assistant", part)]),
  ...late.map(part => [ui("assistant", part)]),
  [ui("assistant")],
];

const words = [
  ...["input-streaming", "input-available", "approval-requested", "approval-responded", "output-available"],
  ...[
    "output-error",
    "output-denied",
    "text",
    "file",
    "tool-x",
    "tool-weather",
    "dynamic-tool",
    "data-x",
    "custom",
    "user",
  ],
];
const members: { readonly [name: string]: readonly unknown[] } = {
  approval: [
    { id: "a" },
    { id: "a", approved: true },
    { id: "a", approved: false, reason: "r" },
    { id: 1 },
    null,
    undefined,
  ],
  output: [1, null, undefined],
  input: [{}, undefined, null],
  errorText: ["e", "", 1, undefined],
  state: [...words, undefined],
  type: words,
  providerMetadata: [
    {},
    { p: {} },
    { p: 1 },
    { p: { a: undefined } },
    { p: { a: Number.NaN } },
    { p: { a: () => 1 } },
    [],
  ],
  callProviderMetadata: [{ p: { a: [1, undefined] } }, { p: null }, null],
  toolMetadata: [{ a: 1 }, { a: Number.POSITIVE_INFINITY }, 1],
  title: ["t", 1],
  preliminary: [false, "no"],
  dynamic: [true, false],
  inputEncoding: ["json", "xml"],
  parts: [[], null, [null]],
  id: ["", 1, null],
};

/** One member somewhere set to something, or taken away. */
const damaged = fc
  .tuple(fc.constantFrom(...good), fc.nat(), fc.constantFrom(...Object.keys(members)), fc.nat(), fc.boolean())
  .map(([value, place, name, which, isRemoval]): unknown => {
    const copy: unknown = structuredClone(value);
    const objects: Record<string, unknown>[] = [];
    const collect = (each: unknown): void => {
      if (typeof each !== "object" || each === null) return;
      if (!Array.isArray(each)) objects.push(each as Record<string, unknown>); // just cloned
      for (const inner of Object.values(each)) collect(inner);
    };
    collect(copy);
    const target = objects[place % objects.length];
    const list = members[name] ?? [];
    const keys = Object.keys(target ?? {});
    if (target && isRemoval) delete target[keys[which % keys.length] ?? ""];
    else if (target) target[name] = list[which % list.length];
    return copy;
  });

/** The SDK's answer to the same value. */
async function answerOf(generation: Generation, messages: unknown, schemas: CheckUISchemas = {}) {
  const { metadata: metadataSchema, data: dataSchemas, tools } = schemas;
  return await sdks[generation].safeValidateUIMessages({ messages, metadataSchema, dataSchemas, tools });
}

async function agrees(messages: unknown, generation: Generation, schemas: CheckUISchemas = {}): Promise<void> {
  const theirs = await answerOf(generation, messages, schemas);
  const ours = await checkUIMessages(messages, { version: generation, ...schemas });
  const errors = ours.issues.filter(({ severity }) => severity === "error");
  expect({ success: ours.data !== undefined, errors: errors.length > 0 }).toEqual({
    success: theirs.success,
    errors: !theirs.success,
  });
  if (theirs.success) expect(ours.data).toEqual(theirs.data);
}

describe.each(generations)("messages checked as %s does", generation => {
  test("what its validator takes has no error, and comes back as it gives it", async () => {
    for (const messages of good) await agrees(messages, generation);
  });

  test("any member changed or missing is refused exactly where it is refused there", async () => {
    await fc.assert(
      fc.asyncProperty(damaged, messages => agrees(messages, generation)),
      { seed: 7, numRuns: 1500 },
    );
    await fc.assert(
      fc.asyncProperty(mutated(good), messages => agrees(messages, generation)),
      { seed: 7, numRuns: 500 },
    );
  });
});

const city = z.object({ city: z.string() });
const schemas = {
  metadata: z.object({ createdAt: z.coerce.number().default(7) }).optional(),
  data: { note: z.object({ x: z.number() }), number: z.string().transform(Number) },
  tools: {
    weather: { inputSchema: city, outputSchema: z.object({ temp: z.number() }) },
    upper: { inputSchema: z.object({ q: z.string().transform(text => text.toUpperCase()) }) },
  },
};

const inputs = [{ city: "Rome" }, { city: 1 }, {}, undefined, { q: "rome" }, { q: "ROME" }];
const outputs = [{ temp: 1 }, { temp: "warm" }, null];
const someTool = fc
  .record({
    type: fc.constantFrom("tool-weather", "tool-upper", "tool-gone", "tool-toString", "dynamic-tool"),
    part: fc.constantFrom(...states),
    input: fc.constantFrom(...inputs),
    output: fc.constantFrom(...outputs),
    asked: fc.constantFrom(...inputs, "none"),
  })
  .map(({ type, part, input, output, asked }) => {
    const { approval: given, ...others } = part as { state: string; approval?: object }; // one of the states above
    return {
      ...others,
      ...(type === "dynamic-tool" && { toolName: "weather" }),
      ...(given && { approval: asked === "none" ? given : { ...given, inputSchemaInput: asked } }),
      ...("output" in others && { output }),
      type,
      input,
    };
  });
const someData = fc.record({
  type: fc.constantFrom("data-note", "data-number", "data-other"),
  data: fc.constantFrom({ x: 1 }, { x: "1" }, "42", null),
});
const someMessage = fc.record({
  id: fc.constant("a"),
  role: fc.constant("assistant"),
  metadata: fc.constantFrom(undefined, {}, { createdAt: "42" }, { createdAt: {} }),
  parts: fc.array(fc.oneof(someTool, someData), { maxLength: 3 }),
});
const someSchemas = fc.subarray(["metadata", "data", "tools"] as const).map(names => {
  const entries = names.map(name => [name, schemas[name]]);
  return Object.fromEntries(entries) as CheckUISchemas; // some of the members above
});

describe.each(generations)("with schemas, as %s", generation => {
  test("inputs, outputs, data and metadata are refused, changed and made dynamic as there", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(someMessage, { minLength: 1, maxLength: 2 }), someSchemas, (messages, given) =>
        agrees(messages, generation, given),
      ),
      { seed: 7, numRuns: 1000 },
    );
  });
});

const pathsOf = (error: unknown): (string | number)[][] => {
  const text = /Error message: ([\s\S]*)$/.exec((error as Error).message)?.[1] ?? "[]"; // the SDK's validation errors
  return (JSON.parse(text) as { path: (string | number)[] }[]).map(({ path }) => path); // zod's issues
};

test("generation 7 names places, and ours names the same", async () => {
  await fc.assert(
    fc.asyncProperty(damaged, async messages => {
      const theirs = await answerOf("v7", messages);
      if (theirs.success) return;
      const ours = checkUIMessages(messages).issues.filter(({ severity }) => severity === "error");
      // Inside of a provider's JSON it names the value around the fault, and ours the fault.
      const isNamed = (path: (string | number)[]): boolean =>
        ours.some(issue => path.every((step, index) => issue.path[index] === step));
      expect(pathsOf(theirs.error).filter(path => !isNamed(path))).toEqual([]);
    }),
    { seed: 7, numRuns: 1500 },
  );
});

const found = (messages: unknown, options: CheckUIOptions = {}) =>
  checkUIMessages(messages, options).issues.map(({ code, path }) => `${code} ${formatPath(path)}`.trim());

describe("what is wrong, all of it, with where it is", () => {
  test.each<[string, unknown, string[]]>([
    ["nothing at all", undefined, ["no-messages"]],
    ["an empty list", [], ["no-messages"]],
    ["no list", { role: "user" }, ["wrong-type"]],
    [
      "every faulty message, and every fault of each",
      [{ role: "tool", parts: null }, ui("user", { type: "text" }, { type: "file" })],
      [
        ...["missing-member [0].id", "unknown-value [0].role", "wrong-type [0].parts"],
        ...[
          "missing-member [1].parts[0].text",
          "missing-member [1].parts[1].mediaType",
          "missing-member [1].parts[1].url",
        ],
      ],
    ],
    ["a user's message without parts", [ui("user")], ["empty-message [0].parts"]],
    ["a part of another format", [ui("user", { type: "image_url" })], ["unknown-type [0].parts[0].type"]],
    [
      "an output where there can be none",
      [ui("assistant", tool("input-available", { output: 1 }))],
      ["unexpected-member [0].parts[0].output"],
    ],
  ])("%s", (_, messages, issues) => {
    expect(found(messages)).toEqual(issues);
  });

  test.each<[string, Json[], string[]]>([
    ["two messages of one id", [ui("user", said), ui("user", said)], ["duplicate-id [1].id"]],
    ["an empty id", [{ id: "", role: "user", parts: [said] }], ["empty-id [0].id"]],
    [
      "two calls of one id, in any messages",
      [ui("assistant", tool("output-available", { output: 1 }), tool("output-available", { output: 2 }))],
      ["duplicate-call [0].parts[1].toolCallId"],
    ],
    [
      "two approvals of one id",
      [ui("assistant", tool("approval-requested", approval()), tool("output-denied", approval({ approved: false })))],
      ["duplicate-approval [0].parts[1].approval.id"],
    ],
    [
      "an approval told as data, of no call",
      [ui("assistant", { type: "data-approval", id: "a", data: { id: "a", toolCallId: "gone" } })],
      ["orphan-approval [0].parts[0].data.toolCallId"],
    ],
    [
      "a failure of a call that says no input",
      [ui("assistant", { type: "tool-w", toolCallId: "c", state: "output-error", errorText: "e" })],
      ["orphan-result [0].parts[0]"],
    ],
    [
      "calls that a later message left behind",
      [ui("assistant", ...["input-streaming", "input-available"].map(state => tool(state))), ui("user", said)],
      ["open-call [0].parts[0].state", "open-call [0].parts[1].state"],
    ],
    [
      "approvals that a later message left behind",
      [
        ui(
          "assistant",
          tool("approval-requested", approval()),
          tool("approval-responded", { approval: { id: "b", approved: true } }),
        ),
        ui("user", said),
      ],
      ["open-approval [0].parts[0].state", "unrun-approval [0].parts[1].state"],
    ],
    [
      "parts that never ended",
      [
        ui(
          "assistant",
          { type: "text", text: "a", state: "streaming" },
          tool("output-available", { output: 1, preliminary: true }),
        ),
        ui("user", said),
      ],
      ["unfinished-part [0].parts[0].state", "unfinished-part [0].parts[1].preliminary"],
    ],
    [
      "a call in a user's message",
      [ui("user", said, tool("output-error", { errorText: "e" }))],
      ["misplaced-part [0].parts[1]"],
    ],
    ["an answer without parts", [ui("assistant"), ui("user", said)], ["no-parts [0].parts"]],
    ["a system message", [ui("system", said)], ["system-message [0].role"]],
    [
      "a path for a url",
      [ui("user", { type: "file", mediaType: "a/b", url: "/a.png" })],
      ["not-a-url [0].parts[0].url"],
    ],
    [
      "members of other generations",
      [{ ...(ui("user", said) as object), content: "hi" } as Json],
      ["unknown-member [0].content"],
    ],
    [
      "nothing of a provider's open call",
      [ui("assistant", tool("input-available", { providerExecuted: true })), ui("user", said)],
      [],
    ],
  ])("taken by the SDK, and told: %s", (_, messages, issues) => {
    expect(found(messages)).toEqual(issues);
    expect(checkUIMessages(messages).data).toBeDefined();
  });

  test("each code is told with its severity", () => {
    const [duplicate] = checkUIMessages([ui("user", said), ui("user", said)]).issues;
    expect(duplicate).toMatchObject({
      severity: uiCheckCodes["duplicate-id"][0],
      message: expect.stringContaining("[1].id"),
    });
  });
});

test("what cannot be read is an issue and no exception, and what is endless ends", () => {
  const trap = new Proxy(
    {},
    {
      get: () => {
        throw new Error("no");
      },
    },
  );
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  const deep = JSON.parse(`${"[".repeat(5000)}${"]".repeat(5000)}`) as Json; // JSON.parse gives JSON
  const about = (providerMetadata: unknown) => [{ id: "a", role: "assistant", parts: [{ ...said, providerMetadata }] }];
  expect(found([trap])).toEqual(["unreadable"]);
  expect(found(about({ p: circle }))).toEqual(["wrong-type [0].parts[0].providerMetadata.p.self.self"]);
  expect(found(about({ p: { deep } }))).toEqual([]);
  expect(found([{ id: "a", role: "user", metadata: circle, parts: [said] }])).toEqual(["not-json [0].metadata.self"]);
  expect(found(Array.from({ length: 2000 }, () => null))).toHaveLength(1001);
});

test("however many warnings there are, what the SDK takes stays without an error", () => {
  const rows = Array.from({ length: 3000 }, (_, index) => ({
    ...(ui("user", said) as object),
    id: `${index}`,
    content: "hi",
  }));
  const { issues, data } = checkUIMessages(rows);
  expect(data).toHaveLength(3000);
  expect(issues).toHaveLength(1001);
  expect(issues.at(-1)).toMatchObject({ code: "more-warnings", severity: "info" });
});

test("validators that answer at once are answered at once, and those that wait make a promise", async () => {
  const messages = [{ ...(ui("user", said) as object), metadata: { n: "42" } }];
  const metadata = z.object({ n: z.coerce.number() });
  const later = { "~standard": { validate: async (value: unknown) => metadata["~standard"].validate(value) } };
  const failing = { "~standard": { validate: () => Promise.reject(new Error("down")) } };
  const atOnce = checkUIMessages(messages, { metadata });
  expect(atOnce).toMatchObject({ issues: [], data: [{ metadata: { n: 42 } }] });
  const waiting = checkUIMessages(messages, { metadata: later });
  expect(waiting).toBeInstanceOf(Promise);
  expect(await waiting).toEqual(atOnce);
  const silent = { "~standard": { validate: () => undefined as never } };
  expect(checkUIMessages(messages, { metadata: silent })).toMatchObject({ issues: [{ code: "schema" }] });
  expect(await checkUIMessages(messages, { metadata: failing })).toMatchObject({
    issues: [{ code: "schema", path: [0, "metadata"], message: expect.stringContaining("down") }],
  });
});

test("a data part whose name is a member of every object has no schema by that", () => {
  const messages = [ui("assistant", { type: "data-constructor", data: 1 })];
  expect(checkUIMessages(messages, { data: {} })).toMatchObject({ issues: [{ code: "no-schema" }] });
});
