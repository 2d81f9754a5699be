/** One of the choices of an answer, for the formats whose answer is one (R16). */

import type { Conversation, Message } from "../model/conversation.ts";
import type { Event, MessageHead } from "../model/events.ts";
import type { Loss, Path } from "../model/issue.ts";
import type { Machine } from "../stream/machine.ts";
import { dropInto } from "./context.ts";
import { refine } from "./provenance.ts";

/** Whether two neighbours are choices of one answer, and not answers of which one was given after the other (R16). */
const areChoices = (one: MessageHead, { role, parent, responseId }: MessageHead): boolean =>
  one.role === "assistant" &&
  role === "assistant" &&
  parent !== undefined &&
  // In a stream the first is known for one of several only when it ends.
  (one.parent ?? null) === parent &&
  one.responseId === responseId &&
  (responseId !== undefined || parent === null);

const drop = (losses: Loss[], path: Path, which = "the first"): void =>
  dropInto(losses)("other-choice", path, `an answer is one choice here: ${which}`);

/** What one answer is written from: of several choices the first, with the counts of all. */
export function firstChoice(conversation: Conversation, losses: Loss[]): Conversation {
  const { messages } = conversation;
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  const newest = messages[last];
  let first = last;
  for (
    let before = messages[first - 1];
    before && newest && newest.parent !== undefined;
    before = messages[first - 1]
  ) {
    if (before.parent === undefined || !areChoices(before, newest)) break;
    first--;
  }
  const choice = messages[first];
  if (first === last || !choice) return conversation;
  for (let index = first + 1; index < messages.length; index++) drop(losses, ["messages", index]);
  const usage = choice.usage ?? newest?.usage;
  const counted: Message = { ...choice, ...(usage && { usage }) };
  // What follows the choices stands behind none of them alone.
  return {
    ...conversation,
    messages: refine(messages, (message, index) => (index > first ? undefined : index === first ? counted : message)),
  };
}

/** A stream of one answer: of several choices the first that begins, with the counts of all. */
export class FirstChoice implements Machine<Event, Event> {
  readonly #losses: Loss[];
  /** The message that came last and is no other choice. */
  #chosen: { readonly number: number; readonly head: MessageHead; hasUsage: boolean } | undefined;
  readonly #others = new Set<number>();
  /** Its end waits for the counts, which the last choice has. */
  #end: Event | undefined;

  constructor(losses: Loss[]) {
    this.#losses = losses;
  }

  push(event: Event): readonly Event[] {
    if (event.type === "error") return [event];
    const { message } = event;
    if (event.type === "message-start") this.#start(message, event.head);
    if (this.#others.has(message)) return this.#count(event);
    const chosen = this.#chosen?.number === message ? this.#chosen : undefined;
    if (chosen && event.type === "message-set" && event.set.usage) chosen.hasUsage = true;
    if (chosen && event.type === "message-end" && this.#others.size > 0) {
      this.#end = event;
      return [];
    }
    return [event];
  }

  end(): readonly Event[] {
    return this.#end ? [this.#end] : [];
  }

  #start(number: number, head: MessageHead): void {
    if (this.#others.has(number)) return;
    const chosen = this.#chosen;
    if (chosen && chosen.number !== number && areChoices(chosen.head, head)) {
      this.#others.add(number);
      drop(this.#losses, ["messages", number], number < chosen.number ? "the one that came first" : "the first");
    } else this.#chosen = { number, head, hasUsage: head.usage !== undefined };
  }

  /** Counts are of all choices. */
  #count(event: Event): readonly Event[] {
    const chosen = this.#chosen;
    const told = event.type === "message-start" ? event.head : event.type === "message-set" ? event.set : {};
    if (!chosen || chosen.hasUsage || !told.usage) return [];
    return [{ type: "message-set", message: chosen.number, set: { usage: told.usage } }];
  }
}
