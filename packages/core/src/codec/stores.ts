/** Addresses that lead into a maker's own store: no one else's key opens them, and some are no web address at all. Google has two. */
const stores: readonly (readonly [address: RegExp, maker: string])[] = [
  [/^gs:\/\//i, "google"],
  // What the Files API calls a file (https://ai.google.dev/api/files, 2026-11-30).
  [/^https:\/\/generativelanguage\.googleapis\.com\/[^/]+\/files\//i, "google-files"],
  [/^s3:\/\//i, "amazon"],
];

/** Whose store an address leads into; undefined for the open web and for data. */
export const storeOf = (url: string): string | undefined => stores.find(([address]) => address.test(url))?.[1];
