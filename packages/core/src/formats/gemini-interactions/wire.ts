import type { EncodeContext, Recipient } from "../../codec/codec.ts";
import { hintsOf } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Node, Part, Seal, ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import { callsOfResults } from "../../model/result-calls.ts";

/** Family of this format's nodes, and its id. */
export const family = "gemini-interactions";

/** Members of a message's `native` that are its answer's. */
export const envelopeMembers = ["response", "usage"] as const;

/** Member of a part's `native` that is its step's: it stands on the last part of the step, where a stream can put it (R12). */
export const stepMember = "step";

/** Where an application's carry stands in a step. */
export const carryMember = "translogue";

/** Hosts, the usual one first. A signature of one is refused by the other, and what one stores the other does not know. */
export const dialects = ["gemini", "vertex"] as const;

/** What the signatures that a dialect reads say of their host. */
export const routeOf = (dialect: string): string | undefined => (dialect === "vertex" ? "vertex" : undefined);

/** Whether a signature of this host may go to this dialect's. One that tells no host is of Google's own API. */
export const isAtHome = (route: string | undefined, dialect: string): boolean =>
  route === routeOf(dialect) || (route === "ai-studio" && dialect !== "vertex");

// reading

export interface ReadScope {
  readonly route: string | undefined;
  /** What made ids begin with, after their `~` (R8). */
  readonly made: string | undefined;
  readonly calls: Calls;
  issue(code: string, path: Path, message: string): void;
}

/** A thought's signature is the one that generateContent knows, under that API's name: a history may go on there. */
export const sealOf = (signature: string, route: string | undefined): Seal => ({
  maker: "google",
  ...(route !== undefined && { route }),
  values: { thoughtSignature: signature },
});

/** What the calls of a list say of the results that follow them. */
export class Calls {
  readonly #kinds = new Map<string, string | undefined>();
  /** Calls without an id, in their order, by kind: results without one answer them (R9). */
  readonly #nameless = new Map<string | undefined, { readonly ids: string[]; next: number }>();

  add({ callId, kind }: ToolCallPart, isNamed: boolean): void {
    this.#kinds.set(callId, kind);
    if (isNamed) return;
    const queue = this.#nameless.get(kind);
    if (queue) queue.ids.push(callId);
    else this.#nameless.set(kind, { ids: [callId], next: 0 });
  }

  has(callId: string): boolean {
    return this.#kinds.has(callId);
  }

  kindOf(callId: string): string | undefined {
    return this.#kinds.get(callId);
  }

  next(kind: string | undefined): string | undefined {
    const queue = this.#nameless.get(kind);
    return queue?.ids[queue.next++];
  }
}

// writing

export interface Located<P extends Part = Part> {
  readonly part: P;
  readonly path: Path;
}

export interface WriteScope {
  readonly recipient: Recipient;
  /** The steps of an answer, which says itself what it says of its messages, or of a history. */
  readonly form: "answer" | "history";
  readonly route: string | undefined;
  /** The call that a result answers. */
  callOf(result: ToolResultPart): ToolCallPart | undefined;
  /** Ids that a call or its result has to name; made ids of others stay unwritten (R8). */
  readonly named: ReadonlySet<string>;
  lose(code: string, path: Path, detail?: string): void;
}

export function writeScope(messages: readonly Message[], context: EncodeContext): WriteScope {
  return {
    recipient: context.recipient,
    form: context.shape === "answer" || context.shape === "stream" ? "answer" : "history",
    route: routeOf(context.dialect),
    callOf: callsOfResults(messages),
    named: idsToName(messages),
    lose: (code, path, detail) => context.lose(code, path, detail),
  };
}

/** Calls and results pair by id: where one of the two has to name it, both do. */
function idsToName(messages: readonly Pick<Message, "parts">[]): Set<string> {
  const named = new Set<string>();
  for (const { parts } of messages) {
    for (const part of parts) {
      if (part.type !== "tool-call" && part.type !== "tool-result") continue;
      if (!Object.hasOwn(hintsOf(part, family), "$id")) named.add(part.callId);
    }
  }
  return named;
}

/** The part's hints and remainder without its step's. */
export function ownNode(node: Node): Node {
  const { [stepMember]: _, ...own } = hintsOf(node, family);
  return { native: { [family]: own } };
}

/** Hints and remainder of the step that a part ends. */
export const stepOf = (node: Node): JsonObject => asObject(hintsOf(node, family)[stepMember]);

export const asObject = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});

/** The part with this hint among its others. */
export const hinted = <P extends Part>(part: P, hints: JsonObject): P => ({
  ...part,
  native: { ...part.native, [family]: { ...hintsOf(part, family), ...hints } },
});
