import type { Event } from "../model/events.ts";
import type { Issue } from "../model/issue.ts";
import type { Machine } from "../stream/machine.ts";

export interface EndCheck extends Machine<Event, Event> {
  readonly issues: readonly Issue[];
  /** The source has told of an error: nothing more of it counts. */
  readonly hasFailed: boolean;
}

/**
 * Passes events on, and says at the end whether the stream was whole. A missing end is an error, never a success: whoever
 * reads on gets an error event where the source just stopped, or never was a stream of the format. `damage`: what was wrong
 * with the bytes where they stopped being read; `found`: what came that was no answer.
 */
export function endCheck(
  damage: () => string | undefined,
  found: () => string | undefined = () => undefined,
): EndCheck {
  const issues: Issue[] = [];
  const open = new Set<number>();
  let hasBegun = false;
  let hasFailed = false;
  let isCut = false;

  const push = (event: Event): readonly Event[] => {
    hasBegun = true;
    if (event.type === "message-start") open.add(event.message);
    else if (event.type === "message-end") open.delete(event.message);
    else if (event.type === "message-set") isCut ||= event.set.finish?.reason === "incomplete";
    else if (event.type === "error") hasFailed = true;
    return [event];
  };

  const fault = (code: string, message: string): readonly Event[] => {
    issues.push({ code, severity: "error", path: [], message });
    return [{ type: "error", error: { message, code } }];
  };

  const end = (): readonly Event[] => {
    if (hasFailed) return [];
    const why = damage();
    const what = why ?? found();
    const because = what === undefined ? "" : `: ${what}`;
    if (!hasBegun) return fault("stream/nothing", `nothing in the stream is of the format it was read as${because}`);
    if (isCut || open.size > 0) return fault("stream/cut", `the stream ended before its answer did${because}`);
    return why === undefined ? [] : fault("stream/cut", `the stream broke off behind its answer${because}`);
  };
  return {
    push,
    end,
    issues,
    get hasFailed() {
      return hasFailed;
    },
  };
}
