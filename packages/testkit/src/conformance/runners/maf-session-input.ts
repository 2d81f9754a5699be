import type { AgentSession } from "@translogue/agent";
import { isJsonObject, type Json, type JsonObject, type Message } from "translogue";
import { objects, readMessages } from "./maf-loop-compared.ts";

/** The input of a run: answers name the requests of ours that are about their calls. */
export function inputOf(
  given: Json | undefined,
  session: AgentSession | undefined,
): string | readonly Message[] | undefined {
  if (typeof given === "string") return given;
  if (!Array.isArray(given)) return undefined;
  const always = new Map<string, string>();
  const plain = objects(given).map(message => ({
    ...message,
    contents: objects(message["contents"]).map(content => answerIn(content, always)),
  }));
  const pending = session?.pendingApprovals ?? [];
  return readMessages(plain).map(message => ({
    ...message,
    parts: message.parts.map(part => {
      if (part.type !== "approval-response") return part;
      const own =
        pending.find(({ requestId }) => requestId === part.requestId) ??
        pending.find(({ call }) => `ficc_${call.callId}` === part.requestId);
      const optionId = always.get(part.requestId);
      return { ...part, requestId: own?.requestId ?? part.requestId, ...(optionId !== undefined && { optionId }) };
    }),
  }));
}

function answerIn(content: JsonObject, always: Map<string, string>): JsonObject {
  const { alwaysApprove, request, reason } = content;
  if (alwaysApprove === undefined || !isJsonObject(request)) return content;
  const { requestId, toolCall = null } = request;
  always.set(String(requestId), alwaysApprove === "tool" ? "allow-always" : "allow-always-arguments");
  return {
    $type: "toolApprovalResponse",
    approved: true,
    toolCall,
    requestId: requestId ?? null,
    ...(reason !== undefined && { reason }),
  };
}
