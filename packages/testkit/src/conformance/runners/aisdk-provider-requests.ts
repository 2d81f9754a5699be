import { equalJson, isJsonObject, type Json } from "translogue";
import { type Kept, keeps } from "../../keeps.ts";
import { type Checks, holdsLeaves, isEmpty, member, optionsOf } from "./aisdk-provider-places.ts";
import { chatMessages, responsesItems } from "./maf-normal.ts";

/** Whether the request that we write holds all that the SDK's body holds. */
export function keepsRequest(theirs: Json, ours: Json): Kept {
  const all = { theirs: normal(theirs), ours: normal(ours) };
  return keeps(all.theirs, all.ours, optionsOf(checks, all));
}

interface Compared {
  readonly theirs: unknown;
  readonly ours: unknown;
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
    return wrapped !== undefined && (wrapped === ours || JSON.stringify(wrapped) === ours);
  },
  "sdk unread arguments": ({ key, theirs, ours }) => key === "arguments" && theirs === "{}" && ours !== undefined,
  "sdk tool files": ({ theirs, ours }) =>
    typeof theirs === "string" && isContent(parsedText(theirs)) && ours !== undefined,
  "sdk made names": ({ key, theirs, ours }) =>
    key === "filename" && /^(part-\d+|document)\./.test(String(theirs)) && ours === undefined,
  "sdk names of the limit": ({ at, theirs, all }) =>
    at === "max_tokens" && member(all.ours, "max_completion_tokens") === theirs,
  "sdk package options": ({ at, ours }) =>
    ours === undefined &&
    /^(parallel_tool_calls|reasoning_effort|reasoning|extra_field|reasoning_format|include|tools\.\*\.search_context_size)$/.test(
      at,
    ),
  "sdk settings": ({ at, ours }) =>
    ours === undefined &&
    /^((frequency|presence)_penalty|top_k|seed|(response_format\.json_schema|text\.format)\.description)$/.test(at),
  "sdk foreign calls": ({ key, theirs, ours }) =>
    ours === undefined &&
    ((key === "tool_calls" && holdsLeaves(theirs, "mcp.list")) || member(theirs, "id") === "srv_1"),
  "sdk glued reasoning": ({ key, theirs, ours }) =>
    (key === "reasoning" || key === "reasoning_content") &&
    typeof ours === "string" &&
    ours.replaceAll("\n\n", "") === theirs,
  "sdk downloads": ({ theirs, ours }) => /^data:/.test(String(theirs)) && /^https?:/.test(String(ours)),
  "sdk text files": ({ at, theirs, ours, all }) =>
    at.startsWith("messages.*.content.") &&
    ours === undefined &&
    holdsLeaves(all.ours, btoa(String(member(theirs, "text")))),
  "sdk schema in words": ({ theirs, ours, all }) =>
    ours === undefined &&
    member(theirs, "role") === "system" &&
    /Return JSON/.test(JSON.stringify(theirs)) &&
    member(member(all.ours, "response_format"), "type") === "json_object",
  "sdk schema as a tool": ({ at, theirs, all }) =>
    member(all.ours, "response_format") !== undefined &&
    (at === "tool_choice" || member(member(theirs, "function"), "name") === "json"),
  "sdk empty values": ({ theirs, ours }) => ours === undefined && isEmpty(theirs),
};

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
