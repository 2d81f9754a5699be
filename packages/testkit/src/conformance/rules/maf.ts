/** Rules that set cases of the Microsoft Agent Framework aside, and where ours differs from it on purpose: name → reason. */
export const mafRules = {} as const satisfies Record<string, string>;
