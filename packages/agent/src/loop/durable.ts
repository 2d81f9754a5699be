import type { Operations } from "../engine.ts";
import type { RunError } from "../errors.ts";
import type { SessionRecord } from "../session.ts";
import type { RunTask } from "./drive.ts";
import type { RunSnapshot } from "./state.ts";

/** What a session's record is, as plain JSON. */
type PlainRecord = Omit<SessionRecord, "isRunning" | "snapshot">;

const plainOf = ({ isRunning: _, snapshot: __, ...plain }: SessionRecord): PlainRecord => plain;

function restore(record: SessionRecord, plain: PlainRecord | undefined): void {
  if (!plain) return;
  const gone = Object.keys(plainOf(record)).filter(key => !(key in plain));
  Object.assign(record, Object.fromEntries(gone.map(key => [key, undefined])), plain);
}

interface Opening {
  readonly from: RunSnapshot;
  readonly instructions?: string;
  /** Where the session was changed before the run began: by its providers, or because it had a cut run. */
  readonly record?: PlainRecord;
}

/** The task as it began in the first execution of its run: its ids and times, and what providers laid around it. */
export async function openedOnce(task: RunTask, record: SessionRecord, isChanged: boolean): Promise<RunTask> {
  const { operations, from, history, instructions } = task;
  if (!operations) return task;
  const kept = await operations.operation<Opening>("open", async () => ({
    from,
    ...(instructions !== undefined && { instructions }),
    ...(isChanged && { record: plainOf(record) }),
  }));
  restore(record, kept.record);
  return { ...task, instructions: kept.instructions, from: kept.from, history: kept.record?.messages ?? history };
}

interface Settlement {
  readonly fault?: RunError;
  readonly record: PlainRecord;
}

/** What providers do once a run is over is an operation, too. */
export async function settledOnce(
  settle: () => Promise<RunError | undefined>,
  record: SessionRecord,
  operations: Operations | undefined,
): Promise<RunError | undefined> {
  if (!operations) return settle();
  const kept = await operations.operation<Settlement>("settle", async () => {
    const fault = await settle();
    return { ...(fault && { fault }), record: plainOf(record) };
  });
  restore(record, kept.record);
  return kept.fault;
}
