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
import { isJsonObject, type Json, type JsonObject, type Message, type Part } from "translogue";
import type { AgentSession, PendingApproval, PendingInput } from "../session.ts";
import { noTimeout } from "./no-timeout.ts";

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
  const requests = asksIn(session).map(({ requestId, form }) => [requestId, inputRequired.elicit(form)]);
  // Names a conversation, and opens none: it is found as any other is, and its answers count as any others do.
  return inputRequired({ inputRequests: Object.fromEntries(requests), requestState: session.id });
}

/** The answers that a call which was made again came with; undefined where there is none to what waits. */
export const givenAnswers = (session: AgentSession, { mcpReq }: ServerContext): Message | undefined =>
  answerMessage(session, requestId => mcpReq.inputResponses?.[requestId]);

/**
 * Asks a client before 2026-07-28, one after the other, for as long as its person takes: whoever waits for the call may
 * cancel it. Undefined where nothing was answered.
 */
export async function askAll(session: AgentSession, { mcpReq }: ServerContext): Promise<Message | undefined> {
  const { signal } = mcpReq;
  const answers = new Map<string, ElicitResult>();
  for (const { requestId, form } of asksIn(session)) {
    try {
      answers.set(requestId, await mcpReq.elicitInput(form, { signal, timeout: noTimeout }));
    } catch {
      // A client that cannot ask has not answered: what it was asked goes on waiting.
      signal.throwIfAborted();
      break;
    }
  }
  return answerMessage(session, requestId => answers.get(requestId));
}

/** What a form can ask of all that waits for a person. */
interface Ask {
  readonly requestId: string;
  readonly form: ElicitRequestFormParams;
  readonly answer: (given: Partial<ElicitResult>) => Part;
}

/** Approvals, and questions whose answer fits into a form: where one has to go to an address, that is said with the result. */
export const asksIn = (session: AgentSession): readonly Ask[] => [
  ...session.pendingApprovals.map(
    (approval): Ask => ({
      requestId: approval.requestId,
      form: formOf(approval),
      // Only a plain yes is one.
      answer: ({ action, content }) => ({
        type: "approval-response",
        requestId: approval.requestId,
        approved: action === "accept" && content?.["allow"] === true,
      }),
    }),
  ),
  ...session.pendingInputs.flatMap(questionOf),
];

/** Fields of a form are texts, numbers, booleans and choices (2025-06-18), and several of some choices (2025-11-25). */
const fieldTypes: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean"]);
const isField = (schema: unknown): schema is JsonObject =>
  isJsonObject(schema) && (fieldTypes.has(schema["type"]) || (schema["type"] === "array" && isChoice(schema["items"])));

const isChoice = (items: Json | undefined): boolean =>
  isJsonObject(items) && [items["enum"], items["anyOf"]].some(choices => Array.isArray(choices));

/** An object of fields is a form as it is; anything else that is a field is the one of its form. */
function questionOf({
  requestId,
  call,
  message = `The tool ${call.name} asks for an answer.`,
  ...asked
}: PendingInput): Ask[] {
  const { url, schema = { type: "string" } } = asked;
  const isForm = isJsonObject(schema) && isJsonObject(schema["properties"]);
  const fields = isForm ? Object.values(schema["properties"] as JsonObject) : [schema]; // as just seen
  if (url !== undefined || !fields.every(isField)) return [];
  const requestedSchema = isForm ? schema : { type: "object", properties: { answer: schema }, required: ["answer"] };
  const value = (content: ElicitResult["content"] = {}): Json | undefined => (isForm ? content : content["answer"]);
  return [
    {
      requestId,
      form: { mode: "form", message, requestedSchema: requestedSchema as ElicitRequestFormParams["requestedSchema"] }, // its fields were looked at
      answer: ({ action, content }) => {
        const given = action === "accept" ? value(content) : undefined;
        return { type: "input-response", requestId, ...(given !== undefined && { value: given }) };
      },
    },
  ];
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

/** Of what has no answer nothing is said: it goes on waiting. */
function answerMessage(session: AgentSession, answerTo: (requestId: string) => unknown): Message | undefined {
  const parts = asksIn(session).flatMap(({ requestId, answer }): Part[] => {
    const given = answerTo(requestId);
    return given === undefined ? [] : [answer((given ?? {}) as Partial<ElicitResult>)]; // whatever it is, it is only looked at
  });
  return parts.length === 0 ? undefined : { role: "user", parts };
}
