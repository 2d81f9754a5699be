import {
  accumulate,
  type Conversation,
  type Json,
  type JsonObject,
  type Loss,
  type Message,
  type Part,
  runAll,
} from "translogue";
import { decode, type EncodeOptions, encode, streamDecoder, streamEncoder } from "translogue/convert";
import { openaiResponses } from "translogue/openai-responses";

export const family = "openai-responses";

/** A list of items, read. */
export const read = (items: readonly Json[], dialect = "openai"): readonly Message[] =>
  decode(openaiResponses, items, { shape: "messages", dialect }).conversation.messages;

export const readAnswer = (body: JsonObject): readonly Message[] =>
  decode(openaiResponses, body, { shape: "answer" }).conversation.messages;

export const write = (
  messages: readonly Message[],
  options: EncodeOptions = {},
): { value: Json; losses: readonly Loss[] } =>
  encode(openaiResponses, { messages }, { shape: "messages", recipient: "store", carry: false, ...options });

export const request = (conversation: Conversation, options: EncodeOptions = {}) =>
  encode(openaiResponses, conversation, { shape: "request", ...options });

/** A wire value of a shape, read and written again. */
export function again(
  value: Json,
  shape: "messages" | "request" | "answer" | "error",
): { value: Json; losses: readonly Loss[] } {
  const { conversation, dialect } = decode(openaiResponses, value, { shape });
  return encode(openaiResponses, conversation, { shape, dialect, recipient: "store", carry: false });
}

export const heard = (events: readonly Json[]): readonly Message[] =>
  accumulate(runAll(streamDecoder(openaiResponses), events));

export const streamed = streamEncoder;

export const codes = (losses: readonly Loss[]): readonly string[] => losses.map(({ code }) => code);

/** Parts without how they were spelled. */
export const said = (messages: readonly Message[]): readonly Part[] =>
  messages.flatMap(({ parts }) =>
    parts.map(part => {
      const { native: _, ...others } = part;
      return others as Part; // a part without a member that is optional
    }),
  );

export const seal = (values: { readonly [name: string]: string }, maker = "openai") => ({ maker, values });
export const text = (words: string): Part => ({ type: "text", text: words });

/** An answer's body with this output. */
export const body = (output: readonly Json[], more: JsonObject = {}): JsonObject => ({
  id: "resp_1",
  object: "response",
  created_at: 1790000000,
  status: "completed",
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  model: "gpt-5.4",
  parallel_tool_calls: true,
  temperature: null,
  tool_choice: "auto",
  tools: [],
  top_p: null,
  output,
  ...more,
});

export const message = (words: string, more: JsonObject = {}): JsonObject => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: words, annotations: [] }],
  ...more,
});
