import { equalJson, isJsonObject, type Json, type JsonObject } from "translogue";
import { readMaf } from "translogue/maf";
import type { MafLoopRule } from "../rules/maf-loop.ts";
import type { MafSessionRule } from "../rules/maf-session.ts";
import { nodesOf } from "./maf-allowances.ts";
import { type Case, isRefused, objectIn, objects, type Seen } from "./maf-loop-compared.ts";

/** What has no counterpart here. */
export function asideRule(each: Case): MafSessionRule | undefined {
  const flags = objectIn(objectIn(each, "agent"), "flags");
  const off = [
    "useProvidedChatClientAsIs",
    "disableApprovalNotRequiredFunctionBypassing",
    "disableApprovalResponseBinding",
  ];
  if (off.some(flag => flags[flag] === true)) return "maf switched off parts";
  const keyed = objects(each["steps"]).some(({ history }) => isJsonObject(history) && "stateKey" in history);
  const bag = objects(each["steps"]).flatMap(({ bag: operations }) => objects(operations));
  const isHistory = ({ set, remove }: JsonObject) => [set, remove].includes("InMemoryChatHistoryProvider");
  if (keyed || bag.some(isHistory)) return "maf state keys";
  const { toolApproval, contextProviders } = objectIn(each, "agent");
  if (isJsonObject(toolApproval) && "maxAutoApprovalIterations" in toolApproval) return "maf iteration caps";
  if (flags["throwOnChatHistoryProviderConflict"] === false) return "maf history conflicts";
  const isPerCall = flags["requirePerServiceCallChatHistoryPersistence"] === true;
  return isPerCall && objects(contextProviders).length > 0 ? "maf per-call providers" : undefined;
}

/** What an excuse rests on: where a step first comes out otherwise, and what the case says of it. */
interface Ground {
  readonly each: Case;
  readonly run: JsonObject;
  readonly seen: Seen;
  readonly why: string;
  /** What the original throws, or nothing. */
  readonly error: string;
  /** Contents of the input. */
  readonly contents: readonly JsonObject[];
  /** Answers to requests, in the input. */
  readonly answers: readonly JsonObject[];
  /** The session as the original had it before. */
  readonly before: JsonObject;
  /** The calls that ours waits for an answer about, after the step. */
  readonly waiting: readonly string[];
  /** What came of the step in the original, as text. */
  readonly told: string;
}

/** Why a step may come out otherwise: the difference must be the one that the rule is about. */
export function excuse(each: Case, step: JsonObject, seen: SeenWaiting, why: string): Excuse | undefined {
  const run = objectIn(step, "run");
  const contents = objects(run["input"]).flatMap(message => objects(message["contents"]));
  const ground: Ground = {
    each,
    run,
    seen,
    why,
    error: String(seen.expected["error"] ?? ""),
    contents,
    answers: contents.flatMap(answerOf),
    before: sessionBefore(each, step),
    waiting: seen.waiting,
    told: JSON.stringify(seen.expected).replaceAll("\\", ""),
  };
  return excuses.find(([, is]) => is(ground))?.[0];
}

interface SeenWaiting extends Seen {
  readonly waiting: readonly string[];
}

type Excuse = MafSessionRule | MafLoopRule;

