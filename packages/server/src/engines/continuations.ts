import type { Kysely } from "kysely";
import type { Tables } from "../store/schema.ts";

/** Gives a run to the next one to go on from, where no other has it; gives the one that has it. */
export async function continuedFrom(db: Kysely<Tables>, run: string, next: string): Promise<string> {
  await db
    .insertInto("continuation")
    .values({ run, next })
    .onConflict(conflict => conflict.doNothing())
    .execute();
  const found = await db.selectFrom("continuation").select("next").where("run", "=", run).executeTakeFirst();
  return found?.next ?? next;
}

/** Takes a run from the one that has it, for the next; nothing where it is another's by now. */
export async function giveTo(
  db: Kysely<Tables>,
  { run, by, next }: { readonly run: string; readonly by: string; readonly next: string },
): Promise<void> {
  await db.updateTable("continuation").set({ next }).where("run", "=", run).where("next", "=", by).execute();
}
