/** The AI SDK's UI message stream → events. What its own readers would die of is reported, and reading goes on. */

import type { DecodeContext } from "../../codec/codec.ts";
import { rowOf } from "../../codec/reader.ts";
import type { At, Event } from "../../model/events.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { ToolResultPart } from "../../model/parts.ts";
import type { Machine } from "../../stream/machine.ts";
import { isDataType } from "./files.ts";
import { readFinish } from "./finish.ts";
import { decodePart, decodeSteering, type MessageReading } from "./messages.ts";
import { decodeOutput } from "./output.ts";
import { isMadeId } from "./part.ts";
import { answerNumber, OpenRun, type OpenStep, partNumber } from "./stream-run.ts";
import { OpenText } from "./stream-texts.ts";
import type { OpenTool } from "./stream-tool.ts";
import { StreamTools } from "./stream-tools.ts";

/** Losses of a stream beyond those of whole messages. */
export const streamReadingLosses = {
  forgotten: {
    kind: "dropped",
    note: "the readers of generation 5 forget it; read as `v6` or `v7` the stream keeps it",
  },
  "empty-step": { kind: "dropped", note: "a step that says nothing is seen once another follows" },
  "transient-data": { kind: "dropped", note: "transient data is shown once and no part of the message" },
} as const;

type Handler = (reader: StreamReader, chunk: JsonObject) => void;

const handlers: { readonly [type: string]: Handler } = {
  start: (reader, chunk) => reader.start(chunk),
  "start-step": reader => reader.run.startStep(),
  "finish-step": () => undefined,
  "reset-step": reader => reader.reset(),
  finish: (reader, chunk) => reader.finish(chunk),
  abort: (reader, chunk) => reader.abort(chunk),
  error: (reader, chunk) => reader.error(chunk),
  "message-metadata": (reader, chunk) => reader.metadata(chunk),
  "text-start": (reader, chunk) => reader.startText(chunk),
  "text-delta": (reader, chunk) => reader.appendText(chunk),
  "text-end": (reader, chunk) => reader.endText(chunk),
  "reasoning-start": (reader, chunk) => reader.startText(chunk),
  "reasoning-delta": (reader, chunk) => reader.appendText(chunk),
  "reasoning-end": (reader, chunk) => reader.endText(chunk),
  "source-url": (reader, chunk) => reader.whole(chunk, ["sourceId", "url", "title"]),
  "source-document": (reader, chunk) => reader.whole(chunk, ["sourceId", "mediaType", "title", "filename"]),
  file: (reader, chunk) => reader.whole(chunk, ["mediaType", "url"]),
  "reasoning-file": (reader, chunk) => reader.whole(chunk, ["mediaType", "url"]),
  custom: (reader, chunk) => reader.whole(chunk, ["kind"]),
  "steering-message": (reader, chunk) => reader.steer(chunk),
  "tool-input-start": (reader, chunk) => reader.startTool(chunk),
  "tool-input-delta": (reader, chunk) => reader.appendInput(chunk),
  "tool-input-available": (reader, chunk) => reader.tool(chunk, tool => tool.available(chunk)),
  "tool-input-error": (reader, chunk) => reader.tool(chunk, tool => tool.failedInput(chunk)),
  "tool-output-available": (reader, chunk) => reader.answer(chunk, tool => tool.output(chunk)),
  "tool-output-error": (reader, chunk) => reader.answer(chunk, tool => tool.failed(chunk)),
  "tool-output-denied": (reader, chunk) => reader.answer(chunk, tool => tool.deny()),
  "tool-approval-request": (reader, chunk) => reader.askApproval(chunk),
  "tool-approval-response": (reader, chunk) => reader.answerApproval(chunk),
};

/** What the readers of generation 5 take and forget. */
const forgotten: { readonly [type: string]: readonly string[] } = {
  file: ["providerMetadata"],
  "tool-input-start": ["providerMetadata", "title", "toolMetadata", "inputEncoding"],
  "tool-input-available": ["title", "toolMetadata"],
  "tool-output-available": ["providerMetadata", "toolMetadata"],
  "tool-output-error": ["providerMetadata", "toolMetadata"],
};

