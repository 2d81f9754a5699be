import { isJsonObject, type Json, type JsonObject } from "translogue";
import { type NormalForm, normalForms, type Sides } from "./maf-loop-normal.ts";

const objects = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];
const contentsOf = (message: JsonObject): readonly JsonObject[] => objects(message["contents"]);
const callIn = ({ $type: word, toolCall }: JsonObject): JsonObject | undefined =>
  (word === "toolApprovalRequest" || word === "toolApprovalResponse") &&
  isJsonObject(toolCall) &&
  toolCall["$type"] === "functionCall"
    ? toolCall
    : undefined;

type Change = (messages: readonly JsonObject[]) => readonly JsonObject[];
const both =
  (change: Change) =>
  (sides: Sides): Sides => ({
    ours: { ...sides.ours, messages: [...change(objects(sides.ours["messages"]))] },
    theirs: { ...sides.theirs, messages: [...change(objects(sides.theirs["messages"]))] },
  });

const resultsOf = (messages: readonly JsonObject[]): ReadonlySet<unknown> =>
  new Set(messages.flatMap(contentsOf).flatMap(({ $type, callId }) => ($type === "functionResult" ? [callId] : [])));

/** A call that was asked about and has its result stands once, where it first stood. Only the original says calls again. */
const settled = (messages: readonly JsonObject[], { isOurs }: { readonly isOurs: boolean }): readonly JsonObject[] => {
  const done = resultsOf(messages);
  const seen = new Map<unknown, JsonObject>();
  return messages.flatMap(message => {
    const contents = contentsOf(message).flatMap(content => {
      const asked = callIn(content);
      if (asked && done.has(asked["callId"]) && content["$type"] === "toolApprovalResponse") return [];
      const call = asked && done.has(asked["callId"]) ? asked : content;
      if (call["$type"] !== "functionCall" || !done.has(call["callId"])) return [call];
      const before = seen.get(call["callId"]);
      if (before && !(isOurs && isCall(before) && isCall(content))) return [];
      seen.set(call["callId"], content);
      return [call];
    });
    return contents.length === 0 && contentsOf(message).length > 0 ? [] : [{ ...message, contents }];
  });
};

/** Results right behind the message of their calls. */
const moved: Change = messages => {
  const results = new Map<unknown, JsonObject>();
  for (const content of messages.flatMap(contentsOf))
    if (content["$type"] === "functionResult") results.set(content["callId"], content);
  const called = new Set(
    messages.flatMap(contentsOf).flatMap(({ $type, callId }) => ($type === "functionCall" ? [callId] : [])),
  );
  return messages.flatMap(message => {
    const own = contentsOf(message).filter(({ $type, callId }) => $type !== "functionResult" || !called.has(callId));
    const hadResults = own.length < contentsOf(message).length;
    const calls = own.filter(({ $type }) => $type === "functionCall").map(({ callId }) => callId);
    const theirs = calls.flatMap(id => results.get(id) ?? []);
    return [
      ...(hadResults && own.length === 0 ? [] : [{ ...message, contents: own }]),
      ...(theirs.length > 0 ? [{ role: "tool", contents: theirs }] : []),
    ];
  });
};

/** Exchanges that the original rebuilt of what waited, and put behind what is said now: they were before all of it. */
export const rebuiltForms = (callIds: readonly string[]): readonly NormalForm[] => {
  if (callIds.length === 0) return [];
  const isRebuilt = (message: JsonObject): boolean =>
    contentsOf(message).length > 0 &&
    contentsOf(message).every(
      ({ $type, callId }) => /^function(Call|Result)$/.test(String($type)) && callIds.includes(String(callId)),
    );
  const apply: NormalForm["apply"] = ({ ours, theirs }) => {
    const list = objects(theirs["messages"]);
    const messages = [...list.filter(isRebuilt), ...list.filter(message => !isRebuilt(message))];
    return { ours, theirs: { ...theirs, messages } };
  };
  return [{ rule: "maf rebuilt history", apply }];
};

/** Calls that nobody is asked about, beside one that waits: the original has them elsewhere until they run. */
const parked: NormalForm["apply"] = ({ ours, theirs }) => {
  return { ours: withoutOwn(ours, theirs, isCall), theirs: withoutOwn(theirs, ours, isCall) };
};

const isCall = ({ $type }: JsonObject): boolean => $type === "functionCall";
const isRequest = ({ $type }: JsonObject): boolean => $type === "toolApprovalRequest";

/** Requests that the original keeps back, or shows again, one at a time. */
const oneAtATime: NormalForm["apply"] = ({ ours, theirs }) => ({
  ours: withoutOwn(ours, theirs, isRequest),
  theirs: withoutOwn(theirs, ours, isRequest),
});

/** Without open calls of these kinds that the other side does not have. */
function withoutOwn(side: JsonObject, other: JsonObject, is: (content: JsonObject) => boolean): JsonObject {
  const list = objects(side["messages"]);
  const idOf = (content: JsonObject) => callIn(content)?.["callId"] ?? content["callId"];
  const known = new Set(objects(other["messages"]).flatMap(contentsOf).map(idOf));
  const done = resultsOf(list);
  const messages = list.flatMap(message => {
    const contents = contentsOf(message).filter(
      content => !is(content) || done.has(idOf(content)) || known.has(idOf(content)),
    );
    return contents.length === 0 && contentsOf(message).length > 0 ? [] : [{ ...message, contents }];
  });
  return { ...side, messages };
}

