import { isError, parseJson } from "translogue";
import { HttpError } from "./http-error.ts";

export interface BodyLimits {
  /** Bytes. */
  readonly size: number;
  /** Levels of arrays and objects inside each other. */
  readonly depth: number;
}

/** A request's body as JSON, with the source texts that JavaScript cannot write back (R6). 413 and 400 say what is wrong. */
export async function readJson(request: Request, limits: BodyLimits): Promise<ReturnType<typeof parseJson>> {
  const type = checkedType(request.headers);
  if (type !== "" && !isJson(type)) {
    throw new HttpError(
      415,
      `the body is said to be \`${type}\`; send JSON under \`Content-Type: application/json\` (curl: -H 'Content-Type: application/json')`,
    );
  }
  const text = await readText(request, limits.size);
  if (text.trim() === "") throw new HttpError(400, "the body is empty; send JSON");
  try {
    return parseJson(text, { maxDepth: limits.depth });
  } catch (error) {
    if (isError(error, "json/too-deep")) throw new HttpError(400, error.message, { cause: error });
    const why = error instanceof Error ? error.message : String(error);
    throw new HttpError(400, `the body is not JSON: ${why}`, { cause: error });
  }
}

/** What is sent event by event. */
const streamTypes: ReadonlySet<string> = new Set([
  "text/event-stream",
  "application/x-ndjson",
  "application/jsonl",
  "application/vnd.amazon.eventstream",
]);

/** Whether the body is said to be a stream of events. */
export const isStreamBody = ({ headers }: Request): boolean => streamTypes.has(typeOf(headers));

/** The bytes of a body as they come: to its end, to the limit, or to where its sender broke off. */
export class StreamBody {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #limit: number;
  #size = 0;
  /** What was read of it to see whether it begins. */
  readonly #held: Uint8Array[] = [];
  #end: "whole" | "large" | "broken" | undefined;

  constructor(body: ReadableStream<Uint8Array> | null, limit: number) {
    this.#reader = body?.getReader();
    this.#limit = limit;
  }

  /** Resolves once there is more than blanks. Throws 400 where nothing comes, and 413 where only too many blanks do. */
  async begun(): Promise<void> {
    for (let isEmpty = true; isEmpty; ) {
      const chunk = await this.#next();
      if (chunk) this.#hold(chunk);
      else if (this.#end === "large") throw tooLarge(this.#limit);
      else if (this.#end === "whole") throw new HttpError(400, "the body is empty; send the stream's events");
      isEmpty = chunk?.every(byte => byte <= 0x20) ?? false;
    }
  }

  /** Undefined where it ends, whatever ends it. */
  async read(): Promise<Uint8Array | undefined> {
    return this.#held.shift() ?? this.#next();
  }

  /** Nothing more of it is wanted: who waits for it is told its end, and its sender to stop. */
  async cancel(): Promise<void> {
    await this.#reader?.cancel().catch(() => undefined);
  }

  /** However small they come, few are kept: one that is no larger than the next is joined to it. */
  #hold(chunk: Uint8Array): void {
    let last = chunk;
    for (let before = this.#held.at(-1); before && before.byteLength <= last.byteLength; before = this.#held.at(-1)) {
      const joined = new Uint8Array(before.byteLength + last.byteLength);
      joined.set(before);
      joined.set(last, before.byteLength);
      this.#held.pop();
      last = joined;
    }
    this.#held.push(last);
  }

  async #next(): Promise<Uint8Array | undefined> {
    if (this.#end) return undefined;
    try {
      const { value } = (await this.#reader?.read()) ?? {};
      if (!value) {
        this.#end = "whole";
        return undefined;
      }
      const room = this.#limit - this.#size;
      this.#size += value.byteLength;
      if (value.byteLength <= room) return value;
      this.#end = "large";
      await this.cancel();
      return value.subarray(0, room);
    } catch {
      this.#end = "broken";
      return undefined;
    }
  }
}

/** Throws 413 and 415 for what the headers of a stream say. */
export function checkStream({ headers }: Request, limit: number): void {
  checkedType(headers);
  if (Number(headers.get("content-length") ?? 0) > limit) throw tooLarge(limit);
}

const tooLarge = (limit: number): HttpError =>
  new HttpError(413, `the body is larger than ${limit} bytes; send less, or refer to files by URL`);

const isJson = (type: string): boolean => /^application\/(?:[\w.-]+\+)?json$/.test(type);

const wordsOf = (headers: Headers): readonly string[] =>
  (headers.get("content-type") ?? "").split(";").map(word => word.trim().toLowerCase());

const typeOf = (headers: Headers): string => wordsOf(headers)[0] ?? "";

/**
 * The type of a body in UTF-8, as it is. A page of another origin may send forms and plain text without asking first, and what
 * else comes under those names is no JSON either. A body without a type is read.
 */
function checkedType(headers: Headers): string {
  const charset = wordsOf(headers)
    .find(word => word.startsWith("charset="))
    ?.slice("charset=".length)
    .replaceAll('"', "");
  if (charset !== undefined && charset !== "utf-8" && charset !== "utf8") {
    throw new HttpError(415, `the body is said to be in \`${charset}\`; send it in UTF-8`);
  }
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (encoding !== "identity") throw new HttpError(415, `the body is packed with \`${encoding}\`; send it as it is`);
  return typeOf(headers);
}

async function readText(request: Request, limit: number): Promise<string> {
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > limit) throw tooLarge(limit);
  if (!request.body) return "";
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let size = 0;
  let text = "";
  try {
    for await (const chunk of request.body) {
      size += chunk.byteLength;
      if (size > limit) throw tooLarge(limit);
      text += decoder.decode(chunk, { stream: true });
    }
    return text + decoder.decode();
  } catch (error) {
    if (error instanceof HttpError) throw error;
    if (error instanceof TypeError) throw new HttpError(400, "the body is not UTF-8", { cause: error });
    throw new HttpError(400, "the body broke off", { cause: error });
  }
}
