/** Rules that set cases of LangChain aside, and where ours differs from it on purpose: name → reason. */
export const langchainRules = {} as const satisfies Record<string, string>;
