import { isJsonObject, type Json, type JsonObject } from "translogue";
import type { MafRule } from "../rules/maf.ts";
import type { MafLoopRule } from "../rules/maf-loop.ts";
import type { MafSessionRule } from "../rules/maf-session.ts";

/** Both sides of a comparison: objects with `messages` in MAF's JSON. */
export interface Sides {
  readonly ours: JsonObject;
  readonly theirs: JsonObject;
}

/** A form in which both sides are compared; with a rule where ours differs on purpose, else what nobody can compare. */
export interface NormalForm {
  readonly rule?: MafLoopRule | MafRule | MafSessionRule;
  apply(sides: Sides): Sides;
}

type Change = (messages: readonly JsonObject[]) => readonly JsonObject[];

const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
const objects = (value: Json | undefined): readonly JsonObject[] => list(value).filter(isJsonObject);
const messagesOf = (side: JsonObject): readonly JsonObject[] => objects(side["messages"]);
const contentsOf = (message: JsonObject): readonly JsonObject[] => objects(message["contents"]);
const isKind = (content: JsonObject, word: string): boolean => content["$type"] === word;

const changed = (side: JsonObject, change: Change): JsonObject => ({
  ...side,
  messages: [...change(messagesOf(side))],
});
const both =
  (change: Change): NormalForm["apply"] =>
  ({ ours, theirs }) => ({ ours: changed(ours, change), theirs: changed(theirs, change) });
const ofTheirs =
  (change: Change): NormalForm["apply"] =>
  ({ ours, theirs }) => ({ ours, theirs: changed(theirs, change) });

const perContent =
  (change: (content: JsonObject) => JsonObject | undefined): Change =>
  messages =>
    messages.map(message => ({
      ...message,
      contents: contentsOf(message).flatMap(content => change(content) ?? []),
    }));

const without = (content: JsonObject, key: string): JsonObject => {
  const { [key]: _, ...rest } = content;
  return rest;
};

// what nobody can compare

/** Ids, dates and authors of messages are made by whoever makes the message; those of the input are compared apart. */
const heads: Change = messages =>
  messages.map(({ role, contents }) => ({ role: role ?? null, contents: contents ?? [] }));

/** The call that a request is about, where the agent runs it. */
function askedCall(content: JsonObject): JsonObject | undefined {
  const { toolCall } = content;
  return isKind(content, "toolApprovalRequest") && isJsonObject(toolCall) && isKind(toolCall, "functionCall")
    ? toolCall
    : undefined;
}

/** A request about a call is a mark on it: its id is whoever's who asks. */
const requests = perContent(content => {
  const call = askedCall(content);
  return call && content["requiresConfirmation"] !== false ? { ...call, asked: true } : content;
});

/** The original marks the live object of a call once it has run it. */
const marks = perContent(content =>
  isKind(content, "functionCall") ? without(content, "informationalOnly") : content,
);

/** Usage is compared apart; a null result reads as none. */
const usages = perContent(content => (isKind(content, "usage") ? undefined : content));
const nulls = perContent(content =>
  isKind(content, "functionResult") && content["result"] === null ? without(content, "result") : content,
);

// what ours does otherwise

const parked = perContent(content => askedCall(content) ?? content);

/** Requests about calls that the answer itself has the results of. */
const early: Change = messages =>
  messages.map((message, index) => {
    const results = messages
      .slice(index)
      .flatMap(contentsOf)
      .filter(content => isKind(content, "functionResult"));
    const handled = new Set(results.map(({ callId }) => callId));
    const contents = contentsOf(message).map(content =>
      handled.has(content["callId"]) ? without(content, "asked") : content,
    );
    return { ...message, contents };
  });

