/** Events → the parts that the AI SDK streams: those of one answer, or those of a run with its steps and tools. */

import type { EncodeContext, LossTable } from "../../codec/codec.ts";
import { hintsOf, remainderOf } from "../../codec/remainder.ts";
import type { Event, MessageHead } from "../../model/events.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Part, PartOf, ToolCallPart } from "../../model/parts.ts";
import { type Accumulator, accumulator } from "../../stream/accumulate.ts";
import type { Machine } from "../../stream/machine.ts";
import { mergeMembers } from "../../stream/merge.ts";
import { tellPart } from "../spelling.ts";
import { type AnswerPlace, writeAnswerEnd, writeResponse } from "./answer.ts";
import { type ContentWriting, encodeContent, heldCall } from "./content-writing.ts";
import { modelFamily } from "./model-part.ts";
import { encodeModelMessages } from "./model-writing.ts";
import type { LosePart } from "./part.ts";
import { StreamedPart } from "./run-part.ts";
import { addUsage } from "./usage.ts";

export const runWritingLosses = {
  "not-answer": { kind: "dropped", note: "an answer is the assistant's" },
  "started-over": { kind: "approximated", note: "what is out stays; the new attempt follows it" },
  replaced: { kind: "approximated", note: "what is out stays; what replaces it follows" },
  "late-member": { kind: "dropped", note: "it became known after the part had ended" },
  aborted: { kind: "dropped", note: "a model does not tell that it was stopped" },
} as const satisfies LossTable;

export interface RunWriting extends AnswerPlace {
  readonly context: EncodeContext;
}

/** Writes the parts of an answer or of a run. */
export function runWriter(writing: RunWriting): Machine<Event, Json> {
  const writer = new RunWriter(writing);
  return { push: event => writer.push(event), end: () => writer.end() };
}

/** A message of which parts come. */
interface OpenMessage {
  readonly number: number;
  readonly role: string;
  head: MessageHead;
  readonly parts: Map<number, StreamedPart>;
  /** A message of a user's is told when it ends. */
  readonly words: Accumulator | undefined;
  hasEnded: boolean;
}

class RunWriter {
  readonly #writing: RunWriting;
  readonly #out: Json[] = [];
  readonly #messages = new Map<number, OpenMessage>();
  /** The message of the assistant whose end is not told yet. */
  #answer: OpenMessage | undefined;
  /** What was told of the response. */
  #told: JsonObject = {};
  readonly #calls = new Map<string, ToolCallPart>();
  /** Calls that wait for their results. */
  readonly #waiting = new Set<string>();
  /** The calls that questions are about. */
  readonly #requests = new Map<string, string>();
  /** The answers to questions, by call; undefined as long as there is none. */
  readonly #answers = new Map<string, PartOf<"approval-response"> | undefined>();
  /** Denials that wait for the answer which says why: a provider's own stands before it. */
  readonly #denials = new Map<string, () => Json | undefined>();
  #hasBegun = false;
  #ids = 0;
  #usage: MessageHead["usage"];
  #lastEnd: JsonObject | undefined;

  constructor(writing: RunWriting) {
    this.#writing = writing;
  }

  push(event: Event): readonly Json[] {
    this.#take(event);
    return this.#out.splice(0);
  }

  end(): readonly Json[] {
    const answer = this.#answer;
    this.#endAnswer();
    const isWhole = answer === undefined || answer.hasEnded;
    if (this.#isRun && this.#hasBegun && isWhole && this.#lastEnd) {
      const { usage: _, ...end } = this.#lastEnd;
      const { usage } = writeAnswerEnd(this.#usage ? { usage: this.#usage } : {}, this.#writing, () => undefined);
      this.#out.push({ type: "finish", ...end, totalUsage: usage ?? {} });
    }
    return this.#out.splice(0);
  }

  get #isRun(): boolean {
    return this.#writing.answer === "run";
  }

