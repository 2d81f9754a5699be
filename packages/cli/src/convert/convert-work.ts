import { accumulator, type Event, type ExactText } from "translogue";
import type { Format } from "../input/format.ts";
import { remarksOf } from "../reading/remark.ts";
import type { Done, EventOutput, Read, Reported, Work } from "../reading/work.ts";
import type { FrameText } from "./frame-text.ts";
import { type Conversion, Writer } from "./writer.ts";

/** Writes each conversation in another format; a stream as it comes. */
export class ConvertWork implements Work {
  readonly #writer: Writer;

  constructor(conversion: Conversion) {
    this.#writer = new Writer(conversion);
  }

  conversation(read: Read): Done {
    const { text, remarks } = this.#writer.write(read.conversation, read, read.indent);
    return { text, remarks: [...remarksOf(read), ...remarks] };
  }

  events(from: Format, exact: ExactText): EventOutput {
    return this.#writer.streams ? new Transcoding(this.#writer, from, exact) : new Whole(this.#writer, from, exact);
  }
}

/** Event by event. */
class Transcoding implements EventOutput {
  readonly #encoder: ReturnType<Writer["encoder"]>;
  readonly #frames: FrameText;
  readonly #exact: ExactText;

  constructor(writer: Writer, from: Format, exact: ExactText) {
    this.#exact = exact;
    this.#encoder = writer.encoder(from, exact);
    this.#frames = writer.frames();
  }

  get issues(): Reported["issues"] {
    return this.#encoder.issues;
  }

  get losses(): Reported["losses"] {
    return this.#encoder.losses;
  }

  push(events: readonly Event[]): string {
    let text = "";
    for (const event of events) text += this.#frames.of(this.#encoder.push(event), this.#exact);
    return text;
  }

  end(): Done {
    return { text: this.#frames.of(this.#encoder.end(), this.#exact) + this.#frames.end(), remarks: [] };
  }
}

/** All at the end, as one value. */
class Whole implements EventOutput {
  readonly #writer: Writer;
  readonly #from: Format;
  readonly #exact: ExactText;
  readonly #accumulator = accumulator();
  readonly losses: Reported["losses"] = [];

  constructor(writer: Writer, from: Format, exact: ExactText) {
    this.#writer = writer;
    this.#from = from;
    this.#exact = exact;
  }

  get issues(): Reported["issues"] {
    return this.#accumulator.issues;
  }

  push(events: readonly Event[]): string {
    this.#accumulator.pushAll(events);
    return "";
  }

  end(): Done {
    const messages = this.#accumulator.end();
    return this.#writer.write({ messages }, { format: this.#from, shape: "answer", exact: this.#exact }, 0);
  }
}
