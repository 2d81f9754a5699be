import { isUtf8 } from "node:buffer";
import { type Codec, isError, parseJson } from "translogue";
import { type Place, unreadable } from "../failure.ts";

type Parsed = ReturnType<typeof parseJson>;

/** Bytes as text, without a byte order mark. Throws `input/unreadable` where they are no UTF-8. */
export function readText(bytes: Buffer, place: Place): string {
  if (!isUtf8(bytes)) throw notUtf8(bytes, place);
  const text = readString(bytes, place);
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/** The engine has a largest string. */
function readString(bytes: Buffer, place: Place): string {
  try {
    return bytes.toString("utf8");
  } catch (error) {
    throw unreadable("one value of this size cannot be held; JSON Lines can be read in any size", place, error);
  }
}

function notUtf8(bytes: Buffer, place: Place): Error {
  let [line, column, offset] = [place.line ?? 1, 1, 0];
  for (const character of bytes.toString("utf8")) {
    if (character === "\ufffd" && !isReplacement(bytes, offset)) break;
    offset += Buffer.byteLength(character);
    if (character === "\n") [line, column] = [line + 1, 1];
    else column += character.length;
  }
  const byte = (bytes[offset] ?? 0).toString(16).padStart(2, "0");
  return unreadable(`found the byte 0x${byte}; expected UTF-8 text`, { ...place, line, column });
}

/** U+FFFD stands for bytes that are no text, unless it was written as such. */
const isReplacement = (bytes: Buffer, at: number): boolean =>
  bytes[at] === 0xef && bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd;

/** JSON with its exact spelling, or text of a format that writes more than JSON. Throws `input/unreadable` at the line and column of the file. */
export function readJson(text: string, place: Place, codec?: Codec): Parsed {
  try {
    return codec?.text?.parse?.(text) ?? parseJson(text);
  } catch (error) {
    if (!isError(error) || !error.code.startsWith("json/")) throw error;
    throw unreadable(withoutPlace(error.message), { ...place, ...placeIn(error.data, place) }, error);
  }
}

function placeIn(data: { readonly [name: string]: unknown }, { line: first = 1 }: Place): Place {
  const { line, column } = data;
  return typeof line === "number" && typeof column === "number" ? { line: first + line - 1, column } : {};
}

/** The reader's own place counts from the text it was given. */
const withoutPlace = (message: string): string => message.replace(/ at line \d+, column \d+ \(offset \d+\)/, "");

/** `partial`: a beginning of JSON that more text may complete. `blank`: nothing but white space. */
export type JsonState = "blank" | "partial" | "complete" | "broken";

export function jsonState(text: string): JsonState {
  if (text.trim() === "") return "blank";
  try {
    parseJson(text);
    return "complete";
  } catch (error) {
    if (!isError(error)) throw error;
    if (error.code === "json/too-deep") return "complete";
    return error.data["offset"] === text.length ? "partial" : "broken";
  }
}
