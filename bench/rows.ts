import type { Row } from "./measure.ts";
import { afterToolsRow, bytesRow, callsRow, eventsRow, memoryRow } from "./rows/accumulate.ts";
import { agentRow, httpRow, serverRow, structuredRow } from "./rows/agent.ts";
import { checkRow, checkTargetRow, convertRow } from "./rows/convert.ts";
import { tokensRow, trimRow } from "./rows/history.ts";
import { importRow } from "./rows/import.ts";
import { partialRow } from "./rows/json.ts";
import { linesMemoryRow, linesRow } from "./rows/lines.ts";
import { manyCpuRow, manyHeapRow, manyRow, manyRssRow } from "./rows/many.ts";
import { bigEventRow, encodeRow, latencyRow, speedRow, sseRow, transcodeRow } from "./rows/sse.ts";
import { stepsRow } from "./rows/steps.ts";

/** What `npm run bench` prints, in this order: those last whose peers take minutes, and have what the others leave. */
export const rows: readonly Row[] = [
  ...[convertRow, checkRow, checkTargetRow, trimRow, tokensRow],
  ...[sseRow, bigEventRow, encodeRow, transcodeRow, speedRow, latencyRow],
  ...[agentRow, stepsRow, serverRow, httpRow],
  ...[manyRow, manyCpuRow, manyHeapRow, manyRssRow],
  ...[memoryRow, importRow],
  ...[linesRow, linesMemoryRow],
  ...[afterToolsRow, bytesRow, eventsRow, structuredRow, partialRow, callsRow],
];
