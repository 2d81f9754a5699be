import type { DecodeContext } from "../../codec/codec.ts";
import { kept } from "../../codec/remainder.ts";
import type { Event } from "../../model/events.ts";
import type { Json } from "../../model/json.ts";
import type { Machine } from "../../stream/machine.ts";
import { type ReadChunk, readChunk } from "./stream-chunk.ts";
import { LiveMessage } from "./stream-live.ts";
import { family } from "./wire.ts";

/**
 * Chunks of messages, or LangGraph's pairs of a chunk and what it says of it, → events. A chunk belongs to the message of
 * its id; without an id, to the last one of its class.
 */
export const chunkDecoder = (context: DecodeContext): Machine<Json, Event> => new ChunkReader(context);

class ChunkReader implements Machine<Json, Event> {
  readonly #context: DecodeContext;
  readonly #messages: LiveMessage[] = [];
  readonly #byId = new Map<Json, LiveMessage>();
  #last: { readonly message: LiveMessage; readonly kind: string } | undefined;
  #count = 0;

  constructor(context: DecodeContext) {
    this.#context = context;
  }

  push(wire: Json): readonly Event[] {
    const place = this.#count++;
    const isPair = Array.isArray(wire) && wire.length === 2;
    const chunk = readChunk(isPair ? (wire[0] as Json) : wire, [place], this.#context); // a pair has both
    if (!chunk) {
      this.#context.issue("not-a-chunk", [place], "this is no message and no chunk of one; left out");
      return [];
    }
    const known = this.#messageOf(chunk);
    const events: Event[] = [];
    const message = known ?? this.#start(chunk, isPair ? (wire[1] as Json) : undefined, events); // a pair has both
    if (known) known.add(chunk);
    for (const id of message.ids) this.#byId.set(id, message);
    this.#last = { message, kind: chunk.kind };
    events.push(...message.drain());
    if (chunk.isWhole || chunk.fields["chunk_position"] === "last") this.#finish(message, events, true);
    return events;
  }

  #messageOf(chunk: ReadChunk): LiveMessage | undefined {
    const { id } = chunk.fields;
    const hasId = typeof id === "string" && id !== "";
    const known = hasId ? this.#byId.get(id) : undefined;
    if (known) return known;
    const last = this.#last;
    if (!last || last.kind !== chunk.kind || last.message.isOver || chunk.isWhole) return undefined;
    // A run's id and the provider's may be of one message; two of one kind are of two.
    const isOther = hasId && [...last.message.ids].some(each => isOfRun(each) === isOfRun(id));
    return isOther ? undefined : last.message;
  }

  /** Those before it that still wait are whole, unless LangGraph sends several at once. */
  #start(chunk: ReadChunk, metadata: Json | undefined, events: Event[]): LiveMessage {
    if (metadata === undefined)
      for (const before of this.#messages) if (!before.isOver) this.#finish(before, events, true);
    const message = new LiveMessage(this.#messages.length, chunk, {
      context: this.#context,
      ...(metadata !== undefined && kept(family, undefined, { $langgraph: metadata })),
    });
    this.#messages.push(message);
    return message;
  }

  #finish(message: LiveMessage, events: Event[], isNext: boolean): void {
    message.finish({ isNext });
    events.push(...message.drain());
  }

  end(): readonly Event[] {
    const events: Event[] = [];
    for (const message of this.#messages) if (!message.isOver) this.#finish(message, events, false);
    return events;
  }
}

const isOfRun = (id: Json): boolean => typeof id === "string" && /^(?:lc_)?run-/.test(id);
