/** Tools' calls on Anthropic's Messages wire: of the caller's tools, of the provider's, of MCP servers. */

import { defined, Reader } from "../../codec/reader.ts";
import { hintsOf, kept, present, restored } from "../../codec/remainder.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { inputTextOf } from "../../model/json-text.ts";
import type { ToolCallPart } from "../../model/parts.ts";
import {
  anthropic,
  callIdOf,
  isForeignId,
  kindOf,
  type Located,
  type ReadPlace,
  readCache,
  readCallId,
  usualCaller,
  usualName,
  type WriteScope,
  writeCache,
} from "./node.ts";

export const callTypes: ReadonlySet<string> = new Set(["tool_use", "server_tool_use", "mcp_tool_use"]);

/** Undefined where it has no name. */
export function readCall(reader: Reader, { made }: ReadPlace): ToolCallPart | undefined {
  const type = reader.peek("type");
  const name = reader.string("name");
  if (name === undefined) return undefined;
  reader.take("type");
  const { callId, hints } = readCallId(reader, "id", made);
  const input = reader.json("input");
  const isPlain = isJsonObject(input);
  const isMcp = type === "mcp_tool_use";
  const isProvider = type !== "tool_use";
  const { caller, hints: rest } = readCaller(reader);
  return {
    type: "tool-call",
    callId,
    name,
    ...defined<Partial<ToolCallPart>>({
      input,
      kind: isMcp ? "mcp" : isProvider ? kindOf(name) : undefined,
      executedBy: isProvider ? "provider" : undefined,
      server: isMcp ? reader.string("server_name") : undefined,
      caller,
      ...readCache(reader),
    }),
    ...kept(anthropic, reader.rest(), {
      ...hints,
      ...rest,
      ...(!isPlain && { $input: input === undefined ? "none" : "any" }),
    }),
  };
}

/** The program that made the call; `direct` is none. */
function readCaller(reader: Reader): { readonly caller?: string; readonly hints: JsonObject } {
  const holder = reader.peek("caller");
  const inner = isJsonObject(holder) ? new Reader(holder) : undefined;
  const caller = inner?.string("tool_id");
  if (!inner || caller === undefined || typeof inner.peek("type") !== "string") return { hints: {} };
  reader.take("caller");
  inner.literal("type", usualCaller);
  const rest = inner.rest();
  return { caller, hints: rest ? { caller: rest } : {} };
}

/** How the wire calls the tool of a call, and by which type of block. */
export function spellingOf(call: ToolCallPart): { readonly type: string; readonly name: string } {
  const { name, kind, executedBy } = call;
  if (executedBy !== "provider") return { type: "tool_use", name };
  if (kind === "mcp") return { type: "mcp_tool_use", name };
  return { type: "server_tool_use", name: kind === kindOf(name) ? name : (usualName(kind ?? "") ?? name) };
}

/** Undefined where the provider would not take it. */
export function writeCall({ part: call, path }: Located<ToolCallPart>, scope: WriteScope): JsonObject | undefined {
  const { kind, executedBy, server, caller } = call;
  const { type, name } = spellingOf(call);
  if (type !== "tool_use" && isForeignId(call.callId, scope)) {
    scope.lose("foreign-call", path, call.name);
    return undefined;
  }
  if (name !== call.name) scope.lose("tool-name", [...path, "name"], call.name);
  const read = type === "tool_use" ? undefined : type === "mcp_tool_use" ? "mcp" : kindOf(name);
  if (kind !== read) scope.lose("tool-kind", [...path, "kind"], kind);
  if (server !== undefined && kind !== "mcp") scope.lose("tool-server", [...path, "server"], server);
  if (server !== undefined && kind === "mcp" && executedBy !== "provider")
    scope.lose("tool-server", [...path, "server"]);
  const isTyped = isJsonObject(hintsOf(call, anthropic)["caller"]);
  return restored(
    present({
      type,
      id: callIdOf(call, path, scope),
      name,
      server_name: type === "mcp_tool_use" ? server : undefined,
      input: writeInput(call, path, scope),
      caller: caller === undefined ? undefined : present({ type: isTyped ? undefined : usualCaller, tool_id: caller }),
      ...writeCache(call),
    }),
    call,
    anthropic,
  );
}

/** Arguments as the object that the wire wants. */
function writeInput(call: ToolCallPart, path: Path, scope: WriteScope): Json | undefined {
  const { input, inputText } = call;
  const { $input: told } = hintsOf(call, anthropic);
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

/** The text that a stream's deltas make; it reads as `writeInput` writes it. */
export function streamedInput(call: ToolCallPart, path: Path, scope: WriteScope): string | undefined {
  const { input } = call;
  if (input === undefined && call.inputText === undefined) return undefined;
  if (input !== undefined && (isJsonObject(input) || hintsOf(call, anthropic)["$input"] === "any")) {
    return inputTextOf(call);
  }
  return JSON.stringify(writeInput(call, path, scope));
}
