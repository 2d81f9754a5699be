import { isJsonObject, type Json, type JsonObject, type Message } from "translogue";
import * as history from "translogue/history";
import { listOf } from "./langchain-specs.ts";

/** Our reducers, strategies and triggers by MAF's names and numbers. */

const objectOf = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});

export type Reduce = (messages: readonly Message[]) => readonly Message[] | Promise<readonly Message[]>;

export function reducerOf(settings: JsonObject, model: history.Summariser): Reduce {
  const targetCount = Number(settings["targetCount"]);
  if (settings["type"] === "MessageCounting") return messages => history.keepNewest(messages, targetCount);
  const threshold = Number(settings["threshold"] ?? 0);
  return messages => history.summarise(messages, { model, targetCount, threshold });
}

export function strategyOf(settings: JsonObject, model: history.Summariser): history.Strategy {
  const trigger = settings["trigger"] === undefined ? undefined : triggerOf(objectOf(settings["trigger"]));
  const target = settings["target"] === undefined ? undefined : triggerOf(objectOf(settings["target"]));
  const minimumPreserved = settings["minimumPreserved"];
  const options = {
    trigger: trigger ?? history.always,
    ...(target && { target }),
    ...(typeof minimumPreserved === "number" && { minimumPreserved }),
  };
  switch (settings["type"]) {
    case "Truncation":
      return history.truncation(options);
    case "SlidingWindow":
      return history.slidingWindow(options);
    case "ToolResult":
      return history.toolResults({ ...options, ...formatOf(settings["formatter"]) });
    case "Summarization":
      return history.summarization({ ...options, model });
    case "Pipeline":
      return history.pipeline(...listOf(settings["strategies"]).map(one => strategyOf(objectOf(one), model)));
    case "ChatReducer":
      return history.reducing(reducerOf(objectOf(settings["reducer"]), model), trigger);
    case "ContextWindow":
      return windowOf(settings);
    default:
      throw new Error(`no strategy of ours is ${String(settings["type"])}`);
  }
}

function formatOf(formatter: Json | undefined): { format?: (messages: readonly Message[]) => string } {
  if (formatter === "count") return { format: messages => `(${messages.length} messages folded)` };
  return formatter === "empty" ? { format: () => "" } : {};
}

function windowOf(settings: JsonObject): history.Strategy {
  const { maxContextWindowTokens, maxOutputTokens, toolEvictionThreshold, truncationThreshold } = settings;
  return history.contextWindow({
    maxContextWindowTokens: Number(maxContextWindowTokens),
    maxOutputTokens: Number(maxOutputTokens),
    ...(typeof toolEvictionThreshold === "number" && { toolEvictionThreshold }),
    ...(typeof truncationThreshold === "number" && { truncationThreshold }),
  });
}

function triggerOf(settings: JsonObject): history.Trigger {
  const value = Number(settings["value"]);
  const inner = listOf(settings["triggers"]).map(one => triggerOf(objectOf(one)));
  const triggers = new Map<unknown, () => history.Trigger>([
    ["TokensExceed", () => history.tokensExceed(value)],
    ["TokensBelow", () => history.tokensBelow(value)],
    ["MessagesExceed", () => history.messagesExceed(value)],
    ["TurnsExceed", () => history.turnsExceed(value)],
    ["GroupsExceed", () => history.groupsExceed(value)],
    ["HasToolCalls", () => history.hasToolCalls],
    ["Always", () => history.always],
    ["Never", () => history.never],
    ["All", () => history.allOf(...inner)],
    ["Any", () => history.anyOf(...inner)],
  ]);
  const made = triggers.get(settings["type"]);
  if (!made) throw new Error(`no trigger of ours is ${String(settings["type"])}`);
  return made();
}
