/** The program that made a call, as the packages of the makers say it in the metadata of the call. */

import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";

interface Caller {
  readonly caller: string;
  /** The metadata without it. */
  readonly rest: JsonObject;
}

/** The tool that Anthropic's programs run in, as it was last released on 2026-11-30. */
const usualTool = "code_execution_20260120";
const isAnthropics = (caller: string): boolean => caller.startsWith("srvtoolu_");

/** Undefined where the metadata names none, or says more of it. */
export function readCaller(metadata: JsonObject): Caller | undefined {
  return readProgram(metadata) ?? readTool(metadata);
}

function readProgram(metadata: JsonObject): Caller | undefined {
  const { type, callerId, ...others } = callerIn(metadata, "openai");
  if (type !== "program" || typeof callerId !== "string" || Object.keys(others).length > 0) return undefined;
  return isAnthropics(callerId) ? undefined : { caller: callerId, rest: withCaller(metadata, "openai", {}) };
}

/** A version of the tool that is not the usual one stays where it was. */
function readTool(metadata: JsonObject): Caller | undefined {
  const { type, toolId, ...others } = callerIn(metadata, "anthropic");
  const isTool = typeof type === "string" && /^code_execution_\d{8}$/.test(type);
  if (!isTool || typeof toolId !== "string" || !isAnthropics(toolId) || Object.keys(others).length > 0)
    return undefined;
  return { caller: toolId, rest: withCaller(metadata, "anthropic", type === usualTool ? {} : { caller: { type } }) };
}

/** The metadata that names the caller; `known`: what was left of the metadata when it was read. */
export function writeCaller(caller: string | undefined, known: Json | undefined): JsonObject {
  if (caller === undefined) return {};
  if (!isAnthropics(caller)) return { openai: { caller: { type: "program", callerId: caller } } };
  const { type = usualTool } = isJsonObject(known) ? callerIn(known, "anthropic") : {};
  return { anthropic: { caller: { type, toolId: caller } } };
}

function callerIn(metadata: JsonObject, maker: string): JsonObject {
  const said = metadata[maker];
  const caller = isJsonObject(said) ? said["caller"] : undefined;
  return isJsonObject(caller) ? caller : {};
}

function withCaller(metadata: JsonObject, maker: string, left: JsonObject): JsonObject {
  const { [maker]: said, ...makers } = metadata;
  const { caller: _, ...others } = isJsonObject(said) ? said : {};
  const all = { ...others, ...left };
  return Object.keys(all).length > 0 ? { ...makers, [maker]: all } : makers;
}
