/** Rules that set cases of the Responses API aside, and where ours differs from it on purpose: name → reason. */
export const responsesRules = {} as const satisfies Record<string, string>;
