import type { Conversation, Message, PartOf, Severity } from "translogue";
import { estimate } from "translogue/history";
import { printable } from "../chat/printable.ts";
import { type Place, placeText } from "../failure.ts";
import { paint, type Style } from "../io.ts";
import { displayWidth, fitted, wrapped } from "../output/display-width.ts";
import type { Noted } from "./inspect-work.ts";
import { type PartContext, type Piece, partPieces } from "./part-lines.ts";

export interface TranscriptOptions extends Noted {
  readonly place: Place;
  readonly format: string;
  readonly shape: string;
  readonly full: boolean;
  readonly color: boolean;
  readonly columns: number;
}

/** A conversation for people to read: a box a message, calls with their results, tokens at the right, and what is wrong at the left. */
export const transcript = (conversation: Conversation, options: TranscriptOptions): string =>
  new Transcript(conversation, options).text();

const roleStyles: { readonly [role: string]: Style } = {
  user: "green",
  assistant: "cyan",
  system: "yellow",
  developer: "yellow",
  tool: "dim",
  control: "dim",
};

/** Two columns of margin, the box line and a space. */
const gutter = 4;
/** So many lines of a text are shown where it is folded. */
const mostLines = 12;

const marks = { error: "E", warning: "W", info: "i" } as const satisfies Record<Severity, string>;
const markStyles = { error: "red", warning: "yellow", info: "cyan" } as const satisfies Record<Severity, Style>;

interface MarginNote {
  readonly path: readonly (string | number)[];
  readonly mark: string;
  readonly style: Style;
  readonly text: string;
}

class Transcript {
  readonly #conversation: Conversation;
  readonly #options: TranscriptOptions;
  readonly #room: number;
  readonly #lines: string[] = [];
  readonly #context: PartContext;
  /** By message, then by part; -1 = about the message, or the conversation, itself. */
  readonly #notes = new Map<number, Map<number, MarginNote[]>>();

  constructor(conversation: Conversation, options: TranscriptOptions) {
    this.#conversation = conversation;
    this.#options = options;
    this.#room = Math.max(options.columns - gutter, 16);
    this.#context = contextOf(conversation, options.full);
    for (const note of notesOf(options)) this.#keep(note);
  }

  text(): string {
    const { messages } = this.#conversation;
    this.#head();
    for (const [index, message] of messages.entries()) this.#message(message, index);
    this.#lines.push(`  ${this.#dim(messages.length === 0 ? "╶ no messages" : "╰")}`, "");
    return this.#lines.join("\n");
  }

