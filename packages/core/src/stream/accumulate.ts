import type { Message } from "../model/conversation.ts";
import type { At, Event } from "../model/events.ts";
import type { Issue } from "../model/issue.ts";
import { isJsonObject } from "../model/json.ts";
import { Changes } from "./changes.ts";
import { OpenMessage } from "./open-message.ts";
import { OpenPart } from "./open-part.ts";

export interface AccumulatorOptions {
  /**
   * While a call's arguments come, `input` is what their text holds so far: one object or array that grows in place, so copy
   * it to keep a moment of it. Default false: a call that is still open has only `inputText`.
   */
  readonly liveInput?: boolean;
}

/** Events → messages. Never throws: an event that fits nowhere is left out and reported (E8). */
export interface Accumulator {
  push(event: Event): void;
  pushAll(events: Iterable<Event>): void;
  /** The stream stopped: messages that did not end are `incomplete`, parts that did not are `partial` (R25). */
  end(): readonly Message[];
  /**
   * The messages now. Reading costs what changed since it was read, and a pointer for each message and each part of a
   * changed message; what did not change is the same object as before.
   */
  readonly messages: readonly Message[];
  /** `path` is the event's place in the stream: `["events", 7]`. At most 1,000 are listed. */
  readonly issues: readonly Issue[];
}

export const accumulator = (options: AccumulatorOptions = {}): Accumulator =>
  new MessageAccumulator(options.liveInput ?? false);

/** The messages of a whole stream. A stream that was cut gives valid, unfinished ones. */
export function accumulate(events: Iterable<Event>): Message[] {
  const accumulated = accumulator();
  accumulated.pushAll(events);
  return [...accumulated.end()];
}

type EventOf<Type extends Event["type"]> = Extract<Event, { readonly type: Type }>;

/** An event may come from anywhere, whatever its type says. */
const isObject = (value: unknown): boolean => isJsonObject(value);
const shown = (value: unknown): string => (typeof value === "object" ? "no number or name" : String(value));

/** A stream that is wrong throughout must not fill the memory with reports of it. */
const maxIssues = 1000;

class MessageAccumulator implements Accumulator {
  readonly #liveInput: boolean;
  readonly #byNumber = new Map<number, OpenMessage>();
  readonly #open: OpenMessage[] = [];
  readonly #issues: Issue[] = [];
  #count = 0;
  readonly #changes = new Changes<OpenMessage>();
  readonly #list: Message[] = [];
  #read: readonly Message[] = [];
  /** The part that the last event was about, and its message: the next is mostly about it too. */
  #message: OpenMessage | undefined = undefined;
  #part: OpenPart | undefined = undefined;

  constructor(liveInput: boolean) {
    this.#liveInput = liveInput;
  }

  get issues(): readonly Issue[] {
    return this.#issues;
  }

  get messages(): readonly Message[] {
    let message = this.#changes.take();
    if (message === undefined) return this.#read;
    for (; message !== undefined; message = message.nextChanged) {
      this.#list[message.index] = message.read();
      message.isChanged = false;
    }
    this.#read = this.#list.slice();
    return this.#read;
  }

  pushAll(events: Iterable<Event>): void {
    for (const event of events) this.push(event);
  }

  end(): readonly Message[] {
    for (const message of this.#open) {
      if (message.isOver) continue;
      if (message.hasFinish) message.end();
      else message.breakOff("incomplete");
      this.#touch(message);
    }
    return this.messages;
  }

  push(event: Event): void {
    if (!isObject(event)) this.#report("malformed-event", "an event is an object");
    else if (event.type === "part-delta") this.#append(event);
    else this.#take(event);
    this.#count++;
  }

