import { TranslogueError } from "../model/error.ts";
import { formatPath } from "../model/issue.ts";
import { notJsonIn } from "../model/not-json.ts";
import { guardDepth } from "./depth.ts";

/**
 * Runs a conversion of a value, with our errors where it is too deep, or fails on something that is no JSON: that is looked
 * for only then. Throws `input/too-deep`, `input/not-json`.
 */
export function guardInput<T>(value: unknown, convert: () => T): T {
  try {
    return guardDepth(convert);
  } catch (error) {
    const found = error instanceof TypeError ? notJsonIn(value) : undefined;
    if (!found) throw error;
    const { path, what } = found;
    const at = path.length === 0 ? "the value" : `\`${formatPath(path)}\``;
    const message = `${at} is ${what}, which JSON cannot hold: leave it out, or give a text`;
    throw new TranslogueError("input/not-json", message, { data: { path }, cause: error });
  }
}
