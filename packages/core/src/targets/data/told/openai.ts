import type { Told } from "../../told.ts";
import { formerFunctions } from "../openai-chat.ts";

const date = "2026-11-30";
const chat = { source: "error texts of OpenAI's Chat API, as reported", date } as const;
const responses = { source: "error texts of OpenAI's Responses API, as reported", date } as const;

const everyRole = ["system", "developer", "user", "assistant", "tool"] as const;

/** What both of OpenAI's APIs say. */
const both: readonly Told[] = [
  // A list of types of blocks, where one of roles names `assistant`.
  { rule: "media", ...responses, at: "block", says: ["Invalid value: '{block}'. Supported values are: {rest}"] },
  {
    rule: "media",
    ...chat,
    at: "file",
    says: [
      "You uploaded an unsupported image",
      "Invalid MIME type '{type}'",
      "Invalid MIME type. Only image types are supported",
      "Invalid image data",
      "The image data you provided does not represent a valid image",
      "Invalid base64 image_url",
      "Unsupported file type",
      "Expected a base64-encoded data URL with an image MIME type",
      "file type you uploaded is not supported",
    ],
  },
  {
    rule: "media",
    source: "reports trpc-group/trpc-agent-go#1816 (2026-05-18), pydantic/pydantic-ai#4445, openai/openai-dotnet#450",
    date: "2026-12-01",
    at: "file",
    says: [
      "Expected a base64-encoded data URL with an application/pdf MIME type {rest} but got unsupported MIME type '{type}'",
      "Expected a file with an application/pdf MIME type, but got unsupported MIME type '{type}'",
    ],
  },
  {
    rule: "media-reachable",
    ...chat,
    says: [
      "Error while downloading {url}",
      "Timeout while downloading {url}",
      "Failed to download image from {url}",
      "Error while downloading file",
    ],
  },
  {
    rule: "sizes",
    ...chat,
    at: "messages",
    says: [
      "string too long. Expected a string with maximum length {most}, but got a string with length {length} instead",
      "Your input exceeds the context window of this model",
      "maximum context length is {most} tokens",
      "context_length_exceeded",
      "array too long. Expected an array with maximum length {most}",
    ],
  },
  {
    rule: "reasoning-sealed",
    ...chat,
    asks: {},
    at: "reasoning",
    says: ["Unknown parameter: '{rest}reasoning_content'", "Unknown parameter: '{rest}.reasoning'"],
  },
  {
    rule: "message-name",
    ...chat,
    asks: {},
    says: [
      "Invalid '{rest}.name': string does not match pattern. Expected a string that matches the pattern '^[^\\s<|\\\\/>]+$'",
      "Unknown parameter: '{rest}.name'",
    ],
  },
  {
    rule: "tool-names",
    ...chat,
    says: [
      "function.name': string does not match pattern",
      "function.name': string too long",
      "function.name': empty string",
      "].name': string does not match pattern",
      "].name': string too long",
      "].name': empty string",
    ],
  },
  {
    rule: "well-formed-text",
    ...chat,
    says: ["We could not parse the JSON body of your request", "surrogates not allowed"],
  },
];

