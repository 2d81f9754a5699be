import {
  type ApprovalRequestPart,
  type Conversation,
  isJsonObject,
  type Json,
  type JsonObject,
  type Loss,
  type Message,
  type ToolCallPart,
} from "translogue";
import { decode, encode, readText, writeText } from "translogue/convert";
import { maf } from "translogue/maf";
import { copyOf } from "../copies.ts";
import { failure } from "../errors.ts";
import { structuralError } from "../input.ts";
import { isWaiting, openCalls } from "../loop/answer.ts";
import { isSameCall } from "../loop/asks.ts";
import { pausedOf } from "../loop/restore.ts";
import { decidedCall } from "../loop/resume.ts";
import { messagesOf } from "../loop/snapshot.ts";
import type { PausedRun, StepCall } from "../loop/state.ts";
import {
  AgentSession,
  type ForeignState,
  messagesIn,
  readSnapshot,
  recordOf,
  restoreOwn,
  type SessionRecord,
  storedOwn,
} from "../session.ts";
import { StateBag } from "../state-bag.ts";
import { isOpenCall } from "../tools/tool.ts";
import { readRules, rulesIn, writeRules } from "./approval-state.ts";
import { oneOfEach, parked, request, withRequests } from "./requests.ts";

/** Keys of the state bag that are the Microsoft Agent Framework's own (1.28), and ours. */
const keys = {
  history: "InMemoryChatHistoryProvider",
  pending: "_pendingApprovalRequests",
  parked: "_autoApprovedFunctionCalls",
  bypassed: "_bypassedInvocableFunctionCalls",
  injected: "MessageInjectingChatClient.PendingInjectedMessages",
  approvals: "toolApprovalState",
  ours: "translogue",
} as const;

/** Where it says that the history is kept call by call, here and not by a service. */
const localConversation = "_agent_local_chat_history";

export interface MafSessionOptions {
  readonly newId: () => string;
  /** The key of the bag under which the history stands. Default `InMemoryChatHistoryProvider`. */
  readonly historyKey?: string;
  /** What standing rules name the agent by: there a session has one agent, whose rules they are. */
  readonly rulesOf?: string | undefined;
}

/**
 * The session of a `ChatClientAgent`, as text or as JSON; a text keeps how its numbers are spelled. Throws
 * `session/invalid` for whatever .NET refuses when it restores or first uses the session.
 */
export function readMafSession(
  given: Json,
  { newId, historyKey = keys.history, rulesOf }: MafSessionOptions,
): AgentSession {
  const parsed = typeof given === "string" ? parsedText(given) : { value: copyOf(given) };
  const root = rootOf(parsed.value, historyKey);
  const { conversation } = decode(maf, root, { shape: "file", ...("exact" in parsed && { exact: parsed.exact }) });
  const wrong = structuralError(conversation.messages);
  if (wrong) throw invalid(wrong);
  // A blank id of a conversation is none.
  const { stateBag, conversationId: _, ...native } = nativeOf(conversation);
  const bag = isJsonObject(stateBag) ? stateBag : {};
  const { [keys.ours]: own, ...others } = bag;
  const { [keys.pending]: pending, [keys.parked]: parked, [keys.bypassed]: bypassed, ...more } = others;
  const { [keys.injected]: injected, [keys.approvals]: approvals, ...rest } = more;
  const carried = isJsonObject(own) ? own : {};
  const open = openRun(carried, conversation.messages);
  const messages = open?.before ?? conversation.messages;
  const session = new AgentSession({
    id: typeof carried["id"] === "string" ? carried["id"] : newId(),
    messages,
    stateBag: new StateBag(rest),
  });
  const record = recordOf(session);
  const rules = readRules(approvals);
  record.approvalRules = rulesIn(rules?.rules, carried, rulesOf);
  const queued = requestsIn(rules && [...rules.queued]);
  const waits = {
    pending: [...requestsIn(pending), ...queued],
    parked: requestsIn(parked),
    bypassed: callsIn(bypassed),
  };
  const paused = open ? undefined : withState(pausedOf(messages, newId), { ...waits, messages }, newId);
  if (open) record.snapshot = () => open.run;
  record.paused = restoreOwn(paused && answeredBefore(paused, rules?.collected ?? []), carried, record);
  const { id } = conversation;
  if (id?.trim() && id !== localConversation) record.served ??= { id, known: conversation.messages.length };
  record.injected = readMessageList(injected);
  record.foreign = foreignOf(conversation, native, id === localConversation);
  return session;
}

