import { createAgent } from "../../src/index.ts";
import { mcpServer } from "../../src/mcp/server.ts";
import { scripted } from "../scripted-model.ts";

const model = scripted(({ conversation: { messages } }) => {
  const heard = messages.filter(({ role }) => role === "user").length;
  return { chunks: ["heard ", String(heard)] };
});
await mcpServer(createAgent({ name: "listener", description: "Counts what it heard", model }), {
  conversation: "connection",
}).stdio();