  #take(event: Event): void {
    if (event.type === "error") {
      this.#begin();
      // What fails after a step has ended is no part of it, and the run does not finish.
      if (this.#isRun && this.#answer?.hasEnded) {
        this.#endAnswer();
        this.#lastEnd = undefined;
      }
      this.#out.push({ type: "error", error: event.error as unknown as Json }); // an error is JSON
      return;
    }
    if (event.type === "message-start") {
      this.#start(event.message, event.head);
      return;
    }
    const message = this.#messages.get(event.message);
    if (!message) return;
    switch (event.type) {
      case "message-set":
        message.words?.push(event);
        message.head = mergeMembers(message.head, event.set);
        this.#tellResponse(message);
        break;
      case "message-end":
        this.#end(message);
        break;
      default:
        this.#part(message, event);
    }
  }

  // messages

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    if (this.#isRun) this.#out.push({ type: "start" });
  }

  #start(number: number, head: MessageHead): void {
    const { context } = this.#writing;
    if (this.#messages.has(number)) context.lose("started-over", ["messages", number]);
    const words = head.role === "user" ? accumulator() : undefined;
    words?.push({ type: "message-start", message: number, head });
    const message: OpenMessage = { number, role: head.role, head, parts: new Map(), words, hasEnded: false };
    this.#messages.set(number, message);
    if (head.role === "assistant") this.#startAnswer(message);
    else if (this.#hasPlace(message)) this.#begin();
    else context.lose("not-answer", ["messages", number], head.role);
  }

  #hasPlace({ role }: OpenMessage): boolean {
    if (role === "assistant") return true;
    return this.#isRun && (role === "tool" || (role === "user" && this.#writing.generation >= 7));
  }

  #startAnswer(message: OpenMessage): void {
    const isFirst = !this.#hasBegun;
    this.#begin();
    if (this.#isRun) this.#endAnswer();
    else this.#join(message.number);
    this.#answer = message;
    const { warnings = [], request = {} } = remainderOf(message.head, modelFamily);
    const isMarked = message.head.native?.[modelFamily]?.["$stepStart"] !== false;
    if (this.#isRun) this.#out.push(...(isMarked ? [{ type: "start-step", request, warnings }] : []));
    else if (isFirst) this.#out.push({ type: "stream-start", warnings });
    this.#tellResponse(message);
  }

  #join(number: number): void {
    if (!this.#answer) return;
    for (const each of [this.#answer.number, number]) this.#writing.context.lose("answers-joined", pathOf(each));
  }

  /** A model tells which response it is as soon as it knows; a run at the end of the step. */
  #tellResponse(message: OpenMessage): void {
    if (this.#isRun || message !== this.#answer) return;
    const response = this.#response(message);
    if (Object.keys(response).every(key => this.#told[key] === response[key])) return;
    this.#told = response;
    this.#out.push({ type: "response-metadata", ...response });
  }

  #response({ number, head }: OpenMessage): JsonObject {
    const { response } = remainderOf(head, modelFamily);
    const written = writeResponse(head, (code, member) => this.#writing.context.lose(code, pathOf(number, member)));
    return isJsonObject(response) ? { ...response, ...written } : written;
  }

  #end(message: OpenMessage): void {
    message.hasEnded = true;
    message.words?.push({ type: "message-end", message: message.number });
    if (message.role === "user" && this.#hasPlace(message)) this.#steer(message);
  }

  /** What a user said while the run went on. */
  #steer({ number, words }: OpenMessage): void {
    const { generation, context } = this.#writing;
    if (this.#answer?.hasEnded) this.#endAnswer();
    const given = words?.end() ?? [];
    const lose: EncodeContext["lose"] = (code, [, , ...path], detail) =>
      context.lose(code, ["messages", number, ...path], detail);
    const place = { generation, form: "message", context: { ...context, lose, wrote: () => undefined } } as const;
    for (const message of encodeModelMessages(given, place))
      this.#out.push({ type: "steering-message", id: `s${number}`, message, stepNumber: number });
  }

  /** The end of an answer is told once nothing can follow it. */
  #endAnswer(): void {
    for (const callId of this.#denials.keys()) this.#deny(callId);
    const message = this.#answer;
    this.#answer = undefined;
    if (!message?.hasEnded || message.head.finish?.reason === "incomplete") return;
    const ended = this.#isRun && message.head.finish?.reason === "aborted" ? endedOf(message.head) : undefined;
    if (ended) this.#finish({ ...message, head: ended });
    if (message.head.finish?.reason === "aborted") this.#abort(message, ended);
    else this.#finish(message);
  }

  #finish(message: OpenMessage): void {
    const { number, head } = message;
    const lose: LosePart = (code, member, detail) => this.#writing.context.lose(code, pathOf(number, member), detail);
    const { usage: _, warnings: __, request: ___, response: ____, ...rest } = remainderOf(head, modelFamily);
    const end = writeAnswerEnd(head, this.#writing, lose);
    this.#lastEnd = end;
    if (head.usage) this.#usage = addUsage(this.#usage, head.usage);
    if (this.#isRun) this.#out.push({ type: "finish-step", ...end, response: this.#response(message), ...rest });
    else this.#out.push({ type: "finish", ...end, ...rest });
  }

  /** `ended`: the step had ended, and its end is told. */
  #abort({ number, head }: OpenMessage, ended: MessageHead | undefined): void {
    const { finish, usage } = head;
    const { context, generation } = this.#writing;
    if (usage && !ended) context.lose("aborted", pathOf(number, "usage"));
    for (const member of ["responseId", "model", "createdAt"] as const)
      if (this.#isRun && !ended && head[member] !== undefined) context.lose("aborted", pathOf(number, member));
    const raw = generation >= 6 ? finish?.raw : undefined;
    if (!this.#isRun || raw !== finish?.raw) context.lose("aborted", pathOf(number, "finish"));
    this.#lastEnd = undefined;
    if (this.#isRun) this.#out.push({ type: "abort", ...(raw !== undefined && { reason: raw }) });
  }

  // parts

  #part(message: OpenMessage, event: Exclude<Event, { type: "error" | `message-${string}` }>): void {
    if (!this.#hasPlace(message)) return;
    if (message.words) {
      message.words.push(event);
      return;
    }
    const known = message.parts.get(event.part);
    if (event.type === "part" && known?.canBecome(event.value)) {
      this.#out.push(...known.become(event.value));
      return;
    }
    if (event.type === "part" || event.type === "part-start") {
      const part = this.#open(message, event.part, event.value);
      message.parts.set(event.part, part);
      if (known?.isOut) this.#replace(message, known, part);
      if (event.type === "part-start") this.#out.push(...part.start());
      else this.#out.push(...part.whole());
      if (event.value.type === "approval-response") this.#deny(this.#callIdOf(event.value));
      return;
    }
    if (!known) return;
    switch (event.type) {
      case "part-delta":
        this.#out.push(...known.append(event.text));
        break;
      case "citation":
        known.cite(event.citation);
        break;
      case "part-set":
        this.#out.push(...known.set(event.set));
        break;
      case "part-end":
        this.#out.push(...known.end());
    }
  }

  #open(message: OpenMessage, number: number, value: Part): StreamedPart {
    const lose: LosePart = (code, member, detail) =>
      this.#writing.context.lose(
        code,
        [...pathOf(message.number), "parts", number, ...(member === undefined ? [] : [member])],
        detail,
      );
    return new StreamedPart(value, {
      ...this.#writing,
      lose,
      id: `${this.#ids++}`,
      write: part => this.#write(message, part, lose),
    });
  }

  /** A later result of its call replaces a preliminary one; anything else that is out stays. */
  #replace(message: OpenMessage, known: StreamedPart, part: StreamedPart): void {
    const { value } = known;
    const isResult = value.type === "tool-result" && part.value.type === "tool-result" && message.role === "tool";
    const isCall = value.type === "tool-call" && part.value.type === "tool-call" && known.isOpen;
    if (!isResult && !isCall) part.lose("replaced");
    if (isCall) this.#out.push(...part.replaces(known));
  }

  /** A part that is told at once. */
  #write(message: OpenMessage, part: Part, lose: LosePart): Json | undefined {
    const writing = this.#contentWriting(message, part, lose);
    tellPart(part, this.#writing.context);
    const held = heldCall(part, writing);
    if (held !== undefined) this.#out.push(held);
    if (message.role === "tool" && part.type !== "tool-result" && part.type !== "approval-response") lose("misplaced");
    if (part.type !== "tool-result" || !this.#waits(part)) return encodeContent(part, writing);
    this.#denials.set(part.callId, () => encodeContent(part, { ...writing, denial: this.#denialOf(part) }));
    return undefined;
  }

  #waits({ callId, outcome }: PartOf<"tool-result">): boolean {
    return this.#isRun && outcome === "denied" && this.#answers.has(callId) && this.#answers.get(callId) === undefined;
  }

  #deny(callId: string | undefined): void {
    const denial = callId === undefined ? undefined : this.#denials.get(callId)?.();
    if (callId !== undefined) this.#denials.delete(callId);
    if (denial !== undefined) this.#out.push(denial);
  }

  #contentWriting(message: OpenMessage, part: Part, lose: LosePart): ContentWriting {
    if (part.type === "tool-call") this.#calls.set(part.callId, part);
    const isTold = part.type === "approval-request" && this.#waiting.has(part.callId);
    if (part.type === "tool-call" || (part.type === "approval-request" && part.call)) this.#waiting.add(part.callId);
    if (part.type === "tool-result" && !part.preliminary) this.#waiting.delete(part.callId);
    if (part.type === "approval-request") this.#ask(part);
    if (part.type === "approval-response") this.#answered(part);
    const { generation, answer } = this.#writing;
    const isInline = part.type === "tool-result" && message.role === "assistant";
    const madeId = (): string => `~${this.#ids++}`;
    const denial = part.type === "tool-result" ? this.#denialOf(part) : undefined;
    return { generation, answer, lose, madeId, call: this.#callOf(part), isTold, isInline, denial };
  }

  #ask({ requestId, callId }: PartOf<"approval-request">): void {
    this.#requests.set(requestId, callId);
    this.#answers.set(callId, undefined);
  }

  #denialOf({ callId, outcome }: PartOf<"tool-result">): PartOf<"approval-response"> | undefined {
    const answer = outcome === "denied" ? this.#answers.get(callId) : undefined;
    return answer?.approved === false ? answer : undefined;
  }

  #answered(part: PartOf<"approval-response">): void {
    const callId = this.#callIdOf(part);
    if (callId !== undefined) this.#answers.set(callId, part);
  }

  #callOf(part: Part): ToolCallPart | undefined {
    if (part.type === "tool-result" || part.type === "approval-request") return this.#calls.get(part.callId);
    if (part.type !== "approval-response") return undefined;
    const callId = this.#callIdOf(part);
    return callId === undefined ? undefined : this.#calls.get(callId);
  }

  #callIdOf({ callId, requestId }: PartOf<"approval-response">): string | undefined {
    return callId ?? this.#requests.get(requestId);
  }
}

/** The head of a step that had ended before its run was stopped. */
function endedOf(head: MessageHead): MessageHead | undefined {
  const { $ended: ended } = hintsOf(head, modelFamily);
  if (!isJsonObject(ended) || typeof ended["reason"] !== "string") return undefined;
  return { ...head, finish: ended as unknown as NonNullable<MessageHead["finish"]> }; // as its reader put it there
}

const pathOf = (message: number, member?: string): readonly (string | number)[] => [
  "messages",
  message,
  ...(member === undefined ? [] : [member]),
];
