/** Parts of one message as their events come → contents of updates. */

import type { EncodeContext } from "../../codec/codec.ts";
import type { Event, PartMembers } from "../../model/events.ts";
import { isJsonObject, type Json } from "../../model/json.ts";
import { Pairing } from "../../model/pairing.ts";
import type { Part, PartOf, ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import { OpenPart } from "../../stream/open-part.ts";
import { groupsApart } from "./annotations.ts";
import { type Surroundings, writeCitations, writePart } from "./encode-content.ts";
import { family, type Writing } from "./wire.ts";

type PartEvent = Exclude<Event, { readonly type: "message-start" | "message-set" | "message-end" | "error" }>;

/** A part that is not out as a whole. */
interface Open {
  readonly number: number;
  readonly part: OpenPart;
  /** The first value of a text or reasoning, whose deltas go out at once. */
  readonly live: PartOf<"text"> | PartOf<"reasoning"> | undefined;
  /** How many contents of it are out. */
  sent: number;
  isOver: boolean;
}

/** What the approvals are about that a stream has asked for: they are answered in another message. */
export type Approvals = Map<string, { readonly callId: string; readonly call?: ToolCallPart }>;

/** Contents stand in the order of the parts, one after the other: a part waits until those before it are over. */
export class PartWriter {
  readonly #message: number;
  readonly #context: EncodeContext;
  readonly #open: Open[] = [];
  readonly #calls = new Pairing<ToolCallPart>();
  readonly #approvals: Approvals;
  /** What the last content was, where the next one would be read as its continuation. */
  #before: "text" | "reasoning" | undefined;
  #written = -1;

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
      case "part": {
        if (known && known.sent > 0) this.#lose("restarted", number);
        if (known) this.#open.splice(this.#open.indexOf(known), 1);
        this.#insert(this.#opened(event.value, number, event.type === "part"));
        break;
      }
      case "part-delta":
        if (known?.part.ownsText) known.part.append(event.text);
        if (known && known === this.#open[0] && known.live) return this.#delta(known, event.text);
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
    return this.#advance();
  }

  #opened(value: Part, number: number, isWhole: boolean): Open {
    const part = new OpenPart(number, value, { isOpen: !isWhole, liveInput: false });
    const live = !isWhole && (value.type === "text" || value.type === "reasoning") ? value : undefined;
    return { number, part, live, sent: 0, isOver: isWhole };
  }

  #insert(opened: Open): void {
    if (opened.number < this.#written) this.#context.lose("order", ["messages", this.#message, "parts"]);
    const place = this.#open.findIndex(({ number }) => number > opened.number);
    if (place < 0) this.#open.push(opened);
    else this.#open.splice(place, 0, opened);
  }

  #advance(): Json[] {
    const contents: Json[] = [];
    for (let first = this.#open[0]; first?.isOver; first = this.#open[0]) {
      this.#open.shift();
      this.#written = Math.max(this.#written, first.number);
      contents.push(...this.#finish(first));
    }
    return contents;
  }

  /** The first delta of a part brings what else is known of it: .NET keeps that of the first piece. */
  #delta(open: Open, text: string): Json[] {
    const { live } = open;
    if (!live || text === "") return [];
    if (open.sent++ > 0) return [{ $type: live.type, text }];
    this.#border(live.type);
    return this.#content({ ...withoutEnd(live), text }, open.number);
  }

  /** All of a part, or what its deltas did not bring. */
  #finish(open: Open): Json[] {
    const value = this.#read(open);
    this.#note(value);
    if (open.sent === 0) return this.#whole(value, open);
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
      this.#before = undefined;
      return this.#content(value, open.number);
    }
    this.#border(value.type);
    if (value.type === "reasoning") {
      const contents = this.#content(value, open.number);
      if (contents.some(isProtected)) this.#before = undefined;
      return contents;
    }
    const { citations: _, ...text } = value;
    return [...this.#content(text, open.number), ...this.#citations(value, open)];
  }

  /** Two texts that follow one another are read as one. */
  #border(kind: "text" | "reasoning"): void {
    if (this.#before === kind) this.#context.lose("text-joined", ["messages", this.#message, "parts"]);
    this.#before = kind;
  }

  #content(value: Part, number: number): Json[] {
    return [...writePart(value, this.#writing(number), this.#around())];
  }

  #around(): Surroundings {
    return {
      callOf: result => this.#callOf(result),
      isBeside: result => this.#callOf(result) !== undefined,
      asked: approval => this.#approvals.get(approval.requestId) ?? {},
    };
  }

  #answers = new Map<ToolResultPart, ToolCallPart | undefined>();

  #callOf(result: ToolResultPart): ToolCallPart | undefined {
    if (!this.#answers.has(result)) this.#answers.set(result, this.#calls.answer(result.callId));
    return this.#answers.get(result);
  }

  #note(value: Part): void {
    if (value.type === "tool-call") this.#calls.call(value.callId, 0, value);
    if (value.type === "approval-request") {
      const { callId, call = this.#calls.next(callId) } = value;
      this.#approvals.set(value.requestId, { callId, ...(call && { call }) });
    }
  }

  #late(set: PartMembers, number: number): void {
    if (Object.keys(set).length > 0) this.#lose("late", number);
  }

  #lose(code: string, part: number): void {
    this.#context.lose(code, ["messages", this.#message, "parts", part]);
  }
}

/** Protected data ends a reasoning: what follows is another. */
const isProtected = (content: Json): boolean =>
  isJsonObject(content) && typeof content["protectedData"] === "string" && content["protectedData"] !== "";

/** What only the last piece of a reasoning may have. */
function withoutEnd(value: PartOf<"text"> | PartOf<"reasoning">): PartOf<"text"> | PartOf<"reasoning"> {
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
