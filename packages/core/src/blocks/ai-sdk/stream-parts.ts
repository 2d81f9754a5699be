/** The parts of a stream as chunks of the AI SDK's: texts as they come, what is whole at once, and tools (ai-sdk-stream-tools-out). */

import type { At, Event } from "../../model/events.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Citation, Part, PartOf } from "../../model/parts.ts";
import { mergeMembers } from "../../stream/merge.ts";
import { encodeFile } from "./files.ts";
import { isMadeId, type LosePart, type PartWriting } from "./part.ts";
import { citedSources, encodeSource } from "./sources.ts";
import { loseAt, loseOthers, type PartsOptions, placeOf, silent } from "./stream-out.ts";
import { ToolsOut } from "./stream-tools-out.ts";
import { encodeReasoning, encodeText } from "./texts.ts";
import { encodePart } from "./writing.ts";

type PartEvent = Exclude<Event, { readonly type: "message-start" | "message-set" | "message-end" | "error" }>;
type Spoken = PartOf<"text" | "reasoning" | "refusal">;

/** A text that goes out as it comes. */
interface TextOut {
  readonly at: At;
  readonly id: string;
  readonly kind: "text" | "reasoning";
  value: Spoken;
  /** Those that came one by one. */
  readonly citations: Citation[];
  /** The metadata that was sent with its start. */
  readonly sent: Json | undefined;
  length: number;
  isEnded: boolean;
}

export class PartsOut {
  readonly #options: PartsOptions;
  readonly #tools: ToolsOut;
  readonly #texts = new Map<string, TextOut>();
  /** Those that have not ended, by what their chunks call them. */
  readonly #open = new Map<string, TextOut>();
  /** Parts that are whole once they end. */
  readonly #wholes = new Map<string, { readonly at: At; value: Part }>();
  readonly #sentData = new Set<string>();
  /** A text whose end waits for what is said of it right after. */
  #held: TextOut | undefined;
  #textIds = 0;
  #madeIds = 0;
  /** The highest part begun of each message. */
  readonly #last = new Map<number, number>();
  /** The highest part that was begun before a part of a tool's. */
  readonly #before = new Map<string, number>();

