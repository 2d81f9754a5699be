import type { FinishReason, Message } from "../model/conversation.ts";
import type { MessageHead } from "../model/events.ts";
import type { Part } from "../model/parts.ts";
import { Changes } from "./changes.ts";
import { mergeMembers } from "./merge.ts";
import { OpenPart } from "./open-part.ts";

/** A message while events of it come. Reading it makes only the parts that changed since it was read. */
export class OpenMessage {
  /** Its place in the list of messages. */
  readonly index: number;
  /** The stream's number; absent where no event started it. */
  readonly number: number | undefined;
  isChanged = false;
  nextChanged: OpenMessage | undefined = undefined;
  /** Ended: no more is expected, though late events still count (E8). */
  isOver = false;
  #head: MessageHead;
  #byNumber = new Map<number, OpenPart>();
  /** After all others, whichever still come. */
  readonly #last: OpenPart[] = [];
  /** In order of number (E4), unless they are to be sorted. */
  #parts: OpenPart[] = [];
  #isUnsorted = false;
  #read: Part[] = [];
  readonly #changes = new Changes<OpenPart>();

  constructor(index: number, number: number | undefined, head: MessageHead) {
    this.index = index;
    this.number = number;
    this.#head = head;
  }

  /** What came of it so far is void (E9). */
  restart(head: MessageHead): void {
    this.#head = head;
    this.isOver = false;
    this.#byNumber = new Map();
    this.#last.length = 0;
    this.#parts = [];
    this.#isUnsorted = false;
    this.#read = [];
    this.#changes.take();
  }

  set(members: Partial<MessageHead>): void {
    this.#head = mergeMembers(this.#head, members);
  }

  /** No more is expected. What is open stays partial, arguments are read as what they are. */
  end(): void {
    this.isOver = true;
    for (const part of this.#byNumber.values()) if (part.awaitsEnd) this.touch(part);
  }

  /** Ended by something else than itself (R25). */
  breakOff(reason: FinishReason): void {
    this.end();
    this.#head = { ...this.#head, finish: { reason } };
  }

  get hasFinish(): boolean {
    return this.#head.finish !== undefined;
  }

  part(number: number): OpenPart | undefined {
    return this.#byNumber.get(number);
  }

  /** In its place by number; in that of the part that has its number. */
  put(part: OpenPart): void {
    const known = this.#byNumber.get(part.number);
    this.#byNumber.set(part.number, part);
    this.touch(part);
    const before = this.#parts.at(-1);
    if (known !== undefined && !this.#isUnsorted) {
      part.index = known.index;
      this.#parts[part.index] = part;
    } else if (this.#isUnsorted || (before !== undefined && before.number > part.number)) this.#isUnsorted = true;
    else this.#append(part);
  }

  putLast(value: Part): void {
    const part = new OpenPart(Number.POSITIVE_INFINITY, value, { isOpen: false, liveInput: false });
    this.#last.push(part);
    this.touch(part);
    if (!this.#isUnsorted) this.#append(part);
  }

  #append(part: OpenPart): void {
    part.index = this.#parts.length;
    this.#parts.push(part);
  }

  touch(part: OpenPart): void {
    this.#changes.add(part);
  }

  read(): Message {
    if (this.#isUnsorted) this.#sort();
    for (let part = this.#changes.take(); part !== undefined; part = part.nextChanged) {
      // One that was replaced since may still be in the list.
      if (part.isChanged && this.#parts[part.index] === part) this.#read[part.index] = part.read(this.isOver);
      part.isChanged = false;
    }
    return { ...this.#head, parts: this.#read.slice() };
  }

  #sort(): void {
    const sorted = [...this.#byNumber.values()].sort((a, b) => a.number - b.number);
    this.#parts = [...sorted, ...this.#last];
    this.#isUnsorted = false;
    const before = this.#read;
    this.#read = [];
    for (const [index, part] of this.#parts.entries()) {
      this.#read.push((part.isChanged ? undefined : before[part.index]) ?? part.read(this.isOver));
      part.index = index;
      part.isChanged = false;
    }
  }
}
