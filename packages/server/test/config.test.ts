import { createAgent } from "@translogue/agent";
import { describe, expect, it } from "vitest";
import { createServer, type ServerConfig, sqliteStore } from "../src/index.ts";
import { scriptedModel, serverOf } from "./scripted.ts";

const agent = createAgent({ model: scriptedModel() });
const models: ServerConfig["models"] = { list: [], resolve: () => scriptedModel() };
const store = await sqliteStore({ path: ":memory:" });

/** What cannot be meant: the options, and the words of the error. */
const wrong: { readonly [title: string]: readonly [object, RegExp] } = {
  "an option that there is not": [{ clientsystem: "refuse" }, /no option `clientsystem`.*clientSystem/],
  "a policy that there is not": [{ clientSystem: "deny" }, /`clientSystem` takes "allow", "refuse"; found "deny"/],
  "a generation that is not written": [{ generation: 4 }, /`generation` takes 5, 6, 7; found 4/],
  "a generation as a text": [{ generation: "5" }, /`generation` takes 5, 6, 7; found "5"/],
  "no models": [{ models: undefined }, /`models` takes .*found nothing/],
  "no agent": [{ agent: undefined }, /`agent` takes .*found nothing/],
  "a store that is none": [{ store: {} }, /`store` takes .*found another object/],
  "a default model without a provider": [
    { defaultModel: "gpt" },
    /`defaultModel` takes .*`provider\/model`; found "gpt"/,
  ],
  "a limit of nothing": [{ maxBodyBytes: 0 }, /`maxBodyBytes` takes .*found 0/],
  "a limit that is no number": [{ maxMessages: Number.NaN }, /`maxMessages` takes .*found null/],
  "origins that are one text": [{ cors: { origins: "https://a.example" } }, /`cors` takes/],
  "a log that is no function": [{ log: console }, /`log` takes a function/],
  "a prompt type with a tool that there is not": [
    { promptTypes: [{ id: "p", description: "", tools: ["none"] }] },
    /`p` names tools that there are not: none/,
  ],
};

describe("a server's options", () => {
  it.each(Object.entries(wrong))("are refused when it is made: %s", (_title, [options, message]) => {
    const config = { agent, models, store, ...options } as ServerConfig; // wrong on purpose
    expect(() => createServer(config)).toThrow(
      expect.objectContaining({ code: "server/config", message: expect.stringMatching(message) }),
    );
  });

  it("may be left undefined, and are the defaults then", async () => {
    const server = createServer({ agent, models, store, generation: undefined } as unknown as ServerConfig); // as from a file
    expect((await server.fetch(new Request("http://server.test/healthz"))).status).toBe(200);
  });
});

describe("without a log", () => {
  it("failures stand on stderr, with what they are called and what they say", async () => {
    const authenticate = (): never => {
      throw Object.assign(new Error("no such table"), { code: "E_TABLE" });
    };
    const written: string[] = [];
    const { write } = process.stderr;
    process.stderr.write = text => written.push(String(text)) > 0;
    try {
      const server = await serverOf({ authenticate, log: undefined } as unknown as Parameters<typeof serverOf>[0]); // as from a file
      expect((await server.get("/api/v1/models")).status).toBe(500);
      await server.close();
    } finally {
      process.stderr.write = write;
    }
    expect(written.map(line => JSON.parse(line))).toMatchObject([
      { level: "error", event: "failure", code: "E_TABLE", message: "no such table" },
    ]);
  });
});
