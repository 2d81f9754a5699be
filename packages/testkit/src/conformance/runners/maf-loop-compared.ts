import { type AgentResponse, type ModelRequest, sumUsage } from "@translogue/agent";
import {
  decode,
  encode,
  isJsonObject,
  type Json,
  type JsonObject,
  type Message,
  type Part,
  type ToolCallPart,
  type Usage,
} from "translogue";
import { readChatOptions, readMaf, writeChatOptions, writeMaf } from "translogue/maf";
import { difference } from "../../difference.ts";
import { comparedInput, comparedProperties } from "./maf-loop-heads.ts";
import { formsFor, type NormalForm, normalForms } from "./maf-loop-normal.ts";
import type { Invocation } from "./maf-script.ts";

export interface Case extends JsonObject {
  readonly name: string;
  readonly out: JsonObject;
}

/** One run of ours, and what came of the original's. */
export interface Seen {
  readonly each: Case;
  readonly expected: JsonObject;
  readonly requests: readonly ModelRequest[];
  readonly invocations: readonly Invocation[];
  readonly completions: readonly string[];
  readonly response?: AgentResponse;
  /** What was thrown before the run, with our code. */
  readonly error?: unknown;
  readonly code?: string;
}

export const objects = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];
export const objectIn = (holder: JsonObject, key: string): JsonObject => {
  const value = holder[key];
  return isJsonObject(value) ? value : {};
};
export const readMessages = (list: Json | undefined): readonly Message[] =>
  decode(list ?? [], { from: "maf", shape: "messages" }).conversation.messages;

/** What differs between a run of ours and the original's; `rules` gets those that the likeness needed. */
export function compared(seen: Seen, rules: Set<string>, all: readonly NormalForm[] = normalForms): string | undefined {
  const forms = formsFor(all, seen.each);
  return (
    comparedEnd(seen) ??
    comparedRequests(seen, rules, forms) ??
    comparedResponses(seen, rules, forms) ??
    comparedInvocations(seen, rules)
  );
}

const told = (what: string, why: string | undefined): string | undefined =>
  why === undefined ? undefined : `${what}: ${why}`;

/** Whether ours refuses: it throws before a run, and says in the response how one failed. */
export function isRefused({ response, error }: Seen): boolean {
  const { reason, raw } = response?.finish ?? {};
  return error !== undefined || reason === "error" || reason === "aborted" || raw === "max-consecutive-errors";
}

function comparedEnd(seen: Seen): string | undefined {
  const { expected, response, error } = seen;
  const { error: theirs } = expected;
  if ((theirs !== undefined) === isRefused(seen)) return undefined;
  const own = error instanceof Error ? error.message : (response?.error?.message ?? JSON.stringify(response?.finish));
  if (theirs === undefined) return isLeft(seen) ? undefined : `ours refuses: ${own}`;
  return `.NET refuses (${String(theirs)}), ours ends with ${own}`;
}

/** A reader that leaves stops the run. */
const isLeft = ({ each }: Seen): boolean => objectIn(each, "consumer")["stopAfterUpdates"] !== undefined;

/** .NET's cancelled clients go on until somebody looks at the token; ours stop. */
export const isCancelled = ({ expected }: Seen): boolean =>
  String(expected["error"] ?? "").startsWith("OperationCanceledException");

function comparedRequests(seen: Seen, rules: Set<string>, forms: readonly NormalForm[]): string | undefined {
  const { requests, expected } = seen;
  const theirs = objects(expected["requests"]);
  if (isCancelled(seen) && requests.length < theirs.length) rules.add("maf cancelled calls");
  else if (theirs.length !== requests.length) return `requests: ${requests.length}, expected ${theirs.length}`;
  for (const [index, request] of requests.entries()) {
    const why = comparedRequest(request, theirs[index] ?? {}, { rules, forms }) ?? comparedHeads(seen, index);
    if (why !== undefined) return `request ${index}: ${why}`;
  }
  return undefined;
}

function comparedRequest(request: ModelRequest, theirs: JsonObject, likeness: Likeness): string | undefined {
  const { messages, tools = [] } = request.conversation;
  const own = messages.filter(({ synthetic }) => synthetic !== "instructions");
  const names = Array.isArray(theirs["tools"]) ? theirs["tools"].map(String) : [];
  return (
    alike({ ours: { messages: mafOf(own) }, theirs: { messages: theirs["messages"] ?? [] } }, likeness) ??
    told("tools", difference(tools.map(({ name }) => name).sort(), names.sort())) ??
    told("options", difference(optionsOf(request, names.length > 0), theirOptions(theirs, names.length > 0)))
  );
}

function comparedHeads({ each, requests, expected }: Seen, index: number): string | undefined {
  const own = mafOf(requests[index]?.conversation.messages ?? []);
  const { messages } = objects(expected["requests"])[index] ?? {};
  return comparedInput(own, messages, each["input"]) ?? comparedProperties(own, messages, each["input"]);
}

