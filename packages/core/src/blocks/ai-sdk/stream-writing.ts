/** Events → the AI SDK's UI message stream: all messages of a run are the steps of one message. */

import type { EncodeContext } from "../../codec/codec.ts";
import type { Event, MessageHead } from "../../model/events.ts";
import type { Path } from "../../model/issue.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { type Accumulator, accumulator } from "../../stream/accumulate.ts";
import type { Machine } from "../../stream/machine.ts";
import { mergeMembers } from "../../stream/merge.ts";
import { finishChunk } from "./finish.ts";
import { loseJoined } from "./layout.ts";
import type { Usage } from "./messages.ts";
import { family, isMadeId } from "./part.ts";
import { isUnsafe } from "./partial.ts";
import { changedMetadata, mergedMetadata, withoutUnsafe } from "./stream-metadata.ts";
import { PartsOut } from "./stream-parts.ts";
import { steeringMessage } from "./writing.ts";

export interface StreamWriting extends Usage {
  readonly context: EncodeContext;
}

/** Losses of a stream beyond those of whole messages. */
export const streamWritingLosses = {
  "other-role": { kind: "dropped", note: "a stream holds what the assistant and its tools say" },
  "late-id": { kind: "dropped", note: "an id that comes after the start would begin another message" },
  "kept-metadata": { kind: "approximated", note: "metadata is merged by its readers; what went away stays" },
  "step-finish": { kind: "dropped", note: "only the end of a run says why it ended" },
  "empty-step": { kind: "dropped", note: "a step that says nothing is seen once another follows" },
  finish: { kind: "approximated", note: "the SDK has fewer reasons to finish" },
  restarted: { kind: "approximated", note: "what was said stays, and the new attempt follows it" },
  "late-text": { kind: "approximated", note: "a text that goes on after its step goes on as another" },
  "late-order": { kind: "approximated", note: "a part that comes late stands behind what came before it" },
  "late-change": { kind: "dropped", note: "what was said cannot be changed any more" },
  "answer-elsewhere": {
    kind: "dropped",
    note: "the client that answered an earlier message's question knows it",
  },
  "silent-approval": {
    kind: "dropped",
    note: "a stream of generation 6 has no chunk for the answer, and the SDK refuses to store its denial without one: data beside the call says it, and a denial is an error that says why",
  },
  "result-metadata": { kind: "dropped", note: "results have no metadata in its stream" },
  "same-call": { kind: "merged", note: "calls of one id in one step are one call" },
  "stream-member": { kind: "dropped", note: "no chunk has a place for it" },
  "unknown-chunk": { kind: "dropped", note: "a chunk that the generation does not know ends its stream" },
  "unsafe-key": { kind: "dropped", note: "a key that could reach a prototype ends the stream of its readers" },
} as const;

/** Writes the stream of a format that holds the SDK's messages. */
export const streamWriter = (writing: StreamWriting): Machine<Event, Json> => {
  const writer = new StreamWriter(writing);
  return { push: event => writer.push(event), end: () => writer.end() };
};

/** A message of ours as it comes. */
interface OpenMessage {
  readonly number: number;
  head: MessageHead;
  readonly wire: Wire | undefined;
  /** Its place among the messages that the wire message becomes. */
  readonly place: number;
  isOver: boolean;
  isEmpty: boolean;
}

/** A message of the SDK's. */
interface Wire {
  readonly id: string | undefined;
  run: string | undefined;
  count: number;
  hasAssistant: boolean;
}

class StreamWriter {
  readonly #writing: StreamWriting;
  readonly #chunks: Json[] = [];
  readonly #messages = new Map<number, OpenMessage>();
  readonly #parts: PartsOut;
  #wire: Wire | undefined;
  /** The assistant's message that is written now. */
  #step: OpenMessage | undefined;
  #isBegun = false;
  #isMarked = false;
  /** Steps in which nothing was said since something was. */
  #empty: OpenMessage[] = [];
  /** The last one in which something was, or that the reader makes anyway. */
  #said: OpenMessage | undefined;
  /** The metadata that came last, and in which step. */
  #metadata: { readonly step: OpenMessage | undefined; readonly value: Json } | undefined;
  /** Messages of a user of which nothing is known but answers to questions. */
  readonly #answering = new Set<number>();
  /** What a user says during the run. */
  #word: { readonly message: number; readonly parts: Accumulator } | undefined;

