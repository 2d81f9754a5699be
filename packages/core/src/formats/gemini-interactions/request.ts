import { hasState, withoutState } from "../../blocks/host-state.ts";
import { messageOf } from "../../codec/by-shape.ts";
import type { DecodeContext, EncodeContext } from "../../codec/codec.ts";
import { defined, Reader } from "../../codec/reader.ts";
import { fillAll, hintsOf, kept, present, remainderOf } from "../../codec/remainder.ts";
import type { Conversation, Message } from "../../model/conversation.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { isContent, readContent } from "./contents.ts";
import { readSettings, writeSettings } from "./settings.ts";
import { isContents, readSteps } from "./steps.ts";
import { readTools, searchesStore, writeTools } from "./tools.ts";
import { Calls, dialects, family, type ReadScope, routeOf, type WriteScope, writeScope } from "./wire.ts";
import { type Group, stepsOf, writeSteps } from "./write-steps.ts";

export const readScope = (context: DecodeContext, made?: string): ReadScope => ({
  route: routeOf(context.dialect),
  made,
  calls: new Calls(),
  issue: (code, path, message) => context.issue(code, path, message),
});

/** A history: steps, or the contents of one thing that a user says. `first`: number of its first message in the conversation. */
export function readList(
  list: readonly Json[],
  context: DecodeContext,
  { path = [], first = 0 }: { readonly path?: readonly (string | number)[]; readonly first?: number } = {},
): readonly Message[] {
  if (isContents(list)) return [userOf(list, context, path, "contents")];
  const read = readSteps(list, readScope(context), index => [...path, index]);
  for (const [index, { carry }] of read.entries()) if (carry !== undefined) context.carried(first + index, carry);
  return read.map(messageOf);
}

function userOf(
  list: readonly Json[],
  context: DecodeContext,
  path: readonly (string | number)[],
  $input: string,
): Message {
  const parts = list.map((each, index) => readContent(each, [...path, index], context));
  return { role: "user", parts, ...kept(family, undefined, { $input }) };
}

export function readRequest(wire: JsonObject, context: DecodeContext): Conversation {
  const reader = new Reader(wire);
  const model = reader.string("model");
  const instruction = reader.string("system_instruction");
  const system: readonly Message[] =
    instruction === undefined ? [] : [{ role: "system", parts: [{ type: "text", text: instruction }] }];
  const input = readInput(reader, context, system.length);
  const wireTools = reader.peek("tools");
  const tools = wireTools === undefined || wireTools === null ? undefined : readTools(wireTools, context);
  if (tools) reader.take("tools");
  const { settings, hints, rest: others } = readSettings(reader);
  const rest = { ...reader.rest(), ...others };
  const host =
    context.dialect !== dialects[0] && (hasStored(rest) || tools?.some(searchesStore))
      ? { $host: context.dialect }
      : {};
  return {
    messages: [...system, ...(input ?? [])],
    ...defined<Omit<Conversation, "messages">>({
      model,
      tools,
      settings: Object.keys(settings).length > 0 ? settings : undefined,
    }),
    ...kept(family, rest, { ...hints, ...host, ...(!input && { $input: false }) }),
  };
}

function readInput(reader: Reader, context: DecodeContext, first: number): readonly Message[] | undefined {
  const input = reader.peek("input");
  if (typeof input === "string") {
    reader.take("input");
    return [{ role: "user", parts: [{ type: "text", text: input }], ...kept(family, undefined, { $input: "text" }) }];
  }
  if (isContent(input)) {
    reader.take("input");
    return [userOf([input], context, ["input"], "content")];
  }
  if (Array.isArray(input)) {
    reader.take("input");
    return readList(input, context, { path: ["input"], first });
  }
  if (input !== undefined)
    context.issue("unread-input", ["input"], "expected a text, contents or steps; kept as it is");
  return undefined;
}

/** What Google stores for a caller: ids that mean nothing elsewhere. */
const storedMembers = [
  "previous_interaction_id",
  "environment",
  "environment_id",
  "cached_content",
  "continuation_token",
];
const hasStored = (members: JsonObject): boolean =>
  storedMembers.some(name => typeof members[name] === "string") || hasState(members);

