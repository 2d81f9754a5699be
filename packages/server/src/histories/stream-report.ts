import { type Codec, encodeSse, type Issue, type Json, type Loss } from "translogue";
import type { StreamReport } from "../contract.ts";

/** So many losses, and so many issues, are told one by one. */
const most = 100;

const utf8 = new TextEncoder();

interface Remarks {
  readonly losses: readonly Loss[];
  readonly issues: readonly Issue[];
}

export function reportOf({ losses, issues }: Remarks): StreamReport {
  const counts: { [code: string]: number } = {};
  for (const { code } of [...losses, ...issues]) counts[code] = (counts[code] ?? 0) + 1;
  return { losses: losses.slice(0, most), issues: issues.slice(0, most), counts };
}

/**
 * What was not kept of a stream, as one more record of the stream's own framing: an event of a name of ours, a line with a
 * member of ours, a frame of a type of ours. No reader of the target's format knows it, so it is for those who ask.
 */
export function reportFrames({ stream }: Codec, remarks: Remarks): readonly Uint8Array[] {
  const report = reportOf(remarks);
  if (stream?.binary) return stream.binary.write({ translogueReport: report as unknown as Json }); // losses and issues are JSON
  const text =
    stream?.framing === "ndjson"
      ? `${JSON.stringify({ translogue: report })}\n`
      : encodeSse({ event: "translogue-report", data: JSON.stringify(report) });
  return [utf8.encode(text)];
}
