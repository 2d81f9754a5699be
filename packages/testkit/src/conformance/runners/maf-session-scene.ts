import {
  type AgentSession,
  type AgentTool,
  type ChatHistoryProvider,
  type ContextProvider,
  createAgent,
  type Model,
  type ModelAgent,
  type ProviderContext,
  type RunExchange,
  type RunOptions,
  type SessionHistory,
  sessionHistory,
} from "@translogue/agent";
import { isJsonObject, type Json, type JsonObject, type Message, type Settings, type ToolCallPart } from "translogue";
import * as history from "translogue/history";
import { readChatOptions } from "translogue/maf";
import { mafOf, objectIn, objects, readMessages } from "./maf-loop-compared.ts";
import { type Stage, scriptedModel, scriptedTools } from "./maf-script.ts";

/** The agent that a case of sessions or tokens describes, and the options of its runs. */

/** What providers were asked and told, in order, as the original tells it. */
export type Told = JsonObject;

export interface Scene {
  readonly agent: ModelAgent;
  readonly on: Stage;
  readonly told: Told[];
  /** By the script of the step that is being run. */
  model: Model;
}

export function sceneOf(about: JsonObject, on: Stage): Scene {
  const told: Told[] = [];
  const scene: { model: Model } = { model: scriptedModel([], on) };
  const chat = readOptions(objectIn(about, "chatOptions"));
  const instructions = [about["instructions"], chat.instructions].filter(text => typeof text === "string");
  const tools = scriptedTools(objects(about["tools"]).map(withoutNull), on);
  const approval = objectIn(about, "toolApproval");
  const keeper = isJsonObject(about["historyProvider"]) ? historyOf(about["historyProvider"], told) : undefined;
  const agent = createAgent({
    ...(typeof about["id"] === "string" && { id: about["id"] }),
    ...(typeof about["name"] === "string" && { name: about["name"] }),
    instructions: instructions.filter(text => text.trim()).join("\n"),
    model: {
      id: "script",
      provider: "maf",
      stream: request => scene.model.stream(request),
    },
    settings: chat.settings,
    tools,
    context: objects(about["contextProviders"]).map(provider => contextOf(provider, told, on)),
    ...(keeper && { history: keeper }),
    approvals: { mixed: "hold", auto: objects(approval["autoApprovalRules"]).map(autoRule) },
    toolExecution: "serial",
    toolErrors: "hidden",
    limits: { finalAnswer: true },
  });
  return Object.assign(scene, { agent, on, told });
}

/** A tool that returns null has nothing to say, where no delegate of .NET's is between. */
function withoutNull(tool: JsonObject): JsonObject {
  const behaviour = objectIn(tool, "behaviour");
  const { returns, ...rest } = behaviour;
  return returns === null ? { ...tool, behaviour: rest } : tool;
}

const autoRule =
  ({ tool, argument }: JsonObject) =>
  (call: ToolCallPart): boolean =>
    call.name === tool &&
    (!isJsonObject(argument) ||
      Object.entries(argument).every(([key, value]) => isJsonObject(call.input) && call.input[key] === value));

function readOptions(options: JsonObject): { readonly settings: Settings; readonly instructions: string | undefined } {
  const { settings = {}, instructions } = readChatOptions(options);
  const [part] = instructions[0]?.parts ?? [];
  return { settings, instructions: part?.type === "text" ? part.text : undefined };
}

/** The options of one run. */
export function runOptionsOf(given: JsonObject, about: JsonObject, { on, told }: Scene): RunOptions {
  const own = objectIn(given, "chatOptions");
  const { settings, instructions } = readOptions(own);
  const { responseFormat } = readOptions({ responseFormat: given["responseFormat"] ?? null }).settings;
  const id = own["conversationId"] ?? objectIn(about, "chatOptions")["conversationId"];
  const override = given["historyProviderOverride"];
  const { toolChoice, ...rest } = settings;
  return {
    ...(instructions !== undefined && { instructions }),
    settings: { ...rest, ...(responseFormat && { responseFormat }) },
    ...(toolChoice && { toolChoice }),
    ...(objects(given["tools"]).length > 0 && { tools: scriptedTools(given["tools"], on) }),
    ...(typeof id === "string" && { conversationId: id }),
    ...backgroundOf(given, objectIn(about, "chatOptions")),
    ...(isJsonObject(override) && { history: historyOf(override, told) }),
    ...(isJsonObject(given["additionalProperties"]) && { additionalProperties: given["additionalProperties"] }),
    signal: on.caller.signal,
  };
}

/** The run's own word goes before that in its settings; the agent's is for runs that say nothing. */
function backgroundOf(given: JsonObject, ofAgent: JsonObject): Pick<RunOptions, "allowBackgroundResponses"> {
  const own = objectIn(given, "chatOptions");
  const said = [given, own, ofAgent].map(options => options["allowBackgroundResponses"]);
  const first = said.find(each => typeof each === "boolean");
  return typeof first === "boolean" ? { allowBackgroundResponses: first } : {};
}

// providers

