/**
 * The data stream of AI SDK 4: lines of a code and a JSON value, `0:"text"`. A line is the wire event `[code, value]`;
 * `dataStreamLines` makes them of the text.
 */

import { family, streamReader } from "../../blocks/ai-sdk.ts";
import type { DecodeContext } from "../../codec/codec.ts";
import type { Usage } from "../../model/conversation.ts";
import type { Event } from "../../model/events.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Machine } from "../../stream/machine.ts";

/** The text of a data stream → its lines as `[code, value]`; a line that is none comes as the text that it is. */
export function dataStreamLines(): Machine<string, Json> {
  let pending = "";
  const read = (line: string): Json[] => {
    const text = line.endsWith("\r") ? line.slice(0, -1) : line;
    if (text.trim() === "") return [];
    const colon = text.indexOf(":");
    try {
      return [[text.slice(0, colon), JSON.parse(text.slice(colon + 1)) as Json]]; // JSON.parse gives JSON
    } catch {
      return [text];
    }
  };
  return {
    push: text => {
      const lines = text.split("\n");
      const first = lines.shift() ?? "";
      if (lines.length === 0) {
        pending += first;
        return [];
      }
      const whole = [pending + first, ...lines.slice(0, -1)];
      pending = lines.at(-1) ?? "";
      return whole.flatMap(read);
    },
    end: () => {
      const last = pending;
      pending = "";
      return read(last);
    },
  };
}

type Chunks = readonly JsonObject[];

/** Reads the lines of generation 4: each is told in the words of the newer ones. */
export function dataStreamReader(context: DecodeContext): Machine<Json, Event> {
  const reader = new DataStream(context);
  return { push: line => reader.push(line), end: () => reader.end() };
}

class DataStream {
  readonly #context: DecodeContext;
  readonly #reader: Machine<Json, Event>;
  #lines = 0;
  #isStarted = false;
  /** Ids of the open text and reasoning. */
  #text: string | undefined;
  #reasoning: string | undefined;
  #ids = 0;
  #annotations: Json[] = [];
  /** The first message, and the last of the assistant's. */
  #first: number | undefined;
  #last: number | undefined;
  #hasUsage = false;

  constructor(context: DecodeContext) {
    this.#context = context;
    this.#reader = streamReader({ generation: 7, steps: "joined", dynamic: false, context });
  }

