/** Tools of a stream as chunks of the AI SDK's: their calls, and what is asked, answered and found. */

import type { At } from "../../model/events.ts";
import type { Part, PartOf, ToolResultPart } from "../../model/parts.ts";
import { mergeMembers } from "../../stream/merge.ts";
import { AnswersOut } from "./stream-answers.ts";
import { CallsOut } from "./stream-calls.ts";
import { type PartOrder, type PartsOptions, placeOf } from "./stream-out.ts";

type Tool = PartOf<"tool-call" | "tool-result" | "approval-request" | "approval-response">;

/** A result that goes out once it is whole. */
interface ResultOut {
  readonly at: At;
  value: ToolResultPart;
  readonly text: string[];
}

export class ToolsOut {
  readonly #options: PartsOptions;
  readonly #calls: CallsOut;
  readonly #answers: AnswersOut;
  readonly #results = new Map<string, ResultOut>();

  constructor(options: PartsOptions, order: PartOrder) {
    this.#options = options;
    this.#calls = new CallsOut(options);
    this.#answers = new AnswersOut(options, this.#calls, order);
  }

  start(at: At, value: Tool): void {
    this.#enter(at, value);
    if (value.type === "tool-call") this.#calls.start(at, value);
    else if (value.type === "tool-result") this.#results.set(placeOf(at), { at, value, text: [] });
    else this.whole(at, value);
  }

  append(at: At, text: string): void {
    if (!this.#calls.append(at, text)) this.#results.get(placeOf(at))?.text.push(text);
  }

  set(at: At, set: object): void {
    const result = this.#results.get(placeOf(at));
    if (result) result.value = mergeMembers(result.value, set);
    else this.#calls.set(at, set);
  }

  finish(at: At): void {
    this.#calls.finish(at);
    const result = this.#results.get(placeOf(at));
    if (!result) return;
    this.#results.delete(placeOf(at));
    this.#answers.answer(at, result.text.length > 0 ? withText(result.value, result.text.join("")) : result.value);
  }

  whole(at: At, value: Tool): void {
    this.#enter(at, value);
    switch (value.type) {
      case "tool-call":
        this.#calls.whole(at, value);
        break;
      case "tool-result":
        this.#results.delete(placeOf(at));
        this.#answers.answer(at, value);
        break;
      case "approval-request":
        this.#answers.ask(at, value);
        break;
      case "approval-response":
        this.#answers.respond(at, value);
    }
  }

  /** What is told with a call of an earlier step says nothing where it stands. */
  #enter(at: At, value: Tool): void {
    const call = value.type === "tool-result" ? this.#calls.get(value.callId) : undefined;
    this.#options.enter(at.message, !call || this.#options.isOfStep(call.at.message));
  }

  forget(): void {
    this.release({ isEnd: true });
    this.#calls.forget();
    this.#answers.forgetAll();
  }

  restart(message: number): void {
    for (const call of this.#calls.restart(message)) this.#answers.forget(call);
  }

  /** What waited for an answer or an error that did not come. */
  release(until: { readonly isEnd: boolean }): void {
    this.#calls.release();
    this.#answers.release(until);
  }

  end(): void {
    for (const { at } of this.#results.values()) this.finish(at);
    this.#calls.end();
    this.release({ isEnd: true });
  }
}

function withText(result: ToolResultPart, text: string): ToolResultPart {
  const output = result.output ?? [];
  const last = output.at(-1);
  const others: readonly Part[] = last?.type === "text" ? output.slice(0, -1) : output;
  return { ...result, output: [...others, { ...(last?.type === "text" ? last : { type: "text" }), text }] };
}
