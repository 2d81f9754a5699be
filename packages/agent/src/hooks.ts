import { type Event, isJsonObject, type Message } from "translogue";
import { type AgentErrorCode, failure } from "./errors.ts";

/** What a value is, for whoever wrote the function that gave it. */
export function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return "a text";
  if (typeof value !== "object") return `a ${typeof value}`;
  return "then" in value && typeof value.then === "function" ? "a promise" : "an object of another kind";
}

interface Wanted {
  /** Whose value it is: `` `load` of the history``. */
  readonly by: string;
  /** What to give in its place. */
  readonly give: string;
  /** `is`: of a value that nobody had to make. Default `gave`. */
  readonly verb?: "is";
  /** Default `agent/invalid`. */
  readonly code?: AgentErrorCode;
}

/** What a function of the user's gave is not what it is to give: says what, whose it is, and what to do. */
export const wrongGiven = (given: unknown, { by, give, verb, code = "agent/invalid" }: Wanted) =>
  failure(code, `${by} ${verb ?? "gave"} ${kindOf(given)}: give ${give}`);

/** What is read as it comes; a list counts as that. */
export function streamed<T>(given: unknown, wanted: Wanted): AsyncIterable<T> {
  if (typeof given === "object" && given !== null) {
    if (Symbol.asyncIterator in given) return given as AsyncIterable<T>; // its items are looked at where they are read
    if (Symbol.iterator in given) return itemsOf(given as Iterable<T>); // the same
  }
  throw wrongGiven(given, wanted);
}

async function* itemsOf<T>(items: Iterable<T>): AsyncGenerator<T, void, undefined> {
  yield* items;
}

/** Items of a stream, each looked at on its way. */
export function checkedItems<T>(items: AsyncIterable<T>, check: (item: unknown) => T): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = items[Symbol.asyncIterator]();
      const { return: close } = iterator;
      return {
        next: async () => {
          const step = await iterator.next();
          if (!step.done) check(step.value);
          return step;
        },
        ...(close && { return: value => close.call(iterator, value) }),
      };
    },
  };
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;

/** A batch of a model's answer. Throws `model/failed`. */
export function checkedBatch(given: unknown): readonly Event[] {
  if (Array.isArray(given) && given.every(isObject)) return given as readonly Event[]; // as far as code relies on it
  const what = Array.isArray(given) ? `a list with ${kindOf(given.find(item => !isObject(item)))}` : kindOf(given);
  const by = "the `stream` of a model, or a `model` of `middleware`,";
  throw failure("model/failed", `${by} gave ${what} in place of a list of events: yield lists, as \`[event]\``);
}

const isMessage = (value: unknown): boolean =>
  isJsonObject(value) &&
  typeof value["role"] === "string" &&
  Array.isArray(value["parts"]) &&
  value["parts"].every(part => isJsonObject(part) && typeof part["type"] === "string");

/** Messages as far as code relies on them. Throws `code`, or `agent/invalid`. */
export function checkedMessages(
  given: unknown,
  by: string,
  { code = "agent/invalid", verb }: Pick<Wanted, "code" | "verb"> = {},
): readonly Message[] {
  const how = { by, code, ...(verb && { verb }) };
  if (!Array.isArray(given)) throw wrongGiven(given, { ...how, give: "a list of messages, `[]` for none" });
  const wrong = given.findIndex(message => !isMessage(message));
  if (wrong === -1) return given as readonly Message[]; // as just looked at
  const message = `${by} ${verb ?? "gave"} a list whose item ${wrong} is no message: give objects with \`role\` and \`parts\``;
  throw failure(code, message);
}
