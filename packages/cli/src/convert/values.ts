import { findFormat, isError, type TranslogueError } from "translogue";
import { decode } from "translogue/convert";
import type { Place } from "../failure.ts";
import { type FormatChoice, formatOf } from "../input/format.ts";
import { lineFrames } from "../input/frames.ts";
import type { LineBatch } from "../input/lines.ts";
import { readJson } from "../input/text.ts";
import { atPlace, type Remark, remarksOf, skipped } from "./report.ts";
import { type Conversion, Writer } from "./writer.ts";

/** Remarks on one value; `line` where the file has many. */
export interface Remarks {
  readonly line?: number;
  readonly remarks: readonly Remark[];
}

export interface Converted {
  readonly text: string;
  /** How many messages were read. */
  readonly messages: number;
  readonly remarks: readonly Remarks[];
  /** Why the rest was not converted. */
  readonly error?: TranslogueError;
}

export interface ValueOptions {
  readonly conversion: Conversion;
  readonly file: string;
  readonly onError: "stop" | "skip";
  /** Whether it is the only input of its output, which then looks as it does: spread over lines or not. */
  readonly isOnly: boolean;
  /** Format of the first value, where it was looked for and found. */
  readonly first?: string;
}

/** Converts whole values: a JSON text, or lines of JSON Lines. */
export class ValueConverter {
  readonly #options: ValueOptions;
  readonly #writer: Writer;
  readonly #formats: FormatChoice;

  constructor(options: ValueOptions) {
    this.#options = options;
    this.#writer = new Writer(options.conversion);
    const { conversion, first } = options;
    this.#formats = { given: found(conversion.from), first: found(first) };
  }

  /** What was converted up to the first line that could not be, if that is to stop the run. */
  lines(batch: LineBatch): Converted {
    const { file } = this.#options;
    const remarks: Remarks[] = [];
    let text = "";
    let messages = 0;
    for (const frame of lineFrames(batch, file)) {
      if ("text" in frame && frame.text.trim() === "") continue;
      const done = this.#attempt({ file, line: frame.line }, place => {
        if ("error" in frame) throw frame.error;
        return this.#value(frame.text, place);
      });
      text += done.text;
      messages += done.messages;
      if (done.remarks.length > 0) remarks.push({ line: frame.line, remarks: done.remarks });
      if (done.error) return { text, messages, remarks, error: done.error };
    }
    return { text, messages, remarks };
  }

  /** A JSON text that is spread over several lines. */
  document(read: () => string): Converted {
    const { file, isOnly } = this.#options;
    const { remarks, ...done } = this.#attempt({ file }, place => this.#value(read(), place, isOnly ? 2 : 0));
    return { ...done, remarks: remarks.length > 0 ? [{ remarks }] : [] };
  }

  #attempt(place: Place, convert: (place: Place) => ConvertedValue): ConvertedValue & Pick<Converted, "error"> {
    try {
      return convert(place);
    } catch (error) {
      if (!isError(error, "input/unreadable")) throw error;
      if (this.#options.onError === "skip") return { text: "", messages: 0, remarks: [skipped(error)] };
      return { text: "", messages: 0, remarks: [], error };
    }
  }

  #value(text: string, place: Place, indent = 0): ConvertedValue {
    const { value, exact } = readJson(text, place, this.#formats.given?.codec);
    const format = formatOf(value, this.#formats, place);
    return atPlace(place, () => {
      const { dialect: asked } = format;
      const decoded = decode(format.codec, value, { exact, ...(asked !== undefined && { dialect: asked }) });
      const { conversation, shape, dialect } = decoded;
      const written = this.#writer.write(conversation, { format: { ...format, dialect }, shape }, indent);
      return {
        text: written.text,
        messages: conversation.messages.length,
        remarks: [...remarksOf(decoded), ...written.remarks],
      };
    });
  }
}

const found = (ref: string | undefined) => (ref === undefined ? undefined : findFormat(ref));

interface ConvertedValue {
  readonly text: string;
  readonly messages: number;
  readonly remarks: readonly Remark[];
}
