import { streamedInput } from "../../blocks/anthropic/calls.ts";
import { writeCitation } from "../../blocks/anthropic/citations.ts";
import type { WriteScope } from "../../blocks/anthropic/node.ts";
import { writeBlock } from "../../blocks/anthropic/writing.ts";
import type { PartMembers } from "../../model/events.ts";
import type { Path } from "../../model/issue.ts";
import { equalJson, isJsonObject, type Json } from "../../model/json.ts";
import type { Citation, Part } from "../../model/parts.ts";
import { writeInput } from "../../stream/input.ts";
import { OpenPart } from "../../stream/open-part.ts";

/** Members of a block that come in deltas. */
const streamedMembers: ReadonlySet<string> = new Set(["text", "thinking", "signature", "input", "citations"]);

/** A part, and how much of it is out. */
export class SentBlock {
  readonly message: number;
  readonly number: number;
  /** Whether no more of it is expected. */
  isOver: boolean;
  /** Whether its last block is closed with all that it says. */
  isDone = false;
  readonly #open: OpenPart;
  readonly #scope: WriteScope;
  readonly #path: Path;
  /** Whether its block goes out while it comes; others go out whole. */
  readonly isStreamed: boolean;
  /** Free text becomes the one member of an object. */
  readonly #isFree: boolean;
  /** What is to be sent of it: texts, and citations. */
  #unsent: (string | Citation)[] = [];
  #hasText = false;
  #isOther = false;
  /** As it was announced, and as it was when its last block was closed. */
  #announced: Json | undefined;
  #closed: Json | undefined;
  #isReplaced = false;
  /** How many of its citations are out, or will be next. */
  #cited = 0;
  #count = 0;

  constructor(
    at: { readonly message: number; readonly part: number },
    part: Part,
    about: { readonly isOpen: boolean; readonly scope: WriteScope },
  ) {
    this.message = at.message;
    this.number = at.part;
    this.#path = ["messages", at.message, "parts", at.part];
    this.#scope = about.scope;
    this.isOver = !about.isOpen;
    this.#open = new OpenPart(at.part, part, { isOpen: about.isOpen, liveInput: false });
    this.isStreamed = isSpoken(part) || part.type === "tool-call";
    this.#isFree = part.type === "tool-call" && part.kind === "custom";
    const text = textOf(part);
    if (text !== undefined && text !== "") this.#add(text);
    if (part.type === "text") this.#citeAll(citationsOf(part));
  }

