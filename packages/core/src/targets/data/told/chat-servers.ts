// table: what servers of the Chat API were reported to answer
import type { Told } from "../../told.ts";
import { openaiChatTold } from "./openai.ts";

const date = "2026-11-30";
const reported = (who: string) => ({ source: `error texts of ${who}, as reported`, date }) as const;

const oldRoles = ["system", "user", "assistant", "tool"] as const;
const filesNowhere = { user: [], assistant: [], result: [] } as const;

const deepseek = reported("DeepSeek");

export const deepseekTold: readonly Told[] = [
  {
    rule: "roles",
    ...deepseek,
    asks: { allowed: oldRoles },
    says: [
      "unknown variant `{role}`, expected one of `system`, `user`, `assistant`, `tool`",
      "unknown variant `{role}`, expected one of `system`",
      "unknown variant `developer`",
    ],
  },
  {
    rule: "media",
    source: "reports browser-use/web-ui#99, nesquena/hermes-webui#2297, chatboxai/chatbox#1740",
    date,
    asks: filesNowhere,
    says: [
      "unknown variant `{block}`, expected `text`",
      "unknown variant `image_url`",
      "unknown variant `file`",
      "unknown variant `input_audio`",
      "did not match any variant of untagged enum ChatCompletionRequestContent",
      "invalid type: sequence, expected a string",
    ],
  },
  {
    rule: "last-turn",
    ...deepseek,
    asks: { prefill: "marked", mark: "prefix" },
    says: [
      "The last message of {model} must be a user message",
      "must be a user message, or an assistant message with prefix mode on",
      "The last message must be a user message",
    ],
  },
  {
    rule: "turns-alternate",
    source: "reports deepseek-ai/DeepSeek-R1#21, Aider-AI/aider#2974",
    date,
    asks: {},
    says: [
      "does not support successive user or assistant messages (messages[{before}] and messages[{message}] in your input)",
      "does not support successive user or assistant messages",
      "You should interleave the user/assistant messages",
    ],
  },
  {
    rule: "first-turn",
    ...deepseek,
    asks: { roles: ["user"] },
    says: [
      "The first message (except the system message) of {model} must be a user message",
      "The first message must be a user message",
    ],
  },
  {
    rule: "reasoning-kept",
    source: "reports microsoft/agent-framework#8382, earendil-works/pi#3636",
    date,
    asks: { member: "reasoning_content" },
    says: [
      "The `reasoning_content` in the thinking mode must be passed back",
      "Missing `reasoning_content` field",
      "`reasoning_content` is missing",
    ],
  },
  {
    rule: "reasoning-sealed",
    ...deepseek,
    asks: {},
    at: "reasoning",
    says: [
      "The reasoning_content is an intermediate result",
      "`reasoning_content` should not be",
      "reasoning_content is not supported",
    ],
  },
  {
    rule: "message-not-empty",
    ...deepseek,
    at: "no-content",
    says: [
      "Invalid assistant message: content or tool_calls must be set",
      "content or tool_calls must be set",
      "missing field `content`",
      "invalid type: null, expected a string",
    ],
  },
  {
    rule: "results-called",
    ...deepseek,
    says: ["missing field `tool_call_id`", "Messages with role 'tool' must be a response to a preceding message"],
  },
  { rule: "calls-answered", ...deepseek, says: ["insufficient tool messages following tool_calls message"] },
  ...openaiChatTold,
];

const groq = reported("Groq");

export const groqTold: readonly Told[] = [
  {
    rule: "reasoning-sealed",
    source: "reports SimonSchubert/Kai#265, musistudio/llms#64",
    date,
    asks: {},
    at: "reasoning",
    says: [
      "property 'reasoning_content' is unsupported",
      "property 'reasoning' is unsupported",
      "property 'reasoning_details' is unsupported",
      "property 'thinking' is unsupported",
      "reasoning_content' is unsupported",
    ],
  },
  { rule: "legacy-functions", ...groq, says: ["property 'function_call' is unsupported"] },
  { rule: "message-name", ...groq, asks: {}, says: ["property 'name' is unsupported"] },
  {
    rule: "known-members",
    source: "reports chatboxai/chatbox#2081, ServiceStack/llms#17",
    date,
    asks: { refused: [] },
    says: ["property '{name}' is unsupported"],
  },
  {
    rule: "media",
    source: "reports CherryHQ/cherry-studio#3307, OpenHands/OpenHands#4643",
    date,
    asks: filesNowhere,
    says: [
      "content' : value must be a string",
      "content must be a string",
      "does not support images",
      "value is not one of the allowed values ['text']",
    ],
  },
  {
    rule: "message-not-empty",
    ...groq,
    at: "no-content",
    says: ["content' : value is missing", "property 'content' is missing", "minimum number of items is 1"],
  },
  {
    rule: "roles",
    ...groq,
    asks: { allowed: oldRoles },
    says: ["discriminator property 'role' has invalid value", "role' : value is not one of the allowed values"],
  },
  { rule: "results-called", ...groq, says: ["tool_call_id' : value is missing", "property 'tool_call_id' is missing"] },
  { rule: "turns-alternate", ...groq, asks: {}, says: ["roles must alternate"] },
  ...openaiChatTold,
];

