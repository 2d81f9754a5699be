import type { Told } from "../../told.ts";
import { claudeTold } from "./anthropic.ts";

const date = "2026-11-30";
const reported = { source: "error texts of Bedrock Converse, as reported", date } as const;

const converse: readonly Told[] = [
  {
    rule: "tool-names",
    ...reported,
    says: [
      "member.toolUse.name' failed to satisfy constraint",
      "toolUse.name{rest}length less than or equal to {most}",
      "toolSpec.name' failed to satisfy constraint",
      "toolSpec.name{rest}length less than or equal to {most}",
      "toolUse.name{rest}failed to satisfy constraint",
    ],
  },
  {
    rule: "tool-names",
    ...reported,
    at: "duplicate-tool",
    says: ["The tool names in toolConfig must be unique", "toolConfig.tools contains duplicate", "Duplicate tool name"],
  },
  {
    rule: "call-ids",
    ...reported,
    says: ["toolUseId' failed to satisfy constraint", "toolUseId{rest}length less than or equal to {most}"],
  },
  {
    rule: "media",
    source: "reports simonw/llm-bedrock#8, vercel/ai#20365",
    date,
    at: "misnamed-file",
    says: [
      "file name can only contain alphanumeric characters",
      "The file name can only contain",
      "Messages can not contain duplicate document file names",
      "duplicate document file names",
      "document.name' failed to satisfy constraint",
    ],
  },
  {
    rule: "documents-introduced",
    ...reported,
    asks: {},
    says: [
      "A text block must be included when providing a document",
      "a text block must be included",
      "text field is required when providing a document",
    ],
  },
  {
    rule: "answer-after-results",
    ...reported,
    asks: {},
    at: "beside-results",
    says: [
      "Conversation blocks and tool result blocks cannot be provided in the same turn",
      "tool result blocks cannot be provided in the same turn",
    ],
  },
  {
    rule: "turns-alternate",
    ...reported,
    says: [
      "A conversation must alternate between user and assistant roles",
      "conversation alternates between user and assistant",
      "Conversation roles must alternate",
    ],
  },
  {
    rule: "first-turn",
    ...reported,
    asks: { roles: ["user"] },
    says: ["A conversation must start with a user message"],
  },
  {
    rule: "call-ids-unique",
    ...reported,
    says: [
      "The toolUse blocks at messages.{message}.content contain duplicate Ids: {id}",
      "toolUse blocks at messages.{message}.content contain duplicate",
    ],
  },
  {
    rule: "results-once",
    ...reported,
    says: [
      "The toolResult blocks at messages.{message}.content contain duplicate Ids: {id}",
      "toolResult blocks at messages.{message}.content contain duplicate",
    ],
  },
  { rule: "calls-answered", ...reported, says: ["Expected toolResult blocks at messages.{message}.content"] },
  {
    rule: "results-called",
    ...reported,
    says: [
      "number of toolResult blocks at messages.{message}.content exceeds the number of toolUse blocks of previous turn",
    ],
  },
  {
    rule: "message-not-empty",
    ...reported,
    says: ["The content field in the Message object at messages.{message} is empty"],
  },
  {
    rule: "history-not-empty",
    ...reported,
    at: "messages",
    says: [
      "Value '[]' at 'messages' failed to satisfy constraint",
      "at 'messages' failed to satisfy constraint: Member must have length greater than or equal to 1",
      "messages: at least one message is required",
    ],
  },
  {
    rule: "text-not-empty",
    ...reported,
    says: [
      "The text field in the ContentBlock object at messages.{message}.content.{part} is blank",
      "text field in the ContentBlock object",
      "text' failed to satisfy constraint: Member must have length greater than or equal to 1",
    ],
  },
  {
    rule: "system-place",
    ...reported,
    asks: { allowed: "none" },
    says: ["This model doesn't support system messages", "doesn't support system prompts"],
  },
  {
    rule: "last-turn",
    ...reported,
    asks: { prefill: "never" },
    says: [
      "conversation must end with a user message",
      "last turn in a conversation must be a user message",
      "The model does not support assistant message prefill",
    ],
  },
  {
    rule: "reasoning-sealed",
    ...reported,
    asks: {},
    at: "reasoning",
    says: [
      "This model doesn't support the reasoningContent content block",
      "User messages cannot contain reasoning content",
      "doesn't support the reasoningContent",
    ],
  },
  {
    rule: "media",
    ...reported,
    at: "file",
    says: [
      "This model doesn't support the {medium} content block",
      "The model doesn't support the {medium} format",
      "Failed to sanitize image",
      "Invalid {medium} content",
      "Could not process {medium}",
      "The PDF specified was not valid",
      "{medium}.format' failed to satisfy constraint",
    ],
  },
  {
    rule: "sizes",
    ...reported,
    at: "messages",
    says: [
      "Input is too long",
      "The model returned the following errors: Input Tokens Exceeded",
      "too many total text bytes",
    ],
  },
  {
    rule: "sizes",
    ...reported,
    at: "file",
    says: [
      "image exceeds max pixels allowed",
      "The maximum number of {medium} blocks",
      "exceeds the maximum number of images",
      "document exceeds",
      "larger than the maximum allowed file size",
    ],
  },
];

export const bedrockTold: readonly Told[] = [...converse, ...claudeTold];
