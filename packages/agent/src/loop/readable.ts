import type { Message, Part, ToolCallPart } from "translogue";

/** A message as a model reads it, and the one that it was made of. */
export interface Readable {
  readonly message: Message;
  readonly source: Message;
}

/**
 * The messages as a model reads them. Approvals and questions of calls that the agent runs are between it and people: no
 * provider has a place for them, and what came of them is in the results. Those of a provider's own calls go back to it. Messages that are
 * empty then are left out; the others are the ones given.
 */
export function readable(messages: readonly Message[]): readonly Readable[] {
  if (!messages.some(({ parts }) => parts.some(isInner))) return messages.map(source => ({ message: source, source }));
  const known = knownParts(messages);
  return messages.flatMap(source => {
    if (!source.parts.some(isInner)) return [{ message: source, source }];
    const parts = source.parts.flatMap(part => shown(part, known));
    return parts.length === 0 ? [] : [{ message: { ...source, parts }, source }];
  });
}

/** Whether nothing is asked or answered in the messages that is about what was said before them, where these requests stand. */
export function standsAlone(messages: readonly Message[], before: ReadonlySet<string>): boolean {
  const [calls, requests] = [new Set<string>(), new Set<string>()];
  for (const { parts } of messages)
    for (const part of parts) {
      if (part.type === "tool-call") calls.add(part.callId);
      if (!("requestId" in part)) continue;
      if (before.has(part.requestId)) return false;
      if (part.type === "approval-response" || part.type === "input-response") {
        if (!requests.has(part.requestId)) return false;
        continue;
      }
      if (part.callId !== undefined && !calls.has(part.callId) && !("call" in part)) return false;
      requests.add(part.requestId);
    }
  return true;
}

/** Between agents and people: approvals, what calls ask, and who leads. */
const isInner = (part: Part): boolean => innerTypes.has(part.type) || isHandOver(part);

const innerTypes: ReadonlySet<Part["type"]> = new Set([
  ...(["approval-request", "approval-response", "input-request", "input-response"] as const),
]);

/** Another agent leads from here on. */
export const isHandOver = (part: Part): boolean => part.type === "change" && part.agent !== undefined;

interface Known {
  /** Requests whose call was run by somebody, and stands nowhere else. */
  readonly run: ReadonlySet<string>;
  /** Requests about calls of the provider's. */
  readonly foreign: ReadonlySet<string>;
  /** Requests for input of calls that the agent runs. */
  readonly asked: ReadonlySet<string>;
}

function knownParts(messages: readonly Message[]): Known {
  const calls = new Map<string, ToolCallPart>();
  const inside = new CallsInRequests();
  const foreign = new Set<string>();
  const asked = new Set<string>();
  for (const part of messages.flatMap(message => message.parts)) {
    inside.see(part);
    if (part.type === "tool-call") calls.set(part.callId, part);
    else if (part.type === "input-request" && part.callId !== undefined) asked.add(part.requestId);
    else if (part.type === "approval-request" || part.type === "approval-response") {
      const call = part.call ?? calls.get(part.callId ?? "");
      if (call?.executedBy === "provider") foreign.add(part.requestId);
    }
  }
  return { run: inside.run, foreign, asked };
}

/** Calls that stand inside their requests alone, by their places: other steps may have calls of the same ids. */
class CallsInRequests {
  readonly run = new Set<string>();
  readonly #open = new Set<string>();
  readonly #inside = new Map<string, string[]>();

  see(part: Part): void {
    if (part.type === "tool-call") {
      this.#open.add(part.callId);
      // It was told again, outside of its request.
      this.#inside.get(part.callId)?.shift();
    } else if (part.type === "approval-request") {
      if (!part.call || this.#open.has(part.callId)) return;
      const inside = this.#inside.get(part.callId);
      if (inside) inside.push(part.requestId);
      else this.#inside.set(part.callId, [part.requestId]);
    } else if (part.type === "tool-result" && !part.preliminary && !this.#open.delete(part.callId)) {
      const request = this.#inside.get(part.callId)?.shift();
      if (request !== undefined) this.run.add(request);
    }
  }
}

/** A call that stands only inside its request, and was run by somebody, is shown in its place: its result would stand alone. */
function shown(part: Part, { run, foreign, asked }: Known): readonly Part[] {
  if (isHandOver(part)) return [];
  if (part.type === "input-request" || part.type === "input-response") return asked.has(part.requestId) ? [] : [part];
  if (part.type !== "approval-request" && part.type !== "approval-response") return [part];
  if (foreign.has(part.requestId)) return [part];
  if (part.type === "approval-response" || !part.call) return [];
  return run.has(part.requestId) ? [part.call] : [];
}
