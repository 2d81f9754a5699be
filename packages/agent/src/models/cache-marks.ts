import type { Conversation, Message, Part, PartOf, Tool } from "translogue";

/** How long a host is to keep what it has read of a prompt, where it lets one choose. */
export interface PromptCache {
  /** `5m` or `1h`; default: the host's. */
  readonly ttl?: string;
}

/**
 * Hosts that cache up to marks take four of them
 * (https://docs.claude.com/en/docs/build-with-claude/prompt-caching, read 2026-11-30).
 */
const most = 4;

/**
 * The conversation with a mark behind what comes again in the next call: all of its messages, its instructions, its tools.
 * Marks that are there already count, and stay where they are.
 */
export function withCacheMarks(conversation: Conversation, cache: PromptCache): Conversation {
  let left = most - marksIn(conversation);
  const { tools = [], messages } = conversation;
  const marked = [...messages];
  const head = messages.findIndex(({ role }) => role !== "system");
  const ends = [messages.length, head === -1 ? messages.length : head];
  for (const end of new Set(ends)) {
    const place = markable(messages.slice(0, end));
    if (!place || left <= 0) continue;
    const message = withMark(messages, place, cache);
    if (message === messages[place.message]) continue;
    marked[place.message] = message;
    left -= 1;
  }
  const last = tools.at(-1);
  const own = last && !last.cache && left > 0 ? [...tools.slice(0, -1), { ...last, cache }] : tools;
  return { ...conversation, messages: marked, ...(own.length > 0 && { tools: own }) };
}

interface Place {
  readonly message: number;
  readonly part: number;
}

/** The last part that may have one: empty texts may not, nor thoughts. */
function markable(messages: readonly Message[]): Place | undefined {
  for (let message = messages.length - 1; message >= 0; message--) {
    const part = messages[message]?.parts.findLastIndex(isMarkable) ?? -1;
    if (part >= 0) return { message, part };
  }
  return undefined;
}

type Markable = PartOf<"text" | "file" | "tool-call" | "tool-result">;

const isMarkable = (part: Part): part is Markable =>
  part.type === "text" ? part.text.trim() !== "" : ["file", "tool-call", "tool-result"].includes(part.type);

function withMark(messages: readonly Message[], { message, part: place }: Place, cache: PromptCache): Message {
  const marked = messages[message] as Message; // `markable` found it
  const { parts } = marked;
  if (parts[place] === undefined || "cache" in parts[place]) return marked;
  return { ...marked, parts: parts.map((part, index) => (index === place ? { ...part, cache } : part)) };
}

const marksIn = ({ messages, tools = [] }: Conversation): number =>
  tools.filter(isMarked).length + messages.reduce((sum, { parts }) => sum + marksOf(parts), 0);

const marksOf = (parts: readonly Part[]): number =>
  parts.reduce((sum, part) => sum + (isMarked(part) ? 1 : 0) + ("output" in part ? marksOf(part.output ?? []) : 0), 0);

const isMarked = ({ cache }: Part | Tool): boolean => cache !== undefined;
