import { accumulator, type Event, type ExactText, type Issue, isError, type Loss } from "translogue";
import { streamDecoder } from "translogue/convert";
import type { Container } from "../input/container.ts";
import type { Format } from "../input/format.ts";
import { type Frame, Frames } from "../input/frames.ts";
import { readJson } from "../input/text.ts";
import type { FrameText } from "./frame-text.ts";
import { atPlace, type Remark, remarksOf, skipped } from "./report.ts";
import type { Converted, Remarks, ValueOptions } from "./values.ts";
import { Writer } from "./writer.ts";

/** The events of one stream → text of another as they come, or of the whole that they make at the end. */
export class StreamConverter {
  readonly #options: ValueOptions;
  readonly #frames: Frames;
  readonly #done: string | undefined;
  readonly #decoder: ReturnType<typeof streamDecoder>;
  readonly #output: EventOutput;
  readonly #reports: readonly Report[];
  /** The spelling of all that was read. */
  readonly #exact: ExactText = { numbers: new Map(), members: new Map() };

  constructor(from: Format, container: Exclude<Container, "json">, options: ValueOptions) {
    this.#options = options;
    this.#frames = new Frames(container, options.file);
    this.#done = from.codec.stream?.done;
    const { dialect } = from;
    this.#decoder = streamDecoder(from.codec, { exact: this.#exact, ...(dialect !== undefined && { dialect }) });
    const writer = new Writer(options.conversion);
    this.#output = writer.streams ? new Transcoding(writer, from, this.#exact) : new Whole(writer, from, this.#exact);
    this.#reports = [new Report(this.#decoder), new Report(this.#output)];
  }

  push(chunk: Buffer): Converted {
    return this.#convert(this.#frames.push(chunk));
  }

  end(): Converted {
    const last = this.#convert(this.#frames.end());
    if (last.error) return last;
    const events = this.#decoder.end();
    const text = atPlace({ file: this.#options.file }, () => this.#output.push(events) + this.#output.end());
    const remarks = this.#remarks(undefined);
    return {
      text: last.text + text,
      messages: last.messages + starts(events),
      remarks: [...last.remarks, ...remarks],
    };
  }

  #convert(frames: Iterable<Frame>): Converted {
    const remarks: Remarks[] = [];
    let text = "";
    let messages = 0;
    for (const frame of frames) {
      try {
        const events = this.#event(frame);
        messages += starts(events);
        text += this.#output.push(events);
      } catch (error) {
        if (!isError(error, "input/unreadable")) throw error;
        if (this.#options.onError === "stop") return { text, messages, remarks, error };
        remarks.push({ line: frame.line, remarks: [skipped(error)] });
      }
      remarks.push(...this.#remarks(frame.line));
    }
    return { text, messages, remarks };
  }

  #event(frame: Frame): readonly Event[] {
    if ("error" in frame) throw frame.error;
    if (frame.text === "" || frame.text === this.#done) return [];
    const place = { file: this.#options.file, line: frame.line };
    const { value, exact } = readJson(frame.text, place);
    for (const [holder, texts] of exact.numbers) this.#exact.numbers.set(holder, texts);
    for (const [holder, members] of exact.members) this.#exact.members.set(holder, members);
    return atPlace(place, () => this.#decoder.push(value));
  }

  #remarks(line: number | undefined): Remarks[] {
    const remarks = this.#reports.flatMap(report => report.news());
    if (remarks.length === 0) return [];
    return [{ remarks, ...(line !== undefined && { line }) }];
  }
}

const starts = (events: readonly Event[]): number =>
  events.reduce((count, { type }) => (type === "message-start" ? count + 1 : count), 0);

/** What a machine reports, each remark once. */
class Report {
  readonly #machine: Reporting;
  #issues = 0;
  #losses = 0;

  constructor(machine: Reporting) {
    this.#machine = machine;
  }

  news(): Remark[] {
    const { issues, losses } = this.#machine;
    if (issues.length === this.#issues && losses.length === this.#losses) return [];
    const remarks = remarksOf({ issues: issues.slice(this.#issues), losses: losses.slice(this.#losses) });
    this.#issues = issues.length;
    this.#losses = losses.length;
    return remarks;
  }
}

interface Reporting {
  readonly issues: readonly Issue[];
  readonly losses: readonly Loss[];
}

interface EventOutput extends Reporting {
  push(events: readonly Event[]): string;
  end(): string;
}

/** Event by event. */
class Transcoding implements EventOutput {
  readonly #encoder: ReturnType<Writer["encoder"]>;
  readonly #frames: FrameText;
  readonly #exact: ExactText;

  constructor(writer: Writer, from: Format, exact: ExactText) {
    this.#exact = exact;
    this.#encoder = writer.encoder(from);
    this.#frames = writer.frames();
  }

  get issues(): Reporting["issues"] {
    return this.#encoder.issues;
  }

  get losses(): Reporting["losses"] {
    return this.#encoder.losses;
  }

  push(events: readonly Event[]): string {
    let text = "";
    for (const event of events) text += this.#frames.of(this.#encoder.push(event), this.#exact);
    return text;
  }

  end(): string {
    return this.#frames.of(this.#encoder.end(), this.#exact) + this.#frames.end();
  }
}

/** All at the end, as one value. */
class Whole implements EventOutput {
  readonly #writer: Writer;
  readonly #from: Format;
  readonly #exact: ExactText;
  readonly #accumulator = accumulator();
  issues: Reporting["issues"] = [];
  losses: Reporting["losses"] = [];

  constructor(writer: Writer, from: Format, exact: ExactText) {
    this.#writer = writer;
    this.#from = from;
    this.#exact = exact;
  }

  push(events: readonly Event[]): string {
    this.#accumulator.pushAll(events);
    return "";
  }

  end(): string {
    const messages = this.#accumulator.end();
    const { text, remarks } = this.#writer.write(
      { messages },
      { format: this.#from, shape: "answer", exact: this.#exact },
      0,
    );
    this.issues = this.#accumulator.issues;
    this.losses = remarks.flatMap(remark => ("loss" in remark ? [remark.loss] : []));
    return text;
  }
}
