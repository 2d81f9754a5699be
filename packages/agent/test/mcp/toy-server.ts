import { once } from "node:events";
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  Server,
  type ServerContext,
  type Tool,
} from "@modelcontextprotocol/server";

/** What a toy server was asked, whichever connection it came over. */
export interface Journal {
  readonly entries: string[];
  /** Names of the tools there are, beside those that are always there. */
  tools: string[];
}

export const newJournal = (): Journal => ({ entries: [], tools: ["first"] });

const object = (properties: Record<string, { type: string }> = {}, required: string[] = []) => ({
  type: "object" as const,
  properties,
  required,
});
const number = { type: "number" };

const fixedTools: Tool[] = [
  {
    name: "add",
    title: "Add",
    description: "Adds two numbers",
    inputSchema: object({ a: number, b: number }, ["a", "b"]),
    outputSchema: object({ sum: number }, ["sum"]),
    annotations: { readOnlyHint: true },
  },
  {
    name: "show",
    description: "One block of each kind",
    inputSchema: object(),
    annotations: { destructiveHint: false },
  },
  { name: "fail", description: "Fails in its own words", inputSchema: object() },
  { name: "wait", description: "Tells its progress and never ends", inputSchema: object() },
  { name: "book", description: "Asks for the date", inputSchema: object() },
  { name: "visit", description: "Sends the person to a page", inputSchema: object() },
  { name: "think", description: "Asks the client's model", inputSchema: object() },
  { name: "roots", description: "Asks where it may work", inputSchema: object() },
  { name: "grow", description: "Changes the tools", inputSchema: object() },
  { name: "journal", description: "What this server was asked", inputSchema: object() },
];

const tool = (name: string): Tool => ({ name, inputSchema: object() });

/** A server with one tool for each thing that a client may have to deal with; its list comes in pages of four. */
export function toyServer(journal: Journal, era: "legacy" | "modern"): Server {
  const server = new Server(
    { name: "toy", version: "1.0.0" },
    {
      capabilities: { tools: { listChanged: true }, resources: {}, prompts: {} },
      instructions: "Ask before you book.",
    },
  );
  server.setRequestHandler("tools/list", ({ params }) => {
    journal.entries.push(`list ${params?.cursor ?? "0"}`);
    const all = [...fixedTools, ...journal.tools.map(tool)];
    const from = Number(params?.cursor ?? 0);
    const next = from + 4 < all.length ? { nextCursor: String(from + 4) } : {};
    return { tools: all.slice(from, from + 4), ...next };
  });
  server.setRequestHandler("tools/call", ({ params }, context) => {
    journal.entries.push(`call ${params.name}`);
    return called(params, { server, context, journal, isModern: era === "modern" });
  });
  resources(server);
  return server;
}

interface Serving {
  readonly server: Server;
  readonly context: ServerContext;
  readonly journal: Journal;
  readonly isModern: boolean;
}

const said = (words: string): CallToolResult => ({ content: [{ type: "text", text: words }] });

type Answer = CallToolResult | InputRequiredResult | Promise<CallToolResult | InputRequiredResult>;

function called(
  { name, arguments: args = {} }: { name: string; arguments?: Record<string, unknown> | undefined },
  serving: Serving,
): Answer {
  const { journal } = serving;
  switch (name) {
    case "add": {
      const sum = Number(args["a"]) + Number(args["b"]);
      return { ...said(String(sum)), structuredContent: { sum } };
    }
    case "show":
      return shown();
    case "fail":
      return { ...said("the shelf is empty"), isError: true };
    case "wait":
      return waited(serving);
    case "grow":
      return grown(serving);
    case "journal":
      return said(journal.entries.join(", "));
    case "book":
      return booked(serving);
    case "visit":
      return visited(serving);
    case "think":
      return thought(serving);
    case "roots":
      return rooted(serving);
    default:
      return journal.tools.includes(name) ? said(`${name} is done`) : { ...said(`no tool ${name}`), isError: true };
  }
}

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const shown = (): CallToolResult => ({
  content: [
    { type: "text", text: "for the model" },
    { type: "text", text: "for people", annotations: { audience: ["user"] } },
    { type: "image", data: pixel, mimeType: "image/png" },
    { type: "audio", data: "AAAA", mimeType: "audio/wav" },
    { type: "resource", resource: { uri: "notes://today/plan.txt", mimeType: "text/plain", text: "rest" } },
    { type: "resource", resource: { uri: "notes://today/data.bin", blob: "AAEC" } },
    { type: "resource_link", uri: "notes://today/more.txt", name: "more.txt", title: "More", mimeType: "text/plain" },
  ],
});

async function progress({ mcpReq }: ServerContext, step: number, message?: string): Promise<void> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  const params = { progressToken, progress: step, total: 3, ...(message !== undefined && { message }) };
  await mcpReq.notify({ method: "notifications/progress", params });
}

