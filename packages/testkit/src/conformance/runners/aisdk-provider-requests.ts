import { equalJson, isJsonObject, type Json, type JsonObject } from "translogue";
import { type Kept, keeps } from "../../keeps.ts";
import { type Checks, holdsLeaves, isEmpty, member, optionsOf } from "./aisdk-provider-places.ts";
import { chatMessages, responsesItems } from "./maf-normal.ts";

/** Whether the request that we write holds all that the SDK's body holds. */
export function keepsRequest(theirs: Json, ours: Json, call: JsonObject): Kept {
  const hasOptions = call["providerOptions"] !== undefined || call["providerTools"] !== undefined;
  const all = { theirs: normal(theirs), ours: normal(ours), given: call["messages"] ?? [], hasOptions };
  return keeps(all.theirs, all.ours, optionsOf(checks, all));
}

interface Compared {
  readonly theirs: unknown;
  readonly ours: unknown;
  /** The messages that both were made of. */
  readonly given: Json;
  /** Whether the call says something to one package alone. */
  readonly hasOptions: boolean;
}

function normal(request: Json): unknown {
  if (!isJsonObject(request)) return request;
  const { messages, input } = request;
  return {
    ...request,
    ...(messages !== undefined && { messages: chatMessages(messages) }),
    ...(input !== undefined && { input: responsesItems(input) }),
  };
}

const checks: Checks<Compared> = {
  "sdk streaming": ({ at }) => at === "stream" || at === "stream_options",
  "sdk stored items": ({ theirs, all }) =>
    member(theirs, "type") === "item_reference" && holdsLeaves(all.ours, member(theirs, "id")),
  "sdk made ids": ({ path, key, theirs, all }) =>
    key === "id" && theirs === member(path.slice(0, -1).reduce<unknown>(stepInto, all.theirs), "call_id"),
  "sdk item states": ({ at, ours }) => at === "input.*.status" && ours === undefined,
  "sdk defaults": ({ key, theirs, ours }) =>
    (ours === undefined &&
      ((key === "tool_choice" && theirs === "auto") ||
        (key === "strict" && typeof theirs === "boolean") ||
        (key === "summary" && theirs === "detailed") ||
        key === "thinking")) ||
    (key === "name" && theirs === "response" && ours === "answer"),
  "sdk developer messages": ({ theirs, ours, all }) =>
    ours === undefined && member(theirs, "role") === "developer" && holdsLeaves(all.ours, member(theirs, "content")),
  "sdk JSON text": ({ theirs, ours }) => {
    const [their, our] = [parsedText(theirs), parsedText(ours)];
    return their !== undefined && our !== undefined && equalJson(their, our);
  },
  "sdk errors in words": ({ theirs, ours }) => {
    const wrapped = member(parsedText(theirs), "error");
    const isDenial = theirs === "tool execution denied" && /denied/.test(String(ours));
    return isDenial || (wrapped !== undefined && (wrapped === ours || JSON.stringify(wrapped) === ours));
  },
  "sdk unread arguments": ({ key, theirs, ours }) => key === "arguments" && theirs === "{}" && ours !== undefined,
  "sdk tool files": ({ theirs, ours }) =>
    typeof theirs === "string" && isContent(parsedText(theirs)) && ours !== undefined,
  "sdk made names": ({ key, theirs, ours }) =>
    key === "filename" && /^(part-\d+|document)\./.test(String(theirs)) && ours === undefined,
  "sdk names of the limit": ({ at, theirs, all }) =>
    at === "max_tokens" && member(all.ours, "max_completion_tokens") === theirs,
  "sdk package options": ({ at, ours, all }) =>
    all.hasOptions &&
    ours === undefined &&
    /^(parallel_tool_calls|reasoning_effort|reasoning|extra_field|reasoning_format|include|tools\.\*\.search_context_size)$/.test(
      at,
    ),
  "sdk settings": ({ at, ours }) =>
    ours === undefined &&
    /^((frequency|presence)_penalty|top_k|seed|(response_format\.json_schema|text\.format)\.description)$/.test(at),
  "sdk foreign calls": ({ key, theirs, ours, all }) =>
    ours === undefined &&
    (key === "tool_calls" ? isProviders(theirs, all.given) : isReference(theirs) && !isItem(theirs, all.given)),
  "sdk stored approvals": ({ theirs, ours, all }) =>
    ours === undefined &&
    (/^mcp_approval_/.test(String(member(theirs, "type"))) || (isReference(theirs) && isAsked(theirs, all.given))),
  "sdk ids as bytes": ({ path, theirs, ours, all }) =>
    ours === undefined &&
    /^data:[^,]*;base64,file-/.test(String(theirs)) &&
    member(path.slice(0, -1).reduce<unknown>(stepInto, all.ours), "file_id") === bytesOf(theirs),
  "sdk custom parts": ({ theirs, ours, all }) =>
    ours === undefined &&
    isReference(theirs) &&
    partsOf(all.given).some(part => part["type"] === "custom" && holdsLeaves(part, member(theirs, "id"))),
  "sdk seals of two makers": ({ theirs, ours, all }) =>
    ours === undefined && isReference(theirs) && isItem(theirs, all.given, 2),
  "sdk glued reasoning": ({ key, theirs, ours }) =>
    (key === "reasoning" || key === "reasoning_content") &&
    typeof ours === "string" &&
    ours.replaceAll("\n\n", "") === theirs,
  "sdk downloads": ({ theirs, ours }) => /^data:/.test(String(theirs)) && /^https?:/.test(String(ours)),
  "sdk text files": ({ at, theirs, ours, all }) =>
    at.startsWith("messages.*.content.") &&
    ours === undefined &&
    JSON.stringify(all.ours).includes(Buffer.from(String(member(theirs, "text"))).toString("base64")),
  "sdk guessed types": ({ theirs, ours }) =>
    typeof ours === "string" && /^data:image\//.test(ours) && bytesOf(ours) === bytesOf(theirs),
  "sdk schema in words": ({ theirs, ours, all }) =>
    ours === undefined &&
    member(theirs, "role") === "system" &&
    /Return JSON/.test(JSON.stringify(theirs)) &&
    member(member(all.ours, "response_format"), "type") === "json_object",
  "sdk schema as a tool": ({ at, theirs, all }) =>
    member(all.ours, "response_format") !== undefined &&
    (at === "tool_choice" || at === "parallel_tool_calls" || member(member(theirs, "function"), "name") === "json"),
  "sdk empty values": ({ theirs, ours }) =>
    ours === undefined && (isEmpty(theirs) || isEmpty(parsedText(member(theirs, "text")) ?? theirs)),
};