  constructor(options: PartsOptions) {
    this.#options = options;
    this.#tools = new ToolsOut(options, {
      before: at => this.#before.get(placeOf(at)),
      last: message => this.#last.get(message),
    });
  }

  /** A held end goes out unless the event still says something of its part. */
  settle(event: Event): void {
    const held = this.#held;
    if (held && !(isAbout(event) && event.message === held.at.message && event.part === held.at.part)) this.#release();
    if (event.type === "message-start" && event.head.role === "assistant") this.#tools.release({ isEnd: false });
  }

  take(event: PartEvent): void {
    switch (event.type) {
      case "part-start":
        this.#begin(event);
        this.#start(event, event.value);
        break;
      case "part":
        this.#begin(event);
        this.#whole(event, event.value);
        break;
      case "part-delta":
        this.#append(event, event);
        break;
      case "citation":
        this.#cite(event, event.citation);
        break;
      case "part-set":
        this.#set(event, event.set);
        break;
      case "part-end":
        this.#end(event);
    }
  }

  /** Parts sort by number (E4), and the SDK's readers take them as they come. */
  #begin(event: PartEvent & { readonly type: "part-start" | "part" }): void {
    const last = this.#last.get(event.message) ?? -1;
    const place = placeOf(event);
    // A call stands where it began; what is said of it later, by whichever part, is said there.
    const isKnown =
      this.#texts.has(place) ||
      this.#wholes.has(place) ||
      (isTool(event.value) && (event.value.type !== "tool-call" || this.#before.has(place)));
    if (event.part < last && !isKnown) this.#lose(event)("late-order");
    if (isTool(event.value) && !this.#before.has(place)) this.#before.set(place, event.part > last ? last : Number.NaN);
    this.#last.set(event.message, Math.max(last, event.part));
  }

  /** The message starts over. A reset takes away what its step said; else what is out stays. */
  restart(message: number, { isReset }: { readonly isReset: boolean }): void {
    this.#release();
    for (const [place, text] of this.#texts) {
      if (text.at.message !== message) continue;
      if (!isReset && !text.isEnded) this.#endText(text);
      this.#texts.delete(place);
    }
    for (const [place, { at }] of this.#wholes) if (at.message === message) this.#wholes.delete(place);
    this.#last.delete(message);
    for (const place of this.#before.keys()) if (place.startsWith(`${message}.`)) this.#before.delete(place);
    this.#tools.restart(message);
  }

  /** Another message of the SDK's begins: its readers know nothing of the one before. */
  forget(): void {
    this.#release();
    this.#tools.forget();
  }

  /** The step ends: before generation 7 its texts cannot go on. */
  leave(): void {
    this.#release();
    if (this.#options.generation >= 7) return;
    for (const text of this.#open.values()) {
      this.#leaveOpen(text);
      text.isEnded = true;
    }
    this.#open.clear();
  }

  end(): void {
    this.#release();
    for (const text of this.#open.values()) this.#leaveOpen(text);
    for (const { at, value } of this.#wholes.values()) this.#put(at, value);
    this.#wholes.clear();
    this.#tools.end();
  }

  #start(at: At, value: Part): void {
    if (isSpoken(value)) this.#speak(at, value);
    else if (isTool(value)) this.#tools.start(at, value);
    else this.#wholes.set(placeOf(at), { at, value });
  }

  #whole(at: At, value: Part): void {
    if (isTool(value)) this.#tools.whole(at, value);
    else if (isSpoken(value)) this.#say(at, value);
    else this.#put(at, value);
  }

  #append(at: At, delta: Event & { readonly type: "part-delta" }): void {
    const text = this.#texts.get(placeOf(at));
    if (!text) {
      this.#tools.append(at, delta.text);
      return;
    }
    const open = text.isEnded ? this.#goOn(text) : text;
    open.length += delta.text.length;
    this.#options.enter(at.message);
    this.#options.put({ type: `${open.kind}-delta`, id: open.id, delta: delta.text });
  }

  #cite(at: At, citation: Citation): void {
    const text = this.#texts.get(placeOf(at));
    if (text?.value.type !== "text") return;
    if (text.isEnded && text !== this.#held) this.#lose(at)("late-change", "citations");
    else text.citations.push(citation);
  }

  #set(at: At, set: object): void {
    const text = this.#texts.get(placeOf(at));
    const whole = this.#wholes.get(placeOf(at));
    if (whole) whole.value = mergeMembers(whole.value, set);
    else if (!text) this.#tools.set(at, set);
    else if (text.isEnded && text !== this.#held) this.#lose(at)("late-change");
    else {
      text.value = mergeMembers(text.value, set);
      if ("citations" in set) text.citations.length = 0; // a list that is set is the whole
    }
  }

  #end(at: At): void {
    const text = this.#texts.get(placeOf(at));
    const whole = this.#wholes.get(placeOf(at));
    if (text && !text.isEnded) {
      this.#close(text);
      this.#held = text;
    } else if (whole) {
      this.#wholes.delete(placeOf(at));
      this.#put(at, whole.value);
    } else if (!text) this.#tools.finish(at);
  }

  // texts

  #speak(at: At, value: Spoken): TextOut {
    this.#options.enter(at.message);
    const kind = value.type === "reasoning" ? "reasoning" : "text";
    if (value.type === "refusal") this.#lose(at)("refusal");
    const id = kind === "reasoning" ? this.#reasoningId(value) : String(this.#textIds++);
    const { citations: _, ...start } = value.type === "text" ? value : { ...value, citations: undefined };
    const sent = this.#wire({ at, id, value: { ...start, text: "" } as Spoken }, silent)["providerMetadata"]; // the same without citations
    const text: TextOut = { at, id, kind, value, citations: [], sent, length: 0, isEnded: false };
    this.#texts.set(placeOf(at), text);
    this.#open.set(chunkName(text), text);
    this.#options.put({ type: `${kind}-start`, id, ...(sent !== undefined && { providerMetadata: sent }) });
    return text;
  }

  #reasoningId(value: Spoken): string {
    const { id = "~" } = value;
    const isFree = !isMadeId(id) && !this.#open.has(chunkName({ kind: "reasoning", id }));
    return isFree ? id : `~${this.#madeIds++}`;
  }

  #say(at: At, value: Spoken): void {
    const known = this.#texts.get(placeOf(at));
    if (known?.isEnded) {
      gather(known);
      if (!equalJson(known.value, value)) this.#lose(at)("late-change");
      return;
    }
    if (known && (value.text === undefined || value.text.length === known.length)) {
      known.value = value;
      known.citations.length = 0;
    } else {
      if (known) {
        this.#lose(at)("late-change");
        this.#endText(known);
      }
      const text = this.#speak(at, value);
      if (value.text) this.#options.put({ type: `${text.kind}-delta`, id: text.id, delta: value.text });
    }
    if (!value.partial) this.#end(at);
  }

  /** A text that was ended, or whose step was, goes on as another. */
  #goOn(text: TextOut): TextOut {
    if (text === this.#held) this.#release();
    this.#lose(text.at)("late-text");
    return this.#speak(text.at, text.value);
  }

  #release(): void {
    if (this.#held) this.#endText(this.#held);
    this.#held = undefined;
  }

  #close(text: TextOut): void {
    text.isEnded = true;
    this.#open.delete(chunkName(text));
  }

  #endText(text: TextOut): void {
    this.#close(text);
    gather(text);
    const wire = this.#wire(text, this.#lose(text.at));
    const isNew = this.#options.generation >= 7;
    loseOthers(wire, isNew ? [...textMembers, "citations"] : textMembers, this.#lose(text.at));
    const { providerMetadata } = wire;
    const citations = isNew ? wire["citations"] : undefined;
    this.#options.put({
      type: `${text.kind}-end`,
      id: text.id,
      ...(citations !== undefined && { citations }),
      ...(providerMetadata !== undefined && !equalJson(providerMetadata, text.sent) && { providerMetadata }),
    });
    if (text.value.type !== "text" || isNew) return;
    for (const source of citedSources(text.value)) this.#options.put(encodeSource(source, this.#writing(text.at)));
  }

  /** The text broke off: citations, which only its end would have told, are lost; metadata may come with any piece. */
  #leaveOpen(text: TextOut): void {
    gather(text);
    const lose = this.#lose(text.at);
    const { citations, providerMetadata } = this.#wire(text, lose);
    if (citations !== undefined) lose("stream-member", "citations");
    if (providerMetadata !== undefined && !equalJson(providerMetadata, text.sent))
      this.#options.put({ type: `${text.kind}-delta`, id: text.id, delta: "", providerMetadata });
  }

  /** The part as it would be stored. */
  #wire({ value, id }: Pick<TextOut, "at" | "value" | "id">, lose: LosePart): JsonObject {
    const { generation } = this.#options;
    const isReasoning = value.type === "reasoning";
    const madeId = isReasoning ? () => id : () => `~${this.#madeIds++}`;
    const writing: PartWriting = { generation, role: "assistant", lose, madeId };
    return isReasoning ? encodeReasoning(value, writing) : encodeText({ ...value, type: "text" }, writing);
  }

  // what is whole at once

  #put(at: At, value: Part): void {
    const { generation, enter, put } = this.#options;
    const writing = this.#writing(at);
    // In a stream a file says where it is and nothing else: who keeps it has no place.
    const isKept = value.type === "file" && "id" in value.source;
    const wire = isKept ? encodeFile(value, { ...writing, generation: 5 }) : encodePart(value, writing);
    if (!isJsonObject(wire) || !isChunk(wire, generation)) {
      this.#lose(at)("unknown-chunk");
      return;
    }
    if (this.#sentData.has(placeOf(at)) && typeof wire["id"] !== "string") {
      this.#lose(at)("late-change");
      return;
    }
    this.#sentData.add(placeOf(at));
    const members = Object.hasOwn(wholeMembers, String(wire["type"])) ? wholeMembers[String(wire["type"])] : undefined;
    // Generation 5 takes the metadata of a file, and forgets it.
    const isForgotten = generation < 6 && wire["type"] === "file";
    const taken = isForgotten ? members?.filter(member => member !== "providerMetadata") : members;
    if (taken) loseOthers(wire, taken, this.#lose(at));
    enter(at.message);
    put(wire);
  }

  #writing(at: At): PartWriting {
    const { generation } = this.#options;
    return { generation, role: "assistant", lose: this.#lose(at), madeId: () => `~${this.#madeIds++}` };
  }

  #lose(at: At): LosePart {
    return loseAt(this.#options, at);
  }
}