/** A run that is open, where nobody has gone on with the session since it was carried. */
function openRun({ run, before }: JsonObject, messages: readonly Message[]) {
  if (run === undefined || typeof before !== "number") return undefined;
  const snapshot = readSnapshot(run);
  const isSame = messages.length === before + messagesOf(snapshot).length;
  return isSame ? { run: snapshot, before: messages.slice(0, before) } : undefined;
}

function parsedText(text: string) {
  try {
    return readText(maf, text);
  } catch (cause) {
    throw invalid("the text is no JSON", cause);
  }
}

/** The members that a session has, in any case of letters, of the types that it has them of. */
function rootOf(value: Json, historyKey: string): JsonObject {
  if (!isJsonObject(value)) throw invalid("an object is expected");
  const members: { [name: string]: Json } = {};
  for (const [name, member] of Object.entries(value)) {
    const known = ["stateBag", "conversationId"].find(each => each.toLowerCase() === name.toLowerCase());
    members[known ?? name] = member;
  }
  const { stateBag = null, conversationId = null } = members;
  if (conversationId !== null && typeof conversationId !== "string") throw invalid("`conversationId` is no text");
  if (stateBag !== null && !isJsonObject(stateBag)) throw invalid("`stateBag` is no object");
  if (stateBag === null) return members;
  const { [historyKey]: history } = stateBag;
  if (history !== undefined && history !== null) checkHistory(history);
  return historyKey === keys.history || history === undefined
    ? members
    : { ...members, stateBag: { ...without(stateBag, historyKey), [keys.history]: history } };
}

function checkHistory(history: Json): void {
  if (!isJsonObject(history)) throw invalid("the state of its history is no object");
  const { messages = null } = history;
  if (messages === null) return;
  if (!Array.isArray(messages)) throw invalid("the messages of its history are no list");
  for (const message of messages as readonly Json[]) {
    if (message !== null && !isJsonObject(message)) throw invalid("its history has what is no message");
    const role = isJsonObject(message) ? message["role"] : undefined;
    if (typeof role === "string" && role.trim() === "") throw invalid("a message of its history has a blank role");
  }
}

const nativeOf = ({ native }: Conversation): JsonObject => {
  const own = native?.["maf"];
  return isJsonObject(own) ? own : {};
};

function foreignOf({ exact }: Conversation, native: JsonObject, isLocal: boolean): ForeignState | undefined {
  const members = { ...native, ...(isLocal && { $local: true }) };
  const isPlain = Object.keys(members).length === 0 && !exact;
  return isPlain ? undefined : { native: members, ...(exact && { exact }) };
}

// what waits

/** Contents without their `$type`, as the bag has them; where they are none, the state is not what it should be. */
function contentsIn(value: Json | undefined, type: string): readonly Message[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || !value.every(isJsonObject))
    throw invalid(`the state of its ${type}s is no list of them`);
  const contents = value.map(content => ({ $type: type, ...without(content, "$type") }));
  return decode(maf, [{ role: "assistant", contents }], { shape: "messages" }).conversation.messages;
}

const requestsIn = (value: Json | undefined): readonly ApprovalRequestPart[] =>
  contentsIn(value, "toolApprovalRequest").flatMap(({ parts }) =>
    parts.flatMap(part => {
      if (part.type !== "approval-request" || !part.call) throw invalid("a request that waits has no call");
      return isOpenCall(part.call) ? [part] : [];
    }),
  );

const callsIn = (value: Json | undefined): readonly ToolCallPart[] =>
  contentsIn(value, "functionCall").flatMap(({ parts }) =>
    parts.flatMap(part => (part.type === "tool-call" ? [part] : [])),
  );

