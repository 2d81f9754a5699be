import { formatPath, isJsonObject, type Json, type JsonObject, type Path } from "translogue";
import { HttpError } from "./http-error.ts";

/** One thing that is wrong with a request. */
export interface Fault {
  readonly code: string;
  readonly path: Path;
  readonly message: string;
}

/** Throws a 400 where there are faults: the first in words, all in the details. */
export function refuse(faults: readonly Fault[]): void {
  const [first] = faults;
  if (!first) return;
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more, see \`details\`)` : "";
  throw new HttpError(400, `${first.message}${more}`, { details: { issues: faults.slice(0, 100) } });
}

/** Members of an object by their types; what is wrong is collected. */
export class Members {
  readonly faults: Fault[] = [];
  readonly #body: JsonObject;
  readonly #path: Path;
  readonly #asked = new Set<string>();

  /** @param path where the object stands in the request */
  constructor(body: JsonObject, path: Path = []) {
    this.#body = body;
    this.#path = path;
  }

  /** @param path from this object */
  fault(code: string, path: Path, message: string): void {
    this.faults.push({ code, path: [...this.#path, ...path], message });
  }

  /** What was found wrong with an object inside of this one. */
  take({ faults }: Members): void {
    this.faults.push(...faults);
  }

  /** Members that nothing asked for, each with the name that it may have been meant for. @param known names beside those read */
  refuseOthers(known: readonly string[] = []): void {
    const names = [...this.#asked, ...known];
    for (const name of Object.keys(this.#body)) {
      if (names.includes(name)) continue;
      const near = nearest(name, names);
      const cure =
        near === undefined ? `there are ${names.map(each => `\`${each}\``).join(", ")}` : `did you mean \`${near}\`?`;
      this.fault("unknown", [name], `\`${formatPath([...this.#path, name])}\` is no option here; ${cure}`);
    }
  }

  isAbsent(name: string): boolean {
    return !Object.hasOwn(this.#body, name);
  }

  /** The member, or none where there is no value. */
  member<Name extends string, Value>(name: Name, value: Value | undefined): { [name in Name]?: Value } {
    return value === undefined ? {} : ({ [name]: value } as { [name in Name]: Value }); // a computed key widens to string
  }

  string(name: string): string | undefined {
    return this.#read(name, "a string", (value): value is string => typeof value === "string");
  }

  boolean(name: string): boolean | undefined {
    return this.#read(name, "true or false", (value): value is boolean => typeof value === "boolean");
  }

  object(name: string): JsonObject | undefined {
    return this.#read(name, "an object", isJsonObject);
  }

  strings(name: string): readonly string[] | undefined {
    const isStrings = (value: Json): value is readonly string[] =>
      Array.isArray(value) && value.every(item => typeof item === "string");
    return this.#read(name, "a list of strings", isStrings);
  }

  oneOf(name: string, options: readonly string[]): string | undefined {
    const isOption = (value: Json): value is string => typeof value === "string" && options.includes(value);
    return this.#read(name, `one of ${options.map(option => `\`${option}\``).join(", ")}`, isOption);
  }

  count(name: string): number | undefined {
    const isCount = (value: Json): value is number =>
      typeof value === "number" && Number.isInteger(value) && value >= 0;
    return this.#read(name, "a whole number that is not negative", isCount);
  }

  #read<Value extends Json>(name: string, expected: string, is: (value: Json) => value is Value): Value | undefined {
    this.#asked.add(name);
    const value = Object.hasOwn(this.#body, name) ? this.#body[name] : undefined;
    if (value === undefined) return undefined;
    if (is(value)) return value;
    this.fault("invalid", [name], `\`${formatPath([...this.#path, name])}\` must be ${expected}`);
    return undefined;
  }
}

/** The name that differs in the fewest letters, if those are few. */
function nearest(name: string, names: readonly string[]): string | undefined {
  const short = name.slice(0, 40).toLowerCase();
  const [best] = names
    .map(each => ({ each, steps: stepsBetween(short, each.toLowerCase()) }))
    .filter(({ each, steps }) => steps <= Math.max(each.length > 3 ? 2 : 1, Math.floor(each.length / 3)))
    .sort((one, other) => one.steps - other.steps);
  return best?.each;
}

/** Letters to change, add or take away (Levenshtein). */
function stepsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, place) => place);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (let place = 0; place < other.length; place++) {
      const change = (row[place] ?? 0) + (other[place] === letter ? 0 : 1);
      next.push(Math.min(change, (row[place + 1] ?? 0) + 1, (next[place] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
