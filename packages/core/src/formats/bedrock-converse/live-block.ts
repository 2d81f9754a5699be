import { joinBase64 } from "../../blocks/bedrock-converse/bytes.ts";
import { readCitation } from "../../blocks/bedrock-converse/citations.ts";
import { asObject, type ReadScope } from "../../blocks/bedrock-converse/node.ts";
import { readBlock } from "../../blocks/bedrock-converse/reading.ts";
import { fillAll, present } from "../../codec/remainder.ts";
import type { At, DeltaOf, Event } from "../../model/events.ts";
import { isJsonObject, type Json, type JsonObject, type MutableJsonObject } from "../../model/json.ts";
import { type ExactText, stringifyJson } from "../../model/json-text.ts";
import type { Part } from "../../model/parts.ts";
import { changedPart } from "../../stream/changed-members.ts";

interface BlockPlace {
  readonly at: At;
  readonly made: string;
  readonly scope: ReadScope;
  /** The spelling of what came. */
  readonly exact: ExactText | undefined;
}

/** What a block is, by its start or its first delta. */
type Kind = "text" | "reasoning" | "call" | "result" | "image";

const kindsByStart: { readonly [member: string]: Kind } = { toolUse: "call", toolResult: "result", image: "image" };
const kindsByDelta: { readonly [member: string]: Kind } = {
  ...kindsByStart,
  text: "text",
  citation: "text",
  reasoningContent: "reasoning",
};

const kindIn = (kinds: { readonly [member: string]: Kind }, value: Json | undefined): Kind | undefined => {
  const member = Object.keys(kinds).find(key => Object.hasOwn(asObject(value), key));
  return member === undefined ? undefined : kinds[member];
};

/** A block while it comes: its part, and what was said of it. */
export class LiveBlock {
  readonly #place: BlockPlace;
  /** As it was announced; texts and reasoning mostly are not. */
  readonly #start: Json;
  #kind: Kind | undefined;
  readonly #pieces: string[] = [];
  readonly #signature: string[] = [];
  readonly #bytes: string[] = [];
  readonly #citations: JsonObject[] = [];
  /** Items of a result, or what else came. */
  readonly #items: Json[] = [];
  #hasItems = false;
  /** As whoever heard the events has it, but for the text. Undefined: nothing is out. */
  #told: Part | undefined;
  isOpen = true;

  constructor(start: Json, place: BlockPlace) {
    this.#start = start;
    this.#place = place;
    this.#kind = kindIn(kindsByStart, start);
  }

