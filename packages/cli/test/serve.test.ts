import type { ChildProcess } from "node:child_process";
import { createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import { startPostgres, type TestPostgres } from "@translogue/testkit/postgres";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { collect, type Ended, folder, type RunOptions, run, start } from "./program.ts";

interface Served {
  readonly child: ChildProcess;
  readonly url: string;
  /** What it printed once it listened. */
  readonly printed: () => string;
  readonly ended: Promise<Ended>;
}

async function served(args: readonly string[], { cwd, env }: RunOptions = {}): Promise<Served> {
  const child = start(["serve", "--port", "0", ...args], {
    ...(cwd && { cwd }),
    env: { TRANSLOGUE_MODEL: "demo", ...env },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = collect(child);
  let printed = "";
  const listening = new Promise<string>((resolve, reject) => {
    child.stdout?.on("data", text => {
      printed += text;
      const [, url] = /listens at (http:\/\/\S+)\n(?:.*\n)*Studio/.exec(printed) ?? [];
      if (url) resolve(url);
    });
    void ended.then(({ stderr }) => reject(new Error(stderr)));
  });
  return { child, url: await listening, printed: () => printed, ended };
}

const ask = (url: string, text: string): Promise<Response> =>
  fetch(`${url}/api/v1/chat`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "demo/standard", messages: [{ role: "user", content: text }] }),
  });

describe("a server", () => {
  test("prints where it listens, who answers and why, where sessions are, and answers a streaming request", async () => {
    const state = await folder();
    const { child, url, printed, ended } = await served([], {
      env: { XDG_STATE_HOME: state, OPENAI_API_KEY: "secret" },
    });
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const response = await ask(url, "What is 19 + 23?");
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    expect(await response.text()).toContain("42");
    child.kill("SIGTERM");
    expect(await ended).toMatchObject({ code: 0, stderr: "" });
    const [, model, key, sessions] = printed().split("\n");
    expect(model).toBe("Model: the demo, named by TRANSLOGUE_MODEL. It needs no key.");
    expect(key).toBe("OPENAI_API_KEY is set: --model openai/MODEL would have OpenAI answer.");
    expect(sessions).toBe(`Sessions: ${join(state, "translogue", "sessions.db")}`);
    expect(printed()).not.toContain("secret");
  });

  test("ends gracefully by Ctrl-C too, and lets an open stream end first", async () => {
    const { child, url, ended } = await served(["--store", ":memory:"]);
    const response = await ask(url, "write 60 words");
    const reader = response.body?.getReader();
    await reader?.read();
    child.kill("SIGINT");
    let text = "";
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
      text += new TextDecoder().decode(piece.value);
    }
    expect(text).toContain("[DONE]");
    expect((await ended).code).toBe(0);
  });

  test("serves a studio's files", async () => {
    const at = await folder({ "index.html": "<h1>studio</h1>" });
    const { url, printed } = await served(["--store", ":memory:", "--studio", at]);
    expect(await (await fetch(url)).text()).toBe("<h1>studio</h1>");
    expect(printed()).toContain(`Studio: ${url}`);
  });

  test("does as its file says, and options stand above it", async () => {
    const config = {
      store: "sessions.db",
      host: "127.0.0.1",
      clientSystem: "refuse",
      promptTypes: [{ id: "poet", description: "Rhymes" }],
    };
    const at = await folder({ "translogue.json": JSON.stringify(config) });
    const { url, printed } = await served(["--config", "translogue.json", "--store", ":memory:"], { cwd: at });
    expect(printed()).toContain("Sessions: in memory");
    expect(await (await fetch(`${url}/api/v1/prompt-types`)).text()).toContain("poet");
  });

  test("wants a key where its file has some", async () => {
    const sha256 = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";
    const at = await folder({ "translogue.json": JSON.stringify({ keys: [{ name: "web", sha256 }] }) });
    const { url } = await served(["--config", "translogue.json", "--store", ":memory:"], { cwd: at });
    const models = (key?: string) =>
      fetch(`${url}/api/v1/models`, { headers: key ? { authorization: `Bearer ${key}` } : {} });
    expect([(await models()).status, (await models("wrong")).status, (await models("secret")).status]).toEqual([
      401, 401, 200,
    ]);
  });

  test("speaks for a model that is named, to a host of its file", async () => {
    const config = {
      model: "house/m",
      models: ["house/n"],
      providers: { house: { baseUrl: "http://127.0.0.1:9/v1" } },
    };
    const at = await folder({ "translogue.json": JSON.stringify(config) });
    const { url, printed } = await served(["--config", "translogue.json", "--store", ":memory:"], {
      cwd: at,
      env: { TRANSLOGUE_MODEL: undefined },
    });
    expect(printed()).toContain("Model: house/m, house/n, named by translogue.json.");
    const { data } = (await (await fetch(`${url}/api/v1/models`)).json()) as { data: { models: { id: string }[] } }; // as its contract says
    expect(data.models.map(({ id }) => id)).toEqual(["house/m", "house/n"]);
    expect((await ask(url, "hello")).status).toBe(403);
  });
});