/** A history that is kept call by call has the call itself, where it waits for an answer. */
const perCall: NormalForm["apply"] = ({ ours, theirs }) => {
  const asked = new Set(
    objects(ours["messages"])
      .flatMap(contentsOf)
      .flatMap(content => (isRequest(content) ? [callIn(content)?.["callId"]] : [])),
  );
  const messages = objects(theirs["messages"]).map(message => ({
    ...message,
    contents: contentsOf(message).map(content =>
      isCall(content) && asked.has(content["callId"])
        ? { $type: "toolApprovalRequest", toolCall: content, requiresConfirmation: true, requestId: "" }
        : content,
    ),
  }));
  return { ours, theirs: { ...theirs, messages } };
};

/** What was said before a call had its result comes behind the result, but for what the call answers. */
const saidLater: Change = messages => {
  const list = [...messages];
  for (let from = 0; from < list.length; from++) {
    if (list[from]?.["role"] !== "user") continue;
    let to = from + 1;
    while (list[to]?.["role"] === "user") to++;
    const isExchange = contentsOf(list[to] ?? {}).some(isCall) && list[to + 1]?.["role"] === "tool";
    if (to - from < 2 || !isExchange) continue;
    const later = list.splice(from + 1, to - from - 1);
    list.splice(from + 3, 0, ...later);
  }
  return list;
};

/** Calls of one round that the original makes several of, and members that say nothing. */
const joined: Change = messages => {
  const list: JsonObject[] = [];
  for (const message of messages) {
    const said = list.at(-2)?.["role"] === "user" && list.at(-3)?.["role"] === "tool" ? list.splice(-2, 1) : [];
    const before = list.at(-1);
    const [calls, results] = [list.at(-3), list.at(-2)];
    const isRound = calls && results && before && onlyCalls(before) && onlyCalls(calls) && results["role"] === "tool";
    if (!isRound || message["role"] !== "tool") {
      list.splice(-1, 0, ...said);
      list.push(message);
    } else
      list.splice(
        -3,
        3,
        { ...calls, contents: [...contentsOf(calls), ...contentsOf(before)] },
        { ...results, contents: [...contentsOf(results), ...contentsOf(message)] },
        ...said,
      );
  }
  return list;
};

const onlyCalls = (message: JsonObject): boolean =>
  message["role"] === "assistant" && contentsOf(message).every(isCall);

const nulls: Change = messages =>
  messages.map(message => ({
    ...message,
    contents: contentsOf(message).map(content =>
      Object.fromEntries(Object.entries(content).filter(([key, value]) => value !== null || key === "result")),
    ),
  }));

const isResponse = ({ $type }: JsonObject): boolean => $type === "toolApprovalResponse";
const requestsIn = (messages: readonly JsonObject[]): ReadonlyMap<unknown, JsonObject> =>
  new Map(
    messages.flatMap(contentsOf).flatMap(content => (isRequest(content) ? [[content["requestId"], content]] : [])),
  );

/** The original stores an answer with the call that it named, and sends it with the one that was asked about. */
const boundAnswers: Change = messages => {
  const asked = requestsIn(messages);
  return messages.map(message => ({
    ...message,
    contents: contentsOf(message).map(content => {
      const call = isResponse(content) && asked.get(content["requestId"])?.["toolCall"];
      return call ? { ...content, toolCall: call } : content;
    }),
  }));
};

/** It stores answers to requests that were never made. */
const forgedAnswers: NormalForm["apply"] = ({ ours, theirs }) => {
  const asked = requestsIn(objects(theirs["messages"]));
  const messages = objects(theirs["messages"]).flatMap(message => {
    const contents = contentsOf(message).filter(content => !isResponse(content) || asked.has(content["requestId"]));
    return contents.length === 0 && contentsOf(message).length > 0 ? [] : [{ ...message, contents }];
  });
  return { ours, theirs: { ...theirs, messages } };
};

/** Answers to a service's own requests: the original sends each once, and drops it from what it sends later. */
const droppedAnswers: NormalForm["apply"] = ({ ours, theirs }) => {
  const kept = new Set(objects(theirs["messages"]).flatMap(contentsOf).filter(isResponse).map(idOfRequest));
  const asked = requestsIn(objects(theirs["messages"]));
  const isDropped = (content: JsonObject) =>
    isResponse(content) && !callIn(content) && asked.has(idOfRequest(content)) && !kept.has(idOfRequest(content));
  const messages = objects(ours["messages"]).flatMap(message => {
    const contents = contentsOf(message).filter(content => !isDropped(content));
    return contents.length === 0 && contentsOf(message).length > 0 ? [] : [{ ...message, contents }];
  });
  return { ours: { ...ours, messages }, theirs };
};
const idOfRequest = ({ requestId }: JsonObject) => requestId;

export const sessionForms: readonly NormalForm[] = [
  ...normalForms.slice(0, 2),
  { apply: both(nulls) },
  {
    rule: "maf bound calls",
    apply: ({ ours, theirs }) => ({
      ours,
      theirs: { ...theirs, messages: [...boundAnswers(objects(theirs["messages"]))] },
    }),
  },
  {
    rule: "maf rebuilt history",
    apply: ({ ours, theirs }) => ({
      ours: { ...ours, messages: [...settled(objects(ours["messages"]), { isOurs: true })] },
      theirs: { ...theirs, messages: [...settled(objects(theirs["messages"]), { isOurs: false })] },
    }),
  },
  { rule: "maf forged approvals", apply: forgedAnswers },
  { rule: "maf dropped answers", apply: droppedAnswers },
  { rule: "maf parked calls", apply: parked },
  { rule: "maf one request at a time", apply: oneAtATime },
  { rule: "maf per-call history", apply: perCall },
  { rule: "maf moved results", apply: both(messages => joined(saidLater(moved(messages)))) },
  ...normalForms.slice(2),
];
