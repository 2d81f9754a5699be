import type { Message } from "../model/conversation.ts";
import type { Event } from "../model/events.ts";
import type { Loss, Path } from "../model/issue.ts";
import type { ApprovalResponsePart, Part, ToolResultPart } from "../model/parts.ts";
import type { Machine } from "../stream/machine.ts";
import type { Codec, EncodeContext } from "./codec.ts";
import { expand } from "./provenance.ts";

/** What a model reads of a call that was refused, where nobody gave a reason: an empty result would be a success. */
export const deniedText = "Tool call execution denied.";

/** An answer that denies a call which nothing answers yet. */
interface Refusal {
  readonly callId: string;
  readonly path: Path;
  readonly response: ApprovalResponsePart;
}

export const refusalCode = "refusal-result";

/** What tells that a result was made, at the answer of this path. */
export const refusalLoss = (path: Path): Loss => ({
  kind: "synthesised",
  code: refusalCode,
  path,
  message: "a model is told of a refused call by a result",
});

/** Whether there is a place for such a result. */
export const takesRefusals = (codec: Codec, context: EncodeContext): boolean =>
  !("unsupported" in codec.holds(context).parts["tool-result"]);

/**
 * A model that is shown a call must be told that it was refused (R23): the answer gets a result beside it. Calls that the
 * provider runs are its own affair, and calls held inside a request are not shown. `report` gets the path of each answer.
 */
export function withRefusals(messages: readonly Message[], report: (path: Path) => void): readonly Message[] {
  if (!hasRefusal(messages)) return messages;
  const refusals = refusalsIn(messages);
  if (refusals.size === 0) return messages;
  for (const { path } of refusals.values()) report(path);
  return expand(messages, (message, index) => answered(message, place => refusals.get(`${index}.${place}`)));
}

function hasRefusal(messages: readonly Message[]): boolean {
  for (const { parts } of messages) {
    for (const part of parts) if (part.type === "approval-response" && !part.approved) return true;
  }
  return false;
}

/**
 * Denials behind which the call is let through after all, or has its result: a model is told of none of them. Of those in a list of whatever
 * holds parts, in their order; a call of the same id between them is another.
 */
export function takenBack<At>(all: Iterable<At>, partAt: (at: At) => Part): ReadonlySet<At> {
  const asked = new Map<string, string>();
  const denied = new Map<string, At[]>();
  const back = new Set<At>();
  const takeBack = (callId: string): void => {
    for (const denial of denied.get(callId) ?? []) back.add(denial);
    denied.delete(callId);
  };
  const deny = (callId: string, at: At): void => {
    const before = denied.get(callId);
    if (before) before.push(at);
    else denied.set(callId, [at]);
  };
  for (const at of all) {
    const part = partAt(at);
    if (part.type === "tool-call") denied.delete(part.callId);
    else if (part.type === "approval-request") asked.set(part.requestId, part.callId);
    else if (part.type === "tool-result" && !part.preliminary) takeBack(part.callId);
    const callId = part.type === "approval-response" ? (part.callId ?? asked.get(part.requestId)) : undefined;
    if (part.type !== "approval-response" || callId === undefined) continue;
    if (part.approved) takeBack(callId);
    else deny(callId, at);
  }
  return back;
}

/** By the places of the answers, as one object may stand at several: an id may name several calls of a long history, of which the last one counts. */
function refusalsIn(messages: readonly Message[]): ReadonlyMap<string, Refusal> {
  const calls = new Set<string>();
  const asked = new Map<string, string>();
  const refused = new Map<string, Refusal>();
  const found = new Map<string, Refusal>();
  const takeBack = (callId: string): void => {
    const [, message, , place] = refused.get(callId)?.path ?? [];
    found.delete(`${message}.${place}`);
    refused.delete(callId);
  };
  const answer = (response: ApprovalResponsePart, message: number, place: number): void => {
    const callId = response.callId ?? asked.get(response.requestId);
    if (callId === undefined) return;
    // A person's last word counts.
    if (response.approved) takeBack(callId);
    if (response.approved || !calls.has(callId) || refused.has(callId)) return;
    const refusal = { callId, path: ["messages", message, "parts", place], response };
    refused.set(callId, refusal);
    found.set(`${message}.${place}`, refusal);
  };
  messages.forEach(({ parts }, message) => {
    parts.forEach((part, place) => {
      if (part.type === "tool-call") {
        refused.delete(part.callId);
        if (part.executedBy === "provider") calls.delete(part.callId);
        else calls.add(part.callId);
      } else if (part.type === "approval-request") asked.set(part.requestId, part.callId);
      else if (part.type === "tool-result") {
        takeBack(part.callId);
        calls.delete(part.callId);
      } else if (part.type === "approval-response") answer(part, message, place);
    });
  });
  return found;
}

