/** What the members of one node must say to each other, once each has its shape. */

import type { CheckCode } from "./check-codes.ts";
import type { Message } from "./conversation.ts";
import { isSpellingOf, stalePointers } from "./exact.ts";
import { parseJson } from "./json-reader.ts";
import type { Node, Part, PartOf, ToolCallPart } from "./parts.ts";

/** @param at where in the node; @param text what was found, what was expected, what to do */
export type NodeReport = (code: CheckCode, at: readonly (string | number)[], text: string) => void;

export function checkNode(node: Node, report: NodeReport): void {
  if (node.exact) checkExact(node, report);
  if (isPart(node)) checkPart(node, report);
  else if (isMessage(node)) checkMessage(node, report);
}

const isPart = (node: Node): node is Part => "type" in node; // only parts have one
const isMessage = (node: Node): node is Message => "role" in node; // only messages have one

function checkExact(node: Node, report: NodeReport): void {
  for (const pointer of stalePointers(node)) {
    report(
      "stale-spelling",
      ["exact", pointer],
      "no longer reads as the value it points to, and does not count. Nothing need be done.",
    );
  }
}

function checkMessage({ id, finish, parts }: Message, report: NodeReport): void {
  if (id === "") report("empty-id", ["id"], emptyId);
  if (!finish || !/^(?:stop|stop-sequence|tool-calls)$/.test(finish.reason)) return;
  parts.forEach(({ partial }, index) => {
    if (!partial) return;
    report(
      "partial-in-finished",
      ["parts", index, "partial"],
      "is true, but the message ended well. Remove it, or tell how the message was cut in `finish`.",
    );
  });
}

const emptyId =
  "is empty, and pairs with nothing. Leave it out where it may be absent, or give an id that begins with `~`.";

function checkPart(part: Part, report: NodeReport): void {
  if (part.type === "text" && part.citations) checkCitations(part, part.citations, report);
  if (part.type === "tool-call") checkInput(part, report);
  if ("callId" in part && part.callId === "") report("empty-id", ["callId"], emptyId);
  if ("requestId" in part && part.requestId === "") report("empty-id", ["requestId"], emptyId);
}

function checkCitations(
  { text }: PartOf<"text">,
  citations: NonNullable<PartOf<"text">["citations"]>,
  report: NodeReport,
): void {
  citations.forEach(({ start = 0, end = text.length }, index) => {
    if (start >= 0 && start <= end && end <= text.length) return;
    report(
      "citation-range",
      ["citations", index],
      `is on ${start} to ${end} of a text of ${text.length} UTF-16 units. Count again (not in bytes or code points), or leave the range out.`,
    );
  });
}

function checkInput({ input, inputText }: ToolCallPart, report: NodeReport): void {
  if (inputText === undefined) return;
  if (input === undefined) {
    if (!isJson(inputText)) return;
    report(
      "unread-input",
      ["inputText"],
      "reads as JSON, but there is no `input`: no tool gets it. Set `input` to its value.",
    );
  } else if (!isSpellingOf(inputText, input)) {
    report("stale-spelling", ["inputText"], "does not read as `input`, and does not count. Nothing need be done.");
  }
}

function isJson(text: string): boolean {
  try {
    parseJson(text);
    return true;
  } catch {
    return false;
  }
}
