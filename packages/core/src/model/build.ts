/** Short ways to write conversations by hand. All give plain objects; an object of the same members is as good. */

import type { Conversation, Message, Role } from "./conversation.ts";
import type { MessageHead } from "./events.ts";
import type { Json } from "./json.ts";
import type { FileSource, Part, PartOf, PartType, ToolCallPart, ToolResultPart } from "./parts.ts";

/** What a message or a tool's output says: a text stands for a text part. */
export type Content = string | Part | readonly (string | Part)[];

/** The members of a part besides those that its builder takes by itself. */
type More<T extends PartType, Given extends string> = Partial<Omit<PartOf<T>, "type" | Given>>;
/** The members of a message besides its role and parts. */
export type MessageMembers = Omit<MessageHead, "role">;

export const conversation = (...messages: readonly Message[]): Conversation => ({ messages });

/** A message of any role; the next five name the usual ones. */
export const message = (role: Role, content: Content, members: MessageMembers = {}): Message => ({
  ...members,
  role,
  parts: partsOf(content),
});

export const system = (content: Content, members?: MessageMembers): Message => message("system", content, members);
export const developer = (content: Content, members?: MessageMembers): Message =>
  message("developer", content, members);
export const user = (content: Content, members?: MessageMembers): Message => message("user", content, members);
export const assistant = (content: Content, members?: MessageMembers): Message =>
  message("assistant", content, members);

/** The results of tools that the application ran. */
export const toolMessage = (...results: readonly ToolResultPart[]): Message => message("tool", results);

const partsOf = (content: Content): readonly Part[] =>
  (isList(content) ? content : [content]).map(item => (typeof item === "string" ? text(item) : item));

const isList = (content: Content): content is readonly (string | Part)[] => Array.isArray(content);

export const text = (words: string, more: More<"text", "text"> = {}): PartOf<"text"> => ({
  type: "text",
  text: words,
  ...more,
});

/** Reasoning in the open. Without words it is hidden: give it a seal. */
export const reasoning = (words?: string, more: More<"reasoning", "text"> = {}): PartOf<"reasoning"> => ({
  type: "reasoning",
  ...(words !== undefined && { text: words }),
  ...more,
});

export const refusal = (words: string, more: More<"refusal", "text"> = {}): PartOf<"refusal"> => ({
  type: "refusal",
  text: words,
  ...more,
});

const file = (source: FileSource, more: More<"file", "source">): PartOf<"file"> => ({ type: "file", source, ...more });

/** An image on the web. */
export const imageUrl = (url: string, more: More<"file", "source"> = {}): PartOf<"file"> =>
  file({ url }, { mediaType: "image/*", ...more });

export const fileUrl = (url: string, more: More<"file", "source"> = {}): PartOf<"file"> => file({ url }, more);

/** A file whole, its bytes in base64. */
export const fileData = (
  data: string,
  mediaType: string,
  more: More<"file", "source" | "mediaType"> = {},
): PartOf<"file"> => file({ data }, { mediaType, ...more });

/** A file that a provider holds. */
export const fileId = (id: string, more: More<"file", "source"> = {}): PartOf<"file"> => file({ id }, more);

/** A document of text, apart from what is said. */
export const fileText = (words: string, more: More<"file", "source"> = {}): PartOf<"file"> =>
  file({ text: words }, { mediaType: "text/plain", ...more });

export const toolCall = (
  call: Pick<ToolCallPart, "callId" | "name"> & More<"tool-call", "callId" | "name">,
): ToolCallPart => ({ type: "tool-call", ...call });

/** What a call gave: a text, or parts; JSON is `dataPart(value)`. */
export const toolResult = (
  callId: string,
  output?: Content,
  more: More<"tool-result", "callId" | "output"> = {},
): ToolResultPart => ({
  type: "tool-result",
  callId,
  ...(output !== undefined && { output: partsOf(output) }),
  ...more,
});

export const approvalRequest = (
  requestId: string,
  callId: string,
  more: More<"approval-request", "requestId" | "callId"> = {},
): PartOf<"approval-request"> => ({ type: "approval-request", requestId, callId, ...more });

export const approvalResponse = (
  requestId: string,
  approved: boolean,
  more: More<"approval-response", "requestId" | "approved"> = {},
): PartOf<"approval-response"> => ({ type: "approval-response", requestId, approved, ...more });

export const inputRequest = (
  requestId: string,
  kind: PartOf<"input-request">["kind"],
  more: More<"input-request", "requestId" | "kind"> = {},
): PartOf<"input-request"> => ({ type: "input-request", requestId, kind, ...more });

/** Without a value the person cancelled. */
export const inputResponse = (
  requestId: string,
  value?: Json,
  more: More<"input-response", "requestId" | "value"> = {},
): PartOf<"input-response"> => ({
  type: "input-response",
  requestId,
  ...(value !== undefined && { value }),
  ...more,
});

export const sourcePart = (members: More<"source", never>): PartOf<"source"> => ({ type: "source", ...members });

export const dataPart = (data: Json, more: More<"data", "data"> = {}): PartOf<"data"> => ({
  type: "data",
  data,
  ...more,
});

export const errorPart = (words: string, more: More<"error", "message"> = {}): PartOf<"error"> => ({
  type: "error",
  message: words,
  ...more,
});

export const changePart = (members: More<"change", never>): PartOf<"change"> => ({ type: "change", ...members });

/** Stands for the history before it. */
export const compactionPart = (summary?: Content, more: More<"compaction", "summary"> = {}): PartOf<"compaction"> => ({
  type: "compaction",
  ...(summary !== undefined && { summary: partsOf(summary) }),
  ...more,
});

export const opaquePart = (
  family: string,
  value: Json,
  more: More<"opaque", "family" | "value"> = {},
): PartOf<"opaque"> => ({
  type: "opaque",
  family,
  value,
  ...more,
});
