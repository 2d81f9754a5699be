import { isAsked } from "../../blocks/openai-responses/approvals.ts";
import { isContent } from "../../blocks/openai-responses/content.ts";
import { numberedBy, writingOf } from "../../blocks/openai-responses/messages.ts";
import {
  holdsResult,
  isOwnItem,
  isSealed,
  joins,
  sideOf,
  type Unit,
  type Writing,
  writeUnit,
} from "../../blocks/openai-responses/writing.ts";
import type { EncodeContext } from "../../codec/codec.ts";
import { defined } from "../../codec/reader.ts";
import type { Message } from "../../model/conversation.ts";
import type { Event, MessageHead } from "../../model/events.ts";
import type { Path } from "../../model/issue.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { Part, PartOf, ToolCallPart } from "../../model/parts.ts";
import type { Machine } from "../../stream/machine.ts";
import { mergeMembers } from "../../stream/merge.ts";
import type { OpenPart } from "../../stream/open-part.ts";
import { envelopeOf, madeId } from "./answer.ts";
import { writeScope } from "./dialects.ts";
import { SentItem, silent } from "./sent-item.ts";

/**
 * Events → stream events. Texts and arguments pass on as they come; each item is announced with its first part and said
 * whole when it is done. At the end the answer is written as without a stream, from the same parts: it is what counts.
 */
export const streamEncoder = (context: EncodeContext): Machine<Event, Json> => new EventWriter(context);

type PartEvent = Event & { readonly type: "part-start" | "part" };

/** A message of the assistant, and what is out of it. */
interface Sent {
  readonly number: number;
  head: MessageHead;
  isEnded: boolean;
  /** The item of each part; none where the format has no place for it. */
  readonly items: Map<number, SentItem | undefined>;
  /** Parts that have no item: errors, and what is lost. */
  readonly others: Map<number, Part>;
}

class EventWriter implements Machine<Event, Json> {
  readonly #context: EncodeContext;
  readonly #messages = new Map<number, Sent>();
  readonly #items: SentItem[] = [];
  readonly #calls = new Map<string, { readonly item: SentItem; readonly call: ToolCallPart }>();
  #error: PartOf<"error"> | undefined;
  #sequence = 0;
  #writing: Writing | undefined;
  /** Items before this one are closed. */
  #closed = 0;

  constructor(context: EncodeContext) {
    this.#context = context;
  }

  push(event: Event): readonly Json[] {
    return this.#take(event).map(wire => this.#number(wire));
  }

  #number(wire: Json): Json {
    return { ...(wire as JsonObject), sequence_number: this.#sequence++ }; // events are objects, and these are ours
  }

