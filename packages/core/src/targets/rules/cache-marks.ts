import type { Path } from "../../model/issue.ts";
import type { Node, Part } from "../../model/parts.ts";
import { everyChild } from "../../model/walk.ts";
import type { View } from "../turns.ts";
import { eachRead } from "./read.ts";
import type { RuleCheck } from "./rule.ts";

/** Where a part or a tool ends what is to be cached, in the order in which a prompt is read: tools, system, messages. */
function marksIn(view: View): readonly Path[] {
  const marks: Path[] = [];
  for (const [place, { cache }] of (view.conversation.tools ?? []).entries())
    if (cache) marks.push(["tools", place, "cache"]);
  eachRead(view, (node, path) => {
    if ("cache" in node && node.cache) marks.push([...path, "cache"]);
  });
  return marks;
}

/** Whether no part in this one is marked, at any depth. */
export const isUnmarkedInside = (part: Node): boolean =>
  everyChild(part, child => (child as Part).cache === undefined && isUnmarkedInside(child)); // only parts have one

export const cacheMarks: RuleCheck<"cache-marks"> = (view, { most, automatic }, { asked, report }) => {
  const marks = marksIn(view);
  const isAutomatic = view.conversation.native?.[asked.target.format]?.[automatic] !== undefined;
  const found = marks.length + (isAutomatic ? 1 : 0);
  for (const path of marks.slice(0, Math.max(0, found - most)))
    report(path, `is one of ${found} marks, of at most ${most}. Leave out all but the last.`, { most, found });
};
