import { originalPath } from "../../codec/provenance.ts";
import { contextIndexes, lastCompaction } from "../../model/context.ts";
import type { Conversation, Message } from "../../model/conversation.ts";
import type { MessageHead } from "../../model/events.ts";
import type { Path } from "../../model/issue.ts";
import type { Part } from "../../model/parts.ts";
import type { Rules, Target } from "../target.ts";
import { type View, viewOfSent } from "../turns.ts";
import type { RepairName } from "./names.ts";
import type { Policies } from "./policies.ts";

/** What a repair did. `path` leads into the conversation given; what was added counts as where it was added. */
export interface Change {
  /** `leave-out`: not to be mended, but without a place in the target's format, so that what is left had to be mended. */
  readonly repair: RepairName | "leave-out";
  readonly path: Path;
  readonly message: string;
  /** Of an id or a name that is spelled in another way: what it was and what goes out, so that answers can be read back. */
  readonly was?: string;
  readonly now?: string;
}

/** A part and where it stood. */
export interface Item {
  readonly part: Part;
  readonly path: Path;
}

/** A message at work. Repairs change its head and items; a message that none of them changed stays the object that it was. */
export interface DraftMessage {
  head: MessageHead;
  items: Item[];
  readonly path: Path;
  readonly source: Message | undefined;
}

/** What repairs are asked besides the conversation. */
export interface Asked {
  readonly target: Target;
  /** Of the target, for the model that is asked. */
  readonly rules: Rules;
  readonly policies: Policies;
  readonly model: string | undefined;
}

/** A conversation at work: the history that a model reads as a plain list, and what was done to it so far. */
export class Draft {
  messages: DraftMessage[];
  tools: Conversation["tools"];
  settings: Conversation["settings"];
  native: Conversation["native"];
  readonly target: Target;
  readonly rules: Rules;
  readonly policies: Policies;
  readonly model: string | undefined;
  readonly changes: Change[] = [];
  readonly #given: Conversation;
  #asked: ReadonlyMap<string, string> | undefined;
  #view: { readonly at: number; readonly view: View } | undefined;

  constructor(given: Conversation, indexes: readonly number[], asked: Asked) {
    this.#given = given;
    this.tools = given.tools;
    this.settings = given.settings;
    this.native = given.native;
    this.rules = asked.rules;
    this.policies = asked.policies;
    this.target = asked.target;
    this.model = asked.model;
    this.messages = indexes.flatMap(index => {
      const message = given.messages[index];
      return message ? [draftOf(message, ["messages", index])] : [];
    });
  }

  /** What would be sent as it is now. Every change is reported, so their number tells whether this one still holds. */
  view(): View {
    const at = this.changes.length;
    // All of a plain list is read.
    if (this.#view?.at !== at)
      this.#view = { at, view: viewOfSent(this.#built(), this.target, [...this.messages.keys()]) };
    return this.#view.view;
  }

  changed(repair: Change["repair"], path: Path, message: string, spelling: Pick<Change, "was" | "now"> = {}): void {
    this.changes.push({ repair, path, message, ...spelling });
  }

  /** The call that a request of the history given asks for, whether a model reads it or not. */
  askedBy(requestId: string): string | undefined {
    this.#asked ??= askedIn(this.#given.messages);
    return this.#asked.get(requestId);
  }

  /** The items of all messages, each mapped: itself, another, or none. What is emptied by it goes. */
  mapItems(map: (item: Item, message: DraftMessage) => Part | undefined): void {
    this.mapMessages(message => {
      let isChanged = false;
      const items = message.items.flatMap(item => {
        const part = map(item, message);
        if (part === item.part) return [item];
        isChanged = true;
        return part === undefined ? [] : [{ part, path: item.path }];
      });
      if (isChanged) message.items = items;
    });
  }

  /** Every message in turn; one that lost its last part is gone. */
  mapMessages(map: (message: DraftMessage) => void): void {
    const emptied = new Set<DraftMessage>();
    for (const message of this.messages) {
      const hadParts = message.items.length > 0;
      map(message);
      if (hadParts && message.items.length === 0) emptied.add(message);
    }
    if (emptied.size > 0) this.messages = this.messages.filter(message => !emptied.has(message));
  }

  /** The messages at work by their places in `conversation()`, as it is now. */
  placed(): (index: number) => DraftMessage | undefined {
    const { messages } = this;
    if (this.changes.length > 0) return index => messages[index];
    const byPlace = new Map(messages.map(message => [message.path[1], message]));
    return index => byPlace.get(index);
  }

  /** The repaired conversation: the one given where nothing changed. */
  conversation(): Conversation {
    return this.changes.length === 0 ? this.#given : this.#built();
  }

  /** Where a place in `conversation()` stands in the conversation given; what was added counts as where it was added. */
  home(path: Path): Path {
    const [list, place, ...rest] = path;
    if (this.changes.length === 0 || list !== "messages" || typeof place !== "number") return path;
    const message = this.messages[place];
    if (!message) return path;
    const [member, index, ...inner] = rest;
    const item = member === "parts" && typeof index === "number" ? message.items[index] : undefined;
    return item ? placeIn(item, inner) : [...message.path, ...rest];
  }

  /** Its messages are those at work, one to one. */
  #built(): Conversation {
    const { head: _, tools: __, settings: ___, native: ____, ...others } = this.#given;
    const messages = plainList(this.messages.map(built));
    const { tools, settings, native } = this;
    return { ...others, messages, ...(tools && { tools }), ...(settings && { settings }), ...(native && { native }) };
  }
}

