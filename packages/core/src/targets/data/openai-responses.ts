import { ranges } from "../../formats/openai-responses/ranges.ts";
import type { Rules, Target } from "../target.ts";
import { everyHost, unpackedIds } from "./every-host.ts";

const date = "2026-11-30";
const requests = {
  source: "requests that the host accepted and refused (pydantic-ai's recorded tests)",
  date,
} as const;
const texts = { source: "error texts of OpenAI's Responses API, as reported", date } as const;
const types = { source: "types and doc comments of openai 7.59.0", date } as const;

const asText = "as JSON, and is taken as text. Write it as text.";

const responsesRules = {
  ...everyHost,
  "calls-answered": {
    within: "before-answer",
    ...texts,
    says: [
      "No tool output found for function call {id}.",
      "No tool output found for tool call {id}.",
      "No tool output found for custom tool call {id}.",
    ],
  },
  "results-called": {
    among: "anywhere",
    ...texts,
    says: [
      "No tool call found for function call output with call_id {id}.",
      "No tool call found for custom tool call output with call_id {id}.",
    ],
  },
  "call-ids": {
    fewest: 1,
    most: 64,
    ...texts,
    says: [
      "Invalid 'input[{message}].call_id': string too long. Expected a string with maximum length {most}, but got a string with length {length} instead.",
    ],
  },
  "call-ids-unique": { among: "message", ...types },
  "history-not-empty": {
    system: "counts",
    stored: ["prompt"],
    ...texts,
    says: ["One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation_id' must be provided."],
  },
  "tool-names": {
    characters: "a-zA-Z0-9_-",
    fewest: 1,
    most: 64,
    defined: true,
    ...types,
    says: [
      "Invalid 'input[{message}].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
      "Invalid 'tools[{part}].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
    ],
  },
  // There is no item for a file of the assistant's.
  media: { assistant: [], ...types },
  roles: {
    allowed: ["system", "developer", "user", "assistant", "tool"],
    ...types,
    says: [
      "Invalid value: '{role}'. Supported values are: {rest}'assistant'",
      "Invalid value: '{role}'. Supported values are: 'assistant'{rest}",
    ],
  },
} as const satisfies Rules;

const openaiRules = {
  ...responsesRules,
  "tool-choice": {
    free: ["auto", "none"],
    stored: ["prompt"],
    source: "report CherryHQ/cherry-studio#11138 (2025-11-04), and accepted requests",
    date,
    says: ["Tool choice '{type}' not found in 'tools' parameter."],
  },
  "setting-ranges": ranges,
  ...unpackedIds,
  media: {
    user: ["image/", "application/", "text/"],
    assistant: [],
    result: ["image/", "application/", "text/"],
    ...requests,
    says: ["The file type you uploaded is not supported. Please try again with a pdf"],
  },
  "documents-named": {
    types: ["application/", "text/"],
    source: "reports laravel/ai#321 (2026-03-27), langchain-ai/langchainjs#9570 (2025-12-05)",
    date: "2026-12-01",
    says: ["Missing required parameter: 'input[{message}].content[{part}]'."],
  },
  "results-once": texts,
  "approvals-asked": { source: "report microsoft/agent-framework#7452", date },
  "results-of-kind": { hint: "$type", functions: "function_call_output", ...texts },
  "known-members": {
    refused: [
      {
        of: "part",
        path: ["$type"],
        value: "input_text",
        said: "input_text",
        why: "in an answer. Say it as `output_text`.",
      },
      {
        of: "part",
        path: ["$type"],
        value: "output_text",
        said: "output_text",
        why: "outside of an answer. Say it as `input_text`.",
      },
      { of: "part", path: ["$arguments"], value: "json", said: "arguments", why: asText },
      { of: "part", path: ["$arguments"], value: null, said: "arguments", why: asText },
      { of: "part", path: ["$output"], value: "json", said: "output", why: asText },
    ],
    ...texts,
  },
  "reasoning-followed": {
    ...texts,
    says: ["Item '{id}' of type 'reasoning' was provided without its required following item."],
  },
  "item-ids": {
    stored: true,
    prefixes: { reasoning: "rs_", text: "msg_", refusal: "msg_" },
    callPrefixes: { function: "fc_", custom: "ctc_" },
    whole: "encrypted_content",
    ...texts,
    says: [
      "Invalid 'input[{message}].id': '{id}'. Expected an ID that begins with '{prefix}'.",
      "Item with id '{id}' not found. Items are not persisted when `store` is set to false.",
      "Item '{id}' of type '{type}' was provided without its required 'reasoning' item: '{reasoning}'.",
      "Duplicate item found with id {id}",
    ],
  },
  "stored-items": {
    reference: "item_reference",
    reasoning: "rs_",
    source: "reports vercel/ai#10829, langchain#38372, mastra#21908",
    date,
    severity: "warning",
    says: ["Duplicate item found with id {id}"],
  },
  "seals-at-home": { makers: ["openai"], ...texts, severity: "warning" },
} as const satisfies Rules;

const host = {
  turns: "merged",
  system: "among",
  counts: "items",
  format: "openai-responses",
  continues: ["previous_response_id", "conversation"],
  stores: "store",
} as const;

export const openaiResponses: Target = {
  ...host,
  id: "openai-responses",
  title: "OpenAI Responses",
  rules: openaiRules,
};

export const azureResponses: Target = {
  ...host,
  id: "azure-openai-responses",
  title: "Azure OpenAI, Responses",
  dialect: "azure",
  rules: { ...openaiRules, "seals-at-home": { ...openaiRules["seals-at-home"], route: "azure", routed: true } },
};

/** Known of no host in particular: the ids of its items are its own. */
export const anyResponses: Target = {
  ...host,
  id: "responses",
  title: "A server of the Responses API",
  dialect: "open",
  rules: responsesRules,
};

export const deepseekResponses: Target = {
  ...host,
  id: "deepseek-responses",
  title: "DeepSeek, Responses",
  dialect: "deepseek",
  rules: {
    ...responsesRules,
    ...unpackedIds,
    "tool-names": { ...responsesRules["tool-names"], unique: true, source: "report decolua/9router#3333", date },
    "calls-together": { ...requests, says: ["No tool output found for tool call {id}."] },
    "seals-at-home": { makers: ["deepseek"], ...requests, severity: "warning" },
  },
};
