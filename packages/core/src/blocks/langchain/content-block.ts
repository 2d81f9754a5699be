/** What the readers and writers of LangChain's content blocks share: which of them has a block, and what they hand over. */

import { hintsOf } from "../../codec/remainder.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import { type BlockReader, type ContentAbout, langchainContent, type Report } from "./content-places.ts";
import type { ReadOutput, WriteOutput } from "./content-tools.ts";

/** What a reader of one block may ask for. */
export interface ReadHelp {
  /** The id of a call that has none. */
  readonly made: string;
  readonly readOutput: ReadOutput;
}

/** One block → its parts, undefined where it lacks what its type needs. */
export type ReadBlock = (reader: BlockReader, help: ReadHelp) => readonly Part[] | undefined;

/** The parts from here on, of which a block may take several. */
export interface WriteFrom {
  readonly parts: readonly Part[];
  readonly index: number;
  readonly about: ContentAbout;
  readonly report: Report;
  readonly writeOutput: WriteOutput;
}

export interface WrittenBlock {
  readonly block: Json;
  /** How many parts are in it. */
  readonly used: number;
}

/** The block that a part was read from, where it still is one; undefined = it is written as LangChain's own. */
export type WriteBlock = (from: WriteFrom) => WrittenBlock | undefined;

/** A provider's blocks: readers by their `type`, writers by `$block`. */
export interface BlockFamily {
  /** Whose members its nodes keep. */
  readonly family: string;
  readonly read: { readonly [type: string]: ReadBlock };
  readonly write: { readonly [block: string]: WriteBlock };
}

export const one = (part: Part | undefined): readonly Part[] | undefined => part && [part];

export const single = (block: JsonObject | undefined): WrittenBlock | undefined => block && { block, used: 1 };

/** The kind of block that a part was read from. */
export const blockOf = (part: Part): Json | undefined => hintsOf(part, langchainContent)["$block"];
