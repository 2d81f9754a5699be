import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readConfig } from "../src/serve/config.ts";
import { folder } from "./program.ts";

const read = async (text: string): Promise<{ config: unknown; error: unknown; at: string }> => {
  const at = await folder({ "config.json": text });
  try {
    return { config: readConfig(join(at, "config.json")), error: undefined, at };
  } catch (error) {
    return { config: undefined, error, at };
  }
};

describe("a configuration", () => {
  test("may say all there is; its paths are beside it", async () => {
    const all = {
      host: "0.0.0.0",
      port: 8080,
      model: "openai/gpt-5",
      models: ["ollama/qwen3:8b", "house/a/b"],
      providers: { house: { baseUrl: "https://models.example.org/v1", keyVariable: "HOUSE_KEY" } },
      instructions: "Be short.",
      generation: 7,
      clientSystem: "refuse",
      keys: [{ name: "web", sha256: "a".repeat(64) }],
      cors: { origins: ["https://example.org"], maxAge: 60 },
      promptTypes: [{ id: "poet", description: "Rhymes", prompt: "Rhyme.", tools: ["add"] }],
      maxBodyBytes: 1000,
      drainMs: 0,
    };
    const { config, at } = await read(JSON.stringify({ ...all, store: "data/sessions.db", studio: "./web" }));
    expect(config).toEqual({ ...all, store: join(at, "data/sessions.db"), studio: join(at, "web") });
  });

  test("of the README is one", async () => {
    const readme = await readFile(join(import.meta.dirname, "../README.md"), "utf8");
    const example = [...readme.matchAll(/```json\n([^`]*)```/g)].map(([, text]) => text).at(-1) ?? "";
    expect(Object.keys((await read(example)).config ?? {})).toHaveLength(15);
  });

  test("may keep sessions on Postgres", async () => {
    const store = "postgres://ann@db.example/sessions";
    expect((await read(JSON.stringify({ store }))).config).toEqual({ store });
  });

  test("may be empty, and keep sessions in memory", async () => {
    expect((await read("{}")).config).toEqual({});
    expect((await read('{"store":":memory:","cors":{"origins":"*"}}')).config).toEqual({
      store: ":memory:",
      cors: { origins: "*" },
    });
  });

  test.for<readonly [text: string, wrong: readonly string[]]>([
    ["[]", ["expected an object, found []"]],
    ['{"prot": 1}', ["prot: there is no such setting; did you mean `port`?"]],
    ['{"port": "80"}', ['port: expected a whole number from 0 to 65535, found "80"']],
    ['{"port": 80.5}', ["port: expected a whole number from 0 to 65535, found 80.5"]],
    ['{"host": ""}', ['host: expected a text, found ""']],
    ['{"model": "gpt"}', ['model: expected `provider/model` or `demo`, found "gpt"']],
    ['{"models": "a/b"}', ['models: expected a list, found "a/b"']],
    ['{"models": ["a/b", null]}', ["models[1]: expected `provider/model`, found null"]],
    ['{"generation": 4}', ["generation: expected one of 5, 6, 7, found 4"]],
    ['{"keys": [{"name": "x"}]}', ["keys[0]: `sha256` is missing"]],
    [
      '{"keys": [{"name": "x", "sha256": "secret"}]}',
      ['keys[0].sha256: expected the 64 hexadecimal digits of a SHA-256, found "secret"'],
    ],
    ['{"cors": {"origins": "https://a"}}', ['cors.origins: expected a list, found "https://a"']],
    [
      '{"providers": {"my host": {"baseUrl": "example.org"}}}',
      ['providers["my host"].baseUrl: expected a URL that begins with http:// or https://, found "example.org"'],
    ],
    [
      '{"__proto__": {"port": 1}, "prompt": 1}',
      ["__proto__: there is no such setting", "prompt: there is no such setting"],
    ],
    ['{"port": -1, "host": 7}', ["port: expected", "host: expected"]],
  ])("%s is refused with all that is wrong", async ([text, wrong]) => {
    const { error } = await read(text);
    expect(error).toMatchObject({ code: "command/wrong-use" });
    const lines = String((error as Error).message)
      .split("\n")
      .slice(1);
    expect(lines).toHaveLength(wrong.length);
    for (const [index, line] of wrong.entries()) expect(lines[index]?.trim().startsWith(line)).toBe(true);
  });

  test("that is no JSON says where", async () => {
    const { error, at } = await read('{\n  "port": 80,\n}');
    expect(error).toMatchObject({
      code: "input/unreadable",
      data: { file: join(at, "config.json"), line: 3, column: 1 },
    });
  });

  test("that is not there says so", () => {
    expect(() => readConfig("no/such.json")).toThrow("there is no such file");
  });
});
