import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import { isJsonObject, type Json, type JsonObject, type Settings } from "translogue";
import { failure, messageOf } from "../errors.ts";
import { problemWith } from "../loop/answer-schema.ts";
import { converterOf, isStandardSchema, type Validated, validateWith } from "../tools/parameters.ts";
import type { AgentTool } from "../tools/tool.ts";
import { ownSchema } from "./own-schema.ts";

/** A schema that validates and tells its JSON Schema itself: zod 4.2, valibot with its converter, arktype. */
export type OwnSchema<T> = StandardSchemaV1<unknown, T> & StandardJSONSchemaV1<unknown, T>;

/** A schema with what the model is told of it. */
export interface NamedFormat<T> {
  /** Validates; its JSON Schema is its own, or `jsonSchema`. A JSON Schema alone validates no more than the kind of its root. */
  readonly schema: StandardSchemaV1<unknown, T> | JsonObject;
  readonly jsonSchema?: JsonObject;
  readonly name?: string;
  readonly description?: string;
  readonly strict?: boolean;
  /**
   * `tool`: the model gives the value by calling a tool, for models that cannot have both a format and tools; its name is
   * `name`, or `final_answer`. Default: the provider's own `format`.
   */
  readonly by?: "format" | "tool";
  /** Calls beside that of the tool: not run (default), or run first. */
  readonly otherCalls?: "skip" | "run";
}

/**
 * What the answer is to be: a schema (a Standard Schema, a JSON Schema, either with a name and a description), JSON of any
 * kind, or text. A schema whose root is no object is sent inside an object with one member `data`, which providers ask for,
 * and taken out again. `{ type: "json", schema }` is a provider's format: it is sent as it is.
 */
export type ResponseFormat<T = unknown> =
  | "text"
  | "json"
  | OwnSchema<T>
  | NamedFormat<T>
  | NonNullable<Settings["responseFormat"]>
  | JsonObject;

export interface ReadFormat {
  /** What the model is asked for. */
  readonly asked: NonNullable<Settings["responseFormat"]>;
  /** The member that holds the value, where the schema's root is no object. */
  readonly holder?: "data";
  /** Where the value may be a text: models without formats answer with nothing but its words. */
  readonly readWords?: (words: string) => Validated | Promise<Validated>;
  readonly read: (value: unknown) => Validated | Promise<Validated>;
  /** The tool that takes the value, in place of a format. */
  readonly tool?: AgentTool;
}

/** Throws `options/invalid` for what is no format. */
export function readResponseFormat(format: unknown): ReadFormat {
  if (format === "text" || format === "json") return { asked: { type: format }, read: anything };
  if (isStandardSchema(format)) return ofSchema({ schema: format });
  if (!isJsonObject(format)) throw invalid("give `text`, `json`, or a schema");
  if (format["type"] === "json" || format["type"] === "text") return ofProvider(format);
  const { schema } = format;
  if (isStandardSchema(schema) || isJsonObject(schema)) return ofSchema({ ...(format as object), schema });
  return ofSchema({ schema: format });
}

const anything = (value: unknown): Validated => ({ ok: true, value });

/** Sent as it is: its schema may be of any kind, and only an application knows what it wants of the answer. */
const ofProvider = (format: JsonObject): ReadFormat => ({
  asked: format as unknown as NonNullable<Settings["responseFormat"]>, // its members are a codec's affair
  read: anything,
});

function ofSchema(format: NamedFormat<unknown>): ReadFormat {
  const { schema, jsonSchema, name, description, strict } = format;
  const root = isStandardSchema(schema) ? (jsonSchema ?? schemaOf(schema)) : schema;
  const isWrapped = root["type"] !== "object";
  const isByTool = format.by === "tool";
  const asked = {
    type: "json" as const,
    schema: isWrapped ? wrapped(root) : root,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(strict !== undefined && { strict }),
  };
  const read = isStandardSchema(schema)
    ? (value: unknown) => validateWith(schema, value)
    : (value: unknown) => rootValidated(root, value);
  const readWords = isStandardSchema(schema) ? read : (words: string) => wordsValidated(root, words);
  const whole: ReadFormat = {
    asked,
    ...(isWrapped && { holder: "data" as const }),
    ...(isWrapped && !isByTool && maySayText(root, root) && { readWords }),
    read,
  };
  return isByTool ? { ...whole, tool: resultTool(whole, format) } : whole;
}

