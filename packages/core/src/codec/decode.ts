import type { Conversation } from "../model/conversation.ts";
import { TranslogueError } from "../model/error.ts";
import type { Issue, Loss } from "../model/issue.ts";
import { isJsonObject } from "../model/json.ts";
import type { ExactText } from "../model/json-text.ts";
import { dialectOf, restoreCarried } from "./carry.ts";
import type { Codec, Shape } from "./codec.ts";
import { type Collected, decodeContext } from "./context.ts";
import { withExact } from "./exact.ts";
import { guardInput } from "./json-input.ts";
import { traceReadNumbers } from "./number-trace.ts";

export interface DecodeOptions {
  /** Default: as the format sniffs it. */
  readonly shape?: Shape;
  readonly dialect?: string;
  /** Ids for messages that the value gives none. Without it they have none. */
  readonly newId?: () => string;
  /** `false` = what a reader of ours put into the carry slots is not believed: for values that come from strangers. Default true. */
  readonly carry?: boolean;
  /** Source texts of the value, from `parseJson`, so that 1.0 stays 1.0. */
  readonly exact?: ExactText;
}

export interface Decoded {
  readonly conversation: Conversation;
  readonly shape: Shape;
  readonly dialect: string;
  readonly issues: readonly Issue[];
  readonly losses: readonly Loss[];
  /** Whether the API that it comes from takes a tool strictly that does not say so. Absent: nothing is known. */
  readonly strictTools?: boolean;
}

/**
 * Reads a wire value of a format. What is wrong in it comes back as issues, beside a conversation that has everything.
 * Throws `decode/not-this-format` where nothing of the value can be read as the format, `input/too-deep` at absurd nesting.
 */
export function decodeWith(codec: Codec, value: unknown, options: DecodeOptions = {}): Decoded {
  return guardInput(value, () => decodeValue(codec, value, options));
}

function decodeValue(codec: Codec, value: unknown, options: DecodeOptions): Decoded {
  const sniffed = options.shape && options.dialect ? undefined : codec.sniff(value)[0];
  const shape = options.shape ?? sniffed?.shape ?? outlineOf(codec, value);
  if (!shape) throw notThisFormat(codec, value);
  const { dialect, read, decoded } = readAs(codec, value, {
    ...options,
    shape,
    looksLike: sniffed?.dialect ?? codec.dialects[0],
  });
  // A list of JavaScript's may have holes, which no reader of JSON looks for.
  if (decoded.messages.includes(undefined as never)) throw new TypeError("a message that is not there");
  const { issues, losses, carries } = read;
  const again = (copy: unknown): unknown => codec.decode(copy, decodeContext(codec, { shape, dialect }).context);
  const exact = options.exact && traceReadNumbers(options.exact, { from: value, made: decoded, again });
  const restored = carries.length > 0 && options.carry !== false ? restoreCarried(decoded, carries, issues) : decoded;
  const conversation = exact ? withExact(restored, { exact, value, issues }) : restored;
  const strictTools = codec.strictTools?.({ shape, dialect });
  return { conversation, shape, dialect, issues, losses, ...(strictTools !== undefined && { strictTools }) };
}

interface ReadAs {
  readonly dialect: string;
  readonly read: Collected;
  readonly decoded: Conversation;
}

/** Reads in the dialect asked for, else in that which a carry says it was written in, else in that which it looks like. */
function readAs(
  codec: Codec,
  value: unknown,
  options: DecodeOptions & { readonly shape: Shape; readonly looksLike: string },
): ReadAs {
  const read = (dialect: string): ReadAs => {
    const collected = decodeContext(codec, { ...options, dialect });
    return { dialect, read: collected, decoded: codec.decode(value, collected.context) };
  };
  if (options.dialect !== undefined) return read(options.dialect);
  const first = read(options.looksLike);
  const written = options.carry === false ? undefined : dialectOf(first.read.carries);
  return written !== undefined && written !== first.dialect && codec.dialects.includes(written) ? read(written) : first;
}

/** The caller has named the format: a list, even an empty one, is its messages, and a body with a list of messages its request. */
function outlineOf(codec: Codec, value: unknown): Shape | undefined {
  const isBody = isJsonObject(value) && Array.isArray(value["messages"]);
  const shape = Array.isArray(value) ? "messages" : isBody ? "request" : undefined;
  return shape && codec.shapes.includes(shape) ? shape : undefined;
}

function notThisFormat(codec: Codec, value: unknown): TranslogueError {
  const found = value === null ? "null" : Array.isArray(value) ? "an array" : `a value of type ${typeof value}`;
  return new TranslogueError(
    "decode/not-this-format",
    `${found} that is not one of the shapes of \`${codec.id}\` (${codec.shapes.join(", ")}); let \`detect\` say which format it is, or name the \`shape\` that it was meant to be`,
    { data: { format: codec.id } },
  );
}