  #take(event: Exclude<Event, EventOf<"part-delta">>): void {
    switch (event.type) {
      case "message-start":
        this.#start(event);
        break;
      case "message-set":
        this.#set(event);
        break;
      case "message-end":
        this.#end(event);
        break;
      case "part-start":
      case "part":
        this.#put(event);
        break;
      case "part-set":
        this.#setPart(event);
        break;
      case "part-end":
        this.#endPart(event);
        break;
      case "citation":
        this.#cite(event);
        break;
      case "error":
        this.#fail(event);
        break;
      default:
        this.#report("unknown-event", "an event of this type is not known");
    }
  }

  #start(event: EventOf<"message-start">): void {
    if (!isJsonObject(event.head)) {
      this.#report("malformed-event", "`head` is not an object");
      return;
    }
    const known = this.#byNumber.get(event.message);
    if (known !== undefined) {
      known.restart(event.head);
      this.#part = undefined;
      this.#touch(known);
    } else this.#add(event.message, event.head);
  }

  #add(number: number | undefined, head: EventOf<"message-start">["head"]): OpenMessage {
    const message = new OpenMessage(this.#open.length, number, head);
    this.#open.push(message);
    if (number !== undefined) this.#byNumber.set(number, message);
    this.#touch(message);
    return message;
  }

  #set(event: EventOf<"message-set">): void {
    const message = this.#find(event.message);
    if (message === undefined) return;
    if (!isJsonObject(event.set)) {
      this.#report("malformed-event", "`set` is not an object");
      return;
    }
    message.set(this.#without(event.set, "parts"));
    this.#touch(message);
  }

  #end(event: EventOf<"message-end">): void {
    const message = this.#find(event.message);
    if (message === undefined) return;
    message.end();
    this.#touch(message);
  }

  #put(event: EventOf<"part-start" | "part">): void {
    const message = this.#find(event.message);
    if (message === undefined) return;
    const { value } = event;
    if (!isJsonObject(value) || typeof value.type !== "string" || !Number.isFinite(event.part)) {
      this.#report("malformed-event", "`value` is no part, or `part` is no number");
      return;
    }
    const isOpen = event.type === "part-start";
    const part = new OpenPart(event.part, event.value, { isOpen, liveInput: this.#liveInput });
    message.put(part);
    this.#touch(message);
    this.#message = message;
    this.#part = part;
  }

  #append(event: EventOf<"part-delta">): void {
    const part = this.#findPart(event);
    if (part === undefined) return;
    if (part.type !== event.of || !part.ownsText) {
      this.#report("not-its-text", `a delta of ${shown(event.of)} does not belong to a ${part.type} part`);
      return;
    }
    if (typeof event.text !== "string") {
      this.#report("malformed-event", "`text` is not a string");
      return;
    }
    part.append(event.text);
    this.#touchPart(part);
  }

  #cite(event: EventOf<"citation">): void {
    const part = this.#findPart(event);
    if (part === undefined) return;
    if (part.type !== "text") {
      this.#report("not-its-text", `a ${part.type} part has no citations`);
      return;
    }
    if (!isJsonObject(event.citation)) {
      this.#report("malformed-event", "`citation` is not an object");
      return;
    }
    part.cite(event.citation);
    this.#touchPart(part);
  }

  #setPart(event: EventOf<"part-set">): void {
    const part = this.#findPart(event);
    if (part === undefined) return;
    if (!isJsonObject(event.set)) {
      this.#report("malformed-event", "`set` is not an object");
      return;
    }
    part.set(this.#without(event.set, "type", "text"));
    this.#touchPart(part);
  }

  #endPart(event: EventOf<"part-end">): void {
    const part = this.#findPart(event);
    if (part === undefined || !part.isOpen) return;
    part.end();
    this.#touchPart(part);
  }

  /** Of the stream: what is open fails with it, and the last message says so (E1, R25). */
  #fail({ error }: EventOf<"error">): void {
    const message = isJsonObject(error) && typeof error.message === "string" ? error.message : "";
    const code = isJsonObject(error) && typeof error.code === "string" ? error.code : undefined;
    for (const open of this.#open) {
      if (open.isOver) continue;
      open.breakOff("error");
      this.#touch(open);
    }
    const last = this.#open.at(-1) ?? this.#add(undefined, { role: "assistant", finish: { reason: "error" } });
    last.isOver = true;
    last.putLast({ type: "error", message, ...(code !== undefined && { code }) });
    this.#touch(last);
  }

  /** Members that no set may bring are left out and reported. */
  #without<Members extends object>(members: Members, ...names: string[]): Members {
    const present = names.filter(name => name in members);
    if (present.length === 0) return members;
    this.#report("not-settable", `\`${present.join("`, `")}\` cannot be set`);
    const rest = Object.entries(members).filter(([name]) => !present.includes(name));
    return Object.fromEntries(rest) as Members; // fewer members of Members, all optional
  }

  #find(number: number): OpenMessage | undefined {
    if (this.#message !== undefined && this.#message.number === number) return this.#message;
    const message = this.#byNumber.get(number);
    if (message === undefined) this.#report("unknown-message", `message ${shown(number)} was not started`);
    else {
      this.#message = message;
      this.#part = undefined;
    }
    return message;
  }

  #findPart(at: At): OpenPart | undefined {
    const message = this.#find(at.message);
    if (message === undefined) return undefined;
    if (this.#part !== undefined && this.#part.number === at.part) return this.#part;
    const part = message.part(at.part);
    if (part === undefined)
      this.#report("unknown-part", `part ${shown(at.part)} of message ${shown(at.message)} was not started`);
    else this.#part = part;
    return part;
  }

  #touch(message: OpenMessage): void {
    this.#changes.add(message);
  }

  /** After `#findPart`: the message is the one it found. */
  #touchPart(part: OpenPart): void {
    if (this.#message === undefined) return;
    this.#message.touch(part);
    this.#touch(this.#message);
  }

  #report(code: string, message: string): void {
    if (this.#issues.length > maxIssues) return;
    const path = ["events", this.#count];
    if (this.#issues.length < maxIssues) {
      this.#issues.push({ code: `stream/${code}`, severity: "warning", path, message });
    } else {
      const more = "more events are wrong; they are not listed";
      this.#issues.push({ code: "stream/more-issues", severity: "warning", path, message: more });
    }
  }
}
