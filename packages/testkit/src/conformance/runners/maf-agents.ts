import {
  type Agent,
  Agent as AgentClass,
  type AgentResponse,
  type AgentResponseUpdate,
  type AgentSession,
  accumulateUpdates,
} from "@translogue/agent";
import { isJsonObject, type Json, type JsonObject, type Message } from "translogue";
import { readChatOptions, writeChatOptions } from "translogue/maf";
import { difference } from "../../difference.ts";
import { type CaseResult, claims, type FixtureFile, type Runner } from "../case.ts";
import type { MafAgentRule } from "../rules/maf-agents.ts";
import { comparedAsModel } from "./maf-agent-model.ts";
import { comparableTrace, contextLine, type Pipeline, pipelineOf } from "./maf-agent-pipeline.ts";
import { comparedFunction, comparedNested } from "./maf-agent-tool.ts";
import { alike, type Case, mafOf, objectIn, objects, readMessages } from "./maf-loop-compared.ts";
import { stage } from "./maf-script.ts";
import { sessionForms } from "./maf-session-normal.ts";

/** Agents around agents, as functions and as models: what they do, in order, and what comes out. */
export const mafAgents: Runner = {
  name: "maf agents",
  reads: file => file.folder === "maf" && file.kind === "agent",
  async *run(file) {
    for (const each of casesOf(file)) yield* runCase(each);
  },
};

const casesOf = (file: FixtureFile): Case[] => (JSON.parse(file.read()) as { cases: Case[] }).cases; // as the folder's README says

async function* runCase(each: Case): AsyncIterable<CaseResult> {
  const about = { format: "maf agents", name: each.name };
  const rules = new Set<string>();
  const aside = asideRule(each);
  if (aside) {
    yield { ...about, outcome: { status: "set-aside", rule: aside } };
    return;
  }
  yield await claims(about, [() => compared(each, rules)]);
  for (const rule of rules) yield { ...about, name: `${about.name} (${rule})`, outcome: { status: "set-aside", rule } };
}

function asideRule(each: Case): MafAgentRule | undefined {
  const items = objects(each["pipeline"]);
  if (objects(each["steps"]).some(({ customOptions }) => customOptions === true)) return "maf classes of options";
  const isEmpty = items.some(({ kind, providers }) => kind === "messageProviders" && objects(providers).length === 0);
  return isEmpty ? "maf empty groups" : undefined;
}

function compared(each: Case, rules: Set<string>): Promise<string | undefined> | string | undefined {
  if (each["pipeline"] !== undefined) return comparedPipeline(each, rules);
  if (each["calls"] !== undefined) return comparedAsModel(each, rules);
  if (each["innerAgent"] !== undefined) return comparedNested(each, rules);
  return comparedFunction(each, rules);
}

async function comparedPipeline(each: Case, rules: Set<string>): Promise<string | undefined> {
  const on = stage();
  let pipeline: Pipeline;
  try {
    pipeline = pipelineOf(each, on);
  } catch (error) {
    return each["error"] === undefined ? `ours refuses the pipeline: ${String(error)}` : undefined;
  }
  if (each["error"] !== undefined) return `.NET refuses the pipeline: ${String(each["error"])}`;
  const callbacks = objects(each["pipeline"]).filter(({ kind }) => kind === "function");
  if (callbacks.length > 1) rules.add("maf function order" satisfies MafAgentRule);
  let session: AgentSession | undefined;
  for (const [index, step] of objects(each["steps"]).entries()) {
    if (step["services"] !== undefined) {
      rules.add("maf services" satisfies MafAgentRule);
      const why = comparedNames(pipeline.agent, objectIn(step, "out"));
      if (why !== undefined) return why;
      continue;
    }
    const performed = await performStep(pipeline, step, session);
    session = performed.session;
    const why = comparedStep(each, { step, ...performed, trace: [...pipeline.trace] }, rules);
    if (why !== undefined) return `step ${index}: ${why}`;
  }
  return undefined;
}

function comparedNames({ id, name, description }: Agent, out: JsonObject): string | undefined {
  const isMade = String(out["id"]).startsWith("<guid");
  const own = { name: name ?? null, description: description ?? null, ...(!isMade && { id }) };
  return difference(own, { name: out["name"], description: out["description"], ...(!isMade && { id: out["id"] }) });
}

interface Performed {
  readonly session: AgentSession;
  readonly response?: AgentResponse;
  readonly error?: unknown;
  readonly requests: Pipeline["on"]["requests"];
}

async function performStep(pipeline: Pipeline, step: JsonObject, before: AgentSession | undefined): Promise<Performed> {
  const { agent, on, trace } = pipeline;
  const run = objectIn(step, "run");
  on.requests.length = 0;
  trace.length = 0;
  pipeline.script = step["script"] ?? [];
  const session = run["session"] === "same" && before ? before : await agent.createSession();
  const { chatOptions, additionalProperties } = objectIn(run, "options");
  const { settings = {} } = readChatOptions(isJsonObject(chatOptions) ? chatOptions : {});
  const options = {
    session,
    settings,
    ...(isJsonObject(additionalProperties) && { additionalProperties }),
  };
  const input = inputOf(run["input"], session);
  try {
    if (run["streaming"] !== true)
      return { session, response: await agent.run(input, options), requests: [...on.requests] };
    const updates: AgentResponseUpdate[] = [];
    for await (const update of agent.runStreaming(input, options)) {
      if (run["tracesConsumer"] === true && !AgentClass.currentRunContext) trace.push(contextLine("consumer"));
      updates.push(update);
    }
    return { session, response: accumulateUpdates(updates), requests: [...on.requests] };
  } catch (error) {
    return { session, error, requests: [...on.requests] };
  }
}

