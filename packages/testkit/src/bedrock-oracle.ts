import { encode, isJsonObject, type Json, type JsonObject, type Message } from "translogue";
import { fromSdk } from "translogue/bedrock-converse";
import { sdkStreams } from "./bedrock-sdk.ts";
import { difference } from "./difference.ts";
import { lastAnswer } from "./last-answer.ts";

/**
 * Compares the messages accumulated from the events of a ConverseStream with what AWS's SDK reads of the events. The SDK
 * adds nothing up: that is done here as its users do it, in the members that its types declare.
 */
export async function bedrockOracle(
  wireEvents: readonly Json[],
  messages: readonly Message[],
): Promise<string | undefined> {
  const answer = lastAnswer(messages);
  const isFailed = answer.some(({ finish }) => finish?.reason === "error" || finish?.reason === "incomplete");
  const { value } = encode(
    { messages: answer },
    { to: "bedrock-converse", shape: "answer", recipient: "store", carry: false },
  );
  const events = (await sdkStreams(wireEvents)).map(event => object(fromSdk(event)));
  const isRefused = events.some(event => Object.keys(event).some(name => name.endsWith("Exception")));
  if (isFailed) return undefined;
  if (isRefused) return "the SDK refuses the stream, and ours takes it for a success";
  const unread = new Set(answer.flatMap(({ parts }) => parts.flatMap(part => (isUnread(part) ? [part.callId] : []))));
  const message = object(object(object(value)["output"])["message"]);
  const ours = list(message["content"]).map(block => declared(object(block), unread));
  return difference(added(events, unread), ours);
}

const isUnread = (part: Message["parts"][number]): part is Message["parts"][number] & { readonly callId: string } =>
  part.type === "tool-call" && part.input === undefined;

const object = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});
const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : []); // a list of JSON

/** The deltas of one block, by what they are of. */
interface Sums {
  readonly start: JsonObject;
  text: string | undefined;
  thought: string | undefined;
  signature: string | undefined;
  redacted: string | undefined;
  input: string;
  image: JsonObject;
  readonly items: Json[];
  readonly citations: Json[];
}

function added(events: readonly JsonObject[], unread: ReadonlySet<string>): Json[] {
  const blocks = new Map<Json | undefined, Sums>();
  const blockOf = (index: Json | undefined, start: JsonObject = {}): Sums => {
    const known = blocks.get(index) ?? { ...empty(), start };
    blocks.set(index, known);
    return known;
  };
  for (const event of events) {
    const begun = object(event["contentBlockStart"]);
    if (isJsonObject(begun["start"])) blockOf(begun["contentBlockIndex"], begun["start"]);
    const { delta, contentBlockIndex: index } = object(event["contentBlockDelta"]);
    if (isJsonObject(delta)) add(blockOf(index), delta);
  }
  return [...blocks.values()].map(sums => declared(blockOfSums(sums), unread));
}

const empty = (): Omit<Sums, "start"> => ({
  text: undefined,
  thought: undefined,
  signature: undefined,
  redacted: undefined,
  input: "",
  image: {},
  items: [],
  citations: [],
});

function add(sums: Sums, { text, toolUse, reasoningContent, citation, toolResult, image }: JsonObject): void {
  const thought = object(reasoningContent);
  const { input } = object(toolUse);
  if (typeof text === "string") sums.text = (sums.text ?? "") + text;
  if (typeof thought["text"] === "string") sums.thought = (sums.thought ?? "") + thought["text"];
  if (typeof thought["signature"] === "string") sums.signature = thought["signature"];
  if (typeof thought["redactedContent"] === "string") sums.redacted = thought["redactedContent"];
  if (typeof input === "string") sums.input += input;
  if (isJsonObject(image)) sums.image = { ...sums.image, ...image };
  if (citation !== undefined) sums.citations.push(citation);
  sums.items.push(...list(toolResult));
}

function blockOfSums({ start, text, thought, signature, redacted, input, image, items, citations }: Sums): JsonObject {
  if (isJsonObject(start["toolUse"])) return { toolUse: { ...start["toolUse"], input: parsed(input) } };
  if (isJsonObject(start["toolResult"])) return { toolResult: { ...start["toolResult"], content: items } };
  if (isJsonObject(start["image"])) return { image: { ...start["image"], ...image } };
  if (thought !== undefined || signature !== undefined || redacted !== undefined) {
    const isShown = thought !== undefined || signature !== undefined;
    const reasoningText = { text: thought ?? "", ...(signature !== undefined && { signature }) };
    return {
      reasoningContent: {
        ...(isShown && { reasoningText }),
        ...(redacted !== undefined && { redactedContent: redacted }),
      },
    };
  }
  return citations.length > 0
    ? { citationsContent: { content: [{ text: text ?? "" }], citations } }
    : { text: text ?? "" };
}

const parsed = (text: string): Json => {
  try {
    return text === "" ? {} : (JSON.parse(text) as Json); // JSON.parse gives JSON
  } catch {
    return text;
  }
};

/** A block in the members that the SDK's types declare; arguments that are no JSON are left out. */
function declared(block: JsonObject, unread: ReadonlySet<string>): Json {
  const { toolUse, toolResult, text, citationsContent } = block;
  if (isJsonObject(toolUse)) {
    const { toolUseId, name, type, input } = toolUse;
    const isRead = !unread.has(String(toolUseId));
    return JSON.parse(JSON.stringify({ toolUse: { toolUseId, name, type, ...(isRead && { input }) } })) as Json; // as above
  }
  if (isJsonObject(toolResult)) {
    const { toolUseId, type, status, content = [] } = toolResult;
    return JSON.parse(JSON.stringify({ toolResult: { toolUseId, type, status, content } })) as Json; // as above
  }
  if (typeof text === "string") return { text };
  const { content, citations } = object(citationsContent);
  // A stream does not say how a text was divided.
  const whole = list(content).map(item => object(item)["text"]);
  if (!isJsonObject(citationsContent)) return block;
  return { citationsContent: { content: [{ text: whole.join("") }], citations: citations ?? [] } };
}
