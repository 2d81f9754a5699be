import {
  type Conversation,
  decode,
  type ExactText,
  formatPath,
  type Issue,
  isJsonObject,
  type Json,
  type JsonObject,
  type Message,
  type Path,
} from "translogue";
import type { ResolvedConfig } from "../services.ts";
import { type Envelope, type Fault, refuse } from "./envelope.ts";

export interface SentMessages {
  readonly messages: readonly Message[];
  /** Whether they are one new turn, not the whole history. */
  readonly isTurn: boolean;
  /** Messages left out because they say nothing. */
  readonly dropped: number;
}

/** The messages of a request, each with an id. Throws a 400 with path and cure for what the document does not allow. */
export function readMessages(
  body: { readonly value: JsonObject; readonly exact: ExactText },
  envelope: Envelope,
  config: ResolvedConfig,
): SentMessages {
  const { member, list } = messageList(body.value);
  const kept = envelope.trigger === undefined ? list : list.filter(message => !isEmptyAnswer(message));
  const { conversation, issues } = decode(kept, {
    // The newest generation reads what the older ones wrote.
    from: "huajuan:v7",
    shape: "messages",
    newId: config.newId,
    exact: body.exact,
  });
  const faults = issues.filter(issue => issue.severity === "error" || isUnread(issue, kept));
  refuse(faults.map(issue => faultOf(issue, member)));
  if (config.clientSystem === "refuse") refuse(systemFaults(conversation, envelope));
  const messages = entered(conversation, config.newId);
  return { messages, isTurn: member === "message", dropped: list.length - kept.length };
}

function messageList(body: JsonObject): { readonly member: "message" | "messages"; readonly list: readonly Json[] } {
  const { message, messages } = body;
  if (message !== undefined && messages === undefined) return { member: "message", list: [message] };
  if (!Array.isArray(messages)) refuse([notAList(messages)]);
  return { member: "messages", list: messages as readonly Json[] }; // refused above where it is none
}

/**
 * Whether a part of what a person says cannot be read: no model would see it, and nobody would know. In an answer of old it
 * is kept as it is, so that a conversation that a newer client wrote goes on.
 */
function isUnread({ code, wirePath = [] }: Issue, sent: readonly Json[]): boolean {
  if (code !== "unknown-part" && code !== "not-a-part") return false;
  const message = sent[Number(wirePath[0])];
  return !isJsonObject(message) || message["role"] !== "assistant";
}

/** What the AI SDK's client keeps of an answer that failed or was stopped before it began. */
const isEmptyAnswer = (message: Json): boolean =>
  isJsonObject(message) &&
  message["role"] === "assistant" &&
  Array.isArray(message["parts"]) &&
  message["parts"].length === 0;

const notAList = (found: Json | undefined): Fault =>
  found === undefined
    ? {
        code: "missing",
        path: ["messages"],
        message: "Missing required field: messages; give the conversation as a list",
      }
    : {
        code: "invalid",
        path: ["messages"],
        message:
          "Invalid message format. Messages must be an array; each has `role` and `content`, or `id`, `role` and `parts`",
      };

function faultOf({ code, message, path, wirePath = path }: Issue, member: string): Fault {
  const place = member === "message" ? [member, ...wirePath.slice(1)] : [member, ...wirePath];
  return { code, path: place, message: `${formatPath(place)}: ${message}` };
}

function systemFaults({ messages }: Conversation, { systemPrompt }: Envelope): Fault[] {
  const places: Path[] = systemPrompt === undefined ? [] : [["systemPrompt"]];
  for (const [index, message] of messages.entries()) if (isSystem(message)) places.push(["messages", index]);
  return places.map(path => ({
    code: "system-refused",
    path,
    message: `${formatPath(path)}: this server takes no system text from clients; leave it out`,
  }));
}

/**
 * Ids are names within a session: none is missing, and none is there twice. System text says who wrote it: a person, not
 * the operator.
 */
function entered({ messages }: Conversation, newId: () => string): Message[] {
  const taken = new Set<string>();
  return messages.map(message => {
    const id = message.id !== undefined && message.id !== "" && !taken.has(message.id) ? message.id : newId();
    taken.add(id);
    return { ...message, id, ...(isSystem(message) && { author: { kind: "person" } }) };
  });
}

const isSystem = ({ role }: Message): boolean => role === "system" || role === "developer";
