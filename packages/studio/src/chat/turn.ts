import type { ChatRequest, UiMessage } from "@translogue/server/contract";
import type { ApprovalRequestPart, ApprovalResponsePart, Conversation, Json, Message } from "translogue";
import { newId } from "./new-id.ts";
import { withQuestion } from "./questions.ts";

/** The codec comes once something is said: a first look does not need it. */
async function uiMessages(messages: readonly Message[]): Promise<readonly UiMessage[]> {
  const codec = await import("./ui-messages.ts");
  return codec.uiMessages(messages);
}

interface Turn {
  readonly session: string;
  readonly model: string | undefined;
  readonly messages: readonly Message[];
}

/** One more message behind a history that the server has. */
export async function nextTurn({ session, model, messages }: Turn): Promise<ChatRequest> {
  const message = (await uiMessages(messages)).at(-1);
  return { ...about(session, model), trigger: "submit-message", ...(message && { message }) };
}

/** The whole history: the server finds what is new in it. */
export const wholeHistory = async ({ session, model, messages }: Turn): Promise<ChatRequest> => ({
  ...about(session, model),
  trigger: "submit-message",
  messages: await uiMessages(messages),
});

/** Another answer to the last message. */
export const answerAgain = async ({ session, model, messages }: Turn): Promise<ChatRequest> => ({
  ...about(session, model),
  trigger: "regenerate-message",
  messages: await uiMessages(messages),
});

const about = (id: string, model: string | undefined): ChatRequest => ({ id, ...(model !== undefined && { model }) });

/** What a person decided about a call, as a message of the answer that asked. */
export function decision(
  asking: Message,
  request: ApprovalRequestPart,
  { approved, reason }: { readonly approved: boolean; readonly reason?: string },
): Message {
  const response: ApprovalResponsePart = {
    type: "approval-response",
    requestId: request.requestId,
    callId: request.callId,
    approved,
    ...(reason !== undefined && reason.trim() !== "" && { reason: reason.trim() }),
  };
  const run = asking.run ?? asking.id;
  return { role: "tool", ...(run !== undefined && { run }), parts: [response] };
}

/** What a person answers to a question. */
export const answerTo = (requestId: string, value: Json | undefined): Message => ({
  id: newId(),
  role: "user",
  parts: [{ type: "input-response", requestId, ...(value !== undefined && { value }) }],
});

/** The branch that counts, first message first, as a list. */
export function branchOf({ messages, head }: Conversation): readonly Message[] {
  if (head === undefined) return messages.map(message => ({ ...message, parts: message.parts.map(withQuestion) }));
  const byId = new Map(messages.map(message => [message.id, message]));
  const branch = new Map<string | undefined, Message>();
  let at = byId.get(head);
  while (at && !branch.has(at.id)) {
    const { parent, ...message } = at;
    branch.set(at.id, { ...message, parts: message.parts.map(withQuestion) });
    at = parent === null || parent === undefined ? undefined : byId.get(parent);
  }
  return [...branch.values()].reverse();
}

/** Where the answer begins that is being written: behind the last thing that a person said or decided. */
export function startOfAnswer(messages: readonly Message[]): number {
  return 1 + messages.findLastIndex(({ role, parts }) => role === "user" || parts.some(isDecision));
}

const isDecision = ({ type }: Message["parts"][number]): boolean => type === "approval-response";
