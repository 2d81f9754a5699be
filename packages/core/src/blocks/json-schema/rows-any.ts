import type { SchemaSubset } from "./subset.ts";

/** JSON Schema of a function's arguments, spelled as it is now: OpenAPI's spelling is refused nearly everywhere. */
export const anyTools: SchemaSubset = { root: new Set() };

/** JSON Schema of an answer, where no subset is known. */
export const anyFormat: SchemaSubset = {};
