import { defineTool } from "@translogue/agent";
import { afterEach, expect, it } from "vitest";
import { readerOf, until } from "../read.ts";
import { anyObject, call, calls, type Fixture, said, serverOf, text } from "../scripted.ts";

/** What went wrong elsewhere with memory, by the thread that tells it. */

const open: Fixture[] = [];
afterEach(() => Promise.all(open.splice(0).map(server => server.close())));

const steps = 24;
const size = 10_000;

/** A server whose tool shows its progress, each time as much; it goes on when it is told to. */
async function noisy() {
  const gates = Array.from({ length: steps }, () => Promise.withResolvers<void>());
  const tool = defineTool({
    name: "noisy",
    parameters: anyObject,
    execute: async (_, { progress }) => {
      for (const [step, gate] of gates.entries()) {
        progress({ step, noise: "x".repeat(size) });
        await gate.promise;
      }
      return "quiet";
    },
  });
  const server = await serverOf({
    agentTools: [tool],
    script: [calls(call("c1", "noisy", {})), said(text("Done."))],
  });
  open.push(server);
  const messages = [{ id: "u1", role: "user", parts: [{ type: "text", text: "Go" }] }];
  const begun = await server.post("/api/v1/chat?ui=7", { id: "chat", trigger: "submit-message", messages });
  const follow = () => server.get("/api/v1/chat/chat/stream?ui=7");
  return { begun, follow, goOn: (step: number) => gates[step]?.resolve() };
}

it("a client that does not read holds nothing of the progress that it missed, and one that reads has all of it (agegr/pi-web#923)", async () => {
  const { begun, follow, goOn } = await noisy();
  const stalled = await follow();
  const reader = readerOf(begun);
  for (let step = 0; step < steps; step++) {
    await until(reader, `"step":${step},`);
    goOn(step);
  }
  await until(reader, "[DONE]");
  const whole = await stalled.text();
  expect(whole.length).toBeLessThan(4 * size);
  expect(whole).toContain("quiet");
  expect(whole).toContain("[DONE]");
});

it("whoever comes late hears how a call began and where it is, and not each step on the way (agegr/pi-web#923)", async () => {
  const { begun, follow, goOn } = await noisy();
  const reader = readerOf(begun);
  for (let step = 0; step < steps - 1; step++) {
    await until(reader, `"step":${step},`);
    goOn(step);
  }
  await until(reader, `"step":${steps - 1},`);
  await reader.cancel();
  const late = await follow();
  goOn(steps - 1);
  const body = await late.text();
  expect(body.match(/"step":\d+,/g)).toEqual(['"step":0,', `"step":${steps - 1},`]);
});

it("nobody has to read for a run to end (agegr/pi-web#923)", async () => {
  const { begun, goOn } = await noisy();
  await begun.body?.cancel();
  for (let step = 0; step < steps; step++) goOn(step);
  const server = open[0];
  await expect
    .poll(async () => JSON.stringify(await (await server?.get("/api/v1/sessions/chat"))?.json()))
    .toContain("Done.");
});