function resultTool(
  { asked, holder, read }: ReadFormat,
  { name, description, otherCalls }: NamedFormat<unknown>,
): AgentTool {
  return {
    name: name ?? "final_answer",
    description: description ?? "Gives the final answer.",
    input: isJsonObject(asked.schema) ? asked.schema : { type: "object" },
    validate: value => read(holder !== undefined && isJsonObject(value) ? value[holder] : value),
    execute: () => "The answer was taken.",
    givesResult: otherCalls ?? "skip",
  };
}

function schemaOf(schema: StandardSchemaV1): JsonObject {
  const converter = converterOf(schema);
  if (!converter)
    throw invalid(`the schema (${schema["~standard"].vendor}) tells no JSON Schema: give \`jsonSchema\` too`);
  try {
    return ownSchema(converter);
  } catch (cause) {
    throw invalid(`the schema cannot be said as JSON Schema: ${messageOf(cause)}: give \`{ schema, jsonSchema }\``);
  }
}

/** Whether the schema speaks of a text at its root; one that says nothing of it asks for none. */
function maySayText(schema: Json | undefined, root: JsonObject, depth = 0): boolean {
  if (!isJsonObject(schema) || depth > deepest) return false;
  const { type, $ref, enum: values = [], anyOf = [], oneOf = [], allOf = [] } = schema;
  if (type !== undefined) return type === "string" || (Array.isArray(type) && type.includes("string"));
  const named = [schema["const"], ...listOf(values)];
  const others = [...listOf(anyOf), ...listOf(oneOf), ...listOf(allOf), referred($ref, root)];
  return named.some(value => typeof value === "string") || others.some(other => maySayText(other, root, depth + 1));
}

/** Schemas may refer to themselves. */
const deepest = 8;

const listOf = (value: Json): readonly Json[] => (Array.isArray(value) ? value : []);

/** What a reference within the schema leads to. */
function referred(reference: Json | undefined, root: JsonObject): Json | undefined {
  if (typeof reference !== "string" || !reference.startsWith("#")) return undefined;
  const steps = reference.slice(1).split("/").slice(1);
  return steps.reduce<Json | undefined>((at, step) => (isJsonObject(at) ? at[step] : undefined), root);
}

/** As the Microsoft Agent Framework does it; definitions stay at the root, where references look for them. */
function wrapped(root: JsonObject): JsonObject {
  const { $defs, definitions, ...rest } = root;
  const { $schema } = root;
  return {
    ...($schema !== undefined && { $schema }),
    type: "object",
    properties: { data: atData(rest) },
    additionalProperties: false,
    required: ["data"],
    ...($defs !== undefined && { $defs: atData($defs) }),
    ...(definitions !== undefined && { definitions: atData(definitions) }),
  };
}

/** References to the root, or to a place in it, follow it into `data`. */
function atData(value: Json): Json {
  if (Array.isArray(value)) return value.map(item => atData(item));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === "$ref" && typeof member === "string" ? movedReference(member) : atData(member),
    ]),
  );
}

const movedReference = (reference: string): string =>
  /^#(?!\/(?:\$defs|definitions)\/)/.test(reference) ? `#/properties/data${reference.slice(1)}` : reference;

/** All that can be said without a validator: whether the root is of its kind. */
function rootValidated({ type }: JsonObject, value: unknown): Validated {
  const kinds = Array.isArray(type) ? type : [type];
  const isKind = kinds.some(kind => typeof kind !== "string" || (isOfKind[kind]?.(value) ?? true));
  return isKind ? { ok: true, value } : { ok: false, problem: `${kindOf(value)} is not of type ${kinds.join(" or ")}` };
}

/** Any words are a text: which of them were asked for is looked at more closely. */
function wordsValidated(root: JsonObject, words: string): Validated {
  const problem = problemWith(words, root);
  return problem === undefined ? { ok: true, value: words } : { ok: false, problem };
}

const isOfKind: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: isJsonObject,
  array: Array.isArray,
  string: value => typeof value === "string",
  number: value => typeof value === "number",
  integer: Number.isInteger,
  boolean: value => typeof value === "boolean",
  null: value => value === null,
};

const kindOf = (value: unknown): string => {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
};

const invalid = (why: string) =>
  failure("options/invalid", `\`responseFormat\`: ${why}`, { data: { option: "responseFormat" } });
