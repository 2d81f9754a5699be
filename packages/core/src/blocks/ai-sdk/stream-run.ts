/** The messages of a run while its chunks come: numbers, heads, and where the parts of its steps go. */

import type { Event, MessageHead } from "../../model/events.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import { family } from "./part.ts";
import { GrowingMetadata } from "./stream-metadata.ts";
import type { OpenTool } from "./stream-tool.ts";

/** A tool part, where it stands, and what was said of it last. */
export interface ToolSlot {
  readonly tool: OpenTool;
  readonly step: OpenStep;
  readonly slot: number;
  /** Its place among the calls of the step. */
  readonly order: number;
  readonly said: Map<number, Part>;
  /** Its arguments come in pieces, and their end was not said. */
  isOpen: boolean;
}

/** A step: the assistant's message, and the tools' once there is an answer. */
export interface OpenStep {
  readonly message: number;
  head: MessageHead;
  tools?: { readonly message: number; readonly head: MessageHead };
  /** Parts that were given a place. */
  slots: number;
  /** Calls and questions, in order. */
  orders: number;
  isMarked: boolean | undefined;
  /** By kind and id. */
  readonly byKey: Map<string, ToolSlot>;
  /** Calls that were denied, with the reason. */
  readonly denials: Map<string, string | undefined>;
}

/** Part numbers of one wire part, in the order in which the whole is read (E4). */
export const partNumber = { call: 0, request: 1, result: 2, width: 4 } as const;
export const answerNumber = { response: 0, result: 1, width: 2 } as const;

export interface RunOptions {
  readonly id: string | undefined;
  /** The stream gave no id at all. */
  readonly isNameless: boolean;
  readonly metadata: Json | undefined;
  readonly takeNumber: () => number;
  readonly events: Event[];
  /** Reports a step behind a message in which nothing was said. */
  readonly loseStep: (message: number) => void;
}

/**
 * One message of the SDK's as it comes. A mark counts once something is said after it: the SDK's readers show it no
 * earlier, and a stream that ends there leaves no empty message behind.
 */
export class OpenRun {
  readonly id: string | undefined;
  readonly byCallId = new Map<string, ToolSlot>();
  readonly byApproval = new Map<string, ToolSlot>();
  /** The last one of its call whose arguments began to come. */
  readonly partial = new Map<string, ToolSlot>();
  /** Data by type and id. */
  readonly data = new Map<
    string,
    { wire: JsonObject; readonly step: OpenStep; readonly slot: number; order: number }
  >();
  readonly #options: RunOptions;
  readonly #metadata: GrowingMetadata;
  /** Metadata came that no event tells yet. */
  #isUntold = false;
  /** Messages so far: the next ones are numbered by it. */
  #count = 0;
  #name: string | undefined;
  /** Messages that were begun before their run had a name. */
  readonly #unnamed: number[] = [];
  #opening: OpenStep | undefined;
  /** Undefined before the first, and after a word of the user's. */
  #current: OpenStep | undefined;
  /** What the step held before words of the user's: the SDK's readers go on with its tools. */
  #parted: OpenStep[] = [];
  #marks = 0;
  /** Messages that go on after the end of their step. */
  readonly #late: number[] = [];
  /** Results for calls of earlier messages, by call. */
  #strays: { readonly message: number; readonly places: Map<string, number> } | undefined;

  constructor(options: RunOptions) {
    this.#options = options;
    this.id = options.id;
    this.#metadata = new GrowingMetadata(options.metadata);
  }

