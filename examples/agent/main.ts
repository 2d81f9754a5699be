// #region agent
import { createAgent, defineTool } from "@translogue/agent";
import { demoModel } from "@translogue/agent/demo";
import { encode } from "translogue";
import { z } from "zod";

const add = defineTool({
  name: "add",
  description: "Adds two numbers",
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
});

const agent = createAgent({ name: "calculator", model: demoModel(), tools: [add] });
const session = await agent.createSession();
for await (const update of agent.runStreaming("What is 19 + 23?", { session })) process.stdout.write(update.text);

// The history, as any format: what cannot come along is in `losses`.
const { value, losses } = encode({ messages: session.messages }, "openai-chat:openai");
console.log("\n", JSON.stringify(value), losses.length);

// #endregion

export { session, value };
