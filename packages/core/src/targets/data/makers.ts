/** What is known of a maker's seals, wherever they go: names of values. */
export interface MakerSeals {
  /** Some keep the seals of others as JSON where these makers have base64 (report earendil-works/pi#9048, 2026-11-30). */
  readonly base64: readonly string[];
  /** Read by all hosts of the maker's models. */
  readonly anyRoute?: readonly string[];
}

export const makerSeals: { readonly [maker: string]: MakerSeals } = {
  anthropic: { base64: ["signature", "data"], anyRoute: ["signature", "data"] },
  google: { base64: ["thoughtSignature"] },
};
