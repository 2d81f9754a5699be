import type { Told } from "../../told.ts";

const date = "2026-11-30";
const reported = { source: "error texts of the Gemini API and of Vertex AI, as reported", date } as const;

export const geminiTold: readonly Told[] = [
  {
    rule: "calls-sealed",
    source: "reports Piebald-AI/piebald-issues#21, lbjlaq/Antigravity-Manager#3202",
    date,
    asks: { maker: "google" },
    at: "call",
    says: [
      "function call `default_api:{tool}` in the {position}. content block is missing a `thought_signature`",
      "function call `{tool}` in the {position}. content block is missing a `thought_signature`",
      "function call `default_api:{tool}`",
      "is missing a `thought_signature`",
    ],
  },
  {
    rule: "seals-at-home",
    ...reported,
    at: "seal",
    says: [
      'thought_signature\' (TYPE_BYTES), Base64 decoding failed for "{seal}"',
      "thought_signature (TYPE_BYTES), Base64 decoding failed",
      "thoughtSignature (TYPE_BYTES), Base64 decoding failed",
      "(TYPE_BYTES), Base64 decoding failed",
      "thought signature is not valid",
      "Invalid thought_signature",
      "Corrupted thought signature",
      "Thought signature is invalid",
    ],
  },
  {
    rule: "last-turn",
    source: "report google/oss-rebuild#1559 (2026-09-09)",
    date,
    asks: { prefill: "never" },
    says: ["Requests ending with a model turn are not supported"],
  },
  {
    rule: "text-not-empty",
    source: "report PublicAffairs/openai-gemini#37",
    date,
    at: "empty-part",
    says: ["Unable to submit request because it must have a text parameter"],
  },
  {
    rule: "message-not-empty",
    source: "report vercel/ai#3775",
    date,
    at: "no-content",
    says: [
      "contents.parts must not be empty",
      "must include at least one parts field",
      "Unable to submit request because it must include at least one parts field",
    ],
  },
  {
    rule: "history-not-empty",
    source: "report vercel/ai#3775",
    date,
    at: "messages",
    says: ["contents is not specified", "at least one contents field is required", "contents are required"],
  },
  {
    rule: "text-not-empty",
    source: "reports genkit-ai/genkit#3816, mscraftsman/generative-ai#74",
    date,
    asks: { blank: false },
    at: "empty-part",
    says: [
      "required oneof field 'data' must have one initialized field",
      "Unable to submit request because it has an empty text parameter",
      "Unable to submit request because it contains an empty text parameter",
      "empty text parameter",
      "empty text is not allowed",
    ],
  },
  {
    rule: "system-place",
    ...reported,
    asks: { allowed: "none" },
    says: [
      "Content with system role is not supported",
      "Developer instruction is not enabled",
      "System instruction is not supported",
      "System role is not supported",
    ],
  },
  { rule: "roles", ...reported, says: ["Please use a valid role", "valid role: user, model"] },
  {
    rule: "tool-names",
    ...reported,
    at: "nameless-result",
    says: [
      "function_response.name: Name cannot be empty",
      "function_response.name: [REQUIRED_FIELD_MISSING]",
      "functionResponse.name: Name cannot be empty",
    ],
  },
  {
    rule: "tool-names",
    ...reported,
    at: "duplicate-tool",
    says: ["Duplicate function declaration found: {name}", "Duplicate function declaration found"],
  },
  {
    rule: "tool-names",
    source: "report decolua/9router#369",
    date,
    says: ["Invalid function name", "function_call.name: Name cannot be empty", "Function name cannot be empty"],
  },
  { rule: "first-turn", ...reported, says: ["function call turn comes immediately after a user turn"] },
  {
    rule: "calls-answered",
    ...reported,
    says: [
      "function call turn comes immediately after a user turn",
      "number of function response parts is equal to the number of function call parts",
      "number of function response parts should be equal to number of function call parts",
    ],
  },
  {
    rule: "results-called",
    ...reported,
    says: [
      "function response turn comes immediately after a function call turn",
      "function response turn comes immediately after",
    ],
  },
  {
    rule: "results-called",
    source: "report googleapis/python-genai#81",
    date,
    says: [
      "function call turn contains at least one function_call part which can not be mixed with function_response parts",
    ],
  },
  {
    rule: "last-turn",
    ...reported,
    says: [
      "single turn requests end with a user role",
      "multiturn requests ends with a user role",
      "multiturn requests alternate between user and model",
    ],
  },
  {
    rule: "turns-alternate",
    ...reported,
    asks: {},
    says: ["multiturn requests alternate between user and model", "roles must alternate"],
  },
  {
    rule: "media",
    ...reported,
    at: "file",
    says: [
      "Unsupported MIME type: {type}",
      "Unsupported file mimetype: {type}",
      "mimeType parameter with value {type}, which is not supported",
      "Unable to process input {medium}",
      "Provided image is not valid",
      "The document has no pages",
      "MIME type is not supported",
      "mime_type is required",
      "inline_data (TYPE_BYTES)",
    ],
  },
  {
    rule: "media-reachable",
    ...reported,
    says: [
      "Cannot fetch content from the provided URL",
      "Unable to fetch",
      "You do not have permission to access the File",
      "Unsupported file uri",
      "Invalid or unsupported file uri",
    ],
  },
  {
    rule: "arguments",
    ...reported,
    says: [
      "function_call.args (type.googleapis.com/google.protobuf.Struct)",
      "Invalid value at '{rest}function_call.args'",
      'Invalid JSON payload received. Unknown name "args"',
    ],
  },
  {
    rule: "sizes",
    ...reported,
    at: "messages",
    says: [
      "The input token count ({length}) exceeds the maximum number of tokens allowed",
      "exceeds the maximum number of tokens allowed",
      "Request payload size exceeds the limit",
    ],
  },
];
