import { TranslogueError } from "../model/error.ts";
import { anthropicMessages } from "./data/anthropic.ts";
import { bedrockConverse } from "./data/bedrock.ts";
import { anyChat, deepseekChat, groq, openrouter, xai } from "./data/chat-hosts.ts";
import { cohere } from "./data/cohere.ts";
import { gemini, vertex } from "./data/gemini.ts";
import { mistral } from "./data/mistral.ts";
import { ollama } from "./data/ollama.ts";
import { azureChat, openaiChat } from "./data/openai-chat.ts";
import { anyResponses, azureResponses, deepseekResponses, openaiResponses } from "./data/openai-responses.ts";
import type { RuleName, Rules, Target } from "./target.ts";

/** Every target, by id. */
export const targets: readonly Target[] = [
  openaiChat,
  openaiResponses,
  anthropicMessages,
  gemini,
  vertex,
  bedrockConverse,
  mistral,
  cohere,
  ollama,
  deepseekChat,
  deepseekResponses,
  openrouter,
  groq,
  xai,
  azureChat,
  azureResponses,
  anyChat,
  anyResponses,
];

/** The target of this id. Throws `target/no-such-target`. */
export function findTarget(id: string): Target {
  const target = targets.find(each => each.id === id);
  if (target) return target;
  throw new TranslogueError(
    "target/no-such-target",
    `there is no target \`${id}\`; there are ${targets.map(each => `\`${each.id}\``).join(", ")}`,
    { data: { target: id } },
  );
}

/** A target, or that of an id. Throws `target/no-such-target`. */
export function targetOf(target: Target | string): Target {
  const given: unknown = target; // whatever it is
  const isTarget = typeof given === "object" && given !== null && "rules" in given && "format" in given;
  return isTarget && typeof target !== "string" ? target : findTarget(String(target));
}

/** The rules that hold for a model: those of its families laid over the target's. */
export function rulesOf({ rules, models }: Target, model?: string): Rules {
  const laid: { [Name in RuleName]?: Rules[Name] | null } = { ...rules };
  for (const family of models ?? [])
    if (model !== undefined && family.match.test(model)) Object.assign(laid, family.rules);
  for (const name of Object.keys(laid) as RuleName[]) if (laid[name] === null) delete laid[name]; // keys of rules
  return laid as Rules; // null was taken out
}
