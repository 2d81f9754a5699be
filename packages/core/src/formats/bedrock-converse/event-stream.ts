/** The binary frames in which Bedrock sends its streams (`application/vnd.amazon.eventstream`). */

import { asObject } from "../../blocks/bedrock-converse/node.ts";
import { type BinaryFrameDecoder, binaryDecoder } from "../../codec/binary-frames.ts";
import type { BinaryFraming } from "../../codec/codec.ts";
import { parseFrame } from "../../codec/frame-json.ts";
import { TranslogueError } from "../../model/error.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { type ExactText, stringifyJson } from "../../model/json-text.ts";
import type { Machine } from "../../stream/machine.ts";
import { isException } from "./error.ts";

/** Length of the whole, length of the headers, checksum of both. */
const prelude = 12;
const checksum = 4;

/** Bytes that a frame may have: the service sends at most 16 MB in one. */
const largest = 24 * 1024 * 1024;

/** Bedrock's frames. */
export const eventStream: BinaryFraming = {
  split: ({ report, maxEventBytes = Number.POSITIVE_INFINITY }) => new Splitter(report, maxEventBytes),
  read,
  write: (event, exact) =>
    Object.entries(asObject(event)).flatMap(([name, payload]) =>
      isJsonObject(payload) ? [frameOf(name, payload, exact)] : [],
    ),
};

/** Frames as they come → wire events (`{ contentBlockDelta: … }`), in any chunking. */
export const eventStreamDecoder = (): BinaryFrameDecoder => binaryDecoder(eventStream);

/** Wire events → frames as Bedrock's own, which AWS's SDKs read. An event with several members is several frames. */
export const eventStreamEncoder = (): Machine<Json, Uint8Array> => ({
  push: event => eventStream.write(event),
  end: () => [],
});

class Splitter implements Machine<Uint8Array, Uint8Array> {
  readonly #report: (message: string) => void;
  readonly #max: number;
  readonly #pending = new Bytes();
  /** Behind damage nobody knows what is missing. */
  #isLost = false;
  #failure: TranslogueError | undefined;

  constructor(report: (message: string) => void, max: number) {
    this.#report = report;
    this.#max = max;
  }

