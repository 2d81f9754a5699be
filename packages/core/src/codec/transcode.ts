import { TranslogueError } from "../model/error.ts";
import type { Event } from "../model/events.ts";
import { isEmptyExact, noExactText } from "../model/exact-text.ts";
import type { Issue, Loss } from "../model/issue.ts";
import type { Json } from "../model/json.ts";
import { type ExactText, exactPointers } from "../model/json-text.ts";
import type { Node } from "../model/parts.ts";
import { type Machine, pipe } from "../stream/machine.ts";
import type { Codec, Recipient, StreamCodec } from "./codec.ts";
import { decodeContext, encodeContext } from "./context.ts";
import { pickRecipient } from "./encode.ts";
import { eventView, SeenParts } from "./event-view.ts";
import { spellNodes } from "./exact.ts";
import { frames, type WholeFrames, wholeFrames } from "./framing.ts";
import { FirstChoice } from "./one-choice.ts";
import { StreamSource } from "./stream-source.ts";

export interface StreamDecodeOptions {
  readonly dialect?: string;
  /** The spelling of the wire events' numbers, which grows as they come: what is decoded of them keeps it. */
  readonly exact?: ExactText;
}

export interface StreamEncodeOptions {
  readonly dialect?: string;
  /** Default: `client`. */
  readonly recipient?: Recipient;
  /** For whoever writes the wire events with `stringifyJson`: takes the spelling of what an encoder has read of texts. */
  readonly exact?: ExactText;
}

/** A machine that says, while it runs and after, what was wrong with its input and what its output cannot hold. */
export interface ReportingMachine<Input, Output> extends Machine<Input, Output> {
  readonly losses: readonly Loss[];
  readonly issues: readonly Issue[];
}

/** Wire events of a format → events. */
export function streamDecoderWith(codec: Codec, options: StreamDecodeOptions = {}): ReportingMachine<Json, Event> {
  const dialect = options.dialect ?? codec.dialects[0];
  const { exact } = options;
  const { context, issues, losses } = decodeContext(codec, { shape: "stream", dialect, ...(exact && { exact }) });
  const decoder = machine(streamOf(codec).decoder(context));
  return { ...(exact ? pipe(decoder, spelled(exact)) : decoder), issues, losses };
}

/** Gives the nodes of events the spelling of what they hold (R6). */
const spelled = (exact: ExactText): Machine<Event, Event> => ({
  push: event => [isEmptyExact(exact) ? event : withSpelling(event, exact)],
  end: () => [],
});

function withSpelling(event: Event, exact: ExactText): Event {
  switch (event.type) {
    case "part":
    case "part-start": {
      const [message] = spellNodes({ messages: [{ role: "assistant", parts: [event.value] }] }, exact).messages;
      const [value = event.value] = message?.parts ?? [];
      return value === event.value ? event : ({ ...event, value } as Event); // the same part
    }
    case "message-start":
      return { ...event, head: withPointers(event.head, exact) };
    case "message-set":
      return { ...event, set: withPointers(event.set, exact) };
    case "part-set":
      return { ...event, set: withPointers(event.set, exact) };
    default:
      return event;
  }
}

function withPointers<T extends Node>(node: T, exact: ExactText): T {
  const pointers = exactPointers(node, exact);
  return pointers ? { ...node, exact: { ...pointers, ...node.exact } } : node;
}

/** Events → wire events of a format, without what the format or the recipient does not take. */
export function streamEncoderWith(codec: Codec, options: StreamEncodeOptions = {}): ReportingMachine<Event, Json> {
  const dialect = options.dialect ?? codec.dialects[0];
  const losses: Loss[] = [];
  const { exact } = options;
  const recipient = pickRecipient("stream", options);
  const context = encodeContext(codec, { shape: "stream", dialect, recipient, ...(exact && { exact }) }, losses);
  const seen = new SeenParts();
  const lose: typeof context.lose = (code, path, detail) => context.lose(code, seen.original(path), detail);
  const encoder = pipe(eventView(codec, context, { losses, seen }), streamOf(codec).encoder({ ...context, lose }));
  return { ...(codec.oneAnswer ? pipe(new FirstChoice(losses), encoder) : encoder), issues: [], losses };
}

