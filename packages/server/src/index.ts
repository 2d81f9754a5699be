/** The server: an agent behind HTTP. */
export { type Authenticate, type BearerKey, bearerKeys, hashKey, type Identity } from "./auth.ts";
export type { CorsConfig, PromptType, ServerConfig, ToolOffer } from "./config.ts";
export { type DbosEngineOptions, dbosEngine } from "./engines/dbos.ts";
export { type SqliteEngineOptions, sqliteEngine } from "./engines/sqlite.ts";
export { HttpError } from "./http-error.ts";
export type { Log, LogEntry } from "./log.ts";
export { type Listening, type ServeOptions, serve } from "./node.ts";
export { createServer, type Server } from "./server.ts";
export { type PostgresStore, type PostgresStoreOptions, postgresStore } from "./store/postgres.ts";
export { type SqliteStoreOptions, sqliteStore } from "./store/sqlite.ts";
export type { Claim, Entry, Outcome, SessionKey, Store, StoredEntries, StoredSession } from "./store/store.ts";
