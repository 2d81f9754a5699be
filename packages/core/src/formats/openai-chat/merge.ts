import { assign, isIndex, MergedCall, type MergedCalls } from "../../blocks/chat-parts/merged-calls.ts";
import { isJsonObject, type Json, type JsonObject, type MutableJsonObject, setMember } from "../../model/json.ts";
import { stringifyJson } from "../../model/json-text.ts";
import { isText, places } from "./wire.ts";

/**
 * A choice put together from its deltas, as the `openai` SDK does it, for what hosts really send: texts append, ids and
 * names are assigned (they come again in every delta of some hosts), null replaces nothing. Texts are kept in pieces and
 * joined once.
 */
export class MergedChoice {
  readonly index: number;
  readonly calls: MergedCalls;
  readonly details = new MergedDetails();
  readonly #texts = new Map<string, string[]>();
  readonly #choice: MutableJsonObject = {};
  readonly #message: MutableJsonObject = {};
  readonly #audio = new Map<string, Json | string[]>();
  readonly #images: Json[] = [];
  readonly #annotations: Json[] = [];
  readonly #known = new Set<string>();
  readonly #parts: Json[] = [];
  readonly #logprobs = new Map<string, Json[]>();
  #functionCall: MergedCall | undefined;
  #finish: string | undefined;
  #isAudioDone = false;

  constructor(index: number, calls: MergedCalls) {
    this.index = index;
    this.calls = calls;
  }

  /** The reason that the host gave; audio that came to its end needs none (as the SDK has it, 7.59). */
  get finish(): string | undefined {
    return this.#finish ?? (this.#isAudioDone ? "stop" : undefined);
  }

  get functionCall(): MergedCall | undefined {
    return this.#functionCall;
  }

  /** Appends to a text of the message. */
  append(member: string, text: string): void {
    const pieces = this.#texts.get(member);
    if (pieces) pieces.push(text);
    else this.#texts.set(member, [text]);
  }

  textOf(member: string | undefined): string | undefined {
    return member === undefined ? undefined : this.#texts.get(member)?.join("");
  }

