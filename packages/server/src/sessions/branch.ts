import { equalJson, type Json, type Message, type Part, type PartOf } from "translogue";
import { HttpError } from "../http-error.ts";

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

export interface LateAnswer {
  readonly requestId: string;
  /** What was decided; undefined = it was closed without an answer, or asked for a value. */
  readonly approved?: boolean;
  /** A value was given. */
  readonly isAnswered?: true;
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
  const lastAnswer = sent.findLastIndex(isAnswer);
  const late: LateAnswer[] = [];
  let parent: string | null = null;
  let at = 0;
  while (at < sent.length) {
    const end = endOfAnswer(sent, at);
    if (end === at) {
      const next = tree.childLike(parent, sent[at] as Message); // at < length
      if (next?.id === undefined) return { parent, ...branchOff(tree, sent.slice(at)), late };
      parent = next.id;
      at++;
      continue;
    }
    const theirs = sent.slice(at, end);
    const answer = tree.answerLike(parent, theirs);
    if (!answer) return { parent, ...branchOff(tree, sent.slice(at)), late };
    parent = reached(answer, theirs, sent[end])?.id ?? parent;
    const added = addedTo(answer, theirs);
    for (const each of added.late) late.push(each);
    // What is added to an answer that was followed by another comes too late: that one was given without it.
    if (added.messages.length > 0 && end > lastAnswer) {
      return { parent, rest: [...added.messages, ...sent.slice(end)], late };
    }
    at = end;
  }
  return { parent, rest: [], late };
}

/** Places one new turn: at the end of the session, or at that of the answer to which it adds something. */
export function matchTurn(stored: readonly Message[], head: string | null, turn: readonly Message[]): Branching {
  if (stored.length === 0 || !isAnswer(turn[0])) return { parent: head, rest: turn, late: [] };
  const answer = new Tree(stored).answerNamed(nameOf(turn[0]));
  if (!answer) return { parent: head, rest: [], ...(turn[0] && { foreign: turn[0] }), late: [] };
  const { messages, late } = addedTo(answer, turn);
  return { parent: answer.at(-1)?.id ?? head, rest: messages, late };
}

/** A branch of its own: answers in it are copies of the stored ones of their names. */
function branchOff(tree: Tree, sent: readonly Message[]): Pick<Branching, "rest" | "foreign"> {
  const rest: Message[] = [];
  for (let at = 0; at < sent.length; ) {
    const end = endOfAnswer(sent, at);
    const message = sent[at] as Message; // at < length
    if (end === at) {
      rest.push(message);
      at++;
      continue;
    }
    const answer = tree.answerNamed(nameOf(message));
    if (!answer) return { rest: [], foreign: message };
    for (const { parent: _, ...copy } of answer) rest.push(copy);
    at = end;
  }
  return { rest };
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
}

type Call = PartOf<"tool-call">;
/** A person's word on what was asked. */
type Response = PartOf<"approval-response"> | PartOf<"input-response">;

/** Parts that clients drop or never get; they tell no two histories apart. */
const unseen = new Set<Part["type"]>([
  "reasoning",
  "error",
  "source",
  "data",
  "opaque",
  "change",
  "compaction",
  "approval-request",
  "input-request",
]);

/** What is said and done in messages, without what a client may not have. */
class Gist {
  text = "";
  readonly calls = new Map<string, Call>();
  /** Calls that have results, and requests that have answers. */
  readonly answered = new Set<string>();
  readonly others: Part[] = [];

  constructor(messages: readonly Message[] = []) {
    for (const message of messages) this.add(message);
  }

  add({ parts }: Message): void {
    for (const part of parts) {
      const answers = answerOf(part);
      if (answers !== undefined) this.answered.add(answers);
      if (part.type === "text" || part.type === "refusal") this.text += part.text;
      else if (part.type === "tool-call") this.calls.set(part.callId, part);
      // What a person said is said by its value too.
      else if (answers !== undefined && part.type !== "input-response") continue;
      else if (!unseen.has(part.type)) this.others.push(part);
    }
  }

