/** Plain JSON, readonly: what every value in a conversation is made of. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };
/** A JSON object that is still being put together by the function that holds it. */
export type MutableJsonObject = { [key: string]: Json };

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Sets a member even where its name is `__proto__`, which assignment would take for the prototype. */
export function setMember(object: MutableJsonObject, key: string, value: Json): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else object[key] = value;
}

/** Equal as JSON values: key order does not matter, an `undefined` member counts as absent. Iterative: safe at any depth. */
export function equalJson(left: unknown, right: unknown): boolean {
  const stack: [unknown, unknown][] = [[left, right]];
  for (let pair = stack.pop(); pair; pair = stack.pop()) {
    const [a, b] = pair;
    if (Object.is(a, b) || a === b) continue;
    if (Array.isArray(a) && Array.isArray(b)) {
      if (a.length !== b.length) return false;
      for (let index = 0; index < a.length; index++) stack.push([a[index], b[index]]);
    } else if (isJsonObject(a) && isJsonObject(b)) {
      const keys = definedKeys(a);
      if (keys.length !== definedKeys(b).length) return false;
      for (const key of keys) {
        if (!Object.hasOwn(b, key)) return false;
        stack.push([a[key], b[key]]);
      }
    } else return false;
  }
  return true;
}

const definedKeys = (object: JsonObject): string[] => Object.keys(object).filter(key => object[key] !== undefined);
