import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import { isJsonObject, type JsonObject } from "translogue";
import { failure, messageOf } from "../errors.ts";
import { kindOf } from "../hooks.ts";

/** `problem` is written for the model that gave the arguments. */
export type Validated =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };

interface Read {
  readonly input: JsonObject;
  readonly validate: (value: unknown) => Promise<Validated>;
}

const howTo =
  "give a Standard Schema that also gives JSON Schema (zod 4.2 or newer, valibot with @valibot/to-json-schema, arktype), " +
  "or `{ schema, jsonSchema }` with the JSON Schema beside it";

/** The JSON Schema and the validator of a tool's `parameters`. Throws `tool/invalid` for anything else. */
export function readParameters(tool: string, parameters: unknown): Read {
  const beside = isJsonObject(parameters) && "jsonSchema" in parameters && "schema" in parameters;
  const schema: unknown = beside ? parameters["schema"] : parameters;
  if (!isStandardSchema(schema)) {
    throw failure("tool/invalid", `\`parameters\` of tool \`${tool}\` are no Standard Schema: ${howTo}`);
  }
  const input = beside ? parameters["jsonSchema"] : ownJsonSchema(tool, schema);
  return { input: checkedSchema(tool, input), validate: value => validateWith(schema, value) };
}

/** Functions too: arktype's schemas are callable. */
export const isStandardSchema = (value: unknown): value is StandardSchemaV1 =>
  ((typeof value === "object" && value !== null) || typeof value === "function") &&
  typeof (value as Partial<StandardSchemaV1>)["~standard"]?.validate === "function"; // any object may be asked for a member

function ownJsonSchema(tool: string, schema: StandardSchemaV1): unknown {
  const { vendor } = schema["~standard"];
  const converter = converterOf(schema);
  if (!converter) {
    throw failure("tool/invalid", `\`parameters\` of tool \`${tool}\` (${vendor}) give no JSON Schema: ${howTo}`);
  }
  try {
    return converter.input({ target: "draft-2020-12" });
  } catch (cause) {
    const message = `\`parameters\` of tool \`${tool}\` cannot be said as JSON Schema: ${messageOf(cause)}`;
    throw failure("tool/invalid", message, { cause });
  }
}

/** The second standard's member, where the schema keeps both. */
export function converterOf(schema: StandardSchemaV1): StandardJSONSchemaV1.Converter | undefined {
  const standard: Partial<StandardJSONSchemaV1.Props> = schema["~standard"];
  return typeof standard.jsonSchema?.input === "function" ? standard.jsonSchema : undefined;
}

/** A model's arguments are an object. `$schema` names the draft and says nothing to a model; some hosts refuse it. */
function checkedSchema(tool: string, schema: unknown): JsonObject {
  if (!isJsonObject(schema)) throw failure("tool/invalid", `the JSON Schema of tool \`${tool}\` is no object`);
  const { $schema: _, ...members } = schema;
  const isObject = members["type"] === "object" || "properties" in members || "$ref" in members;
  if (isObject) return "type" in members || "$ref" in members ? members : { type: "object", ...members };
  if (Object.keys(members).length === 0) return { type: "object", properties: {} };
  throw failure("tool/invalid", `\`parameters\` of tool \`${tool}\` must be an object: models give arguments by name`);
}

export async function validateWith(schema: StandardSchemaV1, value: unknown): Promise<Validated> {
  let result: StandardSchemaV1.Result<unknown>;
  try {
    result = await schema["~standard"].validate(value);
  } catch (cause) {
    return { ok: false, problem: `its schema failed: ${messageOf(cause) || "without a word"}` };
  }
  if (!isJsonObject(result)) {
    const by = `its schema (${schema["~standard"].vendor})`;
    return { ok: false, problem: `${by} gave ${kindOf(result)}, and is to give \`{ value }\` or \`{ issues }\`` };
  }
  return result.issues ? { ok: false, problem: sentence(result.issues) } : { ok: true, value: result.value };
}

const shown = 10;

function sentence(issues: readonly StandardSchemaV1.Issue[]): string {
  const lines = issues.slice(0, shown).map(({ path = [], message }) => {
    const where = path.map(step => String(typeof step === "object" ? step.key : step)).join(".");
    return where === "" ? message : `${where}: ${message}`;
  });
  const more = issues.length - lines.length;
  return [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}
