import { isJsonObject, type Json, type JsonObject } from "translogue";

interface Choice {
  readonly label: string;
  readonly value: Json;
}

/** One thing that a person fills in. */
export interface Field {
  /** The member of the answer; absent: it is the answer. */
  readonly name?: string;
  readonly label?: string;
  readonly help?: string;
  readonly isRequired: boolean;
  readonly kind: "text" | "number" | "boolean" | "choice" | "json";
  /** Of `choice`. */
  readonly choices: readonly Choice[];
  /** What stands in it at first. */
  readonly initial: string;
}

/** What to fill in so that it makes a value of the schema. Without a schema the answer is a text. */
export function fieldsOf(schema: Json | undefined): readonly Field[] {
  if (!isJsonObject(schema)) return [{ isRequired: true, kind: "text", choices: [], initial: "" }];
  const { type, properties, required } = schema;
  if (type !== "object" || !isJsonObject(properties)) return [fieldOf(schema, { isRequired: true })];
  const needed = new Set(Array.isArray(required) ? (required as readonly Json[]) : []);
  return Object.entries(properties).map(([name, member]) =>
    fieldOf(isJsonObject(member) ? member : {}, { name, isRequired: needed.has(name) }),
  );
}

function fieldOf(schema: JsonObject, own: Pick<Field, "name" | "isRequired">): Field {
  const { title, description, default: initial } = schema;
  const label = typeof title === "string" ? title : own.name;
  const choices = choicesOf(schema);
  const kind = choices.length > 0 ? "choice" : (kinds[String(schema["type"])] ?? "json");
  const at = choices.findIndex(({ value }) => initial !== undefined && shown(value) === shown(initial));
  return {
    ...own,
    ...(label !== undefined && { label }),
    ...(typeof description === "string" && { help: description }),
    kind,
    choices,
    initial: kind === "choice" ? (at < 0 ? "" : String(at)) : initial === undefined ? "" : textIn(kind, initial),
  };
}

const kinds: { readonly [type: string]: Field["kind"] } = {
  string: "text",
  number: "number",
  integer: "number",
  boolean: "boolean",
};

/** `enum`, with names beside it, or constants with titles. */
function choicesOf({ enum: values, enumNames: names, oneOf, anyOf }: JsonObject): readonly Choice[] {
  if (Array.isArray(values)) {
    const labels: readonly Json[] = Array.isArray(names) ? names : [];
    return (values as readonly Json[]).map((value, index) => ({ label: shown(labels[index] ?? value), value }));
  }
  const options: readonly Json[] = Array.isArray(oneOf) ? oneOf : Array.isArray(anyOf) ? anyOf : [];
  const constants = options.flatMap(option => {
    if (!isJsonObject(option)) return [];
    const { const: value, title } = option;
    return value === undefined ? [] : [{ label: shown(title ?? value), value }];
  });
  return constants.length === options.length ? constants : [];
}

const shown = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));

const textIn = (kind: Field["kind"], value: Json): string => (kind === "json" ? JSON.stringify(value) : shown(value));

/** What was filled in, or the place of the first field that is none of its kind. */
export type Filled = { readonly value: Json } | { readonly wrong: number };

export function filledIn(fields: readonly Field[], texts: readonly string[]): Filled {
  const given: [string, Json][] = [];
  for (const [index, field] of fields.entries()) {
    const text = texts[index] ?? "";
    if (text.trim() === "") {
      if (field.isRequired) return { wrong: index };
      continue;
    }
    const value = valueIn(field, text);
    if (value === undefined) return { wrong: index };
    if (field.name === undefined) return { value };
    given.push([field.name, value]);
  }
  return { value: Object.fromEntries(given) };
}

function valueIn({ kind, choices }: Field, text: string): Json | undefined {
  switch (kind) {
    case "text":
      return text;
    case "number":
      return Number.isFinite(Number(text)) ? Number(text) : undefined;
    case "boolean":
      return text === "true";
    case "choice":
      return choices[Number(text)]?.value;
    case "json":
      return jsonIn(text);
  }
}

function jsonIn(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json; // what JSON.parse gives
  } catch {
    return undefined;
  }
}
