import type { Agent, Model, RunOptions } from "@translogue/agent";
import { isError, type Message, type Settings } from "translogue";
import type { Call } from "../routes/call.ts";
import type { LiveRun, RunSetup, Told } from "../runs/live-run.ts";
import { ownTools } from "../services.ts";
import { type Resumed, resumeSession } from "../sessions/agent-session.ts";
import { branchTo, type History, isNumbered, openSession } from "../sessions/history.ts";
import { planTurn } from "../sessions/turn.ts";
import type { Claim, Entry, SessionKey } from "../store/store.ts";
import type { Envelope } from "./envelope.ts";
import type { SentMessages } from "./messages.ts";
import { isPruned, withPruning } from "./pruned.ts";
import { refusing, withoutTools } from "./restrict.ts";
import type { ToolChoice } from "./tools.ts";

/** What a chat request comes to. */
export interface Chat {
  readonly envelope: Envelope;
  readonly sent: SentMessages;
  readonly model: { readonly ref: string; readonly model: Model };
  readonly choice: ToolChoice;
  readonly instructions: string | undefined;
  readonly sessionId: string | undefined;
}

export interface Started {
  readonly run: LiveRun;
  /** Requests whose answers came too late: they were decided before, and that stands. */
  readonly late: readonly string[];
  /** Whether the model is asked with less than the whole history. */
  readonly isPruned: boolean;
}

/** Starts the run of a chat: in its session, or without one. Throws what is wrong before it begins. */
export async function startRun(call: Call, chat: Chat): Promise<Started> {
  const { services, owner } = call;
  const id = services.config.newId();
  if (chat.sessionId === undefined) {
    return {
      run: await startAlone(call, chat, id),
      late: [],
      isPruned: isPruned(chat.sent.messages, chat.envelope.prune),
    };
  }
  const claim = await claimSession(call, {
    key: { owner, id: chat.sessionId },
    run: id,
    mayTakeOver: chat.envelope.trigger !== undefined,
  });
  try {
    const found: Held["found"] = { late: [], isPruned: false };
    const run = await services.runs.startIn(claim.key, () => startInSession(call, chat, { claim, found }));
    return { run, ...found };
  } catch (error) {
    await claim.release();
    throw error;
  }
}

async function startAlone(call: Call, chat: Chat, id: string): Promise<LiveRun> {
  const { config, runs } = call.services;
  const session = await config.agent.createSession({ id });
  const input = chat.sent.messages;
  const begun = await begin(config.agent, { session, input }, optionsOf(config.agent, chat));
  return orGiveUp(begun, async () => runs.start({ ...common(call, chat), ...begun, id, parent: null }));
}

interface Held {
  readonly claim: Claim;
  /** What is found out on the way is put here. */
  readonly found: { readonly late: string[]; isPruned: boolean };
}

async function startInSession(call: Call, chat: Chat, { claim, found }: Held): Promise<LiveRun> {
  const { config, store, runs } = call.services;
  const history = await openSession(store, claim, config.newId);
  const { parent, rest, late: decided } = planTurn(history, chat.sent, chat.envelope);
  found.late.push(...decided.map(({ requestId }) => requestId));
  const input = placed(rest, { parent, history, newId: config.newId });
  found.isPruned = isPruned([...branchTo(history.messages, parent), ...input], chat.envelope.prune);
  const resumed = await resumeSession(config.agent, { id: claim.key.id, history, parent, input });
  const begun = await begin(config.agent, resumed, optionsOf(config.agent, chat));
  const answer = begunAnswer(chat.sent.messages);
  const earlier = answer === undefined ? [] : answerUpTo([...branchTo(history.messages, parent), ...input], answer);
  const place = { id: claim.run, claim, parent: input.at(-1)?.id ?? parent, kept: resumed.kept, earlier };
  return orGiveUp(begun, async () => {
    await claim.append(entriesOf(input, history), "now");
    return runs.start({ ...common(call, chat), ...begun, ...place });
  });
}

/** A run that cannot be kept is not let go on. */
async function orGiveUp(begun: Begun, start: () => Promise<LiveRun>): Promise<LiveRun> {
  try {
    return await start();
  } catch (error) {
    begun.abort.abort();
    for await (const _ of begun.updates) break;
    throw error;
  }
}

/** The messages at the end of a branch that belong to an answer. */
function answerUpTo(branch: readonly Message[], answer: string): readonly Message[] {
  const before = branch.findLastIndex(({ run, id }) => run !== answer && id !== answer);
  return branch.slice(before + 1);
}

function common({ services, correlationId }: Call, { model, sent }: Chat) {
  const { newId, log, keepAliveMs } = services.config;
  const answer = begunAnswer(sent.messages);
  return {
    model: model.ref,
    correlationId,
    newId,
    log,
    keepAliveMs,
    ...(answer !== undefined && { answer }),
  };
}