  push(bytes: Uint8Array): readonly Uint8Array[] {
    const frames: Uint8Array[] = [];
    if (!this.#isLost) {
      this.#pending.add(bytes);
      for (let frame = this.#next(); frame; frame = this.#next()) frames.push(frame);
    }
    if (frames.length === 0 && this.#failure) throw this.#failure;
    return frames;
  }

  end(): readonly Uint8Array[] {
    if (this.#failure) throw this.#failure;
    if (!this.#isLost && this.#pending.length > 0) this.#report("the stream ends within a frame");
    return [];
  }

  #next(): Uint8Array | undefined {
    const head = this.#pending.view(prelude);
    if (!head) return undefined;
    if (crc32(this.#pending.bytes(0, 8)) !== head.getUint32(8)) {
      return this.#lost("the checksum of a frame's beginning is wrong");
    }
    const length = head.getUint32(0);
    if (length < prelude + checksum || length > largest || head.getUint32(4) > length - prelude - checksum) {
      return this.#lost(`a frame of ${length} bytes is none`);
    }
    if (length > this.#max) return this.#tooLarge();
    const frame = this.#pending.view(length);
    if (!frame) return undefined;
    const end = length - checksum;
    if (crc32(this.#pending.bytes(0, end)) !== frame.getUint32(end)) {
      return this.#lost("the checksum of a frame is wrong");
    }
    const whole = this.#pending.bytes(0, length).slice();
    this.#pending.drop(length);
    return whole;
  }

  #lost(message: string): undefined {
    this.#isLost = true;
    this.#report(`${message}; nothing behind it is read`);
  }

  #tooLarge(): undefined {
    this.#isLost = true;
    this.#failure = new TranslogueError(
      "stream/event-too-large",
      `a frame is larger than ${this.#max} bytes; raise \`maxEventBytes\` if that is meant`,
      { data: { maxEventBytes: this.#max } },
    );
  }
}

function read(frame: Uint8Array, exact?: ExactText): Json {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  const body = prelude + view.getUint32(4);
  const headers = readHeaders(frame.subarray(prelude, body));
  if (!headers) throw new SyntaxError("the headers of a frame are damaged");
  const {
    ":event-type": event,
    ":exception-type": exception,
    ":error-code": code,
    ":error-message": message,
  } = headers;
  if (headers[":message-type"] === "error") return { [nameOf(code)]: { message: message ?? code ?? "" } };
  const name = exception ?? event;
  if (name === undefined) throw new SyntaxError("a frame does not say which event it is");
  const text = new TextDecoder().decode(frame.subarray(body, frame.length - checksum));
  return { [name]: parseFrame(text, exact) };
}

/** Errors of the transport, as the exceptions of the API are called. */
const nameOf = (code: string | undefined): string =>
  code !== undefined && isException(code)
    ? `${code[0]?.toLowerCase() ?? ""}${code.slice(1)}`
    : "internalServerException";

/** Bytes of the types of headers that have a length of their own, and of those that say it before them. */
const sizes: readonly number[] = [0, 0, 1, 2, 4, 8, -1, -1, 8, 16];
const textType = 7;

/** The headers that are texts; undefined where they are damaged. */
function readHeaders(bytes: Uint8Array): { readonly [name: string]: string } | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const headers: { [name: string]: string } = {};
  const utf8 = new TextDecoder();
  for (let at = 0; at < bytes.length; ) {
    const nameEnd = at + 1 + (bytes[at] ?? 0);
    const type = bytes[nameEnd];
    const size = type === undefined ? undefined : sizes[type];
    if (type === undefined || size === undefined) return undefined;
    const isMeasured = size >= 0;
    if (!isMeasured && nameEnd + 3 > bytes.length) return undefined;
    const start = nameEnd + (isMeasured ? 1 : 3);
    const end = start + (isMeasured ? size : view.getUint16(nameEnd + 1));
    if (end > bytes.length) return undefined;
    const name = utf8.decode(bytes.subarray(at + 1, nameEnd));
    if (type === textType && name.startsWith(":")) headers[name] = utf8.decode(bytes.subarray(start, end));
    at = end;
  }
  return headers;
}

function frameOf(name: string, payload: JsonObject, exact: ExactText | undefined): Uint8Array {
  const utf8 = new TextEncoder();
  const isFailure = isException(name);
  const headers = [
    [isFailure ? ":exception-type" : ":event-type", name],
    [":content-type", "application/json"],
    [":message-type", isFailure ? "exception" : "event"],
  ].map(texts => texts.map(text => utf8.encode(text)));
  const body = utf8.encode(stringifyJson(payload, exact));
  const size = headers.reduce((sum, parts) => sum + parts.reduce((all, { length }) => all + length, 4), 0);
  const frame = new Uint8Array(prelude + size + body.length + checksum);
  const view = new DataView(frame.buffer);
  view.setUint32(0, frame.length);
  view.setUint32(4, size);
  view.setUint32(8, crc32(frame.subarray(0, 8)));
  let at = prelude;
  for (const [key = new Uint8Array(), value = new Uint8Array()] of headers) {
    frame[at] = key.length;
    frame.set(key, at + 1);
    at += 1 + key.length;
    frame[at] = textType;
    view.setUint16(at + 1, value.length);
    frame.set(value, at + 3);
    at += 3 + value.length;
  }
  frame.set(body, at);
  view.setUint32(frame.length - checksum, crc32(frame.subarray(0, frame.length - checksum)));
  return frame;
}

/** Bytes that came and are not read yet; what is read is moved away when there is no room behind it. */
class Bytes {
  #buffer = new Uint8Array(4096);
  #start = 0;
  #end = 0;

  get length(): number {
    return this.#end - this.#start;
  }

  add(bytes: Uint8Array): void {
    const { length } = this;
    if (this.#end + bytes.length > this.#buffer.length) {
      const isRoomy = (length + bytes.length) * 2 <= this.#buffer.length;
      const target = isRoomy ? this.#buffer : new Uint8Array((length + bytes.length) * 2);
      target.set(this.#buffer.subarray(this.#start, this.#end));
      this.#buffer = target;
      this.#start = 0;
      this.#end = length;
    }
    this.#buffer.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  bytes(start: number, end: number): Uint8Array {
    return this.#buffer.subarray(this.#start + start, this.#start + end);
  }

  /** The first bytes, once there are as many. */
  view(length: number): DataView | undefined {
    return length > this.length ? undefined : new DataView(this.#buffer.buffer, this.#start, length);
  }

  drop(length: number): void {
    this.#start += length;
  }
}

/** Remainders of the polynomial of IEEE 802.3, by byte. */
const remainders = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  return rest;
});

function crc32(bytes: Uint8Array): number {
  let sum = 0xffffffff;
  for (const byte of bytes) sum = (remainders[(sum ^ byte) & 0xff] ?? 0) ^ (sum >>> 8);
  return (sum ^ 0xffffffff) >>> 0;
}