const mistral = reported("Mistral's API");

export const mistralTold: readonly Told[] = [
  {
    rule: "message-not-empty",
    source: "report solbrowse/extension#16",
    date,
    at: "no-content",
    says: [
      "Assistant message must have either content or tool_calls",
      "must have either content or tool_calls",
      "content must not be empty",
    ],
  },
  {
    rule: "tool-names",
    ...mistral,
    says: ["Function name was {name} but must be", "Function name was", "Tool name was {name} but must be"],
  },
  {
    rule: "results-called",
    source: "reports mistralai/mistral-inference#135, charmbracelet/crush#279",
    date,
    says: ["Unexpected role RoleEnum.tool", "Unexpected role 'tool' after role 'user'"],
  },
  { rule: "tool-names", ...mistral, at: "duplicate-tool", says: ["Duplicate function name", "Duplicate tool name"] },
  {
    rule: "call-ids",
    ...mistral,
    says: ["Tool call id was {id} but must be", "Tool call id has to be defined", "Tool call id was"],
  },
  {
    rule: "call-ids-unique",
    ...mistral,
    asks: { among: "conversation" },
    says: ["Duplicate tool call id in assistant messages", "Duplicate tool call id {id}", "Duplicate tool call id"],
  },
  { rule: "results-once", ...mistral, says: ["Duplicate tool call id in tool results", "Duplicate tool result"] },
  {
    rule: "results-called",
    ...mistral,
    says: [
      "Unexpected tool call id {id}",
      "Unexpected role 'tool' after role '{before}'",
      "Tool call id {id} not found",
    ],
  },
  {
    rule: "last-turn",
    ...mistral,
    says: ["Expected last role {rest} but got {role}", "Expected last role User or Tool"],
  },
  {
    rule: "first-turn",
    ...mistral,
    asks: { roles: ["user"] },
    says: ["Expected first role {rest} but got {role}", "Conversation must start with a user message"],
  },
  {
    rule: "turns-alternate",
    ...mistral,
    asks: {},
    says: [
      "Conversation roles must alternate",
      "conversation roles must alternate user",
      "Unexpected role 'assistant' after role 'assistant'",
    ],
  },
  {
    rule: "system-place",
    ...mistral,
    asks: { allowed: "first" },
    says: ["Unexpected role 'system' after role '{before}'"],
  },
  {
    rule: "reasoning-sealed",
    ...mistral,
    asks: {},
    at: "reasoning",
    says: [
      "reasoning_content: Extra inputs are not permitted",
      'reasoning_content"],"msg":"Extra inputs are not permitted',
    ],
  },
  {
    rule: "media",
    ...mistral,
    at: "file",
    says: [
      "Image input is not enabled for this model",
      "image_url: Image",
      "Image could not be loaded",
      "does not support image input",
    ],
  },
  {
    rule: "media-reachable",
    ...mistral,
    says: ["could not be fetched", "Failed to fetch image", "could not be loaded as a valid image"],
  },
  {
    rule: "sizes",
    ...mistral,
    at: "messages",
    says: ["Prompt contains {length} tokens", "too large for model with {most} maximum context length"],
  },
];

const xai = reported("xAI");

export const xaiTold: readonly Told[] = [
  {
    rule: "message-not-empty",
    source: "reports n8n-io/n8n#14797, langchain-ai/langchain#34140, langbot-app/LangBot#1205",
    date,
    at: "no-content",
    says: [
      "Each message must have at least one content element",
      "An empty message was provided. Every message needs at least one non-empty content element",
      "Every message needs at least one non-empty content element",
    ],
  },
  {
    rule: "message-name",
    source: "report BerriAI/litellm#9720",
    date,
    asks: {},
    says: ["Only messages of role 'user' can have a name"],
  },
  {
    rule: "media",
    ...xai,
    asks: { user: [], assistant: [], result: [] },
    says: [
      "The model expects a single `text` element per message",
      "Image inputs are not supported by this model",
      "does not support image input",
    ],
  },
  {
    rule: "roles",
    ...xai,
    asks: { allowed: oldRoles },
    says: ["Invalid role", "unknown variant `{role}`, expected one of `system`"],
  },
  ...openaiChatTold,
];

const ollama = reported("Ollama");

