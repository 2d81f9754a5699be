import { isJsonObject, type Json, type JsonObject } from "translogue";

/** One line that a person is asked for: a member of a form, or the whole answer. */
export interface Blank {
  /** The member that it fills; absent: the answer itself. */
  readonly name?: string;
  readonly label: string;
  readonly schema: JsonObject;
}

/** What to ask for, line by line, so that the answers make a value of the schema. */
export function blanksOf(schema: Json | undefined): readonly Blank[] {
  const asked = isJsonObject(schema) ? schema : {};
  const { properties, required } = asked;
  if (asked["type"] !== "object" || !isJsonObject(properties)) return [{ label: hintOf(asked), schema: asked }];
  const needed = new Set(Array.isArray(required) ? (required as readonly Json[]) : []);
  return Object.entries(properties).map(([name, member]) => {
    const own = isJsonObject(member) ? member : {};
    const hints = [hintOf(own), ...(needed.has(name) ? [] : ["may be left empty"])].filter(hint => hint !== "");
    return { name, label: `${labelOf(name, own)}${hints.length > 0 ? ` (${hints.join("; ")})` : ""}`, schema: own };
  });
}

const labelOf = (name: string, { title, description }: JsonObject): string =>
  typeof description === "string" ? `${name}: ${description}` : typeof title === "string" ? `${name}: ${title}` : name;

function hintOf({ enum: choices, type }: JsonObject): string {
  if (Array.isArray(choices)) return (choices as readonly Json[]).map(shown).join(", ");
  if (type === "boolean") return "y or n";
  return typeof type === "string" && type !== "string" ? type : "";
}

const shown = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));

/** A typed line as a value of the schema; what does not read as one stays text, and the question says what it wants. */
export function typedValue(text: string, { type, enum: choices }: JsonObject): Json {
  const line = text.trim();
  const chosen = Array.isArray(choices)
    ? (choices as readonly Json[]).find(choice => shown(choice) === line)
    : undefined;
  if (chosen !== undefined) return chosen;
  if (type === "string") return text;
  if (type === "boolean" && /^(?:y|yes|是)$/i.test(line)) return true;
  if (type === "boolean" && /^(?:n|no|否)$/i.test(line)) return false;
  try {
    return JSON.parse(line) as Json; // what JSON.parse gives
  } catch {
    return text;
  }
}
