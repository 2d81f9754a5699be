import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  UrlElicitationRequiredError,
} from "@modelcontextprotocol/sdk/types.js";

// A server made with the SDK before 2026-07-28: its tool asks the person, unless the client cannot.
const server = new Server({ name: "older", version: "1.0.0" }, { capabilities: { tools: { listChanged: true } } });
const inputSchema = { type: "object" as const };
let names = ["book", "both", "grow", "visit", "wait"];
const entries: string[] = [];
let isSignedIn = false;

server.setRequestHandler(ListToolsRequestSchema, () => {
  entries.push("list");
  return { tools: [...names, "journal"].map(name => ({ name, inputSchema })) };
});

async function ask(): Promise<string> {
  if (!server.getClientCapabilities()?.elicitation) return "the usual date";
  const { action, content } = await server.elicitInput({
    message: "Which date?",
    requestedSchema: { type: "object", properties: { date: { type: "string" } } },
  });
  return action === "accept" ? String(content?.["date"]) : action;
}

server.setRequestHandler(CallToolRequestSchema, async ({ params: { name } }, { signal }) => {
  const said = (text: string) => ({ content: [{ type: "text" as const, text }] });
  if (name === "journal") return said(entries.join(", "));
  if (name === "visit" && !isSignedIn) {
    isSignedIn = true;
    const page = { message: "Sign in", url: "https://example.org/sign-in", elicitationId: "e1" };
    throw new UrlElicitationRequiredError([{ mode: "url", ...page }], "The library wants you to sign in");
  }
  if (name === "book") return said(`booked for ${await ask()}`);
  if (name === "wait") {
    await new Promise(resolve => signal.addEventListener("abort", resolve));
    entries.push("wait was stopped");
  }
  if (name === "grow") {
    names = ["second", "third"];
    await server.sendToolListChanged();
    await server.sendToolListChanged();
  }
  return names.includes(name) || name === "grow" ? said(`${name} is done`) : { ...said(`no ${name}`), isError: true };
});

await server.connect(new StdioServerTransport());