/** Answers name the original's requests by their calls. */
function inputOf(input: Json | undefined, session: AgentSession): readonly Message[] {
  if (typeof input === "string") return [{ role: "user", parts: [{ type: "text", text: input }] }];
  const pending = new Map(session.pendingApprovals.map(({ call, requestId }) => [call.callId, requestId]));
  return readMessages(input).map(message => ({
    ...message,
    parts: message.parts.map(part =>
      part.type === "approval-response"
        ? { ...part, requestId: pending.get(part.callId ?? "") ?? part.requestId }
        : part,
    ),
  }));
}

interface Step extends Performed {
  readonly step: JsonObject;
  readonly trace: readonly string[];
}

function comparedStep(each: Case, done: Step, rules: Set<string>): string | undefined {
  const { step, response, error, trace } = done;
  const out = objectIn(step, "out");
  const isRefused = error !== undefined || response?.finish?.reason === "error";
  if (out["error"] !== undefined && !isRefused && response?.messages.length === 0) {
    rules.add("maf callbacks without an answer" satisfies MafAgentRule);
    return undefined;
  }
  if ((out["error"] !== undefined) !== isRefused) {
    return `ours ends with ${String(error ?? JSON.stringify(response?.finish))}, .NET with ${String(out["error"] ?? "an answer")}`;
  }
  const isApproved = objects(each["pipeline"]).some(
    ({ kind, approvesAll, autoApprovalRules }) =>
      kind === "toolApproval" && (approvesAll === true || objects(autoApprovalRules).length > 0),
  );
  if (isApproved) rules.add("maf automatic approvals" satisfies MafAgentRule);
  const lines = (told: Json | undefined) =>
    comparableTrace(told).filter(line => !isApproved || line.startsWith("tool "));
  const why = difference(lines(trace), lines(out["trace"]));
  if (why !== undefined) return `trace: ${why}`;
  if (objects(each["pipeline"]).some(({ setsArgument }) => setsArgument !== undefined)) {
    rules.add("maf live arguments" satisfies MafAgentRule);
    return undefined;
  }
  return (
    comparedResponse(done, rules, isApproved) ??
    comparedSession(done, rules, isApproved) ??
    comparedRequests(done, rules)
  );
}

function comparedResponse({ step, response }: Step, rules: Set<string>, isApproved: boolean): string | undefined {
  const { response: theirs } = objectIn(step, "out");
  if (typeof theirs !== "string" || !response) return undefined;
  const wanted: unknown = JSON.parse(theirs);
  if (!isJsonObject(wanted)) return undefined;
  const ours = { messages: mafOf(response.messages) };
  const messages = objects(wanted["messages"]);
  const sides = { ours, theirs: { messages: isApproved ? messages.slice(-1) : messages } };
  if (isApproved) sides.ours = { messages: objects(ours.messages).slice(-1) };
  const why = alike(sides, { rules, forms: sessionForms });
  const id = typeof wanted["agentId"] === "string" ? difference(response.agentId, wanted["agentId"]) : undefined;
  return why ?? id;
}

/** The history of the session, as the original stores it. */
function comparedSession(
  { step, session, response }: Step,
  rules: Set<string>,
  isApproved: boolean,
): string | undefined {
  const { session: theirs } = objectIn(step, "out");
  if (typeof theirs !== "string" || isApproved) return undefined;
  const wanted: unknown = JSON.parse(theirs);
  const bag = isJsonObject(wanted) ? objectIn(wanted, "stateBag") : {};
  if (response?.error) {
    rules.add("maf lost exchanges");
    return undefined;
  }
  const own = { messages: mafOf(session.messages) };
  const why = alike(
    { ours: own, theirs: { messages: objectIn(bag, "InMemoryChatHistoryProvider")["messages"] ?? [] } },
    { rules, forms: sessionForms },
  );
  return why === undefined ? undefined : `session: ${why}`;
}

function comparedRequests({ step, requests }: Step, rules: Set<string>): string | undefined {
  const theirs = objectIn(step, "out")["requests"];
  if (theirs === undefined) return undefined;
  const options = requests.map(({ conversation: { settings } }) => writeChatOptions(settings ? { settings } : {}));
  const wanted = objects(theirs).map(({ options: given }) => {
    const { additionalProperties, ...rest } = isJsonObject(given) ? given : {};
    if (additionalProperties !== undefined) rules.add("maf additional properties");
    return rest;
  });
  const why = difference(options, wanted);
  return why === undefined ? undefined : `requests: ${why}`;
}
