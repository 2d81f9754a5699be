import { encode } from "../../blocks/langchain/encode.ts";
import { chunkEncoder, inNumbers, inTurn, reportOpen } from "../../blocks/langchain/stream-encode.ts";
import { tellSpelling } from "../../blocks/spelling.ts";
import type { EncodeContext } from "../../codec/codec.ts";
import { hintsOf } from "../../codec/remainder.ts";
import type { Event, MessageHead } from "../../model/events.ts";
import { equalJson, type Json, type JsonObject } from "../../model/json.ts";
import { accumulator } from "../../stream/accumulate.ts";
import type { Machine } from "../../stream/machine.ts";
import { recordsFamily } from "./records.ts";

const toldMembers: ReadonlySet<string> = new Set(["run_id", "name", "tags", "metadata", "parent_ids", "input"]);

type MessageEvent = Exclude<Event, { readonly type: "error" }>;

/**
 * Events → the records of `streamEvents`, version 2: an answer is a model's run, a tool's message the end of a tool's, and
 * any other what is put into the run that follows. LangChain tells the whole history with each run, ours what is new in it.
 */
export class RecordWriter implements Machine<Event, Json> {
  readonly #context: EncodeContext;
  readonly #messages = new Map<number, Writing | Given>();
  #given: Given[] = [];

  constructor(context: EncodeContext) {
    const dialect = context.dialect === "v2-python" ? "python-lc" : "js-lc";
    this.#context = { ...context, dialect, shape: "messages", wrote: () => undefined };
  }

  push(event: Event): readonly Json[] {
    if (event.type === "error") {
      this.#context.lose("error-record", ["messages"]);
      return [];
    }
    if (event.type === "message-start" && !this.#messages.has(event.message)) {
      this.#messages.set(event.message, this.#start(event.message, event.head));
    }
    return this.#messages.get(event.message)?.take(event) ?? [];
  }

  #start(number: number, head: MessageHead): Writing | Given {
    if (head.role === "tool") return new Writing(head, this.#context, { number });
    if (head.role === "assistant") {
      const input = this.#given.flatMap(given => given.wires());
      this.#given = [];
      return new Writing(head, this.#context, { number, input });
    }
    const given = new Given(number, this.#context);
    this.#given.push(given);
    return given;
  }

  end(): readonly Json[] {
    for (const { number } of this.#given) this.#context.lose("input", ["messages", number]);
    return [...this.#messages.values()].flatMap(writing => writing.end());
  }
}

/** A message that is put in. */
class Given {
  readonly number: number;
  readonly #context: EncodeContext;
  readonly #whole = accumulator();
  readonly #parts = new Set<number>();
  #isTold = false;

  constructor(number: number, context: EncodeContext) {
    this.number = number;
    this.#context = context;
  }

  take(event: MessageEvent): readonly Json[] {
    if (this.#isTold && event.type !== "message-end") this.#context.lose("late", ["messages", this.number]);
    this.#whole.push(event);
    if (event.type === "part-start" || event.type === "part") this.#parts.add(event.part);
    return [];
  }

  wires(): readonly Json[] {
    this.#isTold = true;
    const [message] = this.#whole.messages;
    if (!message) return [];
    const context = inNumbers(this.#context, this.number, inTurn(this.#parts));
    tellSpelling(message, context);
    reportOpen(message, true, context);
    return encode({ messages: [message] }, context) as readonly Json[]; // a list of messages
  }

  end(): readonly Json[] {
    return [];
  }
}

class Writing {
  readonly #context: EncodeContext;
  readonly #chunks: Machine<Event, Json>;
  readonly #whole = accumulator();
  readonly #head: MessageHead;
  readonly #isPython: boolean;
  readonly #number: number;
  readonly #input: readonly Json[];
  #isOver = false;

  constructor(
    head: MessageHead,
    context: EncodeContext,
    { number, input = [] }: { readonly number: number; readonly input?: readonly Json[] },
  ) {
    this.#number = number;
    this.#head = head;
    this.#isPython = context.dialect === "python-lc";
    this.#context = context;
    this.#input = input;
    this.#chunks = chunkEncoder(this.#context);
  }

  take(given: MessageEvent): readonly Json[] {
    const event = this.#untold(given);
    this.#whole.push(event);
    const isTool = this.#head.role === "tool";
    const chunks = this.#chunks.push(event);
    const records = isTool ? [] : chunks.map(chunk => this.#record("on_chat_model_stream", { chunk }));
    if (event.type === "message-start") {
      return isTool ? [] : [this.#record("on_chat_model_start", { input: this.#told() }), ...records];
    }
    return event.type === "message-end" ? [...records, ...this.#end()] : records;
  }

  /** What the records say of the run needs no place in its messages. */
  #untold(event: MessageEvent): MessageEvent {
    if (event.type === "message-start") return { ...event, head: this.#withoutTold(event.head) };
    return event.type === "message-set" ? { ...event, set: this.#withoutTold(event.set) } : event;
  }

  #withoutTold<H extends Partial<MessageHead>>(head: H): H {
    const own = head.native?.[recordsFamily];
    if (!own) return head;
    const told = hintsOf(this.#head, recordsFamily);
    const isTold = (key: string): boolean => toldMembers.has(key) && equalJson(own[key], told[key]);
    const rest = Object.fromEntries(Object.entries(own).filter(([key]) => !isTold(key)));
    const { [recordsFamily]: _, ...others } = head.native ?? {};
    const native = Object.keys(rest).length > 0 ? { ...others, [recordsFamily]: rest } : others;
    return { ...head, native };
  }

  /** What was put in: of a stream that was read an answer keeps it, to whose provider only its own parts go. */
  #told(): Json {
    const { input } = hintsOf(this.#head, recordsFamily);
    if (input === undefined) return { messages: [this.#input] };
    if (this.#input.length === 0 && this.#context.recipient !== "provider") return input;
    this.#context.lose("input", ["messages", this.#number, "native", recordsFamily, "input"]);
    return { messages: [this.#input] };
  }

  #end(): readonly Json[] {
    this.#isOver = true;
    const [message] = this.#whole.messages;
    if (!message || message.finish?.reason === "incomplete") return [];
    // What was lost the chunks have said.
    const context: EncodeContext = { ...this.#context, lose: () => undefined };
    tellSpelling(message, context);
    const wires = encode({ messages: [message] }, context) as readonly Json[]; // a list of messages
    const event = this.#head.role === "tool" ? "on_tool_end" : "on_chat_model_end";
    return wires.map(output => this.#record(event, { output }));
  }

  end(): readonly Json[] {
    if (this.#isOver || this.#head.role === "tool") return [];
    return this.#chunks.end().map(chunk => this.#record("on_chat_model_stream", { chunk }));
  }

  #record(event: string, data: JsonObject): Json {
    const { id = "" } = this.#head;
    const hints = hintsOf(this.#head, recordsFamily);
    const { run_id = id, name = "", tags = [], metadata = {}, parent_ids } = hints;
    const parents = parent_ids ?? (this.#isPython ? [] : undefined);
    return { event, data, name, tags, run_id, metadata, ...(parents !== undefined && { parent_ids: parents }) };
  }
}