/**
 * Begins the run. What the agent refuses it refuses before it does anything, and nothing is stored then: the caller gets
 * an error instead of a stream that holds one.
 */
async function begin(
  agent: Agent,
  { session, input }: Pick<Resumed, "session" | "input">,
  options: RunOptions,
): Promise<Begun> {
  const abort = new AbortController();
  const given = input.length > 0 ? input : undefined;
  const updates = agent.runStreaming(given, { ...options, session, signal: abort.signal });
  const first = updates.next();
  first.catch(() => undefined); // heard by whoever reads the events, if anyone does
  const { promise: turn, resolve } = Promise.withResolvers<void>();
  setImmediate(resolve);
  await Promise.race([first, turn]);
  return { updates: all(first, updates), abort };
}

type Begun = Pick<RunSetup, "updates" | "abort">;
type Updates = ReturnType<Agent["runStreaming"]>;

async function* all(first: ReturnType<Updates["next"]>, updates: Updates): AsyncGenerator<Told, void> {
  const { done, value } = await first;
  if (done) return;
  yield value;
  yield* updates;
}

function optionsOf(agent: Agent, { envelope, model: { model }, choice, instructions }: Chat): RunOptions {
  const chosen = new Set(choice.tools.map(({ name }) => name));
  const refused = ownTools(agent).filter(({ name }) => !chosen.has(name));
  const { thinking, context, toolContext, sandboxId, prune } = envelope;
  const asked = prune ? withPruning(model, prune) : model;
  const reasoning: Settings["reasoning"] = thinking?.enabled
    ? { ...(thinking.budget !== undefined && { budget: thinking.budget }) }
    : { effort: "none" };
  return {
    model: refused.length > 0 ? withoutTools(asked, new Set(refused.map(({ name }) => name))) : asked,
    tools: [...choice.tools, ...refused.map(refusing)],
    ...(instructions !== undefined && { instructions }),
    ...(thinking && { settings: { reasoning } }),
    additionalProperties: { context, toolContext, ...(sandboxId !== undefined && { sandboxId }) },
  };
}

/** The answer that a client has begun already and goes on with: its reader adds to it. */
function begunAnswer(sent: readonly Message[]): string | undefined {
  const last = sent.at(-1);
  return last?.role === "assistant" || last?.role === "tool" ? (last.run ?? last.id) : undefined;
}

interface Claiming {
  readonly key: SessionKey;
  readonly run: string;
  /** Whether a run that nobody follows any more makes place. */
  readonly mayTakeOver: boolean;
}

/**
 * Takes the session for a run. Where another run holds it, waits a moment for its end. A chat client that leaves a stream
 * and sends the next turn has moved on: the run that it left is stopped, and keeps what it has said.
 */
async function claimSession({ services }: Call, { key, run, mayTakeOver }: Claiming): Promise<Claim> {
  const { store, runs, config } = services;
  try {
    return await store.claim(key, run);
  } catch (error) {
    const current = await runs.of(key);
    if (!isError(error, "session/busy") || !current) throw error;
    const { promise: waited, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, config.busyWaitMs);
    await Promise.race([current.done, ...(mayTakeOver ? [current.orphaned] : []), waited]);
    clearTimeout(timer);
    if (mayTakeOver && current.isOrphan) {
      current.stop();
      await current.done;
    }
    return store.claim(key, run);
  }
}

/** New messages one below the other, each under a name that the session does not have yet, and will not get. */
function placed(
  messages: readonly Message[],
  {
    parent,
    history,
    newId,
  }: { readonly parent: string | null; readonly history: History; readonly newId: () => string },
): Message[] {
  const taken = new Set(history.messages.map(message => message.id));
  let last = parent;
  return messages.map(message => {
    const isFree = message.id !== undefined && !taken.has(message.id) && !isNumbered(message.id);
    const id = isFree ? message.id : newId();
    const inPlace = { ...message, id, parent: last };
    taken.add(id);
    last = id;
    return inPlace;
  });
}

function entriesOf(input: readonly Message[], history: History): Entry[] {
  if (input.length === 0) return [];
  const messages: Entry = { kind: "messages", messages: input };
  const title = history.messages.length > 0 ? "" : titleOf(input);
  return title === "" ? [messages] : [messages, { kind: "title", title }];
}

const titleLength = 80;

/** The first words that a person said. */
function titleOf(input: readonly Message[]): string {
  const parts = input.filter(({ role }) => role === "user").flatMap(message => message.parts);
  const texts = parts.map(part => (part.type === "text" ? part.text : ""));
  const words = texts.join(" ").replaceAll(/\s+/g, " ").trim();
  const cut = words.length > titleLength ? `${words.slice(0, titleLength - 1).trimEnd()}…` : words;
  return cut.toWellFormed();
}