export interface TranscodeOptions extends Pick<StreamEncodeOptions, "recipient"> {
  readonly dialect?: string;
  readonly toDialect?: string;
  /** Largest wire event, in bytes. */
  readonly maxEventBytes?: number;
}

/**
 * Bytes of one format's stream → bytes of another's, as they arrive. Between one format and itself the bytes pass
 * through untouched; where they break off an error follows them.
 */
export function transcodeWith(
  formats: { readonly from: Codec; readonly to: Codec },
  options: TranscodeOptions = {},
): ReportingMachine<Uint8Array, Uint8Array> {
  const { from, to } = formats;
  const { dialect, toDialect, recipient, maxEventBytes } = options;
  const isSame = from.id === to.id && (toDialect === undefined || toDialect === (dialect ?? from.dialects[0]));
  const written = isSame ? dialect : toDialect;
  const exact = noExactText();
  const decoder = streamDecoderWith(from, { exact, ...(dialect !== undefined && { dialect }) });
  const encoder = streamEncoderWith(to, {
    exact,
    ...(written !== undefined && { dialect: written }),
    ...(recipient !== undefined && { recipient }),
  });
  const source = new StreamSource({
    codec: from,
    stream: streamOf(from),
    decoder,
    exact,
    isEager: !isSame,
    ...(maxEventBytes !== undefined && { maxEventBytes }),
    ...(dialect !== undefined && { dialect }),
  });
  const output = frames.encoder(streamOf(to), exact);
  if (isSame) {
    const events = pipe(source, encoder);
    const whole = wholeFrames(streamOf(to), maxEventBytes);
    return {
      ...untouched(events, output, { source, whole }),
      get issues() {
        return [...source.issues, ...source.faults];
      },
      losses: [],
    };
  }
  let isOver = false;
  /** Once the source's end has come, the target's goes out with it. */
  const bytesOf = (read: readonly Event[]): readonly Uint8Array[] => {
    if (isOver) return [];
    isOver = source.isOver;
    const wire = read.flatMap(event => encoder.push(event));
    return isOver ? [...output.pushAll([...wire, ...encoder.end()]), ...output.end()] : output.pushAll(wire);
  };
  return {
    push: bytes => bytesOf(source.push(bytes)),
    end: () => bytesOf(source.end()),
    get isOver() {
      return isOver;
    },
    get issues() {
      return [...source.issues, ...decoder.issues, ...source.faults];
    },
    get losses() {
      return [...source.losses, ...decoder.losses, ...encoder.losses];
    },
  };
}

/** The bytes as they are, and what a stream that was cut lacks: the events are written aside, for their end only. */
function untouched(
  events: Machine<Uint8Array, Json>,
  output: Machine<Json, Uint8Array>,
  { source, whole }: { readonly source: StreamSource; readonly whole: WholeFrames },
): Machine<Uint8Array, Uint8Array> {
  return {
    push: bytes => {
      events.push(bytes);
      return whole.push(bytes);
    },
    end: () => {
      const rest = events.end();
      if (source.faults.length === 0) return [];
      return [...whole.end(), ...rest.flatMap(event => output.push(event)), ...output.end()];
    },
  };
}

function streamOf(codec: Codec): StreamCodec {
  if (codec.stream) return codec.stream;
  throw new TranslogueError(
    "stream/not-a-streaming-format",
    `\`${codec.id}\` has no streams; convert its whole values instead`,
    {
      data: { format: codec.id },
    },
  );
}

/** The two functions alone, so that a spread does not lose methods that live on a prototype. */
const machine = <Input, Output>(inner: Machine<Input, Output>): Machine<Input, Output> => ({
  push: input => inner.push(input),
  end: () => inner.end(),
});
