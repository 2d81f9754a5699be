import type { Rules, Target } from "../target.ts";
import { withoutPrefill } from "./anthropic.ts";
import { unpackedIds } from "./every-host.ts";
import { chatPairing, formerFunctions, openaiRules } from "./openai-chat.ts";

const date = "2026-11-30";
const requests = { source: "requests that the host accepted (pydantic-ai's recorded tests)", date } as const;
const reports = { source: "reports microsoft/agent-framework#8382, earendil-works/pi#3636", date } as const;

const others: Rules = {
  ...chatPairing,
  ...unpackedIds,
  "tool-names": openaiRules["tool-names"],
  "seals-at-home": openaiRules["seals-at-home"],
  "legacy-functions": { spelled: formerFunctions, source: "the hosts' documentation: tools only", date },
};

const host = { turns: "messages", system: "among", counts: "results", format: "openai-chat" } as const;

/** Known of no host in particular. */
export const anyChat: Target = {
  ...host,
  id: "chat",
  title: "A server of the Chat API",
  rules: {
    ...chatPairing,
    media: { ...chatPairing.media, ...requests },
    "tool-choice": {
      source: "report BerriAI/litellm#6228 (vLLM)",
      date,
      says: ["When using `tool_choice`, `tools` must be set."],
    },
  },
};

export const groq: Target = {
  ...host,
  id: "groq",
  title: "Groq",
  dialect: "groq",
  rules: {
    ...others,
    media: { user: ["image/"], assistant: [], result: [], source: "documentation of Groq: vision", date },
  },
  models: [
    {
      // Those that read text alone.
      match: /llama-3(?!\.2-\d+b-vision)|llama3|gpt-oss|gemma|mixtral|deepseek|kimi-k2-instruct|allam/,
      rules: {
        media: {
          user: [],
          assistant: [],
          result: [],
          source: "documentation of Groq: models",
          date,
          says: ["messages[{message}].content must be a string"],
        },
      },
    },
  ],
};

export const xai: Target = {
  ...host,
  id: "xai",
  title: "xAI",
  dialect: "xai",
  rules: { ...others, "tool-choice": { source: "report OpenHands/OpenHands#7078 (2025-03-03)", date } },
};

const reasoningSentBack: Rules["reasoning-kept"] = {
  member: "reasoning_content",
  ...reports,
  says: [
    "The `reasoning_content` in the thinking mode must be passed back to the API.",
    "Missing `reasoning_content` field in the assistant message at message index {message}",
    "thinking is enabled but reasoning_content is missing in assistant tool call message",
  ],
};

export const deepseekChat: Target = {
  ...host,
  id: "deepseek-chat",
  title: "DeepSeek",
  dialect: "deepseek",
  rules: {
    ...others,
    "tool-names": { ...openaiRules["tool-names"], unique: true, source: "report decolua/9router#3333", date },
    media: {
      user: [],
      assistant: [],
      result: [],
      source: "DeepSeek's API reference: content is text",
      date,
      says: ["unknown variant `image_url`, expected `text`"],
    },
  },
  // The contract changed several times (langchain-ai/langchain#34166), so it holds for the models that were seen to ask it.
  models: [{ match: /reasoner|-v4/, rules: { "reasoning-kept": reasoningSentBack } }],
};

const { "assistant-media-source": _, ...openrouterPairing } = chatPairing;

export const openrouter: Target = {
  ...host,
  id: "openrouter",
  title: "OpenRouter",
  dialect: "openrouter",
  // Results hold media here, and call ids of any length are taken.
  rules: { ...openrouterPairing, media: { assistant: ["image/", "audio/"], ...requests } },
  models: [
    {
      match: /^~?google\/gemini-3/,
      rules: {
        "reasoning-kept": {
          member: "reasoning_content",
          source: "report open-webui/open-webui#19328",
          date,
          says: ["Gemini models require OpenRouter reasoning details to be preserved in each request."],
        },
      },
    },
    {
      match: /^~?anthropic\/claude-(?:opus|sonnet)-(?:4\.(?:[6-9]|\d\d)|[5-9])/,
      rules: {
        "last-turn": { ...withoutPrefill.rules["last-turn"], source: "report aj47/SpeakMCP#1037" },
      },
    },
    { match: /^~?deepseek\/.*v4/, rules: { "reasoning-kept": reasoningSentBack } },
  ],
};