const bytesOf = (url: unknown): string => String(url).replace(/^[^,]*,/, "");

const isReference = (item: unknown): boolean => member(item, "type") === "item_reference";

/** Whether the messages tell that the provider ran a call. */
const isProviders = (calls: unknown, given: Json): boolean =>
  Array.isArray(calls) &&
  calls.every(call =>
    partsOf(given).some(part => part["toolCallId"] === member(call, "id") && part["providerExecuted"] === true),
  );

/** Whether the messages name an item of the provider's, beside what at least so many providers say. */
const isItem = (reference: unknown, given: Json, providers = 1): boolean =>
  partsOf(given).some(({ providerOptions: options }) => {
    const own = isJsonObject(options) ? Object.values(options) : [];
    return own.length >= providers && own.some(each => member(each, "itemId") === member(reference, "id"));
  });

/** Whether a person is asked about a call, by the id of the call or of the question. */
const isAsked = (reference: unknown, given: Json): boolean =>
  partsOf(given).some(
    part =>
      part["type"] === "tool-approval-request" &&
      [part["toolCallId"], part["approvalId"]].includes(member(reference, "id") as string),
  ); // ids are texts

const partsOf = (given: Json): readonly JsonObject[] =>
  (Array.isArray(given) ? (given as readonly Json[]) : []).flatMap(message => {
    const content = isJsonObject(message) ? message["content"] : undefined;
    return Array.isArray(content) ? (content as readonly Json[]).filter(isJsonObject) : [];
  });

const stepInto = (value: unknown, step: string | number): unknown =>
  Array.isArray(value) ? (value as readonly unknown[])[Number(step)] : member(value, String(step));

const isContent = (value: unknown): boolean =>
  Array.isArray(value) && value.every(item => typeof member(item, "type") === "string");

function parsedText(value: unknown): Json | undefined {
  if (typeof value !== "string") return undefined;
  try {
    return JSON.parse(value) as Json; // JSON.parse gives JSON
  } catch {
    return undefined;
  }
}