const isOld = (content: JsonObject): boolean => {
  const { toolCall } = content;
  const isApproval = isKind(content, "toolApprovalRequest") || isKind(content, "toolApprovalResponse");
  const isCall = isJsonObject(toolCall) && isKind(toolCall, "functionCall");
  return isApproval && isCall && toolCall["informationalOnly"] === true;
};
const oldApprovals: Change = messages =>
  messages.flatMap(message => {
    const contents = contentsOf(message).filter(content => !isOld(content));
    return contents.length === 0 && contentsOf(message).length > 0 ? [] : [{ ...message, contents }];
  });

/** Calls without which a result would stand alone, as it does there. */
const orphans: NormalForm["apply"] = ({ ours, theirs }) => {
  const known = messagesOf(theirs).flatMap(contentsOf);
  const ids = (word: string) => new Set(known.filter(each => isKind(each, word)).map(({ callId }) => callId));
  const [calls, results] = [ids("functionCall"), ids("functionResult")];
  const strip = perContent(content =>
    isKind(content, "functionCall") && results.has(content["callId"]) && !calls.has(content["callId"])
      ? undefined
      : content,
  );
  return { ours: changed(ours, messages => nonEmpty(strip(messages))), theirs };
};

const noArguments = perContent(content => {
  const { arguments: given } = content;
  const isNone = isKind(content, "functionCall") && isJsonObject(given) && Object.keys(given).length === 0;
  return isNone ? without(content, "arguments") : content;
});

const knownTools = / (?:Available functions: .*|No functions are available)\.$/;
const unknownTools = perContent(content => {
  const { result } = content;
  const isTold = typeof result === "string" && result.startsWith("Error: Requested function ");
  return isTold ? { ...content, result: result.replace(knownTools, "") } : content;
});

/** One text and nothing else as the content of a result; otherwise a list. */
const resultForms = perContent(content => {
  const { result } = content;
  if (!isKind(content, "functionResult")) return content;
  const only = Array.isArray(result) && result.length === 1 ? result[0] : result;
  if (!isJsonObject(only) || typeof only["$type"] !== "string") return content;
  const isText = isKind(only, "text") && Object.keys(only).length === 2;
  return { ...content, result: isText ? (only["text"] ?? "") : [only] };
});

const closed = new Set([
  "Error: No tool may be called any more; answer with what is known.",
  "The call was not run: the run ended before it.",
  "The call was interrupted before it finished; it has no result.",
]);

/** Results that ours gives to calls which nobody ran. */
const openCalls: NormalForm["apply"] = ({ ours, theirs }) => {
  const isClosing = ({ result }: JsonObject): boolean => typeof result === "string" && closed.has(result);
  const given = new Set(
    messagesOf(ours)
      .flatMap(contentsOf)
      .filter(isClosing)
      .map(({ callId }) => callId),
  );
  const strip: Change = perContent(content => (isClosing(content) ? undefined : content));
  const unasked: Change = perContent(content => (given.has(content["callId"]) ? without(content, "asked") : content));
  return { ours: changed(ours, messages => nonEmpty(strip(messages))), theirs: changed(theirs, unasked) };
};

const nonEmpty: Change = messages => messages.filter(message => contentsOf(message).length > 0);

const boundCalls = perContent(content =>
  isKind(content, "functionCall") ? without(content, "additionalProperties") : content,
);

const emptyIds = perContent(content => {
  const { callId } = content;
  return typeof callId === "string" && callId.startsWith("~") ? { ...content, callId: "" } : content;
});

/** Calls that stand where the model made them are not told again by the run that has their results. */
const rebuilt: NormalForm["apply"] = ({ ours, theirs }) => {
  const [first] = messagesOf(ours);
  if (first?.["role"] !== "tool") return { ours, theirs };
  const fromResults: Change = messages => messages.slice(messages.findIndex(({ role }) => role === "tool"));
  return { ours, theirs: changed(theirs, fromResults) };
};

