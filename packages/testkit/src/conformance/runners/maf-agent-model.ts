import { createAgent, type Model, type ModelRequest } from "@translogue/agent";
import { accumulator, type Event, isJsonObject, type Json, type JsonObject, type Message } from "translogue";
import { readChatOptions, writeChatOptions } from "translogue/maf";
import { difference } from "../../difference.ts";
import type { MafAgentRule } from "../rules/maf-agents.ts";
import { sessionOf } from "./maf-agent-tool.ts";
import { alike, type Case, mafOf, objectIn, objects, readMessages } from "./maf-loop-compared.ts";
import { scriptedModel, scriptedTools, stage } from "./maf-script.ts";
import { sessionForms } from "./maf-session-normal.ts";

/** Agents as models. */
export async function comparedAsModel(each: Case, rules: Set<string>): Promise<string | undefined> {
  const on = stage();
  const about = objectIn(each, "agent");
  const { id, name, instructions } = about;
  const agent = createAgent({
    ...(typeof id === "string" && { id }),
    ...(typeof name === "string" && { name }),
    ...(typeof instructions === "string" && { instructions }),
    model: scriptedModel(each["script"], on),
    tools: scriptedTools(about["tools"], on),
    toolErrors: "hidden",
    toolExecution: "serial",
  });
  const { conversationId } = each;
  let model: Model;
  try {
    const session = await sessionOf(agent, each["clientSession"]);
    model = agent.asModel({
      ...(session && { session }),
      ...(typeof conversationId === "string" && { conversationId }),
    });
  } catch (error) {
    return each.out["error"] === undefined ? `ours refuses: ${String(error)}` : undefined;
  }
  if (each.out["error"] !== undefined) {
    if (typeof conversationId !== "string") return `.NET refuses: ${String(each.out["error"])}`;
    rules.add("maf reserved ids" satisfies MafAgentRule);
    return undefined;
  }
  const ids: { last?: string } = {};
  for (const [index, call] of objects(each["calls"]).entries()) {
    const wanted = objects(each.out["calls"])[index] ?? {};
    const why = comparedAnswer(await asked(model, call, ids), wanted, rules);
    if (why !== undefined) return `call ${index}: ${why}`;
  }
  return comparedRequests(on.requests, each.out["requests"], rules);
}

interface Answer {
  readonly messages: readonly Message[];
  readonly conversationId?: string;
  readonly error?: unknown;
}

const isMade = (id: Json | undefined): boolean => typeof id === "string" && id.startsWith("<guid");

/** `ids`: the last that was told, in place of one that the original made. */
async function asked(model: Model, { messages, options }: JsonObject, ids: { last?: string }): Promise<Answer> {
  const raw = isJsonObject(options) ? options : {};
  const given = isMade(raw["conversationId"]) && ids.last !== undefined ? { ...raw, conversationId: ids.last } : raw;
  const { settings, instructions } = readChatOptions(given);
  const transcript = accumulator();
  let known: { readonly conversationId?: string } = {};
  const request: ModelRequest = {
    conversation: {
      messages: [...instructions.map(asInstructions), ...readMessages(messages)],
      ...(settings && { settings }),
    },
    ...(typeof given["conversationId"] === "string" && { conversationId: given["conversationId"] }),
    report: ({ conversationId }) => {
      known = conversationId === undefined ? {} : { conversationId };
      if (conversationId !== undefined) ids.last = conversationId;
    },
  };
  try {
    for await (const events of model.stream(request)) {
      const failed = events.find((event: Event) => event.type === "error");
      if (failed) return { messages: [], error: failed };
      transcript.pushAll(events);
    }
    return { messages: transcript.end(), ...known };
  } catch (error) {
    return { messages: [], error };
  }
}

const asInstructions = (message: Message): Message => ({ ...message, synthetic: "instructions" });

function comparedAnswer(
  { messages, conversationId, error }: Answer,
  wanted: JsonObject,
  rules: Set<string>,
): string | undefined {
  if ((error !== undefined) !== (wanted["error"] !== undefined)) {
    return `ours ${String(error ?? "answers")}, .NET ${String(wanted["error"] ?? "answers")}`;
  }
  if (wanted["error"] !== undefined) return undefined;
  const theirs: unknown = JSON.parse(
    typeof wanted["response"] === "string" ? wanted["response"] : combined(wanted["updates"]),
  );
  if (!isJsonObject(theirs)) return undefined;
  const sides = { ours: { messages: mafOf(messages) }, theirs: { messages: theirs["messages"] ?? [] } };
  const why = alike(sides, { rules, forms: sessionForms });
  if (why !== undefined || (isMade(theirs["conversationId"]) && conversationId !== undefined)) return why;
  return difference(conversationId, theirs["conversationId"]);
}

/** Updates of one message each: those of the cases. */
function combined(updates: Json | undefined): string {
  const list = (Array.isArray(updates) ? updates : []).map(update => JSON.parse(String(update)) as JsonObject);
  const { conversationId } = list.at(-1) ?? {};
  const messages = list.map(({ role = "assistant", contents = [] }) => ({ role, contents }));
  return JSON.stringify({ messages, ...(conversationId !== undefined && { conversationId }) });
}

function comparedRequests(
  requests: readonly ModelRequest[],
  theirs: Json | undefined,
  rules: Set<string>,
): string | undefined {
  const wanted = objects(theirs);
  if (requests.length !== wanted.length) return `requests: ${requests.length}, expected ${wanted.length}`;
  for (const [index, { conversation }] of requests.entries()) {
    const { messages, options } = wanted[index] ?? {};
    const own = conversation.messages.filter(({ synthetic }) => synthetic !== "instructions");
    const sides = { ours: { messages: mafOf(own) }, theirs: { messages: messages ?? [] } };
    const { settings } = conversation;
    const { instructions, ...given } = isJsonObject(options) ? options : {};
    const [part] = conversation.messages.find(({ synthetic }) => synthetic === "instructions")?.parts ?? [];
    const why =
      alike(sides, { rules, forms: sessionForms }) ??
      difference(part?.type === "text" ? part.text : undefined, instructions) ??
      difference(writeChatOptions(settings ? { settings } : {}), given);
    if (why !== undefined) return `request ${index}: ${why}`;
  }
  return undefined;
}
