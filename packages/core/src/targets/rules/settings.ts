/** Settings that exclude one another, or are out of range. */

import { outOfRange } from "../../codec/setting-ranges.ts";
import type { Settings } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import { toolsIn } from "./defined-tools.ts";
import { isOwnTool } from "./names.ts";
import type { RuleCheck } from "./rule.ts";
import { isThinking } from "./seals.ts";

export const toolChoice: RuleCheck<"tool-choice"> = (
  view,
  { free = [], functions, parallel, stored = [] },
  { asked, report },
) => {
  const { settings, native } = view.conversation;
  const choice = settings?.toolChoice;
  const all = toolsIn(view);
  const tools = functions ? all.filter(isOwnTool) : all;
  // A list that the codec could not read may have any, and so may what the provider knows by a name.
  if (["tools", ...stored].some(name => (native?.[asked.target.format]?.[name] ?? null) !== null)) return;
  if (tools.length === 0) {
    const lack = "is told where there are no tools to choose. Leave it out, or declare tools.";
    const isFree = typeof choice === "string" && free.some(each => each === choice);
    if (choice !== undefined && !isFree) report(["settings", "toolChoice"], lack, { name: "tool_choice" });
    if (parallel && settings?.parallelToolCalls !== undefined)
      report(["settings", "parallelToolCalls"], lack, { name: "parallel_tool_calls" });
    return;
  }
  if (all.some(({ kind }) => kind !== undefined && ofTools.has(kind))) return;
  const names = new Set(tools.map(({ name }) => name));
  for (const { name, path } of chosen(choice)) {
    if (names.has(name)) continue;
    const text = `is \`${name}\`, which is no tool that is declared. Declare it, or choose another.`;
    report(["settings", "toolChoice", ...path], text, { tool: name, type: "function" });
  }
};

/** The tools that a choice names, and where it does. */
function chosen(choice: Settings["toolChoice"]): readonly { readonly name: string; readonly path: Path }[] {
  if (typeof choice !== "object") return [];
  if ("name" in choice) return [{ name: choice.name, path: [] }];
  return choice.allowed.map((name, place) => ({ name, path: ["allowed", place] }));
}

/** Kinds that bring tools whose names they do not tell. */
const ofTools: ReadonlySet<string> = new Set(["mcp", "namespace", "tool-search"]);

export const thinkingSettings: RuleCheck<"thinking-settings"> = (
  { conversation },
  { fewest, without },
  { asked, report },
) => {
  const { settings } = conversation;
  const budget = settings?.reasoning?.budget;
  if (!settings || !isThinking(conversation, asked.target)) return;
  const path = ["settings", "reasoning", "budget"];
  if (budget !== undefined && budget < fewest)
    report(path, `is ${budget}, of at least ${fewest}. Raise it, or turn thinking off.`, { budget });
  const most = settings.maxOutputTokens;
  if (budget !== undefined && most !== undefined && budget >= most)
    report(["settings", "maxOutputTokens"], `is ${most}, and thinking alone may take ${budget}. Raise it above that.`, {
      budget,
    });
  for (const name of without) {
    if (settings[name] === undefined || (name === "temperature" && settings.temperature === 1)) continue;
    report(["settings", name], "is not taken while thinking is on. Leave it out, or turn thinking off.", { name });
  }
  const choice = settings.toolChoice;
  if (choice === "required" || (typeof choice === "object" && "name" in choice))
    report(
      ["settings", "toolChoice"],
      "forces a tool, which is not taken while thinking is on. Let the model choose.",
      {
        name: "tool_choice",
      },
    );
};

export const settingRanges: RuleCheck<"setting-ranges"> = ({ conversation: { settings } }, { within }, { report }) => {
  for (const { path, text, values } of outOfRange(settings, within)) report(path, text, values);
};
