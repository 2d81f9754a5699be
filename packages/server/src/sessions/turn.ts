import { formatPath, type Message, type Part } from "translogue";
import type { Envelope } from "../chat/envelope.ts";
import type { SentMessages } from "../chat/messages.ts";
import { HttpError } from "../http-error.ts";
import { type Branching, isAnswer, matchHistory, matchTurn } from "./branch.ts";
import { branchBelow, branchTo, type History, isNumbered } from "./history.ts";
import { type LateAnswer, lateBehind, wordsOf } from "./words.ts";

/**
 * What a request is in a session: where it begins, and what is new. Throws 400 for an answer that the session never gave,
 * 404 for a `messageId` that nothing has, and 409 where there is nothing new to answer, or only what was decided before.
 */
export function planTurn(history: History, sent: SentMessages, { trigger, messageId }: Envelope): Branching {
  const { messages } = history;
  const isAnew = trigger === "regenerate-message";
  if (isAnew && messageId !== undefined && !sent.hasNamed && !hasName(messages, messageId)) {
    throw new HttpError(404, `the session has no message \`${messageId}\`; name one of its answers in \`messageId\``);
  }
  const plan = sent.isTurn ? matchTurn(messages, history.head, sent.messages) : matchHistory(messages, sent.messages);
  if (plan.foreign) throw neverSaid(plan.foreign, sent);
  const last = sent.messages.at(-1);
  const late = isAnswer(last) ? plan.late[0] : lateOf(last, plan.late);
  if (late) throw decidedBefore(late);
  if (messages.length === 0 || isAnew || !last || plan.rest.length > 0) return plan;
  if (isAnswer(last)) refuseUnchanged(branchTo(messages, plan.parent));
  else return wordsOf(last).length > 0 ? behindWord(messages, plan) : unlessAnswered(history, plan, sent);
  return plan;
}

const lateOf = (message: Message | undefined, late: readonly LateAnswer[]): LateAnswer | undefined =>
  late.find(({ requestId }) => wordsOf(message).some(word => word.requestId === requestId));

/** A word that the session has: its tool has acted on it, so that the run goes on behind what came of it. */
function behindWord(messages: readonly Message[], plan: Branching): Branching {
  const answer = beforeTurn(branchBelow(messages, plan.parent));
  const word = wordsOf(messages.find(({ id }) => id === plan.parent))[0];
  if (answer.length === 0 || !word) return plan;
  // A call may ask the next thing.
  if (isWhole(answer) || askedIn(answer).length > 0) throw decidedBefore(lateBehind(word));
  return { ...plan, parent: answer.at(-1)?.id ?? plan.parent };
}

/** A turn that the session has: it is answered where it has no answer yet, and where it is a person's new one all the same. */
function unlessAnswered({ messages, head }: History, plan: Branching, sent: SentMessages): Branching {
  const branch = branchTo(messages, head);
  const at = branch.findIndex(({ id }) => id === plan.parent);
  const answer = at < 0 ? [] : beforeTurn(branch.slice(at + 1));
  if (answer.length === 0) return plan;
  const last = sent.messages.at(-1);
  const isOwn = last?.id !== undefined && sent.ids.has(last.id) && !isNumbered(last.id) && !hasName(messages, last.id);
  if (last && isOwn) return { ...plan, parent: branch[at]?.parent ?? null, rest: [last] };
  refuseUnchanged(branch.slice(0, at + 1 + answer.length));
  return plan;
}

/** What is before the next thing that a person says. */
function beforeTurn(branch: readonly Message[]): readonly Message[] {
  const end = branch.findIndex(message => !isAnswer(message));
  return end < 0 ? branch : branch.slice(0, end);
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
  const code = isAnswered ? "input-request/answered" : "approval/answered";
  return new HttpError(409, message, { details: { code, requestId } });
}

/** Ends after which the same request may be sent again: there is no whole answer yet. */
const unfinished: ReadonlySet<string | undefined> = new Set([undefined, "error", "aborted", "incomplete"]);

function isWhole(branch: readonly Message[]): boolean {
  const last = branch.at(-1);
  return last?.role === "assistant" && !unfinished.has(last.finish?.reason);
}

function refuseUnchanged(branch: readonly Message[]): void {
  const waiting = askedIn(branch);
  if (waiting.length > 0) {
    const names = waiting.map(name => `\`${name}\``).join(", ");
    throw new HttpError(409, `nothing new to answer; the session waits for a decision on ${names}`);
  }
  if (!isWhole(branch)) return;
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
