import { ranges } from "../../formats/openai-chat/ranges.ts";
import type { Learned, RefusedMember, Rules, Target } from "../target.ts";
import { everyHost, unpackedIds } from "./every-host.ts";

const date = "2026-11-30";
const requests = { source: "requests that OpenAI accepted and refused (pydantic-ai's recorded tests)", date } as const;
const texts = { source: "error texts of OpenAI's Chat API, as reported", date } as const;
const types = { source: "types and doc comments of openai 7.59.0", date } as const;

/** What is no picture and no sound; texts are sent as text. */
const documents = ["application/pdf", "text/"];

/** What OpenAI's models see. */
const images = ["image/jpeg", "image/png", "image/gif", "image/webp"];

const refusedAudio = "Invalid 'messages[{message}]'. Content blocks are expected to be either text or image_url type.";

/** What every server of the Chat API asks: a tool's message answers a call of the assistant's message right before. */
export const chatPairing = {
  ...everyHost,
  "calls-answered": {
    within: "next-turn",
    ...texts,
    says: [
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: {ids}",
    ],
  },
  "results-called": {
    among: "turn-before",
    ...texts,
    says: ["messages with role 'tool' must be a response to a preceeding message with 'tool_calls'"],
  },
  "results-once": texts,
  roles: {
    allowed: ["system", "developer", "user", "assistant", "tool"],
    ...texts,
    says: [
      "Invalid value: '{role}'. Supported values are: {rest}'assistant'",
      "Invalid value: '{role}'. Supported values are: 'assistant'{rest}",
    ],
  },
  media: {
    assistant: ["audio/"],
    result: [],
    ...types,
    says: ["Invalid value: '{block}'. Supported values are: 'text'"],
  },
  // An answer's audio goes back by its id.
  "assistant-media-source": { audio: ["id"], ...types },
} as const satisfies Rules;

/** Without a place for a name. */
export const nameless: Rules["message-name"] & Learned = { ...types, severity: "warning" };

const notText = "that is neither a text nor a list of parts. Say it as one.";

const asText = "as JSON, and is taken as text. Write it as text.";

/** What the codec keeps of requests that the API refuses. */
export const refusedOfChat = [
  { of: "message", path: ["content"], why: notText },
  { of: "message", path: ["tool_calls"], why: "without a call. Leave the list out." },
  {
    of: "part",
    family: "chat-parts",
    path: ["$arguments"],
    value: "json",
    said: "arguments",
    why: asText,
  },
  { of: "part", family: "chat-parts", path: ["$arguments"], value: null, said: "arguments", why: asText },
  { of: "message", path: ["$content"], value: "json", said: "content", why: asText },
] as const satisfies readonly RefusedMember[];

/** How the codec keeps that a call or a result was spelled so. */
export const formerFunctions = [
  { of: "message", path: ["$role"], value: "function", said: "function", why: "Send it as a tool's result." },
  {
    of: "part",
    family: "chat-parts",
    path: ["$place"],
    value: "function_call",
    said: "function_call",
    why: "Send it as a call of a tool.",
  },
] as const satisfies readonly RefusedMember[];

