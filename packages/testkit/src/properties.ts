import {
  accumulate,
  type Conversation,
  check,
  type Decoded,
  decode,
  emit,
  encode,
  type FormatId,
  type FormatRef,
  findFormat,
  isJsonObject,
  type Json,
  type Loss,
  type Message,
  mapParts,
  type Part,
  parseJson,
  type Recipient,
  runAll,
  type Seal,
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
  /** Read where nothing says which dialect it was written in. */
  undirected(): Decoded;
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
  const { codec } = findFormat(format);
  const read = codec.slot?.hidden ? { value } : parseJson(stringifyJson(value as Json, exact)); // codecs write JSON
  const { value: wire, ...spelled } = read;
  return {
    back: decode(wire, { from: format, shape, dialect, ...spelled }),
    undirected: () => decode(wire, { from: codec.id as FormatId, shape, ...spelled }), // registered
    losses,
    value,
  };
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
  const { back, undirected, value } = trip(format, { messages: conversation.messages }, { carry: true });
  if (Array.isArray(value) && value.length === 0) return undefined; // nothing that could carry anything
  const told = difference(back.conversation.messages, conversation.messages);
  if (told !== undefined) return told;
  const untold = difference(undirected().conversation.messages, conversation.messages);
  return untold === undefined ? undefined : `where the dialect is not told: ${untold}`;
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
const foreignStore = "gs://store-of-google/";

function sealed(format: FormatRef, conversation: Conversation): string | undefined {
  const marked = mapParts(conversation, marks);
  const { value } = encode(marked, { to: format, shape: shapeOf(format), recipient: "provider" });
  const whole = leak(format, value);
  const answer = marked.messages.filter(({ role }) => role === "assistant");
  if (whole !== undefined || !findFormat(format).codec.stream) return whole;
  const streamed = leak(format, runAll(streamEncoder(format, { recipient: "provider" }), emit(answer)));
  return streamed === undefined ? undefined : `in a stream: ${streamed}`;
}

/** What is in a value for a provider, and is not for it. */
function leak(format: FormatRef, value: unknown): string | undefined {
  const text = JSON.stringify(value);
  const { codec } = findFormat(format);
  const context = {
    shape: "request",
    dialect: codec.dialects[0],
    recipient: "provider",
    lose: nothing,
    wrote: nothing,
  } as const;
  if (text.includes(foreignSeal)) return "a foreign seal is in what a provider gets";
  if (text.includes(programFace)) return "a face of a result for programs or people is in what a provider gets";
  const isOpen = codec.fetches?.("google", context) ?? true;
  return !isOpen && text.includes(foreignStore)
    ? "a file in another maker's store is in what a provider gets"
    : undefined;
}

const nothing = (): void => undefined;

const seal: Seal = { maker: "nobody-we-know", values: { signature: foreignSeal, id: foreignSeal, data: foreignSeal } };

/** Wherever it stands, a part gets a seal of a stranger's, its result faces for others, its file a place in another's store. */
const marks = (part: Part): Part => ({
  ...part,
  seal,
  ...(part.type === "text" && part.citations && { citations: part.citations.map(each => ({ ...each, seal })) }),
  ...(part.type === "file" && "url" in part.source && { source: { url: `${foreignStore}${part.source.url.length}` } }),
  ...(part.type === "tool-result" && {
    structured: programFace,
    display: [{ type: "text", text: programFace } as const],
  }),
});
