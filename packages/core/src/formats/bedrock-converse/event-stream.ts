/** The binary frames in which Bedrock sends its streams (`application/vnd.amazon.eventstream`). */

import { asObject } from "../../blocks/bedrock-converse/node.ts";
import type { Issue } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { stringifyJson } from "../../model/json-text.ts";
import type { Machine } from "../../stream/machine.ts";
import { isException } from "./error.ts";

/** Length of the whole, length of the headers, checksum of both. */
const prelude = 12;
const checksum = 4;

/** Bytes that a frame may have: the service sends at most 16 MB in one. */
const largest = 24 * 1024 * 1024;

export interface EventStreamDecoder extends Machine<Uint8Array, Json> {
  /** Frames that are damaged, or hold no JSON. After damage that hides where frames begin nothing more is read. */
  readonly issues: readonly Issue[];
}

/** Frames as they come → wire events (`{ contentBlockDelta: … }`), in any chunking. */
export function eventStreamDecoder(): EventStreamDecoder {
  const issues: Issue[] = [];
  const pending = new Bytes();
  let count = 0;
  let isLost = false;
  const report = (message: string): void => {
    issues.push({ code: "stream/not-a-frame", severity: "error", path: [], wirePath: [count], message });
  };

  const next = (): { readonly event?: Json } | undefined => {
    const head = pending.view(prelude);
    if (!head) return undefined;
    const length = head.getUint32(0);
    const isSound = crc32(pending.bytes(0, 8)) === head.getUint32(8);
    if (
      !isSound ||
      length < prelude + checksum ||
      length > largest ||
      head.getUint32(4) > length - prelude - checksum
    ) {
      report(isSound ? `a frame of ${length} bytes is none` : "the checksum of a frame's beginning is wrong");
      isLost = true;
      return undefined;
    }
    const frame = pending.view(length);
    if (!frame) return undefined;
    const end = length - checksum;
    const body = prelude + head.getUint32(4);
    const event = read(pending, { body, end, isSound: crc32(pending.bytes(0, end)) === frame.getUint32(end) }, report);
    pending.drop(length);
    count++;
    return event === undefined ? {} : { event };
  };

  return {
    issues,
    push(bytes) {
      const events: Json[] = [];
      if (isLost) return events;
      pending.add(bytes);
      for (let found = next(); found; found = next()) if (found.event !== undefined) events.push(found.event);
      return events;
    },
    end() {
      if (!isLost && pending.length > 0) report("the stream ends within a frame");
      return [];
    },
  };
}

interface Frame {
  readonly body: number;
  readonly end: number;
  readonly isSound: boolean;
}

function read(bytes: Bytes, { body, end, isSound }: Frame, report: (message: string) => void): Json | undefined {
  const headers = isSound ? readHeaders(bytes.bytes(prelude, body)) : undefined;
  if (!headers) {
    report(isSound ? "the headers of a frame are damaged" : "the checksum of a frame is wrong");
    return undefined;
  }
  const {
    ":event-type": event,
    ":exception-type": exception,
    ":error-code": code,
    ":error-message": message,
  } = headers;
  if (headers[":message-type"] === "error") return { [nameOf(code)]: { message: message ?? code ?? "" } };
  const name = exception ?? event;
  if (name === undefined) {
    report("a frame does not say which event it is");
    return undefined;
  }
  try {
    return { [name]: JSON.parse(new TextDecoder().decode(bytes.bytes(body, end))) as Json }; // JSON.parse gives JSON
  } catch (error) {
    report(error instanceof Error ? error.message : String(error));
    return undefined;
  }
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

/** Wire events → frames as Bedrock's own, which AWS's SDKs read. An event with several members is several frames. */
export function eventStreamEncoder(): Machine<Json, Uint8Array> {
  const write = (event: Json): Uint8Array[] =>
    Object.entries(asObject(event)).flatMap(([name, payload]) =>
      isJsonObject(payload) ? [frameOf(name, payload)] : [],
    );
  return { push: write, end: () => [] };
}

function frameOf(name: string, payload: JsonObject): Uint8Array {
  const utf8 = new TextEncoder();
  const isFailure = isException(name);
  const headers = [
    [isFailure ? ":exception-type" : ":event-type", name],
    [":content-type", "application/json"],
    [":message-type", isFailure ? "exception" : "event"],
  ].map(texts => texts.map(text => utf8.encode(text)));
  const body = utf8.encode(stringifyJson(payload));
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
