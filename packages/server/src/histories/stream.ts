import { encodeSseComment, isError } from "translogue";
import { transcode } from "translogue/convert";
import { checkStream, StreamBody } from "../body.ts";
import { failureFields } from "../log.ts";
import { refuse } from "../members.ts";
import type { Call } from "../routes/call.ts";
import { codesOf } from "./answer.ts";
import { at, formatNamed, optionsIn, recipientIn, required } from "./given.ts";
import { reportFrames } from "./stream-report.ts";

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
export async function convertStream({ request, url, services, correlationId }: Call): Promise<Response> {
  const limit = services.config.maxBodyBytes;
  checkStream(request, limit);
  const options = optionsIn(url);
  const recipient = recipientIn(options);
  const isReported = options.boolean("report") ?? false;
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
  const body = new StreamBody(request.body, limit);
  await body.begun();
  const failed = (error: unknown): void =>
    services.config.log({ level: "error", event: "failure", correlationId, ...failureFields(error) });
  const remarked = (): readonly Uint8Array[] =>
    isReported ? reportFrames(to.codec, machine) : comments(machine, framing);
  return new Response(readable(transcoded(body, { machine, remarked, failed }), body), {
    headers: {
      "content-type": types[framing],
      "cache-control": "no-cache",
      "x-accel-buffering": "no",
      ...(isReported && { "x-report": "last" }),
    },
  });
}

interface Transcoding {
  readonly machine: Transcoder;
  /** What was not kept, once all is converted. */
  readonly remarked: () => readonly Uint8Array[];
  readonly failed: (error: unknown) => void;
}

/** Whatever ends a stream early, its reader hears in the stream: the machine says so at its end. */
async function* transcoded(
  body: StreamBody,
  { machine, remarked, failed }: Transcoding,
): AsyncGenerator<Uint8Array, void> {
  try {
    for (let chunk = await body.read(); chunk; chunk = await body.read()) yield* machine.push(chunk);
  } catch (error) {
    if (!isError(error)) failed(error);
    await body.cancel();
  }
  yield* machine.end();
  yield* remarked();
}

/** For those who did not ask: only where the framing has comments. The headers are gone, and trailers are hardly read. */
function comments({ losses, issues }: Transcoder, framing: Framing): readonly Uint8Array[] {
  const remarks = [...losses, ...issues];
  if (framing !== "sse" || remarks.length === 0) return [];
  return [new TextEncoder().encode(encodeSseComment(codesOf(remarks)))];
}

/** Pulled chunk by chunk, so that a slow reader slows the sender; one that leaves stops it, also in the middle of a wait. */
const readable = (chunks: AsyncGenerator<Uint8Array, void>, body: StreamBody): ReadableStream<Uint8Array> =>
  new ReadableStream<Uint8Array>({
    pull: async controller => {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => {
      await body.cancel();
      await chunks.return();
    },
  });