export const ollamaTold: readonly Told[] = [
  {
    rule: "roles",
    ...ollama,
    asks: { allowed: oldRoles },
    says: ["invalid message role: {role}", "invalid role: {role}", "role must be one of"],
  },
  {
    rule: "media",
    ...ollama,
    at: "file",
    says: [
      "illegal base64 data at input byte",
      "this model is missing data required for image input",
      "does not support images",
      "invalid image input",
      "Failed to load image",
      "image: unknown format",
      "unable to process image",
    ],
  },
  {
    rule: "message-not-empty",
    ...ollama,
    at: "no-content",
    says: ["invalid message format", "message content is required", "invalid message content type: <nil>"],
  },
  {
    rule: "arguments",
    ...ollama,
    says: ["function.arguments of type", "cannot unmarshal string into Go struct field", "invalid tool call arguments"],
  },
  {
    rule: "sizes",
    ...ollama,
    at: "messages",
    says: [
      "exceeds the available context size",
      "input length exceeds the context length",
      "exceeds maximum context length",
      "prompt too long; exceeded max context length",
    ],
  },
];

const cohere = reported("Cohere");

export const cohereTold: readonly Told[] = [
  {
    rule: "message-not-empty",
    source: "reports kwaroran/Risuai#504, langchain-ai/langchain-cohere#15",
    date,
    asks: { roles: ["system", "developer", "user", "assistant", "tool"] },
    says: [
      "all elements in history must have a message",
      "message must be at least 1 token long",
      "must have non-empty content",
    ],
  },
  {
    rule: "answer-after-results",
    source: "report cohere-ai/cohere-python#525",
    date,
    asks: {},
    says: [
      "cannot specify both message and tool_results",
      "cannot specify message if the last entry in chat history contains tool results",
    ],
  },
  {
    rule: "results-called",
    ...cohere,
    says: [
      "tool call id not found in previous tool calls: {id}",
      "tool call id not found in previous tool calls",
      "tool call id not found",
      "tool_call_id is required",
    ],
  },
  { rule: "calls-answered", ...cohere, says: ["missing tool results"] },
  {
    rule: "call-ids-unique",
    ...cohere,
    asks: { among: "conversation" },
    says: ["duplicate tool call id {id}", "tool call ids must be unique"],
  },
  { rule: "roles", ...cohere, asks: { allowed: oldRoles }, says: ["invalid role: {role}"] },
  {
    rule: "last-turn",
    ...cohere,
    asks: { prefill: "never" },
    says: ["last message must be", "the last message must have role"],
  },
  { rule: "sizes", ...cohere, at: "messages", says: ["too many tokens"] },
];

const open = reported("vLLM, llama.cpp, Moonshot and other servers of the Chat API");

/** Servers of models that anyone runs, by their templates and by their own checks. */
export const anyChatTold: readonly Told[] = [
  {
    rule: "turns-alternate",
    source: "reports charmbracelet/crush#279, FoundationAgents/OpenManus#580",
    date,
    asks: {},
    says: [
      "conversation roles must alternate",
      "roles must alternate",
      "user and assistant roles should be alternating",
      "Cannot have 2 or more assistant messages at the end of the list",
    ],
  },
  {
    rule: "system-place",
    ...open,
    asks: { allowed: "first" },
    says: ["System message must be at the beginning", "system message must be the first"],
  },
  {
    rule: "system-place",
    ...open,
    asks: { allowed: "none" },
    says: ["System role not supported", "System role is not supported"],
  },
  {
    rule: "roles",
    ...open,
    asks: { allowed: oldRoles },
    says: [
      "Unexpected message role",
      "Unknown role: {role}",
      "Only user and assistant roles are supported",
      "Only user, assistant and tool roles are supported",
      "Invalid role: {role}",
    ],
  },
  {
    rule: "message-not-empty",
    ...open,
    at: "no-content",
    says: ["message at position {message} with role '{role}' must not be empty"],
  },
  {
    rule: "results-called",
    ...open,
    says: [
      "tool_call_id is not found",
      "tool_call_id {id} is not found",
      "tool call result does not follow tool call",
      "tool result's tool id({id}) not found",
      "tool id {id} not found",
    ],
  },
  {
    rule: "last-turn",
    ...open,
    asks: { prefill: "never" },
    says: [
      "Assistant response prefill is incompatible with enable_thinking",
      "last message must be a user",
      "last message must be from user",
    ],
  },
  {
    rule: "first-turn",
    ...open,
    asks: { roles: ["user"] },
    says: ["No user query found in messages", "first message must be a user"],
  },
  { rule: "answer-after-results", ...open, asks: {}, says: ["Unexpected role 'user' after role 'tool'"] },
  {
    rule: "reasoning-sealed",
    ...open,
    asks: {},
    at: "reasoning",
    says: [
      "reasoning_content: Extra inputs are not permitted",
      "reasoning_content' is unsupported",
      "reasoning_content: property is unsupported",
    ],
  },
  {
    rule: "media",
    ...open,
    asks: filesNowhere,
    says: [
      "is not a multimodal model",
      "does not support image input",
      "At most 0 image(s) may be provided",
      "image input is not supported",
      "No endpoints found that support image input",
    ],
  },
  {
    rule: "sizes",
    ...open,
    at: "messages",
    says: [
      "Range of input length should be",
      "exceeded model token limit",
      "exceeds the available context size",
      "prompt too long; exceeded max context length",
      "The total length of all messages is too long",
    ],
  },
];
