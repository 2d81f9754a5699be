import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Conversation,
  decode,
  encode,
  type FormatId,
  formats,
  isError,
  parseJson,
  readText,
  type Shape,
  writeText,
} from "translogue";
import { describe, expect, test } from "vitest";

const fixtures = join(import.meta.dirname, "../../../fixtures/formats");
const wires = formats.flatMap(({ id }) =>
  readdirSync(join(fixtures, id))
    .map(name => ({ format: id as FormatId, name, file: join(fixtures, id, name, "wire.json") })) // registered ones
    .filter(({ file }) => existsSync(file)),
);

/** Numbers that JavaScript writes otherwise, or cannot hold. */
const spellings = ["1.0", "1e3", "12345678901234567890", "-0.0"];
const large = "12345678901234567890";

type Path = readonly (string | number)[];
interface Place {
  readonly path: Path;
  readonly value: unknown;
}

/** A value and all values in it. */
function places(value: unknown, path: Path = []): Place[] {
  if (typeof value !== "object" || value === null) return [{ path, value }];
  const below = Object.entries(value).flatMap(([key, member]) =>
    places(member, [...path, Array.isArray(value) ? Number(key) : key]),
  );
  return [{ path, value }, ...below];
}

const isHolder = ({ value }: Place): boolean => typeof value === "object" && value !== null;

/** The value with another in one place; `numberOf(text)` in it becomes a number of this spelling. */
function textWith(value: unknown, path: Path, other: unknown): string {
  return JSON.stringify(put(value, path, other)).replaceAll(/"number:([^"]*)"/g, "$1");
}
const numberOf = (text: string): string => `number:${text}`;

function put(value: unknown, [step, ...rest]: Path, other: unknown): unknown {
  if (step === undefined) return other;
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) }; // the path leads through it
  const inside = (value as { readonly [step: string | number]: unknown })[step];
  return Object.assign(copy, { [step]: put(inside, rest, other) });
}

/** An object or list with numbers that its type does not know. */
function withNumbers(holder: unknown): unknown {
  const numbers = spellings.map(numberOf);
  if (Array.isArray(holder)) return [...holder, ...numbers];
  const members = Object.fromEntries(numbers.map((number, index) => [`unknown_${index}`, number]));
  return { ...(holder as object), ...members, unknown_list: numbers, unknown_object: members }; // not a list
}

/** The numbers of a text as they are spelled, by their paths. */
function numbersOf(text: string): ReadonlyMap<string, string> {
  const { value, exact } = parseJson(text);
  const numbers = places(value)
    .filter(isHolder)
    .flatMap(({ path, value: holder }) =>
      Object.entries(holder as object).flatMap(([key, member]): [string, string][] => {
        if (typeof member !== "number") return [];
        const spelled = exact.numbers.get(holder as object)?.get(Array.isArray(holder) ? Number(key) : key);
        return [[[...path, key].join("/"), spelled ?? String(member)]];
      }),
    );
  return new Map(numbers);
}

interface Kind {
  readonly format: FormatId;
  readonly shape: Shape;
  readonly dialect: string;
}

/** Text → conversation, stored as plain JSON → text. Undefined where the text is no longer one of the format. */
function comeBack({ format, shape, dialect }: Kind, text: string, isExact: boolean) {
  const { value, exact } = readText(text, format);
  try {
    const read = decode(value, { from: format, shape, dialect, ...(isExact && { exact }) });
    const stored = JSON.parse(JSON.stringify(read.conversation)) as Conversation; // it is plain JSON
    const written = encode(stored, { to: format, shape, dialect, recipient: "store", carry: false });
    const again = writeText(written.value, format, { shape, dialect, ...(written.exact && { exact: written.exact }) });
    return { again, reports: [...read.issues, ...read.losses, ...written.losses] };
  } catch (error) {
    if (isError(error)) return undefined;
    throw error;
  }
}

describe.each(wires)("`$name` of $format", ({ format, file }) => {
  const value: unknown = JSON.parse(readFileSync(file, "utf8"));
  const { shape, dialect } = decode(value, format);
  const kind = { format, shape, dialect };

  test("comes back with the spelling of unknown numbers in each of its objects and lists", () => {
    const changed = places(value)
      .filter(isHolder)
      .flatMap(({ path, value: holder }) => {
        const text = textWith(value, path, withNumbers(holder));
        const given = numbersOf(text);
        const exactly = numbersOf(comeBack(kind, text, true)?.again ?? "null");
        // What does not come back as a value has no place in the format: that its codec reports it is another property.
        const anyhow = numbersOf(comeBack(kind, text, false)?.again ?? "null");
        return [...given].filter(
          ([at, spelling]) => spellings.includes(spelling) && anyhow.has(at) && exactly.get(at) !== spelling,
        );
      });
    expect(changed).toEqual([]);
  });

  /** With another word an object is of another kind, or of none: then more than the number is another. */
  const words = ["type", "role", "lc"];

  test("never has an integer beyond 2^53 rounded in silence, whatever value it replaces", () => {
    const silent = places(value)
      .filter(({ path }) => path.length > 0 && !words.includes(String(path.at(-1))))
      .filter(({ path }) => {
        const back = comeBack(kind, textWith(value, path, numberOf(large)), true);
        return back && !back.again.includes(large) && back.reports.length === 0;
      });
    expect(silent.map(({ path }) => path.join("/"))).toEqual([]);
  });
});

describe("an integer beyond 2^53 that is an id", () => {
  const [id, other] = ["9007199254740993", "9007199254740992"];
  const text = `[{"type":"human","content":"a","id":${id}},{"type":"human","content":"b","id":${other}}]`;

  test("is read as the text of all its digits, and another id stays another", () => {
    const { value, exact } = readText(text, "langchain");
    const { conversation } = decode(value, { from: "langchain", exact });
    expect(conversation.messages.map(message => message.id)).toEqual([id, other]);
    const { value: again, exact: spelled } = encode(conversation, { to: "langchain:python", shape: "messages" });
    expect(writeText(again, "langchain", spelled && { exact: spelled })).toContain(`"id":${id}`);
  });
});

describe("arguments and results", () => {
  const call = (id: string, input: string, output: string): string =>
    `{"type":"dynamic-tool","toolName":"f","toolCallId":"${id}","state":"output-available","input":${input},"output":${output}}`;
  const parts = [call("a", `{"size":1.0,"in":{"id":${large}}}`, '{"list":[1e3]}'), call("b", "{}", "9007199254740993")];
  const text = `[{"id":"m","role":"assistant","parts":[${parts.join()}]}]`;
  const targets = formats.flatMap(({ id, dialects }) => dialects.map(dialect => ({ id: id as FormatId, dialect }))); // registered ones

  test.each(targets)("keep their numbers in $id:$dialect, if it is written at all", ({ id, dialect }) => {
    const { value, exact } = readText(text, "ai-sdk-ui");
    const { conversation } = decode(value, { from: "ai-sdk-ui", exact });
    const write = (): string => {
      const { value: written, shape, ...rest } = encode(conversation, { to: id, dialect, recipient: "store" });
      return writeText(written, id, { shape, dialect, ...(rest.exact && { exact: rest.exact }) });
    };
    if (readOnly.includes(`${id}:${dialect}`)) expect(write).toThrow("is read and not written");
    else expect(["1.0", large, "1e3", "9007199254740993"].filter(number => !write().includes(number))).toEqual([]);
  });
});

/** Of generations that are over. */
const readOnly = ["ai-sdk-model:v4", "ai-sdk-ui:v4"];
