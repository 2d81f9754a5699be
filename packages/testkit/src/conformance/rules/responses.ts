/** Rules that set cases of the Responses API aside, and where ours differs from it on purpose: name → reason. */
export const responsesRules = {
  "several answers":
    "a stream of this API is one answer; what was recorded of several, one after another, is read, and not written as one",
} as const satisfies Record<string, string>;
