import { accumulate, type Event, type Json, type JsonObject, type Message } from "translogue";
import { copiesOf, copyOf } from "../copies.ts";
import type { RunError } from "../errors.ts";
import { type AgentResponse, type AgentResponseUpdate, agentResponse, type ResponseFacts } from "../response.ts";
import { type AgentSession, busy, recordOf, type SessionRecord } from "../session.ts";
import { runsIn } from "../spending.ts";
import { type ContinuationToken, ToldEvents, tokenWith } from "../token.ts";
import { UpdateWriter } from "../update.ts";
import { isWaiting } from "./answer.ts";
import { nextLeader } from "./calls.ts";
import { RunDriver } from "./drive.ts";
import { plainOf, restore } from "./durable.ts";
import { linked } from "./lineage.ts";
import { openEvents } from "./open-answer.ts";
import { handedOff } from "./settled.ts";
import { messagesOf } from "./snapshot.ts";
import { accountOf, ownSpending } from "./standing.ts";
import type { Between } from "./state.ts";
import type { RunTask } from "./task.ts";

/** What is done in a session besides the run itself. */
export interface RunCourse {
  /** Before it is begun: whoever refuses it takes nothing of this back. */
  readonly ready?: () => Promise<void>;
  readonly begin: (record: SessionRecord) => RunTask | OverRun | Promise<RunTask | OverRun>;
  /** Once the session has all that came of the run; gives what went wrong. */
  readonly settle?: (error: RunError | undefined) => Promise<RunError | undefined>;
}

/** A run that had ended before it was asked to go on. */
export interface OverRun {
  readonly over: ResponseFacts & { readonly messages: readonly Message[] };
}

/** Makes the tokens of a run whose model goes on in the background. */
class RunMarks {
  readonly #session: string;
  readonly #driver: RunDriver;
  readonly #told = new ToldEvents();

  constructor({ id }: AgentSession, driver: RunDriver) {
    this.#session = id;
    this.#driver = driver;
    this.#told.push(openEvents(driver.messages));
  }

  push(events: readonly Event[]): void {
    this.#told.push(events);
  }

  token(seq: number): ContinuationToken | undefined {
    const { state } = this.#driver;
    const { answer } = state;
    if (answer?.continuation === undefined) return undefined;
    const { continuation, provider, message, count } = answer;
    const events = this.#told.now();
    const { input } = this.#driver.snapshot();
    return tokenWith({ session: this.#session, run: state.run, seq }, () => ({
      continuation,
      provider,
      input,
      answer: accumulate(events()).slice(message, message + count),
    }));
  }
}

/**
 * A run in its session: one at a time, and whatever ends it, the session has all that came of it. The last update comes
 * once that is so: who answers a request in it finds the session ready.
 */
export async function* runInSession(
  session: AgentSession,
  { ready, begin, settle }: RunCourse,
): AsyncGenerator<AgentResponseUpdate, AgentResponse, undefined> {
  const record = recordOf(session);
  if (record.isRunning) throw busy(session);
  record.isRunning = true;
  let driver: RunDriver | undefined;
  let last: AgentResponseUpdate["events"] = [];
  let writer: UpdateWriter;
  let fault: RunError | undefined;
  let parked: ContinuationToken | undefined;
  try {
    await ready?.();
    const task = await begun(record, begin);
    if ("over" in task) {
      const { messages, ...facts } = task.over;
      const response = agentResponse(copyOf(messages), facts);
      yield* response.toUpdates();
      return response;
    }
    const running = new RunDriver(task);
    driver = running;
    record.snapshot = () => running.snapshot();
    record.spending = () => accountOf(running.stopped);
    writer = new UpdateWriter({ agentId: task.agent.id, responseId: running.state.run });
    const marks = new RunMarks(session, running);
    if (!task.isSeen) record.told = 0;
    for await (const events of running.run()) {
      marks.push(events);
      if (running.state.phase === "done") last = events;
      else if (!running.isTold(events)) {
        record.told = (record.told ?? 0) + 1;
        const token = marks.token(record.told);
        yield { ...writer.update(copiesOf(events)), ...(token && { continuationToken: token }) };
      }
    }
    parked = running.state.parked ? marks.token(record.told ?? 0) : undefined;
  } finally {
    try {
      if (driver?.state.parked) park(record, driver);
      else if (driver) {
        commit(record, driver);
        fault = await settle?.(driver.state.error);
      }
    } finally {
      record.spending = undefined;
      record.isRunning = false;
    }
  }
  const told = factsOf(driver);
  const facts: ResponseFacts = parked
    ? { ...told, continuationToken: parked }
    : fault
      ? { ...told, finish: { reason: "error" }, error: fault }
      : told;
  const { agentId: _, responseId: __, raw: ___, createdAt: ____, model: _____, ...ending } = facts;
  yield writer.update(copiesOf(last), ending);
  return agentResponse(copyOf(driver.messages), facts);
}

