import {
  type AgentResponse,
  type AgentResponseUpdate,
  type AgentSession,
  accumulateUpdates,
  createAgent,
  type ModelAgent,
  type ModelRequest,
  type RunOptions,
} from "@translogue/agent";
import { isJsonObject, type Json, type JsonObject, type Message } from "translogue";
import { readChatOptions } from "translogue/maf";
import { difference } from "../../difference.ts";
import type { MafAgentRule } from "../rules/maf-agents.ts";
import { alike, type Case, mafOf, objectIn, objects } from "./maf-loop-compared.ts";
import { scriptedModel, scriptedTools, stage } from "./maf-script.ts";
import { sessionForms } from "./maf-session-normal.ts";

/** Agents as tools. */

function agentOf(
  about: JsonObject,
  script: Json | undefined,
): { readonly agent: ModelAgent; readonly requests: ModelRequest[] } {
  const on = stage();
  const { id, name, description, instructions } = about;
  const agent = createAgent({
    ...(typeof id === "string" && { id }),
    ...(typeof name === "string" && { name }),
    ...(typeof description === "string" && { description }),
    ...(typeof instructions === "string" && { instructions }),
    model: scriptedModel(script, on),
    tools: scriptedTools(about["tools"], on),
    toolErrors: "hidden",
    toolExecution: "serial",
  });
  return { agent, requests: on.requests };
}

/** The shape of the function, or what comes of calling it. */
export async function comparedFunction(each: Case, rules: Set<string>): Promise<string | undefined> {
  const { out } = each;
  const { agent, requests } = agentOf(objectIn(each, "agent"), each["script"]);
  if (each["arguments"] !== undefined) return comparedCalls(each, { agent, requests, rules });
  const { name, description } = objectIn(each, "options");
  const isOther = !/^[A-Za-z0-9_-]{1,64}$/.test(String(name ?? ""));
  if (typeof name === "string" && isOther) {
    rules.add("maf tool names" satisfies MafAgentRule);
    try {
      agent.asTool({ name });
      return `ours takes the name ${name}`;
    } catch {
      return undefined;
    }
  }
  const tool = agent.asTool({
    ...(typeof name === "string" && { name }),
    ...(typeof description === "string" && { description }),
  });
  const isUnnamed = agent.name === undefined && name === undefined;
  if (isUnnamed) rules.add("maf tool names" satisfies MafAgentRule);
  const own = { ...(!isUnnamed && { name: tool.name }), description: tool.description ?? "", schema: tool.input };
  const schema: unknown = JSON.parse(String(out["schema"]));
  const wanted = { ...(!isUnnamed && { name: out["name"] }), description: out["description"] ?? "", schema };
  return difference(own, wanted);
}

interface Called {
  readonly agent: ModelAgent;
  readonly requests: ModelRequest[];
  readonly rules: Set<string>;
}

async function comparedCalls(each: Case, { agent, requests, rules }: Called): Promise<string | undefined> {
  const session = await sessionOf(agent, each["functionSession"]);
  const tool = agent.asTool(session ? { session } : {});
  const given = Array.isArray(each["arguments"]) ? each["arguments"] : [];
  const script = given.map((input, index) => ({ response: { messages: [callOf(tool.name, index, input)] } }));
  const outer = createAgent({
    model: scriptedModel([...script, done], stage()),
    tools: [tool],
    limits: { maxConsecutiveErrors: 99 },
  });
  const { messages, finish } = await outer.run("Go");
  const results = messages.flatMap(({ parts }) => parts.flatMap(part => (part.type === "tool-result" ? [part] : [])));
  for (const [index, wanted] of objects(each.out["calls"]).entries()) {
    const result = results.find(({ callId }) => callId === `c${index}`);
    if (!result) {
      rules.add("maf hidden approvals" satisfies MafAgentRule);
      return finish?.reason === "tool-calls" ? undefined : `call ${index} has no result`;
    }
    const text = result.output?.[0]?.type === "text" ? result.output[0].text : "";
    if ((result.outcome === "error") !== (wanted["error"] !== undefined))
      return `call ${index}: ${text}, .NET ${JSON.stringify(wanted)}`;
    if (wanted["error"] !== undefined) continue;
    const theirs: unknown = JSON.parse(String(wanted["result"]));
    if (theirs === "") rules.add("maf empty answers of agents" satisfies MafAgentRule);
    else if (theirs !== text) return `call ${index}: got ${text}, expected ${String(theirs)}`;
  }
  return comparedRequests(requests, each.out["requests"], rules) ?? (session && comparedSession(session, each, rules));
}

const callOf = (name: string, index: number, input: Json): JsonObject => ({
  role: "assistant",
  contents: [{ $type: "functionCall", name, arguments: input, callId: `c${index}` }],
});
const done: JsonObject = {
  response: { messages: [{ role: "assistant", contents: [{ $type: "text", text: "Done" }] }] },
};

