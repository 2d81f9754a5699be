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
export const isAsked = ({ call }: Pick<PartOf<"approval-request">, "call">): boolean =>
  call?.kind === "mcp" && call.executedBy === "provider";

/** Whether an answer to a request that is not there may be one of this wire, which names no call but by the request. */
export const mayBeAsked = (part: PartOf<"approval-response">): boolean =>
  part.call === undefined ? (part.callId ?? part.requestId) === part.requestId : isAsked(part);

export function writeResponse({ part, path }: Located<PartOf<"approval-response">>, scope: WriteScope): JsonObject {
  const { id } = sealValues(part, path, ["id"], scope);
  const { requestId, approved, reason } = part;
  for (const member of ["callId", "call"] as const)
    if (part[member] !== undefined) scope.lose("answer-call", [...path, member]);
  const fields = present({
    type: "mcp_approval_response",
    approval_request_id: requestId,
    approve: approved,
    reason,
    id,
  });
  return restored(fields, part, responses);
}
