import { TranslogueError } from "../model/error.ts";
import type { Event } from "../model/events.ts";
import type { Issue, Loss } from "../model/issue.ts";
import type { Json } from "../model/json.ts";
import { type Machine, pipe } from "../stream/machine.ts";
import type { Codec, Recipient, StreamCodec } from "./codec.ts";
import { decodeContext, encodeContext } from "./context.ts";
import { pickRecipient } from "./encode.ts";
import { endCheck } from "./end-check.ts";
import { eventView } from "./event-view.ts";
import { frames } from "./framing.ts";

export interface StreamDecodeOptions {
  readonly dialect?: string;
}

export interface StreamEncodeOptions {
  readonly dialect?: string;
  /** Default: `client`. */
  readonly recipient?: Recipient;
}

/** A machine that says, while it runs and after, what was wrong with its input and what its output cannot hold. */
export interface ReportingMachine<Input, Output> extends Machine<Input, Output> {
  readonly losses: readonly Loss[];
  readonly issues: readonly Issue[];
}

/** Wire events of a format → events. */
export function streamDecoderWith(codec: Codec, options: StreamDecodeOptions = {}): ReportingMachine<Json, Event> {
  const dialect = options.dialect ?? codec.dialects[0];
  const { context, issues, losses } = decodeContext(codec, { shape: "stream", dialect });
  return { ...machine(streamOf(codec).decoder(context)), issues, losses };
}

/** Events → wire events of a format, without what the format or the recipient does not take. */
export function streamEncoderWith(codec: Codec, options: StreamEncodeOptions = {}): ReportingMachine<Event, Json> {
  const dialect = options.dialect ?? codec.dialects[0];
  const losses: Loss[] = [];
  const context = encodeContext(
    codec,
    { shape: "stream", dialect, recipient: pickRecipient("stream", options) },
    losses,
  );
  return { ...pipe(eventView(codec, context, losses), streamOf(codec).encoder(context)), issues: [], losses };
}

export interface TranscodeOptions extends Pick<StreamEncodeOptions, "recipient"> {
  readonly dialect?: string;
  readonly toDialect?: string;
  /** Largest wire event, in bytes. */
  readonly maxEventBytes?: number;
}

/**
 * Bytes of one format's stream → bytes of another's, as they arrive. Between one format and itself the bytes pass
 * through untouched.
 */
export function transcodeWith(
  formats: { readonly from: Codec; readonly to: Codec },
  options: TranscodeOptions = {},
): ReportingMachine<Uint8Array, Uint8Array> {
  const { from, to } = formats;
  const { dialect, toDialect, recipient, maxEventBytes } = options;
  if (from.id === to.id && (toDialect === undefined || toDialect === (dialect ?? from.dialects[0]))) {
    return { push: bytes => [bytes], end: () => [], issues: [], losses: [] };
  }
  const decoder = streamDecoderWith(from, { ...(dialect !== undefined && { dialect }) });
  const encoder = streamEncoderWith(to, {
    ...(toDialect !== undefined && { dialect: toDialect }),
    ...(recipient !== undefined && { recipient }),
  });
  const input = frames.decoder(streamOf(from), {
    ...(maxEventBytes !== undefined && { maxEventBytes }),
    ...(dialect !== undefined && { dialect }),
  });
  const output = frames.encoder(streamOf(to));
  const end = endCheck();
  const through = pipe(pipe(pipe(pipe(input, decoder), end), encoder), output);
  return {
    ...through,
    get issues() {
      return [...input.issues, ...decoder.issues, ...end.issues];
    },
    get losses() {
      return [...decoder.losses, ...encoder.losses];
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
