import { equalJson, type Message } from "translogue";
import { failure } from "../errors.ts";
import type { Model } from "../model.ts";
import type { Author } from "../response.ts";
import type { SessionRecord } from "../session.ts";
import { isRebuilt, nextLeader } from "./calls.ts";
import { checkCalls, type Resumption, resume } from "./resume.ts";
import { givenUp } from "./snapshot.ts";
import type { Between, PausedRun, RunPolicy, RunSnapshot, RunState, ServedConversation, StepCall } from "./state.ts";

/** What a run is begun with, beside its input. */
export interface RunSetup {
  readonly newId: () => string;
  readonly now: string;
  readonly policy: RunPolicy;
  readonly author: Author;
  readonly agentVersion?: string | undefined;
  readonly model: Model;
  readonly served?: ServedConversation | undefined;
  /** Where the runs stand that it is one with. */
  readonly between?: Between | undefined;
}

/**
 * Where a run of this input begins: a cut run goes on if nothing new is said, and is closed if something is; a run that
 * waited goes on under its id if it was only answered. Throws what is wrong with the input before it changes the session.
 */
export function beginRun(
  given: readonly Message[],
  record: SessionRecord,
  setup: RunSetup,
): { readonly from: RunSnapshot; readonly history: readonly Message[] } {
  const cut = record.snapshot?.();
  if (cut && given.length === 0) return { from: { ...cut, state: unparked(cut.state) }, history: record.messages };
  const history = cut ? [...record.messages, ...givenUp(cut, setup.now)] : record.messages;
  checkCalls(given, record.paused);
  const messages = newMessages(given, history).map(message => entered(message, setup));
  const resumption = resume(messages, { history, paused: record.paused, newId: setup.newId });
  const served = cut ? cut.state.served : setup.served;
  const from = {
    state: firstState(resumption, record.paused, { ...setup, served }),
    messages: [],
    ...placesOf(resumption),
  };
  record.messages = history;
  record.paused = undefined;
  record.between = undefined;
  return { from, history };
}

function unparked({ parked, finish, error, ...state }: RunState): RunState {
  return parked ? state : { ...state, ...(finish && { finish }), ...(error && { error }) };
}

/** What the session has already, by its id, does not enter twice. */
function newMessages(given: readonly Message[], history: readonly Message[]): readonly Message[] {
  const known = new Map(history.flatMap(message => (message.id === undefined ? [] : [[message.id, message] as const])));
  return given.filter(({ id, role, parts }) => {
    const own = id === undefined ? undefined : known.get(id);
    if (!own) return true;
    if (own.role === role && equalJson(own.parts, parts)) return false;
    throw failure("input/invalid", `the session has a message \`${id}\` already, and it says something else`, {
      data: { id },
    });
  });
}

const entered = (message: Message, { newId, now }: RunSetup): Message => ({
  ...message,
  id: message.id ?? newId(),
  createdAt: message.createdAt ?? now,
});

const placesOf = ({ answers, input, calls }: Resumption): Pick<RunSnapshot, "answers" | "input" | "inputAt"> => ({
  answers,
  input,
  inputAt: madeFirst(calls),
});

/** The messages that come of the answers before anything else: calls that get one, and their results. */
function madeFirst(calls: readonly StepCall[]): number {
  const ready = calls.filter(({ status }) => status === "ready");
  return (ready.length > 0 || nextLeader(calls) !== undefined ? 1 : 0) + (ready.some(isRebuilt) ? 1 : 0);
}

/** Throws `agent/changed` where a run is gone on with under another version of its agent. */
export function checkVersion({ agentVersion: begun, author }: RunState, version: string | undefined): void {
  if (begun === undefined || begun === version) return;
  const now = version === undefined ? "and now has none" : `and is now \`${version}\``;
  throw failure(
    "agent/changed",
    `the run was begun under version \`${begun}\` of the agent \`${author.id}\`, ${now}: go on with that version, or say something new, which closes it`,
    { data: { begun, ...(version !== undefined && { version }) } },
  );
}

function firstState({ input, answers, calls }: Resumption, paused: PausedRun | undefined, setup: RunSetup): RunState {
  const { policy, author, model, served, between } = setup;
  const goesOn = paused !== undefined && input.length === 0;
  // What is answered was asked under its own version.
  const agentVersion = paused && (goesOn || answers.length > 0) ? paused.agentVersion : setup.agentVersion;
  const { run, made, step, errors, spent, repeats, inner, earlier, before } = goesOn
    ? { ...paused, repeats: undefined }
    : { run: setup.newId(), made: 0, inner: undefined, earlier: undefined, ...countedOn(between, author) };
  return {
    version: 1,
    run,
    phase: "start",
    author,
    ...(agentVersion !== undefined && { agentVersion }),
    model: { id: model.id, provider: model.provider, ...(model.metadata && { metadata: model.metadata }) },
    policy,
    next: 0,
    made,
    ...(paused && !goesOn && { resumed: { run: paused.run, made: paused.made } }),
    step,
    calls: goesOn ? calls : calls.map(toldElsewhere),
    errors,
    ...(spent && { spent }),
    ...(repeats && { repeats }),
    ...(inner && { inner }),
    ...(earlier && { earlier }),
    ...(before && { before }),
    ...(served && { served }),
  };
}

/** What agents inside of the call have spent is in the account of the run that waited. */
const toldElsewhere = (call: StepCall): StepCall => (call.told ? { ...call, toldElsewhere: call.told } : call);

/** From where the limits count on; the calls of another agent are no repeats of this one's. */
function countedOn(between: Between | undefined, { id }: Author) {
  const { step = 0, errors = 0, spent, repeats, agent, before } = between ?? {};
  return { step, errors, spent, repeats: agent === id ? repeats : undefined, before };
}
