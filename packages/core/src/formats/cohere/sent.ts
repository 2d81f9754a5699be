import { writeCallId, writeToolCall } from "../../blocks/chat-parts/calls.ts";
import type { Located } from "../../blocks/turns.ts";
import type { EncodeContext } from "../../codec/codec.ts";
import { hintsOf } from "../../codec/remainder.ts";
import type { At, Event } from "../../model/events.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Part, PartOf } from "../../model/parts.ts";
import { OpenPart } from "../../stream/open-part.ts";
import { writeCitations } from "./citations.ts";
import { writeBlock } from "./content.ts";
import { family } from "./wire.ts";
import type { Laid, Layout } from "./write-assistant.ts";
import { planOf } from "./write-assistant.ts";

type PartEvent = Event & At;

/** A block or a call that is on its way, with its number. */
interface Sent {
  readonly at: At;
  readonly kind: "text" | "thinking" | "call" | "whole";
  readonly index: number;
  readonly isCall: boolean;
  /** As it was announced. */
  readonly announced: JsonObject;
  readonly texts: string[];
  readonly part: OpenPart;
  isClosed: boolean;
  /** How many of its citations are out. */
  cited: number;
}

interface Finish {
  /** What tells a part among those that events spoke of. */
  placeOf(from: Located): string;
  readonly isOver: boolean;
  readonly context: EncodeContext;
}

const keyOf = ({ message, part }: At): string => `${message}.${part}`;
const of = (type: string, index: number, message?: JsonObject): Json => ({
  type,
  index,
  ...(message && { delta: { message } }),
});

/** What of an answer is out. */
export class SentAnswer {
  readonly #context: EncodeContext;
  #byPart = new Map<string, Sent>();
  #plan: string[] = [];
  #plans = new Set<string>();
  #counts = { content: 0, calls: 0, citations: 0 };
  /** Whether nothing came behind the plan. */
  isPlanLast = false;

  constructor(context: EncodeContext) {
    this.#context = { ...context, lose: () => undefined };
  }

  /** A new attempt: what is out stays, and what comes is compared with what comes from here on. */
  restart(): void {
    this.#byPart = new Map();
    this.#plans = new Set();
    this.#plan = [];
  }

  take(event: PartEvent): readonly Json[] {
    const key = keyOf(event);
    const sent = this.#byPart.get(key);
    switch (event.type) {
      case "part-start":
        return sent || this.#plans.has(key) ? [] : this.#start(event.value, event);
      case "part":
        return sent || this.#plans.has(key) ? [] : this.#startWhole(event.value, event);
      case "part-delta":
        return this.#plans.has(key) ? this.#addPlan(event.text) : sent ? this.#delta(sent, event.text) : [];
      case "citation":
        sent?.part.cite(event.citation);
        return [];
      case "part-set":
        sent?.part.set(event.set);
        return [];
      case "part-end":
        return sent ? this.#close(sent) : [];
      default:
        return [];
    }
  }

