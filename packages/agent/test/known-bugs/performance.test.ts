import type { Message } from "translogue";
import { expect, test } from "vitest";
import { createAgent } from "../../src/index.ts";
import { fixed, scripted } from "../scripted-model.ts";

/** What went wrong elsewhere with long answers, by the thread that tells it. */

test("a long answer that is looked at after every delta is whole, and what was seen of it stays as it was (vercel/ai#15670)", async () => {
  const delta = (index: number) => `${index} `.padEnd(200, ".");
  const chunks = Array.from({ length: 10_000 }, (_, index) => delta(index));
  const agent = createAgent({ ...fixed(), model: scripted([{ chunks }]) });
  const session = await agent.createSession();
  const text = (messages: readonly Message[]): string => {
    const [part] = messages.at(-1)?.parts ?? [];
    return part?.type === "text" ? part.text : "";
  };
  const seen: { readonly messages: readonly Message[]; readonly length: number }[] = [];
  let reads = 0;
  for await (const update of agent.runStreaming("Go", { session })) {
    if (update.text === "") continue;
    const { messages } = session;
    expect(text(messages).length).toBe(200 * ++reads);
    if (reads % 100 === 0) seen.push({ messages, length: text(messages).length });
  }
  expect([reads, text(session.messages)]).toEqual([10_000, chunks.join("")]);
  expect(seen.map(({ messages }) => text(messages).length)).toEqual(seen.map(({ length }) => length));
});
