/** The parts of a stream as chunks of the AI SDK's: texts as they come, what is whole at once, and tools (ai-sdk-stream-calls). */

import type { At, Event } from "../model/events.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import type { Citation, Part, PartOf } from "../model/parts.ts";
import { mergeMembers } from "../stream/merge.ts";
import { encodeFile } from "./ai-sdk-files.ts";
import { isMadeId, type LosePart, type PartWriting } from "./ai-sdk-part.ts";
import { CallsOut, type ToolEvent } from "./ai-sdk-stream-calls.ts";
import type { StreamWriting } from "./ai-sdk-stream-writing.ts";
import { encodeReasoning, encodeText } from "./ai-sdk-texts.ts";
import { encodePart } from "./ai-sdk-writing.ts";

export interface PartsOptions extends StreamWriting {
  readonly put: (chunk: JsonObject) => void;
  /** Something is said in a message. */
  readonly enter: (message: number) => void;
  /** Whether the message is the one whose step is written. */
  readonly isOfStep: (message: number) => boolean;
}

type PartEvent = Exclude<Event, { readonly type: "message-start" | "message-set" | "message-end" | "error" }>;
type Spoken = PartOf<"text" | "reasoning" | "refusal">;

/** A text that goes out as it comes. */
interface TextOut {
  readonly at: At;
  readonly id: string;
  readonly kind: "text" | "reasoning";
  value: Spoken;
  /** The metadata that was sent with its start. */
  readonly sent: Json | undefined;
  length: number;
  isEnded: boolean;
}

export const placeOf = ({ message, part }: At): string => `${message}.${part}`;

export class PartsOut {
  readonly #options: PartsOptions;
  readonly #calls: CallsOut;
  readonly #texts = new Map<string, TextOut>();
  /** Parts that are whole once they end. */
  readonly #wholes = new Map<string, { readonly at: At; value: Part }>();
  readonly #sentData = new Set<string>();
  /** A text whose end waits for what is said of it right after. */
  #held: TextOut | undefined;
  #textIds = 0;
  #madeIds = 0;

  constructor(options: PartsOptions) {
    this.#options = options;
    this.#calls = new CallsOut(options);
  }

  /** A held end goes out unless the event still says something of its part. */
  settle(event: Event): void {
    const held = this.#held;
    if (held && !(isAbout(event) && event.message === held.at.message && event.part === held.at.part)) this.#release();
    if (event.type === "message-start" && event.head.role === "assistant") this.#calls.release();
  }

  take(event: PartEvent): void {
    switch (event.type) {
      case "part-start":
        this.#start(event, event.value);
        break;
      case "part":
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

  /** The message starts over. A reset takes away what its step said; else what is out stays. */
  restart(message: number, { isReset }: { readonly isReset: boolean }): void {
    this.#release();
    for (const [place, text] of this.#texts) {
      if (text.at.message !== message) continue;
      if (!isReset && !text.isEnded) this.#endText(text);
      this.#texts.delete(place);
    }
    for (const [place, { at }] of this.#wholes) if (at.message === message) this.#wholes.delete(place);
    this.#calls.restart(message);
  }

  /** The step ends: before generation 7 its texts cannot go on. */
  leave(): void {
    this.#release();
    if (this.#options.generation >= 7) return;
    for (const text of this.#texts.values()) text.isEnded = true;
  }

  end(): void {
    this.#release();
    for (const { at, value } of this.#wholes.values()) this.#put(at, value);
    this.#wholes.clear();
    this.#calls.end();
  }

  #start(at: At, value: Part): void {
    if (isSpoken(value)) this.#speak(at, value);
    else if (isTool(value)) this.#calls.start(at, value);
    else this.#wholes.set(placeOf(at), { at, value });
  }

  #whole(at: At, value: Part): void {
    if (isTool(value)) this.#calls.whole(at, value);
    else if (isSpoken(value)) this.#say(at, value);
    else this.#put(at, value);
  }

  #append(at: At, delta: ToolEvent & { readonly type: "part-delta" }): void {
    const text = this.#texts.get(placeOf(at));
    if (!text) {
      this.#calls.append(at, delta.text);
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
    else text.value = { ...text.value, citations: [...(text.value.citations ?? []), citation] };
  }

  #set(at: At, set: object): void {
    const text = this.#texts.get(placeOf(at));
    const whole = this.#wholes.get(placeOf(at));
    if (whole) whole.value = mergeMembers(whole.value, set);
    else if (!text) this.#calls.set(at, set);
    else if (text.isEnded && text !== this.#held) this.#lose(at)("late-change");
    else text.value = mergeMembers(text.value, set);
  }

  #end(at: At): void {
    const text = this.#texts.get(placeOf(at));
    const whole = this.#wholes.get(placeOf(at));
    if (text && !text.isEnded) {
      text.isEnded = true;
      this.#held = text;
    } else if (whole) {
      this.#wholes.delete(placeOf(at));
      this.#put(at, whole.value);
    } else if (!text) this.#calls.finish(at);
  }

  // texts

  #speak(at: At, value: Spoken): TextOut {
    this.#options.enter(at.message);
    const kind = value.type === "reasoning" ? "reasoning" : "text";
    if (value.type === "refusal") this.#lose(at)("refusal");
    const id = kind === "reasoning" ? this.#reasoningId(value) : String(this.#textIds++);
    const { citations: _, ...start } = value.type === "text" ? value : { ...value, citations: undefined };
    const sent = this.#wire({ at, id, value: { ...start, text: "" } as Spoken }, () => undefined)["providerMetadata"]; // the same without citations
    const text: TextOut = { at, id, kind, value, sent, length: 0, isEnded: false };
    this.#texts.set(placeOf(at), text);
    this.#options.put({ type: `${kind}-start`, id, ...(sent !== undefined && { providerMetadata: sent }) });
    return text;
  }

  #reasoningId(value: Spoken): string {
    const isOpen = [...this.#texts.values()].some(
      text => text.kind === "reasoning" && !text.isEnded && text.id === value.id,
    );
    return value.id === undefined || isMadeId(value.id) || isOpen ? `~${this.#madeIds++}` : value.id;
  }

  #say(at: At, value: Spoken): void {
    const known = this.#texts.get(placeOf(at));
    if (known?.isEnded) {
      if (!equalJson(known.value, value)) this.#lose(at)("late-change");
      return;
    }
    if (known && (value.text === undefined || value.text.length === known.length)) known.value = value;
    else {
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

  #endText(text: TextOut): void {
    text.isEnded = true;
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
    const writing: PartWriting = {
      generation,
      role: "assistant",
      lose: this.#lose(at),
      madeId: () => `~${this.#madeIds++}`,
    };
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

  #lose({ message, part }: At): LosePart {
    return (code, member, detail) => {
      const path = ["messages", message, "parts", part, ...(member === undefined ? [] : [member])];
      this.#options.context.lose(code, path, detail);
    };
  }
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

/** Reports what a stored part has and its chunk has not. */
export function loseOthers(wire: JsonObject, members: readonly string[], lose: LosePart): void {
  const others = Object.keys(wire).filter(key => !members.includes(key));
  if (others.length > 0) lose("stream-member", "native", others.join(", "));
}

/** Whether a stored part is a chunk too: another one would end the stream. */
function isChunk({ type }: JsonObject, generation: number): boolean {
  if (typeof type !== "string") return false;
  if (type.startsWith("data-") || type === "file" || type === "source-url" || type === "source-document") return true;
  return generation >= 7 && (type === "custom" || type === "reasoning-file");
}
