import { context, type Span, trace } from "@opentelemetry/api";
import type { Event } from "translogue";
import type { Attributes } from "./conventions.ts";

/** A span with what its metrics need. */
export class Timed {
  readonly span: Span;
  readonly #began = performance.now();
  #first: number | undefined;
  #ended: number | undefined;
  error: string | undefined;

  constructor(span: Span) {
    this.span = span;
  }

  get isOver(): boolean {
    return this.#ended !== undefined;
  }

  /** Seconds. */
  get took(): number {
    return ((this.#ended ?? performance.now()) - this.#began) / 1000;
  }

  /** Seconds to the first events; undefined where none came. */
  get firstAfter(): number | undefined {
    return this.#first === undefined ? undefined : (this.#first - this.#began) / 1000;
  }

  sees(events: readonly Event[]): void {
    if (events.length > 0) this.#first ??= performance.now();
  }

  end(attributes: Attributes = {}): void {
    this.#ended = performance.now();
    this.span.setAttributes(attributes);
    this.span.end();
  }
}

/** Each step of a stream with the span as the active one, so that what happens in it is below it; the reader's own time is not. */
export async function* inSpan<T>(span: Span, stream: () => AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  const active = trace.setSpan(context.active(), span);
  const iterator = context.with(active, () => stream()[Symbol.asyncIterator]());
  let isOver = false;
  try {
    for (;;) {
      const next = await context.with(active, () => iterator.next());
      isOver = next.done === true;
      if (next.done) return;
      yield next.value;
    }
  } finally {
    if (!isOver) await context.with(active, () => iterator.return?.());
  }
}
