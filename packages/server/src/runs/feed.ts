import {
  type Event,
  emit,
  encodeSse,
  type FormatRef,
  type Json,
  type Loss,
  type Message,
  type ReportingMachine,
  streamEncoder,
} from "translogue";
import { shownEvent } from "../chat/questions.ts";
import { progressAt } from "./backlog.ts";

export interface FeedOptions {
  /** The answer that the run goes on with: what comes belongs to the message that a client has under this name. */
  readonly answer?: string | undefined;
  /** Messages that stand before those of the run. */
  readonly earlier?: readonly Message[];
}

/**
 * A run's events written once for all clients of one format: a text that grows, read by each at its own pace. What came in
 * one turn of the event loop reaches a client in one piece; an idle client waits for nothing else.
 */
export class Feed {
  readonly #machine: ReportingMachine<Event, Json>;
  readonly #pieces: string[] = [];
  /** Where the last progress of a call stands among the pieces: it goes once there is more, for readers who did not come to it. */
  readonly #progress = new Map<string, number>();
  readonly #answer: string | undefined;
  /** Number of the run's first message. */
  #first: number | undefined;
  #offset = 0;
  /** The assistant's last message, and why it ended. */
  #said: { readonly message: number; readonly reason: string | undefined } | undefined;
  #next = 0;
  #isDone = false;
  #hasFailed = false;
  #wake = Promise.withResolvers<void>();
  #waking: NodeJS.Immediate | undefined;

  constructor(format: FormatRef, { answer, earlier = [] }: FeedOptions = {}) {
    this.#machine = streamEncoder(format, { recipient: "client" });
    this.#answer = answer;
    this.push(emit(earlier));
    this.#offset = earlier.length;
  }

  /** What the format could not hold so far. */
  get losses(): readonly Loss[] {
    return this.#machine.losses;
  }

  push(events: readonly Event[]): void {
    if (this.#hasFailed) return;
    let text = "";
    for (const event of events) {
      const inPlace = shownEvent(this.#inAnswer(event));
      this.#follow(inPlace);
      const progress = progressAt(inPlace);
      if (progress) {
        this.#add(text);
        text = "";
      }
      for (const wireEvent of this.#machine.push(inPlace)) text += encodeSse({ data: JSON.stringify(wireEvent) });
      if (!progress) continue;
      this.#addProgress(text, progress);
      text = "";
    }
    this.#add(text);
  }

  /** What a format writes of progress says all by itself; the first may say that there is a call. */
  #addProgress(text: string, { place, isOver }: NonNullable<ReturnType<typeof progressAt>>): void {
    const before = this.#progress.get(place);
    if (before !== undefined && before >= 0) this.#pieces[before] = "";
    if (isOver) this.#progress.delete(place);
    else this.#progress.set(place, before === undefined ? -1 : this.#pieces.length);
    this.#add(text);
  }

  #follow(event: Event): void {
    if (event.type === "message-start") {
      this.#next = Math.max(this.#next, event.message + 1);
      if (event.head.role !== "assistant") return;
      this.#said = { message: event.message, reason: event.head.finish?.reason };
    } else if (event.type === "message-set" && event.set.finish && event.message === this.#said?.message) {
      this.#said = { message: event.message, reason: event.set.finish.reason };
    }
  }

  #inAnswer(event: Event): Event {
    if (!("message" in event)) return event;
    const message = event.message + this.#offset;
    if (event.type === "message-start" && this.#answer !== undefined) {
      this.#first ??= message;
      if (message === this.#first) return { ...event, message, head: { ...event.head, id: this.#answer } };
    }
    return this.#offset === 0 ? event : { ...event, message };
  }

  /** Shows proxies and readers that the connection lives. */
  keepAlive(): void {
    this.#add(": keep-alive\n\n");
  }

  /** `isStopped`: a person stopped the run, which its readers are told whatever it was at. */
  end({ isStopped = false }: { readonly isStopped?: boolean } = {}): void {
    if (this.#hasFailed) return;
    if (isStopped) this.push(this.#stopped());
    let text = "";
    for (const wireEvent of this.#machine.end()) text += encodeSse({ data: JSON.stringify(wireEvent) });
    this.#isDone = true;
    this.#add(`${text}data: [DONE]\n\n`);
  }

  #stopped(): Event[] {
    const finish = { reason: "aborted" } as const;
    if (this.#said && isOver.has(this.#said.reason ?? "")) return [];
    if (this.#said) return [{ type: "message-set", message: this.#said.message - this.#offset, set: { finish } }];
    const message = this.#next - this.#offset;
    const run = this.#answer === undefined ? {} : { run: this.#answer };
    return [
      { type: "message-start", message, head: { role: "assistant", ...run, finish } },
      { type: "message-end", message },
    ];
  }

  /** Its readers see the connection break: there is no way left to tell them in their format. */
  fail(): void {
    this.#hasFailed = true;
    this.#isDone = true;
    this.#rouse();
  }

  /** The whole text from its start, as it grows. `gone` is called once: when its reader left, or has it all. */
  read(gone: () => void): ReadableStream<Uint8Array> {
    const utf8 = new TextEncoder();
    let at = 0;
    return new ReadableStream<Uint8Array>(
      {
        pull: async controller => {
          while (at === this.#pieces.length && !this.#isDone) await this.#wake.promise;
          const text = this.#pieces.length === at + 1 ? this.#pieces[at] : this.#pieces.slice(at).join("");
          at = this.#pieces.length;
          if (text) controller.enqueue(utf8.encode(text));
          if (!this.#isDone) return;
          if (this.#hasFailed) controller.error(new Error("the stream could not be written"));
          else controller.close();
          gone();
        },
        cancel: gone,
      },
      { highWaterMark: 0 },
    );
  }

  #add(text: string): void {
    if (text === "" || this.#hasFailed) return;
    this.#pieces.push(text);
    this.#rouse();
  }

  #rouse(): void {
    this.#waking ??= setImmediate(() => {
      this.#waking = undefined;
      const { resolve } = this.#wake;
      this.#wake = Promise.withResolvers<void>();
      resolve();
    });
  }
}

/** Ends that a stop came too late for. */
const isOver: ReadonlySet<string> = new Set([
  "stop",
  "stop-sequence",
  "length",
  "refusal",
  "content-filter",
  "aborted",
  "error",
]);
