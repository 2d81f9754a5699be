import { type ApprovalResponsePart, type Message, type Part, type PartOf, pairResults } from "translogue";
import { failure } from "../errors.ts";
import { problemWith } from "./answer-schema.ts";
import { type Ask, isSameCall, openAsks, withAnswers } from "./asks.ts";
import { denied, notRun, unanswered, untold } from "./results.ts";
import type { PausedRun, StepCall } from "./state.ts";

/** What the input of a run means for what the session waits for. */
export interface Resumption {
  /** Messages that answer: approvals, results of calls that others ran. */
  readonly answers: readonly Message[];
  /** All others. */
  readonly input: readonly Message[];
  readonly calls: readonly StepCall[];
}

/** A session as far as answers are checked against it. */
interface Asked {
  readonly history: readonly Message[];
  readonly paused: PausedRun | undefined;
  readonly newId: () => string;
}

/**
 * Sorts the input of a run by what the session waits for. With a new message from anyone, whatever is still open is closed
 * (an unanswered approval counts as denied), because no model may read a call without its result; without one it stays open.
 * Throws `approval/…` for an answer that the session did not ask for, was given before, or is about another call: an answer
 * is bound to the call that was recorded here, and a request that came in with the input was never asked.
 */
export function resume(messages: readonly Message[], asked: Asked): Resumption {
  const { paused } = asked;
  checkAnswers(messages, asked);
  const isAnswer = (part: Part) => answers(part, asked, messages);
  const split = messages.flatMap(message => splitAnswers(message, isAnswer, asked.newId));
  const given = split.filter(({ parts }) => parts.some(isAnswer));
  const input = split.filter(({ parts }) => !parts.some(isAnswer));
  const marked = given.map(message => (message.role === "tool" && paused ? { ...message, run: paused.run } : message));
  return { answers: marked, input, calls: answeredCalls(paused?.calls ?? [], given, input.length > 0) };
}

/** Kinds of parts that answer what waits. */
export const answering: ReadonlySet<Part["type"]> = new Set(["approval-response", "input-response", "tool-result"]);

/** An approval, or the result of a call that waits for one from outside. */
function answers(part: Part, asked: Asked, messages: readonly Message[]): boolean {
  const { paused } = asked;
  if (part.type === "approval-response") return isOurs(part, asked, messages);
  if (part.type === "input-response") return openInputs(paused).some(({ requestId }) => requestId === part.requestId);
  if (part.type !== "tool-result") return false;
  return paused?.calls.some(call => resultsFor(call).includes(part.callId)) ?? false;
}

/** Calls that the application runs, and those held beside one: it may run all of an answer that waits. */
const takesResult = (status: StepCall["status"]): boolean => status === "client" || status === "held";

/** Ids of calls whose results it waits for: its own, or those of calls inside of its tool. */
const resultsFor = (call: StepCall): readonly string[] =>
  takesResult(call.status)
    ? [call.call.callId]
    : openAsks(call).flatMap(ask => (ask.requestId === undefined ? [ask.call.callId] : []));

/** What a person said along with an answer comes after the answered call's result: it is a message of its own. */
function splitAnswers(message: Message, isAnswer: (part: Part) => boolean, newId: () => string): Message[] {
  const first = message.parts.filter(isAnswer);
  if (first.length === 0 || first.length === message.parts.length) return [message];
  const rest = message.parts.filter(part => !isAnswer(part));
  return [
    { role: "tool", id: newId(), parts: first },
    { ...message, parts: rest },
  ];
}

/** An answer that is the agent's affair: not part of a history that came along, and not about a call that its provider runs. */
const isOurs = (response: ApprovalResponsePart, { history }: Asked, messages: readonly Message[]): boolean =>
  !isHistory(response, messages) && !isProviders(response, [...history, ...messages]);

function isProviders(response: ApprovalResponsePart, messages: readonly Message[]): boolean {
  const parts = messages.flatMap(message => message.parts);
  const request = parts.find(part => part.type === "approval-request" && part.requestId === response.requestId);
  const { call = response.call, callId } = request?.type === "approval-request" ? request : response;
  const own = call ?? parts.findLast(part => part.type === "tool-call" && part.callId === callId);
  return own?.type === "tool-call" && own.executedBy === "provider";
}

/** A request with its answer and the call's result, all in the input: a history that is over. */
export function isHistory(response: ApprovalResponsePart, messages: readonly Message[]): boolean {
  const parts = messages.flatMap(message => message.parts);
  const at = parts.findIndex(part => part.type === "approval-request" && part.requestId === response.requestId);
  const request = parts[at];
  if (request?.type !== "approval-request") return false;
  // Some hosts name the calls of every answer alike: what was before is about another one.
  return parts.slice(at).some(part => part.type === "tool-result" && part.callId === request.callId);
}

