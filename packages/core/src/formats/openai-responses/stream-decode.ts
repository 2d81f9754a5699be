import type { DecodeContext } from "../../codec/codec.ts";
import { rowOf } from "../../codec/reader.ts";
import type { Event } from "../../model/events.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Machine } from "../../stream/machine.ts";
import { readError } from "./error.ts";
import { LiveAnswer } from "./live-answer.ts";
import { isText } from "./wire.ts";

/**
 * Stream events → events. Texts and arguments pass on as they come; an item that is done, and at last the whole answer,
 * is read as any other, and what it says more is sent as the difference (E3). So a stream is its whole by construction.
 */
export const streamDecoder = (context: DecodeContext): Machine<Json, Event> => new EventReader(context);

/** Whether an event is the last of its stream; an answer that fails may say so after its error. */
export const isEnd = (wire: Json): boolean =>
  isJsonObject(wire) && typeof wire["type"] === "string" && (ends.has(wire["type"]) || wire["type"] === "error");

class EventReader implements Machine<Json, Event> {
  readonly #context: DecodeContext;
  #live: LiveAnswer | undefined;
  /** Number of the next answer's message. */
  #next = 0;
  #count = 0;
  /** An error whose answer may still say more of it. */
  #error: Json | undefined;

  constructor(context: DecodeContext) {
    this.#context = context;
  }

  push(wire: Json): readonly Event[] {
    const path = [this.#count++];
    const type = isJsonObject(wire) ? wire["type"] : undefined;
    if (!isJsonObject(wire) || typeof type !== "string") {
      this.#context.issue("not-an-event", path, "expected an object with a `type`; left out");
      return [];
    }
    const events: Event[] = [];
    const { response } = wire;
    if (type === "error") {
      this.#fail(events); // of an error that another follows nobody says more
      const error = isJsonObject(wire["error"]) ? wire["error"] : errorIn(wire);
      if (typeof error["param"] === "string") {
        this.#context.issue("error-param", path, `an error of a stream does not say its parameter: ${error["param"]}`);
      }
      this.#error = error;
    } else if (begins.has(type)) this.#begin(isJsonObject(response) ? response : {}, type, events);
    else if (ends.has(type)) this.#finish(isJsonObject(response) ? response : {}, type, events);
    else if (!this.#itemEvent(type, wire, events) && !passing.test(type)) {
      this.#context.issue("unknown-event", path, `events of type \`${type}\` are not known; left out`);
    }
    return events;
  }

  #itemEvent(type: string, wire: JsonObject, events: Event[]): boolean {
    const take = rowOf(itemEvents, type);
    if (!take) return false;
    take(this.#open(undefined, events), wire, events);
    return true;
  }

  /** Some hosts change the id of an answer from event to event, so only a creation tells that another one begins. */
  #begin(body: JsonObject, type: string, events: Event[]): void {
    const { id } = body;
    const isOther = this.#live && type === "response.created" && isText(id) && this.#live.id !== id;
    if (isOther) this.#live = undefined;
    this.#open(body, events);
  }

  /** The answer that events are about. */
  #open(body: JsonObject | undefined, events: Event[]): LiveAnswer {
    if (this.#live) return this.#live;
    const opened = new LiveAnswer(this.#next++, body ?? {}, this.#context);
    this.#live = opened;
    events.push({ type: "message-start", message: opened.message, head: opened.told });
    return opened;
  }

  #finish(body: JsonObject, type: string, events: Event[]): void {
    const live = this.#open(body, events);
    const { status } = body;
    const told = typeof status === "string" ? body : { ...body, status: type.replace(/^response\./, "") };
    const hasError = isJsonObject(body["error"]) || this.#error === undefined;
    const used = live.finish(hasError ? told : { ...told, error: this.#error ?? null }, events);
    this.#next = Math.max(this.#next, live.message + used);
    this.#live = undefined;
    this.#error = undefined;
  }

  end(): readonly Event[] {
    const events: Event[] = [];
    this.#live?.cut(events);
    this.#fail(events);
    return events;
  }

  #fail(events: Event[]): void {
    if (this.#error === undefined) return;
    this.#open(undefined, events);
    const { message, code } = readError(this.#error);
    events.push({ type: "error", error: { message, ...(code !== undefined && { code }) } });
    this.#error = undefined;
  }
}

const begins: ReadonlySet<string> = new Set(["response.created", "response.in_progress", "response.queued"]);
const ends: ReadonlySet<string> = new Set([
  "response.completed",
  "response.incomplete",
  "response.failed",
  "response.cancelled",
]);
/** How far a tool is, what its item says when it is done, and signs of life. */
const passing =
  /^(?:keepalive|ping|response\.(?:\w+\.(?:in_progress|searching|interpreting|generating|partial_image|completed|failed|compacting)|shell_call_\w+\.\w+))$/;

const errorIn = ({ type: _, sequence_number: __, ...error }: JsonObject): JsonObject => error;

type ItemEvent = (live: LiveAnswer, wire: JsonObject, events: Event[]) => void;

/** Deltas and their ends: what part they are of, and under which name they hold the text. */
const text = (delta: TextOf): readonly (readonly [string, ItemEvent])[] => [
  [`response.${delta.name}.delta`, (live, wire, events) => live.delta(wire, delta, events)],
  [`response.${delta.name}.done`, (live, wire, events) => live.textDone(wire, delta, events)],
];

export interface TextOf {
  readonly name: string;
  /** The member of the event that holds the whole text at the end. */
  readonly member: string;
  readonly kind: "content" | "summary" | "reasoning" | "call" | "code";
  /** The content part that it is, where it was not announced. */
  readonly part?: JsonObject;
}

const itemEvents: { readonly [type: string]: ItemEvent } = Object.fromEntries([
  ...text({
    name: "output_text",
    member: "text",
    kind: "content",
    part: { type: "output_text", text: "", annotations: [] },
  }),
  ...text({ name: "refusal", member: "refusal", kind: "content", part: { type: "refusal", refusal: "" } }),
  ...text({
    name: "reasoning_summary_text",
    member: "text",
    kind: "summary",
    part: { type: "summary_text", text: "" },
  }),
  ...text({ name: "reasoning_text", member: "text", kind: "reasoning", part: { type: "reasoning_text", text: "" } }),
  ...text({ name: "function_call_arguments", member: "arguments", kind: "call" }),
  ...text({ name: "mcp_call_arguments", member: "arguments", kind: "call" }),
  ...text({ name: "custom_tool_call_input", member: "input", kind: "call" }),
  ...text({ name: "code_interpreter_call_code", member: "code", kind: "code" }),
  ["response.output_item.added", (live, wire, events) => live.added(wire, events)],
  ["response.output_item.done", (live, wire, events) => live.done(wire, events)],
  ["response.content_part.added", (live, wire, events) => live.partAdded(wire, "content", events)],
  ["response.content_part.done", (live, wire, events) => live.partDone(wire, "content", events)],
  // Open models' servers announce their reasoning so.
  ["response.reasoning_part.added", (live, wire, events) => live.partAdded(wire, "content", events)],
  ["response.reasoning_part.done", (live, wire, events) => live.partDone(wire, "content", events)],
  ["response.reasoning_summary_part.added", (live, wire, events) => live.partAdded(wire, "summary", events)],
  ["response.reasoning_summary_part.done", (live, wire, events) => live.partDone(wire, "summary", events)],
  ["response.output_text.annotation.added", (live, wire, events) => live.annotate(wire, events)],
] satisfies readonly (readonly [string, ItemEvent])[]);
