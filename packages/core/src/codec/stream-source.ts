import type { Event } from "../model/events.ts";
import type { Issue } from "../model/issue.ts";
import type { Json } from "../model/json.ts";
import { type ExactText, stringifyJson } from "../model/json-text.ts";
import { emit } from "../stream/emit.ts";
import type { Machine } from "../stream/machine.ts";
import type { Codec, StreamCodec } from "./codec.ts";
import { decodeWith } from "./decode.ts";
import { type EndCheck, endCheck } from "./end-check.ts";
import { type FrameDecoder, frames, notAStream, reportLate } from "./framing.ts";

export interface StreamSourceOptions {
  readonly codec: Codec;
  readonly stream: StreamCodec;
  readonly decoder: Machine<Json, Event>;
  readonly exact: ExactText;
  readonly dialect?: string;
  readonly maxEventBytes?: number;
  /** Its end is told as soon as the format's own end has come, or an error, whether or not the connection stays open. */
  readonly isEager: boolean;
}

/** Bytes of a host's answer → events: of a stream, or of what came in its place. */
export class StreamSource implements Machine<Uint8Array, Event> {
  readonly #options: StreamSourceOptions;
  readonly #frames: FrameDecoder;
  readonly #check: EndCheck;
  readonly #own: Issue[] = [];
  #whole: Json | undefined;
  #count = 0;
  isOver = false;

  constructor(options: StreamSourceOptions) {
    const { stream, exact, dialect, maxEventBytes } = options;
    this.#options = options;
    this.#frames = frames.decoder(stream, {
      exact,
      takeWhole: value => {
        this.#whole = value;
      },
      ...(maxEventBytes !== undefined && { maxEventBytes }),
      ...(dialect !== undefined && { dialect }),
    });
    const found = (codes: ReadonlySet<string>): string | undefined =>
      [...this.#frames.issues, ...this.#own].findLast(({ code }) => codes.has(code))?.message;
    this.#check = endCheck(
      () => found(damages),
      () => found(strangers),
    );
  }

  get issues(): readonly Issue[] {
    return [...this.#frames.issues, ...this.#own];
  }

  /** What was wrong with how the stream ended. */
  get faults(): readonly Issue[] {
    return this.#check.issues;
  }

  push(bytes: Uint8Array): readonly Event[] {
    const events = this.#take(this.#frames.push(bytes));
    if (this.#options.isEager && this.#frames.isOver && !this.isOver) this.#finish(events);
    return events;
  }

  end(): readonly Event[] {
    const events = this.#take(this.#frames.end());
    if (!this.isOver) this.#finish(events);
    return events;
  }

  #take(values: readonly Json[]): Event[] {
    const events: Event[] = [];
    for (const value of values) {
      const index = this.#count++;
      if (this.isOver) {
        reportLate(this.#own, index);
        continue;
      }
      this.#pass(this.#options.decoder.push(value), events);
      if (this.#options.isEager && this.#check.hasFailed) this.#finish(events);
    }
    return events;
  }

  #pass(from: readonly Event[], into: Event[]): void {
    for (const event of from) for (const passed of this.#check.push(event)) into.push(passed);
  }

  #finish(events: Event[]): void {
    this.isOver = true;
    this.#pass(this.#wholeEvents() ?? this.#options.decoder.end(), events);
    for (const event of this.#check.end()) events.push(event);
  }

  /** The events of a body of a host that did not stream. */
  #wholeEvents(): readonly Event[] | undefined {
    const whole = this.#whole;
    if (whole === undefined) return undefined;
    const read = this.#readWhole(whole);
    if (read) return read;
    const events = [...this.#options.decoder.push(whole), ...this.#options.decoder.end()];
    if (!events.some(isNews)) this.#own.push(notAStream(stringifyJson(whole)));
    return events;
  }

  #readWhole(whole: Json): readonly Event[] | undefined {
    const { codec, dialect, exact } = this.#options;
    const shape = codec.sniff(whole)[0]?.shape;
    if (shape !== "answer" && shape !== "error") return undefined;
    try {
      const { conversation, issues } = decodeWith(codec, whole, {
        shape,
        exact,
        ...(dialect !== undefined && { dialect }),
      });
      this.#own.push(...issues);
      const [{ parts } = { parts: [] }] = conversation.messages;
      const [only] = parts;
      if (shape !== "error" || only?.type !== "error") return emit(conversation.messages);
      const { message, code } = only;
      return [{ type: "error", error: { message, ...(code !== undefined && { code }) } }];
    } catch {
      return undefined; // it is read as any other wire event, which says what is wrong with it
    }
  }
}

/** Something of an answer, or its error. */
const isNews = (event: Event): boolean => event.type === "error" || event.type.startsWith("part");

/** Where bytes stop being read. */
const damages: ReadonlySet<string> = new Set(["stream/not-a-frame"]);
/** What is no answer at all. */
const strangers: ReadonlySet<string> = new Set(["stream/not-a-stream", "stream/not-json"]);
