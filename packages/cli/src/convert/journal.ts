import { isError } from "translogue";
import type { Place } from "../failure.ts";
import type { Screen } from "../io.ts";
import type { Progress } from "../output/progress.ts";
import { writeText } from "../output/sink.ts";
import { remarkLine } from "./report.ts";
import type { Remarks } from "./values.ts";

/** Says what a run has to say beside its result, and counts it. */
export class Journal {
  readonly #screen: Screen;
  readonly #quiet: boolean;
  readonly progress: Progress | undefined;
  /** Losses and issues so far; a loss that is carried along is none. */
  remarks = 0;

  constructor(options: { readonly screen: Screen; readonly quiet: boolean; readonly progress: Progress | undefined }) {
    this.#screen = options.screen;
    this.#quiet = options.quiet;
    this.progress = options.progress;
  }

  async say(file: string, remarks: readonly Remarks[]): Promise<void> {
    let text = "";
    for (const { line, remarks: all } of remarks) {
      const place: Place = { ...(file !== "-" && { file }), ...(line !== undefined && { line }) };
      this.remarks += all.filter(remark => !("loss" in remark && remark.loss.carried)).length;
      if (!this.#quiet) for (const remark of all) text += remarkLine(remark, place);
    }
    if (text === "") return;
    this.progress?.clear();
    await writeText(this.#screen, text).catch((error: unknown) => {
      // Whoever does not want to hear it still gets the result.
      if (!isError(error, "output/closed")) throw error;
    });
  }
}
