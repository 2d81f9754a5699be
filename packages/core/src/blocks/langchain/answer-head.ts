/** What is said of an answer elsewhere than by the words of `response_metadata`. */

import type { Reader } from "../../codec/reader.ts";
import type { FinishReason } from "../../model/conversation.ts";
import { isJsonObject, type Json, type JsonObject, type MutableJsonObject, setMember } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import { memberOf } from "./escape.ts";
import { type AnswerHead, headNames, isText, readFinish, writeFinish } from "./metadata.ts";

export interface ReadHead {
  readonly head: AnswerHead;
  readonly hints: JsonObject;
}
const nothing: ReadHead = { head: {}, hints: {} };

/** What `additional_kwargs` may say, too: JavaScript's adapter for Claude (1.5) says it there only while it streams. */
const fields = ["finish", "model", "responseId"] as const;

/** What `additional_kwargs` say of the answer beyond its head. The hint keeps the members that said it (R1). */
export function readBeside(kwargs: Reader, known: AnswerHead): ReadHead {
  const places: MutableJsonObject = {};
  const told: { [field in (typeof fields)[number]]?: string } = {};
  for (const field of fields) {
    const name = known[field] === undefined ? headNames[field].find(each => isText(kwargs.peek(each))) : undefined;
    const text = name === undefined ? undefined : kwargs.string(name);
    if (name === undefined || text === undefined) continue;
    places[field] = name;
    told[field] = text;
  }
  if (Object.keys(places).length === 0) return nothing;
  const { finish, ...others } = told;
  return {
    head: { ...others, ...(finish !== undefined && { finish: readFinish(finish) }) },
    hints: { $beside: places },
  };
}

/** The names of the members that were read. */
export const besideNames = ({ $beside: places }: JsonObject): readonly string[] =>
  isJsonObject(places) ? Object.values(places).filter(name => typeof name === "string") : [];

/** The head without what goes to `additional_kwargs`, and that. */
export function splitBeside(
  head: AnswerHead,
  { $beside: places }: JsonObject,
): { readonly head: AnswerHead; readonly beside: JsonObject } {
  if (!isJsonObject(places)) return { head, beside: {} };
  const rest: { -readonly [field in keyof AnswerHead]: AnswerHead[field] } = { ...head };
  const beside: MutableJsonObject = {};
  for (const field of fields) {
    const name = memberOf(places, field);
    const value = field === "finish" ? head.finish && writeFinish(head.finish) : head[field];
    if (typeof name !== "string" || value === undefined) continue;
    setMember(beside, name, value);
    delete rest[field];
  }
  return { head: rest, beside };
}

/**
 * How an answer of OpenAI's Responses ended: its adapters give its `status`, and no word for the end. It stays where it is;
 * the hint tells what it said, so that it is not said twice.
 */
export function readStatus(metadata: JsonObject, known: AnswerHead, parts: readonly Part[]): ReadHead {
  if (known.finish !== undefined || memberOf(metadata, "object") !== "response") return nothing;
  const details = memberOf(metadata, "incomplete_details");
  const why = isJsonObject(details) ? memberOf(details, "reason") : undefined;
  const isCalling = parts.some(part => part.type === "tool-call" && part.executedBy !== "provider");
  const ends = new Map<Json | undefined, FinishReason>([
    ["completed", isCalling ? "tool-calls" : "stop"],
    ["incomplete", why === "max_output_tokens" ? "length" : why === "content_filter" ? "content-filter" : "other"],
    ["failed", "error"],
    ["cancelled", "aborted"],
  ]);
  const reason = ends.get(memberOf(metadata, "status"));
  return reason === undefined ? nothing : { head: { finish: { reason } }, hints: { $status: reason } };
}

/** The head without the end that the `status` among these members tells. */
export function withoutStatus(head: AnswerHead, metadata: Json | undefined, { $status: told }: JsonObject): AnswerHead {
  const { finish, ...others } = head;
  const isTold = finish !== undefined && finish.raw === undefined && finish.reason === told;
  return isTold && isJsonObject(metadata) && Object.hasOwn(metadata, "status") ? others : head;
}