  /** Whether all that another says is said here, its text from the start. */
  covers(other: Gist): boolean {
    return (
      this.text.startsWith(other.text) && [...other.calls].every(([id, call]) => sameCall(this.calls.get(id), call))
    );
  }
}

/** What a part answers. */
function answerOf(part: Part): string | undefined {
  if (part.type === "tool-result") return `call ${part.callId}`;
  if (part.type === "approval-response" || part.type === "input-response") return `request ${part.requestId}`;
  return undefined;
}

/** How many messages of a stored answer a client's copy of it reaches into; 0 = it says something else. */
function seenOf(stored: readonly Message[], sent: readonly Message[]): number {
  const theirs = new Gist(sent);
  const all = new Gist(stored).answered;
  const answered = [...theirs.answered].filter(answer => all.has(answer));
  const ours = new Gist();
  for (const [index, message] of stored.entries()) {
    ours.add(message);
    if (ours.covers(theirs) && answered.every(answer => ours.answered.has(answer))) return index + 1;
  }
  return 0;
}

/** Whether a client's copy under another name says what the answer says: to the end of one of its messages, or its last words. */
function saysAsMuch(answer: readonly Message[], theirs: Gist): boolean {
  if (theirs.text === "" && theirs.calls.size === 0) return false;
  const ours = new Gist();
  let isSame = false;
  for (const message of answer) {
    ours.add(message);
    const isWhole = ours.text.length === theirs.text.length && ours.calls.size === theirs.calls.size;
    if (isWhole && ours.covers(theirs)) isSame = true;
  }
  // A client of texts alone has no calls: only what was said in the end, or all of it.
  const last = new Gist(answer.slice(-1));
  return isSame || (theirs.calls.size === 0 && (theirs.text === ours.text || theirs.text === last.text));
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
  readonly #responses = new Map<string, Response>();

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
  checkShown({ requestId }: Response, sent: readonly Message[]): void {
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
  decided(word: Response): { readonly isOther: boolean; readonly late: LateAnswer } | undefined {
    const { requestId } = word;
    const before = this.#responses.get(requestId);
    if (before) {
      const decision =
        before.type === "approval-response" ? { approved: before.approved } : { isAnswered: true as const };
      return { isOther: !saysAsDid(word, before), late: { requestId, ...decision } };
    }
    const callId = this.#requests.get(requestId);
    const isClosed = callId !== undefined && this.#results.has(callId);
    const isOther = word.type === "input-response" ? word.value !== undefined : word.approved;
    return isClosed ? { isOther, late: { requestId } } : undefined;
  }
}

const saysAsDid = (word: Response, before: Response): boolean =>
  word.type === "input-response"
    ? before.type === "input-response" && equalJson(word.value ?? null, before.value ?? null)
    : before.type === "approval-response" && before.approved === word.approved;

/** Arguments that were cut when the client saw them tell nothing. */
const sameCall = (ours: Call | undefined, theirs: Call): boolean =>
  ours?.name === theirs.name &&
  (theirs.partial === true || theirs.input === undefined || equalJson(ours.input ?? null, theirs.input));

function saysTheSame(stored: Message, sent: Message): boolean {
  if (stored.role !== sent.role) return false;
  const ours = new Gist([stored]);
  const theirs = new Gist([sent]);
  return (
    ours.text.length === theirs.text.length &&
    ours.calls.size === theirs.calls.size &&
    ours.covers(theirs) &&
    ours.answered.size === theirs.answered.size &&
    [...ours.answered].every(answer => theirs.answered.has(answer)) &&
    equalJson(plain(ours.others), plain(theirs.others))
  );
}

/** Parts by what they say: hints how they were spelled count for nothing. */
const plain = (parts: readonly Part[]): Json => parts.map(({ native, exact, id, ...part }) => part) as unknown as Json; // parts are JSON
