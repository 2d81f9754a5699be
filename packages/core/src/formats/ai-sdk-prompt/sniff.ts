import type { Sniff } from "../../codec/codec.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";

/** How much of a long prompt is looked at. */
const looked = 50;

const roles: readonly string[] = ["system", "user", "assistant", "tool"];

/** The readings of a value: a call says `prompt`, an answer `finishReason`; a bare prompt looks like model messages. */
export function sniff(value: unknown): readonly Sniff[] {
  if (Array.isArray(value)) return sniffPrompt(value as readonly Json[]);
  if (!isJsonObject(value)) return [];
  const { prompt, content, finishReason } = value;
  if (Array.isArray(prompt)) {
    const [list] = sniffPrompt(prompt as readonly Json[]);
    const dialect = list?.dialect ?? "v4";
    return [{ shape: "request", dialect: dialectOfTools(value) ?? dialect, confidence: 0.9, keys: ["prompt"] }];
  }
  if (Array.isArray(content) && finishReason !== undefined) {
    const dialect = isJsonObject(finishReason)
      ? dialectOf((content as readonly Json[]).filter(isJsonObject), "v4", "v3")
      : "v2";
    return [{ shape: "answer", dialect, confidence: 0.9, keys: ["content", "finishReason"] }];
  }
  if (!isMessage(value)) return [];
  return [{ ...reading([value]), shape: "message" }];
}

function sniffPrompt(list: readonly Json[]): readonly Sniff[] {
  const some = list.slice(0, looked).filter(isJsonObject).filter(isMessage);
  return some.length === 0 ? [] : [{ ...reading(some), shape: "messages" }];
}

/** Never surer than model messages are, of which it is the narrower form. */
function reading(messages: readonly JsonObject[]): Omit<Sniff, "shape"> {
  const parts = messages.flatMap(({ content }) =>
    Array.isArray(content) ? (content as readonly Json[]).filter(isJsonObject) : [],
  );
  const isTold = parts.some(({ type, toolCallId }) => typeof toolCallId === "string" || type === "file");
  return { dialect: dialectOf(parts, "v4", "v3"), confidence: isTold ? 0.5 : 0.1, keys: ["role", "content"] };
}

const isMessage = ({ role, content, parts }: JsonObject): boolean =>
  typeof role === "string" &&
  roles.includes(role) &&
  parts === undefined &&
  (role === "system" ? typeof content === "string" : Array.isArray(content));

const dialectOf = (parts: readonly JsonObject[], newer: string, older: string): string =>
  parts.some(({ type, data }) => type === "file" && typeof data === "string") ? older : newer;

function dialectOfTools({ tools }: JsonObject): string | undefined {
  const list = Array.isArray(tools) ? (tools as readonly Json[]).filter(isJsonObject) : [];
  return list.some(({ type }) => type === "provider-defined") ? "v2" : undefined;
}
