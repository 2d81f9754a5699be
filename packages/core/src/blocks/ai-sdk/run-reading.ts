/**
 * The parts that the AI SDK streams → events: those of a model's answer (`LanguageModelV2` to `V4`), and those of a run of
 * `streamText`, in which each step is a message, and the results of its tools another one.
 */

import type { DecodeContext, LossTable } from "../../codec/codec.ts";
import { defined, Reader, rowOf } from "../../codec/reader.ts";
import type { Event, MessageHead, StreamError } from "../../model/events.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Part, ToolCallPart } from "../../model/parts.ts";
import type { Machine } from "../../stream/machine.ts";
import { mergeMembers } from "../../stream/merge.ts";
import { type AnswerPlace, answerNative, readAnswerHead } from "./answer.ts";
import { decodeContent, isContentType } from "./content.ts";
import { plain } from "./live.ts";
import { decodeModelMessages } from "./model-messages.ts";
import { Step, type ToolsMessage } from "./run-step.ts";

export const runReadingLosses = {
  raw: { kind: "dropped", note: "what the provider sent is told by the parts made of it" },
} as const satisfies LossTable;

export interface RunReading extends AnswerPlace {
  readonly context: DecodeContext;
}

type Handler = (reader: RunReader, chunk: JsonObject) => void;

const handlers: { readonly [type: string]: Handler } = {
  start: () => undefined,
  ping: () => undefined,
  finish: (reader, chunk) => reader.finish(chunk),
  "stream-start": (reader, chunk) => reader.begin(chunk),
  "response-metadata": (reader, chunk) => reader.response(chunk),
  "start-step": (reader, chunk) => reader.startStep(chunk),
  "finish-step": (reader, chunk) => reader.finishStep(chunk),
  "steering-message": (reader, chunk) => reader.steer(chunk),
  abort: (reader, chunk) => reader.abort(chunk),
  error: (reader, chunk) => reader.error(chunk),
  raw: reader => reader.raw(),
  "text-start": (reader, chunk) => reader.step.startText("text", chunk),
  "text-delta": (reader, chunk) => reader.step.appendText("text", chunk),
  "text-end": (reader, chunk) => reader.step.endText("text", chunk),
  "reasoning-start": (reader, chunk) => reader.step.startText("reasoning", chunk),
  "reasoning-delta": (reader, chunk) => reader.step.appendText("reasoning", chunk),
  "reasoning-end": (reader, chunk) => reader.step.endText("reasoning", chunk),
  "tool-input-start": (reader, chunk) => reader.step.startCall(chunk),
  "tool-input-delta": (reader, chunk) => reader.step.appendInput(chunk),
  "tool-input-end": (reader, chunk) => reader.step.endInput(chunk),
  "tool-call": (reader, chunk) => reader.call(chunk),
  "tool-result": (reader, chunk) => reader.result(chunk),
  "tool-error": (reader, chunk) => reader.result(chunk),
  "tool-output-denied": (reader, chunk) => reader.result(chunk),
  "tool-approval-response": (reader, chunk) => reader.result(chunk),
};

/** Reads the parts of an answer or of a run; they may hold live values. */
export function runReader(reading: RunReading): Machine<Json, Event> {
  const reader = new RunReader(reading);
  return { push: chunk => reader.push(chunk), end: () => reader.end() };
}

class RunReader {
  readonly #reading: RunReading;
  #events: Event[] = [];
  #messages = 0;
  #chunks = 0;
  #step: Step | undefined;
  /** The last step, which late words are about. */
  #last: Step | undefined;
  /** Results that stand before the first step. */
  #early: ToolsMessage | undefined;
  /** Calls that came whole. */
  readonly #known = new Map<string, ToolCallPart>();
  /** Why calls were denied. */
  readonly #reasons = new Map<string, string>();

  constructor(reading: RunReading) {
    this.#reading = reading;
  }

  push(given: Json): readonly Event[] {
    const chunk = plain(given);
    const type = isJsonObject(chunk) ? chunk["type"] : undefined;
    if (!isJsonObject(chunk) || typeof type !== "string") this.#issue("not-a-part", "expected an object with a `type`");
    else {
      this.#step?.settle(chunk);
      const handle = rowOf(handlers, type);
      if (handle) handle(this, chunk);
      else this.#whole(chunk);
    }
    this.#chunks++;
    return this.#flush();
  }

  end(): readonly Event[] {
    this.#step?.cut();
    return this.#flush();
  }

