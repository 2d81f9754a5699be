import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { mapInner } from "./keywords.ts";

/** What a reference within the document leads to; undefined where it leads out of it, or nowhere. */
export function targetOf(root: JsonObject, reference: Json | undefined): Json | undefined {
  if (typeof reference !== "string" || !reference.startsWith("#")) return undefined;
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return undefined;
  let target: Json | undefined = root;
  for (const step of reference.slice(2).split("/")) {
    const name = unescaped(step);
    if (Array.isArray(target))
      target = (target as readonly Json[])[Number(name)]; // an array of JSON
    else target = isJsonObject(target) && Object.hasOwn(target, name) ? target[name] : undefined;
  }
  return target;
}

function unescaped(step: string): string {
  const text = step.replaceAll("~1", "/").replaceAll("~0", "~");
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a per cent sign that escapes nothing
  }
}

/** The schemas whose reference leads back to a schema they are part of. Each schema is visited once. */
export function circles(root: JsonObject): ReadonlySet<JsonObject> {
  const found = new Set<JsonObject>();
  const states = new Map<JsonObject, "open" | "done">();
  const visit = (schema: Json): Json => {
    if (!isJsonObject(schema) || states.has(schema)) return schema;
    states.set(schema, "open");
    const target = targetOf(root, schema["$ref"]);
    if (isJsonObject(target)) {
      if (states.get(target) === "open") found.add(schema);
      else visit(target);
    }
    mapInner(schema, visit);
    states.set(schema, "done");
    return schema;
  };
  visit(root);
  return found;
}