  #keep(note: MarginNote): void {
    const [root, message = -1, , part = -1] = note.path;
    const isIn = root === "messages" && typeof message === "number" && message < this.#conversation.messages.length;
    const place = isIn ? message : -1;
    const notes = this.#notes.get(place) ?? new Map<number, MarginNote[]>();
    this.#notes.set(place, notes);
    const inner = isIn && typeof part === "number" ? part : -1;
    notes.set(inner, [...(notes.get(inner) ?? []), note]);
  }

  #head(): void {
    const { place, format, shape, columns, endpoint, color } = this.#options;
    const { model, messages, title } = this.#conversation;
    const tokens = messages.reduce((sum, message) => sum + estimate(message), 0);
    const facts = [
      `${format} ${shape}`,
      ...(model === undefined ? [] : [model]),
      `${messages.length.toLocaleString("en")} ${messages.length === 1 ? "message" : "messages"}`,
      `~${tokens.toLocaleString("en")} tokens`,
      ...(endpoint === undefined ? [] : [`checked for ${endpoint}`]),
      ...(title === undefined ? [] : [title]),
    ];
    this.#lines.push(paint(color, "bold", fitted(placeText(place), columns)));
    this.#lines.push(...wrapped(oneLine(facts.join(" · ")), columns));
    this.#margin(-1, -1);
  }

  #message(message: Message, index: number): void {
    this.#title(message, index);
    this.#margin(index, -1);
    const before = this.#lines.length;
    message.parts.forEach((part, at) => {
      for (const piece of partPieces(part, this.#context)) this.#piece(piece);
      this.#margin(index, at);
    });
    if (this.#lines.length === before) {
      this.#piece({ text: message.parts.length === 0 ? "(empty)" : "(results, shown with their calls)", style: "dim" });
    }
  }

  #title(message: Message, index: number): void {
    const { color, columns } = this.#options;
    const { role, author, model, finish } = message;
    const facts = [
      ...(author?.name === undefined ? [] : [author.name]),
      ...(model === undefined || model === this.#conversation.model ? [] : [model]),
      ...(finish === undefined || finish.reason === "stop" || finish.reason === "tool-calls" ? [] : [finish.reason]),
    ];
    const tokens = ` ~${estimate(message).toLocaleString("en")} tokens`;
    const number = `${index} `;
    const room = Math.max(columns - gutter - 2 - number.length - tokens.length, 8);
    const name = fitted(oneLine(role), room);
    const rest = fitted(
      facts.length > 0 ? oneLine(` · ${facts.join(" · ")}`) : "",
      Math.max(room - displayWidth(name), 1),
    );
    const line = "─".repeat(Math.max(room - displayWidth(name) - displayWidth(rest), 0));
    const corner = index === 0 ? "╭" : "├";
    const roleStyle = Object.hasOwn(roleStyles, role) ? (roleStyles[role] ?? "bold") : "bold";
    const left = `${this.#dim(`${corner}─ ${number}`)}${paint(color, roleStyle, name)}`;
    this.#lines.push(`  ${left}${rest} ${this.#dim(`${line}${tokens}`)}`);
  }

  #piece({ text, style, fold, mark = "" }: Piece): void {
    const room = this.#room - displayWidth(mark);
    const isFolded = !this.#options.full && fold !== undefined;
    const clean = printable(text);
    const lines = isFolded && fold === "line" ? [fitted(oneLine(clean), room)] : wrapped(clean, Math.max(room, 8));
    const isLong = isFolded && lines.length > mostLines;
    const shown = isLong ? lines.slice(0, mostLines - 1) : lines;
    const indent = " ".repeat(displayWidth(mark));
    for (const [index, line] of shown.entries()) this.#line(`${index === 0 ? mark : indent}${line}`, style);
    if (isLong) this.#line(`${indent}… ${(lines.length - shown.length).toLocaleString("en")} more lines`, "dim");
  }

  #line(text: string, style: Style | undefined, mark: string | undefined = undefined): void {
    const { color } = this.#options;
    const margin = mark === undefined ? " " : style ? paint(color, style, mark) : mark;
    this.#lines.push(`${margin} ${this.#dim("│")} ${style ? paint(color, style, text) : text}`.trimEnd());
  }

  #margin(message: number, part: number): void {
    const notes = this.#notes.get(message);
    for (const [at, own] of notes ?? []) {
      // What names a part that is not there is the message's.
      const isLast = part === -1 && at >= (this.#conversation.messages[message]?.parts.length ?? 0);
      if (at !== part && !isLast) continue;
      for (const { mark, style, text } of own) {
        for (const [index, line] of wrapped(oneLine(text), this.#room).entries()) {
          this.#line(line, style, index === 0 ? mark : undefined);
        }
      }
    }
  }

  #dim(text: string): string {
    return paint(this.#options.color, "dim", text);
  }
}

const oneLine = (text: string): string => printable(text).replaceAll(/\s+/g, " ");

function notesOf({ issues, losses }: Noted): MarginNote[] {
  return [
    ...issues.map(({ severity, code, path, message, repair }) => ({
      path,
      mark: marks[severity],
      style: markStyles[severity],
      text: `${code}: ${message}${repair === undefined ? "" : ` (repair: ${repair})`}`,
    })),
    ...losses.map(({ kind, code, path, message }) => ({
      path,
      mark: "L",
      style: "yellow" as const,
      text: `${kind} ${code}: ${message}`,
    })),
  ];
}

/** Results by call: those behind it are shown with it. An id that comes again is the last call's that has it. */
function contextOf({ messages }: Conversation, full: boolean): PartContext {
  const called = new Map<string, PartOf<"tool-call">>();
  const results = new Map<PartOf<"tool-call">, PartOf<"tool-result">[]>();
  const shown = new Set<PartOf<"tool-result">>();
  for (const { parts } of messages) {
    for (const part of parts) {
      if (part.type === "tool-call") {
        called.set(part.callId, part);
        results.set(part, []);
      }
      const call = part.type === "tool-result" ? called.get(part.callId) : undefined;
      if (part.type !== "tool-result" || !call) continue;
      results.get(call)?.push(part);
      shown.add(part);
    }
  }
  return {
    full,
    resultsOf: call => results.get(call) ?? [],
    isShownWithCall: result => shown.has(result),
  };
}
