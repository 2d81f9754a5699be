import { ranges } from "../../formats/bedrock-converse/ranges.ts";
import type { Target } from "../target.ts";
import { claudeRules, withoutPrefill } from "./anthropic.ts";
import { everyHost, unpackedIds } from "./every-host.ts";

const date = "2026-11-30";
const requests = { source: "requests that Bedrock accepted and refused (pydantic-ai's recorded tests)", date } as const;
const texts = { source: "error texts of Bedrock Converse, as reported", date } as const;
const types = { source: "types and doc comments of @aws-sdk/client-bedrock-runtime 3.1164.0", date } as const;

const megabyte = 1024 * 1024;

const extraneous =
  "Malformed input request: #/messages/{message}/content/{part}: extraneous key [toolResult] is not permitted, please reformat your input and try again.";

export const bedrockConverse: Target = {
  id: "bedrock-converse",
  title: "Bedrock Converse",
  turns: "messages",
  system: "apart",
  counts: "messages",
  format: "bedrock-converse",
  rules: {
    ...everyHost,
    ...unpackedIds,
    "calls-answered": {
      within: "next-turn",
      ...texts,
      says: [
        "Expected toolResult blocks at messages.{message}.content for the following Ids: {ids}",
        "The number of toolResult blocks at messages.{message}.content exceeds the number of toolUse blocks of previous turn.",
        "`tool_use` ids were found without `tool_result` blocks immediately after: {ids}",
      ],
    },
    "results-called": {
      among: "turn-before",
      ...texts,
      says: [
        "The number of toolResult blocks at messages.{message}.content exceeds the number of toolUse blocks of previous turn.",
        "unexpected `tool_use_id` found in `tool_result` blocks: {id}",
      ],
    },
    "results-once": texts,
    "first-turn": {
      roles: ["user"],
      ...texts,
      says: [
        "A conversation must start with a user message. Try again with a conversation that starts with a user message.",
      ],
    },
    "turns-alternate": {
      source: "reports langchain-ai/langchain-aws#192, microsoft/semantic-kernel#10281",
      date,
      says: [
        "A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.",
      ],
    },
    "results-told": {
      blocks: true,
      source: "reports strands-agents/harness-sdk#2122 (2026-04-14), stdapi-ai/stdapi.ai#226 (2026-09-10)",
      date,
    },
    "system-place": { allowed: "first", ...types },
    roles: { allowed: ["system", "developer", "user", "assistant", "tool"], ...types },
    "text-not-empty": {
      blank: true,
      beside: "allowed",
      ...requests,
      says: [
        "The text field in the ContentBlock object at messages.{message}.content.{part} is blank. Add text to the text field, and try again.",
        "text content blocks must be non-empty",
      ],
    },
    "message-not-empty": {
      roles: ["user", "assistant", "tool"],
      changes: ["toolsAdded", "toolsRemoved"],
      ...texts,
      says: [
        "The content field in the Message object at messages.{message} is empty. Add a ContentBlock object to the content field and try again.",
      ],
    },
    "call-ids": {
      characters: "a-zA-Z0-9_.:-",
      fewest: 1,
      most: 64,
      ...requests,
      says: [
        "Value '{id}' at 'messages.{message}.member.content.{part}.member.toolUse.toolUseId' failed to satisfy constraint",
      ],
    },
    "call-ids-unique": { among: "conversation", ...texts },
    "known-members": {
      refused: [
        {
          of: "message",
          path: ["$place"],
          value: "messages",
          said: "role",
          why: "`system` in `messages`. Put it into `system`.",
        },
      ],
      descriptions: "some",
      source: `${types.source}; reports vercel/ai#10260 (2025-11-15), anomalyco/opencode#48582 (2026-09-12)`,
      date,
      says: [
        "Value '' at 'toolConfig.tools.{tool}.member.toolSpec.description' failed to satisfy constraint: Member must have length greater than or equal to 1",
      ],
    },
    "history-not-empty": { system: "apart", ...types },
    "tool-names": {
      characters: "a-zA-Z0-9_-",
      fewest: 1,
      most: 64,
      unique: true,
      defined: true,
      source: `${types.source}; ${texts.source} (unique)`,
      date,
    },
    arguments: {
      shape: "object",
      ...texts,
      says: [
        "The format of the value at messages.{message}.content.{part}.toolUse.input is invalid. Provide a json object for the field and try again.",
      ],
    },
    // Without tools there is no member for a choice: what asks for nothing is not missed.
    "tool-choice": { free: ["auto", "none"], ...types },
    "tools-declared": {
      defined: "declared",
      ...texts,
      says: ["The toolConfig field must be defined when using toolUse and toolResult content blocks."],
    },
    "message-name": { ...types, severity: "warning" },
    "reasoning-sealed": { by: ["signature", "data", "redactedContent"], ...types, severity: "warning" },
    "seals-at-home": {
      makers: ["anthropic", "amazon"],
      route: "bedrock",
      routed: true,
      ...texts,
      severity: "warning",
      says: ["This model doesn't support the reasoningContent.reasoningText.signature field"],
    },
    media: { assistant: [], ...types },
    "setting-ranges": ranges,
    "documents-introduced": types,
    "reasoning-once": claudeRules["reasoning-once"],
    sizes: {
      media: {
        image: { count: 20, bytes: 3.75 * megabyte },
        document: { count: 5, bytes: 4.5 * megabyte },
        text: { count: 5, bytes: 4.5 * megabyte },
      },
      ...types,
      says: ["Input is too long for requested model"],
    },
  },
  models: [
    {
      match: /claude/,
      rules: {
        "call-ids": claudeRules["call-ids"],
        "media-types": claudeRules["media-types"],
        "results-told": claudeRules["results-told"],
        // Requests that Bedrock accepted of Claude begin with the assistant (2026-11-30).
        "first-turn": null,
        "reasoning-first": claudeRules["reasoning-first"],
        "last-turn": claudeRules["last-turn"],
        "thinking-settings": claudeRules["thinking-settings"],
        "cache-marks": {
          ...claudeRules["cache-marks"],
          parts: ["text", "reasoning", "refusal", "file", "tool-call", "tool-result", "source", "change", "opaque"],
          inner: [],
          mark: { family: "bedrock-converse", member: "cachePoint", type: "default" },
        },
        "reasoning-not-last": claudeRules["reasoning-not-last"],
        "seals-at-home": { ...claudeRules["seals-at-home"], route: "bedrock" },
        "prefill-trimmed": claudeRules["prefill-trimmed"],
        media: {
          user: ["image/", "application/", "text/"],
          assistant: [],
          result: ["image/", "application/", "text/"],
          ...requests,
          says: [
            "This model doesn't support the {medium} content block that you provided. Update the content block and try again.",
          ],
        },
        "media-source": {
          document: ["data", "text", "parts"],
          image: ["data"],
          ...requests,
          says: ["messages.{message}.content.{part}.{medium}.source.type: Field required"],
        },
      },
    },
    withoutPrefill,
    // Its messages become one text: requests with two of the user's in a row were accepted (2026-11-30).
    { match: /titan-text/, rules: { "turns-alternate": null } },
    {
      match: /cohere\./,
      rules: {
        "setting-ranges": {
          within: { ...ranges.within, topP: { least: 0.01, most: 0.99 }, topK: { least: 0, most: 500 } },
          source: "reports vertesia/llumiverse#23, aws-samples/bedrock-access-gateway#12",
          date,
          says: ["Malformed input request: #/p: {value} is not less or equal to {most}"],
        },
      },
    },
    {
      match: /nova/,
      rules: {
        "result-media-source": {
          document: ["data", "text", "parts"],
          video: ["data"],
          ...requests,
          says: [extraneous],
        },
      },
    },
  ],
};
