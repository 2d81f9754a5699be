import { continues } from "./text-cutter.ts";

/** A piece of Markdown that stands for itself. */
export type Block = TextBlock | CodeBlock;

export interface TextBlock {
  readonly kind: "text";
  readonly text: string;
  /** It is the middle of something that was too long for one piece. */
  readonly isRest: boolean;
}

export interface CodeBlock {
  readonly kind: "code";
  readonly language: string;
  readonly code: string;
}

export interface Blocks {
  /** They never change again: the same objects each time. */
  readonly finished: readonly Block[];
  readonly open: Block | undefined;
  /** Lines that other blocks refer to by a label, by that label. The same object as long as they are the same. */
  readonly definitions: ReadonlyMap<string, string>;
}

/** What is parsed at once at most, so that a text without a border does not cost its square. */
const longest = 8_000;

/** Characters of a line that tell whether it is an item of a list. */
const telling = 12;

const fenceLine = /^( {0,3}|\s*(?:[-*+]|\d{1,9}[.)])\s+|\s+)(`{3,}|~{3,})(.*)$/;
const listLine = /^ {0,3}(?:([-*+])|\d{1,9}([.)]))(?:\s|$)/;
const headingLine = /^ {0,3}#{1,6}(?:\s|$)/;
const definitionLine = /^ {0,3}\[([^\]\n]{1,200})\]:\s*\S/;
const tableRule = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;

interface Fence {
  readonly mark: string;
  /** Inside a list: it does not end the block. */
  readonly isInside: boolean;
}

/** Markdown that grows, in blocks: what came before the last one is not looked at again. */
export class MarkdownBlocks {
  #seen = "";
  #finished: readonly Block[] = [];
  #cut: Block[] = [];
  /** Where the open block begins, and where its first unread line does. */
  #start = 0;
  #line = 0;
  #list = "";
  #isAfterBlank = false;
  #isRest = false;
  #fence: Fence | undefined;
  #lines: string[] = [];
  #tableHead = "";
  #definitions: ReadonlyMap<string, string> = new Map();
  /** Those that were read since. */
  #defined: [string, string][] = [];

  read(text: string): Blocks {
    if (!continues(this.#seen, text)) this.#restart();
    this.#seen = text;
    for (let end = text.indexOf("\n", this.#line); end >= 0; end = text.indexOf("\n", this.#line)) {
      this.#take(text, this.#line, end);
      this.#line = end + 1;
    }
    if (this.#fence === undefined) this.#look(text);
    if (this.#cut.length > 0) this.#finished = [...this.#finished, ...this.#cut];
    this.#cut = [];
    if (this.#defined.length > 0) this.#definitions = new Map([...this.#definitions, ...this.#defined]);
    this.#defined = [];
    return { finished: this.#finished, open: this.#open(text), definitions: this.#definitionsWith(text) };
  }

  /** A line that has not ended yet may already be seen to begin a block, or be too long. */
  #look(text: string): void {
    const line = text.slice(this.#line, this.#line + telling);
    if (this.#isAfterBlank && line.length === telling && this.#isBorder(line)) this.#finish(text, this.#line);
    this.#cutLongLine(text, text.length);
  }

  /** The last line may be a definition without a line end. */
  #definitionsWith(text: string): ReadonlyMap<string, string> {
    const line = this.#fence ? "" : text.slice(this.#line, this.#line + longest);
    const [, label] = definitionLine.exec(line) ?? [];
    return label === undefined ? this.#definitions : new Map([...this.#definitions, [labelKey(label), line.trim()]]);
  }

  #restart(): void {
    this.#finished = [];
    this.#start = 0;
    this.#line = 0;
    this.#fence = undefined;
    this.#definitions = new Map();
    this.#begin(0);
  }

  #begin(at: number): void {
    this.#start = at;
    this.#list = "";
    this.#isAfterBlank = false;
    this.#isRest = false;
    this.#tableHead = "";
    this.#lines = [];
  }

  /** One whole line, without its end. */
  #take(text: string, from: number, end: number): void {
    const line = text.slice(from, text[end - 1] === "\r" ? end - 1 : end);
    if (this.#fence) {
      if (isFenceEnd(line, this.#fence.mark)) this.#endFence(text, from, end + 1);
      return;
    }
    if (line.trim() === "") {
      this.#isAfterBlank = true;
      return;
    }
    const fence = this.#fenceOf(line);
    if (fence?.isInside === false || this.#isBorder(line)) this.#finish(text, from);
    this.#fence = fence;
    if (fence?.isInside === false) return;
    this.#see(line);
    if (headingLine.test(line) && this.#list === "") this.#finish(text, end + 1);
    else this.#cutLongLine(text, end);
    if (end - this.#start > longest && this.#list === "") this.#cutAt(text, end + 1);
  }

  /** The fence that a line opens. Behind a list's mark, or an indent in a list, it is one inside the list. */
  #fenceOf(line: string): Fence | undefined {
    const [, before = "", mark = "", info = ""] = fenceLine.exec(line) ?? [];
    if (mark === "" || (mark.startsWith("`") && info.includes("`"))) return undefined;
    const isInside = before.trim() !== "" || (this.#list !== "" && before.length > 1);
    return isInside || before.length < 4 ? { mark, isInside } : undefined;
  }

  #endFence(text: string, from: number, end: number): void {
    const isInside = this.#fence?.isInside ?? false;
    this.#fence = undefined;
    if (isInside) return;
    this.#cut.push(codeBlock(text.slice(this.#start, from)));
    this.#begin(end);
  }

  /** Whether a line that is not blank begins a block of its own. */
  #isBorder(line: string): boolean {
    if (this.#lines.length === 0 && !this.#isRest) return false;
    const list = listLine.exec(line);
    if (this.#list !== "") {
      const isNext = list && (list[1] ?? list[2]) === this.#list;
      if (isNext && this.#line - this.#start > longest) return true;
      return this.#isAfterBlank && !isNext && !/^\s{2}/.test(line);
    }
    if (headingLine.test(line)) return true;
    return this.#isAfterBlank && !/^ {4}|^\t/.test(line);
  }

  #see(line: string): void {
    const list = listLine.exec(line);
    if (this.#lines.length === 0 && list) this.#list = list[1] ?? list[2] ?? "";
    if (this.#lines.length === 1 && tableRule.test(line) && line.includes("-") && this.#lines[0]?.includes("|")) {
      this.#tableHead = `${this.#lines[0]}\n${line}\n`;
    }
    const [, label] = definitionLine.exec(line) ?? [];
    if (label !== undefined) this.#defined.push([labelKey(label), line.trim()]);
    if (this.#lines.length < 2) this.#lines.push(line);
    this.#isAfterBlank = false;
  }

  #finish(text: string, at: number): void {
    const block = this.#textBlock(text, at);
    if (block) this.#cut.push(block);
    this.#begin(at);
  }

  /** Cuts in the middle of a block; a table's next piece has its head again. */
  #cutAt(text: string, at: number): void {
    const head = this.#tableHead;
    this.#finish(text, at);
    this.#isRest = true;
    this.#tableHead = head;
  }

  /** A line that does not end is cut between words. */
  #cutLongLine(text: string, end: number): void {
    while (end - this.#start > longest * 2 && this.#list === "") {
      const space = text.lastIndexOf(" ", this.#start + longest);
      const at = space > this.#start ? space + 1 : this.#start + longest;
      const isHalf = /[\uD800-\uDBFF]/.test(text[at - 1] ?? "");
      this.#cutAt(text, isHalf ? at + 1 : at);
      this.#line = Math.max(this.#line, this.#start);
    }
  }

  #textBlock(text: string, end: number): Block | undefined {
    const raw = text.slice(this.#start, end);
    if (raw.trim() === "") return undefined;
    const head = this.#isRest ? this.#tableHead : "";
    return { kind: "text", text: head + raw.replace(/^\s*\n/, "").trimEnd(), isRest: this.#isRest };
  }

  #open(text: string): Block | undefined {
    if (!this.#fence || this.#fence.isInside) return this.#textBlock(text, text.length);
    // The last line may be the fence's end without a line end of its own.
    const isWhole = this.#line > this.#start && isFenceEnd(text.slice(this.#line), this.#fence.mark);
    return codeBlock(text.slice(this.#start, isWhole ? this.#line : text.length));
  }
}

/** Whether a line is made of the mark alone, or of more of it. */
function isFenceEnd(line: string, mark: string): boolean {
  const closing = line.trim();
  return closing.length >= mark.length && closing === mark[0]?.repeat(closing.length);
}

/** The block of a fence with its opening line, without its closing one. */
function codeBlock(fenced: string): CodeBlock {
  const lineEnd = fenced.indexOf("\n");
  const opening = lineEnd < 0 ? fenced : fenced.slice(0, lineEnd);
  const [, indent = "", , info = ""] = /^( *)(`{3,}|~{3,})(.*)$/.exec(opening.trimEnd()) ?? [];
  const body = lineEnd < 0 ? "" : fenced.slice(lineEnd + 1);
  const lines = indent === "" ? body : body.replaceAll(new RegExp(`^ {1,${indent.length}}`, "gm"), "");
  const code = lines.endsWith("\n") ? lines.slice(0, -1) : lines;
  return { kind: "code", language: info.trim().split(/\s/)[0] ?? "", code };
}

/** Labels are told apart as Markdown does: case and runs of spaces count for nothing. */
export const labelKey = (label: string): string => label.trim().replaceAll(/\s+/g, " ").toLowerCase();

/** A block's text with the definitions behind it that it refers to. */
export function withDefinitions({ text }: TextBlock, definitions: Blocks["definitions"]): string {
  if (definitions.size === 0 || !text.includes("[")) return text;
  const labels = new Set(Array.from(text.matchAll(/\[([^[\]]{1,200})\]/g), ([, label = ""]) => labelKey(label)));
  const lines = [...labels].flatMap(label => definitions.get(label) ?? []).filter(line => !text.includes(line));
  return lines.length === 0 ? text : `${text}\n\n${lines.join("\n")}`;
}