/** The calls of requests, by the first request of each id. */
function askedIn(messages: readonly Message[]): ReadonlyMap<string, string> {
  const asked = new Map<string, string>();
  for (const { parts } of messages) {
    for (const part of parts)
      if (part.type === "approval-request" && !asked.has(part.requestId)) asked.set(part.requestId, part.callId);
  }
  return asked;
}

/** Where a place in an item as it is now stood in the conversation given. */
export const placeIn = ({ part, path }: Item, inner: Path): Path => [...path, ...originalPath(part, inner)];

const draftOf = (message: Message, path: Path): DraftMessage => {
  const { parts, ...head } = message;
  return {
    head,
    items: parts.map((part, index) => ({ part, path: [...path, "parts", index] })),
    path,
    source: message,
  };
};

/** A message that a repair adds. */
export const madeMessage = (head: MessageHead, items: readonly Item[], path: Path): DraftMessage => ({
  head,
  items: [...items],
  path,
  source: undefined,
});

function built({ head, items, source }: DraftMessage): Message {
  const isSame =
    source !== undefined &&
    items.length === source.parts.length &&
    items.every(({ part }, index) => part === source.parts[index]) &&
    sameHead(head, source);
  return isSame ? source : { ...head, parts: items.map(({ part }) => part) };
}

const unlinked = (message: Message): Message => {
  if (message.parent === undefined) return message;
  const { parent: _, ...others } = message;
  return others;
};

function sameHead(head: MessageHead, source: Message): boolean {
  const names = Object.keys(head) as (keyof MessageHead)[]; // its own
  return names.length === Object.keys(source).length - 1 && names.every(name => head[name] === source[name]);
}

/**
 * The messages of a context as a list that is read as it is: they are in no tree, and a compaction, which says what of the history is
 * read and in which order (R26), says that it is all of this.
 */
export function plainList(context: readonly Message[]): readonly Message[] {
  const messages = context.map(unlinked);
  if (isPlain(messages)) return messages;
  const { place } = lastCompaction([...messages.keys()], messages) ?? {};
  const placed = messages.map((message, index) => (index === place ? withAll(message) : message));
  return isPlain(placed) ? placed : messages.map(message => withAll(message, "in place"));
}

function isPlain(messages: readonly Message[]): boolean {
  if (!messages.some(({ parts }) => parts.some(({ type }) => type === "compaction"))) return true;
  const read = contextIndexes({ messages });
  return read.length === messages.length && read.every((index, place) => index === place);
}

/** The message with compactions that let stand what is before them, and bring nothing behind them. */
function withAll(message: Message, kept?: "in place"): Message {
  if (!message.parts.some(({ type }) => type === "compaction")) return message;
  const parts = message.parts.map(part => {
    if (part.type !== "compaction") return part;
    const { keep, ...others } = part;
    const isKept = keep !== undefined && kept === undefined;
    return { ...others, replaces: part.replaces ?? null, ...(isKept && { keep }) };
  });
  return { ...message, parts };
}
