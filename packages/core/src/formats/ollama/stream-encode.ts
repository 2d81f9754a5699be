import { errorOf, partsOf } from "../../blocks/answer-parts.ts";
import { tellPart } from "../../blocks/spelling.ts";
import type { Located } from "../../blocks/turns.ts";
import type { EncodeContext } from "../../codec/codec.ts";
import { lastAnswer, reportAnswer, StreamedAnswer } from "../../codec/one-answer.ts";
import { hintsOf } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import type { At, Event, MessageHead } from "../../model/events.ts";
import type { Path } from "../../model/issue.ts";
import { equalJson, type Json, type JsonObject } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import type { Machine } from "../../stream/machine.ts";
import { OpenPart } from "../../stream/open-part.ts";
import { endOf, envelopeOf, hasCalls, headOf, membersOf } from "./answer.ts";
import { family } from "./wire.ts";
import { type Layout, layOut, saidOf } from "./write-assistant.ts";
import { type Writing, writingOf } from "./writing.ts";

/**
 * Events → lines. Words pass on as they come, calls and pictures when they are whole; at the end the answer is written as it
 * would be without a stream, and what it says beside what is out follows, with the counts in the last line.
 */
export const streamEncoder = (context: EncodeContext): Machine<Event, Json> => new LineWriter(context);

const keyOf = ({ message, part }: At): string => `${message}.${part}`;
const members = { reasoning: "thinking", text: "content", refusal: "content" } as const;
type Words = "thinking" | "content";

class LineWriter implements Machine<Event, Json> {
  readonly #context: EncodeContext;
  readonly #silent: Writing;
  readonly #whole = new StreamedAnswer();
  /** Messages of the answer: others have no place in it. */
  readonly #messages = new Set<number>();
  #head: MessageHead = { role: "assistant" };
  #said: JsonObject = {};
  /** Model and date as the last line that is out says them. */
  #sentHead: JsonObject | undefined;
  readonly #calls = new Map<string, OpenPart>();
  #kinds = new Map<string, Words>();
  #texts: { readonly [member in Words]: string[] } = { thinking: [], content: [] };
  /** Calls and pictures that are out, in their order. */
  readonly #pieces = new Map<string, Json>();

  constructor(context: EncodeContext) {
    this.#context = context;
    this.#silent = writingOf({ ...context, lose: () => undefined }, []);
  }

  push(event: Event): readonly Json[] {
    this.#whole.push(event);
    switch (event.type) {
      case "error":
      case "message-end":
        return [];
      case "message-start":
        return this.#start(event.message, event.head);
      case "message-set":
        if (this.#messages.has(event.message)) this.#learn({ ...this.#head, ...event.set });
        return [];
      default:
        return this.#messages.has(event.message) ? this.#part(event) : [];
    }
  }

  #start(message: number, head: MessageHead): readonly Json[] {
    if (this.#messages.has(message)) {
      // What is out stays; the new attempt follows it (E9).
      this.#context.lose("already-sent", ["messages", message]);
      this.#texts = { thinking: [], content: [] };
      this.#kinds = new Map();
      return [];
    }
    if (head.role !== "assistant") return [];
    this.#messages.add(message);
    this.#learn(head);
    return [];
  }

