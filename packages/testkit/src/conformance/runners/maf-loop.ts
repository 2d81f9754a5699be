import {
  type AgentSession,
  accumulateUpdates,
  createAgent,
  type Model,
  type ModelAgent,
  type RunOptions,
} from "@translogue/agent";
import { type Event, isError, type Json, type JsonObject, type Message } from "translogue";
import { readChatOptions } from "translogue/maf";
import type { CaseResult, FixtureFile, Runner } from "../case.ts";
import { type Case, compared, objectIn, objects, readMessages, type Seen } from "./maf-loop-compared.ts";
import { asideRule, excuse, split } from "./maf-loop-excuses.ts";
import { hostedTools, type Stage, scriptedModel, scriptedTools, stage } from "./maf-script.ts";

/** The agent over the scripted models of the fixtures: what it sends, answers, runs and refuses, as the original does. */
export const mafLoop: Runner = {
  name: "maf loop",
  reads: file => file.folder === "maf" && file.kind === "loop",
  async *run(file) {
    for (const each of casesOf(file)) yield* runCase(each);
  },
};

const casesOf = (file: FixtureFile): Case[] => (JSON.parse(file.read()) as { cases: Case[] }).cases; // as the folder's README says

/** One result, and for each rule that it needed another. A difference is excused by the rule that is about it. */
async function* runCase(each: Case): AsyncIterable<CaseResult> {
  const about = { format: "maf loop", name: each.name };
  const aside = asideRule(each);
  if (aside) {
    yield { ...about, outcome: { status: "set-aside", rule: aside } };
    return;
  }
  const seen = await perform(each);
  const rules = new Set<string>();
  for (const [round, one] of seen.entries()) {
    const why = compared(one, rules);
    const excused = why === undefined ? undefined : excuse(each, one, why);
    if (excused) {
      yield { ...about, outcome: { status: "set-aside", rule: excused } };
      return;
    }
    if (why !== undefined) {
      const reason = seen.length === 1 ? why : `round ${round}: ${why}`;
      yield { ...about, outcome: { status: "failed", reason } };
      return;
    }
  }
  yield { ...about, outcome: { status: "passed" } };
  for (const rule of rules) yield { ...about, name: `${about.name} (${rule})`, outcome: { status: "set-aside", rule } };
}

/** Every run of a case, in one session. */
async function perform(each: Case): Promise<readonly Seen[]> {
  const { out } = each;
  const expected = each["rounds"] === undefined ? [out] : objects(out["rounds"]);
  const on = stage();
  const seen: Seen[] = [];
  const { conversationId } = objectIn(each, "options");
  const { history, input } = split(readMessages(each["input"]), typeof conversationId === "string");
  let scene: Scene | undefined;
  for (const [round, wanted] of expected.entries()) {
    on.requests.length = 0;
    on.invocations.length = 0;
    let result: Partial<Seen> = {};
    try {
      scene ??= await sceneOf(each, history, on);
      const said = round === 0 ? input : roundInput(objects(each["rounds"])[round - 1] ?? {}, scene.session);
      result = await performRun(scene, said);
    } catch (error) {
      result = { error, ...(isError(error) && { code: error.code }) };
    }
    const [requests, invocations] = [[...on.requests], [...on.invocations]];
    seen.push({ each, requests, invocations, completions: [...on.completions], expected: wanted, ...result });
  }
  return seen;
}

interface Scene {
  readonly agent: ModelAgent;
  readonly session: AgentSession;
  readonly each: Case;
  readonly on: Stage;
}

async function sceneOf(each: Case, messages: readonly Message[], on: Stage): Promise<Scene> {
  const agent = agentOf(each, on, scriptedModel(each["script"], on));
  const { conversationId } = objectIn(each, "options");
  const id = typeof conversationId === "string" ? conversationId : undefined;
  const session = await agent.createSession({ messages, ...(id !== undefined && { conversationId: id }) });
  return { agent, session, each, on };
}