/** Texts and reasoning have names of their own. */
const chunkName = ({ kind, id }: Pick<TextOut, "kind" | "id">): string => `${kind} ${id}`;

/** The text has the citations that came one by one. */
function gather(text: TextOut): void {
  if (text.value.type !== "text" || text.citations.length === 0) return;
  text.value = { ...text.value, citations: [...(text.value.citations ?? []), ...text.citations.splice(0)] };
}

const isAbout = (event: Event): event is Event & At => event.type === "part-set" || event.type === "citation";

const isSpoken = (part: Part): part is Spoken =>
  part.type === "text" || part.type === "reasoning" || part.type === "refusal";

const isTool = (part: Part): part is PartOf<"tool-call" | "tool-result" | "approval-request" | "approval-response"> =>
  part.type === "tool-call" ||
  part.type === "tool-result" ||
  part.type === "approval-request" ||
  part.type === "approval-response";

/** What the SDK's readers take of a chunk; of data they take all. */
const textMembers = ["type", "id", "text", "state", "providerMetadata"];
const wholeMembers: { readonly [type: string]: readonly string[] } = {
  file: ["type", "mediaType", "url", "providerMetadata"],
  "reasoning-file": ["type", "mediaType", "url", "providerMetadata"],
  "source-url": ["type", "sourceId", "url", "title", "providerMetadata"],
  "source-document": ["type", "sourceId", "mediaType", "title", "filename", "providerMetadata"],
  custom: ["type", "kind", "providerMetadata"],
};

/** Whether a stored part is a chunk too: another one would end the stream. */
function isChunk({ type }: JsonObject, generation: number): boolean {
  if (typeof type !== "string") return false;
  if (type.startsWith("data-") || type === "file" || type === "source-url" || type === "source-document") return true;
  return generation >= 7 && (type === "custom" || type === "reasoning-file");
}