  /** Members of the choice beside its delta. */
  choice(members: JsonObject): void {
    this.#isAudioDone = false;
    for (const key of Object.keys(members)) {
      const value = members[key];
      if (key === "finish_reason") {
        if (value === "" && !Object.hasOwn(this.#choice, key)) setMember(this.#choice, key, value);
        else if (isText(value)) this.#finish = value;
      } else if (key === "logprobs" && isJsonObject(value)) this.#addLogprobs(value);
      else if (key !== "index" && key !== "delta" && key !== "message") assign(this.#choice, key, value);
    }
  }

  /** A member of the delta that has no way of its own. */
  assign(key: string, value: Json | undefined): void {
    assign(this.#message, key, value);
  }

  /** Items of a list that come once each, though some hosts send the whole list again. */
  annotate(list: readonly Json[]): void {
    for (const item of list) {
      const text = stringifyJson(item);
      if (this.#known.has(text)) continue;
      this.#known.add(text);
      this.#annotations.push(item);
    }
  }

  addImages(images: readonly Json[]): void {
    for (const image of images) this.#images.push(image);
  }

  /** A piece of content that is no text. */
  addPart(part: Json): void {
    this.#parts.push(part);
  }

  addFunctionCall(delta: JsonObject): MergedCall {
    this.#functionCall ??= new MergedCall(places.functionCall);
    this.#functionCall.add({ type: "function", function: delta });
    return this.#functionCall;
  }

  /** `isAlone`: the delta has nothing else. */
  addAudio(audio: JsonObject, isAlone: boolean): void {
    for (const key of Object.keys(audio)) {
      const value = audio[key] ?? null;
      const pieces = this.#audio.get(key);
      const isPiece = (key === "data" || key === "transcript") && typeof value === "string";
      if (isPiece && Array.isArray(pieces))
        (pieces as string[]).push(value); // only pieces of text are lists here
      else if (isPiece) this.#audio.set(key, [value]);
      else if (value !== null) this.#audio.set(key, value);
    }
    const isWhole = ["id", "data", "transcript", "expires_at"].every(key => this.#audio.has(key));
    this.#isAudioDone = isAlone && isWhole && Object.keys(audio).every(key => key === "expires_at");
  }

  #addLogprobs(logprobs: JsonObject): void {
    for (const key of Object.keys(logprobs)) {
      const value = logprobs[key];
      const known = this.#logprobs.get(key);
      if (Array.isArray(value) && known)
        for (const item of value) known.push(item as Json); // an item of JSON
      else if (Array.isArray(value)) this.#logprobs.set(key, [...value]);
    }
    const rest = Object.keys(logprobs).filter(key => !Array.isArray(logprobs[key]));
    const own = this.#choice["logprobs"];
    const merged: MutableJsonObject = isJsonObject(own) ? { ...own } : {};
    for (const key of rest) if (!this.#logprobs.has(key)) assign(merged, key, logprobs[key]);
    setMember(this.#choice, "logprobs", merged);
  }

  /** The choice as an answer has it. */
  whole(): JsonObject {
    const message: MutableJsonObject = { ...this.#message };
    for (const [member, pieces] of this.#texts) setMember(message, member, pieces.join(""));
    if (this.#parts.length > 0) setMember(message, "content", this.#contentParts(message["content"]));
    const { calls, details } = this;
    if (calls.count > 0) setMember(message, "tool_calls", calls.whole());
    if (details.size > 0) setMember(message, "reasoning_details", details.whole());
    if (this.#functionCall) setMember(message, "function_call", this.#functionCall.whole()["function"] ?? {});
    if (this.#images.length > 0) setMember(message, "images", this.#images);
    if (this.#annotations.length > 0) setMember(message, "annotations", this.#annotations);
    if (this.#audio.size > 0) setMember(message, "audio", joinedMembers(this.#audio));
    const choice: MutableJsonObject = { ...this.#choice };
    if (this.#logprobs.size > 0) {
      const rest = choice["logprobs"];
      setMember(choice, "logprobs", { ...(isJsonObject(rest) ? rest : {}), ...Object.fromEntries(this.#logprobs) });
    }
    // The SDK takes no answer without a role, but a host that forgets it means its own (R4 would make it no turn).
    if (!isText(message["role"])) setMember(message, "role", "assistant");
    const finish = this.finish ?? choice["finish_reason"] ?? null;
    return { ...choice, index: this.index, message, finish_reason: finish };
  }

  /** The text first, as its place is: pieces that are no text came beside it. */
  #contentParts(text: Json | undefined): Json[] {
    return typeof text === "string" && text !== "" ? [{ type: "text", text }, ...this.#parts] : this.#parts;
  }
}

function joinedMembers(members: ReadonlyMap<string, Json | string[]>): JsonObject {
  const joined: MutableJsonObject = {};
  for (const [key, value] of members) setMember(joined, key, Array.isArray(value) ? value.join("") : (value as Json)); // lists are pieces of text
  return joined;
}

// reasoning details

interface MergedDetail {
  readonly place: number;
  /** What is no object stays what it is. */
  readonly whole: Json | undefined;
  readonly members: MutableJsonObject;
  readonly texts: Map<string, string[]>;
}

interface AddedPiece {
  readonly place: number;
  readonly text: string;
  readonly members: JsonObject;
}

/**
 * Pieces of `reasoning_details`: merged by index and type (OpenRouter's rule), texts appended, the rest assigned. They
 * stand by their index; those without one come last.
 */
export class MergedDetails {
  readonly #list: MergedDetail[] = [];
  readonly #byKey = new Map<string, MergedDetail>();
  readonly #counts = new Map<number | undefined, number>();

  get size(): number {
    return this.#list.length;
  }

  /** Takes a piece: the place of its detail, what is known of that beside its texts, and the text that the piece adds. */
  add(piece: Json, position: number): AddedPiece {
    if (!isJsonObject(piece)) return { place: this.#open(piece, undefined).place, text: "", members: {} };
    const { index, type } = piece;
    // Without an index the pieces of one list are pieces of as many details.
    const key = `${stringifyJson(index) ?? `at ${position}`} ${stringifyJson(type) ?? ""}`;
    const detail = this.#byKey.get(key) ?? this.#open(undefined, isIndex(index) ? index : undefined);
    this.#byKey.set(key, detail);
    let text = "";
    for (const name of Object.keys(piece)) {
      const value = piece[name];
      if ((name === "text" || name === "summary") && typeof value === "string") {
        text += value;
        const pieces = detail.texts.get(name);
        if (pieces) pieces.push(value);
        else detail.texts.set(name, [value]);
      } else if (value !== "" || !Object.hasOwn(detail.members, name)) assign(detail.members, name, value);
    }
    return { place: detail.place, text, members: detail.members };
  }

  #open(whole: Json | undefined, index: number | undefined): MergedDetail {
    const count = this.#counts.get(index) ?? 0;
    this.#counts.set(index, count + 1);
    const place =
      places.details + (index === undefined ? unindexed + count : index * sameIndex + Math.min(count, sameIndex - 1));
    const detail = { place, whole, members: {}, texts: new Map() };
    this.#list.push(detail);
    return detail;
  }

  /** Places in order: the n-th is that of the n-th detail of the whole. */
  places(): number[] {
    return this.#sorted().map(({ place }) => place);
  }

  #sorted(): MergedDetail[] {
    return this.#list.toSorted((a, b) => a.place - b.place);
  }

  whole(): Json[] {
    return this.#sorted().map(({ whole, members, texts }) => {
      if (whole !== undefined) return whole;
      const detail: MutableJsonObject = { ...members };
      for (const [name, pieces] of texts) setMember(detail, name, pieces.join(""));
      return detail;
    });
  }
}

/** Details of one index: there are only three types. */
const sameIndex = 1024;
const unindexed = 500_000_000;
