/** What a tool means that does not say whether its arguments must follow its schema: APIs differ in it. */

import type { Conversation, Tool } from "../model/conversation.ts";
import type { Loss, Path } from "../model/issue.ts";
import type { Node } from "../model/parts.ts";
import { mapNodes } from "../model/walk.ts";

/** Whether such tools are strict; undefined = nothing is known, or the format leaves it to who reads it. */
export interface Strictness {
  readonly from: boolean | undefined;
  readonly to: boolean | undefined;
}

/**
 * The conversation as the other API must be told it: where it would take a tool strictly that was not meant so, the tool says
 * that. That a tool was strict wherever its schema can be has no word, and is reported.
 */
export function withStrictness(conversation: Conversation, { from, to }: Strictness, losses: Loss[]): Conversation {
  if (from === undefined || to === undefined || from === to) return conversation;
  return mapNodes(conversation, (node, path) => {
    if (!isSilentTool(node, path)) return node;
    if (!from) return { ...node, strict: false };
    const message =
      "a tool that says nothing of `strict` is strict where its schema can be; here its arguments need not follow it";
    losses.push({ kind: "approximated", code: "strict-default", path, message });
    return node;
  });
}

/** A function, by its place in a list of tools. */
function isSilentTool(node: Node, path: Path): node is Tool {
  const list = path.at(-2);
  if (typeof path.at(-1) !== "number" || (list !== "tools" && list !== "toolsAdded")) return false;
  const { kind, input, strict } = node as Tool; // such lists are of tools
  return kind === undefined && input !== undefined && strict === undefined;
}
