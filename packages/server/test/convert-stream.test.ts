import { beforeAll, describe, expect, it } from "vitest";
import type { Server } from "../src/index.ts";
import { readerOf, until } from "./read.ts";
import { serverOf } from "./scripted.ts";

let server: Server;
beforeAll(async () => {
  server = await serverOf({ maxBodyBytes: 20_000 });
});

const utf8 = new TextEncoder();
const event = (delta: object): string =>
  `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`;
const half = event({ role: "assistant", content: "Half" });
const names = (text: string): string[] => [...text.matchAll(/^event: (.*)$/gm)].map(([, name = ""]) => name);

describe("a stream that is converted", () => {
  /** By the server itself, of a body that is the test's. */
  const convertedOf = (source: UnderlyingDefaultSource<Uint8Array>): Promise<Response> => {
    const headers = { "content-type": "text/event-stream" };
    const init = { method: "POST", headers, body: new ReadableStream(source), duplex: "half" };
    return server.fetch(new Request("http://localhost/api/v1/convert?from=openai-chat&to=anthropic-messages", init));
  };

  it.each([
    ["an error of a name that nobody knows", new Error("the proxy hung up")],
    ["a stop", new DOMException("stopped", "AbortError")],
    ["no error at all", undefined],
  ])("whose sender breaks off with %s says so in itself", async (_, reason) => {
    let sent = 0;
    const response = await convertedOf({
      pull: controller => (sent++ === 0 ? controller.enqueue(utf8.encode(half)) : controller.error(reason)),
    });
    expect(names(await response.text())).toEqual(expect.arrayContaining(["content_block_delta", "error"]));
  });

  it("that never begins is refused once it is larger than a body may be, and is asked for no more", async () => {
    const blank = utf8.encode(" ".repeat(1000));
    let chunks = 0;
    const response = await convertedOf({
      pull: controller => {
        if (chunks++ > 1000) return controller.close();
        controller.enqueue(blank);
      },
    });
    expect([response.status, chunks < 100]).toEqual([413, true]);
  });

  it("is converted up to the limit, and then says that it was cut", async () => {
    const rest = `data: ${"x".repeat(30_000)}\n\n`;
    const response = await convertedOf(whole(half + rest));
    const text = await response.text();
    expect(text).toContain("Half");
    expect(names(text)).toContain("error");
  });

  it("whose reader leaves in the middle of a wait stops its sender at once", async () => {
    const stopped = Promise.withResolvers<void>();
    let isFirst = true;
    const response = await convertedOf({
      pull: controller => {
        if (!isFirst) return new Promise(() => {});
        isFirst = false;
        controller.enqueue(utf8.encode(half));
      },
      cancel: () => stopped.resolve(),
    });
    const reader = readerOf(response);
    await until(reader, "Half");
    const waiting = reader.read();
    await reader.cancel();
    await stopped.promise;
    expect(await waiting).toMatchObject({ done: true });
  });

  it("is asked for no faster than it is read", async () => {
    let asked = 0;
    const response = await convertedOf({
      pull: controller => {
        asked++;
        controller.enqueue(utf8.encode(asked === 1 ? half : event({ content: "more" })));
      },
    });
    const reader = readerOf(response);
    await until(reader, "Half");
    await new Promise(resolve => setImmediate(resolve));
    expect(asked).toBeLessThan(10);
    await reader.cancel();
  });
});

describe("what was not kept of a stream", () => {
  const answer = `${event({ role: "assistant" })}${event({ content: "Hi", oddity: 1 })}data: {no\n\n${event({ content: "!" })}`;
  const convertedTo = async (to: string, more = ""): Promise<{ headers: Headers; bytes: Uint8Array }> => {
    const headers = { "content-type": "text/event-stream" };
    const address = `http://localhost/api/v1/convert?from=openai-chat&to=${to}${more}`;
    const response = await server.fetch(new Request(address, { method: "POST", headers, body: answer }));
    return { headers: response.headers, bytes: new Uint8Array(await response.arrayBuffer()) };
  };
  const counts = expect.objectContaining({ "stream/not-json": 1 });
  const issues = expect.arrayContaining([expect.objectContaining({ code: "stream/not-json" })]);

  it.each(["anthropic-messages", "openai-chat", "ollama", "ai-sdk-prompt", "bedrock-converse"])(
    "is the one record behind the last, for those who ask: %s",
    async to => {
      const [plain, asked] = await Promise.all([convertedTo(to), convertedTo(to, "&report=true")]);
      expect([plain.headers.get("x-report"), asked.headers.get("x-report")]).toEqual([null, "last"]);
      const own = withoutComments(plain.bytes);
      expect(Buffer.from(asked.bytes.subarray(0, own.length))).toEqual(Buffer.from(own));
      expect(reportIn(asked.bytes.subarray(own.length))).toMatchObject({ issues, counts });
      expect(Buffer.from(plain.bytes).includes("translogue")).toBe(false);
    },
  );

  it("is told too where it is nothing", async () => {
    const body = `${event({ role: "assistant", content: "Hi" })}data: [DONE]\n\n`;
    const headers = { "content-type": "text/event-stream" };
    const address = "http://localhost/api/v1/convert?from=openai-chat&to=openai-chat&report=true";
    const response = await server.fetch(new Request(address, { method: "POST", headers, body }));
    expect(await response.text()).toMatch(/\[DONE\]\n\nevent: translogue-report\ndata: \{"losses":\[/);
  });

  it("is asked for by true or false", async () => {
    const headers = { "content-type": "text/event-stream" };
    const address = "http://localhost/api/v1/convert?from=openai-chat&to=ollama&report=2";
    const response = await server.fetch(new Request(address, { method: "POST", headers, body: half }));
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { details: { issues: [{ path: ["report"] }] } },
    ]);
  });
});

const withoutComments = (bytes: Uint8Array): Uint8Array => {
  const comment = Buffer.from(bytes).lastIndexOf("\n: ");
  return comment === -1 ? bytes : bytes.subarray(0, comment + 1);
};

/** The report of one record, in any framing: an object between other bytes. */
function reportIn(record: Uint8Array): unknown {
  const text = Buffer.from(record).toString("latin1");
  const found: unknown = JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
  return typeof found === "object" && found !== null && "translogue" in found ? found.translogue : found;
}

/** All at once. */
const whole = (text: string): UnderlyingDefaultSource<Uint8Array> => ({
  start: controller => {
    controller.enqueue(utf8.encode(text));
    controller.close();
  },
});
