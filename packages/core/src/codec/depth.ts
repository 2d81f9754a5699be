import { TranslogueError } from "../model/error.ts";

/**
 * Runs a conversion that recurses into nested values. Engines overflow their stack with a RangeError at a depth that no
 * real history has; it becomes our error, because a value that deep is bad input and not a crash.
 */
export function guardDepth<T>(convert: () => T): T {
  try {
    return convert();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new TranslogueError(
      "input/too-deep",
      "the value is nested deeper than can be converted (several thousand levels); flatten it, or cut it before converting",
      { cause: error },
    );
  }
}
