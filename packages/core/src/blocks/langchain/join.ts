import { hintsOf } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import type { Part } from "../../model/parts.ts";
import { isBlock } from "./call-hints.ts";
import { family, hintedClass } from "./wire.ts";

/**
 * A person's message that holds results of tools among its blocks, as Anthropic wants them, is split by side (R15): the
 * first message has its members, the next ones say that they were joined to it.
 */
export function splitBySide(message: Message): readonly Message[] {
  if (message.role !== "user" || !message.parts.some(isResult)) return [message];
  const sides: Part[][] = [];
  for (const part of message.parts) {
    const side = sides.at(-1);
    const [first] = side ?? [];
    if (side && first && isResult(first) === isResult(part)) side.push(part);
    else sides.push([part]);
  }
  const { parts: _, ...head } = message;
  return sides.map((parts, index): Message => {
    const [first] = parts;
    const role = first && isResult(first) ? "tool" : "user";
    if (index > 0) return { role, parts, native: { [family]: { $join: true } } };
    // A tool's message of a person's class tells that it was split.
    const hints = { ...(role === "tool" && { $class: "HumanMessage" }), ...hintsOf(message, family) };
    return {
      ...head,
      role,
      parts,
      ...(Object.keys(hints).length > 0 && { native: { ...message.native, [family]: hints } }),
    };
  });
}

const isResult = (part: Part): boolean => part.type === "tool-result";

/** The messages from here on that are one on the wire, and what their members are those of. */
export function joinedFrom(
  messages: readonly Message[],
  index: number,
): { readonly head: Message; readonly messages: readonly Message[] } {
  const first = messages[index] as Message; // the caller's loop is over them
  const base = hintedClass(first)?.base;
  const isSplit = first.role === "tool" && (base === "HumanMessage" || base === "ChatMessage");
  if (first.role !== "user" && !isSplit) return { head: first, messages: [first] };
  let end = index + 1;
  for (let next = messages[end]; next && isJoined(next); next = messages[++end]) {}
  const span = messages.slice(index, end);
  const isWritable = span.every(
    ({ role, parts }) => role === "user" || parts.every(part => isResult(part) && isBlock(part)),
  );
  if (!isWritable || !span.some(({ role }) => role === "tool")) return { head: first, messages: [first] };
  return { head: { ...first, role: "user" }, messages: span };
}

const isJoined = (message: Message): boolean =>
  (message.role === "user" || message.role === "tool") && hintsOf(message, family)["$join"] === true;
