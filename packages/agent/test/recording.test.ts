import { sseReply } from "@translogue/testkit/fake-host";
import { describe, expect, test } from "vitest";
import { type Recording, recorder, replay } from "../src/index.ts";
import { chunks, content } from "./chat-chunks.ts";
import { ask, hosted, key } from "./hosted.ts";

const replies = [sseReply(chunks("c1", content("Hel", "lo.")))];

async function recorded(): Promise<Recording> {
  const { fetch, recording } = recorder();
  const { model } = await hosted(replies, { fetch });
  expect((await ask(model)).response.text).toBe("Hello.");
  return recording();
}

describe("a recording", () => {
  test("answers again without the host, piece by piece as it came, and holds no key", async () => {
    const recording = await recorded();
    expect(JSON.stringify(recording)).not.toContain(key);
    expect(recording.exchanges[0]?.response.pieces.join("")).toBe(replies[0]?.pieces?.join(""));
    const url = recording.exchanges[0]?.request.url.replace(/\/v1\/.*/, "/v1");
    const { model, host } = await hosted([], { fetch: replay(recording), baseUrl: url ?? "" });
    expect((await ask(model)).response.text).toBe("Hello.");
    expect(host.requests).toEqual([]);
  });

  test.each<[string, () => Parameters<typeof fetch>]>([
    ["a Request", () => [new Request("http://host.test/v1", { method: "POST", body: "asked" })]],
    [
      "a Request with other headers",
      () => [new Request("http://host.test/v1", { method: "POST", body: "asked" }), { headers: { "x-a": "b" } }],
    ],
    [
      "a stream",
      () => [
        "http://host.test/v1",
        { method: "POST", body: new Blob(["asked"]).stream(), duplex: "half" } as RequestInit,
      ],
    ],
  ])("leaves the body of %s to be sent", async (_, call) => {
    const heard: string[] = [];
    const host: typeof fetch = async (input, init) => {
      heard.push(await new Request(input, init).text());
      return new Response("told");
    };
    const { fetch, recording } = recorder(host);
    expect(await (await fetch(...call())).text()).toBe("told");
    expect(heard).toEqual(["asked"]);
    expect(recording().exchanges[0]?.request).toEqual({ method: "POST", url: "http://host.test/v1", body: "asked" });
  });

  test.each([
    ["says another thing", (text: string) => text.replace('"Hi"', '"Ho"'), "body.messages[0].content"],
    ["goes elsewhere", (text: string) => text.replace("chat/completions", "responses"), "url"],
  ])("refuses a request that %s, and says where", async (_, change, place) => {
    const recording: Recording = JSON.parse(change(JSON.stringify(await recorded())));
    const url = recording.exchanges[0]?.request.url.replace(/\/v1\/.*/, "/v1");
    const { model } = await hosted([], { fetch: replay(recording), baseUrl: url ?? "" });
    expect((await ask(model)).response.error).toMatchObject({
      code: "model/not-recorded",
      message: expect.stringContaining(`\`${place}\``),
    });
  });

  test("refuses a request beyond its last", async () => {
    const fetch = replay({ version: 1, exchanges: [] });
    const { model } = await hosted([], { fetch });
    expect((await ask(model)).response.error).toMatchObject({ code: "model/not-recorded" });
  });

  test("keeps bytes that are no text", async () => {
    const bytes = Uint8Array.from([0, 255, 254, 10]);
    const { fetch, recording } = recorder(async () => new Response(bytes, { status: 418 }));
    await (await fetch("https://example.com/a?key=1")).arrayBuffer();
    const { exchanges } = recording();
    expect(exchanges).toEqual([
      {
        request: { method: "GET", url: "https://example.com/a" },
        response: { status: 418, headers: {}, pieces: [{ base64: "AP/+Cg==" }] },
      },
    ]);
    const again = await replay({ version: 1, exchanges })("https://example.com/a");
    expect([again.status, new Uint8Array(await again.arrayBuffer())]).toEqual([418, bytes]);
  });
});
