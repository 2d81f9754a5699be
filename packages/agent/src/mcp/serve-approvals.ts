import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type ElicitRequestFormParams,
  type ElicitResult,
  type InputRequiredResult,
  inputRequired,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Message, Part } from "translogue";
import type { AgentSession, PendingApproval } from "../session.ts";

/** Whether the client can put a form before a person. Since 2026-07-28 it says so with every request. */
export function canAsk({ server }: McpServer, { mcpReq }: ServerContext): boolean {
  // The SDK's type of the envelope has no members.
  const envelope = mcpReq.envelope as { readonly [key: string]: ClientCapabilities | undefined } | undefined;
  const { elicitation } = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities() ?? {};
  // An empty one means forms (2025-06-18).
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** Since 2026-07-28 what waits for a person is a result, and the call is made again with the answers. */
export function askingResult(session: AgentSession): InputRequiredResult {
  const requests = session.pendingApprovals.map(approval => [
    approval.requestId,
    inputRequired.elicit(formOf(approval)),
  ]);
  // Names a conversation, and opens none: it is found as any other is, and its answers count as any others do.
  return inputRequired({ inputRequests: Object.fromEntries(requests), requestState: session.id });
}

/** The answers that a call which was made again came with. */
export const givenAnswers = (session: AgentSession, { mcpReq }: ServerContext): Message =>
  answerMessage(session, ({ requestId }) => mcpReq.inputResponses?.[requestId]);

/** Asks a client before 2026-07-28, one after the other. */
export async function askAll(session: AgentSession, { mcpReq }: ServerContext): Promise<Message> {
  const answers = new Map<string, ElicitResult>();
  for (const approval of session.pendingApprovals) {
    answers.set(approval.requestId, await mcpReq.elicitInput(formOf(approval), { signal: mcpReq.signal }));
  }
  return answerMessage(session, ({ requestId }) => answers.get(requestId));
}

function formOf({ call, reason }: PendingApproval): ElicitRequestFormParams {
  const why = reason === undefined ? "" : ` ${reason}`;
  return {
    mode: "form",
    message: `Allow the tool ${call.name} to run with ${call.inputText ?? JSON.stringify(call.input ?? {})}?${why}`,
    requestedSchema: {
      type: "object",
      properties: { allow: { type: "boolean", title: "Allow it", default: false } },
      required: ["allow"],
    },
  };
}

/** Only a plain yes is one. */
function answerMessage(session: AgentSession, answerTo: (approval: PendingApproval) => unknown): Message {
  const parts = session.pendingApprovals.map((approval): Part => {
    const { action, content } = (answerTo(approval) ?? {}) as Partial<ElicitResult>; // whatever it is, it is only looked at
    const approved = action === "accept" && content?.["allow"] === true;
    return { type: "approval-response", requestId: approval.requestId, approved };
  });
  return { role: "user", parts };
}
