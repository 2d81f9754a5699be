import type { Issue } from "../model/issue.ts";
import type { Json } from "../model/json.ts";
import type { ExactText } from "../model/json-text.ts";
import type { Machine } from "../stream/machine.ts";
import type { BinaryFraming } from "./codec.ts";

export interface BinaryFrameOptions {
  /** Takes the spelling of numbers that JavaScript spells otherwise. */
  readonly exact?: ExactText;
  readonly maxEventBytes?: number;
}

export interface BinaryFrameDecoder extends Machine<Uint8Array, Json> {
  /** Frames that are damaged, or hold no event. After damage nothing more is read. */
  readonly issues: readonly Issue[];
}

/** Bytes → wire events, in any chunking. Throws `stream/event-too-large` once the events before the large one are out. */
export function binaryDecoder(binary: BinaryFraming, options: BinaryFrameOptions = {}): BinaryFrameDecoder {
  const issues: Issue[] = [];
  let count = 0;
  /** Said while frames are split, which is before those in front of it are read. */
  let damage: string | undefined;
  const report = (message: string): void => {
    issues.push({ code: "stream/not-a-frame", severity: "error", path: [], wirePath: [count], message });
  };
  const { exact, maxEventBytes } = options;
  const frames = binary.split({
    report: message => {
      damage = message;
    },
    ...(maxEventBytes !== undefined && { maxEventBytes }),
  });
  const read = (frame: Uint8Array): readonly Json[] => {
    try {
      return [binary.read(frame, exact)];
    } catch (error) {
      report(error instanceof Error ? error.message : String(error));
      return [];
    } finally {
      count++;
    }
  };
  const readAll = (whole: readonly Uint8Array[]): readonly Json[] => {
    const events = whole.flatMap(read);
    if (damage !== undefined) report(damage);
    damage = undefined;
    return events;
  };
  return { issues, push: bytes => readAll(frames.push(bytes)), end: () => readAll(frames.end()) };
}
