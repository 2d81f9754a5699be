import {
  type ApprovalResponsePart,
  equalJson,
  isJsonObject,
  type Json,
  type JsonObject,
  type Message,
  type Part,
  type ToolCallPart,
} from "translogue";
import type { MafLoopRule } from "../rules/maf-loop.ts";
import type { MafSessionRule } from "../rules/maf-session.ts";
import { nodesOf } from "./maf-allowances.ts";
import {
  type Case,
  compared,
  isRefused,
  objectIn,
  objects,
  readMessages,
  type Seen,
  withoutCalls,
} from "./maf-loop-compared.ts";
import { normalForms, withoutRequests, withoutResults } from "./maf-loop-normal.ts";

/** What has nothing to do with the loop, or is decided otherwise before it begins. */
export function asideRule(each: Case): MafLoopRule | undefined {
  const tools = objects(objectIn(each, "options")["tools"]);
  const more = objects(objectIn(each, "client")["additionalTools"]);
  if ([...tools, ...more].some(isLive)) return "maf live context";
  const isShadow = ({ name, behaviour }: JsonObject): boolean =>
    isJsonObject(behaviour) && behaviour["approvalRequired"] === true && tools.some(tool => tool["name"] === name);
  if (more.some(isShadow)) return "maf shadowed tools";
  if (deniesParked(each)) return "maf parked calls";
  return conversationIds(each).some(id => id.trim() === "") ? "maf blank conversations" : undefined;
}

/** Whether a round refuses a call that nobody is asked about in ours. */
function deniesParked(each: Case): boolean {
  const answers = objects(each["rounds"]).flatMap(({ approvals }) => objects(approvals));
  const told = JSON.stringify(each.out).replaceAll("\\", "");
  const parked = (id: string) => told.includes(`"requiresConfirmation":false,"requestId":"${id}"`);
  return answers.some(({ requestId, approved }) => approved !== true && parked(String(requestId)));
}

const hasDelegates = (each: Case): boolean => objects(objectIn(each, "options")["tools"]).some(isDelegate);

