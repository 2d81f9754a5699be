import { encode } from "../../blocks/langchain/encode.ts";
import { chunkEncoder } from "../../blocks/langchain/stream-encode.ts";
import type { EncodeContext } from "../../codec/codec.ts";
import { hintsOf } from "../../codec/remainder.ts";
import type { Event, MessageHead } from "../../model/events.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import { accumulator } from "../../stream/accumulate.ts";
import type { Machine } from "../../stream/machine.ts";
import { recordsFamily } from "./records.ts";

/** Events → the records of `streamEvents`, version 2: an answer is a model's run, a tool's message the end of a tool's. */
export class RecordWriter implements Machine<Event, Json> {
  readonly #context: EncodeContext;
  readonly #messages = new Map<number, Writing>();

  constructor(context: EncodeContext) {
    this.#context = context;
  }

  push(event: Event): readonly Json[] {
    if (event.type === "error") {
      this.#context.lose("error-record", ["messages"]);
      return [];
    }
    if (event.type === "message-start" && !this.#messages.has(event.message)) {
      if (event.head.role !== "assistant" && event.head.role !== "tool") {
        this.#context.lose("input", ["messages", event.message]);
        return [];
      }
      this.#messages.set(event.message, new Writing(event.head, this.#context));
    }
    return this.#messages.get(event.message)?.take(event) ?? [];
  }

  end(): readonly Json[] {
    return [...this.#messages.values()].flatMap(writing => writing.end());
  }
}

class Writing {
  readonly #context: EncodeContext;
  readonly #chunks: Machine<Event, Json>;
  readonly #whole = accumulator();
  readonly #head: MessageHead;
  readonly #isPython: boolean;
  #isOver = false;

  constructor(head: MessageHead, context: EncodeContext) {
    this.#head = head;
    this.#isPython = context.dialect === "v2-python";
    this.#context = { ...context, dialect: this.#isPython ? "python-lc" : "js-lc" };
    this.#chunks = chunkEncoder(this.#context);
  }

  take(event: Event): readonly Json[] {
    this.#whole.push(event);
    const isTool = this.#head.role === "tool";
    const chunks = this.#chunks.push(event);
    const records = isTool ? [] : chunks.map(chunk => this.#record("on_chat_model_stream", { chunk }));
    if (event.type === "message-start") {
      return isTool ? [] : [this.#record("on_chat_model_start", { input: { messages: [[]] } }), ...records];
    }
    return event.type === "message-end" ? [...records, ...this.#end()] : records;
  }

  #end(): readonly Json[] {
    this.#isOver = true;
    const [message] = this.#whole.messages;
    if (!message || message.finish?.reason === "incomplete") return [];
    // What was lost the chunks have said.
    const context: EncodeContext = {
      ...this.#context,
      shape: "messages",
      wrote: () => undefined,
      lose: () => undefined,
    };
    const wires = encode({ messages: [message] }, context) as readonly Json[]; // a list of messages
    const event = this.#head.role === "tool" ? "on_tool_end" : "on_chat_model_end";
    return wires.map(output => this.#record(event, { output }));
  }

  end(): readonly Json[] {
    if (this.#isOver || this.#head.role === "tool") return [];
    return this.#chunks.end().map(chunk => this.#record("on_chat_model_stream", { chunk }));
  }

  #record(event: string, data: JsonObject): Json {
    const { id = "", model = "" } = this.#head;
    const hints = hintsOf(this.#head, recordsFamily);
    const { run_id = id, name = model, tags = [], metadata = {}, parent_ids } = hints;
    const parents = parent_ids ?? (this.#isPython ? [] : undefined);
    return { event, data, name, tags, run_id, metadata, ...(parents !== undefined && { parent_ids: parents }) };
  }
}
