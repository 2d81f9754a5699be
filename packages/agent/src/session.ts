import { isJsonObject, type Json, type JsonObject, type Message, type ToolCallPart } from "translogue";
import type { StandingRule } from "./approval-rules.ts";
import { copyOf, ShownMessages } from "./copies.ts";
import { failure } from "./errors.ts";
import { type InputMessages, readInput, structuralError } from "./input.ts";
import { isWaiting } from "./loop/answer.ts";
import { type InputRequest, openAsks } from "./loop/asks.ts";
import type { SpendingLimits } from "./loop/limits.ts";
import { isHandOver } from "./loop/readable.ts";
import { carriedRun } from "./loop/restore.ts";
import { openInputs, openRequests } from "./loop/resume.ts";
import { servedUnder } from "./loop/served.ts";
import { messagesOf } from "./loop/snapshot.ts";
import type { Between, PausedRun, RunSnapshot, ServedConversation, StepCall } from "./loop/state.ts";
import type { RunChain } from "./run-chain.ts";
import type { UsageTree } from "./spending.ts";
import { StateBag } from "./state-bag.ts";

/** A call that a person has to let through. Answer it by an `approval-response` part with its `requestId`. */
export interface PendingApproval {
  readonly requestId: string;
  readonly call: ToolCallPart;
  readonly reason?: string;
}

/** What a call has to know from a person. Answer it by an `input-response` part with its `requestId`; without `value`: nobody says. */
export interface PendingInput extends InputRequest {
  readonly requestId: string;
  readonly call: ToolCallPart;
}

export interface SessionOptions {
  readonly id: string;
  /** The history to begin with. */
  readonly messages?: readonly Message[];
  readonly stateBag?: StateBag;
}

let readRecord: (session: AgentSession) => SessionRecord;
let readShown: (session: AgentSession) => ShownMessages;

/** A conversation that an agent leads, with all that is needed to go on with it. Plain data behind: `serializeSession`. */
export class AgentSession {
  readonly id: string;
  readonly stateBag: StateBag;
  readonly #record: SessionRecord;
  readonly #shown = new ShownMessages();

  static {
    readRecord = session => session.#record;
    readShown = session => session.#shown;
  }

  /** Whether a value is a session of this package, and not only looks like one. */
  static is(value: unknown): value is AgentSession {
    return typeof value === "object" && value !== null && #record in value;
  }

  constructor(options: SessionOptions) {
    this.id = options.id;
    this.stateBag = options.stateBag ?? new StateBag();
    this.#record = { messages: copyOf(options.messages ?? []), isRunning: false };
  }

  /** All messages; of a run under way, those there are so far. Copies, as all that a session shows of itself. */
  get messages(): readonly Message[] {
    return this.#shown.of(messagesIn(this));
  }

  /** Where the provider keeps the conversation. */
  get conversationId(): string | undefined {
    return this.#record.served?.id;
  }

  /** What waits for a person, in the order of the calls. */
  get pendingApprovals(): readonly PendingApproval[] {
    const open = this.#waiting()
      .flatMap(openRequests)
      .flatMap(({ requestId, call, reason }) =>
        requestId === undefined ? [] : [{ requestId, call, ...(reason !== undefined && { reason }) }],
      );
    return copyOf(open);
  }

  /** What calls ask people for, in the order of the calls. */
  get pendingInputs(): readonly PendingInput[] {
    const open = openInputs(this.#record.paused).flatMap(({ requestId, call, input }) =>
      requestId === undefined || !input ? [] : [{ requestId, call, ...input }],
    );
    return copyOf(open);
  }

