import type { Told } from "../../told.ts";

const date = "2026-11-30";
const reported = { source: "error texts of Anthropic's API, as reported", date } as const;

/** Claude's, wherever it is asked. */
export const claudeTold: readonly Told[] = [
  {
    rule: "reasoning-sealed",
    source: "report lbjlaq/Antigravity-Manager#1790",
    date,
    asks: { by: ["signature", "data"] },
    says: [
      "content.{part}.thinking.signature: Field required",
      "thinking.signature: Field required",
      "thinking.signature: Input should be a valid string",
      "redacted_thinking.data: Field required",
    ],
  },
  {
    rule: "last-turn",
    source: "report anthropics/claude-code#7946",
    date,
    at: "last-reasoning",
    says: [
      "When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`",
      "an `assistant` message in the final position cannot contain `{block}`",
    ],
  },
  {
    rule: "last-turn",
    ...reported,
    at: "last-message",
    says: [
      "Your API request included an `assistant` message in the final position, which would pre-fill the `assistant` response",
      "pre-filling the `assistant` response is not supported",
      "The conversation must end with a user message",
    ],
  },
  {
    rule: "reasoning-not-last",
    ...reported,
    at: "reasoning-at-end",
    says: ["The final block in an assistant message cannot be `{block}`"],
  },
  {
    rule: "reasoning-first",
    source: "report lbjlaq/Antigravity-Manager#653",
    date,
    says: [
      "If an assistant message contains any thinking blocks, the first block must be `thinking` or `redacted_thinking`. Found `{found}`",
      "the first block must be `thinking` or `redacted_thinking`",
      "a final `assistant` message must start with a thinking block",
    ],
  },
  {
    rule: "seals-at-home",
    source: "report anthropics/claude-code#63432",
    date,
    says: [
      "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified",
      "Invalid `data` in `redacted_thinking` block",
      "Invalid `signature`",
      "Invalid encrypted_content in search_result block",
      "Invalid `encrypted_content`",
    ],
  },
  {
    rule: "sizes",
    source: "reports anthropics/claude-code#19631, #4778",
    date,
    at: "image",
    asks: { media: { image: { bytes: 3_932_160 } } },
    says: [
      "image exceeds {most} MB maximum: {length} bytes > {rest} bytes",
      "image exceeds {limit} maximum",
      "At least one of the image dimensions exceed max allowed size",
    ],
  },
  {
    rule: "sizes",
    ...reported,
    at: "messages",
    says: [
      "prompt is too long: {rest}",
      "prompt is too long",
      "input length and `max_tokens` exceed context limit",
      "Request exceeds the maximum size",
      "A maximum of {most} PDF pages may be provided",
      "Too many images and documents",
    ],
  },
  {
    rule: "media",
    source: "reports anthropics/claude-code#15746, #13131",
    date,
    at: "file",
    says: [
      "source.base64.media_type: Input should be {rest}",
      "media_type: Input should be 'image/jpeg'",
      "source.media_type: Input should be {rest}",
      "Image does not match the provided media type {type}",
      "The image was specified using the {type} media type, but the image appears to be a",
      "Could not process {medium}",
      "The PDF specified was not valid",
      "Input tag 'image' found using 'type' does not match any of the expected tags",
    ],
  },
  {
    rule: "media-reachable",
    ...reported,
    says: [
      "Unable to download the file",
      "Only HTTPS URLs are supported",
      "This URL is disallowed by the website's robots.txt",
    ],
  },
  {
    rule: "turns-alternate",
    ...reported,
    asks: {},
    says: [
      'messages: roles must alternate between "user" and "assistant", but found multiple "{role}" roles in a row',
      'roles must alternate between "user" and "assistant"',
      "roles must alternate",
    ],
  },
  {
    rule: "first-turn",
    ...reported,
    asks: { roles: ["user"] },
    says: ['first message must use the "user" role', "first message must use the user role"],
  },
  {
    rule: "failed-results",
    source: "report earendil-works/pi#10794",
    date,
    says: [
      'all content must be type "text" if "is_error" is true',
      "all content must be type `text` if `is_error` is true",
    ],
  },
  {
    rule: "tool-names",
    ...reported,
    at: "duplicate-tool",
    says: ["tools: Tool names must be unique", "Tool names must be unique"],
  },
  {
    rule: "tool-names",
    ...reported,
    says: ["tool_use.name: String should {rest}", "custom.name: String should {rest}", "tool_use.name: Field required"],
  },
  {
    rule: "arguments",
    ...reported,
    says: [
      "tool_use.input: Input should be an object",
      "tool_use.input: Input should be {rest}",
      "tool_use.input: Field required",
    ],
  },
  {
    rule: "call-ids",
    ...reported,
    says: ["tool_use.id: String should {rest}", "tool_use_id: String should {rest}", "tool_use.id: Field required"],
  },
  {
    rule: "results-called",
    ...reported,
    says: ["tool_result.tool_use_id: Field required", "unexpected `tool_use_id` found in `tool_result` blocks"],
  },
  {
    rule: "calls-answered",
    ...reported,
    says: [
      "`tool_use` ids were found without `tool_result` blocks",
      "Did not find {length} `tool_result` block(s) at the beginning of this message",
    ],
  },
  {
    rule: "results-first",
    ...reported,
    says: ["`tool_result` blocks must come first", "tool_result blocks must be at the beginning"],
  },
  {
    rule: "results-once",
    ...reported,
    says: ["each `tool_use` must have a single result", "Found multiple `tool_result` blocks with id: {id}"],
  },
  { rule: "provider-calls-answered", ...reported, says: ["was found without a corresponding `{block}` block"] },
  {
    rule: "message-not-empty",
    ...reported,
    asks: { roles: ["user", "assistant", "tool"] },
    says: [
      "user messages must have non-empty content",
      "content: Field required",
      "cache_control cannot be set for empty text blocks",
    ],
  },
  {
    rule: "text-not-empty",
    ...reported,
    says: [
      "text: String should have at least 1 character",
      "cache_control cannot be set for empty text blocks",
      "text.text: Field required",
      "text content blocks must be non-empty",
    ],
  },
  {
    rule: "well-formed-text",
    ...reported,
    says: [
      "The request body is not valid JSON: {rest}surrogate",
      "surrogates not allowed",
      "unexpected end of hex escape",
      "The request body is not valid JSON: unexpected control character in string",
    ],
  },
  { rule: "history-not-empty", ...reported, at: "messages", says: ["messages: at least one message is required"] },
  {
    rule: "thinking-settings",
    source: "reports MartialBE/one-hub#529 (2025-03-05), mastra-ai/mastra#7507 (2025-09-05)",
    date,
    says: [
      "`{name}` may only be set to 1 when thinking is enabled",
      "`max_tokens` must be greater than `thinking.budget_tokens`",
      "thinking.enabled.budget_tokens: Input should be greater than or equal to {least}",
      "Thinking may not be enabled when tool_choice forces tool use",
    ],
  },
  { rule: "message-name", ...reported, says: ["name: Extra inputs are not permitted"] },
];

export const anthropicTold: readonly Told[] = [
  ...claudeTold,
  {
    rule: "roles",
    ...reported,
    asks: { allowed: ["user", "assistant", "tool", "system"] },
    says: [
      "role: Input should be 'user' or 'assistant'",
      'Unexpected role "{role}"',
      'Allowed roles are "user" or "assistant"',
    ],
  },
];