  push(line: Json): readonly Event[] {
    const [code, value] = Array.isArray(line) ? line : [];
    const read = typeof code === "string" && Object.hasOwn(codes, code) ? codes[code] : undefined;
    const chunks = read && value !== undefined ? read(this, value as Json) : undefined; // an item of a JSON list
    if (!chunks)
      this.#context.issue("not-a-chunk", [this.#lines], "expected a known code and a value of its kind; left out");
    this.#lines++;
    const events = (chunks ?? []).flatMap(chunk => this.#reader.push(chunk));
    this.#remember(events);
    return [...events, ...this.#usage(code, value as Json | undefined)];
  }

  end(): readonly Event[] {
    const closing = [...this.closeText(), ...this.closeReasoning()].flatMap(chunk => this.#reader.push(chunk));
    if (this.#annotations.length > 0) closing.push(...this.#start({}).flatMap(chunk => this.#reader.push(chunk)));
    const events = [...closing, ...this.#reader.end()];
    this.#remember(events);
    if (this.#annotations.length === 0 || this.#first === undefined) return events;
    const set = { native: { [family]: { annotations: this.#annotations } } };
    return [...events, { type: "message-set", message: this.#first, set }];
  }

  #remember(events: readonly Event[]): void {
    for (const event of events) {
      if (event.type !== "message-start") continue;
      this.#first ??= event.message;
      if (event.head.role === "assistant") this.#last = event.message;
    }
  }

  /** Each step says its usage; the end says the sum, which counts where no step did. */
  #usage(code: Json | undefined, value: Json | undefined): Event[] {
    if ((code !== "e" && code !== "d") || this.#last === undefined || !isJsonObject(value)) return [];
    const usage = readUsage(value["usage"]);
    if (!usage || (code === "d" && this.#hasUsage)) return [];
    this.#hasUsage = true;
    return [{ type: "message-set", message: this.#last, set: { usage } }];
  }

  #start(value: JsonObject): Chunks {
    if (this.#isStarted) return [];
    this.#isStarted = true;
    const { messageId } = value;
    return [{ type: "start", ...(typeof messageId === "string" && { messageId }) }];
  }

  /** The first id of the steps is the message's. */
  step(value: JsonObject): Chunks {
    return [...this.#start(value), { type: "start-step" }];
  }

  text(delta: string): Chunks {
    const isNew = this.#text === undefined;
    this.#text ??= `text-${this.#ids++}`;
    const id = this.#text;
    return [...(isNew ? [{ type: "text-start", id }] : []), { type: "text-delta", id, delta }];
  }

  reasoning(delta: string, metadata?: JsonObject): Chunks {
    const isNew = this.#reasoning === undefined;
    this.#reasoning ??= `~${this.#ids++}`;
    const id = this.#reasoning;
    const said = metadata ? { providerMetadata: metadata } : {};
    return [...(isNew ? [{ type: "reasoning-start", id }] : []), { type: "reasoning-delta", id, delta, ...said }];
  }

  redacted(data: string): Chunks {
    const id = `~${this.#ids++}`;
    const providerMetadata = { anthropic: { redactedData: data } };
    const start = { type: "reasoning-start", id, providerMetadata };
    return [...this.closeReasoning(), start, { type: "reasoning-end", id }];
  }

  closeText(): Chunks {
    const id = this.#text;
    this.#text = undefined;
    return id === undefined ? [] : [{ type: "text-end", id }];
  }

  closeReasoning(): Chunks {
    const id = this.#reasoning;
    this.#reasoning = undefined;
    return id === undefined ? [] : [{ type: "reasoning-end", id }];
  }

  /** Data beside the message, which is not part of it. */
  data(): Chunks {
    this.#context.lose("transient-data", ["messages", this.#last ?? 0], "data of the stream");
    return [];
  }

  annotate(annotations: readonly Json[]): Chunks {
    this.#annotations = [...this.#annotations, ...annotations];
    return [];
  }
}

type Read = (stream: DataStream, value: Json) => Chunks | undefined;

const ofText =
  (read: (stream: DataStream, value: string) => Chunks): Read =>
  (stream, value) =>
    typeof value === "string" ? read(stream, value) : undefined;
const ofList =
  (read: (stream: DataStream, value: readonly Json[]) => Chunks): Read =>
  (stream, value) =>
    Array.isArray(value) ? read(stream, value) : undefined;
/** `members` must be there, as strings. */
const ofObject =
  (members: readonly string[], read: (stream: DataStream, value: JsonObject) => Chunks): Read =>
  (stream, value) =>
    isJsonObject(value) && members.every(member => typeof value[member] === "string") ? read(stream, value) : undefined;

const codes: { readonly [code: string]: Read } = {
  "0": ofText((stream, text) => stream.text(text)),
  g: ofText((stream, text) => stream.reasoning(text)),
  j: ofObject(["signature"], (stream, { signature = "" }) => stream.reasoning("", { anthropic: { signature } })),
  i: ofObject(["data"], (stream, { data }) => stream.redacted(String(data))),
  h: ofObject(["id", "url"], (_, { sourceType: __, id: sourceId = "", ...source }) => [
    { ...source, type: "source-url", sourceId },
  ]),
  k: ofObject(["data", "mimeType"], (_, { data, mimeType = "" }) => [
    { type: "file", mediaType: mimeType, url: `data:${String(mimeType)};base64,${String(data)}` },
  ]),
  b: ofObject(["toolCallId", "toolName"], (_, call) => [{ ...call, type: "tool-input-start" }]),
  c: ofObject(["toolCallId", "argsTextDelta"], (_, { toolCallId = "", argsTextDelta: inputTextDelta = "" }) => [
    { type: "tool-input-delta", toolCallId, inputTextDelta },
  ]),
  "9": ofObject(["toolCallId", "toolName"], (_, { args = {}, ...call }) => [
    { ...call, type: "tool-input-available", input: args },
  ]),
  a: ofObject(["toolCallId"], (_, { result = null, ...call }) => [
    { ...call, type: "tool-output-available", output: result },
  ]),
  "2": ofList(stream => stream.data()),
  "8": ofList((stream, annotations) => stream.annotate(annotations)),
  "3": ofText((_, errorText) => [{ type: "error", errorText }]),
  f: ofObject([], (stream, value) => stream.step(value)),
  e: ofObject([], (stream, { isContinued }) => [
    ...stream.closeReasoning(),
    ...(isContinued === true ? [] : stream.closeText()),
    { type: "finish-step" },
  ]),
  d: ofObject([], (stream, { finishReason }) => [
    ...stream.closeReasoning(),
    ...stream.closeText(),
    { type: "finish", ...(typeof finishReason === "string" && { finishReason }) },
  ]),
};

function readUsage(value: Json | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined;
  const { promptTokens: input, completionTokens: output } = value;
  if (typeof input !== "number" || typeof output !== "number") return undefined;
  return { input, output };
}
