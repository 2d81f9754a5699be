import type { Path } from "../../model/issue.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import { fitSchema, fits } from "./fit.ts";
import { anyFormat, anyTools } from "./rows-any.ts";
import type { SchemaSubset, strictLosses } from "./subset.ts";

/** What a provider takes as schemas, and as those that must be followed. Absent: such ones are taken as they are. */
export interface SchemaSubsets {
  readonly usual?: SchemaSubset | undefined;
  readonly strict?: SchemaSubset | undefined;
}

/** A schema, and whether it must be followed. */
export interface Ruled {
  readonly schema?: Json | undefined;
  readonly strict?: boolean | undefined;
}

/** Where the schema and the word `strict` stand in the conversation, and who is told of changes. */
export interface SchemaPlace {
  readonly schema: Path;
  readonly strict: Path;
  readonly lose: (code: keyof typeof strictLosses, path: Path, detail?: string) => void;
}

/** A schema as a provider takes it, every change reported; not strict where strict mode would make another of it. */
export function fitted({ schema, strict }: Ruled, subsets: SchemaSubsets, place: SchemaPlace): Ruled {
  if (schema === undefined) return { strict };
  if (strict !== true || !subsets.strict) return { schema: written(schema, subsets.usual, place), strict };
  const broken = fitSchema(schema, subsets.strict).changes.find(({ code }) => code === "schema-rule");
  if (!broken) return { schema: written(schema, subsets.strict, place), strict };
  place.lose("strict-schema", place.strict, broken.detail);
  return { schema: written(schema, subsets.usual, place), strict: false };
}

function written(schema: Json, subset: SchemaSubset | undefined, { schema: path, lose }: SchemaPlace): Json {
  if (!subset) return schema;
  const { schema: made, changes } = fitSchema(schema, subset);
  for (const { code, path: at, detail } of changes) lose(code, [...path, ...at], detail);
  return made;
}

/** Where no more is known than that it is JSON Schema. */
export const usualTools: SchemaSubsets = { usual: anyTools };
export const usualFormats: SchemaSubsets = { usual: anyFormat };

/** Whether a schema is taken as it is. */
export const isFit = ({ schema, strict }: Ruled, subsets: SchemaSubsets): boolean => {
  const subset = (strict === true && subsets.strict) || subsets.usual;
  return schema === undefined || !subset || fits(schema, subset);
};

/** The hint of a schema that does not fit the dialect which it was read in: written in that, it stays as it is. */
export const unfitHint = (ruled: Ruled, subsets: SchemaSubsets, dialect: string): JsonObject =>
  isFit(ruled, subsets) ? {} : { $unfit: dialect };