export const openaiChatTold: readonly Told[] = [
  {
    rule: "message-not-empty",
    source: "reports docker/docker-agent#63, langchain-ai/langchainjs#4153",
    date,
    at: "no-content",
    says: [
      "Invalid value for 'content': expected a string, got null",
      "Invalid type for 'messages[{message}].content': expected {rest}, but got null instead",
      "None is not of type 'string' - 'messages.{message}.content'",
      "'content' is a required property - 'messages.{message}'",
      "Missing required parameter: 'messages[{message}].content'",
      "Invalid 'messages[{message}].content': empty array",
      "Invalid value: null for 'content'",
    ],
  },
  {
    rule: "known-members",
    ...chat,
    says: [
      "Invalid 'messages[{message}].tool_calls': empty array",
      "[] is too short - 'messages.{message}.tool_calls'",
    ],
  },
  {
    rule: "history-not-empty",
    ...chat,
    at: "messages",
    says: ["Invalid 'messages': empty array", "[] is too short - 'messages'", "Missing required parameter: 'messages'"],
  },
  {
    rule: "text-not-empty",
    ...chat,
    at: "empty-part",
    says: [
      "Missing required parameter: 'messages[{message}].content[{part}].text'",
      "Invalid type for 'messages[{message}].content[{part}].text'",
    ],
  },
  {
    rule: "media",
    source: "reports openai/openai-node#1030, OpenHands/OpenHands#7700",
    date,
    at: "file-of-role",
    says: [
      "Image URLs are only allowed for messages with role 'user', but this message with role '{role}' contains an image URL",
      "Image URLs are only allowed for messages with role 'user'",
    ],
  },
  {
    rule: "media",
    ...chat,
    at: "image",
    says: [
      "Invalid content type. image_url is only supported by certain models",
      "does not support image input",
      "Content blocks are expected to be either text or image_url type",
    ],
  },
  {
    rule: "results-once",
    ...chat,
    says: [
      "Duplicate value for 'tool_call_id' of '{id}'",
      "Duplicate value for 'tool_call_id': '{id}'",
      "Duplicate value for 'tool_call_id'",
    ],
  },
  {
    rule: "results-called",
    ...chat,
    says: [
      "messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
      "messages with role 'tool' must follow a preceding message with 'tool_calls'",
      "Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'",
      "'tool_call_id' not found in 'tool_calls' of previous message",
      "Invalid parameter: 'tool_call_id' of '{id}' not found in 'tool_calls' of previous message",
    ],
  },
  {
    rule: "calls-answered",
    ...chat,
    says: [
      "An assistant message with 'tool_calls' must be followed by tool messages",
      "did not have response messages: {ids}",
    ],
  },
  {
    rule: "call-ids",
    ...chat,
    says: ["tool_call_id': string too long", "].id': string too long", "tool_call_id': empty string"],
  },
  {
    rule: "legacy-functions",
    ...chat,
    asks: { spelled: formerFunctions },
    says: [
      "Missing parameter 'name': messages with role 'function' must have a 'name'",
      "'functions' and 'function_call' are deprecated",
      "messages with role 'function'",
    ],
  },
  {
    rule: "roles",
    ...chat,
    says: [
      "Unsupported value: 'messages[{message}].role' does not support '{role}' with this model",
      "'{role}' is not one of ['system', 'assistant', 'user', 'function'] - 'messages.{message}.role'",
    ],
  },
  ...both,
];

export const openaiResponsesTold: readonly Told[] = [
  {
    rule: "seals-at-home",
    source: "reports openai/codex#8138, continuedev/continue#10643, Wei-Shaw/sub2api#3138, can1357/oh-my-pi#11928",
    date,
    at: "seal",
    says: [
      "The encrypted content for item {id} could not be verified",
      "The encrypted content {seal} could not be verified",
      "The encrypted content {rest} could not be verified",
      "Encrypted content could not be decrypted",
      "invalid_encrypted_content",
      "`encrypted_content` was not issued to this caller",
    ],
  },
  {
    rule: "history-not-empty",
    ...responses,
    at: "messages",
    says: [
      "Invalid 'input': empty array",
      "Missing required parameter: 'input'",
      'One of "input" or "previous_response_id"',
    ],
  },
  {
    rule: "message-not-empty",
    ...responses,
    asks: { roles: everyRole },
    at: "no-content",
    says: [
      "Missing required parameter: 'input[{message}].content'",
      "Invalid type for 'input[{message}].content'",
      "Invalid 'input[{message}].content': empty array",
    ],
  },
  {
    rule: "results-called",
    ...responses,
    says: [
      "No tool call found for {kind} with call_id {id}",
      "No tool call found for",
      "Missing required parameter: 'input[{message}].call_id'",
    ],
  },
  { rule: "calls-answered", ...responses, says: ["No tool output found for"] },
  {
    rule: "call-ids",
    ...responses,
    says: ["call_id': string too long", "call_id': empty string", "call_id': string does not match pattern"],
  },
  {
    rule: "item-ids",
    ...responses,
    says: [
      "Expected an ID that begins with '{prefix}'",
      "Expected an ID that contains letters, numbers, underscores, or dashes",
      "was provided without its required 'reasoning' item",
      "].id': string too long",
      "Item with id '{id}' not found",
      "].encrypted_content'",
    ],
  },
  { rule: "reasoning-followed", ...responses, says: ["was provided without its required following item"] },
  {
    rule: "arguments",
    ...responses,
    says: ["Missing required parameter: 'input[{message}].arguments'", "Invalid type for 'input[{message}].arguments'"],
  },
  {
    rule: "media",
    ...responses,
    at: "file",
    says: [
      "Invalid 'input[{message}].content[{part}].image_url'",
      "Invalid 'input[{message}].content[{part}].file_data'",
      "The file type you uploaded is not supported",
    ],
  },
  ...both,
];
