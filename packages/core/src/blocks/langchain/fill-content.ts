/** What the content of a whole message says beyond the content of its chunks. */

import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { isBlank, jsonKey } from "./call-sayings.ts";

export interface ContentBeyond {
  /** Text that goes on with that of the chunks. */
  readonly text: string;
  readonly blocks: readonly Json[];
  /** Whether the two say something that only one of them can mean. */
  readonly differs: boolean;
}

/**
 * Blocks are the same by their ids, else where they are equal, else one by one of their type: as a whole a block may be
 * spelled otherwise than in pieces.
 */
export function contentBeyond(chunks: Json, whole: Json): ContentBeyond {
  const [own, all] = [blocksOf(chunks), blocksOf(whole)];
  const [said, told] = [textOf(own), textOf(all)];
  const goesOn = said !== "" && told.startsWith(said);
  const known = new KnownBlocks(own, all);
  const found = all.map(block => ({ block, as: isText(block) && said !== "" ? "text" : known.find(block) }));
  return {
    text: goesOn ? told.slice(said.length) : "",
    blocks: found.filter(({ as }) => as === undefined).map(({ block }) => block),
    differs: (said !== "" && told !== "" && !goesOn) || found.some(({ as }) => as === "other"),
  };
}

class KnownBlocks {
  readonly #ids: ReadonlySet<Json | undefined>;
  readonly #equal = new Map<string, number>();
  readonly #types = new Map<string, number>();

  constructor(own: readonly Json[], whole: readonly Json[]) {
    this.#ids = new Set(own.flatMap(block => (isJsonObject(block) && !isBlank(block["id"]) ? [block["id"]] : [])));
    const ids = new Set(whole.map(block => (isJsonObject(block) ? block["id"] : undefined)));
    const keys = new Set(whole.map(keyOf));
    for (const block of own) {
      if (isJsonObject(block) && !isBlank(block["id"]) && ids.has(block["id"])) continue;
      const key = keyOf(block);
      if (keys.has(key)) this.#equal.set(key, (this.#equal.get(key) ?? 0) + 1);
      else this.#types.set(typeOf(block), (this.#types.get(typeOf(block)) ?? 0) + 1);
    }
  }

  find(block: Json): "same" | "other" | undefined {
    if (isJsonObject(block) && !isBlank(block["id"]) && this.#ids.has(block["id"])) return "same";
    if (take(this.#equal, keyOf(block))) return "same";
    if (!take(this.#types, typeOf(block))) return undefined;
    return inPieces.test(typeOf(block)) ? "same" : "other";
  }
}

/** Types whose blocks come in pieces. */
const inPieces = /text|reasoning|thinking|refusal|tool|call/;

function take(counts: Map<string, number>, key: string): boolean {
  const count = counts.get(key) ?? 0;
  counts.set(key, count - 1);
  return count > 0;
}

const blocksOf = (content: Json): readonly Json[] => {
  if (content === "" || content === null) return [];
  return Array.isArray(content) ? content : [content];
};

const isText = (block: Json): boolean =>
  typeof block === "string" || (isJsonObject(block) && block["type"] === "text" && typeof block["text"] === "string");

const textOf = (blocks: readonly Json[]): string =>
  blocks
    .map(block => (typeof block === "string" ? block : isText(block) ? (block as JsonObject)["text"] : ""))
    .join(""); // a text is one of the two

const typeOf = (block: Json): string => {
  const type = isJsonObject(block) ? block["type"] : "text";
  return typeof type === "string" ? type.replace(/_(?:delta|chunk)$/, "") : "";
};

function keyOf(block: Json): string {
  if (!isJsonObject(block)) return jsonKey(block);
  const { index: _, ...members } = block;
  return jsonKey(members);
}
