import type { Operations } from "../engine.ts";
import type { RunError } from "../errors.ts";
import { type AgentSession, recordOf, type SessionRecord } from "../session.ts";
import { type BagChange, BagJournal } from "./bag-journal.ts";
import type { RunSnapshot } from "./state.ts";
import type { RunTask } from "./task.ts";

/** What a session's record is, as plain JSON. */
type PlainRecord = Omit<SessionRecord, "isRunning" | "snapshot" | "chain">;

export const plainOf = ({ isRunning: _, snapshot: __, chain: ___, ...plain }: SessionRecord): PlainRecord => plain;

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
