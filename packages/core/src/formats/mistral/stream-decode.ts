import { ChunkReader, type LiveChoice } from "../../blocks/chat-parts/chunk-reader.ts";
import { LiveCalls } from "../../blocks/chat-parts/live-calls.ts";
import { LiveParts } from "../../blocks/chat-parts/live-parts.ts";
import { assign, type MergedCall } from "../../blocks/chat-parts/merged-calls.ts";
import { isText, type ReadMessage } from "../../blocks/chat-parts/wire.ts";
import type { DecodeContext } from "../../codec/codec.ts";
import type { Event, MessageHead } from "../../model/events.ts";
import { isJsonObject, type Json, type JsonObject, type MutableJsonObject } from "../../model/json.ts";
import type { PartOf } from "../../model/parts.ts";
import type { Machine } from "../../stream/machine.ts";
import { isErrorBody } from "./error.ts";
import { mistralForm } from "./form.ts";
import { LiveContent } from "./live-content.ts";
import { readCall } from "./read-messages.ts";
import { places } from "./wire.ts";

/** Chunks → events: content and calls pass on as they come. */
export const streamDecoder = (context: DecodeContext): Machine<Json, Event> =>
  new ChunkReader(context, {
    form: mistralForm,
    open: (index, head) => new LiveMessage(index, head, context),
    failureOf: chunk => (isErrorBody(chunk) ? chunk : chunk["error"]),
  });

class LiveMessage implements LiveChoice {
  readonly message: number;
  readonly #parts: LiveParts;
  readonly #content: LiveContent;
  readonly #calls: LiveCalls;
  readonly #context: DecodeContext;
  readonly #message: MutableJsonObject = {};
  readonly #choice: MutableJsonObject = {};

  constructor(index: number, head: MessageHead, context: DecodeContext) {
    this.message = index;
    this.#context = context;
    this.#parts = new LiveParts(index, head);
    this.#content = new LiveContent(this.#parts, context);
    this.#calls = new LiveCalls(this.#parts, { first: places.calls, areWhole: true, begin: beginning });
  }

  choice(members: JsonObject): void {
    for (const key of Object.keys(members)) {
      if (key === "index" || key === "delta" || key === "message") continue;
      const isBlank = key === "finish_reason" && !isText(members[key]);
      if (!isBlank || !Object.hasOwn(this.#choice, key)) assign(this.#choice, key, members[key]);
    }
  }

  add(delta: JsonObject, events: Event[]): void {
    for (const key of Object.keys(delta)) {
      const value = delta[key] ?? null;
      if (key === "content" && this.#content.add(value, events)) continue;
      if (key === "tool_calls" && Array.isArray(value) && value.length > 0) {
        this.#addCalls(value as readonly Json[], events); // a list of JSON
      } else assign(this.#message, key, value);
    }
  }

  #addCalls(calls: readonly Json[], events: Event[]): void {
    this.#calls.merged.begin();
    for (const call of calls) {
      if (isJsonObject(call)) this.#calls.add(call, events);
      else this.#context.issue("not-a-tool-call", ["tool_calls"], "expected an object; left out");
    }
  }

  whole(): JsonObject {
    const content = this.#content.whole();
    const calls = this.#calls.merged.count > 0 ? { tool_calls: this.#calls.merged.whole(true) } : {};
    const message = {
      role: "assistant",
      ...(content !== undefined && { content }),
      ...this.#message,
      ...calls,
    };
    return { finish_reason: null, ...this.#choice, message };
  }

  finish(whole: ReadMessage, { isFailed, events }: { readonly isFailed: boolean; readonly events: Event[] }): void {
    const hasEnded = whole.head.finish !== undefined && !isFailed;
    const calls = this.#calls.merged.sorted();
    for (const { place, part } of whole.parts) {
      if (part.type === "error") continue;
      const number = calls[place - places.calls]?.place ?? place;
      this.#parts.complete(number, part, { hasEnded, events });
      if (hasEnded) this.#parts.end(number, events);
    }
    this.#parts.close(whole.head, hasEnded, events);
  }
}

/** A call as it would be read whole, without its arguments. */
function beginning(call: MergedCall, from: { readonly made: string; readonly position: number }): PartOf<"tool-call"> {
  const part = readCall(call.whole(true), { ...from, path: [], issues: { issue: () => undefined } });
  if (part.type !== "tool-call") return { type: "tool-call", callId: from.made, name: call.name ?? "" };
  const { input: _, inputText: __, ...begun } = part;
  return begun;
}
