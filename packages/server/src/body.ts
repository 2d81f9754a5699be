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
  checkKind(request.headers);
  const text = await readText(request, limits.size);
  if (text.trim() === "") throw new HttpError(400, "the body is empty; send a JSON object with `messages`");
  try {
    return parseJson(text, { maxDepth: limits.depth });
  } catch (error) {
    if (isError(error, "json/too-deep")) throw new HttpError(400, error.message, { cause: error });
    const why = error instanceof Error ? error.message : String(error);
    throw new HttpError(400, `the body is not JSON: ${why}`, { cause: error });
  }
}

/**
 * JSON in UTF-8, as it is. A page of another origin may send forms and plain text without asking first, and what else comes
 * under those names is no JSON either. A body without a type is read.
 */
function checkKind(headers: Headers): void {
  const [type = "", ...parameters] = (headers.get("content-type") ?? "")
    .split(";")
    .map(word => word.trim().toLowerCase());
  if (type !== "" && !/^application\/(?:[\w.-]+\+)?json$/.test(type)) {
    throw new HttpError(
      415,
      `the body is said to be \`${type}\`; send JSON under \`Content-Type: application/json\` (curl: -H 'Content-Type: application/json')`,
    );
  }
  const charset = parameters
    .find(word => word.startsWith("charset="))
    ?.slice("charset=".length)
    .replaceAll('"', "");
  if (charset !== undefined && charset !== "utf-8" && charset !== "utf8") {
    throw new HttpError(415, `the body is said to be in \`${charset}\`; send it in UTF-8`);
  }
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (encoding !== "identity") throw new HttpError(415, `the body is packed with \`${encoding}\`; send it as it is`);
}

async function readText(request: Request, limit: number): Promise<string> {
  const tooLarge = (): HttpError =>
    new HttpError(413, `the body is larger than ${limit} bytes; send less, or refer to files by URL`);
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > limit) throw tooLarge();
  if (!request.body) return "";
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let size = 0;
  let text = "";
  try {
    for await (const chunk of request.body) {
      size += chunk.byteLength;
      if (size > limit) throw tooLarge();
      text += decoder.decode(chunk, { stream: true });
    }
    return text + decoder.decode();
  } catch (error) {
    if (error instanceof HttpError) throw error;
    if (error instanceof TypeError) throw new HttpError(400, "the body is not UTF-8", { cause: error });
    throw new HttpError(400, "the body broke off", { cause: error });
  }
}
