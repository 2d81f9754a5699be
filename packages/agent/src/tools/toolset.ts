import { failure } from "../errors.ts";
import { wrongGiven } from "../hooks.ts";
import { areTools } from "../options.ts";
import type { AgentTool } from "./tool.ts";

/** Tools by name: those that the model is told of, and those that are run where it calls them. */
export interface Toolset {
  readonly offered: ReadonlyMap<string, AgentTool>;
  readonly known: ReadonlyMap<string, AgentTool>;
}

/** Tools that may change: asked before each model call and each tool call. */
export type ToolSource = () => readonly AgentTool[] | Promise<readonly AgentTool[]>;

/** What there is now. Throws `agent/invalid` for a source that gives no list of tools. */
export async function toolsOf(tools: readonly AgentTool[] | ToolSource): Promise<readonly AgentTool[]> {
  if (!(tools instanceof Function)) return tools;
  const given = await tools();
  if (areTools(given)) return given;
  throw wrongGiven(given, { by: "`tools`", give: "a list of nothing but tools, as `defineTool` makes them" });
}

/** Tools by name, in order. Throws `tool/duplicate-name` where one list has a name twice. */
export function toolsByName(tools: readonly AgentTool[]): ReadonlyMap<string, AgentTool> {
  const byName = new Map<string, AgentTool>();
  for (const tool of tools) {
    if (byName.has(tool.name)) throw failure("tool/duplicate-name", `two tools are named \`${tool.name}\``);
    byName.set(tool.name, tool);
  }
  return byName;
}

/** Those of the run before those of the agent, which they replace by name; `additional` are known and not offered. */
export function toolset(
  own: readonly AgentTool[],
  ofRun: readonly AgentTool[] = [],
  additional: readonly AgentTool[] = [],
): Toolset {
  const offered = ofRun.length === 0 ? toolsByName(own) : over(toolsByName(ofRun), toolsByName(own));
  return { offered, known: additional.length === 0 ? offered : over(offered, toolsByName(additional)) };
}

const over = (first: ReadonlyMap<string, AgentTool>, second: ReadonlyMap<string, AgentTool>) =>
  new Map([...first, ...[...second].filter(([name]) => !first.has(name))]);
