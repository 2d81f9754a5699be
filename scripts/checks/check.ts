/** One of the checks of `npm run check`. */
export interface Check {
  readonly name: string;
  run(options: { readonly update: boolean }): Promise<Outcome>;
}

export interface Outcome {
  /** What is wrong, a sentence or a block each; none = the check holds. */
  readonly problems: readonly string[];
  /** Figures worth seeing that break nothing. */
  readonly notes?: readonly string[];
}
