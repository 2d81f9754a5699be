import {
  type Codec,
  type Conversation,
  type ExactText,
  emit,
  exactTextOf,
  findFormat,
  isError,
  type Loss,
  type Recipient,
  type Shape,
  stringifyJson,
  type TranslogueError,
} from "translogue";
import { encode, encodeAs, streamEncoder, writeText } from "translogue/convert";
import { wrongUse } from "../failure.ts";
import type { Format } from "../input/format.ts";
import { type Remark, remarksOf } from "../reading/remark.ts";
import { FrameText } from "./frame-text.ts";

/** What to write, as plain data: a worker gets the same. */
export interface Conversion {
  readonly to: string;
  /** Shape to write. Absent = the shape read. */
  readonly shape?: Shape;
  readonly recipient?: Recipient;
  readonly carry?: boolean;
  /** One of the format's ways to write its text. */
  readonly style?: string;
}

export interface Written {
  /** With its line end. */
  readonly text: string;
  readonly remarks: readonly Remark[];
}

/** What a conversation was read from. */
export interface ReadAs {
  readonly format: Format;
  readonly shape: Shape;
  /** The spelling of what it was read from, where its own nodes do not keep it. */
  readonly exact?: ExactText;
}

function checkStyle({ id, text }: Codec, style: string): void {
  const styles: readonly string[] = text?.styles ?? [];
  if (styles.includes(style)) return;
  throw wrongUse(
    `\`${id}\` has no style \`${style}\``,
    styles.length > 0 ? `it has ${styles.join(", ")}` : "it writes plain JSON",
  );
}

const noSpelling = (): ExactText => ({ numbers: new Map(), members: new Map() });

/** Why a dialect is read and not written. */
function refusalOf(codec: Codec, dialect: string): TranslogueError | undefined {
  try {
    encode(codec, { messages: [] }, { dialect });
  } catch (error) {
    if (isError(error, "encode/read-only-dialect")) return error;
  }
  return undefined;
}

const both = (own: ExactText | undefined, read: ExactText | undefined): ExactText | undefined =>
  own && read
    ? { numbers: new Map([...read.numbers, ...own.numbers]), members: new Map([...read.members, ...own.members]) }
    : (own ?? read);

/** Writes conversations in the format asked for. */
export class Writer {
  readonly #to: Format;
  readonly #conversion: Conversion;

  /** Throws `format/unknown` and the like for references that name nothing, and for streams of a format that has none. */
  constructor(conversion: Conversion) {
    this.#conversion = conversion;
    this.#to = findFormat(conversion.to);
    const { codec, dialect } = this.#to;
    const refused = dialect === undefined ? undefined : refusalOf(codec, dialect);
    if (refused) throw wrongUse(`\`${conversion.to}\` is read only: ${refused.message}`);
    if (conversion.shape === "stream") this.encoder(this.#to, noSpelling());
    if (conversion.style !== undefined) checkStyle(this.#to.codec, conversion.style);
  }

  /** Whether a stream is written event by event. */
  get streams(): boolean {
    const { shape } = this.#conversion;
    return shape === "stream" || (shape === undefined && this.#to.codec.stream !== undefined);
  }

  write(conversation: Conversation, read: ReadAs, indent: number): Written {
    const shape = this.#conversion.shape ?? read.shape;
    if (shape !== "stream") return this.#whole(conversation, { ...read, shape }, indent);
    if (!this.streams) return this.#whole(conversation, { ...read, shape: "answer" }, indent);
    const exact = exactTextOf(conversation) ?? noSpelling();
    const encoder = this.encoder(read.format, exact);
    const frames = new FrameText(this.#to.codec);
    let text = "";
    for (const event of emit(conversation.messages)) text += frames.of(encoder.push(event), exact);
    text += frames.of(encoder.end(), exact) + frames.end();
    return { text, remarks: remarksOf(encoder) };
  }

  /** `exact` takes the spelling of what the encoder reads of texts: for whoever writes its wire events. */
  encoder(from: Format, exact: ExactText): ReturnType<typeof streamEncoder> {
    const { recipient } = this.#conversion;
    const options = { ...this.#dialect(from), exact, ...(recipient !== undefined && { recipient }) };
    return streamEncoder(this.#to.codec, options);
  }

  frames(): FrameText {
    return new FrameText(this.#to.codec);
  }

  #whole(conversation: Conversation, { format, shape, exact: read }: ReadAs, indent: number): Written {
    const { recipient, carry } = this.#conversion;
    const { codec } = this.#to;
    const strictTools = format.codec.strictTools?.({ shape, dialect: format.dialect ?? format.codec.dialects[0] });
    const options = {
      ...this.#dialect(format),
      ...(strictTools !== undefined && { strictTools }),
      ...(recipient !== undefined && { recipient }),
      ...(carry !== undefined && { carry }),
    };
    const isAsked = this.#conversion.shape !== undefined;
    const {
      value,
      exact: kept,
      losses,
      issues,
      ...written
    } = isAsked
      ? encode(codec, conversation, { ...options, shape })
      : encodeAs(codec, { conversation, shape }, options);
    const { style } = this.#conversion;
    const exact = both(kept, read);
    // A format that fixes its bytes fixes its line breaks too.
    const inText: Loss[] = [];
    const spelling = { ...(style !== undefined && { style }), ...(exact && { exact }) };
    const text = codec.text
      ? writeText(codec, value, { ...written, ...spelling, onLoss: loss => inText.push(loss) })
      : stringifyJson(value, exact, indent);
    return { text: `${text}\n`, remarks: remarksOf({ issues, losses: [...losses, ...inText] }) };
  }

  /** A format keeps its dialect where it is written as it was read, unless that is only read. */
  #dialect(from: Format): { readonly dialect?: string } {
    const { codec } = this.#to;
    const own = from.codec.id === codec.id ? from.dialect : undefined;
    const dialect = this.#to.dialect ?? (own !== undefined && !refusalOf(codec, own) ? own : undefined);
    return dialect === undefined ? {} : { dialect };
  }
}
