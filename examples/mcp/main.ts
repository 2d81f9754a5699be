// #region client
import { createAgent } from "@translogue/agent";
import { demoModel } from "@translogue/agent/demo";
import { connectMcp } from "@translogue/agent/mcp";
import { office } from "./server.ts";

const mcp = await connectMcp(
  {
    // Most are `{ url }` alone, or `{ command, args }`; this one is in the same process.
    office: { url: "http://office.example/mcp", fetch: (url, init) => office.fetch(new Request(url, init)) },
    away: { url: "http://127.0.0.1:9/mcp" },
  },
  { needsApproval: "destructive" },
);
for (const { server, error } of mcp.failures) console.log(server, error.message);

const agent = createAgent({ model: demoModel(), tools: mcp.tools });
const session = await agent.createSession();
await agent.run('Use the tool calculator {"message": "What is 19 + 23?"}', { session });
const parts = session.pendingApprovals.map(({ requestId }) => approvalResponse(requestId));
const response = await agent.run({ role: "user", parts }, { session });
console.log(response.text);
await mcp.close();

function approvalResponse(requestId: string) {
  return { type: "approval-response", requestId, approved: true } as const; // a person's yes
}

// #endregion

export { mcp, response };
