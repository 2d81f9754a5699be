import type { Message } from "translogue";
import { failure } from "../errors.ts";
import type { AgentSession, SessionRecord } from "../session.ts";
import { type CarriedRun, type ContinuationToken, carriedBy, invalidToken } from "../token.ts";
import type { RunSetup } from "./begin.ts";
import { answerHead } from "./messages.ts";
import type { OpenAnswer, RunSnapshot, RunState } from "./state.ts";

/** How a run goes on: from what the session has of it, or it is over and this is what came of it. */
export type Continued =
  | { readonly isOver: false; readonly isSeen: boolean }
  | { readonly isOver: true; readonly messages: readonly Message[]; readonly run: string };

/**
 * Makes the run of a token the open run of the session. Its own, where it has it; else the one that the token has inside,
 * as the Microsoft Agent Framework's do. Throws `token/invalid`, `options/invalid` where there is input too.
 */
export function continueRun(
  token: ContinuationToken,
  {
    session,
    record,
    given,
  }: { readonly session: AgentSession; readonly record: SessionRecord; readonly given: readonly Message[] },
  setup: RunSetup,
): Continued {
  if (given.length > 0) throw failure("options/invalid", "a run that goes on takes no input: give it to the next one");
  const open = record.snapshot?.();
  const run = carriedBy(token);
  const isOwn = token.session === session.id;
  if (open && isOwn && token.run === open.state.run) {
    const isSeen =
      run === undefined ? token.seq >= (record.told ?? 0) : run.continuation === open.state.answer?.continuation;
    return { isOver: false, isSeen };
  }
  if (isOwn && !run) {
    const messages = record.messages.filter(message => message.run === token.run && message.role !== "user");
    if (messages.length > 0) return { isOver: true, messages, run: token.run };
  }
  if (!run) throw invalidToken("the session has no run of it");
  const over = finished(run, record.messages);
  if (over) return over;
  const snapshot = snapshotOf(run, open, setup);
  record.snapshot = () => snapshot;
  return { isOver: false, isSeen: true };
}

/** A run whose answer is in the session already. */
function finished({ answer }: CarriedRun, messages: readonly Message[]): Continued | undefined {
  const [first] = answer;
  const found = first?.id === undefined ? undefined : messages.find(message => message.id === first.id);
  if (!found) return undefined;
  const { run = "" } = found;
  return {
    isOver: true,
    messages: messages.filter(
      message => message === found || (run !== "" && message.run === run && message.role !== "user"),
    ),
    run,
  };
}

/** A token without its input goes on with what the session was asked. */
function snapshotOf(
  { continuation, provider, input, answer }: CarriedRun,
  open: RunSnapshot | undefined,
  setup: RunSetup,
): RunSnapshot {
  const { model, author, policy, newId, now } = setup;
  const begun: OpenAnswer = {
    operation: "model-1",
    attempt: 1,
    message: 0,
    count: answer.length,
    lastPart: (answer.at(-1)?.parts.length ?? 0) - 1,
    callsAt: answer.flatMap(({ parts }, message) =>
      parts.flatMap(({ type }, part) => (type === "tool-call" ? [{ message, part }] : [])),
    ),
    continuation,
    ...(provider !== undefined && { provider }),
  };
  const state: RunState = {
    version: 1,
    run: newId(),
    phase: "model",
    author,
    model: { id: model.id, provider: model.provider, ...(model.metadata && { metadata: model.metadata }) },
    policy,
    next: 0,
    made: 0,
    step: 1,
    calls: [],
    errors: 0,
    answer: begun,
  };
  const messages = answer.map(({ parts, ...head }, offset) => ({ ...answerHead(state, head, { offset, now }), parts }));
  const entered = input.map(message => ({
    ...message,
    id: message.id ?? newId(),
    createdAt: message.createdAt ?? now,
  }));
  return { state, messages, answers: [], input: entered.length > 0 ? entered : (open?.input ?? []), inputAt: 0 };
}
