import { isError } from "translogue";
import type { Place } from "../failure.ts";
import type { Screen } from "../io.ts";
import type { Progress } from "../output/progress.ts";
import { type Sink, writeText } from "../output/sink.ts";
import { table } from "../output/table.ts";
import { type Remark, remarkLine } from "./remark.ts";
import type { Remarks } from "./values.ts";

/** How losses, issues and changes are said: the first of each code and then how many, every one, only how many, or not at all. */
export const tellings = ["first", "all", "summary", "none"] as const;
export type Telling = (typeof tellings)[number];

/** So many of one code are said singly where not all are asked for. */
const firstFew = 10;

interface Count {
  readonly what: "loss" | "issue" | "change";
  readonly code: string;
  /** Of a loss its kind, of an issue its severity, of a change nothing. */
  readonly sort: string;
  times: number;
  carried: number;
}

/** Says what a run has to say beside its result, and counts it. Memory is a count a code, however long the run. */
export class Journal {
  readonly #screen: Screen;
  readonly #telling: Telling;
  readonly #report: Sink | undefined;
  readonly progress: Progress | undefined;
  readonly #counts = new Map<string, Count>();
  #heldBack = false;
  #messages = 0;
  /** Losses, issues and changes so far; a loss that is carried along is none. */
  remarks = 0;

  constructor(options: {
    readonly screen: Screen;
    readonly telling: Telling;
    readonly progress: Progress | undefined;
    /** Gets every remark, whatever is said on the screen. */
    readonly report?: Sink | undefined;
  }) {
    this.#screen = options.screen;
    this.#telling = options.telling;
    this.progress = options.progress;
    this.#report = options.report;
  }

  /** So many more messages are converted. */
  converted(messages: number): void {
    this.#messages += messages;
    this.progress?.converted(messages);
  }

  async say(file: string, remarks: readonly Remarks[]): Promise<void> {
    let [text, reported] = ["", ""];
    for (const { line, remarks: all } of remarks) {
      const place: Place = { ...(file !== "-" && { file }), ...(line !== undefined && { line }) };
      for (const remark of all) {
        const isSaid = this.#counted(remark);
        if (!isSaid && !this.#report) continue;
        const saying = remarkLine(remark, place);
        if (isSaid) text += saying;
        reported += saying;
      }
    }
    await this.#write(text);
    await this.#report?.write(reported);
  }

  /** What was not said singly, as counts: a table for people, one line of JSON for programs. */
  async end(): Promise<void> {
    if (!this.#heldBack) return;
    const counts = [...this.#counts.values()].sort((a, b) => b.times - a.times);
    await this.#write(
      this.#screen.isTTY
        ? summaryTable(counts)
        : `${JSON.stringify({ summary: { messages: this.#messages, counts } })}\n`,
    );
  }

  /** Counts a remark, and whether it is to be said now. */
  #counted(remark: Remark): boolean {
    const about = aboutOf(remark);
    const key = `${about.what} ${about.code} ${about.sort}`;
    const count = this.#counts.get(key) ?? { ...about, times: 0, carried: 0 };
    this.#counts.set(key, count);
    count.times++;
    if ("loss" in remark && remark.loss.carried) count.carried++;
    else this.remarks++;
    if (this.#telling === "none") return false;
    const isSaid = this.#telling === "all" || (this.#telling === "first" && count.times <= firstFew);
    if (!isSaid) this.#heldBack = true;
    return isSaid;
  }

  async #write(text: string): Promise<void> {
    if (text === "") return;
    this.progress?.clear();
    await writeText(this.#screen, text).catch((error: unknown) => {
      // Whoever does not want to hear it still gets the result.
      if (!isError(error, "output/closed")) throw error;
    });
  }
}

function aboutOf(remark: Remark): Pick<Count, "what" | "code" | "sort"> {
  if ("loss" in remark) return { what: "loss", code: remark.loss.code, sort: remark.loss.kind };
  if ("issue" in remark) return { what: "issue", code: remark.issue.code, sort: remark.issue.severity };
  return { what: "change", code: remark.change.repair, sort: "" };
}

const summaryTable = (counts: readonly Count[]): string =>
  table(
    ["times", "carried", "what", "code", "kind"],
    counts.map(({ what, code, sort, times, carried }) => [
      times.toLocaleString("en"),
      carried === 0 ? "" : carried.toLocaleString("en"),
      what,
      code,
      sort,
    ]),
    false,
  );
