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
  #last: MergedCall | undefined;

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
    if (isNew) {
      // No end marks: a call is over when its text is complete and another begins (E7).
      if (this.#last?.isComplete) this.#parts.end(this.#last.place, events);
      this.#last = call;
      this.#parts.start(call.place, value(), events);
    }
    const first = isNew ? call.pieces.join("") : text;
    if (first === "") return;
    this.#parts.say(call.place, value(), { of: "tool-call", text: first, events });
    if (isNew && this.#options.areWhole && call.isComplete) this.#parts.end(call.place, events);
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
