import type { Message, Part } from "translogue";
import { type ScriptedModel, scripted, type Turn } from "../scripted-model.ts";

/** A model whose host refuses what the strict ones refuse; what it was asked and took is in `requests`. */
export const strict = (turns: readonly Turn[]): ScriptedModel => {
  let answered = 0;
  return scripted(({ conversation }) => {
    const [wrong] = refusals(conversation.messages);
    if (wrong !== undefined) return { error: { message: wrong, code: "model/refused" } };
    return turns[answered++] ?? { error: { message: "the script is over", code: "model/refused" } };
  });
};

/** What strict hosts refuse of a history: calls that are not answered at once, results of nothing, answers of nothing. */
export function refusals(messages: readonly Message[]): readonly string[] {
  const wrong: string[] = [];
  let open = new Set<string>();
  for (const { role, parts } of messages) {
    for (const part of role === "tool" ? parts : []) {
      if (part.type === "tool-result" && !open.delete(part.callId)) wrong.push(`no call has the result ${part.callId}`);
    }
    if (role === "tool") continue;
    if (open.size > 0) wrong.push(`no result stands behind ${[...open].join(", ")}`);
    open = new Set(parts.flatMap(part => (part.type === "tool-call" ? [part.callId] : [])));
    if (role === "assistant" && !parts.some(isContent)) wrong.push("an answer has no content");
  }
  if (open.size > 0) wrong.push(`no result stands behind ${[...open].join(", ")}`);
  return wrong;
}

const isContent = (part: Part): boolean =>
  part.type === "tool-call" || (part.type === "text" && part.text.trim() !== "") || part.type === "file";
