import { type CallToolResult, fromJsonSchema, type Tool, type ToolAnnotations } from "@modelcontextprotocol/client";
import { isJsonObject, type Json, type JsonObject } from "translogue";
import { jsonCopy } from "../json-copy.ts";
import { readParameters, type Validated, validateWith } from "../tools/parameters.ts";
import type { AgentTool, ApprovalRule } from "../tools/tool.ts";
import type { McpClient } from "./client.ts";
import { resultOfCall } from "./content.ts";

/** A server's tool, for rules about it. */
export interface McpToolInfo {
  /** As the server was named to `connectMcp`. */
  readonly server: string;
  /** As the server calls it. */
  readonly name: string;
  /** What the server says of it: believe it only of servers that you trust. */
  readonly annotations: ToolAnnotations;
}

/**
 * Which tools wait for a person: all, none (default), those that write (not said to be read-only), those that may destroy
 * (those that write, unless said not to be destructive), or what a function gives for each: a rule over its arguments too.
 */
export type McpApproval = boolean | "writes" | "destructive" | ((tool: McpToolInfo) => ApprovalRule<JsonObject>);

export interface ToolOptions {
  /** Milliseconds after which a call fails. Default: 5 minutes. */
  readonly timeoutMs?: number;
  readonly needsApproval?: McpApproval;
}

const minutes = 60_000;

/** The tool as an agent's, under the name that a model is given. */
export function agentTool(
  client: McpClient,
  tool: Tool,
  { name, timeoutMs = 5 * minutes, needsApproval = false }: ToolOptions & { readonly name: string },
): AgentTool {
  const { annotations = {}, title = annotations.title, description = title } = tool;
  const { input, validate } = argumentsOf(tool);
  return {
    name,
    ...(description !== undefined && { description }),
    ...(title !== undefined && { title }),
    input,
    timeoutMs,
    needsApproval: approvalOf({ server: client.name, name: tool.name, annotations }, needsApproval),
    validate,
    execute: async (given, context) => {
      const args = jsonCopy(given);
      const result = await client.call(tool, isJsonObject(args) ? args : {}, context);
      return resultOfCall({ callId: context.callId, name }, result, await brokenPromise(tool, result));
    },
  };
}

function approvalOf(tool: McpToolInfo, approval: McpApproval): ApprovalRule<unknown> {
  const { readOnlyHint = false, destructiveHint = true } = tool.annotations; // the specification's defaults
  if (approval === "writes") return !readOnlyHint;
  if (approval === "destructive") return !readOnlyHint && destructiveHint;
  if (typeof approval === "boolean") return approval;
  const rule = approval(tool);
  return typeof rule === "boolean" ? rule : (input, context) => rule(isJsonObject(input) ? input : {}, context);
}

/**
 * What is wrong with a result by the schema that its tool has for it: "servers MUST provide structured results that conform",
 * "clients SHOULD validate" (https://modelcontextprotocol.io/specification/2025-11-25/server/tools#output-schema, 2026-12-01).
 * A schema that cannot be read promises nothing.
 */
async function brokenPromise(
  { outputSchema }: Tool,
  { structuredContent, isError }: CallToolResult,
): Promise<string | undefined> {
  if (!outputSchema || isError) return undefined;
  if (structuredContent === undefined) return "the tool's output schema promises structured content, and it gave none";
  try {
    const schema = jsonCopy(outputSchema);
    const read = await validateWith(fromJsonSchema(isJsonObject(schema) ? schema : {}), structuredContent);
    return read.ok ? undefined : `the structured content is not as the tool's output schema says: ${read.problem}`;
  } catch {
    return undefined;
  }
}

interface Arguments {
  readonly input: JsonObject;
  readonly validate: (value: unknown) => Promise<Validated>;
}

/** A server's list is asked for at every step, and is mostly the same. */
const known = new WeakMap<Tool, Arguments>();

function argumentsOf(tool: Tool): Arguments {
  const found = known.get(tool) ?? readArguments(tool);
  known.set(tool, found);
  return found;
}

/** Checked here, so that the model is told in the words of its other tools; a schema that cannot be read is the server's to check. */
function readArguments({ name, inputSchema }: Tool): Arguments {
  const jsonSchema = schemaOf(jsonCopy(inputSchema));
  let read: Arguments | undefined;
  const validate = async (value: unknown): Promise<Validated> => {
    try {
      read ??= readParameters(name, { schema: fromJsonSchema(jsonSchema), jsonSchema });
    } catch {
      return { ok: true, value };
    }
    return read.validate(value);
  };
  const { $schema: _, ...input } = jsonSchema;
  return { input, validate };
}

/** Arguments have names: what says nothing of its type says it of an object. */
const schemaOf = (schema: Json): JsonObject =>
  isJsonObject(schema) && Object.keys(schema).length > 0
    ? { type: "object", ...schema }
    : { type: "object", properties: {} };
