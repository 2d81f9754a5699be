import { encodeSseComment, isError } from "translogue";
import { transcode } from "translogue/convert";
import { checkStream, readStream } from "../body.ts";
import { HttpError } from "../http-error.ts";
import { refuse } from "../members.ts";
import type { Call } from "../routes/call.ts";
import { codesOf } from "./answer.ts";
import { at, formatNamed, optionsIn, recipientIn, required } from "./given.ts";

/** Why a stream is not looked at first. */
const asTheyCome =
  "a stream is converted as it comes, so both formats are named in the address (`/api/v1/convert?from=…&to=…`)";

type Transcoder = ReturnType<typeof transcode>;

const types = {
  sse: "text/event-stream",
  ndjson: "application/x-ndjson",
  binary: "application/vnd.amazon.eventstream",
} as const;
type Framing = keyof typeof types;

/** A stream in one format as one in another, event by event as they come. */
export async function convertStream({ request, url, services }: Call): Promise<Response> {
  const limit = services.config.maxBodyBytes;
  checkStream(request, limit);
  const options = optionsIn(url);
  const recipient = recipientIn(options);
  const named = { from: required(options, "from", asTheyCome), to: required(options, "to", asTheyCome) };
  options.refuseOthers();
  refuse(options.faults);
  const from = formatNamed(named.from, "from");
  const to = formatNamed(named.to, "to");
  const machine = at(["to"], () =>
    transcode(
      { from: from.codec, to: to.codec },
      {
        maxEventBytes: limit,
        ...(from.dialect !== undefined && { dialect: from.dialect }),
        ...(to.dialect !== undefined && { toDialect: to.dialect }),
        ...(recipient !== undefined && { recipient }),
      },
    ),
  );
  const framing = to.codec.stream?.framing ?? "sse";
  const chunks = transcoded(readStream(await begun(request), limit), machine, framing);
  return new Response(readable(chunks), {
    headers: { "content-type": types[framing], "cache-control": "no-cache", "x-accel-buffering": "no" },
  });
}

/** The body, once it is known to hold anything. Throws 400 where it does not. */
async function begun({ body }: Request): Promise<AsyncIterable<Uint8Array>> {
  const chunks = (body ?? new Blob([]).stream())[Symbol.asyncIterator]();
  const held: Uint8Array[] = [];
  let broken: unknown;
  try {
    for (let isEmpty = true; isEmpty; ) {
      const { done, value } = await chunks.next();
      if (done) throw new HttpError(400, "the body is empty; send the stream's events");
      held.push(value);
      isEmpty = value.every(byte => byte <= 0x20);
    }
  } catch (error) {
    if (error instanceof HttpError) throw error;
    broken = error;
  }
  return (async function* () {
    yield* held;
    // Its reader hears of it in the stream.
    if (broken !== undefined) throw broken;
    yield* { [Symbol.asyncIterator]: () => chunks };
  })();
}

async function* transcoded(
  bytes: AsyncIterable<Uint8Array>,
  machine: Transcoder,
  framing: Framing,
): AsyncGenerator<Uint8Array, void> {
  try {
    for await (const chunk of bytes) yield* machine.push(chunk);
  } catch (error) {
    // Whatever ends a stream early, its reader hears in the stream: the machine says so at its end.
    if (!isError(error, "stream/event-too-large") && !isBroken(error)) throw error;
  }
  yield* machine.end();
  const remarks = [...machine.losses, ...machine.issues];
  // Nothing else is left to tell it in: the headers are gone.
  if (framing === "sse" && remarks.length > 0) yield new TextEncoder().encode(encodeSseComment(codesOf(remarks)));
}

/** Pulled chunk by chunk, so that a slow reader slows the sender. */
const readable = (chunks: AsyncGenerator<Uint8Array, void>): ReadableStream<Uint8Array> =>
  new ReadableStream<Uint8Array>({
    pull: async controller => {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => void (await chunks.return()),
  });

/** The sender went away. */
const isBroken = (error: unknown): boolean =>
  error instanceof Error &&
  (error.name === "AbortError" || error.message === "aborted" || error.message === "terminated");
