import { type Conversation, isJsonObject, type Json, type JsonObject, type Loss, type Message } from "translogue";
import { difference } from "./difference.ts";

/** Something of `original` that is not in `back`, although no loss names it. */
export function unreported(original: Conversation, back: Conversation, losses: readonly Loss[]): string | undefined {
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

/** Without spelling: exact texts, arguments as text beside their value, hints of spelling, nulls and blanks in remainders. */
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
      ([key, value]) => (!key.startsWith("$") || key.startsWith("$$")) && !blank(value),
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
