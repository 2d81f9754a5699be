import {
  accumulate,
  type Conversation,
  check,
  type Decoded,
  decode,
  emit,
  encode,
  type FormatId,
  findFormat,
  isJsonObject,
  type Json,
  type JsonObject,
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

/** A claim about one format and one conversation: undefined where it holds, else how it fails. Numbers: docs/model.md. */
export interface Property {
  readonly name: string;
  holds(format: FormatId, conversation: Conversation): string | undefined;
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

const shapeOf = (format: FormatId): Shape => {
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
  format: FormatId,
  conversation: Conversation,
  options: { recipient?: Recipient; carry?: boolean } = {},
): Trip {
  const shape = shapeOf(format);
  const { value, losses, exact } = encode(conversation, {
    to: format,
    shape,
    recipient: "store",
    carry: false,
    ...options,
  });
  if (findFormat(format).codec.slot?.hidden) return { back: decode(value, { from: format, shape }), losses, value };
  const read = parseJson(stringifyJson(value as Json, exact)); // codecs write JSON
  return { back: decode(read.value, { from: format, shape, exact: read.exact }), losses, value };
}

function closed(format: FormatId, conversation: Conversation): string | undefined {
  const first = trip(format, conversation).back.conversation;
  const second = trip(format, first);
  if (second.losses.length > 0)
    return `losses: ${second.losses.map(({ code, path }) => `${code} at ${path.join(".")}`).join(", ")}`;
  const faults = check(first).filter(({ severity }) => severity === "error");
  if (faults.length > 0) return `not a valid conversation: ${faults[0]?.message} at ${faults[0]?.path.join(".")}`;
  return difference(second.back.conversation, first);
}

function honest(format: FormatId, conversation: Conversation): string | undefined {
  const { back, losses } = trip(format, conversation);
  return unreported(conversation, back.conversation, losses);
}

/** Something of `original` that is not in `back`, although no loss names it. */
function unreported(original: Conversation, back: Conversation, losses: readonly Loss[]): string | undefined {
  for (const key of Object.keys(original) as (keyof Conversation)[]) {
    if (key === "messages" || key === "native" || named(losses, [key])) continue;
    const reason = difference(plain(back[key] as Json), plain(original[key] as Json)); // members are JSON
    if (reason !== undefined) return `\`${key}\` ${reason}`;
  }
  if (losses.some(({ path }) => path.length === 0 || (path.length === 1 && path[0] === "messages"))) return undefined;
  const read = [...back.messages];
  const parts = back.messages.flatMap(message => message.parts.map(part => stable(plain(part as unknown as Json)))); // parts are JSON
  for (const [index, message] of original.messages.entries()) {
    const reason = named(losses, ["messages", index])
      ? missingPart(message, index, { losses, parts })
      : missingMessage(message, index, read);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function missingMessage(message: Message, index: number, read: Message[]): string | undefined {
  const wanted = plain(message as unknown as Json); // messages are JSON
  const place = read.findIndex(each => difference(plain(each as unknown as Json), wanted) === undefined); // messages are JSON
  if (place >= 0) {
    read.splice(0, place + 1);
    return undefined;
  }
  const nearest = read[0] as unknown as Json; // messages are JSON
  return `message ${index} does not come back, and no loss names it: ${difference(plain(nearest ?? null), wanted)}`;
}

function missingPart(
  message: Message,
  index: number,
  { losses, parts }: { readonly losses: readonly Loss[]; readonly parts: string[] },
): string | undefined {
  const whole = losses.some(
    ({ path }) =>
      path[0] === "messages" && path[1] === index && (path.length === 2 || (path.length === 3 && path[2] === "parts")),
  );
  if (whole) return undefined;
  for (const [place, part] of message.parts.entries()) {
    if (named(losses, ["messages", index, "parts", place])) continue;
    const wanted = stable(plain(part as unknown as Json)); // parts are JSON
    const found = parts.indexOf(wanted);
    if (found < 0) return `part ${place} of message ${index} does not come back, and no loss names it: ${wanted}`;
    parts.splice(found, 1);
  }
  return undefined;
}

/** Whether a loss is about the place or something in it. */
const named = (losses: readonly Loss[], place: readonly (string | number)[]): boolean =>
  losses.some(({ path }) => place.every((step, index) => path[index] === step));

function streams(format: FormatId, conversation: Conversation): string | undefined {
  const { codec } = findFormat(format);
  const answer = { messages: conversation.messages.filter(({ role }) => role === "assistant") };
  if (!codec.stream || answer.messages.length === 0) return undefined;
  const encoder = streamEncoder(format, { recipient: "store" });
  const wire = runAll(encoder, emit(answer.messages));
  const messages = accumulate(runAll(streamDecoder(format), wire));
  const reason = unreported(answer, { messages }, encoder.losses);
  if (reason !== undefined) return reason;
  const again = accumulate(
    runAll(streamDecoder(format), runAll(streamEncoder(format, { recipient: "store" }), emit(messages))),
  );
  const second = difference(again, messages);
  return second === undefined ? undefined : `written twice: ${second}`;
}

function carries(format: FormatId, conversation: Conversation): string | undefined {
  if (!findFormat(format).codec.slot) return undefined;
  const { back, value } = trip(format, { messages: conversation.messages }, { carry: true });
  if (Array.isArray(value) && value.length === 0) return undefined; // nothing that could carry anything
  return difference(back.conversation.messages, conversation.messages);
}

function pure(format: FormatId, conversation: Conversation): string | undefined {
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

function local(format: FormatId, conversation: Conversation): string | undefined {
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

function wireMessages(format: FormatId, conversation: Conversation): readonly Json[] {
  const { value } = encode(conversation, { to: format, shape: shapeOf(format), recipient: "store", carry: false });
  const list = Array.isArray(value) ? value : isJsonObject(value) ? value["messages"] : [];
  return Array.isArray(list) ? list : [];
}

const foreignSeal = "SEAL-OF-NOBODY-WE-KNOW";
const programFace = "FACE-FOR-PROGRAMS";

function sealed(format: FormatId, conversation: Conversation): string | undefined {
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

/** Without spelling: exact texts, arguments as text beside their value, hints, nulls and blanks in remainders. */
function plain(value: Json | undefined): Json {
  if (Array.isArray(value)) return value.map(plain);
  if (!isJsonObject(value)) return value ?? null;
  const kept: { [key: string]: Json } = {};
  for (const [key, member] of Object.entries(value)) {
    if (key === "exact" || member === undefined) continue;
    if (key === "inputText" && value["input"] !== undefined) continue;
    const content = key === "native" ? withoutSpelling(member) : member;
    if (content !== undefined)
      Object.defineProperty(kept, key, { value: plain(content), enumerable: true, configurable: true, writable: true });
  }
  return kept;
}

function withoutSpelling(native: Json): JsonObject | undefined {
  if (!isJsonObject(native)) return undefined;
  const families = Object.entries(native).flatMap(([family, members]) => {
    const content = Object.entries(isJsonObject(members) ? members : {}).filter(
      ([key, value]) => !key.startsWith("$") && !blank(value),
    );
    return content.length > 0 ? [[family, Object.fromEntries(content)] as const] : [];
  });
  return families.length > 0 ? Object.fromEntries(families) : undefined;
}

const blank = (value: Json): boolean =>
  value === null ||
  (Array.isArray(value) && value.length === 0) ||
  (isJsonObject(value) && Object.values(value).every(blank));

/** Text that does not depend on the order of keys. */
function stable(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(stable).join()}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  return `{${Object.keys(value)
    .sort()
    .map(key => `${JSON.stringify(key)}:${stable(value[key] ?? null)}`)
    .join()}}`;
}