describe("a server whose sessions are on Postgres", () => {
  let postgres: TestPostgres | undefined;
  beforeAll(async () => {
    postgres = await startPostgres();
  }, 120_000);
  afterAll(() => postgres?.stop());

  /** Says nothing of who may go there. */
  const shown = (address: string): string => `Sessions: ${address.replace(/postgres:postgres@/, "")}\n`;

  test.for(["TRANSLOGUE_STORE", "--store", "--config"] as const)(
    "named by %s has them in the next process too",
    { timeout: 120_000 },
    async how => {
      const store = (await postgres?.database()) ?? "";
      const at = await folder({ "translogue.json": JSON.stringify({ store }) });
      const [args, env]: readonly [readonly string[], Record<string, string>] =
        how === "TRANSLOGUE_STORE"
          ? [[], { [how]: store }]
          : [[how, how === "--store" ? store : "translogue.json"], {}];
      const first = await served(args, { cwd: at, env });
      expect(first.printed()).toContain(shown(store));
      const message = { id: "u1", role: "user", parts: [{ type: "text", text: "What is 19 + 23?" }] };
      const request = { id: "s1", model: "demo/standard", message };
      const headers = { "content-type": "application/json" };
      const response = await fetch(`${first.url}/api/v1/chat`, {
        method: "POST",
        headers,
        body: JSON.stringify(request),
      });
      expect(await response.text()).toContain("42");
      first.child.kill("SIGTERM");
      expect(await first.ended).toMatchObject({ code: 0, stderr: "" });
      const next = await served(args, { cwd: at, env });
      expect(await (await fetch(`${next.url}/api/v1/sessions/s1`)).text()).toContain("42");
    },
  );

  test("that cannot be reached says so without the password", async () => {
    const ended = await run(["serve", "--port", "0", "--store", "postgres://ann:secret@127.0.0.1:1/sessions"]);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toContain(
      "the sessions cannot be stored in `postgres://127.0.0.1:1/sessions`: connect ECONNREFUSED",
    );
    expect(ended.stderr).not.toContain("secret");
  });
});

describe("a server that cannot start", () => {
  test("because its port is taken says so", async () => {
    const other = createTcpServer();
    await new Promise<void>(resolve => other.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void other.close());
    const { port } = other.address() as { port: number }; // it listens on TCP
    const ended = await run(["serve", "--port", String(port), "--store", ":memory:"], {
      env: { TRANSLOGUE_MODEL: "demo" },
    });
    const stderr = `translogue: port ${port} of 127.0.0.1 is taken; \`--port N\` names another, \`--port 0\` takes one that is free\n`;
    expect(ended).toEqual({ code: 2, stdout: "", stderr });
  });

  test.for<readonly [args: readonly string[], code: number, message: string]>([
    [["--port", "x"], 2, "`--port` does not take `x`; it is a number from 0 to 65535"],
    [["--port", "70000"], 2, "`--port` does not take `70000`"],
    [["--studio", "nowhere"], 2, "`nowhere` has no index.html; `--studio DIR` names the folder"],
    [["--store", "file/sessions.db"], 2, "the sessions cannot be stored in `file/sessions.db`"],
    [["--config", "nowhere.json"], 3, "nowhere.json: there is no such file"],
    [["--config", "broken.json"], 3, "broken.json:1:9: found"],
    [
      ["--config", "wrong.json"],
      2,
      "`wrong.json` is no configuration:\n  prot: there is no such setting; did you mean `port`?",
    ],
    [["--config", "tools.json"], 2, "prompt type `poet` names tools that there are not: rhyme"],
    [["--model", "openai/gpt-5.2"], 2, "OpenAI needs a key: set OPENAI_API_KEY"],
    [["--host", "256.0.0.1"], 2, "there is no listening at 256.0.0.1, port 0"],
  ])("for %j says what to do", async ([args, code, message]) => {
    const at = await folder({
      file: "",
      "broken.json": '{"port":,}',
      "wrong.json": '{"prot": 1}',
      "tools.json": '{"promptTypes":[{"id":"poet","description":"Rhymes","tools":["rhyme"]}]}',
    });
    const ended = await run(["serve", "--store", ":memory:", "--port", "0", ...args], { cwd: at });
    expect(ended).toMatchObject({ code, stdout: "" });
    expect(ended.stderr.startsWith(`translogue: ${message}`), ended.stderr).toBe(true);
  });
});
