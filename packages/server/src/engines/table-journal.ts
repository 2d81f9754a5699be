import type { Ending, Journal, TakenRun } from "@translogue/agent";
import { type Kysely, type Selectable, sql, type Transaction } from "kysely";
import { TranslogueError } from "translogue";
import { forgetHolder, isHeldAt, newHolder } from "../store/holder.ts";
import type { Tables } from "../store/schema.ts";

export interface TableJournalOptions {
  readonly db: Kysely<Tables>;
  readonly now: () => number;
  readonly leaseMs: number;
  readonly maxExecutions: number;
  readonly keepMs: number;
  readonly close: () => Promise<void>;
}

type RunRecord = Selectable<Tables["run"]>;

/** An engine's runs in two tables. Every write checks that the run is still this executor's. */
export class TableJournal implements Journal {
  readonly #options: TableJournalOptions;
  readonly #db: Kysely<Tables>;
  readonly #holder = newHolder();

  constructor(options: TableJournalOptions) {
    this.#options = options;
    this.#db = options.db;
  }

  async add(run: string, input: string, by: "me" | "anyone"): Promise<boolean> {
    // Here, and not at the beats: what is kept grows by what is added.
    await this.#forget();
    const held = by === "me" ? { ...this.#lease(), executions: 1 } : { holder: null, lease_until: null, executions: 0 };
    const added = await this.#db
      .insertInto("run")
      .values({ id: run, input, created_at: this.#options.now(), ended_at: null, result: null, error: null, ...held })
      .onConflict(conflict => conflict.doNothing())
      .returning("id")
      .executeTakeFirst();
    return added !== undefined;
  }

  async take(): Promise<readonly TakenRun[]> {
    const now = this.#options.now();
    const open = await unfinished(this.#db).execute();
    if (open.every(run => isHeldAt(now, run))) return [];
    return this.#db.transaction().execute(async tx => {
      // Once more, now that nobody else takes any.
      const left = (await unfinished(tx).execute()).filter(run => !isHeldAt(now, run));
      const taken: TakenRun[] = [];
      for (const run of left) if (await this.#takeOver(tx, run)) taken.push(await takenRun(tx, run));
      return taken;
    });
  }

  async begin(run: string, operation: string): Promise<number | undefined> {
    const begun = await this.#db
      .insertInto("operation")
      .columns(["run", "name", "attempts"])
      .expression(
        this.#own(this.#db, run).select(({ val }) => ["id", val(operation).as("name"), val(1).as("attempts")]),
      )
      .onConflict(conflict =>
        conflict.columns(["run", "name"]).doUpdateSet(({ eb }) => ({ attempts: eb("operation.attempts", "+", 1) })),
      )
      .returning("attempts")
      .executeTakeFirst();
    return begun?.attempts;
  }

  async keep(run: string, operation: string, outcome: string): Promise<boolean> {
    const kept = await this.#db
      .updateTable("operation")
      .set({ outcome })
      .where("run", "=", run)
      .where("name", "=", operation)
      .where(({ exists }) => exists(this.#own(this.#db, run).select("id")))
      .executeTakeFirst();
    return kept.numUpdatedRows > 0n;
  }

  async end(run: string, ending: Ending): Promise<boolean> {
    return this.#db.transaction().execute(async tx => {
      const ended = { ...ending, input: "null", ended_at: this.#options.now(), holder: null, lease_until: null };
      const own = this.#own(tx, run).select("id");
      const { numUpdatedRows } = await tx.updateTable("run").set(ended).where("id", "in", own).executeTakeFirst();
      if (numUpdatedRows > 0n) await tx.deleteFrom("operation").where("run", "=", run).execute();
      return numUpdatedRows > 0n;
    });
  }

  async continueFrom(run: string, by: string): Promise<string> {
    return this.#db.transaction().execute(async tx => {
      const found = await tx.selectFrom("run").select("next").where("id", "=", run).executeTakeFirst();
      if (!found) throw unknown(run);
      if (found.next !== null && !(await hasFailed(tx, found.next))) return found.next;
      await tx.updateTable("run").set({ next: by }).where("id", "=", run).execute();
      return by;
    });
  }

  async ending(run: string): Promise<Ending | undefined> {
    const asked = this.#db.selectFrom("run").select(["ended_at", "result", "error"]).where("id", "=", run);
    const found = await asked.executeTakeFirst();
    if (!found) throw unknown(run);
    if (found.ended_at === null) return undefined;
    return found.result === null ? { error: found.error ?? "" } : { result: found.result };
  }

  async renew(runs: readonly string[]): Promise<ReadonlySet<string>> {
    const ours = this.#db.updateTable("run").set(this.#lease()).where("holder", "=", this.#holder);
    // One parameter, however many they are.
    const named = sql<string>`(select value from json_each(${JSON.stringify(runs)}))`;
    const renewed = await ours.where("ended_at", "is", null).where("id", "in", named).returning("id").execute();
    return new Set(renewed.map(({ id }) => id));
  }

  async release(run: string): Promise<void> {
    const own = this.#own(this.#db, run).select("id");
    await this.#db.updateTable("run").set({ holder: null, lease_until: null }).where("id", "in", own).execute();
  }

  async close(): Promise<void> {
    forgetHolder(this.#holder);
    await this.#options.close();
  }

  async #forget(): Promise<void> {
    const before = this.#options.now() - this.#options.keepMs;
    await this.#db.deleteFrom("run").where("ended_at", "<", before).execute();
  }

  /** Whether the run is to be done: one that ended its process again and again is given up. */
  async #takeOver(tx: Transaction<Tables>, { id, executions }: RunRecord): Promise<boolean> {
    const isHopeless = executions >= this.#options.maxExecutions;
    const error = `it was begun ${executions} times, and each time its process died`;
    const next = isHopeless
      ? { error, ended_at: this.#options.now(), holder: null, lease_until: null }
      : { ...this.#lease(), executions: executions + 1 };
    await tx.updateTable("run").set(next).where("id", "=", id).execute();
    return !isHopeless;
  }

  #own(db: Pick<Kysely<Tables>, "selectFrom">, run: string) {
    const own = db.selectFrom("run").where("id", "=", run).where("holder", "=", this.#holder);
    return own.where("ended_at", "is", null);
  }

  #lease() {
    return { holder: this.#holder, lease_until: this.#options.now() + this.#options.leaseMs };
  }
}

const unknown = (run: string): TranslogueError =>
  new TranslogueError("engine/unknown-run", `there is no run \`${run}\``, { data: { run } });

async function hasFailed(tx: Transaction<Tables>, run: string): Promise<boolean> {
  const found = await tx.selectFrom("run").select("error").where("id", "=", run).executeTakeFirst();
  return found !== undefined && found.error !== null;
}

const unfinished = (db: Kysely<Tables>) =>
  db.selectFrom("run").selectAll().where("ended_at", "is", null).orderBy("created_at");

async function takenRun(tx: Transaction<Tables>, { id, input }: RunRecord): Promise<TakenRun> {
  const asked = tx.selectFrom("operation").select(["name", "outcome"]).where("run", "=", id);
  const rows = await asked.where("outcome", "is not", null).execute();
  return { run: id, input, kept: new Map(rows.map(({ name, outcome }) => [name, outcome ?? ""])) };
}
