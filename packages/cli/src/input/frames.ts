import { isError, sseDecoder } from "translogue";
import { unreadable } from "../failure.ts";
import { type Container, codedLine } from "./container.ts";
import { type LineBatch, LineBatches, linesOf } from "./lines.ts";
import { readText } from "./text.ts";

/** A line of JSON Lines, or the data of a server-sent event: what should be one JSON text. */
export type Frame =
  | { readonly text: string; readonly line: number }
  /** The line is no text. */
  | { readonly error: unknown; readonly line: number };

/** Bytes → frames, as they end. Blank lines give nothing. */
export class Frames {
  readonly #file: string;
  readonly #sse: SseFrames | undefined;
  readonly #isCoded: boolean;
  readonly #batches = new LineBatches();

  constructor(container: Exclude<Container, "json">, file: string) {
    this.#file = file;
    this.#sse = container === "sse" ? new SseFrames() : undefined;
    this.#isCoded = container === "coded";
  }

  *push(chunk: Buffer): Generator<Frame> {
    const batch = this.#batches.push(chunk);
    if (batch) yield* this.#read(batch);
  }

  *end(): Generator<Frame> {
    const batch = this.#batches.end();
    if (batch) yield* this.#read(batch);
    if (this.#sse) yield* this.#sse.end();
  }

  *#read(batch: LineBatch): Generator<Frame> {
    for (const frame of lineFrames(batch, this.#file)) {
      if (this.#sse && "text" in frame) yield* this.#sse.push(frame, this.#file);
      else if ("error" in frame) yield frame;
      else if (frame.text.trim() !== "") yield this.#isCoded ? { ...frame, text: paired(frame.text) } : frame;
    }
  }
}

/** A line of a code and JSON as the list of both, which is JSON. */
function paired(text: string): string {
  const code = codedLine.exec(text)?.[1];
  return code === undefined ? text : `["${code}",${text.slice(2)}]`;
}

/** Every line of a batch, blank ones too. */
export function* lineFrames(batch: LineBatch, file: string): Generator<Frame> {
  for (const { bytes, line } of linesOf(batch)) {
    try {
      yield { text: readText(bytes, { file, line }), line };
    } catch (error) {
      yield { error, line };
    }
  }
}

/** The framing is core's; it is fed line by line, so that an event knows the line of its data. */
class SseFrames {
  readonly #decoder = sseDecoder();
  #dataLine = 0;

  push({ text, line }: { readonly text: string; readonly line: number }, file: string): Frame[] {
    if (this.#dataLine === 0 && text.startsWith("data")) this.#dataLine = line;
    try {
      return this.#frames(this.#decoder.push(`${text}\n`));
    } catch (error) {
      if (!isError(error)) throw error;
      throw unreadable(error.message, { file, line }, error);
    }
  }

  end(): Frame[] {
    return this.#frames(this.#decoder.end());
  }

  #frames(events: readonly { readonly data: string }[]): Frame[] {
    return events.map(({ data }) => {
      const line = this.#dataLine;
      this.#dataLine = 0;
      return { text: data, line };
    });
  }
}
