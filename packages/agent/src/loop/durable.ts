import { equalJson } from "translogue";
import type { Operations } from "../engine.ts";
import type { RunError } from "../errors.ts";
import type { AgentResponseUpdate } from "../response.ts";
import { type AgentSession, recordOf, type SessionRecord } from "../session.ts";
import { type BagChange, BagJournal } from "./bag-journal.ts";
import { Inbox } from "./inbox.ts";
import type { RunSnapshot } from "./state.ts";
import type { RunTask } from "./task.ts";

/** What a session's record is, as plain JSON. */
type PlainRecord = Omit<SessionRecord, "isRunning" | "snapshot" | "chain" | "spending" | "left">;

export const plainOf = (record: SessionRecord): PlainRecord => {
  const { isRunning: _, snapshot: __, chain: ___, spending: ____, left: _____, ...plain } = record;
  return plain;
};

/** Makes the record what it was. */
export function restore(record: SessionRecord, plain: PlainRecord | undefined): void {
  if (!plain) return;
  const gone = Object.keys(plainOf(record)).filter(key => !(key in plain));
  Object.assign(record, Object.fromEntries(gone.map(key => [key, undefined])), plain);
}

/** What an earlier run left to be stored is stored by an operation, too. */
export async function leftOnce(store: () => Promise<void>, operations: Operations | undefined): Promise<void> {
  if (!operations) return store();
  await operations.operation("left", async () => {
    await store();
    return null;
  });
}

interface Opening {
  readonly from: RunSnapshot;
  readonly instructions?: string;
  /** Where the session was changed before the run began: by its providers, or because it had a cut run. */
  readonly record?: PlainRecord;
  readonly state?: BagChange;
}

/**
 * The task as it began in the first execution of its run: its ids and times, and what providers laid around it. `bag`: from
 * before they were asked.
 */
export async function openedOnce(
  task: RunTask,
  record: SessionRecord,
  { isChanged, bag }: { readonly isChanged: boolean; readonly bag: BagJournal | undefined },
): Promise<RunTask> {
  const { operations, from, history, instructions } = task;
  if (!operations) return task;
  let isKept = true;
  const kept = await operations.operation<Opening>("open", async () => {
    isKept = false;
    const state = bag?.changed();
    return {
      from,
      ...(instructions !== undefined && { instructions }),
      ...(isChanged && { record: plainOf(record) }),
      ...(state && { state }),
    };
  });
  restore(record, kept.record);
  if (isKept) {
    bag?.reset();
    bag?.replay(kept.state);
  }
  return { ...task, instructions: kept.instructions, from: kept.from, history: kept.record?.messages ?? history };
}

interface Settlement {
  readonly fault?: RunError;
  readonly record: PlainRecord;
  readonly state?: BagChange;
}

/** What providers do once a run is over is an operation, too. */
export async function settledOnce(
  settle: () => Promise<RunError | undefined>,
  session: AgentSession,
  operations: Operations | undefined,
): Promise<RunError | undefined> {
  if (!operations) return settle();
  const bag = new BagJournal(session.stateBag);
  const record = recordOf(session);
  let isKept = true;
  const kept = await operations.operation<Settlement>("settle", async () => {
    isKept = false;
    const fault = await settle();
    const state = bag.changed();
    return { ...(fault && { fault }), record: plainOf(record), ...(state && { state }) };
  });
  restore(record, kept.record);
  if (isKept) bag.replay(kept.state);
  return kept.fault;
}

interface Ran {
  readonly updates: readonly AgentResponseUpdate[];
  readonly record: PlainRecord;
  readonly state?: BagChange;
}

/** A run that keeps no operations is one itself: what it told, and what it left in the session. Its end is told once that is kept. */
export async function* ranOnce(
  run: (stop: AbortSignal) => AsyncIterable<AgentResponseUpdate>,
  session: AgentSession,
  operations: Operations,
): AsyncGenerator<AgentResponseUpdate, void, undefined> {
  const bag = new BagJournal(session.stateBag);
  const record = recordOf(session);
  const live = new Inbox<AgentResponseUpdate | undefined>();
  const left = new AbortController();
  let told = 0;
  let isKept = true;
  const done = operations.operation<Ran>("run", async ({ signal }) => {
    isKept = false;
    const updates: AgentResponseUpdate[] = [];
    for await (const update of run(AbortSignal.any([signal, left.signal]))) {
      updates.push(update);
      if (!update.isFinal) await live.put(update);
    }
    const state = bag.changed();
    return { updates, record: plainOf(record), ...(state && { state }) };
  });
  const over = (): void => void live.put(undefined);
  done.then(over, over);
  try {
    for (let update = await live.take(); update; update = await live.take()) {
      told += 1;
      yield update;
    }
    const { updates, record: kept, state } = await done;
    if (isKept) {
      const { account } = record;
      restore(record, kept);
      // That it is the one from before says that the run keeps none.
      if (equalJson(kept.account, account)) record.account = account;
      bag.replay(state);
    }
    yield* updates.slice(told);
  } finally {
    left.abort();
    live.close();
  }
}
