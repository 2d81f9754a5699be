/** Rules that set cases of the AI SDK aside, and where ours differs from it on purpose: name → reason. */
export const aisdkRules = {} as const satisfies Record<string, string>;