/** A choice among no tools is none. */
const withChoice = (options: JsonObject, hasTools: boolean): JsonObject => {
  const { toolMode: _, ...rest } = options;
  return hasTools ? options : rest;
};

function optionsOf({ conversation: { settings }, conversationId }: ModelRequest, hasTools: boolean): JsonObject {
  const options = writeChatOptions(settings ? { settings } : {});
  return withChoice({ ...options, ...(conversationId !== undefined && { conversationId }) }, hasTools);
}

/** The settings; what is no setting of a model's is the caller's own. */
function theirOptions({ options, toolMode, conversationId }: JsonObject, hasTools: boolean): JsonObject {
  const value: unknown = typeof options === "string" ? JSON.parse(options) : {};
  const { settings } = readChatOptions(isJsonObject(value) ? value : {});
  const mode = toolMode !== null && toolMode !== undefined ? { toolMode } : {};
  return withChoice({ ...writeChatOptions(settings ? { settings } : {}), ...mode, ...idOf(conversationId) }, hasTools);
}

const idOf = (conversationId: Json | undefined): JsonObject =>
  typeof conversationId === "string" && conversationId.trim() !== "" ? { conversationId } : {};

export const mafOf = (messages: readonly Message[]): Json =>
  asDotnet(encode({ messages }, { to: "maf", shape: "messages" }).value as Json); // a list of JSON

/** In .NET's own spelling of dates and types, without the members that .NET drops when it reads ours. */
export function asDotnet(messages: Json): Json {
  const type = "List<ChatMessage>";
  const written = writeMaf({ value: messages }, { type });
  try {
    return JSON.parse(writeMaf(readMaf(written, { type, strict: true }), { type })) as Json; // the text of JSON
  } catch {
    return JSON.parse(written) as Json; // the same
  }
}

/** The original's request holds its call and stands in its place; ours stands behind the message's parts (R22). */
function withRequests(messages: readonly Message[]): readonly Message[] {
  const isRequest = (part: Part) => part.type === "approval-request" && !part.call;
  const requests = new Map<Part, Part>();
  const calls = new Map<string, ToolCallPart[]>();
  for (const { parts } of messages) {
    const own = parts.filter(part => part.type === "tool-call");
    for (const { callId } of own)
      calls.set(
        callId,
        own.filter(call => call.callId === callId),
      ); // the last message's
    for (const part of parts) {
      if (part.type !== "approval-request" || part.call) continue;
      const call = calls.get(part.callId)?.find(one => !requests.has(one));
      if (call) requests.set(call, { ...part, call });
    }
  }
  const held = (part: Part): Part => requests.get(part) ?? part;
  return messages.map(message => ({ ...message, parts: message.parts.filter(part => !isRequest(part)).map(held) }));
}

function comparedResponses(seen: Seen, rules: Set<string>, forms: readonly NormalForm[]): string | undefined {
  const { response, expected, each } = seen;
  const text = expected["response"] ?? expected["combined"];
  const theirs: unknown = typeof text === "string" && expected["error"] === undefined ? JSON.parse(text) : undefined;
  if (!response || !isJsonObject(theirs)) return undefined;
  // A reader that left has not heard what a stream says at the end.
  const isWhole = !isLeft(seen);
  // Where no model was asked the original forgets what the caller said.
  const isAsked = seen.requests.length > 0;
  const ours = { messages: mafOf(withRequests(response.messages)), ...(isAsked && idOf(response.conversationId)) };
  const wanted = { messages: theirs["messages"] ?? [], ...(isAsked && idOf(theirs["conversationId"])) };
  return told(
    "response",
    alike({ ours, theirs: wanted }, { rules, forms }) ??
      (isWhole ? comparedProperties(ours.messages, wanted.messages, each["input"]) : undefined) ??
      (isWhole ? comparedFacts(response, theirs, { each, rules }) : undefined),
  );
}

/** Usage, the model and how it ended. */
function comparedFacts(
  response: AgentResponse,
  theirs: JsonObject,
  { each, rules }: { readonly each: Case; readonly rules: Set<string> },
): string | undefined {
  const { messages } = decode(theirs, { from: "maf", shape: "answer" }).conversation;
  const usage = comparedUsage(response.usage, sumUsage(messages), rules);
  if (usage !== undefined) return usage;
  const model = theirs["modelId"];
  if (tells(each, "modelId") && response.model !== model)
    return `model: got ${response.model}, expected ${String(model)}`;
  const finish = messages.at(-1)?.finish;
  if (finish === undefined || !tells(each, "finishReason")) return undefined;
  const why = told("finish", difference(response.finish, finish));
  const isOwn = response.finish?.reason === "tool-calls" || /^(?:max-|terminated)/.test(response.finish?.raw ?? "");
  if (why === undefined || (!isOwn && finish.reason !== "tool-calls")) return why;
  rules.add("maf finish");
  return undefined;
}

