/**
 * The data stream of AI SDK 4: lines of a code and a JSON value, `0:"text"`. A line is the wire event `[code, value]`;
 * `dataStreamLines` makes them of the text.
 */

import { family, streamReader, unnamed } from "../../blocks/ai-sdk/family.ts";
import type { DecodeContext } from "../../codec/codec.ts";
import type { Usage } from "../../model/conversation.ts";
import type { Event } from "../../model/events.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Machine } from "../../stream/machine.ts";
import { byteOrderMark, maxFrame } from "../../stream/text.ts";

/**
 * The text of a data stream → its lines as `[code, value]`; a line that is none comes as the text that it is, and of one that
 * is too long its beginning.
 */
export function dataStreamLines(options: DataStreamOptions = {}): Machine<string, Json> {
  const max = options.maxLineBytes ?? maxFrame;
  /** A line without its end yet. It grows by `+=` and is read once. */
  let pending = "";
  let isTooLong = false;
  const add = (text: string): void => {
    if (isTooLong) return;
    pending += text;
    isTooLong = pending.length > max;
    if (isTooLong) pending = pending.slice(0, shown);
  };
  const endLine = (): Json[] => {
    const line = pending;
    const wasTooLong = isTooLong;
    pending = "";
    isTooLong = false;
    return wasTooLong ? [line] : readLine(line);
  };
  return {
    push: text => {
      const lines: Json[] = [];
      let at = 0;
      for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", at)) {
        add(text.slice(at, end));
        lines.push(...endLine());
        at = end + 1;
      }
      add(text.slice(at));
      return lines;
    },
    end: endLine,
  };
}

export interface DataStreamOptions {
  /** The most one line may take: a UTF-16 unit counts as one byte. Default 64 MiB. */
  readonly maxLineBytes?: number;
}

/** How much is shown of a line that is too long. */
const shown = 200;

function readLine(line: string): Json[] {
  const from = line.charCodeAt(0) === byteOrderMark ? 1 : 0;
  const text = line.slice(from, line.endsWith("\r") ? -1 : undefined);
  if (text.trim() === "") return [];
  const colon = text.indexOf(":");
  if (colon < 0) return [text];
  try {
    return [[text.slice(0, colon), JSON.parse(text.slice(colon + 1)) as Json]]; // JSON.parse gives JSON
  } catch {
    return [text];
  }
}

