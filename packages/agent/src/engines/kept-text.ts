import { failure, messageOf } from "../errors.ts";
import { jsonCopy } from "../json-copy.ts";

/**
 * A value as an engine keeps it: JSON text, which says all that the value said. Throws `engine/not-json`, which names `what`
 * it is and the place of whatever JSON would drop, empty or turn into null.
 */
export function keptText(value: unknown, what: string): string {
  try {
    return JSON.stringify(jsonCopy(value));
  } catch (error) {
    throw failure("engine/not-json", `${what} cannot be kept: ${messageOf(error)}; give plain JSON`, { cause: error });
  }
}
