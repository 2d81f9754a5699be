import { writeFile } from "node:fs/promises";
import { findFormat, formatPath, type Loss, type Message, stringifyJson } from "translogue";
import { encode } from "translogue/convert";
import { wrongUse } from "../failure.ts";

const mostNotes = 10;

/** A conversation in a format, with its seals, and in words what the format cannot hold. */
export async function exportMessages(
  messages: readonly Message[],
  { format, file }: { readonly format: string; readonly file: string | undefined },
): Promise<{ readonly text: string; readonly notes: readonly string[] }> {
  const { codec, dialect } = findFormat(format);
  const { value, exact, losses } = encode(
    codec,
    { messages },
    { shape: "messages", recipient: "client", carry: false, ...(dialect !== undefined && { dialect }) },
  );
  const text = `${stringifyJson(value, exact, 2)}\n`;
  const notes = lossNotes(losses);
  if (file === undefined) return { text, notes };
  await writeFile(file, text, { flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === "EEXIST" ? "it is there already" : error.message;
    throw wrongUse(`\`${file}\` cannot be written: ${why}`);
  });
  return { text: "", notes: [`Written to ${file}.`, ...notes] };
}

function lossNotes(losses: readonly Loss[]): string[] {
  const lines = losses.slice(0, mostNotes).map(({ kind, path, message }) => `${kind} ${formatPath(path)}: ${message}`);
  const more = losses.length - lines.length;
  return more > 0 ? [...lines, `and ${more} more`] : lines;
}
