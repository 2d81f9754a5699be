// #region server
import { createAgent, defineTool } from "@translogue/agent";
import { demoModel } from "@translogue/agent/demo";
import { mcpServer } from "@translogue/agent/mcp/server";
import { z } from "zod";

const add = defineTool({
  name: "add",
  description: "Adds two numbers",
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
});

const calculator = createAgent({
  name: "calculator",
  description: "Calculates what it is asked in words",
  model: demoModel(),
  tools: [add],
});

/** `office.fetch` serves HTTP requests, `office.stdio()` the standard input and output of this process. */
export const office = mcpServer(calculator);
// #endregion
