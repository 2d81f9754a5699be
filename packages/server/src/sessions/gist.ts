import { equalJson, type Json, type Message, type Part, type PartOf } from "translogue";

export type Call = PartOf<"tool-call">;

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
export class Gist {
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
export function seenOf(stored: readonly Message[], sent: readonly Message[]): number {
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
export function saysAsMuch(answer: readonly Message[], theirs: Gist): boolean {
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

/** Arguments that were cut when the client saw them tell nothing. */
export const sameCall = (ours: Call | undefined, theirs: Call): boolean =>
  ours?.name === theirs.name &&
  (theirs.partial === true || theirs.input === undefined || equalJson(ours.input ?? null, theirs.input));

export function saysTheSame(stored: Message, sent: Message): boolean {
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
