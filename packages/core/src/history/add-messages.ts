import type { Message } from "../model/conversation.ts";
import { TranslogueError } from "../model/error.ts";
import { demandMessages } from "../model/given.ts";
import { isJsonObject } from "../model/json.ts";
import { callback, demandOptions, oneOf } from "../model/options.ts";
import { sameList } from "./same-list.ts";

/** The id whose removal removes all. */
export const removeAll = "__remove_all__";

/** A message for `addMessages`: takes out the message of this id, or with `removeAll` every one so far. */
export const removal = (id: string): Message => ({
  role: "control",
  parts: [{ type: "opaque", family: "history", value: { type: "remove", id } }],
});

/** Whose removal a message is; undefined where it is none, "" where it does not say. Any family's word for it counts. */
export function removedBy({ role, parts }: Message): string | undefined {
  const [part, ...others] = parts;
  if (role !== "control" || part?.type !== "opaque" || others.length > 0) return undefined;
  const { value } = part;
  if (!isJsonObject(value) || value["type"] !== "remove") return undefined;
  return typeof value["id"] === "string" ? value["id"] : "";
}

export interface AddOptions {
  /**
   * "strict" (absent): the removal of a message that is not there throws, and what is added again after its removal takes its
   * old place. "delta": such a removal does nothing and what is added again goes to the end, so that it does not matter how
   * updates are cut into batches.
   */
  readonly mode?: "strict" | "delta";
  /** Gives an id to a message that has none. Absent = it stays without one. */
  readonly newId?: (message: Message) => string;
}

/**
 * The reducer of a list of messages: an update with the id of a message takes its place, others are appended, a removal takes
 * out. What stands before the last removal of all is gone. A removal among the messages is left from an earlier update, and
 * none of them. Throws `history/unknown-removal`.
 */
export function addMessages(
  messages: readonly Message[],
  updates: readonly Message[],
  options: AddOptions = {},
): readonly Message[] {
  demandMessages(messages);
  demandMessages(updates, "updates");
  demandOptions(options, { mode: oneOf("strict", "delta"), newId: callback }, "history/bad-option");
  const cut = updates.findLastIndex(update => removedBy(update) === removeAll);
  const list = new List(cut === -1 ? messages : [], options);
  for (const update of updates.slice(cut + 1)) list.add(update, cut !== -1);
  return sameList(messages, list.messages());
}

class List {
  private readonly held: Message[] = [];
  /** Of what is not gone, by its id. */
  private readonly places = new Map<string, number[]>();
  private readonly removed = new Set<string>();
  /** Whose removal was among the messages. */
  private readonly left = new Set<string>();
  private readonly gone = new Set<number>();
  private readonly options: AddOptions;

  constructor(messages: readonly Message[], options: AddOptions) {
    this.options = options;
    for (const message of messages) {
      const id = removedBy(message);
      if (id === undefined) this.append(message);
      else this.left.add(id);
    }
  }

  add(update: Message, afterAll: boolean): void {
    const id = removedBy(update);
    if (id !== undefined) this.remove(id, afterAll);
    else this.put(update);
  }

  messages(): readonly Message[] {
    return this.held.filter(({ id }, place) => !this.gone.has(place) && !(id !== undefined && this.removed.has(id)));
  }

  /** `lenient`: what it names may have gone with all the others. */
  private remove(id: string, lenient: boolean): void {
    const places = this.places.get(id);
    if (places === undefined) {
      if (lenient || this.options.mode === "delta" || this.left.has(id)) return;
      const text = `There is no message of the id ${JSON.stringify(id)} to remove: remove messages by the ids that they have.`;
      throw new TranslogueError("history/unknown-removal", text, { data: { id } });
    }
    if (this.options.mode !== "delta") {
      this.removed.add(id);
      return;
    }
    for (const place of places) this.gone.add(place);
    this.places.delete(id);
  }

  private put(message: Message): void {
    // Of equal ids the last.
    const place = message.id === undefined ? undefined : this.places.get(message.id)?.at(-1);
    if (place === undefined) {
      this.append(message);
      return;
    }
    if (message.id !== undefined) this.removed.delete(message.id);
    this.held[place] = message;
  }

  private append(message: Message): void {
    const { newId } = this.options;
    const named = message.id === undefined && newId ? { ...message, id: newId(message) } : message;
    const places = named.id === undefined ? undefined : this.places.get(named.id);
    if (places) places.push(this.held.length);
    else if (named.id !== undefined) this.places.set(named.id, [this.held.length]);
    this.held.push(named);
  }
}
