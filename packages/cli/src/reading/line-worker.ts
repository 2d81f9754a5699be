import { type MessagePort, parentPort } from "node:worker_threads";
import { isError } from "translogue";
import type { LineResult, LineTask, PlainError } from "./line-workers.ts";
import { ValueReader } from "./values.ts";
import { loadWork } from "./work.ts";

/** What a thread of the program does: the work on the batches it is sent, one after another. */
export function workOnLines(): void {
  if (!parentPort) return;
  const port: MessagePort = parentPort;
  let current: { readonly file: string; readonly reader: Promise<ValueReader> } | undefined;
  port.on("message", async ({ options, bytes, line }: LineTask) => {
    if (current?.file !== options.file) {
      current = { file: options.file, reader: loadWork(options.order).then(work => new ValueReader(options, work)) };
    }
    port.postMessage(await attempt(current.reader, { bytes, line }));
  });
}

async function attempt(
  reader: Promise<ValueReader>,
  { bytes, line }: Pick<LineTask, "bytes" | "line">,
): Promise<LineResult> {
  try {
    const { error, ...done } = (await reader).lines({ bytes: Buffer.from(bytes.buffer), line });
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