  get #part(): Part {
    return this.#open.read(true);
  }

  get isCall(): boolean {
    return this.#open.type === "tool-call";
  }

  /** Nothing else can go out before it is over: a call that is half told cannot be left. */
  get holdsOthers(): boolean {
    return this.isCall && !this.isOver;
  }

  get hasUnsent(): boolean {
    return this.#unsent.length > 0;
  }

  get hasStarted(): boolean {
    return this.#count > 0;
  }

  /** The seal of reasoning is told at its end. */
  get isUnsigned(): boolean {
    const part = this.#part;
    return part.type === "reasoning" && part.seal !== undefined;
  }

  delta(text: string): void {
    this.#open.append(text);
    if (text !== "") this.#add(text);
  }

  #add(text: string): void {
    if (this.isCall && !this.#isFree && !this.#isObject(text)) return;
    this.#unsent.push(this.#isFree ? `${this.#hasText ? "" : '{"input":"'}${JSON.stringify(text).slice(1, -1)}` : text);
    this.#hasText = true;
  }

  /** Arguments that do not begin as an object cannot go out as they come: they are told as one when they are whole. */
  #isObject(text: string): boolean {
    if (this.#hasText || this.#isOther) return this.#hasText;
    const begun = text.trimStart();
    if (begun === "") this.#unsent.push(text);
    else this.#isOther = !begun.startsWith("{");
    return begun.startsWith("{");
  }

  cite(citation: Citation): void {
    this.#open.cite(citation);
    this.#unsent.push(citation);
    this.#cited++;
  }

  set(members: PartMembers): void {
    const before = citationsOf(this.#part).slice(0, this.#cited);
    this.#open.set(members);
    if (this.isDone || !Object.hasOwn(members, "citations")) return;
    const citations = citationsOf(this.#part);
    this.#isReplaced ||= !equalJson(before, citations.slice(0, this.#cited));
    this.#citeAll(citations);
  }

  /** What is out stays; a list that is told again adds what is behind it. */
  #citeAll(citations: readonly Citation[]): void {
    this.#unsent.push(...citations.slice(this.#cited));
    this.#cited = Math.max(this.#cited, citations.length);
  }

  end(): void {
    this.#open.end();
    this.isOver = true;
  }

  /** Its block begins, or another one of it. Undefined where it has none. */
  begin(index: number): Json[] | undefined {
    const scope = silent(this.#scope);
    // The words of a text are still to come: it is not one that a provider refuses for having none.
    const own: WriteScope = this.#open.type === "text" ? { ...scope, recipient: "client" } : scope;
    const [block] = writeBlock({ part: emptied(this.#part), path: this.#path }, own);
    if (!isJsonObject(block)) return undefined;
    this.#count++;
    if (this.#count === 1) this.#announced = block;
    return [{ type: "content_block_start", index, content_block: block }];
  }

  /** What is new of it. */
  flush(index: number): Json[] {
    const events = this.#unsent.flatMap(each => (typeof each === "string" ? this.#text(each) : this.#citation(each)));
    this.#unsent = [];
    return events.map(delta => ({ type: "content_block_delta", index, delta }));
  }

  #text(text: string): Json[] {
    const { type } = this.#open;
    if (type === "tool-call") return [{ type: "input_json_delta", partial_json: text }];
    if (type === "reasoning") return [{ type: "thinking_delta", thinking: text }];
    return [{ type: "text_delta", text }];
  }

  #citation(citation: Citation): Json[] {
    const wire = writeCitation(citation, [], silent(this.#scope));
    return wire ? [{ type: "citations_delta", citation: wire }] : [];
  }

  /** Its block ends. `isLast`: with all that it says. */
  close(index: number, isLast: boolean): Json[] {
    const events: Json[] = [];
    if (isLast) events.push(...this.#last(index));
    events.push({ type: "content_block_stop", index });
    return events;
  }

  #last(index: number): Json[] {
    this.isDone = true;
    const part = this.#part;
    if (part.type === "tool-call") this.#finishInput(part);
    const events = this.flush(index);
    const [block] = writeBlock({ part, path: this.#path }, inStream(this.#scope));
    if (this.#count > 1) this.#scope.lose("split", this.#path);
    this.#closed = block;
    if (!isJsonObject(block)) return events;
    const { signature } = block;
    if (typeof signature === "string" && signature !== "") {
      events.push({ type: "content_block_delta", index, delta: { type: "signature_delta", signature } });
    }
    return events;
  }

  #finishInput(part: Part & { readonly type: "tool-call" }): void {
    if (this.#hasText) {
      if (this.#isFree) this.#unsent.push('"}');
      return;
    }
    if (this.#isOther && part.input === undefined) this.#scope.lose("unread-input", [...this.#path, "inputText"]);
    const text = streamedInput(part, this.#path, silent(this.#scope));
    if (text !== undefined) this.#unsent.push(text);
  }

  /** All of it at once, for parts that do not come in pieces. */
  whole(first: number): readonly (readonly Json[])[] {
    this.isDone = true;
    const part = this.#part;
    this.#unsent = [];
    const blocks = writeBlock({ part, path: this.#path }, inStream(this.#scope));
    [this.#announced, this.#closed] = [blocks[0], blocks[0]];
    return blocks.map((block, place): Json[] => {
      const index = first + place;
      const end = { type: "content_block_stop", index };
      if (!isJsonObject(block) || block["type"] !== "compaction")
        return [{ type: "content_block_start", index, content_block: block }, end];
      const { content = null, encrypted_content, ...others } = block;
      const sealed = encrypted_content === undefined ? {} : { encrypted_content };
      const delta = { type: "compaction_delta", content, ...sealed };
      return [
        { type: "content_block_start", index, content_block: { ...others, content: null } },
        { type: "content_block_delta", index, delta },
        end,
      ];
    });
  }

  /** Whether something of it was told after it was sent. */
  get isLate(): boolean {
    if (this.#announced === undefined) return this.#isReplaced;
    const [block] = writeBlock({ part: this.#part, path: this.#path }, silent(this.#scope));
    const isAsBegun = equalJson(beside(block), beside(this.#announced));
    return this.#isReplaced || !isAsBegun || !equalJson(block, this.#closed);
  }
}

const citationsOf = (part: Part): readonly Citation[] => (part.type === "text" ? (part.citations ?? []) : []);

/** The members of a block that no delta says. */
function beside(block: Json | undefined): Json | undefined {
  if (!isJsonObject(block)) return block;
  return Object.fromEntries(Object.entries(block).filter(([key]) => !streamedMembers.has(key)));
}

const isSpoken = (part: Part): boolean =>
  part.type === "text" || part.type === "refusal" || (part.type === "reasoning" && part.text !== undefined);

function textOf(part: Part): string | undefined {
  if (part.type === "tool-call")
    return part.kind === "custom" && typeof part.input === "string" ? part.input : writeInput(part);
  return part.type === "text" || part.type === "refusal" || part.type === "reasoning" ? part.text : undefined;
}

/** The part before its text. */
function emptied(part: Part): Part {
  switch (part.type) {
    case "text": {
      const { citations, ...others } = part;
      return { ...others, text: "", ...(citations?.length === 0 && { citations }) };
    }
    case "refusal":
      return { ...part, text: "" };
    case "reasoning": {
      const { seal: _, ...others } = part;
      return { ...others, text: "" };
    }
    case "tool-call": {
      const { inputText: _, ...others } = part;
      return { ...others, input: {} };
    }
    default:
      return part;
  }
}

const silent = (scope: WriteScope): WriteScope => ({ ...scope, takesBareReasoning: true, lose: () => undefined });

/** Arguments go out as their text, so nothing of its spelling is lost. */
const inStream = (scope: WriteScope): WriteScope => ({
  ...scope,
  lose: (code, path, detail) => {
    if (code !== "input-text" && code !== "unread-input") scope.lose(code, path, detail);
  },
});