  #read(wire: Json): Part {
    const { scope, made, at } = this.#place;
    return readBlock(wire, { path: ["content", at.part], made }, scope);
  }

  start(events: Event[]): void {
    if (this.#kind !== "call") return;
    const part = this.#read(fillAll({ toolUse: { input: {} } }, asObject(this.#start)));
    if (part.type === "tool-call") this.#tell(withoutInput(part), events);
  }

  #tell(part: Part, events: Event[]): void {
    if (this.#told) return;
    this.#told = part;
    events.push({ type: "part-start", value: part, ...this.#place.at });
  }

  #add(of: DeltaOf, text: string, events: Event[]): void {
    if (text === "") return;
    this.#pieces.push(text);
    events.push({ type: "part-delta", of, text, ...this.#place.at });
  }

  /** False where the block does not know such a delta. */
  delta(delta: JsonObject, events: Event[]): boolean {
    const kind = kindIn(kindsByDelta, delta);
    if (kind !== undefined && this.#items.length === 0) this.#kind ??= kind;
    if (this.#kind === undefined) {
      this.#items.push(delta);
      return true;
    }
    if (kind !== this.#kind) return false;
    switch (kind) {
      case "text":
        return this.#text(delta, events);
      case "reasoning":
        return this.#reasoning(asObject(delta["reasoningContent"]), events);
      case "call":
        return this.#input(asObject(delta["toolUse"]), events);
      case "result":
        return this.#output(delta["toolResult"]);
      default:
        return this.#image(asObject(delta["image"]));
    }
  }

  #text({ text, citation }: JsonObject, events: Event[]): boolean {
    if (typeof text !== "string" && !isJsonObject(citation)) return false;
    this.#tell({ type: "text", text: "" }, events);
    if (typeof text === "string") this.#add("text", text, events);
    if (!isJsonObject(citation)) return true;
    this.#citations.push(citation);
    events.push({ type: "citation", citation: readCitation(citation), ...this.#place.at });
    return true;
  }

  #reasoning({ text, signature, redactedContent }: JsonObject, events: Event[]): boolean {
    if (typeof text === "string") {
      this.#tell({ type: "reasoning", text: "" }, events);
      this.#add("reasoning", text, events);
    }
    if (typeof signature === "string") this.#signature.push(signature);
    if (typeof redactedContent === "string") this.#bytes.push(redactedContent);
    return [text, signature, redactedContent].some(each => typeof each === "string");
  }

  #input({ input }: JsonObject, events: Event[]): boolean {
    if (typeof input !== "string") return false;
    if (this.#told) this.#add("tool-call", input, events);
    else this.#pieces.push(input);
    return true;
  }

  /** A text goes on where the last event ended in one. */
  #output(list: Json | undefined): boolean {
    if (!Array.isArray(list)) return false;
    this.#hasItems = true;
    const [first, ...others] = list as readonly Json[]; // a list of JSON
    if (first === undefined) return true;
    const last = this.#items.at(-1);
    const [before, after] = [plainText(last), plainText(first)];
    if (before !== undefined && after !== undefined) this.#items[this.#items.length - 1] = { text: before + after };
    else this.#items.push(first);
    this.#items.push(...others);
    return true;
  }

  #image(image: JsonObject): boolean {
    const bytes = asObject(image["source"])["bytes"];
    if (typeof bytes === "string") this.#bytes.push(bytes);
    else this.#items.push(image);
    return true;
  }

  /** The block is over: it is read as any other, and what that says more is sent (E3). */
  stop(events: Event[]): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    const { at } = this.#place;
    const wire = this.#whole(events);
    if (wire === undefined) return;
    const whole = this.#read(wire);
    const told = this.#told;
    if (!told) {
      events.push({ type: "part", value: whole, ...at });
      return;
    }
    const part = this.#pieces.length > 0 || !hasInput(this.#start) ? withoutInput(whole) : whole;
    const set = changedPart(told, part, this.#citations.length > 0 ? said : spoken);
    if (!set) {
      events.push({ type: "part", value: whole, ...at });
      return;
    }
    if (Object.keys(set).length > 0) events.push({ type: "part-set", set, ...at });
    events.push({ type: "part-end", ...at });
  }

  /** The block as a whole answer has it; undefined where nothing came. */
  #whole(events: Event[]): Json | undefined {
    const start = asObject(this.#start);
    switch (this.#kind) {
      case "text": {
        const text = this.#pieces.join("");
        const citationsContent = { content: [{ text }], citations: this.#citations };
        return fillAll(this.#citations.length > 0 ? { citationsContent } : { text }, start);
      }
      case "reasoning":
        return fillAll({ reasoningContent: this.#wholeReasoning() }, start);
      case "call":
        return this.#wholeCall(start, events);
      case "result":
        return fillAll({ toolResult: present({ content: this.#hasItems ? this.#items : undefined }) }, start);
      case "image":
        return this.#wholeImage(start);
      default:
        return this.#wholeOther(start);
    }
  }

  #wholeReasoning(): JsonObject {
    const hasText = this.#told !== undefined || this.#signature.length > 0;
    const signature = this.#signature.length > 0 ? this.#signature.join("") : undefined;
    return present({
      reasoningText: hasText ? present({ text: this.#pieces.join(""), signature }) : undefined,
      redactedContent: this.#bytes.length > 0 ? joinBase64(this.#bytes) : undefined,
    });
  }

  /** Arguments that came with the announcement are deltas too, so that nobody needs another source (E1). */
  #wholeCall(start: JsonObject, events: Event[]): JsonObject {
    const { input } = asObject(start["toolUse"]);
    if (!this.#told)
      return fillAll({ toolUse: this.#pieces.length > 0 ? { input: this.#pieces.join("") } : {} }, start);
    if (this.#pieces.length === 0 && isJsonObject(input))
      this.#add("tool-call", stringifyJson(input, this.#place.exact), events);
    return fillAll({ toolUse: { input: isJsonObject(input) || input === undefined ? {} : input } }, start);
  }

  #wholeImage(start: JsonObject): JsonObject {
    const others: MutableJsonObject = Object.assign({}, ...this.#items.map(asObject));
    const source = this.#bytes.length > 0 ? { bytes: joinBase64(this.#bytes) } : undefined;
    return fillAll({ image: { ...others, ...(source && { source }) } }, start);
  }

  #wholeOther(start: JsonObject): Json | undefined {
    if (!isJsonObject(this.#start)) return this.#start;
    const whole = this.#items.length > 0 ? { ...start, deltas: this.#items } : start;
    return Object.keys(whole).length > 0 ? whole : undefined;
  }
}

const plainText = (item: Json | undefined): string | undefined =>
  isJsonObject(item) && Object.keys(item).length === 1 && typeof item["text"] === "string" ? item["text"] : undefined;

/** Whether arguments that are no object were announced: no delta says them. */
const hasInput = (start: Json): boolean => {
  const { input } = asObject(asObject(start)["toolUse"]);
  return input !== undefined && !isJsonObject(input);
};

function withoutInput(part: Part): Part {
  if (part.type !== "tool-call") return part;
  const { input: _, ...others } = part;
  return others;
}

/** Members that deltas say. */
const spoken: ReadonlySet<string> = new Set(["text"]);
const said: ReadonlySet<string> = new Set(["text", "citations"]);
