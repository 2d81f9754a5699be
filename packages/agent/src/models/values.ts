import type { Event, Json } from "translogue";
import { type Codec, streamDecoder } from "translogue/convert";
import type { RunError } from "../errors.ts";
import type { ModelReport } from "../model.ts";
import { sdkError } from "./sdk-error.ts";

export interface ValueReading {
  readonly codec: Codec;
  readonly dialect?: string | undefined;
  readonly report?: ((report: ModelReport) => void) | undefined;
  /** Its abort leaves the stream. */
  readonly signal?: AbortSignal | undefined;
  /** One value of the SDK's stream as JSON, or the error that it tells. */
  readonly read: (value: unknown) => { readonly json: Json } | { readonly error: RunError };
  /** Sees each value with its events, and gives what is to be told of them. */
  readonly follow?: (events: readonly Event[], value: Json) => Iterable<readonly Event[]>;
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

/** The events of a stream whose values an SDK hands out one by one. What it throws is the last of them. */
export async function* valueEvents(
  values: AsyncIterable<unknown>,
  { codec, dialect, report, signal, read, follow = events => [events] }: ValueReading,
): AsyncGenerator<readonly Event[], void, undefined> {
  const decoder = streamDecoder(codec, dialect === undefined ? {} : { dialect });
  let count = 0;
  try {
    for await (const value of values instanceof ReadableStream ? leaving(values, signal) : values) {
      const told = read(value);
      if ("error" in told) {
        yield [{ type: "error", error: told.error }];
        return;
      }
      count++;
      for (const events of follow(decoder.push(told.json), told.json)) if (events.length > 0) yield events;
    }
  } catch (thrown) {
    yield [{ type: "error", error: sdkError(thrown) }];
    return;
  }
  // Without a single value the decoder would end an answer that nobody began.
  const last = count > 0 ? decoder.end() : [];
  if (last.length > 0) yield last;
  if (decoder.issues.length > 0) report?.({ issues: decoder.issues });
}