  /** Parts that come in pieces go out at once; what does not goes out when all is known of it. */
  #start(value: Part, at: At): readonly Json[] {
    if (value.type === "reasoning" && hintsOf(value, family)["$place"] === "plan") {
      this.#plans.add(keyOf(at));
      return [];
    }
    const announced = this.#announced(value, at);
    if (!announced) return [];
    const kind = value.type === "tool-call" ? "call" : announced["type"] === "thinking" ? "thinking" : "text";
    const sent = this.#send(value, at, { kind, announced });
    return [startOf(sent)];
  }

  #send(value: Part, { message, part: number }: At, { kind, announced }: Pick<Sent, "kind" | "announced">): Sent {
    const part = new OpenPart(number, value, { isOpen: true, liveInput: false });
    const isCall = value.type === "tool-call" || hintsOf(value, family)["$place"] === "calls";
    const index = isCall ? this.#counts.calls++ : this.#counts.content++;
    const at = { message, part: number };
    const sent: Sent = { at, kind, index, isCall, announced, texts: [], part, isClosed: false, cited: 0 };
    this.#byPart.set(keyOf(at), sent);
    this.isPlanLast = false;
    return sent;
  }

  /** A part that came whole; a piece of the wire goes out as it is. */
  #startWhole(value: Part, at: At): readonly Json[] {
    const key = keyOf(at);
    if (value.type === "opaque") {
      const { $place: place } = hintsOf(value, family);
      if (!isJsonObject(value.value) || place === "citations" || place === "events") return [];
      const sent = this.#send(value, at, { kind: "whole", announced: value.value });
      return [startOf(sent), ...this.#close(sent)];
    }
    const text = "text" in value ? (value.text ?? "") : "";
    const events = [...this.#start("text" in value ? ({ ...value, text: "" } as Part) : value, at)]; // a part with another text
    if (this.#plans.has(key)) return [...events, ...this.#addPlan(text)];
    const sent = this.#byPart.get(key);
    return sent ? [...events, ...this.#delta(sent, text), ...this.#close(sent)] : [];
  }

  /** The wire of a part before its text; undefined where it does not come in pieces, or not at all. */
  #announced(value: Part, at: At): JsonObject | undefined {
    const path = ["messages", at.message, "parts", at.part];
    if (value.type === "tool-call") {
      if (value.executedBy || value.kind === "custom") return undefined;
      return callText(this.#call(value))?.rest;
    }
    if (value.type === "refusal") return { type: "text", text: "" };
    const isHidden = value.type === "reasoning" && value.text === undefined;
    if ((value.type !== "text" && value.type !== "reasoning") || isHidden) return undefined;
    const wire = writeBlock({ ...value, text: "" }, path, this.#context);
    return isJsonObject(wire) ? wire : undefined;
  }

  #call(call: PartOf<"tool-call">): JsonObject {
    return writeToolCall(call, [], { id: writeCallId(call), position: 0, lose: () => undefined });
  }

  #addPlan(text: string): readonly Json[] {
    if (text === "") return [];
    this.#plan.push(text);
    this.isPlanLast = true;
    return [{ type: "tool-plan-delta", delta: { message: { tool_plan: text } } }];
  }

  #delta(sent: Sent, text: string): readonly Json[] {
    if (text === "") return [];
    sent.texts.push(text);
    sent.part.append(text);
    const { kind, index } = sent;
    if (kind === "call") return [of("tool-call-delta", index, { tool_calls: { function: { arguments: text } } })];
    return [of("content-delta", index, { content: kind === "thinking" ? { thinking: text } : { text } })];
  }

  #close(sent: Sent): readonly Json[] {
    if (sent.isClosed) return [];
    sent.isClosed = true;
    const { kind, index, isCall } = sent;
    if (kind === "whole") return [of(isCall ? "tool-call-end" : "content-end", index)];
    if (kind !== "call") return [...this.#cite(sent), of("content-end", index)];
    return [...this.#input(sent), of("tool-call-end", index)];
  }

  /** Arguments that came otherwise than in pieces. */
  #input(sent: Sent): readonly Json[] {
    if (sent.texts.length > 0) return [];
    const call = sent.part.read(true);
    const { text = "" } = (call.type === "tool-call" ? callText(this.#call(call)) : undefined) ?? {};
    return this.#delta(sent, text);
  }

  /** Citations of a text are counted by its whole, so they go out when it is over. */
  #cite(sent: Sent): readonly Json[] {
    const part = sent.part.read(true);
    if (part.type !== "text" || !part.citations) return [];
    const { message, part: number } = sent.at;
    const from = { part, path: ["messages", message, "parts", number] };
    const isFirst = ![...this.#byPart.values()].some(({ kind, index }) => kind === "text" && index < sent.index);
    const wires = writeCitations(from, { block: sent.index, isFirst, lose: this.#context.lose });
    sent.cited = wires.length;
    return wires.flatMap(({ wire }) => this.#citation(wire));
  }

  #citation(wire: Json): readonly Json[] {
    const index = this.#counts.citations++;
    return [{ type: "citation-start", index, delta: { message: { citations: wire } } }, of("citation-end", index)];
  }

  // the end

  /** What the whole says beyond what is out. */
  finish(layout: Layout, about: Finish): readonly Json[] {
    const { context } = about;
    const events: Json[] = [];
    if (about.isOver) for (const sent of this.#byPart.values()) events.push(...this.#close(sent));
    const blocks: number[] = [];
    for (const laid of layout.content) {
      blocks.push(this.#byPart.get(about.placeOf(laid.from))?.index ?? this.#counts.content);
      events.push(...this.#rest(laid, "content", about));
    }
    const plan = planOf(layout.plan);
    const out = this.#plan.join("");
    if (plan.startsWith(out)) events.push(...this.#addPlan(plan.slice(out.length)));
    else if (layout.plan[0]) context.lose("already-sent", layout.plan[0].path);
    for (const laid of layout.calls) events.push(...this.#rest(laid, "calls", about));
    events.push(...this.#restCitations(layout, about, blocks));
    for (const { wire } of layout.events) events.push(wire);
    this.#reportOrder(layout, about);
    return events;
  }

  #rest({ from, wire }: Laid, member: "content" | "calls", { placeOf, context }: Finish): readonly Json[] {
    const sent = this.#byPart.get(placeOf(from));
    if (!sent) {
      this.isPlanLast = false;
      const index = this.#counts[member]++;
      const [start, end] = member === "calls" ? ["tool-call-start", "tool-call-end"] : ["content-start", "content-end"];
      return [of(start, index, { [member === "calls" ? "tool_calls" : member]: wire }), of(end, index)];
    }
    const told =
      sent.kind === "whole" ? { rest: wire, text: "" } : member === "calls" ? callText(wire) : blockText(wire);
    const isSame = told && told.text === sent.texts.join("") && equalJson(told.rest, sent.announced);
    if (!isSame) context.lose("already-sent", from.path);
    return [];
  }

  /** `blocks`: the number of each block of the layout, as it was sent. */
  #restCitations(layout: Layout, { placeOf }: Finish, blocks: readonly number[]): readonly Json[] {
    const met = new Map<string, number>();
    const texts = layout.content.flatMap(({ wire }, place) => (isText(wire) ? [place] : []));
    const first = Math.min(...texts.map(place => blocks[place] ?? place));
    const sentAs = (wire: Json): Json => {
      if (!isJsonObject(wire)) return wire;
      const { content_index: told, ...others } = wire;
      const place = typeof told === "number" ? told : (texts[0] ?? 0);
      const block = blocks[place] ?? place;
      const isTold = block !== first || (told !== undefined && block === place);
      return block === place && isTold === (told !== undefined)
        ? wire
        : { ...others, ...(isTold && { content_index: block }) };
    };
    return layout.citations.flatMap(({ from, wire }) => {
      const key = placeOf(from);
      const count = (met.get(key) ?? 0) + 1;
      met.set(key, count);
      return count <= (this.#byPart.get(key)?.cited ?? 0)
        ? []
        : this.#citation(from.part.type === "text" ? sentAs(wire) : wire);
    });
  }

  /** A reader sorts by the numbers, which are in the order of the start. */
  #reportOrder(layout: Layout, { placeOf, context }: Finish): void {
    for (const list of [layout.content, layout.calls]) {
      let last = -1;
      for (const { from } of list) {
        const index = this.#byPart.get(placeOf(from))?.index ?? last;
        if (index < last) context.lose("order", from.path.slice(0, 2));
        last = Math.max(last, index);
      }
    }
  }
}

const isText = (wire: Json): boolean => isJsonObject(wire) && wire["type"] === "text";

const startOf = ({ index, isCall, announced }: Sent): Json =>
  isCall ? of("tool-call-start", index, { tool_calls: announced }) : of("content-start", index, { content: announced });

/** A call without its arguments' text, and that text. */
function callText(wire: Json): { readonly rest: JsonObject; readonly text: string } | undefined {
  const inner = isJsonObject(wire) ? wire["function"] : undefined;
  if (!isJsonObject(wire) || !isJsonObject(inner)) return undefined;
  const { arguments: text = "" } = inner;
  if (typeof text !== "string") return undefined;
  return { rest: { ...wire, function: { ...inner, arguments: "" } }, text };
}

function blockText(wire: Json): { readonly rest: JsonObject; readonly text: string } | undefined {
  if (!isJsonObject(wire)) return undefined;
  const member = wire["type"] === "thinking" ? "thinking" : "text";
  const text = wire[member];
  return typeof text === "string" ? { rest: { ...wire, [member]: "" }, text } : undefined;
}
