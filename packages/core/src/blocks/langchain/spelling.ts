import type { Message } from "../../model/conversation.ts";
import { isJsonObject, type Json } from "../../model/json.ts";
import { type ExactText, exactTable, inputTextOf } from "../../model/json-text.ts";
import type { ToolCallPart } from "../../model/parts.ts";
import { addSpelling } from "../spelling.ts";
import { writtenId } from "./call-hints.ts";

/** Tells the spelling of the arguments that LangChain derives of the texts of calls' pieces, beside which they stand. */
export function tellDerived(pieces: readonly Json[], calls: readonly Json[], exact: ExactText): void {
  const derived = calls.flatMap(call => (isJsonObject(call) ? [call["args"] ?? null] : []));
  for (const piece of pieces) {
    const text = isJsonObject(piece) ? piece["args"] : undefined;
    if (typeof text !== "string" || !/\d/.test(text)) continue;
    for (const input of derived) {
      const call: ToolCallPart = { type: "tool-call", callId: "", name: "", input, inputText: text };
      addSpelling(exactTable({ messages: [{ role: "assistant", parts: [call] }] }), exact);
    }
  }
}

/** The texts of a message's arguments (R7), by the ids of its calls as they are written; each is taken once. */
export class InputTexts {
  readonly #byId = new Map<Json, string[]>();

  constructor({ parts }: Message) {
    for (const part of parts) {
      const text = part.type === "tool-call" ? inputTextOf(part) : undefined;
      if (part.type !== "tool-call" || text === undefined) continue;
      const id = writtenId(part) ?? null;
      const texts = this.#byId.get(id);
      if (texts) texts.push(text);
      else this.#byId.set(id, [text]);
    }
  }

  /** The next text of the id that is said to fit; undefined where none does. */
  take(id: Json, fits: (text: string) => boolean): string | undefined {
    const texts = this.#byId.get(id);
    const place = texts?.findIndex(fits) ?? -1;
    return place < 0 ? undefined : texts?.splice(place, 1)[0];
  }
}
