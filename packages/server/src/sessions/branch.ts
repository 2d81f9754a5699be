import type { Message, Part } from "translogue";
import { HttpError } from "../http-error.ts";
import { type Call, Gist, sameCall, saysAsMuch, saysTheSame, seenOf } from "./gist.ts";
import { branchTo } from "./history.ts";
import { GivenWords, isWordOnly, type LateAnswer, lateBehind, saysAsDid, type Word, wordsOf } from "./words.ts";

/** Where a client's history stands in the stored one. */
export interface Branching {
  /** The last stored message that the client's history shares; null = none: what it sends is a new root. */
  readonly parent: string | null;
  /** What the client sent beyond it, in order. Answers among it are the stored ones. */
  readonly rest: readonly Message[];
  /** The first message of an answer that the session never gave: nothing of it may enter. */
  readonly foreign?: Message;
  /** Answers to requests that were decided before, in another way. What was decided stands. */
  readonly late: readonly LateAnswer[];
}

/**
 * Matches a client's whole history with the stored tree: the longest common beginning is the stored one's, the rest is new.
 * What the assistant and its tools said is the stored record, whatever the client's copy of it says: that may be less, or
 * made up. New of it are only results of calls that wait for the client's, and answers to what was asked. Turns of people
 * that differ begin a branch. An empty session takes a whole history as it is.
 */
export function matchHistory(stored: readonly Message[], sent: readonly Message[]): Branching {
  if (stored.length === 0) return { parent: null, rest: sent, late: [] };
  const tree = new Tree(stored);
  const given = new GivenWords(stored);
  const lastAnswer = sent.findLastIndex(isAnswer);
  const late: LateAnswer[] = [];
  let parent: string | null = null;
  const branchOff = (from: number): Branching => branchedOff({ tree, given, late }, parent, sent.slice(from));
  let at = 0;
  while (at < sent.length) {
    const end = endOfAnswer(sent, at);
    if (end === at) {
      const message = sent[at] as Message; // at < length
      const said: Message | undefined = tree.childLike(parent, message);
      const next: Message | undefined = said ?? tree.childAnswering(parent, message);
      if (next?.id === undefined) return branchOff(at);
      if (!said) late.push(...given.lateIn(message, true));
      at++;
      // What came of a word stands before what is said next, whether the client heard of it or not.
      parent = at < sent.length && !isAnswer(sent[at]) ? tree.behindWord(next) : next.id;
      continue;
    }
    const theirs = sent.slice(at, end);
    const answer = tree.answerLike(parent, theirs);
    if (!answer) return branchOff(at);
    parent = reached(answer, theirs, sent[end])?.id ?? parent;
    const added = addedTo(answer, theirs);
    for (const each of added.late) late.push(each);
    // What is added to an answer that was followed by another comes too late: that one was given without it.
    if (added.messages.length > 0 && end > lastAnswer) {
      const more = branchOff(end);
      return { ...more, rest: [...added.messages, ...more.rest] };
    }
    at = end;
  }
  return { parent, rest: [], late };
}

/** Places one new turn: at the end of the session, or at that of the answer to which it adds something. */
export function matchTurn(stored: readonly Message[], head: string | null, turn: readonly Message[]): Branching {
  if (stored.length === 0) return { parent: head, rest: turn, late: [] };
  if (!isAnswer(turn[0])) return addTurn(stored, head, turn);
  const answer = new Tree(stored).answerNamed(nameOf(turn[0]));
  if (!answer) return { parent: head, rest: [], ...(turn[0] && { foreign: turn[0] }), late: [] };
  const { messages, late } = addedTo(answer, turn);
  return { parent: answer.at(-1)?.id ?? head, rest: messages, late };
}

/** A person's turn. The last one, sent once more under its id, is that one; words that were given before come too late. */
function addTurn(stored: readonly Message[], head: string | null, turn: readonly Message[]): Branching {
  const last = branchTo(stored, head).findLast(message => !isAnswer(message));
  const [only] = turn;
  const isSame = last?.id !== undefined && turn.length === 1 && (last.id === only?.id || isWordOnly(only));
  if (isSame && only && saysTheSame(last, only)) return { parent: last.id ?? head, rest: [], late: [] };
  const given = new GivenWords(stored);
  return {
    parent: head,
    rest: turn.flatMap(message => given.withoutLate(message)),
    late: turn.flatMap(message => given.lateIn(message)),
  };
}

const copyOf = ({ parent: _, ...copy }: Message): Message => copy;

