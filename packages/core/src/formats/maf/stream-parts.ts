/** Parts of one message as their events come → contents of updates. */

import { tellPart } from "../../blocks/spelling.ts";
import type { EncodeContext } from "../../codec/codec.ts";
import type { Event, PartMembers } from "../../model/events.ts";
import { equalJson, isJsonObject, type Json } from "../../model/json.ts";
import { Pairing } from "../../model/pairing.ts";
import type { Part, PartOf, Seal, ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import { OpenPart } from "../../stream/open-part.ts";
import { groupsApart } from "./annotations.ts";
import { Refusals } from "./denials.ts";
import { type Surroundings, writeCitations, writePart } from "./encode-content.ts";
import { isHolding } from "./encode-message.ts";
import { family, type Writing } from "./wire.ts";

type PartEvent = Exclude<Event, { readonly type: "message-start" | "message-set" | "message-end" | "error" }>;

/** A part that is not out as a whole. */
interface Open {
  readonly number: number;
  part: OpenPart;
  /** The first value of a text or reasoning, whose deltas go out at once. */
  readonly live: Live | undefined;
  /** Deltas that wait for a part before it. */
  readonly waiting: string[];
  /** How many contents of it are out. */
  sent: number;
  isOver: boolean;
  /** What was told of its end when another part began. */
  told: { readonly citations: number; readonly seal: Seal | undefined } | undefined;
  isResumed: boolean;
}

type Live = PartOf<"text"> | PartOf<"reasoning">;

/** What a stream has asked for: it is answered in another message. */
export class Approvals {
  /** What the approvals are about. */
  readonly asked = new Map<string, { readonly callId: string; readonly call?: ToolCallPart }>();
  /** Calls that stand only inside their question so far. */
  readonly held = new Map<string, ToolCallPart>();
  readonly refusals = new Refusals();
}

/**
 * Contents stand in the order of the parts, and neighbours of one kind are read as one. So a part waits until what comes
 * whole before it is over; a text or reasoning that is idle when another part begins is closed, and is another one if it
 * goes on (E6).
 */
export class PartWriter {
  readonly #message: number;
  readonly #context: EncodeContext;
  readonly #open: Open[] = [];
  readonly #calls = new Pairing<ToolCallPart>();
  readonly #approvals: Approvals;
  /** What the last content was, where the next one would be read as its continuation. */
  #before: Live["type"] | undefined;
  /** The text or reasoning that the last content was a piece of. */
  #current: Open | undefined;
  /** The highest part of which something is out. */
  #written = -1;
  /** Calls, questions and answers that are over: what follows them tells whether a call stands inside its question. */
  readonly #unasked: { readonly open: Open; readonly value: Part }[] = [];
  readonly #retold: Json[] = [];
  /** Results that are read as denials. */
  readonly #refused = new Set<Part>();

  constructor(message: number, context: EncodeContext, approvals: Approvals) {
    this.#message = message;
    this.#context = context;
    this.#approvals = approvals;
  }

  take(event: PartEvent): Json[] {
    const { part: number } = event;
    const known = this.#open.find(each => each.number === number);
    switch (event.type) {
      case "part-start":
      case "part":
        if (!known || !completes(event, known)) this.#begin(event, known);
        break;
      case "part-delta":
        if (known?.part.ownsText) known.part.append(event.text);
        if (known?.live && event.text !== "") known.waiting.push(event.text);
        break;
      case "citation":
        known?.part.cite(event.citation);
        break;
      case "part-set":
        known ? known.part.set(event.set) : this.#late(event.set, number);
        break;
      case "part-end":
        if (known) {
          known.part.end();
          known.isOver = true;
        }
        break;
    }
    return this.#advance();
  }

  /** No more comes. */
  end(): Json[] {
    for (const each of this.#open) {
      if (!each.isOver) this.#lose("unfinished", each.number);
      each.isOver = true;
    }
    return [...this.#advance(), ...this.#release()];
  }

  #begin({ type, part: number, value }: PartEvent & { readonly type: "part-start" | "part" }, known?: Open): void {
    if (known && known.sent > 0) this.#lose("restarted", number);
    if (known) this.#open.splice(this.#open.indexOf(known), 1);
    const isWhole = type === "part";
    const isLive = !isWhole && (value.type === "text" || value.type === "reasoning");
    const place = this.#open.findIndex(each => each.number > number);
    this.#open.splice(place < 0 ? this.#open.length : place, 0, {
      number,
      part: new OpenPart(number, value, { isOpen: !isWhole, liveInput: false }),
      live: isLive ? value : undefined,
      waiting: [],
      sent: 0,
      isOver: isWhole,
      told: undefined,
      isResumed: false,
    });
  }

  /** What nothing before it holds up: whole parts that are over, and what came of texts. */
  #advance(): Json[] {
    const contents: Json[] = [];
    for (let index = 0; index < this.#open.length; ) {
      const open = this.#open[index] as Open; // index < length
      if (open.isOver) {
        this.#open.splice(index, 1);
        for (const content of this.#finish(open)) contents.push(content);
      } else if (open.live) {
        for (const content of this.#pieces(open, open.live)) contents.push(content);
        index++;
      } else break;
    }
    return contents;
  }

  /** Calls and questions before a part, in their order, without the calls that their question holds (R22). */
  #release(number = Number.POSITIVE_INFINITY, result?: ToolResultPart): Json[] {
    const [first] = this.#unasked;
    if (!first || first.open.number > number) return [];
    const unasked = this.#unasked.splice(0);
    const asked = new Set(
      unasked.flatMap(({ value }) => (value.type === "approval-request" && isHolding(value) ? [value.callId] : [])),
    );
    // What has its result is told for that.
    if (result) asked.delete(result.callId);
    return unasked.flatMap(({ open, value }) => {
      if (value.type !== "tool-call" || !asked.has(value.callId)) return this.#whole(value, open);
      this.#context.lose("held-call", ["messages", this.#message, "parts"]);
      this.#approvals.held.set(value.callId, value);
      return [];
    });
  }

  /** The call of a result, where it stands only inside its question: it is told for its result, as MAF's loop does. */
  #retell(value: Part): void {
    const call = value.type === "tool-result" ? this.#approvals.held.get(value.callId) : undefined;
    if (!call) return;
    this.#approvals.held.delete(call.callId);
    tellPart(call, this.#context);
    this.#retold.push(...writePart(call, { ...this.#writing(0), context: { lose: () => undefined } }, this.#around()));
  }

  /** Calls that results in this message need before it. */
  takeRetold(): readonly Json[] {
    return this.#retold.splice(0);
  }

  /** What came of a text or reasoning. Its first content brings what else is known of it: .NET keeps that of the first piece. */
  #pieces(open: Open, live: Live): Json[] {
    if (open.waiting.length === 0) return [];
    const text = open.waiting.splice(0).join("");
    if (this.#current === open) return [{ $type: live.type, text }];
    const end = [...this.#release(open.number), ...this.#turnTo(open, live.type)];
    this.#current = open;
    if (open.sent++ === 0) return [...end, ...this.#content({ ...withoutEnd(live), text }, open.number)];
    if (!open.isResumed) this.#lose("resumed", open.number);
    open.isResumed = true;
    return [...end, { $type: live.type, text }];
  }

  /** Another part is written: what is idle gets its end, as far as that is known. */
  #turnTo({ number, sent }: Open, kind: Live["type"] | undefined): Json[] {
    const idle = this.#current;
    const end = idle ? this.#tail(idle, this.#read(idle)) : [];
    this.#current = undefined;
    if (number < this.#written && sent === 0) this.#context.lose("order", ["messages", this.#message, "parts"]);
    this.#written = Math.max(this.#written, number);
    if (kind !== undefined && this.#before === kind)
      this.#context.lose("text-joined", ["messages", this.#message, "parts"]);
    this.#before = kind;
    return end;
  }

  /** All of a part, or what its deltas did not bring. */
  #finish(open: Open): Json[] {
    const value = this.#read(open);
    this.#note(value);
    const { live } = open;
    if (waitingTypes.has(value.type)) {
      this.#unasked.push({ open, value });
      return [];
    }
    const before = this.#release(open.number, value.type === "tool-result" ? value : undefined);
    this.#retell(value);
    if (!live || open.sent === 0) return [...before, ...this.#whole(value, open)];
    const pieces = this.#pieces(open, live);
    if (!equalJson(besideText(value), besideText(live))) this.#lose("late", open.number);
    if (this.#current !== open) {
      if (open.told && !equalJson(open.told, endOf(value))) this.#lose("late", open.number);
      return [...before, ...pieces];
    }
    this.#current = undefined;
    return [...before, ...pieces, ...this.#tail(open, value)];
  }

  /** What is known of a text or reasoning only once it ends. */
  #tail(open: Open, value: Part): Json[] {
    if (open.told) {
      if (!equalJson(open.told, endOf(value))) this.#lose("late", open.number);
      return [];
    }
    open.told = endOf(value);
    if (value.type === "text") return this.#citations(value, open);
    if (value.type !== "reasoning" || !value.seal) return [];
    const end = this.#content({ type: "reasoning", seal: value.seal }, open.number).map(withoutProperties);
    if (!end.some(isProtected)) return [];
    this.#before = undefined;
    return end;
  }

  /** The part as it is now. An empty list of citations is none, whether its text is out or not. */
  #read({ part, number }: Open): Part {
    const value = part.read(true);
    if (value.type !== "text" || value.citations?.length !== 0) return value;
    this.#lose("no-citations", number);
    const { citations: _, ...others } = value;
    return others;
  }

  /** Citations are known once the text is out, so they follow it. */
  #citations(value: PartOf<"text">, { number }: Open): Json[] {
    const all = value.citations?.length ?? 0;
    if (all === 0) return [];
    this.#before = undefined;
    const hint = value.native?.[family]?.["$apart"] ?? [all];
    return [...writeCitations(value, groupsApart(hint, all), this.#writing(number))];
  }

  #writing(number: number): Writing {
    return { path: ["messages", this.#message, "parts", number], context: this.#context };
  }

  #whole(value: Part, open: Open): Json[] {
    if (value.type !== "text" && value.type !== "reasoning") {
      return [...this.#turnTo(open, undefined), ...this.#content(value, open.number)];
    }
    const end = this.#turnTo(open, value.type);
    if (value.type === "reasoning") {
      const contents = this.#content(value, open.number);
      if (contents.some(isProtected)) this.#before = undefined;
      return [...end, ...contents];
    }
    const { citations: _, ...text } = value;
    return [...end, ...this.#content(text, open.number), ...this.#citations(value, open)];
  }

  #content(value: Part, number: number): Json[] {
    tellPart(value, this.#context);
    return [...writePart(value, this.#writing(number), this.#around())];
  }

  #around(): Surroundings {
    return {
      callOf: result => this.#callOf(result),
      isBeside: result => this.#callOf(result) !== undefined,
      isRefused: result => this.#refused.has(result),
      asked: approval => this.#approvals.asked.get(approval.requestId) ?? {},
      // Who answers a call is not known yet when it goes out.
      isNamed: () => true,
    };
  }

  #answers = new Map<ToolResultPart, ToolCallPart | undefined>();

  #callOf(result: ToolResultPart): ToolCallPart | undefined {
    if (!this.#answers.has(result)) this.#answers.set(result, this.#calls.answer(result.callId));
    return this.#answers.get(result);
  }

  #note(value: Part): void {
    if (this.#approvals.refusals.take(value)) this.#refused.add(value);
    if (value.type === "tool-call") this.#calls.call(value.callId, 0, value);
    if (value.type === "approval-request") {
      const { callId, call = this.#calls.next(callId) } = value;
      this.#approvals.asked.set(value.requestId, { callId, ...(call && { call }) });
    }
  }

  #late(set: PartMembers, number: number): void {
    if (Object.keys(set).length > 0) this.#lose("late", number);
  }

  #lose(code: string, part: number): void {
    this.#context.lose(code, ["messages", this.#message, "parts", part]);
  }
}

const waitingTypes: ReadonlySet<Part["type"]> = new Set(["tool-call", "approval-request", "approval-response"]);

/** Protected data ends a reasoning: what follows is another. */
const isProtected = (content: Json): boolean =>
  isJsonObject(content) && typeof content["protectedData"] === "string" && content["protectedData"] !== "";

/** Whether a part that comes whole says again what its deltas said: then it only ends. */
function completes(event: PartEvent & { readonly type: "part-start" | "part" }, known: Open): boolean {
  const { value } = event;
  const so = known.part.read(true);
  if (event.type !== "part" || !known.live || known.sent === 0 || so.type !== value.type) return false;
  if (so.type !== known.live.type || (value as Live).text !== so.text) return false; // of the same type
  known.part = new OpenPart(known.number, value, { isOpen: false, liveInput: false });
  known.isOver = true;
  return true;
}

const endOf = (value: Part): NonNullable<Open["told"]> => ({
  citations: value.type === "text" ? (value.citations?.length ?? 0) : 0,
  seal: value.seal,
});

/** What the first piece of a text should have said. */
function besideText(value: Part): Json {
  const { text: _, seal: __, citations: ___, partial: ____, ...members } = value as PartOf<"text">; // or a reasoning, which has no citations
  return members as unknown as Json; // a part is JSON
}

/** What only the last piece of a reasoning may have. */
function withoutEnd(value: Live): Live {
  if (value.type === "text") {
    const { citations: _, ...others } = value;
    return others;
  }
  const { seal, ...others } = value;
  const id = seal?.values["id"];
  // The item's id is on the first piece, where .NET looks for it.
  return id === undefined || !seal ? others : { ...others, seal: { ...seal, values: { id } } };
}

const withoutProperties = (content: Json): Json => {
  if (!isJsonObject(content)) return content;
  const { additionalProperties: _, ...others } = content;
  return others;
};
