import type { AgentTool } from "@translogue/agent";
import type { JsonObject } from "translogue";
import type { ToolOffer } from "../config.ts";
import type { ToolReport } from "../contract.ts";
import { HttpError } from "../http-error.ts";
import type { Services } from "../services.ts";
import type { Envelope } from "./envelope.ts";

export interface ToolChoice {
  /** What the model is offered. */
  readonly tools: readonly AgentTool[];
  /** Asked for, but left out. */
  readonly skipped: readonly string[];
  readonly reports: readonly ToolReport[];
}

/**
 * The tools of a request: those it allows and those of its prompt type, else all that are offered by default. One that
 * lacks context is refused (`error`), or left out.
 */
export function chooseTools(services: Services, envelope: Envelope): ToolChoice {
  const offers = new Map(services.offers.map(offer => [offer.tool.name, offer]));
  const tools: AgentTool[] = [];
  const reports: ToolReport[] = [];
  for (const name of toolNames(services, envelope)) {
    const offer = offers.get(name);
    const report = offer ? reportOf(offer, contextOf(envelope, name)) : unknown(name);
    reports.push(report);
    if (offer && report.valid) tools.push(offer.tool);
  }
  const skipped = reports.filter(report => !report.valid).map(report => report.name);
  return { tools, skipped, reports };
}

function toolNames({ config, offers }: Services, { allowedTools, promptType }: Envelope): ReadonlySet<string> {
  if (allowedTools === undefined && promptType === undefined) {
    return new Set(offers.filter(({ byDefault = true }) => byDefault).map(({ tool }) => tool.name));
  }
  const ofPrompt = config.promptTypes.find(({ id }) => id === promptType)?.tools ?? [];
  return new Set([...ofPrompt, ...(allowedTools ?? [])]);
}

/** What a tool knows of a request's context: the common fields, those for it alone in their place. */
export const contextOf = ({ context, toolContext, sandboxId }: Envelope, tool: string): JsonObject => ({
  ...(sandboxId !== undefined && { sandboxId }),
  ...context,
  ...(Object.hasOwn(toolContext, tool) && toolContext[tool]),
});

const unknown = (name: string): ToolReport => ({ name, valid: false, error: "Tool not found in registry" });

function reportOf(
  { tool, requiredContext = [], requiresSandbox, checkContext }: ToolOffer,
  context: JsonObject,
): ToolReport {
  const required = requiresSandbox ? new Set([...requiredContext, "sandboxId"]) : requiredContext;
  const missingContext = [...required].filter(field => !Object.hasOwn(context, field) || context[field] === null);
  if (missingContext.length > 0) return { name: tool.name, valid: false, missingContext };
  const structureErrors = checkContext?.(context) ?? [];
  if (structureErrors.length > 0) return { name: tool.name, valid: false, structureErrors };
  return { name: tool.name, valid: true };
}

/** Throws a 400 for tools that lack context. A tool that there is not is left out under every strategy. */
export function refuseIncomplete(reports: readonly ToolReport[]): void {
  const incomplete = reports.filter(({ valid, error }) => !valid && error === undefined);
  if (incomplete.length === 0) return;
  const tools = incomplete.map(({ name }) => name);
  const missing = incomplete.filter(({ missingContext }) => missingContext);
  const missingContext = [...new Set(missing.flatMap(report => report.missingContext ?? []))];
  const structureErrors = incomplete.flatMap(report => report.structureErrors ?? []);
  const cure = 'give the fields in `context` or `toolContext`, or leave the tool out with `contextStrategy: "skip"`';
  const [first = ""] = tools;
  const what =
    missing.length > 0
      ? `Missing required context for tool: ${missing.map(({ name, missingContext: fields = [] }) => `${name} (${fields.join(", ")})`).join("; ")}`
      : `Invalid context for tool: ${first} (${structureErrors.map(({ field, issues }) => `${field}: ${issues.join(", ")}`).join("; ")})`;
  const details = { missingContext, tools, ...(structureErrors.length > 0 && { structureErrors }) };
  throw new HttpError(400, `${what}; ${cure}`, { details });
}