const excuses: readonly (readonly [Excuse, (ground: Ground) => boolean])[] = [
  [
    "maf repeated tools",
    ({ answers, error, seen, why }) =>
      answers.length > 0 && isModels(error) && seen.invocations.length > 0 && why.startsWith("session: history"),
  ],
  ["maf orphan results", ({ contents, before, why }) => why.startsWith("request ") && contents.some(isOrphan(before))],
  [
    "maf left requests",
    ({ run, told, why }) =>
      run["breakAfter"] !== undefined && told.includes('"$type":"toolApprovalRequest"') && isUnasked(why),
  ],
  [
    "maf gone tools",
    ({ before, each, why }) =>
      why.includes("not found") && isUnknown(bagOf(before)["_autoApprovedFunctionCalls"], each),
  ],
  [
    "maf asked about unknown tools",
    ({ seen, each, why }) =>
      isUnasked(why) && isUnknown(bagOf(sessionIn(seen.expected))["_pendingApprovalRequests"], each),
  ],
  [
    "maf forgotten approvals",
    ({ answers, before, contents, run, told, waiting, why }) =>
      Array.isArray(run["input"]) &&
      contents.every(content => answerOf(content).length > 0) &&
      isStillOpen(unanswered(before, answers), waiting) &&
      why.startsWith("requests: 0,") &&
      told.includes("No approval response was provided"),
  ],
  ["maf repeated requests", takes("used more than once")],
  ["maf left conversations of sessions", takes("did not return a valid conversation id")],
  ["maf history conflicts", takes("Only ConversationId or ChatHistoryProvider may be used")],
  [
    "maf tolerant history",
    ground => takes("unrecognized type discriminator")(ground) || takesNull(ground) || takesMembers(ground),
  ],
  ["maf unbound requests", ground => isRestored(ground) && takes("ToolApprovalRequestContent found")(ground)],
  ["maf told again", ({ run, why }) => goesOn(run) && why.startsWith("requests: 0, ")],
  ["maf lost exchanges", ground => isPolled(ground) && hasBegun(ground) && ground.why.startsWith("session: history")],
  ["maf continued histories", ground => isPolled(ground) && /^request [1-9]/.test(ground.why)],
  [
    "maf piled answers",
    ground => isPolled(ground) && isPiled(ground.each) && ground.why.startsWith("session: history"),
  ],
  [
    "maf one request at a time",
    ({ before, seen }) =>
      objects(objectIn(bagOf(before), "toolApprovalState")["queuedApprovalRequests"]).length > 0 &&
      objects(seen.expected["requests"]).length === 0,
  ],
  ["maf repeated requests", ({ seen, why }) => isUnasked(why) && asksTwice(seen.expected)],
  ["maf repeated context", ({ seen, why }) => why.startsWith("request ") && repeatsIds(seen.expected)],
  ["maf null input", ({ run, error }) => run["input"] === null && error.startsWith("ArgumentNullException")],
  ["maf shadowing tools", takes("Duplicate tool name")],
  ["maf forgotten approvals", takes("no matching ToolApprovalResponseContent")],
];

/** Ours takes what the original refuses in these words. */
function takes(words: string): (ground: Ground) => boolean {
  return ({ error, seen }) => error.includes(words) && (!isRefused(seen) || seen.requests.length > 0);
}

const isRestored = ({ run }: Ground): boolean => isJsonObject(run["session"]) && "restore" in run["session"];

/** A history with nulls in it, which the original fails on. */
const takesNull = (ground: Ground): boolean =>
  isRestored(ground) &&
  takes("NullReferenceException")(ground) &&
  JSON.stringify(ground.before).includes('"messages":[null');

/** A restored history with members of another type than .NET's, or without those that it demands: ours keeps them as they are. */
const takesMembers = (ground: Ground): boolean => isRestored(ground) && takes("")(ground) && hasStrangeHistory(ground);

const hasStrangeHistory = ({ before }: Ground): boolean =>
  Object.values(bagOf(before)).some(state => {
    const { messages } = isJsonObject(state) ? state : {};
    return Array.isArray(messages) && !isReadByDotnet(messages);
  });

function isReadByDotnet(messages: Json): boolean {
  try {
    readMaf(JSON.stringify(messages), { type: "List<ChatMessage>", strict: true });
    return true;
  } catch {
    return false;
  }
}

/** The model failed, and not the agent. */
const isModels = (error: string): boolean => error.startsWith("HttpRequestException");

/** The original shows a request where ours shows none. */
const isUnasked = (why: string): boolean => why.endsWith(".asked: got nothing, expected true");

const goesOn = (run: JsonObject): boolean => objectIn(run, "options")["continuationToken"] !== undefined;

const isPolled = ({ run, error }: Ground): boolean => goesOn(run) && run["streaming"] !== true && error === "";

