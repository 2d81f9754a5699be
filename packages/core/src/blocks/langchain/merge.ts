import { TranslogueError } from "../../model/error.ts";
import type { Issue } from "../../model/issue.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import { type Chunk, type ChunkFields, openChunk } from "./chunk.ts";
import { JsMerge } from "./merge-js.ts";
import { LosslessMerge } from "./merge-lossless.ts";
import { PythonMerge } from "./merge-python.ts";

/**
 * How chunks become one. `python` and `js`: as `+` of langchain-core 1.6 and `concat` of @langchain/core 1.4 do, faults
 * included. `lossless`: as they do where they agree and lose nothing, else so that nothing is lost, doubled or refused.
 */
export type ChunkRules = "lossless" | "python" | "js";

/** Chunks put together one by one; nothing that has grown is read again. */
export interface ChunkMerge {
  add(chunk: ChunkFields): void;
  /** The fields of the whole so far. */
  fields(): JsonObject;
}

export interface MergedChunks {
  /** The whole, in the form (dialect) of the first chunk. */
  readonly message: JsonObject;
  /** What two chunks say differently, where only one can stand. `wirePath` begins with the number of the chunk. */
  readonly issues: readonly Issue[];
}

/**
 * Chunks of one message, as JSON of any dialect, → the one that they are together, in time linear in their length.
 * Throws `langchain/no-chunks` for none, `langchain/not-a-chunk` for a value that is none, and under the rules of a language
 * `langchain/cannot-merge` where that language throws.
 */
export function mergeChunks(
  chunks: readonly Json[],
  { rules = "lossless" }: { readonly rules?: ChunkRules } = {},
): MergedChunks {
  const issues: Issue[] = [];
  const first = openAt(chunks, 0);
  const merge = startMerge(first, rules, issues);
  for (let place = 1; place < chunks.length; place++) {
    // SystemMessage.concat of JavaScript takes a text as well.
    const text = chunks[place];
    const isText = rules !== "python" && typeof text === "string" && first.kind === "system";
    merge.add(isText ? { ...first, className: undefined, fields: { content: text } } : openAt(chunks, place));
  }
  return { message: first.wrap(merge.fields()), issues };
}

/** Begins with a chunk; the lossless rules report into `issues`. */
export function startMerge(first: ChunkFields, rules: ChunkRules, issues: Issue[] = []): ChunkMerge {
  if (rules === "js") return new JsMerge(first);
  return rules === "python" ? new PythonMerge(first) : new LosslessMerge(first, issues).begin();
}

function openAt(chunks: readonly Json[], place: number): Chunk {
  if (chunks.length === 0) {
    throw new TranslogueError("langchain/no-chunks", "there are no chunks to merge; give at least one");
  }
  const chunk = openChunk(chunks[place]);
  if (chunk) return chunk;
  const message = `chunk ${place} is no message chunk of LangChain in any of its JSON forms`;
  throw new TranslogueError("langchain/not-a-chunk", message, { data: { chunk: place } });
}
