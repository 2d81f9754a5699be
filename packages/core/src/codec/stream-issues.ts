/** What is wrong with the frames of a stream, in words. */

import type { Issue } from "../model/issue.ts";

/** The wire event, or other content, that stands behind the end; of more the first is enough. */
export function reportLate(issues: Issue[], index: number): void {
  if (issues.some(({ code }) => code === lateCode)) return;
  const message = "the stream goes on behind its own end; what stands there is left out";
  issues.push({ code: lateCode, severity: "warning", path: [], wirePath: [index], message });
}

const lateCode = "stream/after-end";

/** Says that a text is no stream, and how it begins. */
export const notAStream = (text: string): Issue => ({
  code: "stream/not-a-stream",
  severity: "error",
  path: [],
  wirePath: [0],
  message: `a stream was expected, and this came: ${quoted(text)}`,
});

/** What shows a reader of an issue which text is meant. */
export const quoted = (text: string, most = 200): string => (text.length > most ? `${text.slice(0, most)}…` : text);

export const notJson = (index: number, message: string): Issue => ({
  code: "stream/not-json",
  severity: "error",
  path: [],
  wirePath: [index],
  message,
});