  #flush(): readonly Event[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #issue(code: string, message: string): void {
    this.#reading.context.issue(code, [this.#chunks], `${message}; left out`);
  }

  // steps

  /** The step that a part is of. */
  get step(): Step {
    return this.#step ?? this.#open();
  }

  #open(said: Pick<MessageHead, "native"> = {}): Step {
    if (this.#step) {
      this.#set(this.#step, said);
      return this.#step;
    }
    this.#endEarly();
    const step = new Step(this.#messages++, {
      ...this.#reading,
      events: (...events) => this.#events.push(...events),
      issue: (code, message) => this.#issue(code, message),
    });
    const id = this.#reading.context.newId?.();
    step.head = { ...step.head, ...(id !== undefined && { id }), ...said };
    this.#events.push({ type: "message-start", message: step.message, head: step.head });
    this.#step = step;
    this.#last = step;
    return step;
  }

  #endEarly(): void {
    if (this.#early) this.#events.push({ type: "message-end", message: this.#early.message });
    this.#early = undefined;
  }

  #set(step: Step, set: Partial<MessageHead>): void {
    if (Object.keys(set).length === 0) return;
    step.head = mergeMembers(step.head, set);
    this.#events.push({ type: "message-set", message: step.message, set });
  }

  #close(step: Step): void {
    step.cut();
    this.#events.push({ type: "message-end", message: step.message });
    if (step.tools) this.#events.push({ type: "message-end", message: step.tools.message });
    this.#step = undefined;
  }

  /** What is empty is as good as not said. */
  begin({ type: _, ...members }: JsonObject): void {
    this.#open(answerNative(filled(members), {}));
  }

  startStep({ type: _, ...members }: JsonObject): void {
    this.#step = undefined;
    this.#open(answerNative(filled(members), {}));
  }

  response(chunk: JsonObject): void {
    const response = new Reader(chunk);
    response.take("type");
    const { head } = readAnswerHead({ response }, this.#reading);
    const rest = response.rest();
    this.#set(this.#open(), { ...head, ...(rest && answerNative({ response: rest }, {})) });
  }

  finishStep(chunk: JsonObject): void {
    const step = this.#open();
    const end = new Reader(chunk);
    end.take("type");
    const wire = end.object("response");
    const response = wire && new Reader(wire);
    const { head, own } = readAnswerHead({ finish: end, ...(response && { response }) }, this.#reading);
    const left = response?.rest();
    const rest = { ...end.rest(), ...(left && { response: left }) };
    this.#set(step, { ...head, ...answerNative(filled(rest), own) });
    this.#close(step);
  }

  /** Of a run it sums up what its steps said. */
  finish(chunk: JsonObject): void {
    if (this.#reading.answer === "answer") this.finishStep(chunk);
    else this.#endEarly();
  }

  abort({ reason }: JsonObject): void {
    const finish = { reason: "aborted", ...(typeof reason === "string" && { raw: reason }) } as const;
    // What was stopped before its first step is told by a message in which there is nothing.
    const step = this.#step ?? this.#last ?? this.#open(answerNative(undefined, { $stepStart: false }));
    // One that had ended keeps how, beside that nothing followed it.
    const ended = this.#step ? undefined : (step.head.finish as unknown as Json | undefined); // a finish is JSON
    this.#set(step, { finish, ...(ended !== undefined && answerNative(undefined, { $ended: ended })) });
    if (this.#step) this.#close(step);
  }

  error({ error }: JsonObject): void {
    this.#events.push({ type: "error", error: errorOf(error) });
  }

  raw(): void {
    this.#reading.context.lose("raw", ["messages", this.#step?.message ?? this.#messages]);
  }

  /** What a user said while the run went on. */
  steer({ message: wire }: JsonObject): void {
    const { generation, context } = this.#reading;
    const list = wire === undefined ? [] : [wire];
    for (const { parts, ...head } of decodeModelMessages(list, [this.#chunks], {
      generation,
      form: "message",
      context,
    })) {
      const message = this.#messages++;
      this.#events.push({ type: "message-start", message, head });
      for (const [part, value] of parts.entries()) this.#events.push({ type: "part", message, part, value });
      this.#events.push({ type: "message-end", message });
    }
  }

  call(chunk: JsonObject): void {
    const call = this.#open().call(chunk);
    if (call) this.#known.set(call.callId, call);
  }

  #whole(chunk: JsonObject): void {
    const type = String(chunk["type"]); // push looked
    if (!isContentType(type)) {
      this.#issue("unknown-part", `\`${type}\` is no part of the SDK's`);
      return;
    }
    const { part, isKnown } = decodeContent(this.#withoutCall(chunk), this.#reading);
    if (!isKnown)
      this.#reading.context.issue("malformed-part", [this.#chunks], `\`${type}\` lacks what it needs; kept`);
    this.#open().add(part);
  }

  /** Results of the provider stand where they come; others are of the tools. */
  result(chunk: JsonObject): void {
    const { part: said, isKnown } = decodeContent(this.#withoutCall(chunk), this.#reading);
    const read = this.#reasoned(said);
    const { toolCallId: id, type } = chunk;
    const isProviders = typeof id === "string" && this.#known.get(id)?.executedBy === "provider";
    const isResult = type !== "tool-approval-response";
    const isInline =
      isResult && (this.#reading.answer === "answer" || chunk["providerExecuted"] === true || isProviders);
    const hints = {
      ...(this.#isUntold(chunk) && { $input: "none" }),
      // Where a provider's own result does not say whose it is, the call does.
      ...(isInline &&
        this.#reading.answer === "run" &&
        chunk["providerExecuted"] !== true && { $providerExecuted: false }),
    };
    const part = Object.keys(hints).length > 0 ? mergeMembers(read, answerNative(undefined, hints)) : read;
    if (!isKnown || isInline) {
      this.#open().add(part);
      return;
    }
    const tools = this.#tools();
    const place = part.type === "tool-result" ? part.callId : undefined;
    const known = place === undefined ? undefined : tools.places.get(place);
    const number = known ?? tools.parts++;
    // A later result takes the place of a preliminary one.
    if (place !== undefined && part.type === "tool-result") {
      if (part.preliminary) tools.places.set(place, number);
      else tools.places.delete(place);
    }
    this.#events.push({ type: "part", message: tools.message, part: number, value: part });
  }

  /** A denied call says the reason of its answer. */
  #reasoned(part: Part): Part {
    if (part.type === "approval-response" && !part.approved && part.callId !== undefined && part.reason !== undefined)
      this.#reasons.set(part.callId, part.reason);
    if (part.type !== "tool-result" || part.outcome !== "denied" || part.output !== undefined) return part;
    const text = this.#reasons.get(part.callId);
    return text === undefined ? part : { ...part, output: [{ type: "text", text }] };
  }

  #tools(): ToolsMessage {
    const known = this.#step ? this.#step.tools : this.#early;
    if (known) return known;
    const tools = { message: this.#messages++, parts: 0, places: new Map<string, number>() };
    const id = this.#reading.context.newId?.();
    const head = { role: "tool", ...(id !== undefined && { id }) };
    this.#events.push({ type: "message-start", message: tools.message, head });
    if (this.#step) this.#step.tools = tools;
    else this.#early = tools;
    return tools;
  }

  /** A result that does not repeat the arguments of its call, as the others do. */
  #isUntold({ type, input, toolCallId: id }: JsonObject): boolean {
    const isResult = type === "tool-result" || type === "tool-error";
    return (
      this.#reading.answer === "run" && isResult && input === undefined && typeof id === "string" && this.#known.has(id)
    );
  }

  /** What a result repeats of its call. */
  #withoutCall(chunk: JsonObject): JsonObject {
    const { input, toolCallId: id } = chunk;
    const call = typeof id === "string" ? this.#known.get(id) : undefined;
    if (!call || input === undefined || !equalJson(call.input ?? call.inputText, input)) return chunk;
    const { input: _, ...others } = chunk;
    return others;
  }
}

/** Members that say something. */
function filled(members: JsonObject): JsonObject | undefined {
  const said = Object.entries(members).filter(([, value]) => !isEmpty(value));
  return said.length > 0 ? Object.fromEntries(said) : undefined;
}

const isEmpty = (value: Json): boolean =>
  Array.isArray(value) ? value.length === 0 : isJsonObject(value) && Object.keys(value).length === 0;

/** An error is any value: a text, an object with a message, or something else. */
function errorOf(error: Json | undefined): StreamError {
  if (typeof error === "string") return { message: error };
  if (!isJsonObject(error)) return { message: error === undefined ? "" : JSON.stringify(error) };
  const { message, code, retryable, isRetryable } = error;
  return defined<StreamError>({
    message: typeof message === "string" ? message : JSON.stringify(error),
    code: typeof code === "string" ? code : undefined,
    retryable: typeof retryable === "boolean" ? retryable : typeof isRetryable === "boolean" ? isRetryable : undefined,
  });
}
