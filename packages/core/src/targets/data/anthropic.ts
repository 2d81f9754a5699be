import { ranges } from "../../formats/anthropic-messages/ranges.ts";
import type { Rules, Target } from "../target.ts";
import { everyHost, unpackedIds } from "./every-host.ts";

const date = "2026-11-30";
const texts = { source: "error texts of Anthropic's API, as reported", date } as const;
const types = { source: "types and doc comments of @anthropic-ai/sdk 1.14.0", date } as const;

const files = ["image/jpeg", "image/png", "image/gif", "image/webp", "application/pdf", "text/"];

/** Claude's, wherever it is asked. */
export const claudeRules = {
  ...everyHost,
  ...unpackedIds,
  "media-types": {
    source: "reports anthropics/claude-code#11936 (2025-11-19), 1jehuang/jcode#465 (2026-07-10)",
    date,
    says: [
      "{rest}Image does not match the provided media type {type}",
      "{rest}The image was specified using the {type} media type, but the image appears to be a {meant} image",
    ],
  },
  "calls-answered": {
    within: "next-turn",
    ...texts,
    says: [
      "messages.{message}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
      "`tool_use` ids were found without `tool_result` blocks immediately after: {ids}",
    ],
  },
  "results-called": {
    among: "turn-before",
    ...texts,
    says: [
      "messages.{message}.content.{part}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
      "unexpected `tool_use_id` found in `tool_result` blocks: {id}",
    ],
  },
  "provider-calls-answered": {
    ...texts,
    says: [
      "`{tool}` tool use with id `{id}` was found without a corresponding `{block}` block",
      "`{tool}` tool use with id `{id}` was found without a corresponding",
    ],
  },
  "results-once": {
    ...texts,
    says: ["each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}"],
  },
  "results-first": { source: "docs of tool use: results come first in the content", date },
  "call-ids-unique": { among: "conversation", ...texts, says: ["`tool_use` ids must be unique"] },
  "call-ids": {
    characters: "a-zA-Z0-9_-",
    fewest: 1,
    most: 64,
    ...texts,
    says: [
      "messages.{message}.content.{part}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
      "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
      "tool_use_id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    ],
  },
  "tool-names": {
    characters: "a-zA-Z0-9_-",
    fewest: 1,
    most: 128,
    unique: true,
    hosted: true,
    defined: true,
    family: "anthropic",
    source:
      "doc comments of @anthropic-ai/sdk 1.14.0; reports anthropics/claude-code#10687 (unique), danny-avila/LibreChat#13162 (hosted, 2026-05-17)",
    date,
    says: [
      "tools: Tool names must be unique.",
      "tools.{part}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    ],
  },
  arguments: {
    shape: "object",
    ...types,
    says: ["messages.{message}.content.{part}.tool_use.input: Input should be a valid dictionary"],
  },
  "text-not-empty": {
    blank: true,
    // Claude itself writes such texts between cited ones, and takes them back (accepted requests, 2026-11-30).
    beside: "assistants",
    system: "apart",
    results: "texts",
    source:
      "error texts of Anthropic's API, as reported; reports Wei-Shaw/sub2api#1212 (2026-03-22) and awsl-project/maxx#257 (2026-02-25) of results",
    date: "2026-12-01",
    says: ["text content blocks must contain non-whitespace text", "text content blocks must be non-empty"],
  },
  "message-not-empty": {
    roles: ["user", "assistant", "tool"],
    changes: ["toolsAdded", "toolsRemoved"],
    ...texts,
    says: [
      "messages.{message}: all messages must have non-empty content except for the optional final assistant message",
      "all messages must have non-empty content except for the optional final assistant message",
    ],
  },
  "last-turn": {
    prefill: "always",
    thinking: "never",
    hosted: "go-on",
    source: "docs of extended thinking: responses cannot be pre-filled while it is on",
    date,
    says: [
      "messages.{message}.content.{part}.type: Expected `thinking` or `redacted_thinking`, but found `{found}`. When `thinking` is enabled, a final `assistant` message must start with a thinking block",
    ],
  },
  "known-members": {
    refused: [
      { of: "message", path: ["$role"], value: "tool", said: "role", why: "`tool`. Say it as the user." },
      {
        of: "message",
        path: ["$place"],
        value: "messages",
        said: "role",
        why: "`system` in `messages`. Put it into `system`.",
      },
    ],
    ...texts,
    says: ['messages: Unexpected role "tool". Allowed roles are "user" or "assistant"'],
  },
  "history-not-empty": { system: "apart", ...texts, says: ["messages: at least one message is required"] },
  "prefill-trimmed": { ...texts, says: ["final assistant content cannot end with trailing whitespace"] },
  "well-formed-text": {
    ...texts,
    says: [
      "The request body is not valid JSON: no low surrogate in string",
      "The request body is not valid JSON: {rest}surrogate",
    ],
  },
  "tools-declared": {
    source: "report sigit#81",
    date,
    says: ["Requests which include `tool_use` or `tool_result` blocks must define tools"],
  },
  "results-told": {
    failed: true,
    source: "reports bytedance/trae-agent#230 (2025-07-30), jlevy/markform#153 (2026-02-16)",
    date,
    says: [
      "{rest}tool_result: content cannot be empty if `is_error` is true",
      "{rest}tool_result: content cannot be empty if is_error is true",
      "messages.{message}.content.{part}.toolResult cannot be empty when status value is error",
    ],
  },
  "failed-results": { parts: ["text", "data", "error"], source: "report earendil-works/pi#10794", date },
  "reasoning-first": {
    maker: "anthropic",
    ...texts,
    says: [
      "messages.{message}.content.0.type: Expected `thinking` or `redacted_thinking`, but found `{found}`. When `thinking` is enabled, a final `assistant` message must start with a thinking block",
      "Expected `thinking` or `redacted_thinking`, but found `{found}`",
    ],
  },
  "thinking-settings": {
    fewest: 1024,
    without: ["temperature", "topK"],
    source: "docs of extended thinking",
    date,
  },
  // That calls come one by one is said with the choice.
  "tool-choice": {
    parallel: true,
    stored: ["mcp_servers"],
    ...texts,
    says: [
      "Tool '{tool}' not found in provided tools",
      "tool_choice may only be specified while providing tools",
      "tool_choice.any may only be specified while providing tools",
    ],
  },
  "setting-ranges": {
    ...ranges,
    says: ["{setting}: range: {least}..{most}", "{setting}: range: -1 or {least}..{most}"],
  },
  "cache-marks": {
    most: 4,
    automatic: "cache_control",
    parts: ["text", "file", "tool-call", "tool-result", "source", "change"],
    inner: ["text", "file", "source", "change"],
    mark: { family: "anthropic", member: "cache_control", type: "ephemeral" },
    ttls: ["1h", "5m"],
    // The third says that the member of the request is one of the four; the last two are of order, and of thinking.
    source:
      "reports continuedev/continue#6937, tghamm/Anthropic.SDK#50, coder/mux#3112, anthropics/claude-code#39599 (2026-03-27), BerriAI/litellm#39815 (2026-09-04)",
    date,
    says: [
      "A maximum of {most} blocks with cache_control may be provided. Found {found}.",
      "a ttl='{later}' cache_control block must not come after a ttl='{earlier}' cache_control block.",
      "{block}.cache_control: Extra inputs are not permitted",
    ],
  },
  "reasoning-not-last": {
    ...texts,
    says: ["messages.{message}: The final block in an assistant message cannot be `thinking`."],
  },
  "reasoning-once": { source: "report microsoft/vscode#328157", date, severity: "warning" },
  "reasoning-sealed": { by: ["signature", "data"], ...types, severity: "warning" },
  "seals-at-home": {
    makers: ["anthropic"],
    ...texts,
    severity: "warning",
    says: [
      "messages.{message}.content.{part}: Invalid `signature` in `thinking` block",
      "Invalid `signature` in `thinking` block",
      "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.",
      "blocks in the latest assistant message cannot be modified",
    ],
  },
} as const satisfies Rules;

/** Families that do not go on with an assistant's last message. */
export const withoutPrefill = {
  match: /claude-(?:(?:opus|sonnet)-4-(?:[6-9]|\d\d)(?!\d)|(?:opus|sonnet|haiku)-[5-9])/,
  rules: {
    "last-turn": {
      prefill: "never",
      source: "reports ericc-ch/copilot-api#261, cortexkit/magic-context#511",
      date,
      says: ["This model does not support assistant message prefill. The conversation must end with a user message."],
    },
  },
} as const satisfies NonNullable<Target["models"]>[number];

export const anthropicMessages: Target = {
  id: "anthropic-messages",
  title: "Anthropic Messages",
  turns: "merged",
  system: "apart",
  counts: "messages",
  format: "anthropic-messages",
  thinking: { path: ["thinking", "type"], value: "enabled" },
  compactions: "anthropic",
  rules: {
    ...claudeRules,
    roles: {
      allowed: ["system", "developer", "user", "assistant", "tool"],
      ...types,
      says: ['messages: Unexpected role "{role}".'],
    },
    "system-place": {
      allowed: "first",
      ...types,
      says: [
        'messages: Unexpected role "{role}". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
        "messages.{message}: use the top-level `system` parameter for the initial system prompt",
      ],
    },
    media: { user: files, assistant: [], result: files, ...types },
    "message-name": { ...types, severity: "warning" },
    sizes: { messages: 100_000, ...types },
  },
  models: [
    {
      match: /claude-(?:opus-4-(?:[89]|\d\d)(?!\d)|(?:opus|sonnet|haiku)-[5-9])/,
      rules: {
        "system-place": {
          allowed: "after-user",
          source: "reports bifrost#3945, langchain#40622, and accepted requests",
          date,
        },
      },
    },
    {
      ...withoutPrefill,
      rules: { "last-turn": { ...withoutPrefill.rules["last-turn"], hosted: "go-on" } },
    },
  ],
};
