import { decode, type Json, type JsonObject, type Message } from "translogue";
import { type PruneOptions, prune } from "translogue/history";
import { deepFreeze, difference } from "../../difference.ts";
import type { Generation } from "../../generations.ts";
import { type CaseResult, claims } from "../case.ts";
import type { HistoryRule } from "../rules/history.ts";

type About = { readonly format: string; readonly name: string };

const read = (messages: Json): readonly Message[] =>
  decode(messages, { from: "ai-sdk-model", shape: "messages" }).conversation.messages;

/** What is said, without how the SDK spelled it. */
const told = ({ role, parts }: Message): Json => ({
  role,
  parts: parts.filter(part => part.type !== "text" || part.text !== "") as unknown as Json, // parts are JSON
});

/** `pruneMessages` of the newest generation; where generation 5 leaves reasoning without what it was for, ours does not. */
export async function pruneCase(
  each: JsonObject,
  about: About,
  { generation, out }: { readonly generation: Generation; readonly out: Json },
): Promise<CaseResult> {
  const messages = deepFreeze(read(each["messages"] ?? []));
  const ours = prune(messages, each["options"] as unknown as PruneOptions); // as the SDK was given them
  const theirs = read(out);
  const reason = difference(ours.map(told), theirs.map(told));
  if (reason === undefined || generation !== "v5") return await claims(about, [() => reason]);
  const hasApprovals = messages.some(({ parts }) => parts.some(({ type }) => type.startsWith("approval-")));
  const rest = hasApprovals ? besidesTools : besidesReasons;
  const result = await claims(about, [() => difference(ours.flatMap(rest), theirs.flatMap(rest))]);
  const rule: HistoryRule = hasApprovals ? "history approvals" : "history reasons";
  return result.outcome.status === "passed" ? { ...about, outcome: { status: "set-aside", rule } } : result;
}

type Parts = Message["parts"];

const besidesReasons = ({ parts }: Message): Parts =>
  parts.filter(part => part.type !== "reasoning" && (part.type !== "text" || part.text !== ""));

const besidesTools = (message: Message): Parts =>
  besidesReasons(message).filter(({ type }) => !type.startsWith("tool-") && !type.startsWith("approval-"));
