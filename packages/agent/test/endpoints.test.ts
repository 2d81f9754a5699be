import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Reply } from "@translogue/testkit/fake-host";
import { accumulate, type Event, type Json } from "translogue";
import { type Codec, frames } from "translogue/convert";
import { describe, expect, test } from "vitest";
import { azureEndpoint, bedrockEndpoint, type Endpoint, endpoints } from "../src/index.ts";
import { hosted, key } from "./hosted.ts";

const all: readonly Endpoint[] = [...endpoints, azureEndpoint("contoso"), bedrockEndpoint("eu-central-1")];

/** The streams of a format's fixtures that come to a good end. */
function streams({ id }: Codec): readonly (readonly Json[])[] {
  const folder = fileURLToPath(new URL(`../../../fixtures/formats/${id}`, import.meta.url));
  const cases = readdirSync(folder).filter(name => /^stream-(?!.*(?:cut|fail|error|refus|odd))/.test(name));
  return cases.map(name => {
    const lines = readFileSync(`${folder}/${name}/stream.jsonl`, "utf8").trim().split("\n");
    return lines.map(line => JSON.parse(line) as Json); // the fixtures are JSON
  });
}

const replyOf = ({ stream }: Codec, events: readonly Json[]): Reply => {
  if (!stream) throw new Error("every endpoint streams");
  const writer = frames.encoder(stream);
  const types = {
    sse: "text/event-stream",
    ndjson: "application/x-ndjson",
    binary: "application/vnd.amazon.eventstream",
  };
  const type = types[stream.framing];
  return {
    headers: { "content-type": type },
    pieces: [...events.flatMap(event => writer.push(event)), ...writer.end()],
  };
};

describe.each(all.map(endpoint => [endpoint.id, endpoint] as const))("%s", (_, endpoint) => {
  const { codec, keyHeader } = endpoint;

  test("reads the streams of its format, asked with the key where the host looks for it", async () => {
    const recorded = streams(codec);
    expect(recorded).not.toEqual([]);
    for (const events of recorded) {
      const { host, model } = await hosted([replyOf(codec, events)], { endpoint, retries: 0 });
      const told: Event[] = [];
      for await (const batch of model.stream({
        conversation: { messages: [{ role: "user", parts: [{ type: "text", text: "Hi" }] }] },
      })) {
        told.push(...batch);
      }
      expect(told.find(({ type }) => type === "error")).toBeUndefined();
      expect(accumulate(told).at(-1)?.finish?.reason).toMatch(/^(?:stop|tool-calls|length)$/);
      const [request] = host.requests;
      const sent = keyHeader === undefined ? request?.headers["authorization"] : request?.headers[keyHeader];
      expect(sent).toBe(keyHeader === undefined ? `Bearer ${key}` : key);
      expect(request?.path).toContain(endpoint.path.replace("{model}", "gpt-5.2"));
    }
  });
});

test("every endpoint has an id of its own, and a key's variable wherever it needs a key", () => {
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  expect(all.filter(({ needsKey, keyVariable }) => needsKey && !keyVariable)).toEqual([]);
});
