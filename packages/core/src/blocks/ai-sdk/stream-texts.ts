/** Texts and reasoning of the AI SDK's while their chunks come. */

import { Reader } from "../../codec/reader.ts";
import type { At, Event } from "../../model/events.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { PartOf } from "../../model/parts.ts";
import type { PartPlace } from "./part.ts";
import { decodeCitations } from "./sources.ts";
import { decodeReasoning, decodeText } from "./texts.ts";

type TextPart = PartOf<"text" | "reasoning">;

/** One open block. What its metadata says is known at its end only; what was said at the start may change until then. */
export class OpenText {
  readonly at: At;
  readonly #type: "text" | "reasoning";
  readonly #id: string;
  readonly #place: PartPlace;
  #metadata: Json | undefined;
  readonly #started: TextPart;
  /** Kept only where the part may have to be said again as a whole. */
  readonly #text: string[] | undefined;
  #isEmpty = true;

  constructor(chunk: JsonObject, at: At, place: PartPlace) {
    this.#type = chunk["type"] === "text-start" ? "text" : "reasoning";
    this.#id = String(chunk["id"]);
    this.at = at;
    this.#place = place;
    this.#metadata = chunk["providerMetadata"];
    this.#started = this.#decode("", "streaming");
    this.#text = isJsonObject(this.#metadata) ? [] : undefined;
  }

  start(): Event {
    const { partial: _, ...value } = this.#started;
    return { type: "part-start", ...this.at, value: { ...value, text: "" } };
  }

  append(delta: string, chunk: JsonObject): Event {
    this.#take(chunk);
    if (delta !== "") this.#isEmpty = false;
    this.#text?.push(delta);
    return { type: "part-delta", ...this.at, of: this.#type, text: delta };
  }

  end(chunk: JsonObject): Event[] {
    this.#take(chunk);
    const { changes, isWhole } = this.#close("done");
    const citations =
      this.#place.generation >= 7 && this.#type === "text" ? decodeCitations(new Reader(chunk)) : undefined;
    const cited = (citations ?? []).map((citation): Event => ({ type: "citation", ...this.at, citation }));
    if (citations?.length === 0) cited.push({ type: "part-set", ...this.at, set: { citations } });
    return [...changes, ...cited, ...(isWhole ? [] : [{ type: "part-end", ...this.at } as const])];
  }

  /** The stream broke off: what is known by now counts. */
  cut(): Event[] {
    return this.#close("streaming").changes;
  }

  #take(chunk: JsonObject): void {
    if (isJsonObject(chunk["providerMetadata"])) this.#metadata = chunk["providerMetadata"];
  }

  /** What is other than it was said at the start; the whole part, where members went away or nobody may see the text. */
  #close(state: "done" | "streaming"): { readonly changes: Event[]; readonly isWhole: boolean } {
    const part = this.#decode(this.#isEmpty ? "" : "…", state);
    const { type, text, partial: _, ...members } = part;
    const { type: __, text: ___, partial: ____, ...before } = this.#started;
    const isHidden = text === undefined;
    if (equalJson(members, before) && !isHidden) return { changes: [], isWhole: false };
    const isMore = Object.keys(before).every(key => key !== "native" && key in members);
    if (isMore && !isHidden) return { changes: [{ type: "part-set", ...this.at, set: members }], isWhole: false };
    const value = isHidden ? part : { ...part, text: this.#text?.join("") ?? "" };
    return { changes: [{ type: "part", ...this.at, value }], isWhole: true };
  }

  #decode(text: string, state: "done" | "streaming"): TextPart {
    const metadata = this.#metadata === undefined ? {} : { providerMetadata: this.#metadata };
    const wire = { type: this.#type, text, ...metadata, state };
    const part =
      this.#type === "text" ? decodeText(wire, this.#place) : decodeReasoning({ ...wire, id: this.#id }, this.#place);
    return part ?? { type: this.#type, text };
  }
}
