/** The words for what failed: what one provider calls it is no word of another's. */

import type { Conversation } from "../model/conversation.ts";
import type { Event } from "../model/events.ts";
import type { Loss, Path } from "../model/issue.ts";
import type { Part } from "../model/parts.ts";
import type { Codec, EncodeContext } from "./codec.ts";
import { originalPath, refine } from "./provenance.ts";

/** An error as the target says it: with its own word, or with none where it has no word for this. */
interface Failure {
  readonly code?: string;
}

function worded<T extends Failure>(error: T, wordOf: (code: string) => string | undefined, report: Report): T {
  const { code, ...rest } = error;
  const word = code === undefined ? undefined : wordOf(code);
  if (code === undefined || word === code) return error;
  report(code, word);
  return (word === undefined ? rest : { ...error, code: word }) as T; // T with another value of a member that is optional in it
}

interface Target {
  readonly codec: Codec;
  readonly context: EncodeContext;
}

const wordsOf = ({ codec, context }: Target): ((code: string) => string | undefined) | undefined =>
  codec.errorWord && (code => codec.errorWord?.(code, context));

type Report = (code: string, word: string | undefined) => void;

const lossOf = (path: Path, code: string, word: string | undefined): Loss => ({
  kind: word === undefined ? "dropped" : "approximated",
  code: "error-word",
  path,
  message:
    word === undefined
      ? `\`${code}\` is no word for an error here: its text is all that is left`
      : `\`${code}\` is no word for an error here: it is written as \`${word}\``,
});

/** The conversation with the errors of its answers in the words of the format. What was read from the format stays as it was. */
export function withErrorWords(conversation: Conversation, to: Target, losses: Loss[]): Conversation {
  const wordOf = wordsOf(to);
  if (!wordOf) return conversation;
  const messages = refine(conversation.messages, (message, index) => {
    if (!message.parts.some(isError)) return message;
    const parts = refine(message.parts, (part, place): Part => {
      if (part.type !== "error" || part.native?.[to.codec.id]) return part;
      return worded(part, wordOf, (code, word) => {
        const path = ["messages", index, "parts", place, "code"];
        losses.push(lossOf(originalPath(conversation, path), code, word));
      });
    });
    return parts === message.parts ? message : { ...message, parts };
  });
  return messages === conversation.messages ? conversation : { ...conversation, messages };
}

const isError = ({ type }: Part): boolean => type === "error";

/** The same for the errors of a stream. */
export function errorEvent(event: Event, to: Target, losses: Loss[]): Event {
  const wordOf = wordsOf(to);
  if (!wordOf) return event;
  if (event.type === "error") {
    const error = worded(event.error, wordOf, (code, word) => losses.push(lossOf([], code, word)));
    return error === event.error ? event : { ...event, error };
  }
  if (event.type !== "part" || event.value.type !== "error" || event.value.native?.[to.codec.id]) return event;
  const path = ["messages", event.message, "parts", event.part, "code"];
  const value = worded(event.value, wordOf, (code, word) => losses.push(lossOf(path, code, word)));
  return value === event.value ? event : { ...event, value };
}
