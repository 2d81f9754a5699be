import { isJsonObject, type Json, type JsonObject, type Message, type ToolCallPart } from "translogue";
import { failure } from "./errors.ts";
import { structuralError } from "./input.ts";
import { isWaiting } from "./loop/answer.ts";
import { messagesOf } from "./loop/snapshot.ts";
import type { PausedRun, RunSnapshot, StepCall } from "./loop/state.ts";
import { StateBag } from "./state-bag.ts";

/** A call that a person has to let through. Answer it by an `approval-response` part with its `requestId`. */
export interface PendingApproval {
  readonly requestId: string;
  readonly call: ToolCallPart;
  readonly reason?: string;
}

export interface SessionOptions {
  readonly id: string;
  /** The history to begin with. */
  readonly messages?: readonly Message[];
  readonly stateBag?: StateBag;
}

let readRecord: (session: AgentSession) => SessionRecord;

/** A conversation that an agent leads, with all that is needed to go on with it. Plain data behind: `serializeSession`. */
export class AgentSession {
  readonly id: string;
  readonly stateBag: StateBag;
  readonly #record: SessionRecord;

  static {
    readRecord = session => session.#record;
  }

  /** Whether a value is a session of this package, and not only looks like one. */
  static is(value: unknown): value is AgentSession {
    return typeof value === "object" && value !== null && #record in value;
  }

  constructor(options: SessionOptions) {
    this.id = options.id;
    this.stateBag = options.stateBag ?? new StateBag();
    this.#record = { messages: options.messages ?? [], isRunning: false };
  }

  /** All messages; of a run under way, those there are so far. */
  get messages(): readonly Message[] {
    const { messages, snapshot } = this.#record;
    return snapshot ? [...messages, ...messagesOf(snapshot())] : messages;
  }

  /** What waits for a person, in the order of the calls. */
  get pendingApprovals(): readonly PendingApproval[] {
    return this.#waiting().flatMap(({ status, requestId, call, reason }) =>
      status === "waiting" && requestId !== undefined
        ? [{ requestId, call, ...(reason !== undefined && { reason }) }]
        : [],
    );
  }

  /** Calls of tools that the application runs itself: give their results as input. */
  get pendingCalls(): readonly ToolCallPart[] {
    return this.#waiting().flatMap(({ status, call }) => (status === "client" ? [call] : []));
  }

  /** A run is under way, or was cut and can go on: `run()` without input does. */
  get hasOpenRun(): boolean {
    return this.#record.snapshot !== undefined;
  }

  /** Adds to the history, for agents that are not driven by a model. Throws `session/busy` during a run. */
  append(...messages: readonly Message[]): void {
    if (this.#record.isRunning) throw busy(this);
    this.#record.messages = [...this.#record.messages, ...messages];
  }

  #waiting(): readonly StepCall[] {
    return this.#record.paused?.calls.filter(isWaiting) ?? [];
  }
}

/** What the run of a session writes. */
export interface SessionRecord {
  messages: readonly Message[];
  paused?: PausedRun | undefined;
  isRunning: boolean;
  /** The run under way, or cut: where it stands now. */
  snapshot?: (() => RunSnapshot) | undefined;
}

/** For this package's own modules. */
export const recordOf = (session: AgentSession): SessionRecord => readRecord(session);

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
  const { messages, paused, snapshot } = recordOf(session);
  const stored = {
    kind,
    version,
    id: session.id,
    stateBag: session.stateBag.toJSON(),
    messages,
    ...(paused && { paused }),
    ...(snapshot && { run: snapshot() }),
  };
  return JSON.parse(JSON.stringify(stored)) as JsonObject; // plain data, and a copy of it
}

/** Sessions of version n → n + 1, one step each; what is read ends at the version of today. */
const upgrades: Readonly<Record<number, (stored: JsonObject) => JsonObject>> = {};
const oldest = 1;

/** Throws `session/invalid`, or `session/unknown-version` before anything else is looked at. */
export function deserializeSession(json: Json): AgentSession {
  const stored = upgraded(json);
  const { id, stateBag, messages, paused, run } = stored;
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
  if (run !== undefined) {
    const snapshot = readSnapshot(run);
    record.snapshot = () => snapshot;
  }
  return session;
}

function readSnapshot(run: Json): RunSnapshot {
  const { state, messages, answers, input } = isJsonObject(run) ? run : {};
  const lists = [messages, answers, input];
  if (!isJsonObject(state) || !lists.every(list => Array.isArray(list))) throw invalid("its open run is incomplete");
  const wrong = structuralError(lists.flat());
  if (wrong) throw invalid(`its open run: ${wrong}`);
  return run as unknown as RunSnapshot; // written by us, and its messages were checked
}

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
