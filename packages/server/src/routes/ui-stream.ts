import type { FormatRef } from "translogue";
import { HttpError } from "../http-error.ts";
import type { Call } from "./call.ts";

const generations = new Set(["5", "6", "7"]);

/** The generation of the AI SDK that a client says it is: `?ui=` before `X-AI-SDK-Version`, else the configured one. */
export function generationOf({ request, url, services }: Pick<Call, "request" | "url" | "services">): string {
  const asked = url.searchParams.get("ui");
  if (asked !== null) {
    if (generations.has(asked)) return asked;
    throw new HttpError(400, `\`ui=${asked}\` is no generation of the AI SDK that the server writes; give 5, 6 or 7`);
  }
  const header = request.headers.get("x-ai-sdk-version");
  if (header === null) return String(services.config.generation);
  const [major = ""] = header.trim().replace(/^v/, "").split(".");
  if (generations.has(major)) return major;
  throw new HttpError(400, `\`X-AI-SDK-Version: ${header}\` is none that the server writes; give 5, 6 or 7`);
}

/** The format of a chat's answer, streamed or whole. */
export const chatFormat = (call: Pick<Call, "request" | "url" | "services">): FormatRef =>
  `huajuan:v${generationOf(call)}` as FormatRef; // one of its dialects

/** The headers that the AI SDK's own server sends. */
const headers = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  "x-vercel-ai-ui-message-stream": "v1",
  "x-accel-buffering": "no",
};

export const streamResponse = (
  body: ReadableStream<Uint8Array>,
  more: { readonly [name: string]: string } = {},
): Response => new Response(body, { headers: { ...headers, ...more } });
