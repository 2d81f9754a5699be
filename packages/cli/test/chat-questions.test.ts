import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { createAgent, defineTool } from "@translogue/agent";
import { scripted } from "@translogue/testkit/scripted-model";
import type { Json } from "translogue";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Chat } from "../src/chat/chat.ts";
import { blanksOf, typedValue } from "../src/chat/questions.ts";
import { typedLines } from "../src/chat/typed.ts";
import type { Io } from "../src/io.ts";

/** A chat in which a tool asks this; what was answered is the tool's result. */
async function asked(schema: Json, ...lines: readonly string[]) {
  const answers: (Json | undefined)[] = [];
  const paint = defineTool({
    name: "paint",
    parameters: z.object({}),
    execute: async (_, { ask }) => {
      answers.push(await ask({ message: "Which colour?", schema }));
      return "done";
    },
  });
  const model = scripted([{ calls: [["c1", "paint", {}]] }, { text: "Painted." }]);
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const io: Io = {
    ...{ stdin: Readable.from(["Go", ...lines].map(line => `${line}\n`)), stdout, stderr, env: {} },
    ...{ entry: new URL("file:///none"), colors: { stdout: false, stderr: false } },
  };
  const typed = typedLines(io, () => []);
  const agent = createAgent({ model, tools: [paint] });
  const findModel = async () => model;
  await (await Chat.begin({ io, agent, model, findModel, typed, onTyped: async () => {} })).talk();
  typed.close();
  stdout.end();
  stderr.end();
  return { answers, said: await text(stdout), aside: await text(stderr) };
}

const form = {
  type: "object",
  properties: { colour: { enum: ["red", "blue"] }, coats: { type: "integer" }, glossy: { type: "boolean" } },
  required: ["colour"],
};

describe("a tool that asks a person, in the terminal", () => {
  test.each<[string, Json, readonly string[], Json | undefined]>([
    ["a text", { type: "string" }, ["dark red"], "dark red"],
    ["a text that is a number", { type: "string" }, ["42"], "42"],
    ["a number", { type: "number" }, ["42"], 42],
    ["a form, line by line", form, ["blue", "2", "y"], { colour: "blue", coats: 2, glossy: true }],
    ["a form with what may be left empty", form, ["red", "", ""], { colour: "red" }],
    ["nothing where nothing is typed", { type: "string" }, [""], undefined],
    ["nothing where nobody is there", form, [], undefined],
    ["another answer where the first does not fit", form, ["green", "", "", "red", "", ""], { colour: "red" }],
  ])("gets %s", async (_, schema, lines, answer) => {
    const { answers, said, aside } = await asked(schema, ...lines);
    expect(answers).toEqual([answer]);
    expect(said).toBe("Painted.\n");
    expect(aside).toContain("Which colour?");
  });

  test("says what of an answer does not fit", async () => {
    const { aside } = await asked(form, "green", "", "", "red");
    expect(aside).toContain('colour: expected one of "red", "blue"; answer again');
  });
});

test("each line says what it is for", () => {
  expect(blanksOf(form).map(({ label }) => label)).toEqual([
    ...["colour (red, blue)", "coats (integer; may be left empty)", "glossy (y or n; may be left empty)"],
  ]);
  expect(blanksOf(undefined)).toEqual([{ label: "", schema: {} }]);
  expect(typedValue('{"a":1}', {})).toEqual({ a: 1 });
});
