import { type Event, isJsonObject, type Json, partialJson } from "translogue";
import type { AgentResponseUpdate } from "../response.ts";
import { begun, withoutEnd } from "./fences.ts";
import { type ResponseFormat, readResponseFormat } from "./response-format.ts";

/**
 * The value that a run is about to give, as far as it has come. It costs what its text is long. One object grows in place:
 * copy it to keep a moment of it.
 */
export class PartialResult {
  readonly #holder: string | undefined;
  readonly #tool: string | undefined;
  /** How an answer begins that is no words. */
  readonly #begins: RegExp;
  readonly #takesWords: boolean;
  readonly #isText: boolean;
  #words = "";
  #text = partialJson();
  #call: { readonly message: number; readonly part: number } | undefined;
  /** What came of its beginning, while a line may still come that only wraps it. */
  #held: string | undefined;
  #isWrapped = false;
  /** Words stand before anything that could be JSON: this message is talk. */
  #isTalk: boolean | undefined;

  constructor(format: ResponseFormat = "json") {
    const { asked, holder, tool, readWords } = readResponseFormat(format);
    const isText = asked.type === "text";
    this.#isText = isText;
    this.#held = isText ? undefined : "";
    this.#holder = holder;
    this.#tool = tool?.name;
    this.#takesWords = isText || readWords !== undefined;
    this.#begins = isText ? /(?!)/ : readWords ? /^[[{"]/ : /^[[{"\d-]|^(?:true|false|null)/;
  }

  /** The value after this update; undefined while there is none. */
  push(update: AgentResponseUpdate): Json | undefined {
    for (const event of update.events) this.#take(event);
    return this.value;
  }

  get value(): Json | undefined {
    if (this.#isTalk && this.#takesWords) return this.#isWrapped ? withoutEnd(this.#words) : this.#words;
    const { value, state } = this.#text;
    if (state === "invalid" && value === undefined) return undefined;
    return this.#holder !== undefined && isJsonObject(value) ? value[this.#holder] : value;
  }

  #take(event: Event): void {
    switch (event.type) {
      case "message-start":
        this.#text = partialJson();
        this.#isTalk = undefined;
        this.#words = "";
        this.#held = this.#isText ? undefined : "";
        this.#isWrapped = false;
        this.#call = undefined;
        break;
      case "part-start":
      case "part":
        if (event.value.type === "tool-call" && event.value.name === this.#tool) this.#call = event;
        else if (event.value.type === "text") this.#push(event.value.text);
        break;
      case "part-delta":
        if (event.of === "text") this.#push(event.text);
        else if (event.of === "tool-call" && this.#call?.part === event.part) this.#text.push(event.text);
        break;
      default:
    }
  }

  #push(text: string): void {
    if (this.#tool !== undefined) return;
    if (this.#held !== undefined) {
      this.#held += text;
      const beginning = begun(this.#held);
      if (!beginning) return;
      this.#held = undefined;
      this.#isWrapped = beginning.isWrapped;
      if (beginning.text !== "") this.#push(beginning.text);
      return;
    }
    const first = text.trimStart();
    const isBeginning = this.#isTalk === undefined;
    if (isBeginning && first !== "") this.#isTalk = !this.#begins.test(first);
    // A byte order mark, or a space that is none of JSON's, hides no value behind it.
    if (this.#isTalk !== true) this.#text.push(isBeginning ? first : text);
    else if (this.#takesWords) this.#words += text;
  }
}
