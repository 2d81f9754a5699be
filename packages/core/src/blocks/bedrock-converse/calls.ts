/** Tools' calls on Bedrock's Converse wire: of the caller's tools, and of the provider's. */

import { defined, Reader } from "../../codec/reader.ts";
import { hintsOf, kept, present, restored } from "../../codec/remainder.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { inputTextOf } from "../../model/json-text.ts";
import type { ToolCallPart } from "../../model/parts.ts";
import {
  asObject,
  bedrock,
  callIdOf,
  kindOf,
  type Located,
  type ReadPlace,
  readCallId,
  type WriteScope,
} from "./node.ts";

/** How calls of the provider's tools say so. */
const serverType = "server_tool_use";

/** Undefined where it has no name. */
export function readCall(reader: Reader, { made }: ReadPlace): ToolCallPart | undefined {
  const inner = new Reader(asObject(reader.peek("toolUse")));
  const name = inner.string("name");
  if (name === undefined) return undefined;
  reader.take("toolUse");
  const { callId, hints } = readCallId(inner, made);
  const input = inner.json("input");
  const isProvider = inner.literal("type", serverType);
  // Answers of some models say it, though only the provider's tools have a type.
  const isTyped = inner.literal("type", "tool_use");
  const rest = inner.rest();
  return {
    type: "tool-call",
    callId,
    name,
    ...defined<Partial<ToolCallPart>>({
      input,
      kind: isProvider ? kindOf(name) : undefined,
      executedBy: isProvider ? "provider" : undefined,
    }),
    ...kept(bedrock, reader.rest(), {
      ...hints,
      ...(rest && { toolUse: rest }),
      ...(isTyped && { $type: true }),
      ...(!isJsonObject(input) && { $input: input === undefined ? "none" : "any" }),
    }),
  };
}

/** Calls of other providers' tools are refused. */
export const isForeign = (call: ToolCallPart, { recipient }: Pick<WriteScope, "recipient">): boolean =>
  recipient === "provider" &&
  call.executedBy === "provider" &&
  !call.callId.startsWith("tooluse_") &&
  !call.name.startsWith("nova_");

/** Undefined where the provider would not take it. */
export function writeCall({ part: call, path }: Located<ToolCallPart>, scope: WriteScope): JsonObject | undefined {
  if (isForeign(call, scope)) {
    scope.lose("foreign-call", path, call.name);
    return undefined;
  }
  const { name } = call;
  const isProvider = call.executedBy === "provider";
  if (call.kind !== (isProvider ? kindOf(name) : undefined)) scope.lose("tool-kind", [...path, "kind"], call.kind);
  const isTyped = hintsOf(call, bedrock)["$type"] === true;
  const toolUse = present({
    toolUseId: callIdOf(call, path, scope),
    name,
    input: writeInput(call, path, scope),
    type: isProvider ? serverType : isTyped ? "tool_use" : undefined,
  });
  return restored({ toolUse }, call, bedrock);
}

/** Arguments as the object that models want. */
function writeInput(call: ToolCallPart, path: Path, scope: WriteScope): Json | undefined {
  const { input, inputText } = call;
  const { $input: told } = hintsOf(call, bedrock);
  if (input === undefined) {
    if (inputText !== undefined) {
      scope.lose("unread-input", [...path, "inputText"]);
      return { rawInvalidInput: inputText }; // as the AI SDK sends it
    }
    if (told === "none") return undefined;
    scope.lose("no-arguments", path);
    return {};
  }
  if (inputText !== undefined) scope.lose("input-text", [...path, "inputText"]);
  if (isJsonObject(input) || told === "any") return input;
  scope.lose("input-shape", [...path, "input"]);
  return { input };
}

/** The text that a stream's deltas make. */
export const streamedInput = (call: ToolCallPart): string | undefined =>
  call.input === undefined || isJsonObject(call.input) ? inputTextOf(call) : JSON.stringify({ input: call.input });
