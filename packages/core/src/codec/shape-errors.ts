import { TranslogueError } from "../model/error.ts";
import type { Json } from "../model/json.ts";
import type { Shape } from "./codec.ts";

interface Asked {
  readonly format: string;
  readonly shape: Shape;
}

/** The error of a value that begins with nothing of its shape. */
export function notThisFormat(value: unknown, { format, shape }: Asked): TranslogueError {
  const found = value === null ? "null" : Array.isArray(value) ? "an array" : `a value of type ${typeof value}`;
  const wanted = shape === "messages" || shape === "stream" ? "an array of objects" : "an object";
  const message = `expected ${wanted} for the shape \`${shape}\` of \`${format}\`, found ${found}`;
  return new TranslogueError("decode/not-this-format", message, { data: { format, shape } });
}

/** The one piece that was written, for a shape that is one. Throws `encode/not-one-message`. `pieces`: what the format calls them. */
export function onlyOf(written: readonly Json[], { format, shape }: Asked, pieces = "messages"): Json {
  const [only] = written;
  if (only !== undefined && written.length === 1) return only;
  const message = `\`${format}\` writes this conversation as ${written.length} ${pieces}, not as the one of shape \`${shape}\`; ask for \`messages\``;
  throw new TranslogueError("encode/not-one-message", message, { data: { format, count: written.length } });
}
