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

/** The body's bytes as they come; those of one that is larger than the limit end there. */
export async function* readStream(body: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Uint8Array, void> {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > limit) return;
    yield chunk;
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