/** A run that is refused leaves the session as it was; what was queued meanwhile stays. */
async function begun(record: SessionRecord, begin: RunCourse["begin"]): Promise<RunTask | OverRun> {
  const { snapshot } = record;
  const before = plainOf(record);
  try {
    return await begin(record);
  } catch (error) {
    restore(record, { ...before, injected: record.injected });
    record.snapshot = snapshot;
    throw error;
  }
}

/** It goes on when it is asked to; until then the session has it as it stands. */
function park(record: SessionRecord, driver: RunDriver): void {
  const snapshot = driver.snapshot();
  record.hasRun = true;
  record.snapshot = () => snapshot;
}

function commit(record: SessionRecord, driver: RunDriver): void {
  const { run, made, step, errors, spent, inner, before, calls, served, agentVersion, finish } = driver.state;
  const { agentId: agent, rulesOf } = driver;
  const more = {
    ...(rulesOf !== undefined && { rulesOf }),
    ...(agentVersion !== undefined && { agentVersion }),
    ...(spent && { spent }),
    ...(inner && { inner }),
    ...(before && { before }),
    earlier: ownSpending(driver),
  };
  if (!isTooLong(driver)) record.messages = linked([...record.messages, ...messagesOf(driver.snapshot())]);
  record.paused = calls.some(isWaiting) ? { run, agent, made, step, errors, ...more, calls } : undefined;
  record.served = served;
  record.snapshot = undefined;
  record.account = accountOf(driver);
  const handedTo = nextLeader(calls);
  if (handedTo !== undefined) record.leader = handedTo;
  const between = betweenAfter(driver);
  record.between = finish?.raw === handedOff.raw && handedTo !== undefined ? between : undefined;
  if (record.chain) record.chain.reached = between;
}

/** From where a run that is one with this one counts on. */
function betweenAfter(driver: RunDriver): Between {
  const { step, errors, spent, repeats, calls } = driver.state;
  const handedTo = nextLeader(calls);
  return {
    step,
    errors,
    ...(spent && { spent }),
    ...(repeats && { repeats }),
    agent: driver.agentId,
    before: runsIn(accountOf(driver)),
    ...(handedTo !== undefined && { handedTo }),
  };
}

/** Nothing of a run that began with too much enters: with every try there would be more. */
function isTooLong(driver: RunDriver): boolean {
  const { state, messages } = driver;
  const isEmpty = messages.every(({ parts }) => parts.every(({ type }) => type === "error"));
  return state.error?.code === "model/context-overflow" && isEmpty && driver.snapshot().answers.length === 0;
}

function factsOf(driver: RunDriver): ResponseFacts {
  const { state, report, messages, agentId } = driver;
  const account = accountOf(driver);
  const hasOthers = state.inner !== undefined || state.before !== undefined;
  const metadata = metadataOf(driver);
  const model = messages.findLast(message => message.model !== undefined)?.model;
  const createdAt = messages[0]?.createdAt;
  return {
    agentId,
    responseId: state.run,
    ...(model !== undefined && { model }),
    ...(createdAt !== undefined && { createdAt }),
    ...(state.finish && { finish: state.finish }),
    ...(account.total && { usage: account.total }),
    ...(hasOthers && { usageTree: account }),
    ...(state.served && { conversationId: state.served.id }),
    ...(state.error && { error: state.error }),
    ...(metadata && { metadata }),
    ...(report.raw !== undefined && { raw: report.raw }),
  };
}

/** Plain JSON: what a reader of the whole run may want to know, beside what the messages say themselves. */
function metadataOf({ state, report, lost, issues }: RunDriver): JsonObject | undefined {
  const { headers, fallbacks } = report;
  const metadata = {
    ...state.model.metadata,
    ...(state.limit !== undefined && { limit: state.limit }),
    ...(state.spent?.unpriced && { unpriced: state.spent.unpriced }),
    ...lost,
    ...(issues.length > 0 && { issues: issues as unknown as Json }), // plain JSON
    ...(fallbacks && { fallbacks: fallbacks as unknown as Json }), // plain JSON
    ...(headers && { headers }),
  };
  return Object.keys(metadata).length > 0 ? metadata : undefined;
}