  /** Calls of tools that the application runs itself: give their results as input. */
  get pendingCalls(): readonly ToolCallPart[] {
    const open = this.#waiting().flatMap(call => {
      if (call.status === "client") return [call.call];
      return openAsks(call).flatMap(ask => (ask.requestId === undefined ? [ask.call] : []));
    });
    return copyOf(open);
  }

  /** Messages that wait for the next model call. */
  get injectedMessages(): readonly Message[] {
    return copyOf(this.#record.injected ?? []);
  }

  /** Queues messages, at any moment: they go in after the input of the next run. Throws `input/invalid`. */
  inject(input: string | InputMessages): void {
    this.#record.injected = [...(this.#record.injected ?? []), ...readInput(input)];
  }

  /** What people let through for good, with `approve(…, { always })`. */
  get approvalRules(): readonly StandingRule[] {
    return copyOf(this.#record.approvalRules ?? []);
  }

  /** Puts other messages in place of the history. Throws `session/busy` during a run, `input/invalid`. */
  replaceMessages(messages: readonly Message[]): void {
    if (this.#record.isRunning || this.#record.snapshot) throw busy(this);
    const { messages: before, served } = this.#record;
    this.#record.messages = readInput(messages);
    this.#record.served = servedUnder(served, before, this.#record.messages);
    this.#record.paused = undefined;
    this.#record.stored = undefined;
    this.#record.between = undefined;
    this.#record.leader = undefined;
  }

  /** A run is under way, or was cut and can go on: `run()` without input does. A hand-over that nobody has answered is cut, too. */
  get hasOpenRun(): boolean {
    const { messages, snapshot, between } = this.#record;
    return snapshot !== undefined || between !== undefined || (messages.at(-1)?.parts.some(isHandOver) ?? false);
  }

  /** Adds to the history, for agents that are not driven by a model. Throws `session/busy` during a run. */
  append(...messages: readonly Message[]): void {
    if (this.#record.isRunning) throw busy(this);
    this.#record.messages = [...this.#record.messages, ...copyOf(messages)];
  }

  #waiting(): readonly StepCall[] {
    return this.#record.paused?.calls.filter(isWaiting) ?? [];
  }
}

/** What the run of a session writes. */
export interface SessionRecord {
  messages: readonly Message[];
  paused?: PausedRun | undefined;
  served?: ServedConversation | undefined;
  /** What people let through for good. */
  approvalRules?: readonly StandingRule[] | undefined;
  /** Messages that go in with the next model call. */
  injected?: readonly Message[] | undefined;
  /** How many of the messages, from the first, are kept elsewhere. */
  stored?: number | undefined;
  /** What the run under way does not read of the history, with its places there, first to last. */
  hidden?: readonly (readonly [number, Message])[] | undefined;
  /** Updates that the open run has given. */
  told?: number | undefined;
  /** It was run, whatever came of it. */
  hasRun?: true;
  /** Id of the agent that leads, once it was handed to one: its history may be kept elsewhere. */
  leader?: string | undefined;
  /** What the last run spent, with those that it is one with. */
  account?: UsageTree | undefined;
  /** What its next run may spend, where it is a tool's: no more than the run around that. */
  left?: SpendingLimits | undefined;
  /** What the run under way has spent by now, with those that it is one with. */
  spending?: (() => UsageTree) | undefined;
  /** The last run is over, and one that is one with it has not begun. */
  between?: Between | undefined;
  /** What a session had that was another runtime's. */
  foreign?: ForeignState | undefined;
  isRunning: boolean;
  /** Of which the run under way is one. */
  chain?: RunChain | undefined;
  /** The run under way, or cut: where it stands now. */
  snapshot?: (() => RunSnapshot) | undefined;
}

/** Members that have no place here, and the spelling of what they and the state bag hold, by JSON pointer. */
export interface ForeignState {
  readonly native: JsonObject;
  readonly exact?: { readonly [pointer: string]: string };
}

/** For this package's own modules. */
export const recordOf = (session: AgentSession): SessionRecord => readRecord(session);

/** As `session.messages`, but the stored ones themselves: to be read, and given to nobody. */
export function messagesIn(session: AgentSession): readonly Message[] {
  const { messages, snapshot } = recordOf(session);
  return snapshot ? [...messages, ...messagesOf(snapshot())] : messages;
}

/** Messages of the session, or of its run, as tools, rules and callers get them. */
export const shownIn = (session: AgentSession, messages: readonly Message[]): readonly Message[] =>
  readShown(session).of(messages);

export const busy = (session: AgentSession) =>
  failure(
    "session/busy",
    `session \`${session.id}\` has a run under way: wait for its last update, or leave its stream, before the next`,
    { data: { session: session.id }, retryable: true },
  );

const kind = "translogue.session";
const version = 1;

/** The session as JSON, at any moment of a run too. */
export function serializeSession(session: AgentSession): JsonObject {
  const { messages, snapshot, stored = 0, foreign } = recordOf(session);
  const isOpen = snapshot !== undefined;
  const json = {
    kind,
    version,
    ...storedOwn(session),
    stateBag: session.stateBag.toJSON(),
    messages: isOpen ? messages : messages.slice(stored),
    ...(isOpen && stored > 0 && { stored }),
    ...(foreign && { foreign }),
  };
  return JSON.parse(JSON.stringify(json)) as JsonObject; // plain data, and a copy of it
}

/** What a session knows besides its messages and its state bag. */
export function storedOwn(session: AgentSession): JsonObject {
  const record = recordOf(session);
  const { messages, stored = 0, paused, served, snapshot, approvalRules, injected, hidden, hasRun } = record;
  const { leader, account, between } = record;
  const own = {
    id: session.id,
    ...(paused && { paused }),
    ...(served && { served }),
    ...(approvalRules && { approvalRules }),
    ...(injected && { injected }),
    ...(hidden && { hidden }),
    ...(hasRun && { hasRun }),
    ...(leader !== undefined && { leader }),
    ...(account && { account }),
    ...(between && { between }),
    ...(snapshot && { run: snapshot() }),
    ...((snapshot || between) && { before: messages.length - stored }),
  };
  return JSON.parse(JSON.stringify(own)) as JsonObject; // plain data, and a copy of it
}

/**
 * What was carried with a session in another shape, as far as it still holds: the run that waits, where it waits for the
 * same calls.
 */
export function restoreOwn(
  found: PausedRun | undefined,
  own: JsonObject,
  record: SessionRecord,
): PausedRun | undefined {
  const { paused, served, hasRun, before, between, ...others } = own;
  if (hasRun === true) record.hasRun = true;
  // Whoever went on with the session there has begun another run.
  readLead(before === record.messages.length && between !== undefined ? { ...others, between } : others, record);
  if (isJsonObject(served)) record.served = served as unknown as ServedConversation; // written by us
  if (!isJsonObject(paused)) return found;
  return carriedRun(found, paused as unknown as PausedRun, record.messages); // written by us
}

/** Sessions of version n → n + 1, one step each; what is read ends at the version of today. */
const upgrades: Readonly<Record<number, (stored: JsonObject) => JsonObject>> = {};
const oldest = 1;

/** Throws `session/invalid`, or `session/unknown-version` before anything else is looked at. */
export function deserializeSession(json: Json): AgentSession {
  const stored = copyOf(upgraded(json));
  const { id, stateBag, messages, paused, served, run } = stored;
  if (typeof id !== "string" || !isJsonObject(stateBag) || !Array.isArray(messages)) {
    throw invalid("`id`, `stateBag` or `messages` is missing or not of its type");
  }
  const wrong = structuralError(messages);
  if (wrong) throw invalid(wrong);
  const session = new AgentSession({
    id,
    messages: messages as unknown as readonly Message[], // checked above
    stateBag: new StateBag(stateBag),
  });
  const record = recordOf(session);
  if (isJsonObject(paused)) record.paused = paused as unknown as PausedRun; // written by us
  if (isJsonObject(served)) record.served = served as unknown as ServedConversation; // written by us
  readMembers(stored, record);
  if (run !== undefined) {
    const snapshot = readSnapshot(run);
    record.snapshot = () => snapshot;
  }
  return session;
}

/** Members that a session need not have; all of them written by us. */
function readMembers(stored: JsonObject, record: SessionRecord): void {
  const { approvalRules, injected, hidden, foreign, hasRun, stored: kept } = stored;
  if (Array.isArray(approvalRules)) record.approvalRules = approvalRules as unknown as readonly StandingRule[]; // as above
  if (Array.isArray(injected)) record.injected = injected as unknown as readonly Message[]; // as above
  if (Array.isArray(hidden)) record.hidden = hidden as unknown as NonNullable<SessionRecord["hidden"]>; // as above
  if (isJsonObject(foreign)) record.foreign = foreign as unknown as ForeignState; // as above
  if (hasRun === true) record.hasRun = true;
  if (typeof kept === "number") record.stored = kept;
  readLead(stored, record);
}

/** Who leads, and what the runs so far spent; all of it written by us. */
function readLead({ leader, account, between }: JsonObject, record: SessionRecord): void {
  if (typeof leader === "string") record.leader = leader;
  if (isJsonObject(account)) record.account = account as unknown as UsageTree; // as above
  if (isJsonObject(between)) record.between = between as unknown as Between; // as above
}

export function readSnapshot(run: Json): RunSnapshot {
  const { state, messages, answers, input } = isJsonObject(run) ? run : {};
  const lists = [messages, answers, input];
  if (!isJsonObject(state) || !lists.every(list => Array.isArray(list))) throw invalid("its open run is incomplete");
  const wrong = structuralError(lists.flat());
  if (wrong) throw invalid(`its open run: ${wrong}`);
  return run as unknown as RunSnapshot; // written by us, and its messages were checked
}

/** Whether it is the Microsoft Agent Framework's to read: its members, nothing at all, or a text that is none of ours. */
export function isMafSession(json: Json): boolean {
  if (typeof json === "string") return true;
  if (!isJsonObject(json) || "kind" in json) return false;
  const names = Object.keys(json).map(name => name.toLowerCase());
  return names.length === 0 || names.some(name => mafMembers.has(name));
}

const mafMembers: ReadonlySet<string> = new Set([
  ...["statebag", "conversationid", "storestate", "chathistoryproviderstate", "aicontextproviderstate"],
]);

function upgraded(json: Json): JsonObject {
  if (!isJsonObject(json) || json["kind"] !== kind) throw invalid(`an object with \`kind\` "${kind}" is expected`);
  let stored = json;
  const found = stored["version"];
  if (typeof found !== "number" || !Number.isInteger(found) || found < oldest || found > version) {
    const message = `the session has version ${JSON.stringify(found) ?? "none"}; this release reads ${oldest} to ${version}`;
    throw failure("session/unknown-version", message, { data: { found, oldest, newest: version } });
  }
  for (let from = found; from < version; from++) stored = upgrades[from]?.(stored) ?? stored;
  return stored;
}

const invalid = (why: string) => failure("session/invalid", `the value is no stored session: ${why}`);