/** What the history waits for, and what only the bag knows of: requests, and calls that wait beside them without one. */
function withState(
  known: PausedRun | undefined,
  waits: {
    readonly pending: readonly ApprovalRequestPart[];
    readonly parked: readonly ApprovalRequestPart[];
    readonly bypassed: readonly ToolCallPart[];
    readonly messages: readonly Message[];
  },
  newId: () => string,
): PausedRun | undefined {
  const calls: StepCall[] = [...(known?.calls ?? [])];
  const base = () => ({ index: calls.length, attempt: 0, inRequest: true as const });
  const isKnown = knownIn(calls);
  for (const { requestId, call } of waits.pending)
    if (call && !isKnown(call, requestId)) calls.push({ ...base(), call, status: "waiting", requestId });
  const held = [...waits.parked.flatMap(({ call }) => (call ? [call] : [])), ...waits.bypassed];
  const waiting = waits.pending.flatMap(({ call }) => (call ? [call] : []));
  const requests = new Set(waits.pending.map(({ requestId }) => requestId));
  const isAsked = ({ status, call, requestId }: StepCall) =>
    status === "waiting" && (requests.has(requestId ?? "") || waiting.some(each => isSameCall(each, call)));
  const shared = new Set([...sharedIds(calls.map(({ call }) => call)), ...sharedIds([...waiting, ...held])]);
  const isHeld = knownIn(
    calls.filter(each => !isAsked(each)),
    shared,
  );
  for (const call of held) if (!isHeld(call)) calls.push({ ...base(), call, status: "held" });
  // Calls of the last answer that have no result: whoever holds the conversation runs them.
  const isOpen = knownIn(calls);
  for (const call of openCalls(waits.messages.slice(waits.messages.findLastIndex(({ role }) => role === "user") + 1)))
    if (!isOpen(call)) calls.push({ index: calls.length, attempt: 0, call, status: "client" });
  if (calls.length === 0) return undefined;
  // Those that nobody waits beside have nothing to wait for: they go with the next run.
  const isAlone = !calls.some(({ status }) => status === "waiting" || status === "client");
  const ready = calls.map(call => (isAlone && call.status === "held" ? { ...call, status: "ready" as const } : call));
  return { ...(known ?? { run: newId(), made: 0, step: 0, errors: 0 }), calls: ready };
}

/** Those that several of the calls have. */
function sharedIds(calls: readonly ToolCallPart[]): ReadonlySet<string> {
  const [seen, shared] = [new Set<string>(), new Set<string>()];
  for (const { callId } of calls) (seen.has(callId) ? shared : seen).add(callId);
  return shared;
}

/**
 * Whether a call is one of these, each of which is one call: hosts give two of one answer one id. Those alone with their id
 * may be spelled in another way.
 */
function knownIn(
  calls: readonly StepCall[],
  shared: ReadonlySet<string> = sharedIds(calls.map(({ call }) => call)),
): (call: ToolCallPart, requestId?: string) => boolean {
  const left = new Map<string, StepCall[]>();
  for (const each of calls) left.set(each.call.callId, [...(left.get(each.call.callId) ?? []), each]);
  return (call, requestId) => {
    const { callId } = call;
    const same = left.get(callId) ?? [];
    const isThis = (each: StepCall) =>
      requestId === undefined || each.requestId === undefined
        ? !shared.has(callId) || isSameCall(call, each.call)
        : each.requestId === requestId;
    const found = same.find(isThis);
    if (!found) return false;
    left.set(
      callId,
      same.filter(each => each !== found),
    );
    return true;
  };
}

/** Answers that were collected while others were still to be asked about. */
function answeredBefore(paused: PausedRun, collected: readonly Json[]): PausedRun {
  const parts = contentsIn([...collected], "toolApprovalResponse").flatMap(message => message.parts);
  const calls = paused.calls.map(call => {
    const answer = parts.find(part => part.type === "approval-response" && part.requestId === call.requestId);
    return answer?.type === "approval-response" && call.status === "waiting" ? decidedCall(call, answer) : call;
  });
  return { ...paused, calls };
}

function readMessageList(value: Json | undefined): readonly Message[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw invalid("its queue of messages is no list");
  return decode(maf, value, { shape: "messages" }).conversation.messages;
}

// writing