  /** The step that content belongs to. */
  step(): OpenStep {
    this.flush();
    if (this.#opening === undefined) this.#open();
    const step = this.#current ?? this.#next({ isMarked: false });
    if (step.isMarked === undefined) this.#mark(step, false);
    return step;
  }

  /** The tool part of this kind and id in this step. */
  toolIn(key: string): ToolSlot | undefined {
    this.flush();
    const parted = this.#parted.findLast(({ byKey }) => byKey.has(key));
    return this.#current?.byKey.get(key) ?? parted?.byKey.get(key);
  }

  /** The last step, where nothing is said in it. */
  last(): OpenStep {
    return this.#current ?? this.#opening ?? this.#open();
  }

  startStep(): void {
    this.#marks++;
  }

  /** Lets the marks count that stand before what is said now. */
  flush(): void {
    for (; this.#marks > 0; this.#marks--) {
      const opening = this.#opening ?? this.#open();
      if (opening.isMarked === undefined) this.#mark(opening, true);
      else {
        this.#endStep();
        this.#parted = [];
        this.#next({ isMarked: true });
      }
    }
  }

  /** The message of the tools of a step. */
  toolsOf(step: OpenStep): number {
    if (step.tools) return step.tools.message;
    this.#nameRun();
    const head = this.#head("tool");
    const message = this.#start(head);
    step.tools = { message, head };
    if (step !== this.#current) this.#late.push(message);
    return message;
  }

  /** The place of a result whose call is in an earlier message: before all that is said here. */
  stray(callId: string): { readonly message: number; readonly part: number } {
    this.#nameRun();
    this.#strays ??= { message: this.#start({ role: "tool", ...this.run }), places: new Map() };
    const { message, places } = this.#strays;
    const part = places.get(callId) ?? places.size;
    places.set(callId, part);
    return { message, part };
  }

  /** What a user said while the run went on. */
  steer(head: MessageHead, parts: readonly Part[]): void {
    this.flush();
    this.settle();
    const step = this.#current;
    if (step) this.#parted.push(step);
    // Arguments that still come go on in their own message.
    if (step && [...step.byKey.values()].some(({ isOpen }) => isOpen)) this.#late.push(step.message);
    else this.#endStep();
    this.#nameRun(this.id ?? `~${(this.#opening ?? this.last()).message}`);
    const message = this.#start({ ...head, ...this.run });
    parts.forEach((value, part) => {
      this.#options.events.push({ type: "part", message, part, value });
    });
    this.#options.events.push({ type: "message-end", message });
    this.#current = undefined;
  }

  /** The step starts over: what came of it is void (E9). In one that was only marked there is nothing. */
  restart(): void {
    if (this.#marks > 0) return;
    const step = this.last();
    this.#options.events.push({ type: "message-start", message: step.message, head: step.head });
    if (step.tools) this.#options.events.push({ type: "message-start", ...step.tools });
    for (const slot of step.byKey.values()) {
      const { callId } = slot.tool;
      if (this.byCallId.get(callId) === slot) this.byCallId.delete(callId);
      if (this.partial.get(callId) === slot) this.partial.delete(callId);
    }
    step.byKey.clear();
    step.denials.clear();
    for (const [key, { step: of }] of this.data) if (of === step) this.data.delete(key);
  }

  mergeMetadata(metadata: Json): void {
    this.flush();
    this.#metadata.merge(metadata);
    this.#isUntold = true;
    if (this.#metadata.isDue) this.#tellMetadata();
  }

  #tellMetadata(): void {
    if (!this.#isUntold) return;
    this.#isUntold = false;
    if (!this.#opening) {
      this.#open();
      return;
    }
    const metadata = this.#metadata.tell();
    if (metadata !== undefined) this.#set(this.#opening, { metadata });
  }

  setFinish(finish: NonNullable<MessageHead["finish"]>): void {
    this.#set(this.last(), { finish });
  }

  /** No more is said: whether the first step is marked is certain, and marks that nothing followed do not count. */
  settle(): void {
    this.#tellMetadata();
    const step = this.last();
    // The first mark is that of the message itself, which is there even if it is empty (R18).
    const isFirst = step === this.#opening && step.isMarked === undefined;
    for (let lost = this.#marks - (isFirst ? 1 : 0); lost > 0; lost--) this.#options.loseStep(step.message);
    this.#marks = 0;
    if (step.isMarked === undefined) this.#mark(step, false);
  }

  end(): void {
    this.settle();
    this.#endStep();
    if (this.#strays) this.#late.push(this.#strays.message);
    for (const message of this.#late.splice(0)) this.#options.events.push({ type: "message-end", message });
  }

  get run(): { readonly run?: string } {
    return this.#name === undefined ? {} : { run: this.#name };
  }

  #open(): OpenStep {
    const { id } = this;
    const metadata = this.#metadata.tell();
    const unnamed = id === undefined && this.#options.isNameless ? { $id: "" } : {};
    this.#opening = this.#newStep({
      ...(id !== undefined && { id }),
      role: "assistant",
      ...this.run,
      ...(metadata !== undefined && { metadata }),
      native: { [family]: { $message: true, ...unnamed } },
    });
    this.#current = this.#opening;
    return this.#opening;
  }

  #newStep(head: MessageHead): OpenStep {
    return {
      message: this.#start(head),
      head,
      slots: 0,
      orders: 0,
      isMarked: undefined,
      byKey: new Map(),
      denials: new Map(),
    };
  }

  #start(head: MessageHead): number {
    const message = this.#options.takeNumber();
    this.#count++;
    if (this.#name === undefined) this.#unnamed.push(message);
    this.#options.events.push({ type: "message-start", message, head });
    return message;
  }

  #next({ isMarked }: { readonly isMarked: boolean }): OpenStep {
    this.#nameRun();
    const hint = isMarked ? {} : { native: { [family]: { $stepStart: false } } };
    const step = this.#newStep({ ...this.#head("assistant"), ...hint });
    step.isMarked = isMarked;
    this.#current = step;
    return step;
  }

  #head(role: string): MessageHead {
    const id = this.id === undefined ? {} : { id: `${this.id}:${this.#count}` };
    return { ...id, role, ...this.run };
  }

  /** A second message makes it a run, which has a name (R10). */
  #nameRun(name = this.id): void {
    if (this.#name !== undefined || name === undefined) return;
    this.#name = name;
    for (const step of new Set([this.#opening, this.#current])) if (step) step.head = { ...step.head, run: name };
    for (const message of this.#unnamed.splice(0))
      this.#options.events.push({ type: "message-set", message, set: { run: name } });
  }

  #mark(step: OpenStep, isMarked: boolean): void {
    step.isMarked = isMarked;
    if (isMarked) return;
    this.#set(step, { native: { [family]: { ...step.head.native?.[family], $stepStart: false } } });
  }

  #set(step: OpenStep, set: Partial<MessageHead>): void {
    step.head = { ...step.head, ...set };
    this.#options.events.push({ type: "message-set", message: step.message, set });
  }

  #endStep(): void {
    const step = this.#current;
    if (!step) return;
    this.#options.events.push({ type: "message-end", message: step.message });
    if (step.tools) this.#options.events.push({ type: "message-end", message: step.tools.message });
  }
}
