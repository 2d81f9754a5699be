import fc from "fast-check";
import {
  accumulate,
  check,
  decode,
  type Event,
  encode,
  type FormatId,
  findFormat,
  isError,
  type Json,
  parseJson,
  runAll,
  type Shape,
  streamDecoder,
  transcode,
} from "translogue";

/** What a value may be replaced by: other types, names that reach for a prototype, halves of characters, extremes. */
const oddities: readonly Json[] = [
  null,
  true,
  0,
  -1,
  1e308,
  "",
  " ",
  "\ud800",
  "__proto__",
  "constructor",
  [],
  {},
  [null],
  [[]],
  { type: "text" },
  { role: "assistant" },
  "x".repeat(10_000),
];

const hostileKeys = ["__proto__", "constructor", "toString", "hasOwnProperty", "then", "length", "10"];

/** A value that was right, changed in a few places. */
export const mutated = (values: readonly Json[]): fc.Arbitrary<Json> =>
  fc
    .tuple(
      fc.constantFrom(...values),
      fc.array(fc.tuple(fc.nat(), fc.nat(), fc.constantFrom(...oddities)), { minLength: 1, maxLength: 4 }),
    )
    .map(([value, changes]) =>
      changes.reduce<Json>((changed, [place, kind, odd]) => change(changed, { place, kind, odd }), value),
    );

function change(value: Json, how: { readonly place: number; readonly kind: number; readonly odd: Json }): Json {
  const copy = parseJson(JSON.stringify(value)).value;
  const places = containers(copy);
  const container = places[how.place % Math.max(1, places.length)];
  if (container === undefined) return how.odd;
  const target = container as { [key: string]: Json }; // just parsed, so it is ours to change; lists take names of places
  const keys = Object.keys(target);
  const key = keys[how.place % Math.max(1, keys.length)] ?? "new";
  if (how.kind % 4 === 0) define(target, hostileKeys[how.place % hostileKeys.length] ?? "x", how.odd);
  else if (how.kind % 4 === 1) remove(target, key);
  else if (how.kind % 4 === 2 && Array.isArray(container))
    (container as Json[]).push(target[key] ?? null); // ours to change
  else define(target, key, how.odd);
  return copy;
}

const remove = (target: { [key: string]: Json }, key: string): void => {
  if (Array.isArray(target)) target.splice(Number(key), 1);
  else delete target[key];
};

const define = (object: object, key: string, value: Json): void => {
  if (Array.isArray(object)) {
    if (Number(key) < object.length) object[Number(key)] = value; // a list has no other names, and no holes
    return;
  }
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
};

function containers(value: Json): object[] {
  const found: object[] = [];
  const stack: Json[] = [value];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (typeof next !== "object" || next === null) continue;
    found.push(next);
    stack.push(...(Array.isArray(next) ? next : Object.values(next)));
  }
  return found;
}

/**
 * Whatever a value is, reading it gives a valid conversation or one of our errors, and that conversation can be written
 * anywhere. Ids that stand twice in the value are read so: `check` says it.
 */
export function survivesValue(format: FormatId, value: Json, shape?: Shape): string | undefined {
  const targets = ["ai-sdk-ui", "huajuan", "lighter", "openai-chat"] as const;
  return guarded(() => {
    const { conversation } = decode(value, { from: format, ...(shape && { shape }) });
    const invalid = check(conversation).find(({ severity, code }) => severity === "error" && code !== "duplicate-id");
    if (invalid) return `reads as an invalid conversation: ${invalid.message}`;
    for (const to of targets) {
      for (const recipient of ["provider", "client", "store"] as const)
        encode(conversation, { to, shape: "messages", recipient });
    }
    return undefined;
  });
}

/** Whatever wire events a stream has, reading it gives valid messages, cut at any place. */
export function survivesEvents(format: FormatId, wireEvents: readonly Json[]): string | undefined {
  if (!findFormat(format).codec.stream) return undefined;
  return guarded(() => {
    const events: Event[] = runAll(streamDecoder(format), wireEvents);
    const invalid = check({ messages: accumulate(events) }).find(({ severity }) => severity === "error");
    return invalid && `accumulates to invalid messages: ${invalid.message}`;
  });
}

/** Whatever bytes come, transcoding them ends, in valid bytes or one of our errors. */
export function survivesBytes(format: FormatId, chunks: readonly Uint8Array[]): string | undefined {
  if (!findFormat(format).codec.stream) return undefined;
  const to = format === "openai-chat" ? "ai-sdk-ui" : "openai-chat";
  return guarded(() => {
    const output = runAll(transcode(format, to), chunks);
    return output.every(bytes => bytes instanceof Uint8Array) ? undefined : "writes something that is no bytes";
  });
}

function guarded(run: () => string | undefined): string | undefined {
  try {
    return run() ?? pollution();
  } catch (error) {
    if (isError(error)) return pollution();
    return `throws ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  }
}

function pollution(): string | undefined {
  const names = Object.keys(Object.prototype);
  for (const name of names) delete (Object.prototype as Record<string, unknown>)[name]; // so that one fault is reported once
  return names.length > 0 ? `every object now has ${names.join(", ")}` : undefined;
}

/** A value nested so deep, as text: engines overflow on it when they recurse. */
export const nested = (depth: number): string => `${'{"a":['.repeat(depth)}1${"]}".repeat(depth)}`;