export async function sessionOf(agent: ModelAgent, given: Json | undefined): Promise<AgentSession | undefined> {
  if (given === "new") return agent.createSession();
  if (!isJsonObject(given)) return undefined;
  const { conversationId } = given;
  if (typeof conversationId === "string") return agent.createSession({ conversationId });
  return agent.deserializeSession(JSON.parse(String(given["restore"])) as Json); // JSON text
}

function comparedRequests(
  requests: readonly ModelRequest[],
  theirs: Json | undefined,
  rules: Set<string>,
): string | undefined {
  const wanted = objects(theirs);
  if (requests.length !== wanted.length) return `requests: ${requests.length}, expected ${wanted.length}`;
  for (const [index, { conversation }] of requests.entries()) {
    const messages = conversation.messages.filter(({ synthetic }) => synthetic !== "instructions");
    const sides = { ours: { messages: mafOf(messages) }, theirs: { messages: wanted[index]?.["messages"] ?? [] } };
    const why =
      alike(sides, { rules, forms: sessionForms }) ??
      comparedInstructions(conversation.messages, wanted[index] ?? {}, rules);
    if (why !== undefined) return `request ${index}: ${why}`;
  }
  return undefined;
}

function comparedInstructions(
  messages: readonly Message[],
  { options }: JsonObject,
  rules: Set<string>,
): string | undefined {
  const { instructions, additionalProperties } = isJsonObject(options) ? options : {};
  if (additionalProperties !== undefined) rules.add("maf additional properties");
  const [part] = messages.find(({ synthetic }) => synthetic === "instructions")?.parts ?? [];
  return difference(part?.type === "text" ? part.text : undefined, instructions);
}

function comparedSession(session: AgentSession, { out }: Case, rules: Set<string>): string | undefined {
  if (typeof out["session"] !== "string") return undefined;
  const wanted: unknown = JSON.parse(out["session"]);
  const bag = isJsonObject(wanted) ? objectIn(wanted, "stateBag") : {};
  const theirs = { messages: objectIn(bag, "InMemoryChatHistoryProvider")["messages"] ?? [] };
  const why = alike({ ours: { messages: mafOf(session.messages) }, theirs }, { rules, forms: sessionForms });
  return why === undefined ? undefined : `session: ${why}`;
}

/** An agent as the tool of another. */
export async function comparedNested(each: Case, rules: Set<string>): Promise<string | undefined> {
  const inner = agentOf(objectIn(each, "innerAgent"), each["innerScript"]);
  const kept = await sessionOf(inner.agent, each["functionSession"]);
  const on = stage();
  const about = objectIn(each, "agent");
  const outer = createAgent({
    id: String(about["id"]),
    name: String(about["name"]),
    model: scriptedModel(each["script"], on),
    tools: [inner.agent.asTool(kept ? { session: kept } : {}), ...scriptedTools(about["tools"], on)],
    toolErrors: "hidden",
    toolExecution: "serial",
  });
  const run = objectIn(each, "run");
  const { chatOptions, additionalProperties } = objectIn(run, "options");
  const { settings = {} } = readChatOptions(isJsonObject(chatOptions) ? chatOptions : {});
  const session = await outer.createSession();
  const options = { session, settings, ...(isJsonObject(additionalProperties) && { additionalProperties }) };
  const response = await responseOf(outer, {
    input: String(run["input"]),
    options,
    isStreamed: run["streaming"] === true,
  });
  const asks = session.pendingApprovals.length > 0;
  if (asks) {
    rules.add("maf hidden approvals" satisfies MafAgentRule);
    return undefined;
  }
  const theirs: unknown = JSON.parse(String(each.out["response"] ?? "null"));
  const wanted = isJsonObject(theirs) ? theirs["messages"] : undefined;
  const sides = { ours: { messages: mafOf(response.messages) }, theirs: { messages: wanted ?? [] } };
  // A stream is compared by what it left in the session.
  const why = wanted === undefined ? undefined : alike(sides, { rules, forms: sessionForms });
  if (why !== undefined && !String(each.out["response"]).includes('"result":""')) return `response: ${why}`;
  if (why !== undefined) rules.add("maf empty answers of agents" satisfies MafAgentRule);
  return (
    comparedRequests(inner.requests, each.out["innerRequests"], rules) ??
    (why === undefined ? comparedSession(session, each, rules) : undefined)
  );
}

interface Asked {
  readonly input: string;
  readonly options: RunOptions;
  readonly isStreamed: boolean;
}

async function responseOf(agent: ModelAgent, { input, options, isStreamed }: Asked): Promise<AgentResponse> {
  if (!isStreamed) return agent.run(input, options);
  const updates: AgentResponseUpdate[] = [];
  for await (const update of agent.runStreaming(input, options)) updates.push(update);
  return accumulateUpdates(updates);
}
