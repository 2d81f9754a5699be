import { check, formatPath, type Issue, isJsonObject, type Message } from "translogue";
import { decode } from "translogue/convert";
import { type BaseMessage, lighter } from "translogue/lighter";
import { copyOf } from "./copies.ts";
import { failure } from "./errors.ts";

export type InputMessages = Message | BaseMessage | Iterable<Message | BaseMessage>;

/** The messages of a run's input, copied: they are the caller's. Throws `input/invalid` with the place of what is no message. */
export function readInput(input: string | InputMessages | undefined): readonly Message[] {
  if (input === undefined) return [];
  if (typeof input === "string") return [readText(input)];
  const isList = typeof input === "object" && input !== null && Symbol.iterator in input;
  const messages = readAll(isList ? [...input] : [input]);
  const wrong = structuralError(messages);
  if (wrong) throw failure("input/invalid", wrong);
  return copyOf(messages);
}

/** Neighbours of lighter's are read together: what one message was may have become several of theirs. */
function readAll(values: readonly unknown[]): readonly Message[] {
  const messages: Message[] = [];
  for (let index = 0; index < values.length; ) {
    const value = values[index];
    if (!isJsonObject(value)) {
      throw failure("input/invalid", `input[${index}] is ${value === null ? "null" : typeof value}, not a message`);
    }
    if (!isLighter(value)) {
      messages.push(value as unknown as Message); // checked by the caller
      index += 1;
      continue;
    }
    const end = values.findIndex((other, place) => place > index && !isLighter(other));
    const group = values.slice(index, end === -1 ? values.length : end);
    messages.push(...readLighter(group, index));
    index += group.length;
  }
  return messages;
}

/** One of ours has parts; lighter's have a content or an output instead. */
const isLighter = (value: unknown): boolean =>
  isJsonObject(value) && ("content" in value || "toolOutput" in value) && !("parts" in value);

function readLighter(values: readonly unknown[], first: number): readonly Message[] {
  const { conversation, issues } = decode(lighter, values, { shape: "messages" });
  const [issue] = issues.filter(({ code }) => code === "not-a-message");
  if (!issue) return conversation.messages;
  const [index] = issue.wirePath ?? [];
  throw failure("input/invalid", `input[${first + Number(index ?? 0)}] is no message: ${issue.message}`);
}

/** As the Microsoft Agent Framework, where a blank text is a mistake of the caller. */
function readText(text: string): Message {
  if (text.trim() === "") {
    throw failure("input/invalid", "the input is a blank text; give none at all to go on without a new message");
  }
  return { role: "user", parts: [{ type: "text", text }] };
}

/** What messages say of each other may be wrong in a history, and is for a repair; what code would fail on may not. */
const relations: ReadonlySet<string> = new Set([
  "duplicate-id",
  "missing-id",
  "unknown-parent",
  "parent-cycle",
  "unknown-head",
]);

/** The first thing in the messages that code written against the model's types would fail on, in words. */
export function structuralError(messages: readonly unknown[]): string | undefined {
  const issue: Issue | undefined = check({ messages }).find(
    ({ severity, code }) => severity === "error" && !relations.has(code),
  );
  return issue && `${formatPath(issue.path)}: ${issue.message}`;
}
