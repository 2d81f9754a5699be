import type { Sniff } from "../../codec/codec.ts";
import { rowOf } from "../../codec/reader.ts";
import { isJsonObject, type JsonObject } from "../../model/json.ts";
import { typeRow } from "./type-rows.ts";

/** Members that only an update or a response has. */
const chatMembers = ["conversationId", "modelId"];
const agentMembers = ["agentId"];
const envelopeMembers = ["responseId", "finishReason", "continuationToken", ...chatMembers, ...agentMembers];

/** What a value of MAF's may be, by its members. */
export function sniff(value: unknown): readonly Sniff[] {
  if (Array.isArray(value)) return sniffList(value);
  if (!isJsonObject(value)) return [];
  const known = sniffObject(value);
  return known ? [known] : [];
}

function sniffObject(value: JsonObject): Sniff | undefined {
  const dialect = agentMembers.some(key => key in value) ? "agent" : "chat";
  if (isJsonObject(value["stateBag"])) return { shape: "file", confidence: 0.97, keys: ["stateBag"] };
  const messages = value["messages"];
  if (Array.isArray(messages)) {
    const likeness = Math.max(0, ...messages.slice(0, 20).map(likenessOfMessage));
    const keys = ["messages", ...envelopeMembers.filter(key => key in value)];
    const isEmpty = messages.length === 0 && keys.length > 1;
    if (likeness > 0 || isEmpty) return { shape: "answer", dialect, confidence: isEmpty ? 0.6 : likeness, keys };
    return undefined;
  }
  if (Array.isArray(value["contents"])) {
    const isUpdate = !("role" in value) || envelopeMembers.some(key => key in value);
    const confidence = likenessOfMessage({ role: "assistant", ...value });
    if (confidence > 0) return { shape: isUpdate ? "event" : "message", dialect, confidence, keys: ["contents"] };
    return undefined;
  }
  const word = value["$type"];
  const isContent = typeof word === "string" && rowOf(typeRow("AIContent")?.kinds ?? {}, word) !== undefined;
  return isContent ? { shape: "block", confidence: 0.9, keys: ["$type"] } : undefined;
}

function sniffList(list: readonly unknown[]): readonly Sniff[] {
  const found = list.slice(0, 50).flatMap(item => (isJsonObject(item) ? (sniffObject(item) ?? []) : []));
  const [first] = found;
  if (!first) return [];
  const hasEvents = found.some(({ shape }) => shape === "event");
  const shape = hasEvents ? "stream" : first.shape === "message" ? "messages" : first.shape;
  if (shape !== "stream" && shape !== "messages" && shape !== "block") return [];
  const confidence = Math.max(...found.map(each => each.confidence));
  const dialect = found.find(each => each.dialect === "agent")?.dialect ?? first.dialect;
  return [{ shape, ...(dialect !== undefined && { dialect }), confidence, keys: first.keys }];
}

function likenessOfMessage(message: unknown): number {
  if (!isJsonObject(message) || typeof message["role"] !== "string" || !Array.isArray(message["contents"])) return 0;
  const contents: readonly unknown[] = message["contents"];
  const isTyped = contents.slice(0, 20).some(content => isJsonObject(content) && typeof content["$type"] === "string");
  return isTyped ? 0.97 : contents.length === 0 ? 0.7 : 0.3;
}