/** What must be a string for a chunk to be about something. */
const needed: { readonly [type: string]: readonly string[] } = {
  "text-start": ["id"],
  "text-delta": ["id", "delta"],
  "text-end": ["id"],
  "reasoning-start": ["id"],
  "reasoning-delta": ["id", "delta"],
  "reasoning-end": ["id"],
  "tool-input-start": ["toolCallId", "toolName"],
  "tool-input-delta": ["toolCallId", "inputTextDelta"],
  "tool-input-available": ["toolCallId", "toolName"],
  "tool-input-error": ["toolCallId", "toolName", "errorText"],
  "tool-output-available": ["toolCallId"],
  "tool-output-error": ["toolCallId", "errorText"],
  "tool-output-denied": ["toolCallId"],
  "tool-approval-request": ["toolCallId", "approvalId"],
  "tool-approval-response": ["approvalId"],
};

/** Reads the stream of a format that holds the SDK's messages. */
export const streamReader = (reading: MessageReading): Machine<Json, Event> => {
  const reader = new StreamReader(reading);
  return { push: chunk => reader.push(chunk), end: () => reader.end() };
};

class StreamReader {
  readonly #reading: MessageReading;
  readonly #context: DecodeContext;
  readonly #events: Event[] = [];
  readonly #texts = new Map<string, OpenText>();
  readonly #tools: StreamTools;
  #run: OpenRun | undefined;
  #sentId = "";
  #messages = 0;
  #chunks = 0;

  constructor(reading: MessageReading) {
    this.#reading = reading;
    this.#context = reading.context;
    const { generation, dynamic } = reading;
    const issue = (code: string, message: string): void => this.#issue(code, message);
    this.#tools = new StreamTools({ generation, dynamic, events: this.#events, issue });
  }

  push(chunk: Json): readonly Event[] {
    this.#take(chunk);
    this.#chunks++;
    return this.#events.splice(0);
  }

  end(): readonly Event[] {
    for (const text of this.#texts.values()) this.#events.push(...text.cut());
    this.#run?.settle();
    return this.#events.splice(0);
  }

  #take(chunk: Json): void {
    const type = isJsonObject(chunk) ? chunk["type"] : undefined;
    if (!isJsonObject(chunk) || typeof type !== "string") {
      this.#issue("not-a-chunk", "expected an object with a `type`; left out");
      return;
    }
    const missing = rowOf(needed, type)?.find(member => typeof chunk[member] !== "string");
    const handle = rowOf(handlers, type);
    if (missing !== undefined) this.#issue("not-a-chunk", `\`${missing}\` of \`${type}\` is no string; left out`);
    else if (handle) handle(this, this.#reading.generation < 6 ? this.#remembered(chunk, type) : chunk);
    else if (isDataType(type)) this.#data(chunk);
    else this.#issue("unknown-chunk", `\`${type}\` is no chunk of the SDK's; left out`);
  }

  #remembered(chunk: JsonObject, type: string): JsonObject {
    const gone = forgotten[type]?.filter(member => chunk[member] !== undefined) ?? [];
    if (gone.length === 0) return chunk;
    this.#context.lose("forgotten", ["messages", this.run.last().message], gone.join(", "));
    return Object.fromEntries(Object.entries(chunk).filter(([member]) => !gone.includes(member)));
  }

