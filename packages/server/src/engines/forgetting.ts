import type { DBOSClient } from "@dbos-inc/dbos-sdk";
import { type Kysely, sql } from "kysely";
import type { Tables } from "../store/schema.ts";
import { forgetAttempts, forgetContinuations, momentAgo } from "./executors.ts";

export interface ForgetOptions {
  readonly db: Kysely<Tables>;
  readonly client: DBOSClient;
  /** Name of the workflow whose runs they are. */
  readonly workflow: string;
  /** How long after its end a run is kept. */
  readonly keepMs: number;
  /** Once it is aborted, the rest waits for another time. */
  readonly until: AbortSignal;
  /** How many are forgotten at a time. Default 500. */
  readonly most?: number;
}

/** Any number that is nobody else's in this database. */
const forgetter = 7_232_020;

/**
 * Forgets all runs that ended too long ago, by one process at a time. What they did in their turn goes first, and is
 * committed: where the process ends then, DBOS still tells of the run, and the next one forgets it. Who went on from a run
 * goes last: as long as its result can be read, nobody else may go on from it.
 */
export async function forgetRuns({ db, client, workflow, keepMs, until, most = 500 }: ForgetOptions): Promise<void> {
  await db.transaction().execute(async tx => {
    const alone = async (): Promise<boolean> => {
      const { rows } = await sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(${forgetter}) as taken`.execute(
        tx,
      );
      return rows[0]?.taken ?? false;
    };
    const completedBefore = (await momentAgo(db, keepMs)).toISOString();
    const old = { workflowName: workflow, completedBefore, limit: most, loadInput: false, loadOutput: false };
    // Asked each time: of a process that stood still, the database has ended the transaction, and it throws.
    while (!until.aborted && (await alone())) {
      const runs = (await client.listWorkflows(old)).map(({ workflowID }) => workflowID);
      if (runs.length > 0) await forgetAttempts(db, runs);
      if (runs.length > 0 && (await alone())) await client.deleteWorkflows(runs);
      if (runs.length < most) break;
    }
    // Those too whose process ended before it came to them.
    await forgetContinuations(db);
  });
}
