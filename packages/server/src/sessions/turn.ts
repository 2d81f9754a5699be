import { formatPath, type Message, type Part } from "translogue";
import type { Envelope } from "../chat/envelope.ts";
import type { SentMessages } from "../chat/messages.ts";
import { HttpError } from "../http-error.ts";
import { type Branching, isAnswer, type LateAnswer, matchHistory, matchTurn } from "./branch.ts";
import { branchTo, type History } from "./history.ts";

/**
 * What a request is in a session: where it begins, and what is new. Throws 400 for an answer that the session never gave,
 * 404 for a `messageId` that nothing has, and 409 where there is nothing new to answer, or only what was decided before.
 */
export function planTurn(history: History, sent: SentMessages, { trigger, messageId }: Envelope): Branching {
  const { messages } = history;
  if (trigger === "regenerate-message" && messageId !== undefined && !sent.hasNamed && !hasName(messages, messageId)) {
    throw new HttpError(404, `the session has no message \`${messageId}\`; name one of its answers in \`messageId\``);
  }
  const plan = sent.isTurn ? matchTurn(messages, history.head, sent.messages) : matchHistory(messages, sent.messages);
  if (plan.foreign) throw neverSaid(plan.foreign, sent);
  const isAnswered = isAnswer(sent.messages.at(-1));
  const [late] = plan.late;
  if (late && isAnswered) throw decidedBefore(late);
  if (messages.length > 0 && isAnswered && plan.rest.length === 0) refuseUnchanged(branchTo(messages, plan.parent));
  return plan;
}

const hasName = (messages: readonly Message[], name: string): boolean =>
  messages.some(({ id, run }) => id === name || run === name);

function neverSaid(foreign: Message, { messages, places }: SentMessages): HttpError {
  const path = places[messages.indexOf(foreign)] ?? ["messages"];
  const message = `${formatPath(path)}: the session has no such answer; what the assistant said is the session's own record (see GET /api/v1/sessions/{id}), so send its \`id\`, or leave the message out`;
  return new HttpError(400, message, { details: { issues: [{ code: "foreign-answer", path, message }] } });
}

function decidedBefore({ requestId, approved, isAnswered }: LateAnswer): HttpError {
  const word = isAnswered ? "answered" : "closed without an answer";
  const decision = approved === undefined ? word : approved ? "approved" : "refused";
  const message = `the request \`${requestId}\` was ${decision} before; what was decided then stands`;
  return new HttpError(409, message, { details: { code: "approval/answered", requestId } });
}

/** Ends after which the same request may be sent again: there is no whole answer yet. */
const unfinished: ReadonlySet<string | undefined> = new Set([undefined, "error", "aborted", "incomplete"]);

function refuseUnchanged(branch: readonly Message[]): void {
  const last = branch.at(-1);
  const waiting = askedIn(branch);
  if (waiting.length > 0) {
    const names = waiting.map(name => `\`${name}\``).join(", ");
    throw new HttpError(409, `nothing new to answer; the session waits for a decision on ${names}`);
  }
  if (last?.role !== "assistant" || unfinished.has(last.finish?.reason)) return;
  throw new HttpError(409, "nothing new to answer; send a new turn, or use the trigger `regenerate-message`");
}

function askedIn(branch: readonly Message[]): string[] {
  const parts = branch.flatMap((message): readonly Part[] => message.parts);
  const over = new Set(parts.flatMap(part => (part.type === "tool-result" && !part.preliminary ? [part.callId] : [])));
  return parts.flatMap(part => {
    if (part.type !== "approval-request" && part.type !== "input-request") return [];
    return part.callId !== undefined && over.has(part.callId) ? [] : [part.requestId];
  });
}
