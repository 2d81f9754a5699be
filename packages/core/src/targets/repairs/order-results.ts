import { isSaid } from "../rules/said.ts";
import { tellDenials } from "./answer-calls.ts";
import { type Draft, type DraftMessage, type Item, madeMessage } from "./draft.ts";
import { isResult, turnsOf } from "./draft-turns.ts";
import { faultsOf, faultyItems, isBroken } from "./faults.ts";

const name = "order-results";

/** Results before all else in their turn, and the calls of a step side by side. */
export function orderResults(draft: Draft): void {
  tellDenials(draft, faultyItems(faultsOf(draft, "results-first")));
  if (isBroken(draft, "results-first")) putResultsFirst(draft);
  joinResults(draft);
  if (isBroken(draft, "calls-together")) putCallsTogether(draft);
}

function putResultsFirst(draft: Draft): void {
  const moved = new Map<DraftMessage, readonly DraftMessage[]>();
  for (const { side, messages } of turnsOf(draft)) {
    if (side !== "user") continue;
    const front: DraftMessage[] = [];
    const rest: DraftMessage[] = [];
    for (const message of messages) {
      if (rest.length === 0 && !message.items.some(isOther)) front.push(message);
      else if (message.items.some(isOther)) rest.push(message);
      else if (message.items.some(isResult)) {
        for (const { path } of message.items.filter(isResult)) told(draft, path);
        front.push(message);
      } else rest.push(message);
    }
    const [first, ...others] = rest;
    if (first) sortWithin(first, draft);
    for (const message of others) {
      const results = extracted(message, draft);
      if (results) front.push(results);
    }
    const order = [...front, ...rest].filter(({ items, source }) => items.length > 0 || source?.parts.length === 0);
    messages.forEach((message, index) => {
      moved.set(message, index === 0 ? order : []);
    });
  }
  draft.messages = draft.messages.flatMap(message => moved.get(message) ?? [message]);
}

const isOther = ({ part }: Item): boolean => part.type !== "tool-result" && isSaid(part);
const told = (draft: Draft, path: Item["path"]): void =>
  draft.changed(name, path, "the result is put before what else is in its turn");

/** Results of the first message with other content stay in it, at its front. */
function sortWithin(message: DraftMessage, draft: Draft): void {
  const at = message.items.findIndex(isOther);
  const late = message.items.slice(at).filter(isResult);
  if (late.length === 0) return;
  for (const { path } of late) told(draft, path);
  const rest = message.items.slice(at).filter(item => !isResult(item));
  message.items = [...message.items.slice(0, at), ...late, ...rest];
}

function extracted(message: DraftMessage, draft: Draft): DraftMessage | undefined {
  const results = message.items.filter(isResult);
  if (results.length === 0) return undefined;
  for (const { path } of results) told(draft, path);
  message.items = message.items.filter(item => !isResult(item));
  return madeMessage({ role: "tool" }, results, message.path);
}

/** Messages of results of one step become one message. */
function joinResults(draft: Draft): void {
  const second = new Set(faultsOf(draft, "results-together").map(({ message }) => message));
  if (second.size === 0) return;
  const messages: DraftMessage[] = [];
  for (const message of draft.messages) {
    const last = messages.at(-1);
    if (!last || !second.has(message)) messages.push(message);
    else {
      for (const item of message.items) last.items.push(item);
      draft.changed(name, last.path, "the message takes in results of its step");
      draft.changed(name, message.path, "results of one step are put into one message");
    }
  }
  draft.messages = messages;
}

function putCallsTogether(draft: Draft): void {
  for (const { side, messages } of turnsOf(draft)) {
    if (side !== "assistant") continue;
    const all = messages.flatMap(message => message.items.map(item => ({ item, message })));
    const first = all.findIndex(({ item }) => isCall(item));
    const last = all.findLastIndex(({ item }) => isCall(item));
    const between = all.slice(first, last).filter(({ item }) => !isCall(item) && isSaid(item.part));
    const host = all[first]?.message;
    if (!host || between.length === 0) continue;
    const gone = new Set(between.map(({ item }) => item));
    for (const { path } of gone) draft.changed(name, path, "what stands between calls of one step is put before them");
    for (const message of messages) message.items = message.items.filter(item => !gone.has(item));
    draft.changed(name, host.path, "the message takes in what stood between the calls of its step");
    const at = host.items.findIndex(isCall);
    host.items = [...host.items.slice(0, at), ...gone, ...host.items.slice(at)];
  }
  draft.messages = draft.messages.filter(({ items, source }) => items.length > 0 || source?.parts.length === 0);
}

const isCall = ({ part }: Item): boolean => part.type === "tool-call" && part.executedBy !== "provider";