/** The session in the shape of a `ChatClientAgentSession`; what has no place there is carried. `text`: with every number as it was spelled, and what the text cannot hold among its losses. */
export function writeMafSession(
  session: AgentSession,
  { historyKey = keys.history, rulesOf }: Partial<MafSessionOptions> = {},
) {
  const record = recordOf(session);
  const { $local: isLocal, ...native } = record.foreign?.native ?? {};
  const bag = { ...session.stateBag.toJSON(), ...stateOf(session, record, rulesOf) };
  const conversationId = record.served?.id ?? (isLocal === true ? localConversation : undefined);
  const encoded = encode(
    maf,
    {
      ...(conversationId !== undefined && { id: conversationId }),
      messages: withRequests(storedMessages(session, record), record.paused),
      native: { maf: { ...native, stateBag: bag, ...(!hasHistory(record) && { $history: false }) } },
      ...(record.foreign?.exact && { exact: record.foreign.exact }),
    },
    { shape: "file", carry: true },
  );
  const value = encoded.value as JsonObject; // a session is an object
  const keyed = historyKey === keys.history ? value : renamed(value, historyKey);
  return {
    value: keyed,
    losses: encoded.losses,
    text: () => {
      const losses: Loss[] = [...encoded.losses];
      const onLoss = (loss: Loss): unknown => losses.push(loss);
      const text = writeText(maf, keyed, { shape: "file", onLoss, ...(encoded.exact && { exact: encoded.exact }) });
      return { text, losses };
    },
  };
}

/** A session that was never run has none, as there. */
const hasHistory = ({ messages, foreign, hasRun }: SessionRecord): boolean =>
  messages.length > 0 || hasRun === true || (foreign !== undefined && foreign.native["$history"] !== false);

const storedMessages = (session: AgentSession, { stored = 0 }: SessionRecord): readonly Message[] =>
  messagesIn(session).slice(stored);

function renamed(value: JsonObject, historyKey: string): JsonObject {
  const { stateBag } = value;
  const history = isJsonObject(stateBag) ? stateBag[keys.history] : undefined;
  if (!isJsonObject(stateBag) || history === undefined) return value;
  return { ...value, stateBag: { ...without(stateBag, keys.history), [historyKey]: history } };
}

const without = (holder: JsonObject, key: string): JsonObject => {
  const { [key]: _, ...rest } = holder;
  return rest;
};

/** What waits, under the keys that .NET looks for it, and under ours what it has no place for. */
function stateOf(session: AgentSession, record: SessionRecord, rulesOf: string | undefined): JsonObject {
  const { paused, approvalRules, injected } = record;
  const waiting = paused?.calls.filter(isWaiting) ?? [];
  const rules = approvalRules?.filter(({ agent }) => agent === rulesOf) ?? [];
  const asked = waiting.filter(({ status, requestId }) => status === "waiting" && requestId !== undefined);
  const held = waiting.filter(({ status }) => status === "held");
  const requests = [...oneOfEach(asked).map(request), ...providersRequests(messagesIn(session))];
  const [parkedCalls, bypassed] = asked.length > 0 ? [held, []] : [[], held];
  return {
    ...(requests.length > 0 && { [keys.pending]: contents(requests) }),
    ...(parkedCalls.length > 0 && { [keys.parked]: contents(parkedCalls.map(parked)) }),
    ...(bypassed.length > 0 && { [keys.bypassed]: contents(bypassed.map(({ call }) => call)) }),
    ...(injected && { [keys.injected]: encode(maf, { messages: injected }, { shape: "messages" }).value as Json }), // JSON
    ...((rules.length > 0 || approvalRules?.length === 0) && { [keys.approvals]: writeRules(rules) }),
    [keys.ours]: storedOwn(session),
  };
}

/** Open requests about calls that their provider runs: .NET takes answers only to those that it has written down. */
function providersRequests(messages: readonly Message[]): readonly ApprovalRequestPart[] {
  const parts = messages.flatMap(message => message.parts);
  const answered = new Set(parts.flatMap(part => (part.type === "approval-response" ? [part.requestId] : [])));
  return parts.flatMap(part =>
    part.type === "approval-request" && part.call?.executedBy === "provider" && !answered.has(part.requestId)
      ? [part]
      : [],
  );
}

/** As the bag has them: without `$type`. */
function contents(parts: readonly (ApprovalRequestPart | ToolCallPart)[]): Json {
  const { value } = encode(maf, { messages: [{ role: "assistant", parts }] }, { shape: "messages" });
  const [message] = value as readonly JsonObject[]; // the one that was given
  const list = message?.["contents"];
  return (Array.isArray(list) ? list.filter(isJsonObject) : []).map(content => without(content, "$type"));
}

const invalid = (why: string, cause?: unknown) =>
  failure("session/invalid", `the value is no session of the Microsoft Agent Framework: ${why}`, { cause });
