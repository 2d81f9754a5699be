/** Results of tools on Bedrock's Converse wire: of the caller's in a user's turn, of the provider's beside their calls. */

import { defined, Reader } from "../../codec/reader.ts";
import { deniedText } from "../../codec/refusals.ts";
import { hintsOf, kept, present, restored } from "../../codec/remainder.ts";
import type { JsonObject } from "../../model/json.ts";
import type { ToolResultPart } from "../../model/parts.ts";
import { isForeign } from "./calls.ts";
import type { ReadList } from "./files.ts";
import {
  asObject,
  bedrock,
  callIdOf,
  type Located,
  type ReadPlace,
  type ReadScope,
  readCallId,
  type WriteScope,
} from "./node.ts";
import { writeOutput } from "./output.ts";

/** Undefined where its content is no list. */
export function readResult(
  reader: Reader,
  place: ReadPlace,
  { scope, readList }: { readonly scope: ReadScope; readonly readList: ReadList },
): ToolResultPart | undefined {
  const inner = new Reader(asObject(reader.peek("toolResult")));
  const list = inner.array("content");
  const isOther = inner.peek("content") !== undefined && !list;
  if (isOther || (inner.peek("toolUseId") === undefined && !list)) return undefined;
  reader.take("toolResult");
  const { callId, hints } = readCallId(inner, place.made);
  const output = list && readList(list, { ...place, path: [...place.path, "toolResult", "content"] }, scope);
  const isError = inner.literal("status", "error");
  const isSuccess = inner.literal("status", "success");
  const type = inner.string("type");
  const rest = inner.rest();
  return {
    type: "tool-result",
    callId,
    ...defined<Partial<ToolResultPart>>({ output, outcome: isError ? "error" : undefined }),
    ...kept(bedrock, reader.rest(), {
      ...hints,
      ...(rest && { toolResult: rest }),
      ...(isSuccess && { $status: "success" }),
      ...(type !== undefined && { $type: type }),
    }),
  };
}

/** Undefined where the provider would not take it. */
export function writeResult(
  { part: result, path }: Located<ToolResultPart>,
  scope: WriteScope,
): JsonObject | undefined {
  const call = scope.callOf(result);
  if (call && isForeign(call, scope)) {
    scope.lose("foreign-call", path);
    return undefined;
  }
  const { outcome, output } = result;
  if (outcome !== undefined && outcome !== "error") scope.lose("outcome", [...path, "outcome"], outcome);
  const { $status: told, $type: type } = hintsOf(result, bedrock);
  const isProvider = call?.executedBy === "provider";
  const written = output?.flatMap((part, index) => writeOutput({ part, path: [...path, "output", index] }, scope));
  // A model must not take silence for a success.
  const isSilent = outcome === "denied" && !output?.length;
  if (isSilent) scope.lose("denied-text", [...path, "output"]);
  const isWanted = scope.recipient === "provider";
  const toolResult = present({
    toolUseId: callIdOf(result, path, scope),
    content: isSilent ? [{ text: deniedText }] : (written ?? (isWanted ? [] : undefined)),
    status: outcome !== undefined ? "error" : told === "success" ? told : undefined,
    type: typeof type === "string" ? type : isWanted && isProvider ? `${call.name}_result` : undefined,
  });
  return restored({ toolResult }, result, bedrock);
}