/** A branch of its own: answers in it are copies of the stored ones of their names, words those that were given. */
function branchedOff(
  { tree, given, late }: { readonly tree: Tree; readonly given: GivenWords; readonly late: readonly LateAnswer[] },
  parent: string | null,
  sent: readonly Message[],
): Branching {
  const rest: Message[] = [];
  const all = [...late];
  for (let at = 0; at < sent.length; ) {
    const end = endOfAnswer(sent, at);
    const message = sent[at] as Message; // at < length
    if (end === at) {
      const isLast = at === sent.length - 1;
      const words = isLast ? [] : given.messagesOf(message);
      for (const word of words) rest.push(...tree.withResults(word).map(copyOf));
      rest.push(...given.withoutLate(message));
      all.push(...given.lateIn(message, !isLast));
      at++;
      continue;
    }
    const answer = tree.answerNamed(nameOf(message));
    if (!answer) return { parent, rest: [], foreign: message, late };
    rest.push(...answer.map(copyOf));
    at = end;
  }
  return { parent, rest, late: all };
}

/** The message of a stored answer that a client's copy reaches. */
function reached(
  answer: readonly Message[],
  theirs: readonly Message[],
  next: Message | undefined,
): Message | undefined {
  // What the client did not see of an answer stands all the same before what it says next.
  if (!isAnswer(next)) {
    const isNamed = answer[0]?.id === nameOf(theirs[0]) || answer[0]?.run === nameOf(theirs[0]);
    return isNamed ? answer.at(-1) : (answer[seenOf(answer, theirs) - 1] ?? answer.at(-1));
  }
  // A client that keeps one message a step goes on with the next one.
  const following = answer.findIndex(({ id }) => id === nameOf(next));
  return following > 0 ? answer[following - 1] : (answer[seenOf(answer, theirs) - 1] ?? answer.at(-1));
}

/** Where the messages that a client has as one answer end; `start` itself where no answer begins there. */
function endOfAnswer(sent: readonly Message[], start: number): number {
  if (!isAnswer(sent[start])) return start;
  const name = nameOf(sent[start]);
  let end = start + 1;
  while (end < sent.length && name !== undefined && sent[end]?.run === name && isAnswer(sent[end])) end++;
  return end;
}

/** The answer that a message belongs to; one that is a whole answer gives it its name. */
export const nameOf = (message: Message | undefined): string | undefined => message?.run ?? message?.id;

export const isAnswer = (message: Message | undefined): boolean =>
  message?.role === "assistant" || message?.role === "tool";

class Tree {
  readonly #children = new Map<string | null, Message[]>();
  /** First messages of answers, by name; every message of an answer by its id. */
  readonly #answers = new Map<string, Message>();

