import type { Event } from "../../model/events.ts";
import type { Part } from "../../model/parts.ts";
import { OpenPart } from "../../stream/open-part.ts";
import { isOwnCall, standsBeside } from "./stream-pieces.ts";

type Follower = Extract<Event, { readonly type: "part-delta" | "part-set" | "citation" | "part-end" }>;

/** Parts of a message that are not sent as they come. */
export class WaitingParts {
  readonly #parts = new Map<number, OpenPart>();
  /** Those that are no calls of the caller's own: all that have to be looked at when one begins. */
  readonly #others = new Set<OpenPart>();

  add(number: number, value: Part, isOpen: boolean): void {
    const part = new OpenPart(number, value, { isOpen, liveInput: false });
    this.#parts.set(number, part);
    this.#sort(part);
  }

  /** What comes for a part that waits; nothing, where it does not. */
  follow(event: Follower): void {
    const part = this.#parts.get(event.part);
    if (!part) return;
    if (event.type === "part-set") {
      part.set(event.set);
      this.#sort(part);
    } else if (event.type === "citation") part.cite(event.citation);
    else if (event.type === "part-end") part.end();
    else if (part.ownsText) part.append(event.text);
  }

  /** Whether all that waits, but for calls, is whole. */
  get isReady(): boolean {
    for (const part of this.#others) if (part.isOpen) return false;
    return true;
  }

  /** Takes out, in their order, the parts up to the last that stands in the content. */
  takeSaid(): readonly OpenPart[] {
    let last = -1;
    for (const part of this.#others) if (part.number > last && !standsBeside(part.read(true))) last = part.number;
    return last < 0 ? [] : this.#take(number => number <= last);
  }

  /** Takes out all, in their order. */
  takeAll(): readonly OpenPart[] {
    return this.#take(() => true);
  }

  #take(isTaken: (number: number) => boolean): readonly OpenPart[] {
    const taken = [...this.#parts.values()].filter(({ number }) => isTaken(number)).sort((a, b) => a.number - b.number);
    for (const part of taken) {
      this.#parts.delete(part.number);
      this.#others.delete(part);
    }
    return taken;
  }

  #sort(part: OpenPart): void {
    if (isOwnCall(part.read(true))) this.#others.delete(part);
    else this.#others.add(part);
  }
}
