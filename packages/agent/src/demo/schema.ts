import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import { isJsonObject, type JsonObject } from "translogue";

interface Kinds {
  readonly string: string;
  readonly number: number;
}

interface Field {
  readonly type: keyof Kinds;
  readonly description: string;
  readonly optional?: true;
}

type Value<F extends Field> = F extends { readonly optional: true } ? Kinds[F["type"]] | undefined : Kinds[F["type"]];
type Fields = { readonly [name: string]: Field };
type Values<F extends Fields> = { readonly [K in keyof F]: Value<F[K]> };

/** A Standard Schema of texts and numbers by name: all that the demo's tools need, without a validator to install. */
export function fields<const F extends Fields>(
  of: F,
): StandardSchemaV1<unknown, Values<F>> & StandardJSONSchemaV1<unknown, Values<F>> {
  return {
    "~standard": {
      version: 1,
      vendor: "translogue",
      validate: value => {
        const issues = issuesOf(of, value);
        return issues.length > 0 ? { issues } : { value: value as Values<F> }; // it has no issue
      },
      jsonSchema: { input: () => jsonSchemaOf(of), output: () => jsonSchemaOf(of) },
    },
  };
}

function issuesOf(of: Fields, value: unknown): StandardSchemaV1.Issue[] {
  if (!isJsonObject(value)) return [{ message: "expected an object" }];
  return Object.entries(of).flatMap(([name, { type, optional }]) => {
    const given = value[name];
    if (given === undefined && optional) return [];
    const fits = typeof given === type && !Number.isNaN(given);
    return fits
      ? []
      : [
          {
            path: [name],
            message: `expected a ${type}, got ${given === undefined ? "nothing" : JSON.stringify(given)}`,
          },
        ];
  });
}

const jsonSchemaOf = (of: Fields): JsonObject => ({
  type: "object",
  properties: Object.fromEntries(
    Object.entries(of).map(([name, { type, description }]) => [name, { type, description }]),
  ),
  required: Object.keys(of).filter(name => !of[name]?.optional),
  additionalProperties: false,
});
