import { appendFile, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

const mostLines = 1000;

/** What a person typed in earlier chats, one JSON string a line, the newest last. Nothing depends on it: a file that cannot be read or written is none. */
export class PastLines {
  readonly #file: string;
  #lines: string[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  async load(): Promise<void> {
    const text = await readFile(this.#file, "utf8").catch(() => "");
    const lines = text.split("\n").flatMap(readEntry);
    this.#lines = lines.slice(-mostLines);
    if (lines.length > mostLines * 2) await this.#shorten().catch(() => {});
  }

  async add(line: string): Promise<void> {
    if (line === this.#lines.at(-1)) return;
    this.#lines.push(line);
    try {
      await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
      await appendFile(this.#file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
    } catch {
      // Remembered for this chat only.
    }
  }

  async #shorten(): Promise<void> {
    const beside = `${this.#file}.${process.pid}.part`;
    await writeFile(beside, this.#lines.map(line => `${JSON.stringify(line)}\n`).join(""), { mode: 0o600 });
    await rename(beside, this.#file);
  }
}

function readEntry(text: string): string[] {
  try {
    const entry: unknown = JSON.parse(text);
    return typeof entry === "string" ? [entry] : [];
  } catch {
    return [];
  }
}
