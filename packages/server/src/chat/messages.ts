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
import { HttpError } from "../http-error.ts";
import { type Fault, refuse } from "../members.ts";
import type { ResolvedConfig } from "../services.ts";
import { isWordOnly } from "../sessions/words.ts";
import type { Envelope } from "./envelope.ts";
import { withAnswers } from "./questions.ts";
import { wireFaults } from "./wire-check.ts";

export interface SentMessages {
  readonly messages: readonly Message[];
  /** Whether they are one new turn, not the whole history. */
  readonly isTurn: boolean;
  /** Messages left out because they say nothing. */
  readonly dropped: number;
  /** For each message, where it stands in the request. */
  readonly places: readonly Path[];
  /** Whether the message that `messageId` names is one of them, or was before the answer that is asked for anew was cut off. */
  readonly hasNamed: boolean;
  /** The ids that the client gave. */
  readonly ids: ReadonlySet<string>;
}

/** The messages of a request, each with an id. Throws a 400 with path and cure for what the document does not allow. */
export function readMessages(
  body: { readonly value: JsonObject; readonly exact: ExactText },
  envelope: Envelope,
  config: ResolvedConfig,
): SentMessages {
  const { member, list } = messageList(body.value);
  if (list.length > config.maxMessages) throw tooMany(list.length, config.maxMessages);
  const indexes = [...list.keys()].filter(at => envelope.trigger === undefined || !isEmptyAnswer(list[at] ?? null));
  const kept = indexes.map(at => list[at] ?? null);
  const placeOf = ([at, ...inside]: Path): Path => {
    if (at === undefined) return [member];
    const index = indexes[Number(at)] ?? 0;
    return member === "message" ? [member, ...inside] : [member, index, ...inside];
  };
  refuse(wireFaults(kept).map(fault => placed(fault, placeOf(fault.path))));
  const { conversation, issues } = decode(kept, {
    // The newest generation reads what the older ones wrote.
    from: "huajuan:v7",
    shape: "messages",
    newId: config.newId,
    exact: body.exact,
    // What a reader of ours carries may be anything: a client must not say more than the document lets it say.
    carry: false,
  });
  const faults = issues.filter(issue => issue.severity === "error" || isUnread(issue, kept));
  refuse(
    faults.map(({ code, message, path, wirePath = path }) =>
      placed({ code, path, message: refusal(message) }, placeOf(wirePath)),
    ),
  );
  const foreign = conversation.messages.findIndex(({ role }) => !roles.has(role));
  const places = placesOf(conversation.messages).map(at => placeOf([at]));
  if (foreign >= 0) refuse([placed(unknownRole, places[foreign] ?? [])]);
  if (config.clientSystem === "refuse") refuse(systemFaults(conversation.messages, places, envelope));
  const messages = withAnswers(entered(conversation, config.newId), index => places[index] ?? []);
  const asked = envelope.trigger === "regenerate-message" ? beforeAnswer(messages, envelope.messageId) : messages;
  const hasNamed = messages.some(({ id, run }) => id === envelope.messageId || run === envelope.messageId);
  const ids = new Set(kept.flatMap(message => (isJsonObject(message) ? [message["id"]] : [])).filter(isText));
  return { messages: asked, isTurn: member === "message", dropped: list.length - kept.length, places, hasNamed, ids };
}

/** Results and approvals of an assistant's message are read as messages of its tools. */
const roles: ReadonlySet<string> = new Set(["user", "assistant", "tool", "system", "developer"]);

const unknownRole: Fault = { code: "role", path: [], message: "this is by nobody who may speak in a conversation" };

const tooMany = (found: number, most: number): HttpError =>
  new HttpError(
    413,
    `\`messages\` has ${found} messages, and the server takes ${most}; name a session, and send the new turn alone as \`message\``,
  );

/** Where each message stands in the list that was sent: what is read of one has its name as run. */
function placesOf(messages: readonly Message[]): number[] {
  let at = -1;
  return messages.map(({ run }, index) => {
    if (run === undefined || run !== messages[index - 1]?.run) at++;
    return at;
  });
}

/** An answer that is asked for anew is cut off, with all that follows, as the SDK's own client does before it sends. */
function beforeAnswer(messages: readonly Message[], messageId: string | undefined): readonly Message[] {
  const named = messages.findIndex(({ id, run }) => messageId !== undefined && (id === messageId || run === messageId));
  if (named >= 0) return fromTurn(messages.slice(0, isAnswer(messages[named]) ? named : named + 1));
  return fromTurn(messages.slice(0, messages.findLastIndex(message => !isAnswer(message)) + 1));
}

/** Behind a person's word the tool that asked for it would do again what it did: the turn is answered anew, and it asks again. */
function fromTurn(messages: readonly Message[]): readonly Message[] {
  if (!isWordOnly(messages.at(-1))) return messages;
  return messages.slice(0, messages.findLastIndex(message => !isAnswer(message) && !isWordOnly(message)) + 1);
}

const isAnswer = (message: Message | undefined): boolean => message?.role === "assistant" || message?.role === "tool";

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

const placed = ({ code, message }: Fault, path: Path): Fault => ({
  code,
  path,
  message: `${formatPath(path)}: ${message}`,
});

/** Readers say what they do with what they cannot read; nothing is kept of a request that is refused. */
const refusal = (message: string): string => message.replace(/[;,] kept as it is.*$/s, "; correct it, or leave it out");

function systemFaults(messages: readonly Message[], places: readonly Path[], { systemPrompt }: Envelope): Fault[] {
  const found: Path[] = systemPrompt === undefined ? [] : [["systemPrompt"]];
  for (const [index, message] of messages.entries()) if (isSystem(message)) found.push(places[index] ?? []);
  return found.map(path =>
    placed(
      { code: "system-refused", path, message: "this server takes no system text from clients; leave it out" },
      path,
    ),
  );
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

const isText = (value: Json | undefined): value is string => typeof value === "string";

const isSystem = ({ role }: Message): boolean => role === "system" || role === "developer";
