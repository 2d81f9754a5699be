import { equalJson, type Json, type Message, type Part } from "translogue";

/** Where a client's history stands in the stored one. */
export interface Branching {
  /** The last stored message that the client's history shares; null = none: what it sends is a new root. */
  readonly parent: string | null;
  /** What the client sent beyond it, in order. */
  readonly rest: readonly Message[];
}

/**
 * Matches a client's whole history with the stored tree: the longest common beginning is the stored one's, the rest is new.
 * The stored history is the truth, so what a client has of it may be less: an answer that it saw only the beginning of,
 * without reasoning, seals and errors.
 */
export function matchHistory(stored: readonly Message[], sent: readonly Message[]): Branching {
  const tree = new Tree(stored);
  let parent: string | null = null;
  let at = 0;
  while (at < sent.length) {
    const end = endOfAnswer(sent, at);
    const answer: Message[] | undefined = end > at ? tree.answerBelow(parent, nameOf(sent[at])) : undefined;
    if (answer) {
      const theirs = sent.slice(at, end);
      const known = seenOf(answer, theirs);
      if (known === 0) return { parent, rest: sent.slice(at) };
      // What the client did not see of an answer stands all the same before what it says next.
      const last: Message | undefined = isAnswer(sent[end]) ? answer[known - 1] : answer.at(-1);
      parent = last?.id ?? parent;
      const added = addedTo(answer, theirs);
      if (added.length > 0) return { parent, rest: [...added, ...sent.slice(end)] };
      at = end;
    } else {
      const next = tree.childLike(parent, sent[at] as Message); // at < length
      if (next?.id === undefined) return { parent, rest: sent.slice(at) };
      parent = next.id;
      at++;
    }
  }
  return { parent, rest: [] };
}

/** Where the messages that a client has as one answer end; `start` itself where no answer begins there. */
function endOfAnswer(sent: readonly Message[], start: number): number {
  const name = nameOf(sent[start]);
  if (name === undefined || !isAnswer(sent[start])) return start;
  let end = start + 1;
  while (end < sent.length && sent[end]?.run === name && isAnswer(sent[end])) end++;
  return end;
}

/** The answer that a message belongs to; one that is a whole answer gives it its name. */
const nameOf = (message: Message | undefined): string | undefined => message?.run ?? message?.id;

const isAnswer = (message: Message | undefined): boolean => message?.role === "assistant" || message?.role === "tool";

class Tree {
  readonly #children = new Map<string | null, Message[]>();

  constructor(messages: readonly Message[]) {
    for (const message of messages) {
      const parent = message.parent ?? null;
      const siblings = this.#children.get(parent);
      if (siblings) siblings.push(message);
      else this.#children.set(parent, [message]);
    }
  }

  /** The messages of an answer from below a message on, in order; undefined where there is none of that name. */
  answerBelow(parent: string | null, name: string | undefined): Message[] | undefined {
    const first = this.#children
      .get(parent)
      ?.findLast(child => isAnswer(child) && (child.run === name || child.id === name));
    if (name === undefined || first?.id === undefined) return undefined;
    const answer = [first];
    const run = nameOf(first);
    for (let at: string | undefined = first.id; at !== undefined; ) {
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

type Call = Part & { readonly type: "tool-call" };

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
      if (part.type === "text" || part.type === "refusal") this.text += part.text;
      else if (part.type === "tool-call") this.calls.set(part.callId, part);
      else if (answers !== undefined) this.answered.add(answers);
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
  if (part.type === "approval-response") return `request ${part.requestId}`;
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

/** What a client added to an answer: results of tools that it ran, and its word on what was asked. */
function addedTo(stored: readonly Message[], sent: readonly Message[]): readonly Message[] {
  const { answered } = new Gist(stored);
  return sent.flatMap(message => {
    const added = message.parts.filter(part => {
      const answers = answerOf(part);
      return answers !== undefined && !answered.has(answers);
    });
    return added.length > 0 ? [{ ...message, role: "tool", parts: added }] : [];
  });
}

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