  constructor(writing: StreamWriting) {
    this.#writing = writing;
    this.#parts = new PartsOut({
      ...writing,
      put: chunk => this.#put(chunk),
      enter: (message, says) => this.#enter(message, says),
      isOfStep: message => message === this.#step?.number,
      isAssistant: message => this.#messages.get(message)?.head.role === "assistant",
    });
  }

  push(event: Event): readonly Json[] {
    this.#parts.settle(event);
    switch (event.type) {
      case "message-start":
        this.#start(event.message, event.head);
        break;
      case "message-set":
        this.#set(event.message, event.set);
        break;
      case "message-end":
        this.#end(event.message);
        break;
      case "error":
        if (!this.#wire) this.#open({ role: "assistant" }, 0);
        this.#put({ type: "error", errorText: event.error.message });
        // A step that fails before anything is said is not begun behind its error.
        this.#isBegun = true;
        break;
      default:
        if (event.message === this.#word?.message) this.#word.parts.push({ ...event, message: 0 });
        else if (this.#messages.get(event.message)?.wire || this.#isAnswer(event)) this.#parts.take(event);
    }
    return this.#chunks.splice(0);
  }

  end(): readonly Json[] {
    for (const number of this.#answering) this.#end(number);
    this.#parts.end();
    const last = this.#step;
    this.#showEmpty();
    this.#loseEmpty();
    this.#begin();
    this.#names();
    const finish = last?.head.finish;
    const isCut = finish ? finish.reason === "incomplete" : last !== undefined && !last.isOver;
    if (this.#wire && !isCut) {
      this.#leave();
      const { generation } = this.#writing;
      const path = ["messages", last?.number ?? 0, "finish"];
      this.#put(finishChunk(finish, { generation, lose: detail => this.#lose("finish", path, detail) }));
    }
    return this.#chunks.splice(0);
  }

  #put(chunk: JsonObject): void {
    const clean = isUnsafe(chunk) ? (withoutUnsafe(chunk) as JsonObject) : chunk; // an object without some keys
    if (clean !== chunk) this.#lose("unsafe-key", ["messages", this.#step?.number ?? 0], String(chunk["type"]));
    this.#chunks.push(clean);
  }

  #lose(code: string, path: Path, detail?: string): void {
    this.#writing.context.lose(code, path, detail);
  }

  // messages

  #start(message: number, head: MessageHead): void {
    const known = this.#messages.get(message);
    if (known) {
      this.#restart(known);
      return;
    }
    if (head.role === "assistant") this.#assistant(message, head);
    else if (head.role === "tool") this.#tools(message, head);
    else this.#other(message, head);
  }

  #assistant(message: number, head: MessageHead): void {
    this.#leave();
    const begins = head.native?.[family]?.["$message"] === true && this.#wire?.hasAssistant === true;
    if (!this.#wire || begins || head.run !== this.#wire.run) this.#open(head, message);
    const wire = this.#wire as Wire | undefined; // opened if it was not
    if (!wire) return;
    wire.hasAssistant = true;
    this.#step = this.#add(message, head, wire);
    this.#empty.push(this.#step);
    if (this.#step.place === 0) this.#said = this.#step;
    this.#isBegun = false;
  }

  #tools(message: number, head: MessageHead): void {
    const { run } = head;
    if (!this.#wire) this.#open({ role: "tool", ...(run !== undefined && { run, id: run }) }, message);
    if (this.#wire) this.#add(message, head, this.#wire);
  }

  /** A word of the user's during the run has a place in generation 7; other messages have none. */
  #other(message: number, head: MessageHead): void {
    const { generation } = this.#writing;
    const isWord = generation >= 7 && head.role === "user" && head.run !== undefined && head.run === this.#wire?.run;
    if (!isWord || !this.#wire) {
      this.#messages.set(message, { number: message, head, wire: undefined, place: 0, isOver: false, isEmpty: true });
      if (head.role === "user" && this.#wire) this.#answering.add(message);
      else this.#lose("other-role", ["messages", message], head.role);
      return;
    }
    this.#leave();
    this.#step = undefined;
    this.#add(message, head, this.#wire);
    const parts = accumulator();
    parts.push({ type: "message-start", message: 0, head });
    this.#word = { message, parts };
  }

  /** What a user answers is told with its call, whatever else is said beside it. */
  #isAnswer(event: Event): boolean {
    if (event.type !== "part" && event.type !== "part-start") return false;
    if (event.value.type === "approval-response") return this.#messages.get(event.message)?.head.role === "user";
    this.#loseOther(event.message);
    return false;
  }

  #loseOther(message: number): void {
    if (this.#answering.delete(message)) this.#lose("other-role", ["messages", message], "user");
  }

  #add(message: number, head: MessageHead, wire: Wire): OpenMessage {
    const added = { number: message, head, wire, place: wire.count++, isOver: false, isEmpty: true };
    this.#messages.set(message, added);
    if (added.place === 0) return added;
    loseJoined(head, message, (code, path) => this.#lose(code, path));
    return added;
  }

  /** Begins a message of the SDK's: its readers tell it from the one before by its id. */
  #open(head: MessageHead, message: number): void {
    this.#loseEmpty();
    const id = head.id ?? (this.#wire ? `~${message}` : undefined);
    if (head.id !== undefined && isMadeId(head.id)) this.#lose("made-id", ["messages", message, "id"]);
    if (this.#wire) this.#parts.forget();
    this.#wire = { id, run: head.run, count: 0, hasAssistant: false };
    const metadata = head.metadata === undefined ? {} : { messageMetadata: head.metadata };
    if (head.metadata === null) this.#lose("kept-metadata", ["messages", message, "metadata"]);
    this.#put({ type: "start", ...(id !== undefined && { messageId: id }), ...metadata });
  }

  #set(number: number, set: Partial<MessageHead>): void {
    const message = this.#messages.get(number);
    if (!message) return;
    const before = message.head;
    message.head = mergeMembers(before, set);
    const { wire } = message;
    if (!wire) return;
    if (set.run !== undefined && message.place === 0) wire.run = set.run;
    if (set.id !== undefined && set.id !== before.id) this.#lose("late-id", ["messages", number, "id"]);
    if (set.metadata === undefined || equalJson(set.metadata, before.metadata)) return;
    const path = ["messages", number, "metadata"];
    if (message.place > 0) {
      this.#lose("joined-metadata", path);
      return;
    }
    // Of every step but the first it is certain whether it is marked.
    if (this.#step?.isEmpty && this.#step.place > 0) this.#showStep();
    this.#metadata = { step: this.#step, value: set.metadata };
    this.#put({ type: "message-metadata", messageMetadata: changedMetadata(before.metadata, set.metadata) });
    const read = before.metadata === undefined ? set.metadata : mergedMetadata(before.metadata, set.metadata);
    if (set.metadata === null || !equalJson(read, set.metadata)) this.#lose("kept-metadata", path);
  }

  #end(number: number): void {
    const message = this.#messages.get(number);
    if (message) message.isOver = true;
    if (message?.isEmpty) this.#loseOther(number);
    else if (this.#answering.delete(number)) this.#lose("moved", ["messages", number]);
    if (this.#word?.message !== number) return;
    const [word] = this.#word.parts.end();
    this.#word = undefined;
    if (word) this.#put(steeringMessage(word, number, this.#writing));
  }

  /** The answer starts over. */
  #restart(message: OpenMessage): void {
    const isOpen = message === this.#step && !this.#word;
    if (message.isEmpty) return;
    this.#parts.restart(message.number, { isReset: isOpen && this.#writing.generation >= 7 });
    if (isOpen && this.#writing.generation >= 7) this.#put({ type: "reset-step" });
    else this.#lose("restarted", ["messages", message.number]);
  }

  // steps

  /** Something is said in a message; what is told with an earlier step says nothing in its own. */
  #enter(number: number, says = true): void {
    const message = this.#messages.get(number);
    if (!message) return;
    message.isEmpty = false;
    if (!says) return;
    this.#empty = [];
    if (message.head.role === "assistant") this.#said = message;
    this.#begin();
  }

  /** Metadata shows the steps before it. It went out when it came, where no mark may have been certain: saying an object again changes nothing. */
  #showEmpty(): void {
    if (!this.#step?.isEmpty || this.#metadata?.step !== this.#step || this.#isBegun) return;
    const { value } = this.#metadata;
    if (!isJsonObject(value)) return;
    this.#showStep();
    if (this.#isMarked) this.#put({ type: "message-metadata", messageMetadata: value });
  }

  #showStep(): void {
    this.#empty = [];
    this.#begin();
  }

  /** A mark is seen once something is said after it. */
  #loseEmpty(): void {
    const lost = this.#empty.filter(({ place }) => place > 0);
    for (const { number } of lost) this.#lose("empty-step", ["messages", number]);
    // The reason of the last step is read as that of the last one in which something was said.
    const said = this.#said;
    if (lost.length > 0 && said) this.#lose("step-finish", ["messages", said.number, "finish"]);
    this.#empty = [];
  }

  #begin(): void {
    if (!this.#step || this.#isBegun) return;
    this.#isBegun = true;
    this.#isMarked = this.#step.head.native?.[family]?.["$stepStart"] !== false;
    if (this.#isMarked) this.#put({ type: "start-step" });
  }

  #leave(): void {
    if (!this.#step) return;
    this.#begin();
    this.#parts.leave();
    if (this.#isMarked) this.#put({ type: "finish-step" });
    this.#isMarked = false;
  }

  /** What of ids, runs and reasons to finish does not come back. */
  #names(): void {
    for (const message of this.#messages.values()) {
      const { number, head, wire, place } = message;
      if (!wire) continue;
      const id = wire.id !== undefined && !isMadeId(wire.id) ? wire.id : undefined;
      const named = id === undefined ? undefined : place === 0 ? id : `${id}:${place}`;
      const own = head.role === "user" ? head.id : named;
      if (head.id !== own) this.#lose("message-id", ["messages", number, "id"]);
      if (head.run !== (wire.count > 1 ? id : undefined)) this.#lose("run", ["messages", number, "run"]);
      if (head.finish && message !== this.#step) this.#lose("step-finish", ["messages", number, "finish"]);
    }
  }
}