  constructor(messages: readonly Message[]) {
    for (const message of messages) {
      if (isAnswer(message)) {
        if (message.run !== undefined && !this.#answers.has(message.run)) this.#answers.set(message.run, message);
        if (message.id !== undefined && message.id !== message.run) this.#answers.set(message.id, message);
      }
      const parent = message.parent ?? null;
      const siblings = this.#children.get(parent);
      if (siblings) siblings.push(message);
      else this.#children.set(parent, [message]);
    }
  }

  /** The stored answer below a message that a client's may be: the one of its name, else the newest that says the same. */
  answerLike(parent: string | null, theirs: readonly Message[]): Message[] | undefined {
    const name = nameOf(theirs[0]);
    const answers = (this.#children.get(parent) ?? []).filter(isAnswer);
    const named = answers.findLast(({ id, run }) => name !== undefined && (id === name || run === name));
    if (named) return this.#from(named);
    const gist = new Gist(theirs);
    for (const first of answers.toReversed()) {
      const answer = this.#from(first);
      if (saysAsMuch(answer, gist)) return answer;
    }
    return undefined;
  }

  /** An answer by its name, wherever it stands. */
  answerNamed(name: string | undefined): Message[] | undefined {
    const first = name === undefined ? undefined : this.#answers.get(name);
    return first && this.#from(first);
  }

  /** The messages of an answer from one on, in order. */
  #from(first: Message): Message[] {
    const answer = [first];
    const run = nameOf(first);
    for (let at = first.id; at !== undefined; ) {
      const next: Message | undefined = this.#children.get(at)?.findLast(child => child.run === run);
      if (next) answer.push(next);
      at = next?.id;
    }
    return answer;
  }

  /** The stored message that a client's may be: the one of its id, else the newest that says the same. */
  childLike(parent: string | null, sent: Message): Message | undefined {
    const alike = (this.#children.get(parent) ?? []).filter(child => saysTheSame(child, sent));
    return alike.find(child => child.id === sent.id) ?? alike.at(-1);
  }

  /** The end of what came of a person's word; a message without one itself. */
  behindWord(message: Message): string | null {
    const answer = wordsOf(message).length > 0 && (this.#children.get(message.id ?? null) ?? []).findLast(isAnswer);
    return (answer && this.#from(answer).at(-1)?.id) || (message.id ?? null);
  }

  /** A person's word, and what its tools gave for it. */
  withResults(word: Message): Message[] {
    const found = [word];
    for (let next: Message | undefined = word; next; ) {
      next = this.#children.get(next.id ?? null)?.findLast(({ role }) => role === "tool");
      if (next) found.push(next);
    }
    return found;
  }

  /** The stored message that answers what a client's answers in another way. */
  childAnswering(parent: string | null, sent: Message): Message | undefined {
    if (!isWordOnly(sent)) return undefined;
    const asked = new Set(wordsOf(sent).map(({ requestId }) => requestId));
    const isAbout = (child: Message): boolean => wordsOf(child).some(({ requestId }) => asked.has(requestId));
    return (this.#children.get(parent) ?? []).findLast(child => isWordOnly(child) && isAbout(child));
  }
}

/**
 * What a client added to an answer: results of calls that wait for them, and its word on what was asked. What has a result
 * or an answer already is not taken a second time.
 */
function addedTo(
  stored: readonly Message[],
  sent: readonly Message[],
): { readonly messages: readonly Message[]; readonly late: readonly LateAnswer[] } {
  const record = new AnswerRecord(stored);
  const late: LateAnswer[] = [];
  const messages = sent.flatMap(({ id, run, parts }): Message[] => {
    const added = parts.filter(part => {
      if (part.type === "tool-result") return record.waitsFor(part);
      if (part.type !== "approval-response" && part.type !== "input-response") return false;
      const before = record.decided(part);
      if (!before) record.checkShown(part, sent);
      if (before?.isOther) late.push(before.late);
      return before === undefined;
    });
    if (added.length === 0) return [];
    return [{ ...(id !== undefined && { id }), ...(run !== undefined && { run }), role: "tool", parts: added }];
  });
  return { messages, late };
}

/** What an answer has asked for, and what came of it. */
class AnswerRecord {
  readonly #calls = new Map<string, Call>();
  readonly #results = new Set<string>();
  readonly #requests = new Map<string, string>();
  readonly #responses = new Map<string, Word>();

  constructor(messages: readonly Message[]) {
    for (const part of messages.flatMap(({ parts }) => parts)) {
      if (part.type === "tool-call") this.#calls.set(part.callId, part);
      else if (part.type === "tool-result" && !part.preliminary) this.#results.add(part.callId);
      else if (part.type === "approval-request") {
        this.#requests.set(part.requestId, part.callId);
        if (part.call && !this.#calls.has(part.callId)) this.#calls.set(part.callId, part.call);
      } else if (part.type === "input-request" && part.callId !== undefined)
        this.#requests.set(part.requestId, part.callId);
      else if (part.type === "approval-response" || part.type === "input-response")
        this.#responses.set(part.requestId, part);
    }
  }

  waitsFor({ callId }: Part & { readonly type: "tool-result" }): boolean {
    const call = this.#calls.get(callId);
    return call !== undefined && call.executedBy !== "provider" && !this.#results.has(callId);
  }

  /** Throws 400 where a person's word is about another call, or other arguments, than were asked about. */
  checkShown({ requestId }: Word, sent: readonly Message[]): void {
    const callId = this.#requests.get(requestId);
    const ours = callId === undefined ? undefined : this.#calls.get(callId);
    if (!ours) return;
    for (const part of sent.flatMap(({ parts }) => parts)) {
      const shown = part.type === "approval-request" && part.requestId === requestId ? part.call : part;
      if (shown?.type !== "tool-call" || shown.callId !== callId || sameCall(ours, shown)) continue;
      const message = `the request \`${requestId}\` asks about the call \`${callId}\` of \`${ours.name}\`; the answer shows another call or other arguments`;
      throw new HttpError(400, message, { details: { code: "approval/changed-call", requestId } });
    }
  }

  /** How a request was decided before a client's word on it; undefined = it was not. */
  decided(word: Word): { readonly isOther: boolean; readonly late: LateAnswer } | undefined {
    const { requestId } = word;
    const before = this.#responses.get(requestId);
    if (before) {
      return { isOther: !saysAsDid(word, before), late: lateBehind(before) };
    }
    const callId = this.#requests.get(requestId);
    const isClosed = callId !== undefined && this.#results.has(callId);
    const isOther = word.type === "input-response" ? word.value !== undefined : word.approved;
    return isClosed ? { isOther, late: { requestId } } : undefined;
  }
}
