import { kept, present } from "../../codec/remainder.ts";
import type { Event } from "../../model/events.ts";
import type { JsonObject } from "../../model/json.ts";
import type { PartOf } from "../../model/parts.ts";
import { idSpelling } from "./calls.ts";
import type { LiveParts } from "./live-parts.ts";
import { type MergedCall, MergedCalls } from "./merged-calls.ts";
import { chatParts } from "./parts.ts";
import { madeFrom } from "./read-answer.ts";

type Call = PartOf<"tool-call">;

export interface LiveCallOptions {
  /** The place of the first call among the parts. */
  readonly first: number;
  /** A call whose text begins as whole JSON has ended. */
  readonly areWhole: boolean;
  /** What is known of a call at its start, without its arguments. Default: its id, name and kind. */
  readonly begin?: (call: MergedCall, from: { readonly made: string; readonly position: number }) => Call;
}

/** The calls of a choice while they come. */
export class LiveCalls {
  readonly merged: MergedCalls;
  readonly #parts: LiveParts;
  readonly #options: LiveCallOptions;
  /** The call that began last, or got its first arguments last. */
  #last: MergedCall | undefined;
  readonly #spoken = new Set<MergedCall>();

  constructor(parts: LiveParts, options: LiveCallOptions) {
    this.#parts = parts;
    this.#options = options;
    this.merged = new MergedCalls(options.first);
  }

  add(delta: JsonObject, events: Event[]): void {
    const call = this.merged.of(delta);
    const text = call.add(delta);
    this.say(call, { text, value: () => this.#valueOf(call), events });
  }

  /** A call begins when its name is known; then what came before of its arguments goes first. */
  say(
    call: MergedCall,
    { text, value, events }: { readonly text: string; readonly value: () => Call; readonly events: Event[] },
  ): void {
    if (call.name === undefined) return;
    const isNew = !this.#parts.has(call.place);
    const first = isNew ? call.pieces.join("") : text;
    const isFirst = first !== "" && !this.#spoken.has(call);
    if (isNew || isFirst) this.#follow(call, events);
    if (isNew) this.#parts.start(call.place, value(), events);
    if (first === "") return;
    this.#spoken.add(call);
    this.#parts.say(call.place, value(), { of: "tool-call", text: first, events });
    if (isNew && this.#options.areWhole && call.isComplete) this.#parts.end(call.place, events);
  }

  /** No end marks: a call is over when its text is whole JSON and another begins (E7); hosts announce all before the first text. */
  #follow(call: MergedCall, events: Event[]): void {
    const last = this.#last;
    if (last && last !== call && this.#spoken.has(last) && last.isComplete) this.#parts.end(last.place, events);
    this.#last = call;
  }

  #valueOf(call: MergedCall): Call {
    const position = this.merged.count - 1;
    const made = `~${madeFrom(this.#parts.told.responseId, this.#parts.message)}.${position}`;
    return (this.#options.begin ?? beginning)(call, { made, position });
  }
}

function beginning(call: MergedCall, { made }: { readonly made: string }): Call {
  const kind = call.isCustom ? { kind: "custom" } : {};
  const hints = kept(chatParts, undefined, present({ $id: idSpelling(call.id ?? call.noId) }));
  return { type: "tool-call", callId: call.id ?? made, name: call.name ?? "", ...kind, ...hints };
}
