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

/** kysely over `node:sqlite`. Every statement is prepared once. */
export function nodeSqliteDialect(database: DatabaseSync): Dialect {
  const statements = new Map<string, SqliteStatement>();
  const shim: SqliteDatabase = {
    close: () => database.close(),
    prepare: sql => {
      const known = statements.get(sql);
      if (known) return known;
      const prepared = statement(database.prepare(sql));
      statements.set(sql, prepared);
      return prepared;
    },
  };
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new ImmediateDriver({ database: shim }),
    createIntrospector: db => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** A plain `begin` reads first and may fail when it comes to write; this one waits for its turn at the start. */
class ImmediateDriver extends SqliteDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("begin immediate"));
  }
}

function statement(prepared: StatementSync): SqliteStatement {
  const spread = (parameters: readonly unknown[]): SQLInputValue[] => parameters as SQLInputValue[]; // kysely passes what the tables' types allow
  return {
    reader: prepared.columns().length > 0,
    all: parameters => prepared.all(...spread(parameters)),
    run: parameters => prepared.run(...spread(parameters)),
    iterate: parameters => prepared.iterate(...spread(parameters)),
  };
}
