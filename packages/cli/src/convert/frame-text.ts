import { type Codec, encodeSse, type Json } from "translogue";

/** The wire events of a format as text, framed as the format does. */
export class FrameText {
  readonly #stream: Codec["stream"];

  constructor({ stream }: Codec) {
    this.#stream = stream;
  }

  of(events: readonly Json[]): string {
    let text = "";
    for (const event of events) text += this.#frame(event);
    return text;
  }

  /** What ends the stream. */
  end(): string {
    return this.#stream?.framing === "sse" && this.#stream.done !== undefined
      ? encodeSse({ data: this.#stream.done })
      : "";
  }

  #frame(event: Json): string {
    const data = JSON.stringify(event);
    if (this.#stream?.framing !== "sse") return `${data}\n`;
    const name = this.#stream.eventName?.(event);
    return encodeSse({ data, ...(name !== undefined && { event: name }) });
  }
}