/** The original marks its own kinds of content; a filter of a case says which messages are left. */
const filters: { readonly [name: string]: (messages: readonly Message[]) => readonly Message[] } = {
  none: () => [],
  all: messages => messages,
  externalOnly: messages => messages.filter(({ synthetic }) => synthetic !== "context"),
  userOnly: messages => messages.filter(({ role }) => role === "user"),
  textOnly: messages => messages.filter(({ parts }) => parts.every(({ type }) => type === "text")),
};
const filter = (name: Json | undefined) => (typeof name === "string" ? filters[name] : undefined);

function contextOf(about: JsonObject, told: Told[], on: Stage): ContextProvider {
  const name = String(about["name"]);
  const { inputFilter, storeRequestFilter, storeResponseFilter, throwsOnInvoking, throwsOnInvoked, countsIn } = about;
  const isPlain = about["type"] === "MsgProv";
  const keys = about["stateKeys"];
  return {
    name,
    stateKeys: Array.isArray(keys) ? keys.map(String) : [String(about["type"])],
    before: ({ session, messages, history: before, context, instructions, tools }) => {
      const all = [...before, ...messages, ...context];
      if (!isPlain)
        told.push({
          provider: name,
          call: "invoking",
          instructions: instructions ?? null,
          messages: mafOf(all),
          tools: tools.length > 0 ? tools.map(tool => tool.name) : null,
        });
      if (typeof throwsOnInvoking === "string") throw new Error(throwsOnInvoking);
      const seen = inputFilter === "all" ? all : (filter(inputFilter)?.(messages) ?? messages);
      told.push({ provider: name, call: "provide", messages: mafOf(seen) });
      const count = typeof countsIn === "string" ? counted(session, countsIn) : undefined;
      const text = count === undefined ? about["instructions"] : `Turn ${count}`;
      return {
        ...(typeof text === "string" && { instructions: text }),
        messages: readMessages(about["messages"]),
        tools: scriptedTools(about["tools"], on),
      };
    },
    after: (_, { history: before, input, context, response, error }) => {
      const request = [...before, ...input, ...context];
      const outcome: JsonObject = error ? { error: error.message } : { response: mafOf(response) };
      told.push({ provider: name, call: "invoked", request: mafOf(request), ...outcome });
      if (typeof throwsOnInvoked === "string") throw new Error(throwsOnInvoked);
      if (error || isPlain) return;
      const stored = storeRequestFilter === "all" ? request : (filter(storeRequestFilter)?.(input) ?? input);
      told.push({
        provider: name,
        call: "store",
        request: mafOf(stored),
        response: mafOf(filter(storeResponseFilter)?.(response) ?? response),
      });
    },
  };
}

function counted({ stateBag }: AgentSession, key: string): number {
  const state = stateBag.get(key);
  const count = isJsonObject(state) && typeof state["count"] === "number" ? state["count"] + 1 : 1;
  stateBag.set(key, { count });
  return count;
}

function historyOf(about: JsonObject, told: Told[]): SessionHistory | ChatHistoryProvider {
  if (about["type"] === "recording") return recording(about, told);
  const { stateKey, initial, reducer, trigger, provideFilter, storeRequestFilter, storeResponseFilter } = about;
  const provide = filter(provideFilter);
  const [request, response] = [filter(storeRequestFilter), filter(storeResponseFilter)];
  return sessionHistory({
    ...(typeof stateKey === "string" && { key: stateKey }),
    ...(initial !== undefined && { initial: readMessages(initial) }),
    ...(isJsonObject(reducer) && { reduce: counting(reducer) }),
    ...(trigger === "AfterMessageAdded" && { reduceAt: "store" as const }),
    ...(provide && { provide }),
    ...((request || response) && {
      keep: exchange => {
        const given = [...exchange.input, ...exchange.context];
        return [...(request?.(given) ?? given), ...(response?.(exchange.response) ?? exchange.response)];
      },
    }),
  });
}

const counting = ({ target }: JsonObject) => {
  return (messages: readonly Message[]) => history.keepNewest(messages, Number(target));
};

function recording(about: JsonObject, told: Told[]): ChatHistoryProvider {
  const name = String(about["name"]);
  const kept: Message[] = [...readMessages(about["provides"])];
  return {
    load: ({ messages }: ProviderContext) => {
      told.push({ provider: name, call: "provide", messages: mafOf(messages) });
      if (typeof about["throwsOnInvoking"] === "string") throw new Error(about["throwsOnInvoking"]);
      return [...kept];
    },
    store: (_: ProviderContext, messages: readonly Message[], exchange: RunExchange) => {
      const { history: before, input, context, response, error } = exchange;
      const given = [...input, ...context];
      const outcome: JsonObject = error ? { error: error.message } : { response: mafOf(response) };
      told.push({ provider: name, call: "invoked", request: mafOf([...before, ...given]), ...outcome });
      if (!error) told.push({ provider: name, call: "store", request: mafOf(given), response: mafOf(response) });
      if (typeof about["throwsOnStore"] === "string") throw new Error(about["throwsOnStore"]);
      kept.push(...messages);
    },
  };
}

export type { AgentTool };