/** Its first word is that it has begun. */
async function waited({ context, journal }: Serving): Promise<CallToolResult> {
  const { signal } = context.mcpReq;
  await progress(context, 0, "waiting");
  if (!signal.aborted) await once(signal, "abort");
  journal.entries.push("wait was stopped");
  return said("never heard");
}

/** Two notifications in a row. */
async function grown({ journal, server }: Serving): Promise<CallToolResult> {
  journal.tools = ["second", "third"];
  await server.sendToolListChanged();
  await server.sendToolListChanged();
  return said("grown");
}

const dateForm = {
  mode: "form" as const,
  message: "Which date?",
  requestedSchema: { type: "object" as const, properties: { date: { type: "string" as const } }, required: ["date"] },
};

const booking = ({ action, content }: { action: string; content?: Record<string, unknown> | undefined }) =>
  said(action === "accept" ? `booked for ${content?.["date"]}` : `not booked: ${action}`);

function canAsk({ server, context }: Serving, mode: "form" | "url"): boolean {
  const { elicitation } = capabilities(server, context);
  return mode === "form" ? elicitation?.form !== undefined : elicitation?.url !== undefined;
}

/** Since 2026-07-28 they come with every request. */
function capabilities(server: Server, { mcpReq }: ServerContext): ClientCapabilities {
  const envelope: { readonly [key: string]: ClientCapabilities | undefined } = { ...(mcpReq.envelope as object) }; // untyped by the SDK
  return envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities() ?? {};
}

async function booked(serving: Serving): Promise<CallToolResult | InputRequiredResult> {
  const { context, isModern } = serving;
  if (!canAsk(serving, "form")) return said("booked for the usual date");
  if (!isModern) return booking(await context.mcpReq.elicitInput(dateForm));
  const answer = context.mcpReq.inputResponses?.["date"] as Parameters<typeof booking>[0] | undefined; // of the toy's own client
  return answer ? booking(answer) : inputRequired({ inputRequests: { date: inputRequired.elicit(dateForm) } });
}

async function visited(serving: Serving): Promise<CallToolResult | InputRequiredResult> {
  const { context, isModern } = serving;
  if (!canAsk(serving, "url")) return said("nobody can be sent anywhere");
  const page = { message: "Sign in", url: "https://example.org/sign-in" };
  if (!isModern) {
    const { action } = await context.mcpReq.elicitInput({ mode: "url", ...page, elicitationId: "e1" });
    return said(`visited: ${action}`);
  }
  const answer = context.mcpReq.inputResponses?.["page"] as { action: string } | undefined; // as above
  return answer
    ? said(`visited: ${answer.action}`)
    : inputRequired({ inputRequests: { page: inputRequired.elicitUrl(page) } });
}

const sample = {
  messages: [{ role: "user" as const, content: { type: "text" as const, text: "What is green?" } }],
  systemPrompt: "Be short.",
  maxTokens: 50,
};

async function thought({ server, context, isModern }: Serving): Promise<CallToolResult | InputRequiredResult> {
  if (!capabilities(server, context).sampling) return said("no model to ask");
  const words = (result: { content: unknown; model: string }) =>
    said(`${result.model}: ${JSON.stringify(result.content)}`);
  if (!isModern) return words(await context.mcpReq.requestSampling(sample));
  const answer = context.mcpReq.inputResponses?.["sample"] as Parameters<typeof words>[0] | undefined; // as above
  return answer ? words(answer) : inputRequired({ inputRequests: { sample: inputRequired.createMessage(sample) } });
}

async function rooted({ server, context, isModern }: Serving): Promise<CallToolResult | InputRequiredResult> {
  if (!capabilities(server, context).roots) return said("no roots");
  const words = ({ roots }: { roots: readonly { uri: string }[] }) => said(roots.map(({ uri }) => uri).join(", "));
  if (!isModern) return words(await server.listRoots());
  const answer = context.mcpReq.inputResponses?.["roots"] as Parameters<typeof words>[0] | undefined; // as above
  return answer ? words(answer) : inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
}

function resources(server: Server): void {
  server.setRequestHandler("resources/list", () => ({
    resources: [{ uri: "notes://today/plan.txt", name: "plan.txt", mimeType: "text/plain" }],
  }));
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [{ uriTemplate: "notes://{day}/plan.txt", name: "plan" }],
  }));
  server.setRequestHandler("resources/read", ({ params: { uri } }) => ({
    contents: [
      { uri, mimeType: "text/plain", text: "rest" },
      { uri, mimeType: "image/png", blob: pixel },
    ],
  }));
  server.setRequestHandler("prompts/list", () => ({ prompts: [{ name: "plan", arguments: [{ name: "day" }] }] }));
  server.setRequestHandler("prompts/get", ({ params }) => ({
    messages: [
      { role: "user", content: { type: "text", text: `Plan ${params.arguments?.["day"]}` } },
      { role: "user", content: { type: "image", data: pixel, mimeType: "image/png" } },
      { role: "assistant", content: { type: "text", text: "Rest." } },
    ],
  }));
}
