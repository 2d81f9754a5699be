import { createInterface, type Interface } from "node:readline";
import type { Io } from "../io.ts";
import { goesOn } from "./slash.ts";

/** Lines that a person or a script gives, one text at a time. */
export interface Typed {
  /** Whether somebody sits there. */
  readonly isPerson: boolean;
  /** The next text, or why there is none: the input ended, or Ctrl-C was pressed twice. */
  next(prompt: string): Promise<string | undefined>;
  /** Whether the last `next` ended with Ctrl-C. */
  readonly wasInterrupted: boolean;
  close(): void;
}

export const typedLines = (io: Io, past: () => readonly string[]): Typed =>
  io.stdin.isTTY ? new Person(io, past) : new Script(io);

/** A line is a text; one that ends in a backslash goes on. */
class Script implements Typed {
  readonly isPerson = false;
  readonly wasInterrupted = false;
  readonly #interface: Interface;
  readonly #lines: AsyncIterator<string>;

  constructor(io: Io) {
    this.#interface = createInterface({ input: io.stdin, crlfDelay: Number.POSITIVE_INFINITY });
    this.#lines = this.#interface[Symbol.asyncIterator]();
  }

  async next(): Promise<string | undefined> {
    const text = new Continued();
    for (let line = await this.#lines.next(); !line.done; line = await this.#lines.next()) {
      const whole = text.add(line.value);
      if (whole !== undefined) return whole;
    }
    return text.rest();
  }

  close(): void {
    this.#interface.close();
  }
}

/** Lines until one does not go on. */
export class Continued {
  #lines: string[] = [];

  /** The whole text, once it is whole. A pasted line does not end it. */
  add(line: string, isPasted = false): string | undefined {
    if (!isPasted && goesOn(line)) {
      this.#lines.push(line.slice(0, -1));
      return undefined;
    }
    this.#lines.push(line);
    return isPasted ? undefined : this.rest();
  }

  get isEmpty(): boolean {
    return this.#lines.length === 0;
  }

  rest(): string | undefined {
    const text = this.#lines.length > 0 ? this.#lines.join("\n") : undefined;
    this.#lines = [];
    return text;
  }
}

const pasteMarks = { on: "\u001b[?2004h", off: "\u001b[?2004l" };

/**
 * A line editor that lives for one text: in between the terminal is its own, so that Ctrl-C is a signal while an answer
 * comes. The terminal marks what is pasted: its line ends do not send it.
 */
class Person implements Typed {
  readonly isPerson = true;
  wasInterrupted = false;
  readonly #io: Io;
  readonly #past: () => readonly string[];

  constructor(io: Io, past: () => readonly string[]) {
    this.#io = io;
    this.#past = past;
  }

  next(prompt: string): Promise<string | undefined> {
    const { stdin, stdout } = this.#io;
    this.wasInterrupted = false;
    const history = [...this.#past()].reverse();
    const editor = createInterface({
      input: stdin,
      output: stdout,
      terminal: true,
      prompt,
      history,
      historySize: 1000,
    });
    const text = new Continued();
    let isPasting = false;
    let isLeaving = false;
    const onKey = (_: unknown, key: { readonly name?: string } | undefined): void => {
      if (key?.name === "paste-start") isPasting = true;
      else if (key?.name === "paste-end") isPasting = false;
    };
    stdin.on("keypress", onKey);
    stdout.write(pasteMarks.on);
    return new Promise(resolve => {
      let result: string | undefined;
      editor.on("line", line => {
        isLeaving = false;
        // What comes back out of the history has its line ends as the editor keeps them.
        result = text.add(line.replaceAll("\r", "\n"), isPasting);
        if (result !== undefined) return editor.close();
        editor.setPrompt("… ");
        if (!isPasting) editor.prompt();
      });
      editor.on("SIGINT", () => {
        if (isLeaving) {
          this.wasInterrupted = true;
          return editor.close();
        }
        isLeaving = editor.line === "" && text.isEmpty;
        text.rest();
        stdout.write(isLeaving ? "\nCtrl-C once more leaves.\n" : "^C\n");
        editor.setPrompt(prompt);
        editor.write(null, { ctrl: true, name: "e" });
        editor.write(null, { ctrl: true, name: "u" });
        editor.prompt();
      });
      editor.on("close", () => {
        stdin.off("keypress", onKey);
        stdout.write(pasteMarks.off);
        if (result === undefined) stdout.write("\n");
        resolve(result);
      });
      editor.prompt();
    });
  }

  close(): void {}
}
