import { fits } from "../../blocks/json-schema/fit.ts";
import { geminiOpenApi, geminiSchema, geminiTools } from "../../blocks/json-schema/rows-gemini.ts";
import { fitted } from "../../blocks/json-schema/strictness.ts";
import type { EncodeContext } from "../../codec/codec.ts";
import type { Path } from "../../model/issue.ts";
import type { Json } from "../../model/json.ts";

/** A place for schemas, under two names: JSON Schema, and the part of OpenAPI's schemas that was there before it. */
export interface SchemaPlace {
  readonly json: string;
  readonly openApi: string;
  /** Whether the schema is that of a function. */
  readonly isOfTool?: true;
}

export const places = {
  input: { json: "parametersJsonSchema", openApi: "parameters", isOfTool: true },
  output: { json: "responseJsonSchema", openApi: "response" },
  format: { json: "responseJsonSchema", openApi: "responseSchema" },
} as const satisfies { readonly [name: string]: SchemaPlace };

const subsetOf = ({ isOfTool }: SchemaPlace) => (isOfTool ? geminiTools : geminiSchema);

/** Whether a schema that stands under this name is one that the API takes there. */
export const isTaken = (schema: Json | undefined, member: string | undefined, place: SchemaPlace): boolean =>
  schema === undefined || fits(schema, member === place.openApi ? geminiOpenApi : subsetOf(place));

interface Told {
  /** The name under which it was read. */
  readonly member: Json | undefined;
  /** Whether it was read as one that the API does not take: then it stays. */
  readonly isUnfit: boolean;
}

/** OpenAPI's place takes no references, constants or lists of types: what does not fit it goes to the other one. */
export function writeSchema(
  schema: Json | undefined,
  place: SchemaPlace,
  about: { readonly told: Told; readonly path: Path; readonly context: Pick<EncodeContext, "lose" | "recipient"> },
): { readonly [member: string]: Json | undefined } {
  const { told, path, context } = about;
  const isOpenApi = told.member === place.openApi;
  const isFree = context.recipient !== "provider" || told.isUnfit || schema === undefined;
  if (isFree) return { [isOpenApi ? place.openApi : place.json]: schema };
  if (isOpenApi && isTaken(schema, place.openApi, place)) return { [place.openApi]: schema };
  const made = fitted({ schema }, { usual: subsetOf(place) }, { schema: path, strict: path, lose: context.lose });
  return { [place.json]: made.schema };
}
