import {
  type Conversation,
  decode,
  encode,
  type FormatId,
  findFormat,
  isJsonObject,
  type Json,
  type Loss,
  type Shape,
} from "translogue";
import { difference } from "./difference.ts";
import { unreported } from "./reported.ts";

/** What became of a conversation of one format in another. */
export interface Passage {
  /** Kept: no loss. Carried: with the carry slot it came back as it was. Lost: something is named in the report and gone. */
  readonly came: "kept" | "carried" | "lost";
  readonly losses: readonly Loss[];
  /** How the report or the way back is wrong; undefined where both hold. */
  readonly fault: string | undefined;
}

const shapeOf = (format: FormatId): Shape => {
  const { shapes } = findFormat(format).codec;
  return shapes.includes("messages") ? "messages" : (shapes[0] ?? "messages");
};

/** A conversation as a format holds it: its wire value, and what is read of it. */
export function heldBy(
  format: FormatId,
  conversation: Conversation,
): { readonly value: Json; readonly held: Conversation } {
  const { value, dialect } = written(format, conversation, false);
  return { value, held: read(format, { value, dialect }) };
}

/** A conversation as `from` holds it, written as `to`, read again, and written as `from` once more. */
export function passage(from: FormatId, to: FormatId, conversation: Conversation): Passage {
  const { value, held } = heldBy(from, conversation);
  const plain = written(to, held, false);
  const honest = unreported(held, read(to, plain), plain.losses);
  const report = honest === undefined ? undefined : `without carry: ${honest}`;
  if (plain.losses.length === 0) return { came: "kept", losses: [], fault: report };
  const { slot } = findFormat(to).codec;
  const isEmpty = Array.isArray(plain.value) && plain.value.length === 0;
  if (!slot || isEmpty) return { came: "lost", losses: plain.losses, fault: report };
  const carried = written(to, held, true);
  const returned = (back: Conversation) =>
    difference(withoutMadeIds(written(from, back, false).value), withoutMadeIds(value));
  const again = returned(read(to, carried));
  // Carry names its dialect: it comes back where nobody tells it, too.
  const untold = again ?? returned(read(to, { value: carried.value }));
  const way = untold === undefined ? undefined : `with carry, there and back: ${untold}`;
  return { came: untold === undefined ? "carried" : "lost", losses: plain.losses, fault: report ?? way };
}

interface Written {
  readonly value: Json;
  /** Detected where it is not told. */
  readonly dialect?: string;
}

function written(
  format: FormatId,
  conversation: Conversation,
  carry: boolean,
): Required<Written> & { readonly losses: readonly Loss[] } {
  const { value, losses, dialect } = encode(conversation, {
    to: format,
    shape: shapeOf(format),
    recipient: "store",
    carry,
  });
  // What is hidden in an object of this process stays in it; all else goes as text.
  const isHidden = findFormat(format).codec.slot?.hidden === true;
  return { value: isHidden ? (value as Json) : (JSON.parse(JSON.stringify(value)) as Json), dialect, losses };
}

const read = (format: FormatId, { value, dialect }: Written): Conversation =>
  decode(value, { from: format, shape: shapeOf(format), ...(dialect !== undefined && { dialect }) }).conversation;

/** An id that a codec made says only where the message stands; it is read as none. */
function withoutMadeIds(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutMadeIds);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const isMade = key === "id" && typeof member === "string" && member.startsWith("~");
      return [key, isMade ? "~" : withoutMadeIds(member)];
    }),
  );
}
