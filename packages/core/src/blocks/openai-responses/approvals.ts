/** Approvals of MCP calls as items of the Responses wire. */

import { hintsOf, present, restored } from "../../codec/remainder.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import { inputTextOf } from "../../model/json-text.ts";
import type { PartOf } from "../../model/parts.ts";
import { type Located, responses, sealValues, type WriteScope } from "./node.ts";

export function writeRequest({ part, path }: Located<PartOf<"approval-request">>, scope: WriteScope): JsonObject {
  const { requestId, callId, call } = part;
  if (callId !== requestId || (call && call.callId !== requestId)) scope.lose("approval-call", [...path, "callId"]);
  if (call?.seal) scope.lose("part-seal", [...path, "call", "seal"]);
  const hints = call ? hintsOf(call, responses) : {};
  const isNothing = call?.input === undefined && call?.inputText === undefined;
  const { $arguments: told } = hints;
  const text = isNothing
    ? told === false
      ? undefined
      : told === "" || told === null
        ? told
        : "{}"
    : call && inputTextOf(call);
  if (isNothing && text === "{}") scope.lose("no-arguments", [...path, "call"]);
  const args: Json | undefined = told === "json" && call?.input !== undefined ? call.input : text;
  const fields = present({
    type: "mcp_approval_request",
    id: requestId,
    name: call?.name,
    arguments: args,
    server_label: call?.server,
  });
  return restored(fields, part, responses);
}

/** Only calls of MCP servers wait for an approval on this wire. */
export const isAsked = (part: PartOf<"approval-request">): boolean =>
  part.call?.kind === "mcp" && part.call.executedBy === "provider";

export function writeResponse({ part, path }: Located<PartOf<"approval-response">>, scope: WriteScope): JsonObject {
  const { id } = sealValues(part, path, ["id"], scope);
  const { requestId, approved, reason } = part;
  const fields = present({
    type: "mcp_approval_response",
    approval_request_id: requestId,
    approve: approved,
    reason,
    id,
  });
  return restored(fields, part, responses);
}
