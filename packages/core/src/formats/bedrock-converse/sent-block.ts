import { streamedInput } from "../../blocks/bedrock-converse/calls.ts";
import { writeCitation } from "../../blocks/bedrock-converse/citations.ts";
import { asObject, bedrock, type WriteScope } from "../../blocks/bedrock-converse/node.ts";
import { writeBlocks } from "../../blocks/bedrock-converse/writing.ts";
import { remainderOf } from "../../codec/remainder.ts";
import type { PartMembers } from "../../model/events.ts";
import type { Path } from "../../model/issue.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Citation, Part } from "../../model/parts.ts";
import { writeInput } from "../../stream/input.ts";
import { OpenPart } from "../../stream/open-part.ts";
import { eventsOf, type LoseInStream } from "./block-events.ts";

interface About {
  readonly isOpen: boolean;
  readonly scope: WriteScope;
  readonly lose: LoseInStream;
}

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
  readonly #lose: LoseInStream;
  readonly #path: Path;
  /** Whether its block goes out while it comes; others go out whole. */
  readonly isStreamed: boolean;
  /** Free text becomes the one member of an object, as a string that comes in pieces. */
  readonly #isFree: boolean;
  /** So does any other value that is no object: its text goes on as it is. */
  #isWrapped = false;
  /** Space before arguments: what they are is not known yet. */
  #lead = "";
  /** What is to be sent of it: texts, and citations. */
  #unsent: (string | Citation)[] = [];
  #hasText = false;
  /** What of it is in no delta, as it was announced. */
  #announced: Json | undefined;
  #count = 0;
  /** Whether its block has a delta: one without is none for readers. */
  #isThere = false;
  #isClosed = false;
  #isSealed = false;
  /** Whether something was told that no block can say any more. */
  #isTooLate = false;

  constructor(at: { readonly message: number; readonly part: number }, part: Part, about: About) {
    this.message = at.message;
    this.number = at.part;
    this.#path = ["messages", at.message, "parts", at.part];
    this.#scope = about.scope;
    this.#lose = about.lose;
    this.isOver = !about.isOpen;
    this.#open = new OpenPart(at.part, part, { isOpen: about.isOpen, liveInput: false });
    this.isStreamed = isSpoken(part) || part.type === "tool-call";
    this.#isFree = part.type === "tool-call" && part.kind === "custom";
    const text = textOf(part);
    if (text !== undefined && text !== "") this.#add(text);
    if (part.type === "text") this.#unsent.push(...(part.citations ?? []));
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

  /** Citations and seals may follow a text that is over, so its block stays open until another begins. */
  get isLasting(): boolean {
    return this.isStreamed && !this.isCall;
  }

  get hasUnsent(): boolean {
    return this.#unsent.length > 0;
  }

  get hasStarted(): boolean {
    return this.#count > 0;
  }

  delta(text: string): void {
    this.#open.append(text);
    if (text !== "") this.#add(text);
  }

  #add(text: string): void {
    if (!this.isCall) this.#unsent.push(text);
    else if (this.#isFree) this.#addFree(text);
    else this.#addInput(text);
  }

  #addFree(text: string): void {
    this.#unsent.push(`${this.#hasText ? "" : '{"input":"'}${JSON.stringify(text).slice(1, -1)}`);
    this.#hasText = true;
  }

  #addInput(text: string): void {
    const all = this.#lead + text;
    this.#lead = "";
    if (!this.#hasText && all.trim() === "") {
      this.#lead = all;
      return;
    }
    const isFirst = !this.#hasText;
    if (isFirst) this.#isWrapped = !all.trimStart().startsWith("{");
    this.#hasText = true;
    this.#unsent.push(isFirst && this.#isWrapped ? `{"input":${all}` : all);
  }

  cite(citation: Citation): void {
    this.#open.cite(citation);
    if (this.isDone) this.#isTooLate = true;
    else this.#unsent.push(citation);
  }

  set(members: PartMembers): void {
    const before = this.#part;
    this.#open.set(members);
    const isCited = "citations" in members && members.citations !== undefined;
    if (isCited && before.type === "text") this.#citeAll(members.citations ?? [], before.citations ?? []);
  }

  /** A whole list of citations: those that are new go out while the block is open. */
  #citeAll(citations: readonly Citation[], before: readonly Citation[]): void {
    const isMore = before.every((citation, index) => equalJson(citation, citations[index]));
    if (isMore && !this.#isClosed) this.#unsent.push(...citations.slice(before.length));
    else if (!isMore || citations.length > before.length) this.#isTooLate = true;
  }

  end(): void {
    this.#open.end();
    this.isOver = true;
  }

  /** Its block begins, or another one of it. Undefined where it has none. */
  begin(index: number): Json[] | undefined {
    const start = this.#start(silent(this.#scope));
    if (!start) return undefined;
    this.#count++;
    this.#isThere = false;
    this.#isClosed = false;
    if (this.#count === 1) this.#announced = start;
    return Object.keys(start).length === 0 ? [] : [{ contentBlockStart: { contentBlockIndex: index, start } }];
  }

  /** What no delta says: of calls the tool, of texts only what has no member. */
  #start(scope: WriteScope): JsonObject | undefined {
    const part = this.#part;
    if (part.type !== "tool-call") return remainderOf(part, bedrock);
    const { inputText: _, ...others } = part;
    const [block] = writeBlocks({ part: { ...others, input: {} }, path: this.#path }, scope);
    if (!isJsonObject(block)) return undefined;
    const { input: __, ...toolUse } = asObject(block["toolUse"]);
    return { ...block, toolUse };
  }

  /** What is new of it. */
  flush(index: number): Json[] {
    const deltas = this.#unsent.flatMap(each => (typeof each === "string" ? [this.#text(each)] : this.#citation(each)));
    this.#unsent = [];
    return this.#events(index, deltas);
  }

  #events(index: number, deltas: readonly Json[]): Json[] {
    if (deltas.length > 0) this.#isThere = true;
    return deltas.map(delta => ({ contentBlockDelta: { contentBlockIndex: index, delta } }));
  }

  #text(text: string): JsonObject {
    const { type } = this.#open;
    if (type === "tool-call") return { toolUse: { input: text } };
    return type === "reasoning" ? { reasoningContent: { text } } : { text };
  }

  #citation(citation: Citation): Json[] {
    const wire = writeCitation(citation, [], silent(this.#scope));
    return wire ? [{ citation: wire }] : [];
  }

  /** Its block ends. `isLast`: with all that it says. */
  close(index: number, isLast: boolean): Json[] {
    const events = isLast ? this.#last(index) : [];
    this.#isClosed = true;
    if (!this.#isThere && !this.isCall) events.unshift(...this.#events(index, [this.#text("")]));
    return [...events, { contentBlockStop: { contentBlockIndex: index } }];
  }

  #last(index: number): Json[] {
    this.isDone = true;
    const part = this.#part;
    if (part.type === "tool-call") this.#finishInput(part);
    const events = this.flush(index);
    const [block] = writeBlocks({ part, path: this.#path }, inStream(this.#scope));
    if (part.type === "text" && part.citations?.length === 0) this.#lose("no-citations", [...this.#path, "citations"]);
    // The seal is of the whole text: beside a piece of it, it is refused.
    if (part.type !== "reasoning" || !isJsonObject(block) || this.#count > 1) return events;
    this.#isSealed = true;
    const { reasoningText, redactedContent } = asObject(block["reasoningContent"]);
    const { signature } = asObject(reasoningText);
    for (const [name, value] of Object.entries({ signature, redactedContent })) {
      if (value !== undefined) events.push(...this.#events(index, [{ reasoningContent: { [name]: value } }]));
    }
    return events;
  }

  #finishInput(part: Part & { readonly type: "tool-call" }): void {
    if (this.#hasText) {
      if (this.#isFree) this.#unsent.push('"}');
      if (this.#isWrapped) this.#unsent.push("}");
      if (this.#isWrapped && part.input === undefined) this.#scope.lose("unread-input", [...this.#path, "inputText"]);
      return;
    }
    const text = this.#lead === "" ? streamedInput(part) : this.#lead;
    if (text !== undefined) this.#unsent.push(text);
  }

  /** All of it at once, for parts that do not come in pieces. */
  whole(first: number): readonly (readonly Json[])[] {
    this.isDone = true;
    const part = this.#part;
    this.#unsent = [];
    const blocks = writeBlocks({ part, path: this.#path }, inStream(this.#scope));
    return blocks.map((block, place) => eventsOf(block, { index: first + place, path: this.#path, lose: this.#lose }));
  }

  /** Says what its blocks could not, once all of it is known. */
  report(): void {
    if (!this.hasStarted) return;
    const part = this.#part;
    if (!this.isDone) writeBlocks({ part, path: this.#path }, inStream(this.#scope));
    if (this.#count > 1) this.#scope.lose("split", this.#path);
    const isUnsealed = part.type === "reasoning" && part.seal !== undefined && !this.#isSealed;
    const isOther = !equalJson(this.#start(silent(this.#scope)), this.#announced);
    if (this.#isTooLate || isUnsealed || isOther) this.#lose("already-sent", this.#path);
  }
}

const isSpoken = (part: Part): boolean =>
  part.type === "text" || part.type === "refusal" || (part.type === "reasoning" && part.text !== undefined);

function textOf(part: Part): string | undefined {
  if (part.type === "tool-call")
    return part.kind === "custom" && typeof part.input === "string" ? part.input : writeInput(part);
  return part.type === "text" || part.type === "refusal" || part.type === "reasoning" ? part.text : undefined;
}

const silent = (scope: WriteScope): WriteScope => ({ ...scope, lose: () => undefined });

/** Arguments go out as their text, so nothing of its spelling is lost. */
const inStream = (scope: WriteScope): WriteScope => ({
  ...scope,
  lose: (code, path, detail) => {
    if (code !== "input-text" && code !== "unread-input" && code !== "no-arguments") scope.lose(code, path, detail);
  },
});
