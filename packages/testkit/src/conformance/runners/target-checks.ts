import { type Conversation, decode, type FormatId, formatPath, isJsonObject, type Json } from "translogue";
import { checkTarget, explain, targets } from "translogue/targets";
import { type CaseResult, claims } from "../case.ts";

/** Targets by host, where it is not that of the format; a host that is not here is one of many servers of the API. */
const byHost: { readonly [format: string]: { readonly [host: string]: string } } = {
  "openai-chat": {
    azure: "azure-openai-chat",
    deepseek: "deepseek-chat",
    groq: "groq",
    openai: "openai-chat",
    openrouter: "openrouter",
    xai: "xai",
  },
  "openai-responses": { azure: "azure-openai-responses", deepseek: "deepseek-responses", openai: "openai-responses" },
  gemini: { vertex: "vertex" },
};
const others: { readonly [format: string]: string } = { "openai-chat": "chat", "openai-responses": "responses" };

export const targetOf = (format: string, host: string): string => byHost[format]?.[host] ?? others[format] ?? format;

interface Exchange {
  readonly status: number;
  readonly request: Json;
  readonly response?: Json;
  /** Where the URL names the model. */
  readonly path?: string;
}

/** An accepted request has no error for its target; one refused for its messages has one, which the provider's text explains. */
export async function targetCase(
  about: { readonly format: FormatId; readonly name: string; readonly host: string },
  exchange: Exchange,
): Promise<CaseResult> {
  const { format, host, name } = about;
  const target = targetOf(format, host);
  if (!targets.some(({ id }) => id === target))
    return { format, name: `${name} target`, outcome: { status: "set-aside", rule: "no target" } };
  const { conversation } = decode(exchange.request, { from: format, shape: "request" });
  const named = /models?\/([^/]+?)(?::[a-zA-Z]+)?(?:\/|$)/.exec(exchange.path ?? "")?.[1];
  const model = conversation.model ?? (named === undefined ? undefined : decodeURIComponent(named));
  const asked = { target, ...(model !== undefined && { model }) };
  const result = { format, name: `${name} target` };
  if (exchange.status === 200) return await claims(result, [() => falseAlarm(conversation, asked)]);
  const text = JSON.stringify(exchange.response ?? null);
  if (!isOfMessages(exchange))
    return { ...result, outcome: { status: "set-aside", rule: "not refused for its messages" } };
  return await claims(result, [() => missed(conversation, text, asked)]);
}

interface Asked {
  readonly target: string;
  readonly model?: string;
}

function falseAlarm(conversation: Conversation, { target, ...options }: Asked): string | undefined {
  const error = checkTarget(conversation, target, options).find(({ severity }) => severity === "error");
  return error && `${target} took it, but ${error.code}: ${error.message}`;
}

function missed(conversation: Conversation, text: string, { target, ...options }: Asked): string | undefined {
  const explained = explain(text, { target, conversation, ...options });
  if (!explained) return `${target}: no rule explains ${text}`;
  if (!explained.path) return `${target}: ${explained.rule} explains ${text}, but not where it is`;
  // What a URL leads to is known by asking alone.
  if (explained.rule === "media-reachable") return undefined;
  // How many tokens a text is only its model can tell.
  if (explained.rule === "sizes" && ofTokens.test(text)) return undefined;
  const errors = checkTarget(conversation, target, options).filter(({ severity }) => severity === "error");
  const isFound = errors.some(
    ({ code, path }) => code === explained.rule && formatPath(path) === formatPath(explained.path ?? []),
  );
  return isFound ? undefined : `${target} refused it by ${explained.rule}, which the check does not find: ${text}`;
}

const ofTokens = /tokens|context|length of all messages/i;

/** What else a request may be refused for, where the error names no member. */
const ofOthers = /api key|model identifier/i;

/** Members of a request that hold its messages; a tool's schema is fitted where it is written. */
const ofMessages = /^(?:messages|input|contents|tools)\b(?!\[\d+\]\.(?:function\.)?parameters)/;

/** 400 and 422 may be for messages; where the error names a member, for those of it alone. */
function isOfMessages({ status, response }: Exchange): boolean {
  if ((status !== 400 && status !== 422) || ofOthers.test(JSON.stringify(response ?? null))) return false;
  const error = isJsonObject(response) && isJsonObject(response["error"]) ? response["error"] : undefined;
  const { param = null } = error ?? {};
  return typeof param !== "string" || ofMessages.test(param);
}