  #take(event: Event): readonly Json[] {
    if (event.type === "error") {
      const { message, code } = event.error;
      this.#error = { type: "error", message, ...(code !== undefined && { code }) };
      return [];
    }
    if (event.type === "message-start") return this.#start(event.message, event.head);
    const sent = this.#messages.get(event.message);
    if (!sent) return [];
    switch (event.type) {
      case "message-set":
        sent.head = mergeMembers(sent.head, event.set);
        return [];
      case "message-end":
        sent.isEnded = true;
        return this.#closeAll();
      case "part-start":
      case "part":
        return this.#part(sent, event);
      case "part-delta":
        return sent.items.get(event.part)?.delta(event.part, event.text) ?? [];
      case "citation":
        return sent.items.get(event.part)?.cite(event.part, event.citation) ?? [];
      case "part-set":
        return sent.items.get(event.part)?.set(event.part, event.set) ?? [];
      case "part-end":
        return this.#endPart(sent, event.part);
    }
  }

  #start(number: number, head: MessageHead): Json[] {
    const known = this.#messages.get(number);
    if (known) {
      // What is out stays; the new attempt follows it (E9).
      this.#context.lose("already-sent", ["messages", number]);
      known.head = head;
      known.items.clear();
      known.others.clear();
      return this.#closeAll();
    }
    if (head.role !== "assistant") {
      this.#context.lose("not-the-answer", ["messages", number]);
      return [];
    }
    const joined = this.#messages.size === 1 ? [...this.#messages.keys(), number] : [number]; // each once
    for (const each of this.#messages.size > 0 ? joined : []) this.#context.lose("messages-joined", ["messages", each]);
    const isFirst = this.#messages.size === 0;
    this.#messages.set(number, { number, head, isEnded: false, items: new Map(), others: new Map() });
    if (!isFirst) return this.#closeAll();
    const response = this.#begun(head);
    return [
      { type: "response.created", response },
      { type: "response.in_progress", response },
    ];
  }

  /** The answer as far as it is known at the beginning. */
  #begun(head: MessageHead): JsonObject {
    const context = { ...this.#context, lose: () => undefined };
    const message: Message = { ...head, finish: { reason: "pending" }, parts: [] };
    return envelopeOf(message, { output: [], error: undefined, path: [], context });
  }

  /** What the writing of an item needs to know while it comes; losses are reported at the end. */
  #live(): Writing {
    if (this.#writing) return this.#writing;
    const [first] = this.#messages.values();
    const scope = silent(writeScope(this.#context, { model: first?.head.model, form: "answer" }));
    this.#writing = {
      scope,
      ids: { named: new Set(), made: madeId },
      callOf: result => this.#calls.get(result.callId)?.call,
      asks: () => true,
    };
    return this.#writing;
  }

  #part(sent: Sent, event: PartEvent): Json[] {
    const { value, part: number } = event;
    const isOpen = event.type === "part-start";
    const known = sent.items.get(number);
    if (known) return known.start(number, value, isOpen);
    if (value.type === "compaction" && !isSealed(value, this.#live().scope)) return this.#summary(sent, number, value);
    if (value.type === "error" || !this.#hasPlace(value)) {
      sent.items.set(number, undefined);
      sent.others.set(number, value);
      return [];
    }
    if (value.type === "tool-result" && !isOwnItem(value) && this.#isHolder(value.callId)) {
      if (!this.#hold(sent, number, value, isOpen)) {
        sent.items.set(number, undefined);
        sent.others.set(number, value);
      }
      return [];
    }
    const latest = this.#items.at(-1);
    const before = latest?.message === sent.number && !latest.isClosed && !latest.hasResult ? latest.last : undefined;
    if (latest && before && joins(before, value, "assistant")) {
      sent.items.set(number, latest);
      return latest.start(number, value, isOpen);
    }
    return [...this.#closeAll(), ...this.#newItem(sent, event)];
  }

  #newItem(sent: Sent, { value, part: number, type }: PartEvent): Json[] {
    const live = this.#live();
    const index = this.#items.length;
    const { lose } = this.#context;
    const item = new SentItem(index, sent.number, { writing: numberedBy(live, index), lose });
    const announced = item.announce(value);
    sent.items.set(number, announced ? item : undefined);
    if (!announced) {
      sent.others.set(number, value);
      return [];
    }
    this.#items.push(item);
    if (value.type === "tool-call") this.#calls.set(value.callId, { item, call: value });
    const events = [...announced, ...item.start(number, value, type === "part-start")];
    return isWholeItem(value) ? [...events, ...item.close()] : events;
  }

  /** Answers have items of the assistant's side only. */
  #hasPlace(part: Part): boolean {
    if (part.type === "approval-request" && !isAsked(part)) return false;
    return sideOf(part, "assistant", this.#live()) === "assistant";
  }

  /** A compaction that is no secret is its summary. */
  #summary(sent: Sent, number: number, part: PartOf<"compaction">): Json[] {
    sent.items.set(number, undefined);
    this.#context.lose(part.summary ? "compaction" : "compaction-text", ["messages", sent.number, "parts", number]);
    const { summary = [] } = part;
    return summary.flatMap((value, index) =>
      this.#part(sent, { type: "part", message: sent.number, part: number + index / (summary.length + 1), value }),
    );
  }

  #isHolder(callId: string): boolean {
    const known = this.#calls.get(callId);
    return known !== undefined && holdsResult(known.call);
  }

  /** A result that is a member of its call's item. */
  #hold(sent: Sent, number: number, result: PartOf<"tool-result">, isOpen: boolean): boolean {
    const known = this.#calls.get(result.callId);
    if (!known || known.item.message !== sent.number || known.item.hasResult) return false;
    known.item.hold(number, result, isOpen);
    sent.items.set(number, known.item);
    return true;
  }

  #endPart(sent: Sent, number: number): Json[] {
    const item = sent.items.get(number);
    if (!item) return [];
    const events = item.endPart(number);
    const { last } = item;
    const isOver = item !== this.#items.at(-1) || (last !== undefined && isWholeItem(last));
    return isOver ? [...events, ...item.close()] : events;
  }

  /** Another item begins, so no part joins those before it. */
  #closeAll(): Json[] {
    const events: Json[] = [];
    for (let index = this.#closed; index < this.#items.length; index++) {
      const item = this.#items[index];
      events.push(...(item?.close() ?? []));
      if (item?.isClosed && index === this.#closed) this.#closed++;
    }
    return events;
  }

  end(): readonly Json[] {
    if (this.#messages.size === 0) {
      if (!this.#error) return [];
      const { message, code = null } = this.#error;
      return [this.#number({ type: "error", code, message, param: null })];
    }
    const events = this.#closeAll();
    const response = this.#whole();
    return (response ? [...events, response] : events).map(wire => this.#number(wire));
  }

  /** The last event: the answer as it is without a stream. Undefined where the stream was cut: its end is not told. */
  #whole(): Json | undefined {
    const read = new Map<OpenPart, Part>();
    const once = (open: OpenPart): Part => {
      const part = read.get(open) ?? open.read(true);
      read.set(open, part);
      return part;
    };
    const located = this.#items.map(item => ({
      message: item.message,
      unit: item.unit(number => ["messages", item.message, "parts", Math.floor(number)], once),
    }));
    const messages = this.#read(located);
    const last = messages.at(-1);
    const sent = [...this.#messages.values()].at(-1);
    if (!last || !sent) return undefined;
    const scope = writeScope(this.#context, { model: last.model, form: "answer" });
    const writing = writingOf(messages, { scope, made: madeId });
    const output = located.flatMap(({ unit }, index) => writeUnit(unit, undefined, numberedBy(writing, index)));
    const isOver = sent.isEnded || this.#error !== undefined;
    const own = isOver && !this.#error ? last.parts.findLast(part => part.type === "error") : undefined;
    this.#reportOthers(own, last.parts.at(-1));
    const path = ["messages", sent.number];
    // What was announced stays, where the message that ends the answer says nothing else.
    const told = { ...announcedIn(messages[0]), ...last };
    if (!isOver) {
      // What its beginning had to make up is told of a cut answer too.
      const { usage, ...begun } = told;
      if (usage) this.#context.lose("not-over", [...path, "usage"]);
      const pending: Message = { ...begun, finish: { reason: "pending" } };
      envelopeOf(pending, { output, error: undefined, path, context: this.#context });
      return undefined;
    }
    const error = this.#error ?? own;
    const failed: Message = this.#error ? { ...told, finish: { reason: "error" } } : told;
    const response = envelopeOf(failed, { output, error, path, context: this.#context });
    return { type: lastEvents[response["status"] as string] ?? "response.incomplete", response }; // a string, as it was just written
  }

  /** The messages as they are at the end. Items stand in the order of their beginning, parts in that of their numbers. */
  #read(located: readonly { readonly message: number; readonly unit: Unit }[]): Message[] {
    const parts = new Map<number, [number, Part][]>();
    for (const { number, others } of this.#messages.values()) parts.set(number, [...others]);
    const latest = new Map<number, number>();
    for (const { message, unit } of located) {
      for (const { part, path } of unit.result ? [...unit.parts, unit.result] : unit.parts) {
        const number = numberIn(path);
        parts.get(message)?.push([number, part]);
        const before = latest.get(message) ?? 0;
        if (number < before) this.#context.lose("order", ["messages", message, "parts"]);
        latest.set(message, Math.max(before, number));
      }
    }
    return [...this.#messages.values()].map(({ number, head }) => {
      const own = (parts.get(number) ?? []).sort(([a], [b]) => a - b);
      return { ...head, parts: own.map(([, part]) => part) };
    });
  }

  /** `error`: the one that the answer holds, after its output. */
  #reportOthers(error: Part | undefined, last: Part | undefined): void {
    for (const { number, others } of this.#messages.values()) {
      for (const [part, value] of others) {
        if (value === error && value === last) continue;
        const code = value === error ? "error-place" : value.type === "tool-result" ? "lone-result" : "misplaced";
        this.#context.lose(code, ["messages", number, "parts", part], value.type);
      }
    }
  }
}

const announcedIn = ({ responseId, model, createdAt }: Partial<Message> = {}): Partial<Message> =>
  defined<Partial<Message>>({ responseId, model, createdAt });

/** The number of the part that a path leads to. */
const numberIn = (path: Path): number => Number(path[3] ?? 0);

const lastEvents: { readonly [status: string]: string } = {
  completed: "response.completed",
  failed: "response.failed",
};

/** Items of one part are done with it; a call of the provider's may still get its result. */
function isWholeItem(part: Part): boolean {
  if (isContent(part) || part.type === "reasoning") return false;
  return part.type !== "tool-call" || !holdsResult(part);
}