/** A total of one answer says more than its parts; the original adds it to the parts of others. */
function comparedUsage(ours: Usage | undefined, theirs: Usage | undefined, rules: Set<string>): string | undefined {
  const why = told("usage", difference(ours, theirs));
  const parts = (usage: Usage = {}): Usage => {
    const { other: _, ...rest } = usage;
    return rest;
  };
  if (why === undefined || difference(parts(ours), parts(theirs)) !== undefined) return why;
  rules.add("maf summed totals");
  return undefined;
}

/** Whether the last answer says it: else the original repeats what an earlier one said. */
function tells(each: Case, key: "finishReason" | "modelId"): boolean {
  const last = objects(each["script"]).at(-1) ?? {};
  const answers = [objectIn(last, "response"), ...objects(last["updates"])];
  return answers.some(answer => typeof answer[key] === "string");
}

function comparedInvocations(seen: Seen, rules: Set<string>): string | undefined {
  const theirs = objects(seen.expected["invocations"]).map(({ name, callId, arguments: given }) =>
    JSON.stringify([name, callId, sorted(given ?? {})]),
  );
  const ours = seen.invocations.map(({ name, callId, arguments: given }) =>
    JSON.stringify([name, callId.startsWith("~") ? "" : callId, sorted(given)]),
  );
  const why = difference(ours, theirs);
  if (why === undefined) return comparedCompletions(seen);
  if (isCancelled(seen) && theirs.join().startsWith(ours.join())) rules.add("maf cancelled calls");
  else if (difference(ours.toSorted(), theirs.toSorted()) === undefined) rules.add("maf order of results");
  else return `invocations: ${why}`;
  return undefined;
}

const sorted = (value: Json): Json =>
  isJsonObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;

function comparedCompletions({ completions, expected }: Seen): string | undefined {
  const { completions: theirs } = expected;
  return theirs === undefined ? undefined : told("completions", difference(completions, theirs));
}

/** A run without what is about some calls, on both sides. */
export function withoutCalls(seen: Seen, ids: readonly string[]): Seen {
  const isAbout = (id: Json | undefined) => typeof id === "string" && ids.includes(id);
  const own = (messages: readonly Message[]): readonly Message[] =>
    messages.map(message => ({
      ...message,
      parts: message.parts.filter(part => !("callId" in part && isAbout(part.callId))),
    }));
  const { requests, invocations, response, expected } = seen;
  const wanted = (messages: Json | undefined): Json =>
    objects(messages).map(message => ({
      ...message,
      contents: objects(message["contents"]).filter(
        content => !isAbout(content["callId"]) && !isAbout(objectIn(content, "toolCall")["callId"]),
      ),
    }));
  const text = (value: Json): string => {
    const whole = JSON.parse(String(value)) as JsonObject; // a response
    return JSON.stringify({ ...whole, messages: wanted(whole["messages"]) });
  };
  const texts = ["response", "combined"].flatMap(key => {
    const value = expected[key];
    return typeof value === "string" ? [[key, text(value)]] : [];
  });
  return {
    ...seen,
    requests: requests.map(request => ({
      ...request,
      conversation: { ...request.conversation, messages: own(request.conversation.messages) },
    })),
    invocations: invocations.filter(({ callId }) => !isAbout(callId)),
    ...(response && { response: { ...response, messages: own(response.messages) } }),
    expected: {
      ...expected,
      ...(Object.fromEntries(texts) as JsonObject),
      requests: objects(expected["requests"]).map(request => ({ ...request, messages: wanted(request["messages"]) })),
      invocations: objects(expected["invocations"]).filter(({ callId }) => !isAbout(callId)),
    },
  };
}

/** How two sides are compared: the rules of the forms that are needed are noted. */
export interface Likeness {
  readonly rules: Set<string>;
  readonly forms: readonly NormalForm[];
}

/** Equal in the normal forms. */
export function alike(
  sides: { readonly ours: JsonObject; readonly theirs: JsonObject },
  { rules, forms: all }: Likeness,
): string | undefined {
  const differing = (forms: readonly NormalForm[]) => {
    const { ours, theirs } = forms.reduce((pair, form) => form.apply(pair), sides);
    return difference(ours, theirs);
  };
  const why = differing(all);
  if (why !== undefined) return why;
  if (differing(all.filter(({ rule }) => rule === undefined)) === undefined) return undefined;
  for (const form of all) {
    const isNeeded = form.rule !== undefined && differing(all.filter(each => each !== form)) !== undefined;
    if (isNeeded && form.rule !== undefined) rules.add(form.rule);
  }
  return undefined;
}