/** Whether a difference is what only a .NET type says: how arguments are bound, and how what it returned is written. */
function isOfDelegates(seen: Seen, why: string): boolean {
  if (why.startsWith("requests: "))
    return /could not be converted|arguments dictionary/.test(JSON.stringify(seen.expected));
  if (!/\.contents\[\d+\]\.result[.[:]/.test(why)) return false;
  return compared(withoutArguments(seen), new Set(), [...normalForms, { apply: withoutResults }]) === undefined;
}

/** The tools that were called, by which calls, and not with what; a call that the original could not bind ran no tool of its. */
function withoutArguments(seen: Seen): Seen {
  const { invocations, expected } = seen;
  const theirs = objects(expected["invocations"]).map(({ name = null, callId = null }) => ({ name, callId }));
  const unbound = nodesOf(expected["requests"])
    .filter(({ $type, result }) => $type === "functionResult" && String(result).startsWith("Error: Function failed."))
    .map(({ callId }) => callId)
    .filter(id => !theirs.some(({ callId }) => callId === id));
  return {
    ...seen,
    invocations: invocations
      .filter(({ callId }) => !unbound.includes(callId))
      .map(each => ({ ...each, arguments: {} })),
    expected: { ...expected, invocations: theirs },
  };
}

function isDelegate({ factory, parameters, behaviour }: JsonObject): boolean {
  const own = ["returnsNaN", "returnsObject", "returnsContents", "exception"];
  const steps = isJsonObject(behaviour) ? behaviour : {};
  return factory === true && (objects(parameters).length > 0 || own.some(name => name in steps));
}

const isLive = ({ behaviour }: JsonObject): boolean =>
  isJsonObject(behaviour) && ["addsMessage", "setsTemperature", "setsArgument"].some(name => name in behaviour);

function conversationIds(each: Case): readonly string[] {
  const answers = objects(each["script"]).flatMap(entry => [objectIn(entry, "response"), ...objects(entry["updates"])]);
  return [objectIn(each, "options"), ...answers].flatMap(({ conversationId: id }) =>
    typeof id === "string" ? [id] : [],
  );
}

/** Why a run may come out otherwise: the input must be of the kind that the rule is about, and the difference too. */
export function excuse(each: Case, seen: Seen, why: string): MafLoopRule | MafSessionRule | undefined {
  const { expected, invocations, requests, response } = seen;
  const messages = readMessages(each["input"]);
  const refused = isRefused(seen) && requests.length === 0 && invocations.length === 0;
  const own = refused ? refusals[seen.code ?? ""] : undefined;
  if (own?.is(messages)) return own.rule;
  const forged = forgedCalls(messages);
  if (forged.length > 0 && isAllElseAlike(seen, forged)) return "maf forged approvals";
  const changed = changedCalls(messages);
  if (changed.length > 0 && compared(withoutCalls(seen, changed), new Set()) === undefined) return "maf bound calls";
  const isLeft = objectIn(each, "consumer")["stopAfterUpdates"] !== undefined;
  const asks = String(expected["combined"]).includes('"toolApprovalRequest"');
  if (isLeft && asks && compared(seen, new Set(), [...normalForms, { apply: withoutRequests }]) === undefined)
    return "maf left requests";
  const runsMore = invocations.length > objects(expected["invocations"]).length;
  if (runsMore && hasReusedId(each, messages)) return "maf reused ids";
  if (response?.error?.code === "model/no-output" && expected["error"] === undefined) return "maf empty answers";
  const error = String(expected["error"] ?? "");
  const goesOn = !isRefused(seen) || requests.length > 0;
  if (each["streaming"] === true && goesOn && isAskedEarly(expected)) return "maf early requests";
  if (error.includes("no matching ToolApprovalResponseContent") && goesOn) return "maf forgotten approvals";
  if (goesOn && error.includes("An item with the same key")) return "maf repeated requests";
  return hasDelegates(each) && isOfDelegates(seen, why) ? "maf delegates" : undefined;
}

/** Whether people are asked although the service itself has run every call that needs it: ours sees that, and runs the others. */
function isAskedEarly({ combined }: JsonObject): boolean {
  const told = typeof combined === "string" ? nodesOf(JSON.parse(combined) as Json) : []; // a response
  const results = new Set(told.flatMap(({ $type, callId }) => ($type === "functionResult" ? [callId] : [])));
  const asked = told.filter(({ $type }) => $type === "toolApprovalRequest");
  const isRun = (request: JsonObject) => results.has(objectIn(request, "toolCall")["callId"]);
  return asked.some(isRun) && asked.every(request => request["requiresConfirmation"] === false || isRun(request));
}

/** What ours refuses before anything runs: by our code, the rule and what the input has to have. */
const refusals: { readonly [code: string]: { readonly rule: MafLoopRule; is(messages: readonly Message[]): boolean } } =
  {
    "approval/unknown": {
      rule: "maf forged approvals",
      is: messages => forgedCalls(messages).length > 0 || hasRepeatedRequest(messages),
    },
    "approval/changed-call": { rule: "maf bound calls", is: messages => changedCalls(messages).length > 0 },
    "approval/answered": { rule: "maf repeated answers", is: hasRepeatedAnswer },
    "input/unexpected-result": { rule: "maf results of others", is: hasForeignResult },
  };

/** Whether nothing differs but what is about these calls, which ours must not run. */
const isAllElseAlike = (seen: Seen, calls: readonly string[]): boolean =>
  !seen.invocations.some(({ callId }) => calls.includes(callId)) &&
  compared(withoutCalls(seen, calls), new Set()) === undefined;

const partsOf = (messages: readonly Message[]) => messages.flatMap(({ parts }) => parts);
const isAgents = (call: ToolCallPart | undefined): boolean => call !== undefined && call.executedBy !== "provider";

/** Answers that nothing settles yet: their calls are open, and have no result. */
function openAnswers(messages: readonly Message[]): readonly ApprovalResponsePart[] {
  const parts = partsOf(messages);
  const results = new Set(parts.flatMap(part => (part.type === "tool-result" ? [part.callId] : [])));
  return parts.filter(
    (part): part is ApprovalResponsePart =>
      part.type === "approval-response" && part.call?.handled !== true && !results.has(part.callId ?? ""),
  );
}

/** The open request of this id. */
const requestOf = (messages: readonly Message[], { requestId }: ApprovalResponsePart) =>
  partsOf(messages).find(
    part => part.type === "approval-request" && part.requestId === requestId && part.call?.handled !== true,
  );

const forgedCalls = (messages: readonly Message[]): readonly string[] =>
  openAnswers(messages).flatMap(answer =>
    isAgents(answer.call) && !requestOf(messages, answer) ? [answer.callId ?? ""] : [],
  );

/** Calls that are another in the answer than in the request. */
const changedCalls = (messages: readonly Message[]): readonly string[] =>
  openAnswers(messages).flatMap(answer => {
    const request = requestOf(messages, answer);
    if (request?.type !== "approval-request") return [];
    const isSame = request.call?.name === answer.call?.name && equalJson(request.call?.input, answer.call?.input);
    return isSame ? [] : [request.callId];
  });

function hasRepeatedAnswer(messages: readonly Message[]): boolean {
  const ids = openAnswers(messages).map(({ requestId }) => requestId);
  return new Set(ids).size < ids.length;
}

function hasRepeatedRequest(messages: readonly Message[]): boolean {
  const asked = partsOf(messages).flatMap(part => (part.type === "approval-request" ? [part.callId] : []));
  return new Set(asked).size < asked.length;
}

/** A request about a call whose id had its result before, in the history or in an earlier round. */
function hasReusedId(each: Case, messages: readonly Message[]): boolean {
  const done = new Set<string>();
  for (const part of partsOf(messages)) {
    if (part.type === "tool-result") done.add(part.callId);
    if (part.type === "approval-response" && part.call?.handled !== true && done.has(part.callId ?? "")) {
      const asked = partsOf(messages).findLastIndex(
        each => each.type === "approval-request" && each.requestId === part.requestId,
      );
      const given = partsOf(messages).findIndex(each => each.type === "tool-result" && each.callId === part.callId);
      if (asked > given) return true;
    }
  }
  const answered = objects(each["rounds"]).filter(({ approvals }) => objects(approvals).length > 0);
  const ids = objects(each["script"]).map(
    (entry): readonly string[] => JSON.stringify(entry).match(/"callId":"[^"]*"/g) ?? [],
  );
  return (
    answered.length > 1 &&
    ids.some((own, index) => ids.slice(index + 1).some(later => later.some(id => own.includes(id))))
  );
}

function hasForeignResult(messages: readonly Message[]): boolean {
  const parts = partsOf(messages);
  const asked = new Set(parts.flatMap(part => (part.type === "approval-request" ? [part.callId] : [])));
  return parts.some(part => part.type === "tool-result" && asked.has(part.callId));
}

/**
 * The original is given whole histories; ours keeps them in a session. What the caller says now begins with the last message
 * that answers an open request, or else behind all that anybody but a user said. A service that keeps the conversation has none of
 * them yet.
 */
export function split(
  messages: readonly Message[],
  isServed = false,
): { readonly history: readonly Message[]; readonly input: readonly Message[] } {
  const isApproval = ({ type }: Part) => type === "approval-request" || type === "approval-response";
  if (isServed && !partsOf(messages).some(isApproval)) return { history: [], input: messages };
  const open = new Set(
    openAnswers(messages).filter(answer => {
      const isClosed = partsOf(messages).some(
        part => part.type === "approval-request" && part.requestId === answer.requestId,
      );
      return !isClosed || requestOf(messages, answer) !== undefined;
    }),
  );
  const lastOf = (is: (answer: ApprovalResponsePart) => boolean): number =>
    messages.findLastIndex(({ parts }) =>
      parts.some(part => part.type === "approval-response" && open.has(part) && is(part)),
    );
  // A service's own requests are nothing that the agent waits for.
  const own = lastOf(({ call }) => isAgents(call));
  const answer = own >= 0 ? own : lastOf(() => true);
  const isPast = ({ role, parts }: Message) =>
    role !== "user" || parts.some(({ type }) => type === "approval-request" || type === "approval-response");
  const from = answer >= 0 ? answer : messages.findLastIndex(isPast) + 1;
  return { history: messages.slice(0, from), input: messages.slice(from) };
}
