import { isJsonObject, type Json, type JsonObject, parseJson, stringifyJson } from "translogue";
import { difference } from "../../difference.ts";
import type { MafLoopRule } from "../rules/maf-loop.ts";
import type { MafSessionRule } from "../rules/maf-session.ts";
import { alike, asDotnet, objects } from "./maf-loop-compared.ts";
import { rebuiltForms, sessionForms } from "./maf-session-normal.ts";

interface Sessions {
  readonly ours: string;
  readonly theirs: string;
  /** Whether a message of this id is of a run that the original forgot. */
  readonly isKept: (id: Json | undefined) => boolean;
  /** A run of ours goes on: what it has so far is in the session. */
  readonly isOpen: boolean;
  /** The calls that the original rebuilt: no history had them. */
  readonly rebuilt?: readonly string[];
}

/** What is made of a known key, or is nobody's to compare. */
const known = new Set([
  "_pendingApprovalRequests",
  "_autoApprovedFunctionCalls",
  "_bypassedInvocableFunctionCalls",
  "toolApprovalState",
  "translogue",
]);

/** Two sessions in the original's shape: their messages as they are alike, everything else by its text. */
export function comparedSession({ ours, theirs, ...about }: Sessions, rules: Set<string>): string | undefined {
  const [own, wanted] = [bagOf(ours), bagOf(theirs)];
  const id = (conversation: Json | undefined) => (conversation === localConversation ? undefined : conversation);
  const why =
    difference(id(own.conversationId), id(wanted.conversationId)) ??
    comparedHistory({ ours: own, theirs: wanted, ...about }, rules) ??
    comparedRules(own.bag["toolApprovalState"], wanted.bag["toolApprovalState"]) ??
    comparedWaiting(own.bag, wanted.bag, rules);
  if (why !== undefined) return `session: ${why}`;
  const others = ({ bag, text }: Bag) =>
    Object.fromEntries(
      Object.keys(bag)
        .filter(key => !known.has(key) && !isHistory(bag[key], key))
        .sort()
        .map(key => [key, text(key)]),
    );
  const difference_ = difference(others(own), others(wanted));
  return difference_ === undefined ? undefined : `session: state ${difference_}`;
}

const localConversation = "_agent_local_chat_history";

interface Bag {
  readonly conversationId: Json | undefined;
  readonly bag: JsonObject;
  readonly text: (key: string) => string;
}

function bagOf(text: string): Bag {
  const { value, exact } = parseJson(text);
  const root = isJsonObject(value) ? value : {};
  const bag = isJsonObject(root["stateBag"]) ? root["stateBag"] : {};
  const spelled = (key: string): string => exact.numbers.get(bag)?.get(key) ?? stringifyJson(bag[key], exact) ?? "";
  return { conversationId: root["conversationId"], bag, text: spelled };
}

/** A state of messages, also with what its provider does not know beside them. */
const isHistory = (value: Json | undefined, key = ""): value is JsonObject =>
  isJsonObject(value) &&
  (Object.keys(value).length === 1 || key === "InMemoryChatHistoryProvider") &&
  Array.isArray(value["messages"]);

function comparedHistory(
  { ours, theirs, isKept, isOpen, rebuilt = [] }: Omit<Sessions, "ours" | "theirs"> & Record<"ours" | "theirs", Bag>,
  rules: Set<string>,
): string | undefined {
  const histories = ({ bag }: Bag) => Object.entries(bag).filter(([key, value]) => isHistory(value, key));
  const [[key, own] = ["", null]] = histories(ours);
  const [[theirKey, wanted] = ["", null]] = histories(theirs);
  const messages = objects(isJsonObject(own) ? asDotnet(own["messages"] ?? []) : []);
  const remembered = messages.filter(({ messageId }) => !isKept(messageId));
  if (remembered.length < messages.length) rules.add("maf lost exchanges" satisfies MafSessionRule);
  const expected = objects(isJsonObject(wanted) ? wanted["messages"] : []);
  const isServed = theirs.conversationId !== undefined && theirs.conversationId !== localConversation;
  if (isServed && expected.length < remembered.length) {
    rules.add("maf served history" satisfies MafSessionRule);
    remembered.length = expected.length;
  }
  if (isOpen && expected.length < remembered.length) {
    rules.add("maf early telling" satisfies MafSessionRule);
    remembered.length = expected.length;
  }
  if (key !== theirKey && key !== "" && theirKey !== "") return `the history stands under ${key}, expected ${theirKey}`;
  const sides = { ours: { messages: [...remembered] }, theirs: { messages: [...expected] } };
  const why = alike(sides, { rules, forms: [...rebuiltForms(rebuilt), ...sessionForms] });
  return why === undefined ? undefined : `history ${why}`;
}

