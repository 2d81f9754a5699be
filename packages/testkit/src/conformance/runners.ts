import type { Runner } from "./case.ts";
import { aisdkEndToEnd, aisdkMessages, aisdkRead, aisdkTransport, huajuanSamples } from "./runners/aisdk.ts";
import { exchanges, recordings } from "./runners/wire.ts";

/** Who reads which files. */
export const runners: readonly Runner[] = [
  recordings,
  exchanges,
  aisdkRead,
  aisdkMessages,
  aisdkEndToEnd,
  aisdkTransport,
  huajuanSamples,
];
