import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type SqliteStatement,
} from "kysely";
import { speaking } from "./sqlite-errors.ts";

/** kysely over `node:sqlite`. Every statement is prepared once. `path` is named in errors. */
export function nodeSqliteDialect(database: DatabaseSync, path: string): Dialect {
  const statements = new Map<string, SqliteStatement>();
  const shim: SqliteDatabase = {
    close: () => database.close(),
    prepare: sql => {
      const known = statements.get(sql);
      if (known) return known;
      const prepared = statement(
        speaking(path, () => database.prepare(sql)),
        path,
      );
      statements.set(sql, prepared);
      return prepared;
    },
  };
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new ImmediateDriver(shim, database),
    createIntrospector: db => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** A plain `begin` reads first and may fail when it comes to write; this one waits for its turn at the start. */
class ImmediateDriver extends SqliteDriver {
  readonly #database: DatabaseSync;

  constructor(shim: SqliteDatabase, database: DatabaseSync) {
    super({ database: shim });
    this.#database = database;
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("begin immediate"));
  }

  /** SQLite itself takes a transaction back whose disk is full or fails; another error then would hide that one. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.isTransaction) await super.rollbackTransaction(connection);
  }
}

function statement(prepared: StatementSync, path: string): SqliteStatement {
  const spread = (parameters: readonly unknown[]): SQLInputValue[] => parameters as SQLInputValue[]; // kysely passes what the tables' types allow
  return {
    reader: prepared.columns().length > 0,
    all: parameters => speaking(path, () => prepared.all(...spread(parameters))),
    run: parameters => speaking(path, () => prepared.run(...spread(parameters))),
    iterate: parameters => prepared.iterate(...spread(parameters)),
  };
}
