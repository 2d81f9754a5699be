import type { Json, JsonObject } from "translogue";
import { failure, messageOf } from "./errors.ts";
import { jsonCopy } from "./json-copy.ts";

/** What agents, tools and applications keep with a session, by key: JSON values only, so that a stored session has all of it. */
export class StateBag {
  readonly #values: Map<string, Json>;

  constructor(values: JsonObject = {}) {
    this.#values = new Map(Object.entries(values));
  }

  /** The value, undefined where there is none. Like all that takes a key, it throws `state/blank-key`. */
  get(key: string): Json | undefined {
    return this.#values.get(checked(key));
  }

  /** Tells a value that is missing from one that is null. */
  tryGet(key: string): { readonly found: true; readonly value: Json } | { readonly found: false } {
    const value = this.#values.get(checked(key));
    return value === undefined ? { found: false } : { found: true, value };
  }

  /** Keeps a copy. Throws `state/not-json` for a value that JSON cannot hold. */
  set(key: string, value: Json): void {
    this.#values.set(checked(key), kept(key, value));
  }

  /** Whether there was one. */
  remove(key: string): boolean {
    return this.#values.delete(checked(key));
  }

  get count(): number {
    return this.#values.size;
  }

  keys(): IterableIterator<string> {
    return this.#values.keys();
  }

  toJSON(): JsonObject {
    return Object.fromEntries(this.#values);
  }
}

function checked(key: string): string {
  if (typeof key === "string" && key.trim() !== "") return key;
  throw failure("state/blank-key", "the key of a value in the state bag is blank");
}

function kept(key: string, value: Json): Json {
  try {
    return jsonCopy(value);
  } catch (cause) {
    throw failure("state/not-json", `\`${key}\`: ${messageOf(cause)}`, { cause });
  }
}