/** Results are in a tool message (R20): the answer's own, or one behind the call and before what else a person says. */
function answered(message: Message, refusalAt: (place: number) => Refusal | undefined): readonly Message[] {
  const made = message.parts.flatMap((_, place) => {
    const refusal = refusalAt(place);
    return refusal ? [resultOf(refusal)] : [];
  });
  if (made.length === 0) return [message];
  if (message.role !== "tool") {
    const results: Message = { role: "tool", parts: made };
    return message.role === "assistant" ? [message, results] : [results, message];
  }
  const parts = expand(message.parts, (part, place) => {
    const refusal = refusalAt(place);
    return refusal ? [part, resultOf(refusal)] : [part];
  });
  return [{ ...message, parts }];
}

const resultOf = ({ callId, response: { reason } }: Refusal): ToolResultPart => ({
  type: "tool-result",
  callId,
  ...(reason?.trim() && { output: [{ type: "text", text: reason }] }),
  outcome: "denied",
});

/** Numbers of messages that no source gives. */
const firstMade = 1_000_000_000;

/**
 * The same for a stream. An answer may still be followed by a result, so ours is a message behind it, before the next
 * turn; what a person says in the message of the answer itself waits for that.
 */
export function refusalEvents(report: (path: Path) => void): Machine<Event, Event> {
  return new RefusalEvents(report);
}

class RefusalEvents implements Machine<Event, Event> {
  readonly #report: (path: Path) => void;
  readonly #calls = new Set<string>();
  readonly #callOf = new Map<string, string>();
  readonly #asked = new Map<string, string>();
  /** Requests that have an answer, which may be another in the end. */
  readonly #answered = new Map<string, string>();
  readonly #refused = new Map<string, Refusal>();
  #held: { readonly message: number; readonly events: Event[] } | undefined;
  #count = 0;

  constructor(report: (path: Path) => void) {
    this.#report = report;
  }

  push(event: Event): readonly Event[] {
    const held = this.#held;
    if (held && "message" in event && event.message === held.message) {
      this.#note(event);
      held.events.push(event);
      return event.type === "message-end" ? this.#release() : [];
    }
    if (event.type !== "message-start") {
      this.#note(event);
      return [event];
    }
    const { role } = event.head;
    const before = role === "tool" ? [] : [...this.#release(), ...this.#told()];
    if (role === "tool" || role === "assistant" || this.#asked.size === 0) return [...before, event];
    this.#held = { message: event.message, events: [event] };
    return before;
  }

  #note(event: Event): void {
    switch (event.type) {
      case "part-start":
      case "part":
        this.#part(event.value, ["messages", event.message, "parts", event.part]);
        break;
      case "part-set": {
        const callId = this.#callOf.get(`${event.message}.${event.part}`);
        if (callId !== undefined && "executedBy" in event.set && event.set.executedBy === "provider")
          this.#calls.delete(callId);
        break;
      }
      default:
        break;
    }
  }

  #part(part: Part, path: Path): void {
    switch (part.type) {
      case "tool-call":
        this.#refused.delete(part.callId);
        this.#callOf.set(`${path[1]}.${path[3]}`, part.callId);
        if (part.executedBy === "provider") this.#calls.delete(part.callId);
        else this.#calls.add(part.callId);
        break;
      case "approval-request":
        this.#asked.set(part.requestId, part.callId);
        break;
      case "tool-result":
        this.#refused.delete(part.callId);
        this.#calls.delete(part.callId);
        break;
      case "approval-response": {
        const { requestId } = part;
        const callId = part.callId ?? this.#asked.get(requestId) ?? this.#answered.get(requestId);
        this.#asked.delete(requestId);
        if (callId === undefined) break;
        this.#answered.set(requestId, callId);
        if (part.approved) this.#refused.delete(callId);
        else if (this.#calls.has(callId) && !this.#refused.has(callId))
          this.#refused.set(callId, { callId, path, response: part });
        break;
      }
      default:
        break;
    }
  }

  /** What was held back, behind the results. */
  #release(): readonly Event[] {
    const held = this.#held;
    this.#held = undefined;
    return held ? [...this.#told(), ...held.events] : [];
  }

  #told(): readonly Event[] {
    if (this.#refused.size === 0) return [];
    const message = firstMade + this.#count++;
    const parts = [...this.#refused.values()].map((refusal, part): Event => {
      this.#report(refusal.path);
      this.#calls.delete(refusal.callId);
      return { type: "part", message, part, value: resultOf(refusal) };
    });
    this.#refused.clear();
    return [{ type: "message-start", message, head: { role: "tool" } }, ...parts, { type: "message-end", message }];
  }

  end(): readonly Event[] {
    return [...this.#release(), ...this.#told()];
  }
}
