import type { Event, Json } from "translogue";
import { type Codec, streamDecoder } from "translogue/convert";
import type { RunError } from "../errors.ts";
import type { ModelReport } from "../model.ts";
import { errorLast, isFailed } from "./error-last.ts";
import { excerpt } from "./excerpt.ts";
import { toldError } from "./host-error.ts";
import { endOnce, usageIn } from "./output.ts";
import { sdkError } from "./sdk-error.ts";

export interface ValueReading {
  readonly codec: Codec;
  readonly dialect?: string | undefined;
  readonly report?: ((report: ModelReport) => void) | undefined;
  /** Its abort leaves the stream. */
  readonly signal?: AbortSignal | undefined;
  /** One value of the SDK's stream as JSON, or the error that it tells. */
  readonly read: (value: unknown) => { readonly json: Json } | { readonly error: RunError };
  /** Sees each value with its events, those of the end without one, and gives what is to be told of them. */
  readonly follow?: (events: readonly Event[], value?: Json) => Iterable<readonly Event[]>;
}

/** A stream whose maker does not listen to the signal is cancelled at its abort, also while it is waited for. */
async function* leaving<T>(
  stream: ReadableStream<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T, void, undefined> {
  const reader = stream.getReader();
  // What its cancelling comes to is of no use to anybody.
  const leave = (): void => void reader.cancel(signal?.reason).catch(() => undefined);
  signal?.addEventListener("abort", leave, { once: true });
  if (signal?.aborted) leave();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal?.throwIfAborted();
      if (done) return;
      yield value;
    }
  } finally {
    signal?.removeEventListener("abort", leave);
    leave();
  }
}

/** An error that the host tells in its stream, in our codes. */
function hostsError(event: Event, value: Json): Event {
  if (event.type !== "error") return event;
  return { type: "error", error: toldError(event.error, value, { show: text => excerpt(text, undefined) }) };
}

/** The events of a stream whose values an SDK hands out one by one. What it throws is the last of them. */
export async function* valueEvents(
  values: AsyncIterable<unknown>,
  { codec, dialect, report, signal, read, follow = events => [events] }: ValueReading,
): AsyncGenerator<readonly Event[], void, undefined> {
  const decoder = streamDecoder(codec, dialect === undefined ? {} : { dialect });
  let count = 0;
  // Without a single value the decoder would end an answer that nobody began.
  const end = endOnce(decoder, () => count > 0);
  report?.({ usageSoFar: () => usageIn(end()) });
  const failed = (error: RunError) => errorLast([{ type: "error", error }], end());
  try {
    for await (const value of values instanceof ReadableStream ? leaving(values, signal) : values) {
      const told = read(value);
      if ("error" in told) {
        yield* follow(failed(told.error));
        return;
      }
      count++;
      const pushed = decoder.push(told.json).map(event => hostsError(event, told.json));
      const isOver = isFailed(pushed);
      const shown = isOver ? errorLast(pushed, end()) : pushed;
      for (const events of follow(shown, told.json)) if (events.length > 0) yield events;
      if (isOver) return;
    }
  } catch (thrown) {
    yield* follow(failed(sdkError(thrown)));
    return;
  }
  const last = end();
  if (last.length > 0) yield* follow(last);
  if (decoder.issues.length > 0) report?.({ issues: decoder.issues });
}