export const openaiRules = {
  ...chatPairing,
  ...unpackedIds,
  "call-ids": {
    most: 40,
    ...texts,
    says: [
      "Invalid 'messages[{message}].tool_calls[{call}].id': string too long. Expected a string with maximum length {most}, but got a string with length {length} instead.",
      "Invalid 'messages[{message}].tool_call_id': string too long. Expected a string with maximum length {most}, but got a string with length {length} instead.",
    ],
  },
  "call-ids-unique": { among: "message", ...types },
  "message-name": {
    characters: "^\\s<|\\\\/>",
    fewest: 1,
    most: 64,
    ...texts,
    says: ["Invalid 'messages[{message}].name': string does not match pattern."],
  },
  "tool-choice": {
    parallel: true,
    ...texts,
    says: ["Invalid value for '{name}': '{name}' is only allowed when 'tools' are specified."],
  },
  "setting-ranges": {
    ...ranges,
    says: [
      "Invalid 'stop': array too long. Expected an array with maximum length {most}, but got an array with length {length} instead.",
    ],
  },
  "known-members": {
    refused: refusedOfChat,
    tools: "some",
    typed: "chat-parts",
    ...texts,
    says: [
      "Missing required parameter: 'messages[{message}].content[{part}].type'",
      "Invalid '{name}': empty array. Expected an array with minimum length 1, but got an empty array with length 0 instead.",
      "Invalid type for '{name}'",
      "Invalid value for '{name}': expected a string, got {rest}",
    ],
  },
  "message-not-empty": {
    roles: ["assistant"],
    texts: "count",
    empty: { path: ["$content"], value: "" },
    ...texts,
    says: [
      "Invalid value for 'content': expected a string, got null.",
      "Invalid 'messages[{message}].content': empty array. Expected an array with minimum length 1, but got an empty array with length 0 instead.",
    ],
  },
  "history-not-empty": {
    system: "counts",
    ...texts,
    says: [
      "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array with length 0 instead.",
    ],
  },
  "tool-names": {
    characters: "a-zA-Z0-9_-",
    fewest: 1,
    most: 64,
    ...types,
    says: [
      "Invalid 'messages[{message}].tool_calls[{call}].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
      "Invalid 'tools[{part}].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
    ],
  },
  media: {
    ...chatPairing.media,
    system: [],
    user: [...images, "audio/wav", "audio/x-wav", "audio/wave", "audio/mpeg", "audio/mp3", ...documents],
    source: "documentation of OpenAI's API: file inputs (Chat Completions accepts only PDF files)",
    date: "2026-12-01",
  },
  "media-source": {
    text: ["text", "parts"],
    document: ["data", "id", "text", "parts"],
    source:
      "documentation of OpenAI's API: file inputs (the text of a file is sent as a text part), and report vercel/ai#7266 (2025-07-13)",
    date: "2026-12-01",
    says: [
      "Invalid file data: 'messages[{message}].content[{part}].file.file_data'. Expected a base64-encoded data URL with an application/pdf MIME type{rest}, but got an invalid base64-encoded value.",
    ],
  },
  "documents-named": {
    types: ["application/pdf"],
    source: "reports openai/openai-agents-python#1513 (2025-08-17), langchain-ai/langchainjs#9512 (2025-11-27)",
    date: "2026-12-01",
    says: ["Missing required parameter: 'messages[{message}].content[{part}].file.file_id'."],
  },
  sizes: {
    tools: 128,
    source: "reports zed-industries/zed#32946, vishalmysore/Tools4AI#16",
    date,
    says: [
      "Invalid 'tools': array too long. Expected an array with maximum length {most}, but got an array with length {length} instead.",
      "This model's maximum context length is {most} tokens",
    ],
  },
  "seals-at-home": { makers: [], ...types, severity: "warning" },
} as const satisfies Rules;

const withoutAudio = {
  ...openaiRules.media,
  user: [...images, ...documents],
  assistant: [],
  ...requests,
  says: [refusedAudio],
};

export const openaiChat: Target = {
  id: "openai-chat",
  title: "OpenAI Chat Completions",
  turns: "messages",
  system: "among",
  counts: "results",
  format: "openai-chat",
  rules: openaiRules,
  models: [
    { match: /^(?!.*audio)(?:gpt-|o\d|chatgpt)/, rules: { media: withoutAudio } },
    {
      match: /^o1-(?:mini|preview)/,
      rules: {
        "system-place": {
          allowed: "none",
          ...requests,
          says: ["Unsupported value: 'messages[{message}].role' does not support '{role}' with this model."],
        },
      },
    },
  ],
};

export const azureChat: Target = {
  ...openaiChat,
  id: "azure-openai-chat",
  title: "Azure OpenAI, Chat Completions",
  dialect: "azure",
};
