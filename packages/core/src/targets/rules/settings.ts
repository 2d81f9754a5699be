/** Settings that exclude one another, or are out of range. */

import { outOfRange } from "../../codec/setting-ranges.ts";
import type { RuleCheck } from "./rule.ts";
import { isThinking } from "./seals.ts";

export const toolChoice: RuleCheck<"tool-choice"> = ({ conversation: { settings, tools = [] } }, _, { report }) => {
  const choice = settings?.toolChoice;
  if (choice === undefined) return;
  const path = ["settings", "toolChoice"];
  if (tools.length === 0) report(path, "is told where there are no tools. Leave it out, or declare tools.");
  else if (typeof choice === "object" && "name" in choice && !tools.some(({ name }) => name === choice.name))
    report(path, `is \`${choice.name}\`, which is no tool that is declared. Declare it, or choose another.`, {
      tool: choice.name,
    });
};

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
