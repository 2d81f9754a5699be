import type { At, DeltaOf, Event, MessageHead, PartMembers } from "../../model/events.ts";
import type { Citation, Part } from "../../model/parts.ts";
import { changedMembers, changedPart } from "../../stream/changed-members.ts";

interface Live {
  value: Part;
  isOpen: boolean;
  hasText: boolean;
}

/** The parts of a message that are out in a stream, and what was said of them and of its head. */
export class LiveParts {
  readonly message: number;
  #told: MessageHead;
  readonly #parts = new Map<number, Live>();

  constructor(message: number, told: MessageHead) {
    this.message = message;
    this.#told = told;
  }

  get told(): MessageHead {
    return this.#told;
  }

  has(place: number): boolean {
    return this.#parts.has(place);
  }

  /** Members of the head that become known on the way. */
  set(set: Partial<MessageHead>, events: Event[]): void {
    this.#told = { ...this.#told, ...set };
    events.push({ type: "message-set", message: this.message, set });
  }

  start(place: number, value: Part, events: Event[]): void {
    this.#parts.set(place, { value, isOpen: true, hasText: false });
    events.push({ type: "part-start", message: this.message, part: place, value });
  }

  /** A delta, after the part's start where there was none. */
  say(
    place: number,
    value: Part,
    delta: { readonly of: DeltaOf; readonly text: string; readonly events: Event[] },
  ): void {
    const { of, text, events } = delta;
    if (!this.#parts.has(place)) this.start(place, value, events);
    const live = this.#parts.get(place);
    if (live) live.hasText = true;
    events.push({ type: "part-delta", message: this.message, part: place, of, text });
  }

  end(place: number, events: Event[]): void {
    const live = this.#parts.get(place);
    if (!live?.isOpen) return;
    live.isOpen = false;
    events.push({ type: "part-end", message: this.message, part: place });
  }

  cite(place: number, citation: Citation, events: Event[]): void {
    const live = this.#parts.get(place);
    if (live?.value.type !== "text") return;
    live.value = { ...live.value, citations: [...(live.value.citations ?? []), citation] };
    events.push({ type: "citation", citation, message: this.message, part: place });
  }

  /** Members of a part that become known before its end. */
  setPart(place: number, set: PartMembers, events: Event[]): void {
    const live = this.#parts.get(place);
    if (!live) return;
    live.value = { ...live.value, ...set } as Part; // members of it
    events.push({ type: "part-set", set, message: this.message, part: place });
  }

  /** A part that came whole. */
  put(place: number, value: Part, events: Event[]): void {
    this.#parts.set(place, { value, isOpen: false, hasText: true });
    events.push({ type: "part", value, message: this.message, part: place });
  }

  /** A part that comes whole, or what is known of it by now beside its text. */
  learn(place: number, value: Part, events: Event[]): void {
    const live = this.#parts.get(place);
    const set = live && changedPart(live.value, value, textOf);
    if (!live || (!set && !live.isOpen)) this.put(place, value, events);
    else if (set && Object.keys(set).length > 0) this.setPart(place, set, events);
  }

  /**
   * What the whole part says beyond what is out (E3). `isOther`: its text is not what was said, so it comes whole. Without
   * an end, what came at once at the end is as open as what came in pieces (R25).
   */
  complete(
    place: number,
    part: Part,
    end: { readonly hasEnded: boolean; readonly isOther?: boolean; readonly events: Event[] },
  ): void {
    const { hasEnded, isOther, events } = end;
    const live = this.#parts.get(place);
    const at = { message: this.message, part: place };
    if (live?.value.type !== part.type || isOther) {
      events.push(...(hasEnded ? [{ type: "part", value: part, ...at } as const] : openPart(part, at)));
      if (live) live.isOpen = false;
      return;
    }
    const isSaid = part.type !== "tool-call" || live.hasText;
    const set = changedMembers(live.value, part, isSaid ? textOf : textAlone);
    if (Object.keys(set).length > 0) events.push({ type: "part-set", set: set as PartMembers, ...at }); // members of a part
  }

  /** The end of the message, or what is known of it where there was none. */
  close(head: MessageHead, hasEnded: boolean, events: Event[]): void {
    const { message } = this;
    const { finish: _, ...others } = head;
    const set = changedMembers(this.#told, hasEnded ? head : others);
    if (Object.keys(set).length > 0) events.push({ type: "message-set", message, set });
    if (hasEnded) events.push({ type: "message-end", message });
  }
}

function openPart(part: Part, at: At): Event[] {
  const of = part.type;
  if ((of !== "text" && of !== "refusal" && of !== "reasoning") || part.text === undefined) {
    return [{ type: "part", value: part, ...at }];
  }
  return [
    { type: "part-start", value: { ...part, text: "" }, ...at },
    { type: "part-delta", of, text: part.text, ...at },
  ];
}

/** Members that the deltas have said; arguments that are no text come without one. */
const textOf: ReadonlySet<string> = new Set(["text", "input", "inputText"]);
const textAlone: ReadonlySet<string> = new Set(["text"]);
