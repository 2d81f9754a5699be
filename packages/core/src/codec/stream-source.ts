import type { Conversation } from "../model/conversation.ts";
import type { Event } from "../model/events.ts";
import type { Issue, Loss, Path } from "../model/issue.ts";
import type { Json } from "../model/json.ts";
import { type ExactText, stringifyJson } from "../model/json-text.ts";
import type { Node } from "../model/parts.ts";
import { emit } from "../stream/emit.ts";
import type { Machine } from "../stream/machine.ts";
import type { Codec, Shape, StreamCodec } from "./codec.ts";
import { dropInto } from "./context.ts";
import { decodeWith } from "./decode.ts";
import { type EndCheck, endCheck } from "./end-check.ts";
import { type FrameDecoder, frames } from "./framing.ts";
import { saidIn } from "./hints.ts";
import { notAStream, reportLate } from "./stream-issues.ts";
import type { WholeTaker } from "./text-frames.ts";

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
  /** What was read of a body, and has no place in a stream. */
  readonly losses: Loss[] = [];
  #whole: Json | undefined;
  #count = 0;
  isOver = false;

  constructor(options: StreamSourceOptions) {
    const { stream, exact, dialect, maxEventBytes } = options;
    this.#options = options;
    this.#frames = frames.decoder(stream, {
      exact,
      whole: {
        judge: value => this.#judged(value),
        take: value => {
          this.#whole = value;
        },
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
    if (events.some(isNews)) return events;
    this.#own.push(notAStream(stringifyJson(whole)));
    return []; // an answer that says nothing would be a success
  }

  /** What the format knows as a whole, and not also as the first of its events. */
  #judged(value: Json): ReturnType<WholeTaker["judge"]> {
    const shapes = this.#options.codec.sniff(value).map(({ shape }) => shape);
    if (shapes.some(shape => shape === "event" || shape === "stream")) return "event";
    if (isWhole(shapes[0])) return "whole";
    return shapes.length === 0 ? "alone" : "event";
  }

  #readWhole(whole: Json): readonly Event[] | undefined {
    const { codec, dialect, exact } = this.#options;
    const shape = codec.sniff(whole)[0]?.shape;
    if (!isWhole(shape)) return undefined;
    try {
      const { conversation, issues, losses } = decodeWith(codec, whole, {
        shape,
        exact,
        ...(dialect !== undefined && { dialect }),
      });
      this.#own.push(...issues);
      this.losses.push(...losses);
      return streamed(conversation, { shape, losses: this.losses });
    } catch {
      return undefined; // it is read as any other wire event, which says what is wrong with it
    }
  }
}

const isWhole = (shape: Shape | undefined): shape is "answer" | "error" => shape === "answer" || shape === "error";

/** The events of a whole; what they have no place for is lost. */
function streamed(
  conversation: Conversation,
  { shape, losses }: { readonly shape: Shape; readonly losses: Loss[] },
): readonly Event[] {
  const { messages } = conversation;
  leaveOut(conversation, ["messages"], { type: "conversation", path: [], losses });
  const [message] = messages;
  const [error] = message?.parts ?? [];
  if (shape !== "error" || !message || error?.type !== "error") return emit(messages);
  const path: Path = ["messages", 0];
  leaveOut(message, ["role", "parts", "finish"], { type: "message", path, losses });
  leaveOut(error, ["type", "message", "code"], { type: "error", path: [...path, "parts", 0], losses });
  return [{ type: "error", error: { message: error.message, ...(error.code !== undefined && { code: error.code }) } }];
}

/** Reports the members of a node that an event of it does not have. */
function leaveOut(
  node: Node,
  kept: readonly string[],
  { type, path, losses }: { readonly type: string; readonly path: Path; readonly losses: Loss[] },
): void {
  const drop = dropInto(losses);
  for (const key of Object.keys(node)) {
    if (key === "native" || key === "exact" || kept.includes(key)) continue;
    drop(`${type}.${key}`, [...path, key], `\`${key}\` of a ${type} has no place in a stream`);
  }
  for (const [family, members] of Object.entries(node.native ?? {})) {
    for (const { name, steps } of saidIn(members)) {
      const at = [...path, "native", family, ...steps];
      drop(`${type}.native`, at, `\`${name}\` of ${family} has no place in a stream`);
    }
  }
}

/** Something of an answer, or its error. */
const isNews = (event: Event): boolean => event.type === "error" || event.type.startsWith("part");

/** Where bytes stop being read. */
const damages: ReadonlySet<string> = new Set(["stream/not-a-frame"]);
/** What is no answer at all. */
const strangers: ReadonlySet<string> = new Set(["stream/not-a-stream", "stream/not-json"]);