function checkAnswers(messages: readonly Message[], asked: Asked): void {
  const parts = messages.flatMap(message => message.parts);
  const seen = new Set<string>();
  for (const part of parts) {
    if (part.type !== "approval-response") continue;
    if (!isOurs(part, asked, messages)) {
      checkProvidersAnswer(part, asked);
      continue;
    }
    if (seen.has(part.requestId)) throw answeredTwice(part.requestId, "twice in this input");
    seen.add(part.requestId);
    checkAnswer(part, asked);
  }
  checkInputs(parts, asked);
  checkResults(parts, asked);
}

/** What of a run that waits is asked of a person, but whether calls may run. */
export const openInputs = (paused: PausedRun | undefined): readonly Ask[] =>
  paused?.calls.flatMap(openAsks).filter(({ input }) => input) ?? [];

/** An answer whose question came along with it is part of a history. */
function checkInputs(parts: readonly Part[], { paused, history }: Asked): void {
  const open = new Map(openInputs(paused).map(ask => [ask.requestId, ask]));
  const answered = new Set<string>();
  const isInput = (requestId: string) => (part: Part) => part.type === "input-response" && part.requestId === requestId;
  const along = new Set(parts.flatMap(part => (part.type === "input-request" ? [part.requestId] : [])));
  for (const part of parts) {
    if (part.type !== "input-response" || along.has(part.requestId)) continue;
    const { requestId } = part;
    const ask = open.get(requestId);
    if (ask && !answered.has(requestId)) {
      checkInput(part, ask);
      answered.add(requestId);
      continue;
    }
    const isAnswered = answered.has(requestId) || history.some(({ parts }) => parts.some(isInput(requestId)));
    const said = isAnswered ? "was answered before" : "is none that this session waits for";
    throw failure(
      isAnswered ? "input-request/answered" : "input-request/unknown",
      `the input request \`${requestId}\` ${said}`,
      { data: { requestId } },
    );
  }
}

/** A question whose answer is refused stays open. That a person will not say is an answer to any. */
function checkInput({ requestId, value }: PartOf<"input-response">, { input }: Ask): void {
  const problem = value === undefined || !input?.schema ? undefined : problemWith(value, input.schema);
  if (problem === undefined) return;
  const message = `the answer to the input request \`${requestId}\` is not what its schema asks for: ${problem}; answer again`;
  throw failure("input-request/invalid", message, { data: { requestId } });
}

function checkAnswer(response: ApprovalResponsePart, { paused, history }: Asked): void {
  const { requestId } = response;
  const requests = paused?.calls.flatMap(openRequests) ?? [];
  const open = requests.find(request => request.requestId === requestId);
  if (!open) {
    const before = history.some(({ parts }) => parts.some(part => isAnswerTo(part, requestId)));
    if (before) throw answeredTwice(requestId, "before; what was decided then stands");
    const open = requests.map(request => `\`${request.requestId}\``).join(", ");
    const known = open === "" ? "it waits for no approval" : `it waits for ${open}`;
    throw failure("approval/unknown", `this session did not ask for approval \`${requestId}\`: ${known}`, {
      data: { requestId },
    });
  }
  const isOther = response.callId !== undefined && response.callId !== open.call.callId;
  if (isOther || (response.call && !isSameCall(response.call, open.call))) throw changedCall(open);
}

/** What of a call waits for a person: itself, or calls inside of its tool. */
export const openRequests = (call: StepCall): readonly Pick<Ask, "requestId" | "call" | "reason" | "rulesOf">[] =>
  call.suspended
    ? openAsks(call).filter(({ requestId, input }) => requestId !== undefined && !input)
    : call.status === "waiting"
      ? [call]
      : [];

/** The provider runs what it asked about, and is told of nothing else. */
function checkProvidersAnswer({ requestId, call }: ApprovalResponsePart, { history }: Asked): void {
  const parts = history.flatMap(message => message.parts);
  const request = parts.find(part => part.type === "approval-request" && part.requestId === requestId);
  const own = request?.type === "approval-request" ? request.call : undefined;
  if (call && own && !isSameCall(call, own)) throw changedCall({ call: own, requestId });
}