/** What a second answer without role and ids says ends up in the tool message before it. */
const melted: Change = messages =>
  messages.flatMap(message => {
    const isResult = (content: JsonObject) => isKind(content, "functionResult");
    if (message["role"] !== "tool" || !contentsOf(message).slice(0, 1).some(isResult)) return [message];
    const said = contentsOf(message).filter(content => !isResult(content));
    if (said.length === 0) return [message];
    const results = { ...message, contents: contentsOf(message).filter(isResult) };
    return [results, { role: "assistant", contents: said }];
  });

/** Neighbours of one side are one message. */
const borders: Change = messages => {
  const merged: JsonObject[] = [];
  for (const message of nonEmpty(messages)) {
    const last = merged.at(-1);
    const isSame = last?.["role"] === message["role"] && message["role"] !== "user";
    if (last && isSame)
      merged[merged.length - 1] = { ...last, contents: [...contentsOf(last), ...contentsOf(message)] };
    else merged.push(message);
  }
  return merged;
};

/** Calls that follow one another, and results, by their ids. */
const orders: Change = messages =>
  messages.map(message => {
    const contents = [...contentsOf(message)];
    for (let from = 0; from < contents.length; from++) {
      const word = contents[from]?.["$type"];
      if (word !== "functionCall" && word !== "functionResult") continue;
      let to = from;
      while (contents[to]?.["$type"] === word) to++;
      contents.splice(from, to - from, ...contents.slice(from, to).sort(byCall));
      from = to - 1;
    }
    return { ...message, contents };
  });

const byCall = (a: JsonObject, b: JsonObject): number => String(a["callId"]).localeCompare(String(b["callId"]));

/** The last conversation that updates named, though the service keeps it no more. */
const leftConversations: NormalForm["apply"] = ({ ours, theirs }) => ({
  ours,
  theirs: ours["conversationId"] === undefined ? without(theirs, "conversationId") : theirs,
});

/** What tools returned, whatever it is. */
export const withoutResults = both(
  perContent(content => (isKind(content, "functionResult") ? without(content, "result") : content)),
);

/** Calls, whoever was asked about them. */
export const withoutRequests = both(perContent(content => without(content, "asked")));

export const normalForms: readonly NormalForm[] = [
  { apply: both(heads) },
  { apply: both(usages) },
  { rule: "maf old approvals", apply: ofTheirs(oldApprovals) },
  { apply: both(requests) },
  { apply: both(nulls) },
  { rule: "maf parked calls", apply: both(parked) },
  { apply: both(marks) },
  { rule: "maf early requests", apply: ofTheirs(early) },
  { rule: "maf no arguments", apply: both(noArguments) },
  { rule: "maf unknown tools", apply: both(unknownTools) },
  { rule: "maf result forms", apply: both(resultForms) },
  { rule: "maf open calls", apply: openCalls },
  { rule: "maf bound calls", apply: both(boundCalls) },
  { rule: "maf empty ids", apply: both(emptyIds) },
  { rule: "maf orphan results", apply: orphans },
  { rule: "maf rebuilt calls", apply: rebuilt },
  { rule: "maf melted messages", apply: ofTheirs(melted) },
  { rule: "maf borders", apply: both(borders) },
  { rule: "maf order of results", apply: both(orders) },
  { rule: "maf left conversations", apply: leftConversations },
];

/** What is otherwise only where calls wait for somebody. */
const ofWaiting: ReadonlySet<NormalForm["rule"]> = new Set([
  "maf old approvals",
  "maf parked calls",
  "maf early requests",
  "maf bound calls",
  "maf orphan results",
  "maf rebuilt calls",
  "maf rebuilt history",
  "maf forged approvals",
  "maf one request at a time",
  "maf per-call history",
  "maf order of results",
]);

/** The forms that a case may need: those about calls that wait only where it has any. */
export const formsFor = (forms: readonly NormalForm[], each: JsonObject): readonly NormalForm[] =>
  /toolApproval|_bypassedInvocable/.test(JSON.stringify(each))
    ? forms
    : forms.filter(({ rule }) => !ofWaiting.has(rule));