  #learn(head: MessageHead): void {
    this.#head = head;
    const message: Message = { ...head, parts: [] };
    this.#said = saidOf(message, { thinking: undefined, content: undefined }, this.#silent);
  }

  #part(event: Event & At): readonly Json[] {
    const key = keyOf(event);
    switch (event.type) {
      case "part-start":
        this.#begin(event.value, event);
        return [];
      case "part":
        return this.#takeWhole(event.value, event);
      case "part-delta":
        this.#calls.get(key)?.append(event.text);
        return this.#speak(key, event.text);
      case "part-set":
        this.#calls.get(key)?.set(event.set);
        return [];
      case "part-end":
        return this.#endCall(event);
      default:
        return [];
    }
  }

  #begin(value: Part, at: At): void {
    if (value.type === "tool-call")
      this.#calls.set(keyOf(at), new OpenPart(at.part, value, { isOpen: true, liveInput: false }));
    else if (value.type === "text" || value.type === "refusal" || value.type === "reasoning") {
      this.#kinds.set(keyOf(at), members[value.type]);
    }
  }

  #takeWhole(value: Part, at: At): readonly Json[] {
    const key = keyOf(at);
    if (this.#kinds.has(key) || this.#calls.has(key)) return [];
    this.#begin(value, at);
    if (value.type === "text" || value.type === "refusal" || value.type === "reasoning") {
      return this.#speak(key, value.text ?? "");
    }
    // It is its summary, in its turn (R26).
    if (value.type === "compaction") return (value.summary ?? []).flatMap(inner => this.#sayInner(inner));
    if (value.type === "tool-call") return this.#endCall(at);
    return this.#send(value, at);
  }

  #sayInner(part: Part): readonly Json[] {
    const isWords = part.type === "text" || part.type === "refusal" || part.type === "reasoning";
    return isWords ? this.#say(members[part.type], part.text ?? "") : [];
  }

  #speak(key: string, text: string): readonly Json[] {
    const member = this.#kinds.get(key);
    return member ? this.#say(member, text) : [];
  }

  #say(member: "content" | "thinking", text: string): readonly Json[] {
    if (text === "") return [];
    this.#texts[member].push(text);
    return [this.#line(member === "content" ? { content: text } : { content: "", thinking: text })];
  }

  #endCall(at: At): readonly Json[] {
    const call = this.#calls.get(keyOf(at))?.read(true);
    return call ? this.#send(call, at) : [];
  }

  /** A call or a picture. */
  #send(part: Part, at: At): readonly Json[] {
    const key = keyOf(at);
    if (this.#pieces.has(key)) return [];
    const path: Path = ["messages", at.message, "parts", at.part];
    const { images, calls } = layOut([{ part, path }], path.slice(0, 2), this.#silent);
    const [image, call] = [images[0], calls[0]];
    const wire = image?.wire ?? call?.wire;
    if (wire === undefined) return [];
    tellPart(part, this.#context);
    this.#pieces.set(key, wire);
    return [this.#line(call ? { content: "", tool_calls: [wire] } : { content: "", images: [wire] })];
  }

  #line(message: JsonObject): Json {
    const head = headOf({ ...this.#head, parts: [] }, [], this.#silent.context);
    this.#sentHead = head;
    return { ...head, message: { ...this.#said, ...message }, done: false };
  }

  end(): readonly Json[] {
    const messages = this.#whole.end();
    const context = this.#whole.naming(this.#context);
    const answer = lastAnswer(messages);
    const message = answer.messages.at(-1);
    if (!message) return [];
    reportAnswer(messages, answer, context);
    const path: Path = ["messages", answer.indexes.at(-1) ?? 0];
    const parts = partsOf(answer, context);
    const error = errorOf(parts, message, context);
    const said = parts.filter(({ part }) => part.type !== "error");
    const layout = layOut(said, path, writingOf(context, messages));
    this.#learn(message);
    const lines = [...this.#restOfWords(layout, path, context), ...this.#restOfPieces(layout, path, context)];
    const isCut = error !== undefined || isUnfinished(message);
    reportOpen(said, isCut, context);
    const own = membersOf(message);
    const head = headOf(message, path, context);
    const called = hasCalls(said.map(({ part }) => part));
    const {
      done,
      done_reason: reason,
      error: failure,
      ...counts
    } = endOf(message, { error, hasCalls: called, path, context });
    const beside = { ...envelopeOf(message), ...counts };
    const last = { ...head, message: { ...this.#said, ...own }, ...beside };
    if (!isCut) {
      const end = { ...(done !== undefined && { done }), ...(reason !== undefined && { done_reason: reason }) };
      return [...lines, { ...last, ...end, done: true }];
    }
    if (!error && message.finish && (message.finish.reason !== "incomplete" || message.finish.raw !== undefined)) {
      if (message.finish.reason === "incomplete") context.lose("finish", [...path, "finish"]);
    }
    const isNews = !equalJson(head, this.#sentHead) || Object.keys(own).length + Object.keys(beside).length > 0;
    const news = isNews ? [{ ...last, done: false }] : [];
    return [...lines, ...news, ...(failure === undefined ? [] : [{ error: failure }])];
  }

  #restOfWords(layout: Layout, path: Path, context: EncodeContext): readonly Json[] {
    return (["thinking", "content"] as const).flatMap(member => {
      const whole = layout[member] ?? "";
      const out = this.#texts[member].join("");
      if (!whole.startsWith(out)) {
        context.lose("already-sent", path, member);
        return [];
      }
      const rest = whole.slice(out.length);
      return rest === ""
        ? []
        : [this.#line(member === "content" ? { content: rest } : { content: "", thinking: rest })];
    });
  }

  /** Calls and pictures that are not out, and those that were told otherwise since, or in another order. */
  #restOfPieces({ images, calls }: Layout, path: Path, context: EncodeContext): readonly Json[] {
    const order = [...this.#pieces.keys()];
    return [images, calls].flatMap((list, index) => {
      let last = -1;
      return list.flatMap(({ from, wire }): Json[] => {
        const key = this.#keyOf(from);
        const sent = this.#pieces.get(key);
        if (sent === undefined) {
          tellPart(from.part, context);
          return [this.#line(index === 1 ? { content: "", tool_calls: [wire] } : { content: "", images: [wire] })];
        }
        if (!equalJson(sent, wire)) context.lose("already-sent", from.path);
        const place = order.indexOf(key);
        if (place < last) context.lose("order", path);
        last = Math.max(last, place);
        return [];
      });
    });
  }

  #keyOf({ path }: Located): string {
    const [, message, , part] = path;
    const at = this.#whole.numbersOf(Number(message), Number(part));
    // A piece of a compaction has no number of its own.
    return at && path.length === 4 ? keyOf(at) : `- ${path.join(".")}`;
  }
}

/** Words are over when a call follows, thoughts when words do, and all of it at the end. */
function reportOpen(parts: readonly Located[], isCut: boolean, context: EncodeContext): void {
  const is = (...types: readonly string[]) => parts.findLast(({ part }) => types.includes(part.type) && isSaid(part));
  const open = isCut && !is("tool-call", "opaque") ? (is("text", "refusal") ?? is("reasoning")) : undefined;
  for (const each of parts) {
    if ((each.part.partial === true) !== (each === open)) context.lose("open", [...each.path, "partial"]);
  }
}

/** Whether it has words on the wire, or is a call there. */
function isSaid(part: Part): boolean {
  if (part.type === "tool-call") return part.executedBy === undefined;
  if (part.type === "opaque") return hintsOf(part, family)["$place"] === "calls";
  return "text" in part && part.text !== "" && part.text !== undefined;
}

/** A stream that was cut says so by not being done. */
const isUnfinished = ({ finish }: Message): boolean =>
  finish?.reason === "incomplete" || finish?.reason === "aborted" || finish?.reason === "pending";