export function writeRequest(conversation: Conversation, context: EncodeContext): JsonObject {
  const { messages, model, tools, settings = {} } = conversation;
  const hints = hintsOf(conversation, family);
  const rest = stateOf(conversation, context);
  const scope = writeScope(messages, context);
  const found = messages.findIndex(({ role }) => role !== "system" && role !== "developer");
  const count = found < 0 ? messages.length : found;
  const instruction = writeSystem(messages.slice(0, count), scope, context);
  const history = messages.slice(count);
  const groups = writeSteps(history, scope, index => ["messages", count + index]);
  report(groups, count, context);
  const fields = present({
    model,
    input: inputOf(history, stepsOf(groups), { hints, rest }),
    system_instruction: instruction,
    tools: tools && writeTools(tools, { ...context, isAway: isAway(conversation, context) }),
    ...writeSettings(settings, { hints, context }),
  });
  return fillAll(fields, rest);
}

/** Whether what the conversation speaks of is stored by another host than the one that it goes to. */
function isAway(conversation: Conversation, { recipient, dialect }: EncodeContext): boolean {
  const { $host: host = dialects[0] } = hintsOf(conversation, family);
  return recipient === "provider" && host !== dialect;
}

/** The remainder; without what another host stores, for a provider (R14). */
function stateOf(conversation: Conversation, context: EncodeContext): JsonObject {
  const rest = remainderOf(conversation, family);
  if (!isAway(conversation, context) || !hasStored(rest)) return rest;
  const drop = (name: string): void => context.lose("foreign-state", ["native", family, name]);
  const kept = Object.entries(rest).filter(([name, value]) => {
    const isStored = storedMembers.includes(name) && typeof value === "string";
    if (isStored) drop(name);
    return !isStored;
  });
  return withoutState(Object.fromEntries(kept), drop);
}

export function report(groups: readonly Group[], offset: number, context: EncodeContext): void {
  for (const { steps, first, count } of groups) context.wrote([steps], offset + first, count);
}

/** What a user says first may stand without a step, as it was read. */
function inputOf(
  history: readonly Message[],
  steps: readonly JsonObject[],
  { hints, rest }: { readonly hints: JsonObject; readonly rest: JsonObject },
): Json | undefined {
  const [only] = history;
  const [step] = steps;
  if (history.length === 0 && (hints["$input"] === false || Object.hasOwn(rest, "input"))) return undefined;
  const { $input: told } = only ? hintsOf(only, family) : {};
  const isOne = history.length === 1 && steps.length === 1 && isJsonObject(step) && Object.keys(step).length === 2;
  const contents =
    isOne && step["type"] === "user_input" && Array.isArray(step["content"]) ? step["content"] : undefined;
  if (!contents || told === undefined) return steps;
  const [first] = contents as readonly Json[]; // contents that were just written
  if (told === "contents") return contents.length > 0 ? contents : steps;
  if (contents.length !== 1 || !isJsonObject(first)) return steps;
  if (told === "content") return first;
  const isPlain = first["type"] === "text" && Object.keys(first).length === 2;
  return isPlain ? (first["text"] ?? null) : steps;
}

/** The API has one text for all that the system says before the first turn. */
function writeSystem(messages: readonly Message[], scope: WriteScope, context: EncodeContext): string | undefined {
  if (messages.length === 0) return undefined;
  const texts = messages.flatMap((message, index) => {
    const path = ["messages", index];
    if (messages.length > 1) context.lose("system-joined", path);
    if (message.role === "developer") context.lose("role", [...path, "role"], message.role);
    if (message.parts.length > 1) context.lose("system-joined", [...path, "parts"]);
    return message.parts.flatMap((part, place) => {
      const isText = part.type === "text" || part.type === "refusal";
      if (!isText) scope.lose("misplaced", [...path, "parts", place], part.type);
      else if (part.type === "refusal") scope.lose("refusal", [...path, "parts", place]);
      else if (part.citations) scope.lose("misplaced", [...path, "parts", place, "citations"]);
      if (isText && part.seal) scope.lose("seal-place", [...path, "parts", place, "seal"]);
      return isText ? [part.text] : [];
    });
  });
  if (texts.length === 0) for (const index of messages.keys()) scope.lose("empty-message", ["messages", index]);
  return texts.length === 0 ? undefined : texts.join("\n\n");
}