/** A stream that was broken off gave a token which has the input. */
const hasBegun = ({ each }: Ground): boolean =>
  objects(each["steps"])
    .map(({ out }) => JSON.stringify(out ?? {}))
    .some(text => text.includes('"updates"') && text.includes("inputMessages"));

const isPiled = (each: Case): boolean => objects(each["steps"]).some(({ out }) => isPartial(out));

function asksTwice({ response }: JsonObject): boolean {
  const ids = String(response ?? "").match(/"requestId":"[^"]*"/g) ?? [];
  return new Set(ids).size < ids.length;
}

// the session as the original had it

function sessionBefore(each: Case, step: JsonObject): JsonObject {
  const restored = objectIn(objectIn(step, "run"), "session")["restore"];
  if (typeof restored === "string") return sessionIn({ session: restored });
  const steps = objects(each["steps"]);
  const last = steps.slice(0, steps.indexOf(step)).findLast(({ out }) => isJsonObject(out) && "session" in out);
  return sessionIn(last ? objectIn(last, "out") : {});
}

function sessionIn({ session }: JsonObject): JsonObject {
  if (typeof session !== "string") return {};
  const value: unknown = JSON.parse(session);
  return isJsonObject(value) ? value : {};
}

const bagOf = (session: JsonObject): JsonObject => objectIn(session, "stateBag");

/** Whether a list of calls, or of requests about calls, names a tool that the agent has not. */
function isUnknown(list: Json | undefined, each: Case): boolean {
  const tools = objects(objectIn(each, "agent")["tools"]).map(({ name }) => name);
  return objects(list).some(item => !tools.includes(("toolCall" in item ? objectIn(item, "toolCall") : item)["name"]));
}

/** A result without its call, in the input or before. */
function isOrphan(before: JsonObject): (content: JsonObject) => boolean {
  const history = Object.values(bagOf(before)).filter(state => isJsonObject(state) && "messages" in state);
  const called = nodesOf(history).map(({ callId }) => callId);
  return ({ $type, callId }) => $type === "functionResult" && !called.includes(callId);
}

const hasNoHistory = (session: JsonObject): boolean => nodesOf(session).every(node => !Array.isArray(node["messages"]));
const pendingOf = (session: JsonObject): readonly JsonObject[] => objects(bagOf(session)["_pendingApprovalRequests"]);
const callIdOf = (request: JsonObject): string => String(objectIn(request, "toolCall")["callId"]);

/** The calls that wait in the session before a step, where no history has them: the original rebuilds them. */
export function callsWithoutHistory(each: Case, step: JsonObject): readonly string[] {
  const before = sessionBefore(each, step);
  return hasNoHistory(before) ? pendingOf(before).map(callIdOf) : [];
}

/** The calls that wait and that none of these answers is about. */
function unanswered(before: JsonObject, answers: readonly JsonObject[]): readonly string[] {
  const ids = answers.map(({ requestId }) => requestId);
  return pendingOf(before)
    .filter(({ requestId }) => !ids.includes(requestId))
    .map(callIdOf);
}

/** Whether something is open, and ours waits for just that: it took every other answer. */
const isStillOpen = (open: readonly string[], waiting: readonly string[]): boolean =>
  open.length > 0 && equalJson(open.toSorted(), waiting.toSorted());

// answers to requests

/** The answer that a content is; the original makes one of the request that it is about. */
function answerOf(content: JsonObject): readonly JsonObject[] {
  if (content["alwaysApprove"] !== undefined) return [objectIn(content, "request")];
  return content["$type"] === "toolApprovalResponse" ? [content] : [];
}

/** A response with a token that has an answer already. */
function isPartial(out: JsonObject[string] | undefined): boolean {
  if (!isJsonObject(out) || typeof out["token"] !== "string" || typeof out["response"] !== "string") return false;
  const response: unknown = JSON.parse(out["response"]);
  return isJsonObject(response) && objects(response["messages"]).length > 0;
}

function repeatsIds({ requests }: JsonObject): boolean {
  return objects(requests).some(({ messages }) => {
    const ids = objects(messages).flatMap(({ role, messageId }) => (role === "user" && messageId ? [messageId] : []));
    return new Set(ids).size < ids.length;
  });
}
