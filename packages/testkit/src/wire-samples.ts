import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Conversation,
  emit,
  encode,
  type FormatId,
  findFormat,
  type Json,
  runAll,
  streamEncoder,
} from "translogue";

const fixtures = join(import.meta.dirname, "../../../fixtures");

/** The conversations that every format is tried on, by name. */
export const corpus: readonly (readonly [name: string, conversation: Conversation])[] = readdirSync(
  join(fixtures, "corpus"),
).map(name => [
  name.replace(/\.json$/, ""),
  JSON.parse(readFileSync(join(fixtures, "corpus", name), "utf8")) as Conversation, // a test checks each of them
]);

/** Wire values of a format: its own fixtures, and the corpus as it writes them. */
export function wireValues(format: FormatId): Json[] {
  const folder = join(fixtures, "formats", format);
  const own = readdirSync(folder).flatMap(name => {
    const path = join(folder, name);
    return readdirSync(path)
      .filter(file => file === "wire.json")
      .map(file => JSON.parse(readFileSync(join(path, file), "utf8")) as Json); // JSON.parse gives JSON
  });
  const written = corpus.map(([, conversation]) => {
    const { value } = encode(conversation, { to: format, shape: "messages", recipient: "store", carry: true });
    return JSON.parse(JSON.stringify(value)) as Json; // JSON.parse gives JSON
  });
  return [...own, ...written];
}

/** Streams of a format: the corpus's answers as it streams them. */
export function wireStreams(format: FormatId): Json[][] {
  if (!findFormat(format).codec.stream) return [];
  return corpus.flatMap(([, { messages }]) =>
    messages
      .filter(({ role }) => role === "assistant")
      .map(message => runAll(streamEncoder(format, { recipient: "store" }), emit([message])).slice()),
  );
}