function agentOf(each: Case, on: Stage, model: Model): ModelAgent {
  const client = objectIn(each, "client");
  const options = objectIn(each, "options");
  const { maximumIterationsPerRequest: steps, maximumConsecutiveErrorsPerRequest: errors } = client;
  const { settings = {}, instructions } = readChatOptions(options);
  const [text] = instructions[0]?.parts ?? [];
  on.tools.push(...scriptedTools(options["tools"], on));
  return createAgent({
    model,
    settings,
    ...(text?.type === "text" && { instructions: text.text }),
    tools: () => [...on.tools],
    hostedTools: hostedTools(options["tools"]),
    additionalTools: scriptedTools(client["additionalTools"], on),
    approvals: { mixed: "hold" },
    toolExecution: client["allowConcurrentInvocation"] === true ? "parallel" : "serial",
    toolErrors: client["includeDetailedErrors"] === true ? "detailed" : "hidden",
    unknownTools: client["terminateOnUnknownCalls"] === true ? "stop" : "answer",
    limits: {
      finalAnswer: true,
      ...(typeof steps === "number" && { maxSteps: steps }),
      ...(typeof errors === "number" && { maxConsecutiveErrors: errors }),
    },
  });
}

/** The answers of a round, by the ids of the original's requests, which name their calls. */
function roundInput({ approvals, append }: JsonObject, session: AgentSession): readonly Message[] {
  const calls = session.messages.flatMap(({ parts }) =>
    parts.flatMap(part => (part.type === "tool-call" ? [part] : [])),
  );
  const parts = objects(approvals).flatMap(({ requestId, approved, reason }) => {
    const isIts = ({ callId }: { readonly callId: string }) => `ficc_${callId}` === requestId;
    const pending = session.pendingApprovals.find(({ call }) => isIts(call));
    // Nobody is asked about a call that is held: it goes with the others.
    if (!pending && calls.some(isIts)) return [];
    return {
      type: "approval-response" as const,
      requestId: pending?.requestId ?? String(requestId),
      approved: approved === true,
      ...(typeof reason === "string" && { reason }),
    };
  });
  return [...(parts.length > 0 ? [{ role: "user", parts }] : []), ...readMessages(append)];
}

async function performRun({ agent, session, each, on }: Scene, input: readonly Message[]): Promise<Partial<Seen>> {
  const options: RunOptions = { session, signal: on.caller.signal };
  const consumer = objectIn(each, "consumer");
  const [stopAfter, cancelAfter] = [consumer["stopAfterUpdates"], consumer["cancelAfterUpdates"]].map(count =>
    visibleUpdates(each, count),
  );
  if (consumer["cancelBefore"] === true) on.caller.abort();
  if (each["streaming"] !== true) return { response: await agent.run(input, options) };
  const updates = [];
  const counted = counter();
  for await (const update of agent.runStreaming(input, options)) {
    updates.push(update);
    const count = counted(update.events);
    if (stopAfter === count) return { response: accumulateUpdates(updates) };
    if (cancelAfter === count) on.caller.abort();
  }
  return { response: accumulateUpdates(updates) };
}

/** Counts the updates that bring something new: ours have also those that begin and end messages, and results one by one. */
export function counter(): (events: readonly Event[]) => number {
  const known = new Set<string>();
  const ofTools = new Set<number>();
  let count = 0;
  const isNew = (event: Event): boolean => {
    if (event.type === "message-start" && event.head.role === "tool") ofTools.add(event.message);
    if ("message" in event && ofTools.has(event.message)) return event.type === "message-end";
    if (event.type !== "part" && event.type !== "part-start") return event.type === "part-delta";
    const place = `${event.message}.${event.part}`;
    const isFirst = !known.has(place);
    known.add(place);
    return isFirst;
  };
  return events => {
    if (events.filter(isNew).length > 0) count += 1;
    return count;
  };
}

/** Which of the original's updates bring something: usage and empty ones make no event of ours. */
export function visibleUpdates(each: Case, count: Json | undefined): number | undefined {
  if (typeof count !== "number") return undefined;
  const isVisible = ({ contents }: JsonObject) => objects(contents).some(({ $type: word }) => word !== "usage");
  const flags = objects(each["script"]).flatMap(entry => [...objects(entry["updates"]).map(isVisible), true]);
  // What comes before the model's first is made by the loop, and all of it is seen.
  const own = Math.max(0, count - flags.length);
  return own + flags.slice(0, count - own).filter(Boolean).length;
}
