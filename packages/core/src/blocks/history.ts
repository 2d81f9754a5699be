import { messageOf } from "../codec/by-shape.ts";
/** Histories whose messages say their role, and whose results may say nothing of their call. */

import type { DecodeContext } from "../codec/codec.ts";
import { Reader } from "../codec/reader.ts";
import type { Message } from "../model/conversation.ts";
import type { Path } from "../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { isText, type ReadMessage } from "./chat-parts/wire.ts";
import { WaitingCalls } from "./waiting-calls.ts";

export interface HistoryScope {
  readonly context: DecodeContext;
  readonly path: Path;
  /** What made ids begin with: the answer's id, else the message's number (R8). */
  readonly made: string;
  /** Calls without an id that wait for a result without one. */
  readonly unanswered: WaitingCalls;
}

type Said = Omit<ReadMessage, "carry">;

/** How a format reads its messages. */
export interface Turns {
  readonly family: string;
  /** The member of a message that holds a carry. */
  readonly carryMember: string;
  /** A message that needs no reader; undefined for the others. */
  plain?(wire: JsonObject, role: string, scope: HistoryScope): ReadMessage | undefined;
  assistant(reader: Reader, scope: HistoryScope): ReadMessage;
  /** Results of tools, by their role; undefined for other roles. */
  result(reader: Reader, role: string, scope: HistoryScope): Said | undefined;
  other(reader: Reader, role: string, scope: HistoryScope): Said;
}

/** The messages of a history; ids that are missing are made once, by the message's number (R8). */
export function readHistory(
  list: readonly Json[],
  turns: Turns,
  { context, pathOf = index => [index] }: HistoryPlace,
): Message[] {
  const unanswered = new WaitingCalls();
  return list.map((wire, index) => {
    const read = readTurn(wire, turns, { context, path: pathOf(index), made: `${index}`, unanswered });
    if (read.carry !== undefined) context.carried(index, read.carry);
    return messageOf(read);
  });
}

interface HistoryPlace {
  readonly context: DecodeContext;
  readonly pathOf?: ((index: number) => Path) | undefined;
}

/** A message of a history. One that has no role is kept whole, as no turn (R4). */
function readTurn(wire: Json, turns: Turns, scope: HistoryScope): ReadMessage {
  const role = isJsonObject(wire) && Object.hasOwn(wire, "role") ? wire["role"] : undefined;
  if (!isJsonObject(wire) || !isText(role)) {
    scope.context.issue("not-a-message", scope.path, "expected an object with a `role`; kept as it is");
    const part = { type: "opaque", family: turns.family, value: wire } as const;
    return { head: { role: "control" }, parts: [{ place: 0, part }], carry: undefined };
  }
  const plain = turns.plain?.(wire, role, scope);
  if (plain) return plain;
  const reader = new Reader(wire);
  if (role === "assistant") return turns.assistant(reader, scope);
  const carry = reader.json(turns.carryMember);
  reader.take("role");
  scope.unanswered.endTurn();
  return { ...(turns.result(reader, role, scope) ?? turns.other(reader, role, scope)), carry };
}
