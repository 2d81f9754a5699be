import {
  accumulate,
  type Conversation,
  check,
  type Decoded,
  decode,
  emit,
  encode,
  type FormatRef,
  findFormat,
  isJsonObject,
  type Json,
  type Loss,
  type Message,
  parseJson,
  type Recipient,
  runAll,
  type Shape,
  streamDecoder,
  streamEncoder,
  stringifyJson,
} from "translogue";
import { deepFreeze, difference } from "./difference.ts";
import { ungrammatical } from "./grammar.ts";
import { unreported } from "./reported.ts";

/** A claim about one format and one conversation: undefined where it holds, else how it fails. Numbers: docs/model.md. */
export interface Property {
  readonly name: string;
  holds(format: FormatRef, conversation: Conversation): string | undefined;
}

export const properties: readonly Property[] = [
  { name: "what was read once is written and read again without loss (1)", holds: closed },
  { name: "what no loss names comes back as it was (2)", holds: honest },
  { name: "a stream that is written reads as what it was written from, but for its losses (3)", holds: streams },
  { name: "with carry, everything comes back (5)", holds: carries },
  { name: "the input stays untouched, the output is JSON, and the same again (6)", holds: pure },
  { name: "editing or appending a message leaves the others' bytes (7)", holds: local },
  { name: "no seal reaches a provider that is not its home, nor a face of a result (10)", holds: sealed },
];

const shapeOf = (format: FormatRef): Shape => {
  const { shapes } = findFormat(format).codec;
  return shapes.includes("messages") ? "messages" : (shapes[0] ?? "messages");
};

interface Trip {
  readonly back: Decoded;
  readonly losses: readonly Loss[];
  readonly value: unknown;
}

/** There and back, by way of text, so that nothing hides in objects; instances of classes go as they are. */
function trip(
  format: FormatRef,
  conversation: Conversation,
  options: { recipient?: Recipient; carry?: boolean } = {},
): Trip {
  const shape = shapeOf(format);
  const { value, losses, exact, dialect } = encode(conversation, {
    to: format,
    shape,
    recipient: "store",
    carry: false,
    ...options,
  });
  if (findFormat(format).codec.slot?.hidden)
    return { back: decode(value, { from: format, shape, dialect }), losses, value };
  const read = parseJson(stringifyJson(value as Json, exact)); // codecs write JSON
  return { back: decode(read.value, { from: format, shape, dialect, exact: read.exact }), losses, value };
}

function closed(format: FormatRef, conversation: Conversation): string | undefined {
  const first = trip(format, conversation).back.conversation;
  const second = trip(format, first);
  if (second.losses.length > 0)
    return `losses: ${second.losses.map(({ code, path }) => `${code} at ${path.join(".")}`).join(", ")}`;
  const faults = check(first).filter(({ severity }) => severity === "error");
  if (faults.length > 0) return `not a valid conversation: ${faults[0]?.message} at ${faults[0]?.path.join(".")}`;
  return difference(second.back.conversation, first);
}

function honest(format: FormatRef, conversation: Conversation): string | undefined {
  const { back, losses } = trip(format, conversation);
  return unreported(conversation, back.conversation, losses);
}

function streams(format: FormatRef, conversation: Conversation): string | undefined {
  const { codec } = findFormat(format);
  const answer = { messages: conversation.messages.filter(({ role }) => role === "assistant") };
  if (!codec.stream || answer.messages.length === 0) return undefined;
  const encoder = streamEncoder(format, { recipient: "store" });
  const wire = runAll(encoder, emit(answer.messages));
  const events = runAll(streamDecoder(format), wire);
  const messages = accumulate(events);
  const reason = ungrammatical(events) ?? unreported(answer, { messages }, encoder.losses);
  if (reason !== undefined) return reason;
  const again = accumulate(
    runAll(streamDecoder(format), runAll(streamEncoder(format, { recipient: "store" }), emit(messages))),
  );
  const second = difference(again, messages);
  return second === undefined ? undefined : `written twice: ${second}`;
}

function carries(format: FormatRef, conversation: Conversation): string | undefined {
  if (!findFormat(format).codec.slot) return undefined;
  const { back, value } = trip(format, { messages: conversation.messages }, { carry: true });
  if (Array.isArray(value) && value.length === 0) return undefined; // nothing that could carry anything
  return difference(back.conversation.messages, conversation.messages);
}

function pure(format: FormatRef, conversation: Conversation): string | undefined {
  const frozen = deepFreeze(structuredClone(conversation));
  const once = trip(format, frozen);
  const json = JSON.parse(JSON.stringify(once.value)) as Json; // JSON.parse gives JSON
  const again = encode(structuredClone(conversation), {
    to: format,
    shape: shapeOf(format),
    recipient: "store",
    carry: false,
  });
  const isJson = findFormat(format).codec.slot?.hidden ? undefined : difference(once.value, json);
  return isJson ?? difference(again.value, once.value) ?? difference(again.losses, once.losses);
}

function local(format: FormatRef, conversation: Conversation): string | undefined {
  const { messages } = conversation;
  const user: Message = { role: "user", parts: [{ type: "text", text: "one more" }] };
  const before = wireMessages(format, { messages: [...messages, user] });
  const after = wireMessages(format, { messages: [...messages, user, user] });
  const appended = difference(after.slice(0, before.length), before);
  if (appended !== undefined) return `appending changes others: ${appended}`;
  const edited: Message = { role: "user", parts: [{ type: "text", text: "something else" }] };
  const changed = wireMessages(format, { messages: [...messages, edited, user] });
  const others = (list: readonly Json[]): Json =>
    list.filter(message => !/one more|something else/.test(JSON.stringify(message)));
  const edit = difference(others(changed), others(after));
  return edit === undefined ? undefined : `editing changes others: ${edit}`;
}

function wireMessages(format: FormatRef, conversation: Conversation): readonly Json[] {
  const { value } = encode(conversation, { to: format, shape: shapeOf(format), recipient: "store", carry: false });
  const list = Array.isArray(value) ? value : isJsonObject(value) ? value["messages"] : [];
  return Array.isArray(list) ? list : [];
}

const foreignSeal = "SEAL-OF-NOBODY-WE-KNOW";
const programFace = "FACE-FOR-PROGRAMS";

function sealed(format: FormatRef, conversation: Conversation): string | undefined {
  const marked = { ...conversation, messages: conversation.messages.map(markSeals) };
  const { value } = encode(marked, { to: format, shape: shapeOf(format), recipient: "provider" });
  const text = JSON.stringify(value);
  if (text.includes(foreignSeal)) return "a foreign seal is in what a provider gets";
  return text.includes(programFace)
    ? "a face of a result for programs or people is in what a provider gets"
    : undefined;
}

const markSeals = (message: Message): Message => ({
  ...message,
  parts: message.parts.map(part => ({
    ...part,
    seal: { maker: "nobody-we-know", values: { signature: foreignSeal, id: foreignSeal, data: foreignSeal } },
    ...(part.type === "tool-result" && {
      structured: programFace,
      display: [{ type: "text", text: programFace } as const],
    }),
  })),
});
