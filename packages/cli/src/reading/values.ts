import { findFormat, isError, type TranslogueError } from "translogue";
import { decode } from "translogue/convert";
import { type Place, unreadable } from "../failure.ts";
import { type FormatChoice, formatOf } from "../input/format.ts";
import { lineFrames } from "../input/frames.ts";
import type { LineBatch } from "../input/lines.ts";
import { readJson } from "../input/text.ts";
import { atPlace, type Remark, skipped } from "./remark.ts";
import type { Done, Note, Work, WorkOrder } from "./work.ts";

/** Remarks on one value; `line` where the file has many. */
export interface Remarks {
  readonly line?: number;
  readonly remarks: readonly Remark[];
}

/** A note on one value; `line` where the file has many. */
export interface NoteAt {
  readonly line?: number;
  readonly note: Note;
}

/** What became of a piece of the input. */
export interface Result {
  readonly text: string;
  /** How many messages were read. */
  readonly messages: number;
  readonly remarks: readonly Remarks[];
  readonly notes?: readonly NoteAt[];
  /** Why the rest was not read. */
  readonly error?: TranslogueError;
}

export interface ReadOptions {
  readonly order: WorkOrder;
  /** A format or `format:dialect`. Absent = as each value is found to be. */
  readonly from?: string;
  readonly file: string;
  readonly onError: "stop" | "skip";
  /** Whether it is the only input of its output, which then looks as it does: spread over lines or not. */
  readonly isOnly: boolean;
  /** Format of the first value, where it was looked for and found. */
  readonly first?: string;
}

/** Reads whole values, a JSON text or lines of JSON Lines, and does the work on each. */
export class ValueReader {
  readonly #options: ReadOptions;
  readonly #work: Work;
  readonly #formats: FormatChoice;

  constructor(options: ReadOptions, work: Work) {
    this.#options = options;
    this.#work = work;
    this.#formats = { given: found(options.from), first: found(options.first) };
  }

  /** What was done up to the first line that could not be read, if that is to stop the run. */
  lines(batch: LineBatch): Result {
    const { file } = this.#options;
    const remarks: Remarks[] = [];
    const notes: NoteAt[] = [];
    let text = "";
    let messages = 0;
    for (const frame of lineFrames(batch, file)) {
      if ("text" in frame && frame.text.trim() === "") continue;
      const { line } = frame;
      const done = this.#attempt({ file, line }, place => {
        if ("error" in frame) throw frame.error;
        return this.#value(frame.text, place);
      });
      text += done.text;
      messages += done.messages;
      if (done.remarks.length > 0) remarks.push({ line, remarks: done.remarks });
      if (done.note) notes.push({ line, note: done.note });
      if (done.error) return { text, messages, remarks, notes, error: done.error };
    }
    return { text, messages, remarks, notes };
  }

  /** A JSON text that is spread over several lines. */
  document(read: () => string): Result {
    const { file, isOnly } = this.#options;
    const { remarks, note, ...done } = this.#attempt({ file }, place => this.#value(read(), place, isOnly ? 2 : 0));
    return { ...done, remarks: remarks.length > 0 ? [{ remarks }] : [], notes: note ? [{ note }] : [] };
  }

  #attempt(place: Place, read: (place: Place) => DoneValue): DoneValue & Pick<Result, "error"> {
    try {
      return read(place);
    } catch (error) {
      if (!isError(error, "input/unreadable") && !isError(error, "format/ambiguous")) throw error;
      if (this.#options.onError === "skip") return { text: "", messages: 0, remarks: [skipped(error)] };
      return { text: "", messages: 0, remarks: [], error };
    }
  }

  #value(text: string, place: Place, indent = 0): DoneValue {
    const { value, exact } = readJson(text, place, this.#formats.given?.codec);
    const format = formatOf(value, this.#formats, place);
    return atPlace(place, () => {
      const { dialect: asked } = format;
      const decoded = decode(format.codec, value, { exact, ...(asked !== undefined && { dialect: asked }) });
      expectMessages(decoded, format.codec.id, place);
      const { dialect, ...read } = decoded;
      const done = this.#work.conversation({ ...read, format: { ...format, dialect }, place, text, indent });
      return { ...done, messages: decoded.conversation.messages.length };
    });
  }
}

const found = (ref: string | undefined) => (ref === undefined ? undefined : findFormat(ref));

interface DoneValue extends Done {
  readonly messages: number;
}

/** Where the format is named, a decoder keeps what it does not know: if that is all there is, the value is none of its. */
function expectMessages({ conversation, issues }: ReturnType<typeof decode>, id: string, place: Place): void {
  const { messages } = conversation;
  const [issue] = issues;
  const isNothing = messages.every(({ parts }) => parts.length > 0 && parts.every(({ type }) => type === "opaque"));
  if (!issue || messages.length === 0 || !isNothing) return;
  throw unreadable(`nothing in this is a message of \`${id}\`: ${issue.message}`, place);
}
