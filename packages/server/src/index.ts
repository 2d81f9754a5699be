/** The server: an agent behind HTTP. */
export { type Authenticate, type BearerKey, bearerKeys, hashKey, type Identity } from "./auth.ts";
export type { CorsConfig, PromptType, ServerConfig, ToolOffer } from "./config.ts";
export { HttpError } from "./http-error.ts";
export type { Log, LogEntry } from "./log.ts";
export { type Listening, type ServeOptions, serve } from "./node.ts";
export { createServer, type Server } from "./server.ts";
export { type SqliteStoreOptions, sqliteStore } from "./store/sqlite.ts";
export type { Claim, Entry, Outcome, SessionKey, Store, StoredEntries, StoredSession } from "./store/store.ts";
