import { type Codec, type ExactText, encodeSse, type Json, stringifyJson } from "translogue";

/** The wire events of a format as text, framed as the format does. */
export class FrameText {
  readonly #stream: Codec["stream"];

  constructor({ stream }: Codec) {
    this.#stream = stream;
  }

  /** `exact`: the spelling of what was read; whatever of it is written on keeps it. */
  of(events: readonly Json[], exact?: ExactText): string {
    let text = "";
    for (const event of events) text += this.#frame(event, exact);
    return text;
  }

  /** What ends the stream. */
  end(): string {
    return this.#stream?.framing === "sse" && this.#stream.done !== undefined
      ? encodeSse({ data: this.#stream.done })
      : "";
  }

  #frame(event: Json, exact: ExactText | undefined): string {
    const data = stringifyJson(event, exact);
    if (this.#stream?.framing !== "sse") return `${data}\n`;
    const name = this.#stream.eventName?.(event);
    return encodeSse({ data, ...(name !== undefined && { event: name }) });
  }
}
