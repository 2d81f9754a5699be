import type { RangedSetting, SettingRanges } from "../../codec/setting-ranges.ts";
import type { Settings } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import { checks } from "../rules/index.ts";
import type { RuleName } from "../target.ts";
import type { Draft } from "./draft.ts";

/** What is asked of thinking stays, and what does not go with it goes; what is out of range becomes the nearest that is taken. */
export function fitSettings(draft: Draft): void {
  fitChoice(draft);
  const fewest = draft.rules["thinking-settings"]?.fewest;
  for (const path of pathsOf(draft, "thinking-settings")) {
    const { settings = {} } = draft;
    const budget = Math.max(settings.reasoning?.budget ?? 0, fewest ?? 0);
    if (path[1] === "reasoning") {
      draft.settings = { ...settings, reasoning: { ...settings.reasoning, budget } };
      draft.changed("fit-settings", path, `the budget of thinking is raised to ${budget}, the least that is taken`);
    } else if (path[1] === "maxOutputTokens") {
      const maxOutputTokens = budget + (settings.maxOutputTokens ?? 0);
      draft.settings = { ...settings, maxOutputTokens };
      draft.changed("fit-settings", path, `the limit of output is raised to ${maxOutputTokens}: thinking counts`);
    } else leave(draft, path, "it is not taken while thinking is on");
  }
  const within: SettingRanges = draft.rules["setting-ranges"]?.within ?? {};
  for (const path of pathsOf(draft, "setting-ranges")) {
    const name = path[1] as RangedSetting; // what the rule reports
    const { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY } = within[name] ?? {};
    const value = draft.settings?.[name];
    if (value === undefined) continue;
    const fit = typeof value === "number" ? Math.min(Math.max(value, least), most) : value.slice(0, most);
    draft.settings = { ...draft.settings, [name]: fit };
    const told =
      typeof fit === "number" ? `the nearest that is taken: ${fit}` : `the first ${most}, all that are taken`;
    draft.changed("fit-settings", path, `the setting becomes ${told}`);
  }
}

/** A choice of what is not there goes; where of several that may be called none is there, none may. */
function fitChoice(draft: Draft): void {
  const told = pathsOf(draft, "tool-choice");
  for (const path of told) if (path[1] === "parallelToolCalls") leave(draft, path, "there are no tools");
  const paths = told.filter(path => path[1] === "toolChoice");
  const [first = []] = paths;
  const choice = draft.settings?.toolChoice;
  if (paths.length === 0) return;
  if (first.length === 2 || typeof choice !== "object" || "name" in choice) {
    leave(draft, ["settings", "toolChoice"], "there is no such tool");
    return;
  }
  const gone = new Set(paths.map(path => path.at(-1)));
  const allowed = choice.allowed.filter((_, place) => !gone.has(place));
  draft.settings = { ...draft.settings, toolChoice: allowed.length > 0 ? { ...choice, allowed } : "none" };
  const left =
    allowed.length > 0 ? "tools that are not there are left out" : "none may be called, as none of them is there";
  draft.changed("fit-settings", ["settings", "toolChoice"], `of what may be called ${left}`);
}

function leave(draft: Draft, path: Path, why: string): void {
  draft.settings = Object.fromEntries(
    Object.entries(draft.settings ?? {}).filter(([name]) => name !== path[1]),
  ) as Settings; // all of them are optional
  draft.changed("fit-settings", path, `the setting is left out: ${why}`);
}

function pathsOf<Name extends RuleName>(draft: Draft, name: Name): readonly Path[] {
  const paths: Path[] = [];
  const row = draft.rules[name];
  const report = (path: Path): void => void paths.push(path);
  if (row) checks[name](draft.view(), row, { asked: { target: draft.target, model: draft.model }, report });
  return paths;
}
