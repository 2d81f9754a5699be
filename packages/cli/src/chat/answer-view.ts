import type { Event, Json, Part, ToolCallPart, ToolResultPart } from "translogue";
import { paint } from "../io.ts";
import { printable } from "./printable.ts";

/** A piece of what is shown: the answer itself, or what stands around it. */
export interface Shown {
  readonly answer: string;
  readonly aside: string;
}

interface OpenPart {
  value: Part;
  text: string;
}

/** So much is shown of arguments and results. */
const mostShown = 2000;

/** The events of a run → text for a terminal. Text that models and tools write cannot steer the terminal. */
export class AnswerView {
  readonly #color: boolean;
  readonly #open = new Map<string, OpenPart>();
  /** What stands at the end of the output: an open line of text or reasoning, or nothing. */
  #line: "" | "text" | "reasoning" = "";
  #answer = "";
  #aside = "";

  constructor(options: { readonly color: boolean }) {
    this.#color = options.color;
  }

  push(event: Event): Shown {
    switch (event.type) {
      case "part-start":
        this.#start(`${event.message} ${event.part}`, event.value);
        break;
      case "part-delta":
        this.#delta(`${event.message} ${event.part}`, event.text);
        break;
      case "part-set":
        this.#set(`${event.message} ${event.part}`, event.set);
        break;
      case "part-end":
        this.#end(`${event.message} ${event.part}`);
        break;
      case "part":
        this.#whole(event.value);
        break;
      case "message-end":
        this.#break();
        break;
      case "error":
        this.#note("red", `error: ${event.error.message}`);
        break;
    }
    return this.#taken();
  }

  end(): Shown {
    for (const key of this.#open.keys()) this.#end(key);
    this.#break();
    return this.#taken();
  }

  #taken(): Shown {
    const shown = { answer: this.#answer, aside: this.#aside };
    this.#answer = "";
    this.#aside = "";
    return shown;
  }

  #start(key: string, value: Part): void {
    this.#open.set(key, { value, text: "" });
    if ("text" in value && value.text) this.#delta(key, value.text);
  }

  #delta(key: string, text: string): void {
    const part = this.#open.get(key);
    if (!part) return;
    const { type } = part.value;
    if (type === "text" || type === "refusal") this.#say("text", text);
    else if (type === "reasoning") this.#say("reasoning", text);
    else part.text += text;
  }

  #set(key: string, set: object): void {
    const part = this.#open.get(key);
    if (part) part.value = { ...part.value, ...set };
  }

  #end(key: string): void {
    const part = this.#open.get(key);
    this.#open.delete(key);
    if (!part) return;
    const { value, text } = part;
    if (value.type === "tool-call") this.#call(value, text);
    else if (value.type === "tool-result") this.#result(value, text);
    else if (value.type === "reasoning") this.#break();
    else if (value.type !== "text" && value.type !== "refusal") this.#whole(value);
  }

  #whole(value: Part): void {
    switch (value.type) {
      case "text":
      case "refusal":
        this.#say("text", value.text);
        break;
      case "reasoning":
        this.#say("reasoning", value.text ?? "(hidden reasoning)");
        this.#break();
        break;
      case "tool-call":
        this.#call(value, "");
        break;
      case "tool-result":
        this.#result(value, "");
        break;
      case "error":
        this.#note("red", `error: ${value.message}`);
        break;
      case "file":
        this.#note("cyan", `[file ${[value.mediaType, value.name].filter(Boolean).join(" ") || "without a name"}]`);
        break;
      case "source":
        this.#note("dim", `[source ${[value.title, value.url, value.name].filter(Boolean).join(" ")}]`);
        break;
      // Approvals are asked, the rest is the application's.
      default:
        break;
    }
  }

  #call({ name, input, inputText }: ToolCallPart, text: string): void {
    const given = text || inputText || (input === undefined ? "" : JSON.stringify(input));
    this.#note("cyan", `→ ${name} ${clipped(given)}`.trimEnd());
  }

  #result({ name, outcome, output = [] }: ToolResultPart, text: string): void {
    const words = output.map(describe).filter(Boolean).join("\n") + text;
    const label = outcome === undefined ? "" : ` ${outcome}`;
    this.#note(
      outcome === undefined ? "green" : "red",
      `←${name ? ` ${name}` : ""}${label} ${clipped(words)}`.trimEnd(),
    );
  }

  #say(kind: "text" | "reasoning", text: string): void {
    if (text === "") return;
    if (this.#line !== kind) this.#break();
    this.#line = kind;
    if (kind === "text") this.#answer += printable(text);
    else this.#aside += paint(this.#color, "dim", printable(text));
  }

  /** A line of its own. */
  #note(style: "red" | "cyan" | "green" | "dim", text: string): void {
    this.#break();
    this.#aside += `${paint(this.#color, style, printable(text))}\n`;
  }

  #break(): void {
    if (this.#line === "text") this.#answer += "\n";
    else if (this.#line === "reasoning") this.#aside += "\n";
    this.#line = "";
  }
}

function describe(part: Part): string {
  switch (part.type) {
    case "text":
    case "refusal":
      return part.text;
    case "data":
      return JSON.stringify(part.data satisfies Json);
    case "error":
      return part.message;
    case "file":
      return `[file ${part.mediaType ?? ""}]`;
    default:
      return `[${part.type}]`;
  }
}

const clipped = (text: string): string =>
  text.length > mostShown ? `${text.slice(0, mostShown)}… (${text.length.toLocaleString("en")} characters)` : text;
