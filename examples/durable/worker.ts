import { appendFileSync } from "node:fs";
import { createAgent, defineTool } from "@translogue/agent";
import { demoModel } from "@translogue/agent/demo";
import { z } from "zod";

/** Where the runs are kept, and a file with a line for each run of the tool, over all processes. */
const [path = "", log = ""] = process.argv.slice(2);

const look = defineTool({
  name: "add",
  description: "Adds two numbers",
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }, { attempt }) => {
    appendFileSync(log, `add, attempt ${attempt}\n`);
    return a + b;
  },
});
const model = demoModel(undefined, { paceMs: 50 });

// #region engine
import { agentRun, agentRuns } from "@translogue/agent";
import { sqliteEngine } from "@translogue/server";

const agent = createAgent({ id: "calculator", model, tools: [look] });
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
process.stdout.write(`\n${JSON.stringify(result)}\n`);
