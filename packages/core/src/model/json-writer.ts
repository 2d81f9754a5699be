import { TranslogueError } from "./error.ts";
import { type ExactMember, type ExactText, isEmptyExact, readNumber } from "./exact-text.ts";
import type { Json } from "./json.ts";

/**
 * Writes JSON as `JSON.stringify` does, with the spelling that `exact` keeps for its objects and numbers, at any depth.
 * `indent` counts spaces. Undefined only for a value that JSON has no word for. Throws `json/cycle`, `json/no-json` (a bigint).
 */
export function stringifyJson(value: Json, exact?: ExactText, indent?: number): string;
export function stringifyJson(value: unknown, exact?: ExactText, indent?: number): string | undefined;
export function stringifyJson(value: unknown, exact?: ExactText, indent = 0): string | undefined {
  if (exact && !isEmptyExact(exact)) return new Writer(exact, indent).write(value);
  try {
    return JSON.stringify(value, undefined, indent);
  } catch (error) {
    // Too deep for the engine, a cycle or a bigint: ours goes deeper, and says which.
    if (error instanceof RangeError || error instanceof TypeError) return new Writer(undefined, indent).write(value);
    throw error;
  }
}

/** A list or object of which some is written. */
interface Frame {
  readonly holder: object;
  readonly entries: readonly Entry[];
  readonly isList: boolean;
  next: number;
  written: number;
}
type Entry = ExactMember | { readonly key: string | number; readonly value: unknown; readonly text?: string };

class Writer {
  private out = "";
  private readonly frames: Frame[] = [];
  private readonly open = new Set<object>();
  private readonly exact: ExactText | undefined;
  private readonly space: string;

  constructor(exact: ExactText | undefined, indent: number) {
    this.exact = exact;
    this.space = " ".repeat(Math.min(Math.max(indent, 0), 10));
  }

  write(root: unknown): string | undefined {
    const value = jsonFace(root, "");
    if (!this.isWritable(value)) return undefined;
    const { root: exactRoot } = this.exact ?? {};
    if (exactRoot && Object.is(exactRoot.value, value)) return exactRoot.text;
    this.value(value, root);
    for (let frame = this.frames.at(-1); frame; frame = this.frames.at(-1)) this.step(frame);
    return this.out;
  }

  private step(frame: Frame): void {
    const entry = frame.entries[frame.next++];
    if (!entry) {
      this.close(frame);
      return;
    }
    const value = jsonFace(entry.value, entry.key);
    const writable = this.isWritable(value);
    if (!writable && !frame.isList) return;
    this.out += frame.written++ === 0 ? "" : ",";
    this.newLine();
    if (!frame.isList) this.out += `${JSON.stringify(entry.key)}:${this.space && " "}`;
    if (entry.text !== undefined && readNumber(entry.text) === value) this.out += entry.text;
    else this.value(writable ? value : null, entry.value);
  }

  private close(frame: Frame): void {
    this.frames.pop();
    this.open.delete(frame.holder);
    if (frame.written > 0) this.newLine();
    this.out += frame.isList ? "]" : "}";
  }

  private newLine(): void {
    if (this.space) this.out += `\n${this.space.repeat(this.frames.length)}`;
  }

  /** Writes a scalar, opens a list or object. `source` is what the value stands for: itself, but for JSON faces. */
  private value(value: unknown, source: unknown): void {
    if (typeof value !== "object" || value === null) {
      this.out += JSON.stringify(value);
      return;
    }
    if (this.open.has(value)) {
      throw new TranslogueError("json/cycle", `a value contains itself at \`${this.path()}\`: it has no end to write`);
    }
    this.open.add(value);
    const isList = Array.isArray(value);
    this.out += isList ? "[" : "{";
    const entries = this.entries(value, source as object); // only objects have a face
    this.frames.push({ holder: value, entries, isList, next: 0, written: 0 });
  }

  private entries(holder: object, source: object): readonly Entry[] {
    const members = this.exact?.members.get(holder);
    if (members && areMembersOf(members, holder)) return members;
    const texts = this.exact?.numbers.get(holder) ?? this.exact?.numbers.get(source);
    const entries: Entry[] = Array.isArray(holder)
      ? Array.from(holder, (value: unknown, key) => ({ key, value }))
      : Object.entries(holder).map(([key, value]) => ({ key, value }));
    if (!texts) return entries;
    return entries.map(entry => {
      const text = texts.get(entry.key);
      return text === undefined ? entry : { ...entry, text };
    });
  }

  private isWritable(value: unknown): boolean {
    if (typeof value === "bigint") {
      throw new TranslogueError(
        "json/no-json",
        `\`${this.path()}\` is a bigint, which JSON does not have: write it as a number or a string`,
      );
    }
    return value !== undefined && typeof value !== "function" && typeof value !== "symbol";
  }

  private path(): string {
    return this.frames.map(({ entries, next }) => entries[next - 1]?.key).join("/");
  }
}

/** Whether an object still has these members (R1): it may have been changed in place. */
function areMembersOf(members: readonly ExactMember[], holder: object): boolean {
  const last = new Map(members.map(({ key, value }) => [key, value]));
  const now = Object.entries(holder);
  return now.length === last.size && now.every(([key, value]) => last.has(key) && Object.is(last.get(key), value));
}

/** What an object says JSON should have in its place, as a Date does. */
function jsonFace(value: unknown, key: string | number): unknown {
  if (typeof value !== "object" || value === null || !("toJSON" in value)) return value;
  return typeof value.toJSON === "function" ? value.toJSON(String(key)) : value;
}
