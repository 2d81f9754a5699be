import { equalJson, type Message, type Part, type PartOf } from "translogue";

/** A person's word on what was asked. */
export type Word = PartOf<"approval-response"> | PartOf<"input-response">;

/** A word that came too late: what was asked had been decided. */
export interface LateAnswer {
  readonly requestId: string;
  /** What was decided; undefined = it was closed without an answer, or asked for a value. */
  readonly approved?: boolean;
  /** A value was given. */
  readonly isAnswered?: true;
}

export const isWord = (part: Part): part is Word => part.type === "approval-response" || part.type === "input-response";

/** Whether a person says nothing but what was asked. */
export const isWordOnly = (message: Message | undefined): message is Message =>
  message?.role === "user" && message.parts.length > 0 && message.parts.every(isWord);

export const wordsOf = (message: Message | undefined): readonly Word[] => message?.parts.filter(isWord) ?? [];

export const lateBehind = (before: Word): LateAnswer => ({
  requestId: before.requestId,
  ...(before.type === "approval-response" ? { approved: before.approved } : { isAnswered: true }),
});

/** Whether a word says what was said before. */
export const saysAsDid = (word: Word, before: Word): boolean =>
  word.type === "input-response"
    ? before.type === "input-response" && equalJson(word.value ?? null, before.value ?? null)
    : before.type === "approval-response" && before.approved === word.approved;

/**
 * What people said in a session when they were asked, by request. A word is given once, whichever branch it stands on: the
 * tool that asked has acted on it.
 */
export class GivenWords {
  readonly #byRequest = new Map<string, { readonly word: Word; readonly message: Message }>();

  constructor(stored: readonly Message[]) {
    for (const message of stored) {
      for (const word of wordsOf(message)) this.#byRequest.set(word.requestId, { word, message });
    }
  }

  /** Words of a message that were given before. `isSaid`: only those that say something else. */
  lateIn(message: Message, isSaid = false): readonly LateAnswer[] {
    return wordsOf(message).flatMap(word => {
      const before = this.#byRequest.get(word.requestId)?.word;
      return before && !(isSaid && saysAsDid(word, before)) ? [lateBehind(before)] : [];
    });
  }

  /** The message without words that were given before; nothing where it says nothing else. */
  withoutLate(message: Message): readonly Message[] {
    const parts = message.parts.filter(part => !isWord(part) || !this.#byRequest.has(part.requestId));
    if (parts.length === message.parts.length) return [message];
    return parts.length === 0 ? [] : [{ ...message, parts }];
  }

  /** The stored messages in which the words of a message were given. */
  messagesOf(message: Message): readonly Message[] {
    return [...new Set(wordsOf(message).flatMap(({ requestId }) => this.#byRequest.get(requestId)?.message ?? []))];
  }
}