/** Throws `approval/changed-call` where the input shows a call that waits for a person as another than the one recorded. */
export function checkCalls(messages: readonly Message[], paused: PausedRun | undefined): void {
  const waiting = paused?.calls.flatMap(openRequests) ?? [];
  if (waiting.length === 0) return;
  const answered = new Set<Part>(pairResults(messages).values());
  for (const part of messages.flatMap(({ parts }) => parts)) {
    if (answered.has(part)) continue; // of a step before
    const call = part.type === "approval-request" ? part.call : part.type === "tool-call" ? part : undefined;
    const open = call && waiting.find(({ call: asked }) => asked.callId === call.callId);
    if (open && !isSameCall(call, open.call)) throw changedCall(open);
  }
}

const changedCall = ({ requestId, call: { callId, name } }: Pick<StepCall, "requestId" | "call">) =>
  failure(
    "approval/changed-call",
    `the approval \`${requestId}\` was asked for the call \`${callId}\` of \`${name}\`; the answer is about another call or other arguments`,
    { data: { requestId, callId } },
  );

export const isAnswerTo = (part: Part, requestId: string): part is ApprovalResponsePart =>
  part.type === "approval-response" && part.requestId === requestId;

const answeredTwice = (requestId: string, when: string) =>
  failure("approval/answered", `the approval \`${requestId}\` was answered ${when}`, { data: { requestId } });

/** In a session that has begun, a result belongs to a call that waits for it, or to one that came with the input itself. */
function checkResults(parts: readonly Part[], { paused, history }: Asked): void {
  if (history.length === 0) return;
  const open = new Map<string, number>();
  const count = (callId: string, by: number) => open.set(callId, (open.get(callId) ?? 0) + by);
  for (const callId of paused?.calls.flatMap(resultsFor) ?? []) count(callId, 1);
  for (const part of parts) {
    if (part.type === "tool-call") count(part.callId, 1);
    if (part.type !== "tool-result" || part.preliminary) continue;
    const { callId } = part;
    if (!open.get(callId)) {
      throw failure(
        "input/unexpected-result",
        `a result for the call \`${callId}\` was given, and no call waits for it`,
        {
          data: { callId },
        },
      );
    }
    count(callId, -1);
  }
}

function answeredCalls(calls: readonly StepCall[], answers: readonly Message[], isClosing: boolean): StepCall[] {
  // Each answers once: calls of several agents inside tools may have one id.
  const left = answers.flatMap(message => message.parts);
  const answered = calls.map((call): StepCall => {
    if (call.status === "done") return counted(call);
    if (call.status === "ready") return call;
    if (call.suspended) return suspendedCall(call, left, isClosing);
    const response = left.find(part => call.status === "waiting" && isAnswerTo(part, call.requestId ?? ""));
    if (response?.type === "approval-response") return decidedCall(call, response);
    const result = left.findIndex(part => part.type === "tool-result" && part.callId === call.call.callId);
    if (takesResult(call.status) && left.splice(result, result === -1 ? 0 : 1).length > 0)
      return { ...call, status: "done" };
    if (!isClosing || call.status === "held") return call;
    return { ...call, status: "ready", result: call.status === "client" ? notRun(call.call) : unanswered(call.call) };
  });
  const decided = inTurn(answered);
  // Calls that were held beside one that waited go with the last answer.
  const waits = decided.some(({ status }) => status === "waiting" || status === "client");
  return waits ? decided : decided.map(call => (call.status === "held" ? { ...call, status: "ready" } : call));
}

/** Results of calls of one id are told apart by their order alone: a call waits for those of its id before it. */
export function inTurn(calls: readonly StepCall[]): StepCall[] {
  const open = new Set<string>();
  return calls.map((call): StepCall => {
    const { callId } = call.call;
    if (call.status === "waiting" || call.status === "client") open.add(callId);
    return call.status === "ready" && open.has(callId) ? { ...call, status: "held" } : call;
  });
}

/** With a new message its tool goes on no more. */
function suspendedCall(call: StepCall, left: Part[], isClosing: boolean): StepCall {
  const after = withAnswers(call, left);
  if (after.status !== "waiting" || !isClosing) return after;
  const isInput = openAsks(after).every(({ input }) => input);
  return { ...after, status: "ready", result: isInput ? untold(call.call) : unanswered(call.call) };
}

/** Its failure was counted before the pause, and its wish to end the run was heard. */
const counted = ({ failed: _, terminates: __, ...call }: StepCall): StepCall => call;

export const decidedCall = (call: StepCall, response: ApprovalResponsePart): StepCall =>
  response.approved
    ? { ...call, status: "ready", cleared: true }
    : { ...call, status: "ready", result: denied(call.call, response.reason) };
