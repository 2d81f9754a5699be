import { join } from "node:path";
import { postgresStore, type Store, sqliteStore } from "@translogue/server";
import { wrongUse } from "../failure.ts";
import { stateFolder } from "../state-folder.ts";

export interface Sessions {
  readonly store: Store;
  /** Where they are, for people: an address without its password. */
  readonly line: string;
}

/** Whether sessions are kept on Postgres: anything else is a file. */
export const isPostgres = (store: string): boolean => /^postgres(?:ql)?:\/\//i.test(store);

/** Opens the store that an option or a file names, else `TRANSLOGUE_STORE`. Throws `command/wrong-use`. */
export async function openSessions(named: string | undefined, env: NodeJS.ProcessEnv): Promise<Sessions> {
  const place = named ?? (env["TRANSLOGUE_STORE"]?.trim() || join(stateFolder(env), "sessions.db"));
  const shown = isPostgres(place) ? withoutSecrets(place) : place;
  try {
    const store = isPostgres(place) ? await postgresStore({ url: place }) : await sqliteStore({ path: place });
    return { store, line: place === ":memory:" ? "Sessions: in memory, gone when this ends." : `Sessions: ${shown}` };
  } catch (error) {
    throw wrongUse(
      `the sessions cannot be stored in \`${shown}\`: ${reasonOf(error)}`,
      "`--store` names another file, or `postgres://…`",
    );
  }
}

/** User, password and settings may be secrets. */
function withoutSecrets(address: string): string {
  if (!URL.canParse(address)) return "postgres://…";
  const { host, pathname } = new URL(address);
  return `postgres://${host}${pathname}`;
}

/** Of several addresses that were tried in vain, the error has no words of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join("; ");
  return error instanceof Error ? error.message : String(error);
}
