/** Which call, question, answer and result of a conversation belong together: on the AI SDK's wire they are one part. */

import type { Message } from "../../model/conversation.ts";
import { pairResults } from "../../model/pairing.ts";
import type { Part, PartOf, ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import { hasApprovals } from "./tool-writing.ts";

/** Where a part stands. */
export interface Place {
  readonly message: number;
  readonly part: number;
}

export interface Placed<P extends Part> {
  readonly part: P;
  readonly at: Place;
}

/** A call with all that is known of it. */
export interface PlacedUse {
  readonly call: Placed<ToolCallPart>;
  request?: Placed<PartOf<"approval-request">>;
  response?: Placed<PartOf<"approval-response">>;
  result?: Placed<ToolResultPart>;
  /** The conversation has no call of its own: it was made for what answers it. */
  readonly isMade?: true;
}

/** A question about a call that the conversation does not show. */
export interface LooseApproval {
  readonly request?: Placed<PartOf<"approval-request">>;
  response?: Placed<PartOf<"approval-response">>;
}

type Role = "call" | "request" | "response" | "result";

/** What is written where a part stands. */
export type Entry =
  | { readonly use: PlacedUse; readonly as: Role }
  | { readonly loose: LooseApproval; readonly as: "request" | "response" }
  /** Another of its kind stands in its place. */
  | { readonly replaced: string };

export const isSamePlace = (a: Place, b: Place): boolean => a.message === b.message && a.part === b.part;

/** Whether what belongs together is written where this piece of it stands. */
export function isHere(entry: Entry, at: Place, generation: number): boolean {
  if ("replaced" in entry) return false;
  if ("loose" in entry) return entry.as === "request" || !entry.loose.request;
  const { call } = entry.use;
  return isSamePlace(call.at, at) || (entry.as === "request" && !hasApprovals(call.part, generation));
}

/** Finds for every call, question, answer and result of the messages what it belongs to. */
export class Uses {
  readonly #entries: (Entry | undefined)[][] = [];
  readonly #byCallId = new Map<string, PlacedUse>();
  readonly #byRequestId = new Map<string, PlacedUse | LooseApproval>();
  readonly #byCall = new Map<ToolCallPart, PlacedUse>();
  /** Those whose held call came once more. */
  readonly #retold = new Set<PlacedUse>();
  readonly #calls: ReadonlyMap<ToolResultPart, ToolCallPart>;

  constructor(messages: readonly Message[]) {
    this.#calls = pairResults(messages);
    messages.forEach(({ role, parts }, message) => {
      const entries: (Entry | undefined)[] = [];
      this.#entries.push(entries);
      parts.forEach((part, index) => {
        entries.push(this.#enter(part, { message, part: index }, role));
      });
    });
  }

  /** Undefined for parts that are written as themselves. */
  entryAt({ message, part }: Place): Entry | undefined {
    return this.#entries[message]?.[part];
  }

  #enter(part: Part, at: Place, role: string): Entry | undefined {
    switch (part.type) {
      case "tool-call":
        return this.#call(part, at);
      case "tool-result":
        return this.#result(part, at, role);
      case "approval-request":
        return this.#request(part, at);
      case "approval-response":
        return this.#response(part, at);
      default:
        return undefined;
    }
  }

  /** What a question held stands there already; once it was answered, a loop tells it again for its result. */
  #call(part: ToolCallPart, at: Place): Entry {
    const held = this.#byCallId.get(part.callId);
    const isTold = held?.isMade && held.request?.part.call !== undefined && !held.result && !this.#retold.has(held);
    if (!held || !isTold) return { use: this.#open({ call: { part, at } }), as: "call" };
    this.#retold.add(held);
    this.#byCall.set(part, held);
    return { replaced: "retold-call" };
  }

  #open(use: PlacedUse): PlacedUse {
    this.#byCall.set(use.call.part, use);
    this.#byCallId.set(use.call.part.callId, use);
    return use;
  }

  #result(part: ToolResultPart, at: Place, role: string): Entry {
    const call = this.#calls.get(part);
    const known = (call && this.#byCall.get(call)) ?? this.#madeFor(part.callId);
    const use = known ?? this.#open({ call: { part: callFor(part, role), at }, isMade: true });
    // A preliminary result is replaced by the one after it.
    const before = use.result?.at;
    const entries = before && this.#entries[before.message];
    if (before && entries) entries[before.part] = { replaced: "preliminary-result" };
    use.result = { part, at };
    return { use, as: "result" };
  }

  /** A call that was made for a preliminary result is the next one's too; one held in a question is its result's. */
  #madeFor(callId: string): PlacedUse | undefined {
    const use = this.#byCallId.get(callId);
    const isOpen = use?.result ? use.result.part.preliminary : use?.request?.part.call !== undefined;
    return use?.isMade && isOpen ? use : undefined;
  }

  /** The call is inside where the format keeps it there (R22). */
  #request(part: PartOf<"approval-request">, at: Place): Entry {
    const known = this.#byCallId.get(part.callId);
    const inside = part.call && { call: { part: part.call, at }, isMade: true as const };
    const use = known && !known.request ? known : inside && this.#open(inside);
    const loose = use ? undefined : { request: { part, at } };
    if (use) use.request = { part, at };
    const entry = use ?? (loose as LooseApproval); // one of the two is there
    this.#byRequestId.set(part.requestId, entry);
    return use ? { use, as: "request" } : { loose: entry as LooseApproval, as: "request" }; // as said
  }

  #response(part: PartOf<"approval-response">, at: Place): Entry {
    const known = this.#byRequestId.get(part.requestId);
    // Of two answers the first counts, as in the SDK.
    if (known?.response) return { replaced: "second-answer" };
    if (!known) return { loose: { response: { part, at } }, as: "response" };
    known.response = { part, at };
    return "call" in known ? { use: known, as: "response" } : { loose: known, as: "response" };
  }
}

/** A result may stand without its call; in an assistant message it is the provider's (R20). */
export const callFor = ({ callId, name }: ToolResultPart, role: string): ToolCallPart => ({
  type: "tool-call",
  callId,
  name: name ?? "unknown",
  ...(role === "assistant" && { executedBy: "provider" }),
});
