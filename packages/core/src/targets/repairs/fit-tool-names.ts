import type { Settings, Tool } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import type { Part, PartOf } from "../../model/parts.ts";
import { definedBy } from "../rules/defined-tools.ts";
import { isOwnTool, repeatedTools, wireName } from "../rules/names.ts";
import type { Draft } from "./draft.ts";
import { isBroken } from "./faults.ts";
import { fitter, Speller } from "./spelling.ts";

/** Names of tools that the target does not take, wherever they are named, and tools that have the name of one before them. */
export function fitToolNames(draft: Draft): void {
  const spelling = draft.rules["tool-names"];
  if (!spelling || !isBroken(draft, "tool-names")) return;
  const { unique, hosted, family = draft.target.format } = spelling;
  const again = new Set(unique ? repeatedTools(draft.tools ?? [], { family, hosted }) : []);
  // What was to be called by the name that told them apart is the one that is left.
  const merged = new Map<string, string>();
  for (const index of again) {
    draft.changed("fit-tool-names", ["tools", index], "the tool is left out: one before it has its name");
    const tool = draft.tools?.[index];
    if (tool) merged.set(tool.name, wireName(tool, family));
  }
  if (again.size > 0) draft.tools = draft.tools?.filter((_, index) => !again.has(index));
  const fits = fitter(spelling);
  const names = new Set<string>();
  const isUnfit = (tool: Tool): boolean => isOwnTool(tool) && !fits(wireName(tool, family));
  for (const tool of draft.tools ?? [])
    if (isOwnTool(tool)) names.add(isUnfit(tool) ? tool.name : wireName(tool, family));
  for (const { items } of draft.messages) {
    for (const { part } of items) {
      if (part.type === "tool-call" && isOurs(part)) names.add(part.name);
      for (const tool of spelling.defined ? definedBy(part) : [])
        if (isOwnTool(tool)) names.add(isUnfit(tool) ? tool.name : wireName(tool, family));
    }
  }
  const speller = new Speller(spelling, [...names].filter(fits));
  const table = new Map([...names].filter(name => !fits(name)).map(name => [name, speller.spell(name)]));
  const tell = (path: readonly (string | number)[], was: string, now: string): void =>
    draft.changed("fit-tool-names", path, `the tool \`${was}\` is called \`${now}\``, { was, now });
  draft.tools = draft.tools?.map((tool, index) => {
    const now = isUnfit(tool) ? table.get(tool.name) : undefined;
    if (now === undefined) return tool;
    tell(["tools", index, "name"], tool.name, now);
    return { ...tool, name: now };
  });
  draft.mapItems(({ part, path }) => {
    if (part.type === "change") return renamedIn(part, table, (inner, was, now) => tell([...path, ...inner], was, now));
    const was = nameOf(part);
    const now = was === undefined ? undefined : table.get(was);
    if (was === undefined || now === undefined) return part;
    tell([...path, "name"], was, now);
    return { ...part, name: now } as Part; // a part that has a name
  });
  for (const [name, first] of merged) table.set(name, table.get(first) ?? first);
  if (draft.settings) draft.settings = withChoice(draft.settings, table);
}

/** Tools that a message defines or names are called as everywhere. */
function renamedIn(
  part: PartOf<"change">,
  table: ReadonlyMap<string, string>,
  tell: (inner: Path, was: string, now: string) => void,
): PartOf<"change"> {
  const renamed = (name: string, inner: Path): string => {
    const now = table.get(name);
    if (now !== undefined) tell(inner, name, now);
    return now ?? name;
  };
  const { toolsAdded, toolsRemoved } = part;
  const isNamed = [...(toolsAdded ?? []), ...(toolsRemoved ?? [])].some(tool =>
    table.has(typeof tool === "string" ? tool : tool.name),
  );
  if (!isNamed) return part;
  const added = toolsAdded?.map((tool, index) => {
    if (typeof tool === "string") return renamed(tool, ["toolsAdded", index]);
    return isOwnTool(tool) ? { ...tool, name: renamed(tool.name, ["toolsAdded", index, "name"]) } : tool;
  });
  const removed = toolsRemoved?.map((name, index) => renamed(name, ["toolsRemoved", index]));
  return { ...part, ...(added && { toolsAdded: added }), ...(removed && { toolsRemoved: removed }) };
}

const isOurs = (call: PartOf<"tool-call">): boolean => isOwnTool(call) && call.executedBy !== "provider";

function nameOf(part: Part): string | undefined {
  if (part.type === "tool-call") return isOurs(part) ? part.name : undefined;
  return part.type === "tool-result" ? part.name : undefined;
}

/** What may or must be called is named as the tools are. */
function withChoice(settings: Settings, table: ReadonlyMap<string, string>): Settings {
  const { toolChoice } = settings;
  if (typeof toolChoice !== "object") return settings;
  const spelled = (name: string): string => table.get(name) ?? name;
  if ("name" in toolChoice) {
    return table.has(toolChoice.name) ? { ...settings, toolChoice: { name: spelled(toolChoice.name) } } : settings;
  }
  if (!toolChoice.allowed.some(name => table.has(name))) return settings;
  return { ...settings, toolChoice: { ...toolChoice, allowed: [...new Set(toolChoice.allowed.map(spelled))] } };
}
