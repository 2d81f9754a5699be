import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent, defineTool, type RunBody } from "@translogue/agent";
import { demoModel } from "@translogue/agent/demo";
import { z } from "zod";

/** Each run of a tool, over all processes. */
const ran: string[] = [];

const look = defineTool({
  name: "add",
  description: "Adds two numbers",
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }, { attempt }) => {
    ran.push(`add, attempt ${attempt}`);
    return a + b;
  },
});
const path = join(mkdtempSync(join(tmpdir(), "durable-")), "runs.db");

// #region engine
import { agentRun, agentRuns } from "@translogue/agent";
import { sqliteEngine } from "@translogue/server";

const agent = createAgent({ id: "calculator", model: demoModel(), tools: [look] });
const body = agentRuns({ agents: [agent], tell: update => void process.stdout.write(update.text) });

const engine = await sqliteEngine({ path, body });
await engine.recover(); // goes on with what dead processes left, now and from here on
await engine.start(
  "order-4711",
  agentRun({ messages: [{ role: "user", parts: [{ type: "text", text: "What is 19 + 23?" }] }] }),
);
const result = await engine.result("order-4711");
// #endregion
await engine.close();

/** Another process: it asks for the same run, and finds it done. */
async function later(other: RunBody) {
  const engine = await sqliteEngine({ path, body: other });
  await engine.start("order-4711", agentRun({}));
  const found = await engine.result("order-4711");
  await engine.close();
  return found;
}
const again = await later(body);

export { again, ran, result };
