import type { LossTable } from "../../codec/codec.ts";
import type { Path } from "../../model/issue.ts";

/** The part of JSON Schema that a provider takes, as a row of data. What a row does not name is taken as it is. Each row says where it is from. */
export interface SchemaSubset {
  /** The keywords that are taken; absent = all but those named below. Of the others the description tells. */
  readonly only?: ReadonlySet<string>;
  /** Keywords that the root may not have, which is an object then. */
  readonly root?: ReadonlySet<string>;
  /** Formats of strings that are taken. */
  readonly formats?: ReadonlySet<string>;
  /** Values of `minItems` that are taken. */
  readonly minItems?: readonly number[];
  /** What patterns may not hold. */
  readonly patterns?: RegExp;
  /** Objects have the members they name and no others, and say so. */
  readonly isClosed?: true;
  /** Objects have all the members they name: what may be absent may be null instead. */
  readonly isComplete?: true;
  /** Each schema says a type, or what it is one of. */
  readonly isTyped?: true;
  /** Whether objects name their members, though there be none: at the root, or everywhere. */
  readonly properties?: "root" | "all";
  /** Arrays say what their items are. */
  readonly hasItems?: true;
  /** What may stand beside a reference; absent = anything. */
  readonly besideRefs?: ReadonlySet<string>;
  /** Schemas may not refer to themselves, nor to other documents. */
  readonly isAcyclic?: true;
  /** Types are single words, in letters of either case, as OpenAPI 3.0 has them. */
  readonly isOpenApi?: true;
  /** Values of `enum` and `const` are no objects and no lists. */
  readonly plainValues?: true;
  /** Keywords for which another says the same. */
  readonly instead?: {
    readonly const?: "enum";
    readonly oneOf?: "anyOf";
    /** Its branches are merged into one; or only where one of them is a reference. */
    readonly allOf?: "merged" | "merged refs";
    readonly definitions?: "$defs";
    readonly exclusive?: "whole numbers";
  };
}

/** Codes by which formats report what they did to a schema. */
export const schemaLosses = {
  "schema-spelling": { kind: "approximated", note: "the schema says it in words that the provider takes" },
  "schema-shape": { kind: "approximated", note: "the provider takes schemas of one shape only" },
  "schema-rule": { kind: "dropped", note: "the provider's schemas cannot say this" },
} as const satisfies LossTable;

/** The same, where schemas may have to be followed. */
export const strictLosses = {
  ...schemaLosses,
  "schema-words": { kind: "approximated", note: "a rule that the provider refuses is told in the description" },
  "strict-schema": { kind: "dropped", note: "strict mode takes no such schema, so it need not be followed" },
} as const satisfies LossTable;

/** Something in a schema that a subset has no place for, and what became of it. */
export interface SchemaChange {
  readonly code: Exclude<keyof typeof strictLosses, "strict-schema">;
  readonly path: Path;
  readonly detail: string;
}

/** Words with blanks between them. */
export const wordsOf = (words: string): ReadonlySet<string> => new Set(words.split(" "));
