import { type MessagePort, parentPort } from "node:worker_threads";
import { isError } from "translogue";
import type { LineResult, LineTask, PlainError } from "./line-workers.ts";
import { ValueConverter } from "./values.ts";

/** What a thread of the program does: it converts the batches it is sent, one after another. */
export function convertLines(): void {
  if (!parentPort) return;
  const port: MessagePort = parentPort;
  let current: { readonly file: string; readonly converter: ValueConverter } | undefined;
  port.on("message", ({ options, bytes, line }: LineTask) => {
    if (current?.file !== options.file) current = { file: options.file, converter: new ValueConverter(options) };
    port.postMessage(attempt(current.converter, { bytes, line }));
  });
}

function attempt(converter: ValueConverter, { bytes, line }: Pick<LineTask, "bytes" | "line">): LineResult {
  try {
    const { error, ...done } = converter.lines({ bytes: Buffer.from(bytes.buffer), line });
    return error ? { ...done, error: plain(error) } : done;
  } catch (error) {
    return { thrown: plain(error) };
  }
}

function plain(error: unknown): PlainError {
  if (isError(error)) return { code: error.code, message: error.message, data: { ...error.data } };
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { code: "command/fault", message, data: {} };
}
