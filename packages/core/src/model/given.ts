/** Whether what a call was given is what it takes: a look at the outside, for callers that no compiler has told. */

import type { Conversation, Message } from "./conversation.ts";
import { TranslogueError } from "./error.ts";

const isMessage = (value: unknown): value is Message =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as { role?: unknown }).role === "string" && // any object may be asked
  Array.isArray((value as { parts?: unknown }).parts);

/** What a value is, in words. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  return typeof value === "string" ? "a text" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}

const decodeFirst = "of a format's messages make a conversation first: `decode(value, { from })`";

/** Throws `input/invalid` where it is no message: an object with a role and a list of parts. Whether these are right is for `check`. */
export function demandMessage(value: unknown, name: string, index?: number): void {
  if (isMessage(value)) return;
  const at = index === undefined ? name : `${name}[${index}]`;
  const isNone = typeof value !== "object" || value === null || Array.isArray(value);
  const lacks = !isNone && typeof (value as { role?: unknown }).role === "string" ? "no list of `parts`" : "no `role`"; // as above
  const text = isNone
    ? `\`${at}\` is ${kindOf(value)}, and no message: an object with a \`role\` and a list of \`parts\``
    : `\`${at}\` has ${lacks}, so it is no message of this model: ${decodeFirst}`;
  throw new TranslogueError("input/invalid", text, { data: { path: index === undefined ? [name] : [name, index] } });
}

/** The same for a list of them. One look at each, none inside. */
export function demandMessages(value: unknown, name = "messages"): asserts value is readonly Message[] {
  if (!Array.isArray(value)) {
    const isConversation = typeof value === "object" && value !== null && "messages" in value;
    const cure = isConversation
      ? "of a conversation take `context(conversation).messages`, what a model reads of it"
      : decodeFirst;
    throw new TranslogueError("input/invalid", `\`${name}\` is ${kindOf(value)}, and no list of messages: ${cure}`, {
      data: { path: [name] },
    });
  }
  for (let index = 0; index < value.length; index++)
    if (!isMessage(value[index])) demandMessage(value[index], name, index);
}

/** The same for a conversation: an object with a list of messages. */
export function demandConversation(value: Conversation): void {
  const given: unknown = value;
  if (typeof given === "object" && given !== null && Array.isArray((given as { messages?: unknown }).messages)) {
    demandMessages(value.messages);
    return;
  }
  const cure = Array.isArray(given)
    ? `give \`{ messages }\`; ${decodeFirst}`
    : `an object with a list of \`messages\`; ${decodeFirst}`;
  throw new TranslogueError("input/invalid", `the conversation is ${kindOf(given)}, and none: ${cure}`, {
    data: { path: [] },
  });
}
