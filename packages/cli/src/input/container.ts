import type { Scout } from "./lookahead.ts";
import { type JsonState, jsonState } from "./text.ts";

/** How values stand in a file: one JSON text over several lines, one value a line, server-sent events, or events a line behind a code. */
export type Container = "json" | "jsonl" | "sse" | "coded";

export const containers = ["json", "jsonl", "sse", "coded"] as const satisfies readonly Container[];

/** Whether what stands in it can only be the events of a stream. */
export const holdsEvents = (container: Container): boolean => container === "sse" || container === "coded";

/** A longer line is not read twice: how it ends tells enough. */
const longestLine = 64 * 1024 * 1024;
const sseField = /^(?:data|event|id|retry)?:/;
/** A code, a colon and JSON. */
export const codedLine = /^([\da-z]):(?=\s*["[{\d])/;
const lineFeed = 10;

const isBlank = (bytes: Buffer): boolean => bytes.toString("latin1").trim() === "";

/** Tells by the first two lines that are not blank. */
export class ContainerScout implements Scout<Container> {
  #pending: Buffer[] = [];
  #first: { readonly text: string; readonly state: JsonState } | undefined;

  push(chunk: Buffer): Container | undefined {
    let at = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, at)) {
      this.#pending.push(chunk.subarray(at, end));
      at = end + 1;
      const container = this.#line();
      if (container) return container;
    }
    this.#pending.push(chunk.subarray(at));
    return undefined;
  }

  /** There are no more lines: what is not JSON by itself is a JSON text that was cut. */
  end(): Container {
    return this.#line() ?? "json";
  }

  #line(): Container | undefined {
    const length = this.#pending.reduce((sum, piece) => sum + piece.length, 0);
    if (length > longestLine) return this.#longLine();
    const text = Buffer.concat(this.#pending)
      .toString("utf8")
      .replace(/^\ufeff/, "");
    this.#pending = [];
    if (text.trim() === "") return undefined;
    return this.#first ? secondLine(text, this.#first) : this.#firstLine(text);
  }

  /** A value of its own, unless more of it is to come, or it is inside of one. */
  #longLine(): Container {
    const last = this.#pending.findLast(piece => !isBlank(piece)) ?? Buffer.alloc(0);
    const isClosed = /[}\]]\s*$/.test(last.subarray(-64).toString("latin1"));
    return isClosed && this.#first?.state !== "partial" ? "jsonl" : "json";
  }

  #firstLine(text: string): Container | undefined {
    if (sseField.test(text)) return "sse";
    if (codedLine.test(text)) return "coded";
    const state = jsonState(text);
    if (state === "complete") return "jsonl";
    this.#first = { text, state };
    return undefined;
  }
}

/** After a first line that is no JSON by itself: it began a text of several lines, or it is a broken line of JSON Lines. */
function secondLine(text: string, first: { readonly text: string; readonly state: JsonState }): Container {
  if (first.state === "partial" && jsonState(`${first.text}\n${text}`) !== "broken") return "json";
  return jsonState(text) === "complete" ? "jsonl" : "json";
}
