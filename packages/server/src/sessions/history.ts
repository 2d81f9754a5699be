import { accumulate, type Conversation, type Event, type Json, type Message, type Part } from "translogue";
import type { Claim, Entry, SessionKey, Store, StoredSession } from "../store/store.ts";

/** A session as its entries tell it. */
export interface History {
  /** Messages of all branches, in the order they came. */
  readonly messages: readonly Message[];
  /** The last message of the branch that counts; null = the session is empty. */
  readonly head: string | null;
  /** What the agent kept beside messages, by the message that its run ended with. */
  readonly states: ReadonlyMap<string, Json>;
  /** A run without an end: under way, or cut with its process. */
  readonly open?: { readonly run: string; readonly messages: readonly Message[] };
}

/** Entries in their order → the history. A run without an end counts with what it has said so far. */
export function historyOf(entries: readonly Entry[]): History {
  const byId = new Map<string, Message>();
  const add = (messages: readonly Message[]): void => {
    for (const message of messages) if (message.id !== undefined) byId.set(message.id, message);
  };
  const states = new Map<string, Json>();
  let head: string | null = null;
  let open: { readonly run: string; readonly events: Event[] } | undefined;
  for (const entry of entries) {
    switch (entry.kind) {
      case "messages":
        add(entry.messages);
        head = entry.messages.at(-1)?.id ?? head;
        break;
      case "run":
        head = entry.parent;
        open = { run: entry.run, events: [] };
        break;
      case "events":
        if (open?.run === entry.run) for (const event of entry.events) open.events.push(event);
        break;
      case "end":
        add(entry.messages);
        head = entry.head;
        if (head !== null && entry.state !== undefined) states.set(head, entry.state);
        if (open?.run === entry.run) open = undefined;
        break;
      default:
    }
  }
  if (!open) return { messages: [...byId.values()], head, states };
  const said = accumulate(open.events);
  add(said);
  return {
    messages: [...byId.values()],
    head: said.at(-1)?.id ?? head,
    states,
    open: { run: open.run, messages: said },
  };
}

/** The branch that ends with a message, its first message first. */
export function branchTo(messages: readonly Message[], head: string | null): Message[] {
  const byId = new Map(messages.map(message => [message.id, message]));
  const branch: Message[] = [];
  let id: string | null | undefined = head;
  while (id !== null && id !== undefined) {
    const message: Message | undefined = byId.get(id);
    if (!message || branch.length > messages.length) break;
    branch.push(message);
    id = message.parent;
  }
  return branch.reverse();
}

/** The newest of what follows a message, the first message first. */
export function branchBelow(messages: readonly Message[], start: string | null): Message[] {
  const newest = new Map(messages.map(message => [message.parent ?? null, message]));
  const branch: Message[] = [];
  for (let next = newest.get(start); next && branch.length < messages.length; next = newest.get(next.id ?? null)) {
    branch.push(next);
    if (next.id === undefined) break;
  }
  return branch;
}

/** Whether an id has the form of the agent's: it numbers the messages of an answer, as readers of UI messages do (R10). */
export const isNumbered = (id: string): boolean => /:\d+$/.test(id);

export interface LoadedSession {
  readonly session: StoredSession;
  readonly history: History;
}

export async function loadSession(store: Store, key: SessionKey): Promise<LoadedSession | undefined> {
  const stored = await store.read(key);
  return stored && { session: stored.session, history: historyOf(stored.entries) };
}

/** The history of a session that this request holds. A run that its process left open is closed as interrupted first. */
export async function openSession(store: Store, claim: Claim, newId: () => string): Promise<History> {
  const loaded = await loadSession(store, claim.key);
  if (!loaded) return { messages: [], head: null, states: new Map() };
  const { open, ...history } = loaded.history;
  if (!open) return history;
  const closing = unanswered(open.messages, { parent: history.head, newId });
  const messages = [...open.messages, ...closing];
  const head = closing.at(-1)?.id ?? history.head;
  await claim.append([{ kind: "end", run: open.run, outcome: "interrupted", messages, head }], "now");
  return { ...history, messages: [...history.messages, ...closing], head };
}

/** Results for calls that nobody will run any more: no model reads a call without one. */
function unanswered(
  messages: readonly Message[],
  { parent, newId }: { readonly parent: string | null; readonly newId: () => string },
): Message[] {
  const parts = messages.flatMap(message => message.parts);
  const answered = new Set(
    parts.flatMap(part => (part.type === "tool-result" && !part.preliminary ? [part.callId] : [])),
  );
  const open = parts.filter(
    part => part.type === "tool-call" && part.executedBy !== "provider" && !answered.has(part.callId),
  );
  const results = open.flatMap((part): Part[] =>
    part.type === "tool-call"
      ? [{ type: "tool-result", callId: part.callId, name: part.name, outcome: "interrupted", output: [interrupted] }]
      : [],
  );
  const run = messages.at(-1)?.run;
  return results.length === 0
    ? []
    : [{ id: newId(), parent, role: "tool", ...(run !== undefined && { run }), parts: results }];
}

const interrupted: Part = { type: "text", text: "The call was interrupted before it finished; it has no result." };

export function conversationOf(id: string, { messages, head }: History): Conversation {
  return { id, messages, ...(head !== null && { head }) };
}
