/** Rules that set cases of the Messages API aside: name → reason. */
export const anthropicRules = {
  "the whole says less":
    "the whole file of the pair was written by hand and leaves out what the stream says: counts of 0, members that are null",
} as const satisfies Record<string, string>;