const rulesIn = (state: Json | undefined): readonly string[] =>
  objects(isJsonObject(state) ? state["rules"] : [])
    .map(rule => JSON.stringify(sorted(rule)))
    .sort();

const sorted = (value: Json): Json =>
  isJsonObject(value)
    ? Object.fromEntries(
        Object.keys(value)
          .sort()
          .map(key => [key, sorted(value[key] ?? null)]),
      )
    : value;

const comparedRules = (ours: Json | undefined, theirs: Json | undefined): string | undefined =>
  difference(rulesIn(ours), rulesIn(theirs));

/** What waits, by the calls: a request has the id of whoever asks. */
function comparedWaiting(ours: JsonObject, theirs: JsonObject, rules: Set<string>): string | undefined {
  const calls = (list: Json | undefined) =>
    objects(list)
      .map(content => JSON.stringify(sorted(callOf(content))))
      .sort();
  const queue = objects(
    isJsonObject(theirs["toolApprovalState"]) ? theirs["toolApprovalState"]["queuedApprovalRequests"] : [],
  );
  const collected = objects(
    isJsonObject(theirs["toolApprovalState"]) ? theirs["toolApprovalState"]["collectedApprovalResponses"] : [],
  );
  const answered = new Set(collected.map(content => JSON.stringify(sorted(callOf(content)))));
  const asked = [...calls(theirs["_pendingApprovalRequests"])].filter(call => !answered.has(call));
  if (queue.length > 0 || collected.length > 0) rules.add("maf one request at a time" satisfies MafSessionRule);
  const isBypassing = theirs["_bypassedInvocableFunctionCalls"] !== undefined;
  const beside = (bag: JsonObject) =>
    [...calls(bag["_autoApprovedFunctionCalls"]), ...(isBypassing ? calls(bag["_bypassedInvocableFunctionCalls"]) : [])]
      .filter(call => !answered.has(call))
      .sort();
  const apart = difference(calls(ours["_pendingApprovalRequests"]), asked) ?? difference(beside(ours), beside(theirs));
  const all = difference(
    [...calls(ours["_pendingApprovalRequests"]), ...beside(ours)].sort(),
    [...asked, ...beside(theirs)].sort(),
  );
  if (all !== undefined) return `waiting ${all}`;
  if (apart !== undefined) rules.add("maf parked calls" satisfies MafLoopRule);
  return undefined;
}

function callOf({ toolCall, ...content }: JsonObject): JsonObject {
  const { name = null, arguments: given = {}, callId = null } = isJsonObject(toolCall) ? toolCall : content;
  return { name, arguments: given, callId };
}

/** What providers were asked and told. */
export function comparedProviders(
  told: readonly JsonObject[],
  { providers, isCut, goesOn }: JsonObject,
  rules: Set<string>,
): string | undefined {
  const theirs = objects(providers);
  const word = ({ provider, call }: JsonObject) => `${String(provider)} ${String(call)}`;
  const isFailed = isCut === true;
  const wanted = theirs.map(word);
  // Of a run that failed, ours tell everybody.
  const heard = isFailed ? told.filter(each => wanted.includes(word(each))) : told;
  if (heard.length < told.length) rules.add("maf told providers" satisfies MafSessionRule);
  const why = difference(heard.map(word), wanted);
  if (why !== undefined) return `providers: ${why}`;
  for (const [index, ours] of heard.entries()) {
    for (const list of ["messages", "request", "response"]) {
      const wanted = theirs[index]?.[list];
      if (wanted === undefined && ours[list] === undefined) continue;
      const told = objects(ours[list]);
      const expected = objects(wanted);
      // A run that was gone on with is told whole: its token does not have all of it there.
      const isWhole = goesOn === true && list === "request" && told.length > expected.length;
      if (isWhole) rules.add("maf context in tokens" satisfies MafSessionRule);
      const sides = {
        ours: { messages: isWhole ? told.slice(0, expected.length) : [...told] },
        theirs: { messages: [...expected] },
      };
      const unlike = alike(sides, { rules, forms: sessionForms });
      if (unlike !== undefined) return `provider ${word(ours)}, ${list}: ${unlike}`;
    }
    const facts = ({ instructions = null, tools = null, error }: JsonObject): JsonObject => ({
      instructions,
      tools: Array.isArray(tools) ? tools.map(String).sort() : [],
      failed: error !== undefined,
    });
    const other = difference(facts(ours), facts(theirs[index] ?? {}));
    if (other !== undefined) return `provider ${word(ours)}: ${other}`;
  }
  return undefined;
}