type Chunks = readonly JsonObject[];
type Kind = "text" | "reasoning";

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
  #id: Json | undefined;
  readonly #open = new Set<Kind>();
  readonly #annotations: Json[] = [];
  /** The last message of the assistant's; its first is the first of all. */
  #last: number | undefined;
  #hasUsage = false;
  /** What was counted for a message so far. */
  readonly #counts = new Map<number, Usage>();
  /** What steps counted before anything was said. */
  readonly #early: (Usage | undefined)[] = [];
  /** Whether the server says where steps begin; older ones did not. */
  #hasMarks = false;
  #hasCalls = false;
  #isStepEnded = false;
  /** Why the last step ended, as long as nothing says why the answer did. */
  #finishReason: string | undefined;

  constructor(context: DecodeContext) {
    this.#context = context;
    this.#reader = streamReader({ generation: 7, steps: "joined", dynamic: false, context });
  }

  push(line: Json): readonly Event[] {
    const [code, value] = Array.isArray(line) ? line : [];
    const read = typeof code === "string" && Object.hasOwn(codes, code) ? codes[code] : undefined;
    const told = read && value !== undefined ? read(this, value as Json) : undefined; // an item of a JSON list
    const chunks = told && [...this.#mark(code), ...told];
    if (!chunks) this.#context.issue("not-a-chunk", [this.#lines], "expected a known code and its value; left out");
    this.#lines++;
    const events = (chunks ?? []).flatMap(chunk => this.#reader.push(chunk));
    this.#remember(events);
    return [...events, ...(code === "d" ? [] : this.#counted(events)), ...this.#usage(code, value as Json | undefined)];
  }

  end(): readonly Event[] {
    const isOpen = this.#finishReason !== undefined;
    const last = [
      ...(this.#annotations.length > 0 ? this.#start({}) : []),
      ...(isOpen ? this.finish({ finishReason: this.#finishReason ?? "" }) : this.close("text", "reasoning")),
    ];
    const events = [...last.flatMap(chunk => this.#reader.push(chunk)), ...this.#reader.end()];
    this.#remember(events);
    if (this.#annotations.length === 0) return events;
    const set = { native: { [family]: { annotations: this.#annotations } } };
    return [...events, { type: "message-set", message: 0, set }];
  }

  #remember(events: readonly Event[]): void {
    for (const event of events) {
      if (event.type === "message-start" && event.head.role === "assistant") this.#last = event.message;
    }
  }

  /** Each step says its usage; the end says the sum, which counts where no step did. */
  #usage(code: Json | undefined, value: Json | undefined): Event[] {
    if ((code !== "e" && code !== "d") || !isJsonObject(value)) return [];
    if (this.#last === undefined) {
      this.#early.push(readUsage(value["usage"]));
      return [];
    }
    const usage = readUsage(value["usage"]);
    if (!usage || (code === "d" && this.#hasUsage)) return [];
    return [this.#count(this.#last, usage)];
  }

  /** A step that says nothing has no message of its own: its tokens are added to those of the one before. */
  #count(message: number, usage: Usage): Event {
    this.#hasUsage = true;
    const { input = 0, output = 0 } = this.#counts.get(message) ?? {};
    const sum = { input: input + (usage.input ?? 0), output: output + (usage.output ?? 0) };
    this.#counts.set(message, sum);
    return { type: "message-set", message, set: { usage: sum } };
  }

  /** What steps counted before anything was said goes to their messages; where nothing ever was, the end says the sum. */
  #counted(events: readonly Event[]): Event[] {
    const started = events.filter(event => event.type === "message-start" && event.head.role === "assistant");
    if (started.length === 0) return [];
    const early = this.#early.splice(0);
    return started.flatMap((event, index): Event[] => {
      // Steps of which nothing begins are counted with the last that does.
      const counted = index < started.length - 1 ? early.slice(index, index + 1) : early.slice(index);
      return counted.flatMap(usage =>
        usage && event.type === "message-start" ? [this.#count(event.message, usage)] : [],
      );
    });
  }

  #start(value: JsonObject): Chunks {
    if (this.#isStarted) return [];
    this.#isStarted = true;
    const { messageId } = value;
    this.#id = messageId;
    return [{ type: "start", ...(typeof messageId === "string" && { messageId }) }];
  }

  /** Without marks a step ends with its calls, and the next thing said begins another. */
  #mark(code: Json | undefined): Chunks {
    if (!this.#isStepEnded || typeof code !== "string" || !said.has(code)) return [];
    this.#isStepEnded = false;
    return [{ type: "start-step" }];
  }

  /** The first id of the steps is the message's. */
  step(value: JsonObject): Chunks {
    const { messageId } = value;
    if (this.#isStarted && typeof messageId === "string" && messageId !== this.#id)
      this.#context.lose("step-id", ["messages", this.#last ?? 0, "id"], messageId);
    this.#hasMarks = true;
    return [...this.#start(value), { type: "start-step" }];
  }

  finishStep({ isContinued, finishReason }: JsonObject): Chunks {
    this.#isStepEnded = isContinued !== true && this.#hasCalls && !this.#hasMarks;
    this.#hasCalls = false;
    if (typeof finishReason === "string") this.#finishReason = finishReason;
    return [...this.close("reasoning"), ...(isContinued === true ? [] : this.close("text")), { type: "finish-step" }];
  }

  finish({ finishReason }: JsonObject): Chunks {
    this.#finishReason = undefined;
    const reason = typeof finishReason === "string" ? { finishReason } : {};
    return [...this.close("reasoning", "text"), { type: "finish", ...reason }];
  }

  /** Every call has some, if only `{}`. */
  noArguments(): JsonObject {
    this.#context.issue("no-arguments", [this.#lines], "expected a call with `args`; read as one with none");
    return {};
  }

  call(chunk: JsonObject): Chunks {
    this.#hasCalls = true;
    return [chunk];
  }

  say(kind: Kind, delta: string, providerMetadata?: JsonObject): Chunks {
    const isOpen = this.#open.has(kind);
    this.#open.add(kind);
    const chunk = { type: `${kind}-delta`, id: unnamed, delta, ...(providerMetadata && { providerMetadata }) };
    return isOpen ? [chunk] : [{ type: `${kind}-start`, id: unnamed }, chunk];
  }

  redacted(data: Json): Chunks {
    const start = { type: "reasoning-start", id: unnamed, providerMetadata: { anthropic: { redactedData: data } } };
    return [...this.close("reasoning"), start, { type: "reasoning-end", id: unnamed }];
  }

  close(...kinds: readonly Kind[]): Chunks {
    return kinds.filter(kind => this.#open.delete(kind)).map(kind => ({ type: `${kind}-end`, id: unnamed }));
  }

  /** Data beside the message, which is not part of it. */
  data(): Chunks {
    this.#context.lose("transient-data", ["messages", this.#last ?? 0]);
    return [];
  }

  annotate(annotations: readonly Json[]): Chunks {
    for (const annotation of annotations) this.#annotations.push(annotation);
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
  "0": ofText((stream, text) => stream.say("text", text)),
  g: ofText((stream, text) => stream.say("reasoning", text)),
  j: ofObject(["signature"], (stream, { signature = "" }) => [
    ...stream.say("reasoning", "", { anthropic: { signature } }),
    ...stream.close("reasoning"), // what is thought after it has its own
  ]),
  i: ofObject(["data"], (stream, { data }) => stream.redacted(data ?? "")),
  h: ofObject(["id", "url"], (_, { sourceType: __, id: sourceId = "", ...source }) => [
    { ...source, type: "source-url", sourceId },
  ]),
  k: ofObject(["data", "mimeType"], (_, { data, mimeType = "" }) => [
    { type: "file", mediaType: mimeType, url: `data:${String(mimeType)};base64,${String(data)}` },
  ]),
  b: ofObject(["toolCallId", "toolName"], (stream, call) => stream.call({ ...call, type: "tool-input-start" })),
  c: ofObject(["toolCallId", "argsTextDelta"], (_, { toolCallId = "", argsTextDelta: inputTextDelta = "" }) => [
    { type: "tool-input-delta", toolCallId, inputTextDelta },
  ]),
  "9": ofObject(["toolCallId", "toolName"], (stream, { args, ...call }) =>
    stream.call({ ...call, type: "tool-input-available", input: args ?? stream.noArguments() }),
  ),
  a: ofObject(["toolCallId"], (_, { result = null, ...call }) => [
    { ...call, type: "tool-output-available", output: result },
  ]),
  "2": ofList(stream => stream.data()),
  "8": ofList((stream, annotations) => stream.annotate(annotations)),
  "3": ofText((_, errorText) => [{ type: "error", errorText }]),
  f: ofObject([], (stream, value) => stream.step(value)),
  e: ofObject([], (stream, value) => stream.finishStep(value)),
  d: ofObject([], (stream, value) => stream.finish(value)),
};

/** Codes of what a message says. */
const said: ReadonlySet<string> = new Set(["0", "g", "j", "i", "h", "k", "b", "9"]);

function readUsage(value: Json | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined;
  const { promptTokens: input, completionTokens: output } = value;
  if (typeof input !== "number" || typeof output !== "number") return undefined;
  return { input, output };
}
