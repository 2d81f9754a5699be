import { accumulator, type Event, type ExactText, isError } from "translogue";
import { streamDecoder } from "translogue/convert";
import type { Container } from "../input/container.ts";
import type { Format } from "../input/format.ts";
import { type Frame, Frames } from "../input/frames.ts";
import { readJson } from "../input/text.ts";
import { atPlace, type Remark, remarksOf, skipped } from "./remark.ts";
import type { ReadOptions, Remarks, Result } from "./values.ts";
import type { Done, EventOutput, Reported, Work } from "./work.ts";

/** The events of one stream → text as they come, or the work on the whole that they make at the end. */
export class StreamReader {
  readonly #options: ReadOptions;
  readonly #frames: Frames;
  readonly #done: string | undefined;
  readonly #decoder: ReturnType<typeof streamDecoder>;
  readonly #output: EventOutput;
  /** What is said while the stream is read. */
  readonly #reports: readonly Report[];
  /** The spelling of all that was read. */
  readonly #exact: ExactText = { numbers: new Map(), members: new Map() };

  constructor(from: Format, container: Exclude<Container, "json">, options: ReadOptions, work: Work) {
    this.#options = options;
    this.#frames = new Frames(container, options.file);
    this.#done = from.codec.stream?.done;
    const { dialect } = from;
    this.#decoder = streamDecoder(from.codec, { exact: this.#exact, ...(dialect !== undefined && { dialect }) });
    const output = work.events?.(from, this.#exact);
    this.#output = output ?? new WholeOutput(work, from, { exact: this.#exact, file: options.file });
    this.#reports = output ? [new Report(this.#decoder), new Report(output)] : [];
  }

  push(chunk: Buffer): Result {
    return this.#read(this.#frames.push(chunk));
  }

  end(): Result {
    const last = this.#read(this.#frames.end());
    if (last.error) return last;
    const events = this.#decoder.end();
    const { text, remarks, note } = atPlace({ file: this.#options.file }, () => {
      const before = this.#output.push(events);
      const done = this.#output.end(this.#decoder);
      return { ...done, text: before + done.text };
    });
    const all = [...this.#news(), ...remarks];
    return {
      text: last.text + text,
      messages: last.messages + starts(events),
      remarks: all.length > 0 ? [...last.remarks, { remarks: all }] : last.remarks,
      notes: note ? [{ note }] : [],
    };
  }

  #read(frames: Iterable<Frame>): Result {
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
      const news = this.#news();
      if (news.length > 0) remarks.push({ line: frame.line, remarks: news });
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

  #news(): Remark[] {
    return this.#reports.flatMap(report => report.news());
  }
}

const starts = (events: readonly Event[]): number =>
  events.reduce((count, { type }) => (type === "message-start" ? count + 1 : count), 0);

/** What a machine reports, each remark once. */
class Report {
  readonly #machine: Reported;
  #issues = 0;
  #losses = 0;

  constructor(machine: Reported) {
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

/** All at the end, as one answer. */
class WholeOutput implements EventOutput {
  readonly #work: Work;
  readonly #from: Format;
  readonly #about: { readonly exact: ExactText; readonly file: string };
  readonly #accumulator = accumulator();
  readonly issues: Reported["issues"] = [];
  readonly losses: Reported["losses"] = [];

  constructor(work: Work, from: Format, about: { readonly exact: ExactText; readonly file: string }) {
    this.#work = work;
    this.#from = from;
    this.#about = about;
  }

  push(events: readonly Event[]): string {
    this.#accumulator.pushAll(events);
    return "";
  }

  end({ issues, losses }: Reported): Done {
    const messages = this.#accumulator.end();
    const { exact, file } = this.#about;
    const { codec, dialect = codec.dialects[0] } = this.#from;
    return this.#work.conversation({
      conversation: { messages },
      format: { codec, dialect },
      shape: "answer",
      issues: [...issues, ...this.#accumulator.issues],
      losses,
      place: { file },
      exact,
      indent: 0,
    });
  }
}