  #issue(code: string, message: string): void {
    this.#context.issue(code, [this.#chunks], message);
  }

  get run(): OpenRun {
    this.#run ??= this.#open(undefined, undefined);
    return this.#run;
  }

  #open(sent: string | undefined, metadata: Json | undefined): OpenRun {
    const isOwn = sent !== undefined && sent !== "" && !isMadeId(sent);
    this.#sentId = sent ?? "";
    return new OpenRun({
      id: isOwn ? sent : this.#context.newId?.(),
      isNameless: sent === undefined || sent === "",
      metadata,
      takeNumber: () => this.#messages++,
      events: this.#events,
      loseStep: message => this.#context.lose("empty-step", ["messages", message]),
    });
  }

  /** Another id is another message: the SDK's reader starts anew. */
  start(chunk: JsonObject): void {
    const { messageId, messageMetadata: metadata } = chunk;
    const id = typeof messageId === "string" ? messageId : undefined;
    if (this.#run && (id === undefined || id === this.#sentId)) {
      this.metadata(chunk);
      return;
    }
    this.#close();
    this.#run = this.#open(id, metadata ?? undefined);
  }

  #close(): void {
    for (const text of this.#texts.values()) this.#events.push(...text.cut());
    this.#texts.clear();
    this.#run?.end();
  }

  metadata({ messageMetadata: metadata }: JsonObject): void {
    if (metadata === undefined || metadata === null) return;
    this.run.mergeMetadata(metadata);
  }

  finish(chunk: JsonObject): void {
    const { finishReason } = chunk;
    const { run } = this;
    this.metadata(chunk);
    if (typeof finishReason === "string") run.setFinish(readFinish(finishReason));
    run.end();
  }

  abort({ reason }: JsonObject): void {
    this.run.setFinish({ reason: "aborted", ...(typeof reason === "string" && { raw: reason }) });
  }

  error({ errorText }: JsonObject): void {
    this.run.last();
    this.#events.push({ type: "error", error: { message: typeof errorText === "string" ? errorText : "" } });
  }

  reset(): void {
    const { run } = this;
    const { message } = run.last();
    for (const [key, text] of this.#texts) if (text.at.message === message) this.#texts.delete(key);
    run.restart();
  }

  // texts

  startText(chunk: JsonObject): void {
    const step = this.run.step();
    const at = { message: step.message, part: step.slots++ * partNumber.width };
    const text = new OpenText(chunk, at, { generation: this.#reading.generation, role: "assistant" });
    this.#texts.set(keyOf(chunk), text);
    this.#events.push(text.start());
  }

  appendText(chunk: JsonObject): void {
    const text = this.#textOf(chunk);
    if (!text) return;
    this.run.flush();
    this.#events.push(text.append(String(chunk["delta"]), chunk));
  }

  endText(chunk: JsonObject): void {
    const text = this.#textOf(chunk);
    if (!text) return;
    this.run.flush();
    this.#events.push(...text.end(chunk));
    this.#texts.delete(keyOf(chunk));
  }

  #textOf(chunk: JsonObject): OpenText | undefined {
    const text = this.#texts.get(keyOf(chunk));
    if (!text)
      this.#issue(
        "unknown-text",
        `\`${String(chunk["type"])}\` before the start of \`${String(chunk["id"])}\`; left out`,
      );
    return text;
  }

  // whole parts

  /** A part of these members: the SDK's reader takes no others. */
  whole(chunk: JsonObject, members: readonly string[]): void {
    const taken = ["type", ...members, "providerMetadata"].flatMap(key => {
      const value = chunk[key];
      return value === undefined ? [] : [[key, value] as const];
    });
    this.#part(Object.fromEntries(taken));
  }

  #part(wire: JsonObject): void {
    const decoded = this.#decode(wire);
    if (!("type" in decoded)) return;
    const step = this.run.step();
    this.#events.push({ type: "part", message: step.message, part: step.slots++ * partNumber.width, value: decoded });
  }

  #decode(wire: JsonObject): ReturnType<typeof decodePart> {
    return decodePart(wire, this.#chunks, { path: [], role: "assistant", reading: this.#reading });
  }

  steer(chunk: JsonObject): void {
    const steering = decodeSteering(chunk, this.#chunks, { path: [], role: "assistant", reading: this.#reading });
    if (!steering) {
      this.#issue("not-a-chunk", "a word during the run has an id, texts and files; left out");
      return;
    }
    const { parts, ...head } = steering;
    this.run.steer(head, parts);
  }

  /** Data of the same type and id takes the place of the earlier one, in whichever step. */
  #data(chunk: JsonObject): void {
    const { run } = this;
    if (chunk["transient"] === true) {
      this.#context.lose("transient-data", ["messages", run.last().message], String(chunk["type"]));
      return;
    }
    const { id, data = null } = chunk;
    const key = typeof id === "string" ? `${String(chunk["type"])} ${id}` : undefined;
    const known = key === undefined ? undefined : run.data.get(key);
    if (known) run.flush();
    const step = known?.step ?? run.step();
    const place = known ?? { wire: chunk, step, slot: step.slots++, order: -1 };
    place.wire = known ? { ...known.wire, data } : chunk;
    if (key !== undefined) run.data.set(key, place);
    const decoded = this.#decode(place.wire);
    const at = { message: step.message, part: place.slot * partNumber.width };
    if ("type" in decoded) this.#events.push({ type: "part", ...at, value: decoded });
    else if ("approval" in decoded) this.#approval(decoded.approval, { place, at });
  }

  /** Generation 5 tells of approvals by data. */
  #approval(
    { request, response }: Extract<ReturnType<typeof decodePart>, { approval: unknown }>["approval"],
    { place, at }: { readonly place: { readonly step: OpenStep; order: number }; readonly at: At },
  ): void {
    const { step } = place;
    const callId = request?.callId ?? response?.callId;
    const call = callId === undefined ? undefined : this.#tools.orderOf(step, callId);
    if (place.order < 0) place.order = call ?? step.orders++;
    if (request) this.#events.push({ type: "part", ...at, value: request });
    if (!response) return;
    const part = place.order * answerNumber.width + answerNumber.response;
    this.#events.push({ type: "part", message: this.run.toolsOf(step), part, value: response });
    if (response.approved || callId === undefined) return;
    step.denials.set(callId, response.reason);
    this.#tools.again(this.run, callId);
  }

  // tools

  startTool(chunk: JsonObject): void {
    this.#tools.start(this.run, chunk);
  }

  appendInput(chunk: JsonObject): void {
    this.#tools.append(this.run, String(chunk["toolCallId"]), String(chunk["inputTextDelta"]));
  }

  tool(chunk: JsonObject, change: (tool: OpenTool) => void): void {
    this.#tools.named(this.run, chunk, change);
  }

  /** What answers a call of an earlier message stands by itself: its call is found when it is joined (R9). */
  answer(chunk: JsonObject, change: (tool: OpenTool) => void): void {
    const callId = String(chunk["toolCallId"]);
    if (this.#tools.answered(this.run, chunk, callId, change)) return;
    this.#issue("unknown-call", `no call \`${callId}\` in this stream; its result is for an earlier message`);
    const result = strayResult(callId, chunk);
    if (!result) return;
    this.#events.push({ type: "part", ...this.run.stray(callId), value: result });
  }

  askApproval(chunk: JsonObject): void {
    const callId = String(chunk["toolCallId"]);
    if (this.#tools.answered(this.run, chunk, callId, tool => tool.askApproval(chunk))) return;
    this.#issue("unknown-call", `no call \`${callId}\` in this stream to be approved; left out`);
  }

  answerApproval(chunk: JsonObject): void {
    const id = String(chunk["approvalId"]);
    if (this.#tools.approval(this.run, id, tool => tool.answerApproval(chunk))) return;
    this.#issue("unknown-approval", `no question \`${id}\` in this stream; its answer is left out`);
  }
}

const keyOf = (chunk: JsonObject): string => {
  const isText = String(chunk["type"]).startsWith("text");
  return `${isText ? "text" : "reasoning"} ${String(chunk["id"])}`;
};

function strayResult(callId: string, chunk: JsonObject): ToolResultPart | undefined {
  switch (chunk["type"]) {
    case "tool-output-available":
      return { type: "tool-result", callId, ...decodeOutput(chunk["output"] ?? null) };
    case "tool-output-error":
      return {
        type: "tool-result",
        callId,
        outcome: "error",
        output: [{ type: "text", text: String(chunk["errorText"]) }],
      };
    default:
      return { type: "tool-result", callId, outcome: "denied" };
  }
}
