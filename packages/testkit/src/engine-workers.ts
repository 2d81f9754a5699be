import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Event, Message } from "translogue";
import type { Reader } from "./cut-runs.ts";
import type { WorkerOrder } from "./engine-process.ts";

type Line =
  | { readonly run: string; readonly events: readonly Event[]; readonly messages?: undefined }
  | { readonly messages: readonly Message[] };

const script = fileURLToPath(new URL("engine-process.ts", import.meta.url));

const living = new Set<Worker>();

/** Ends all that are left, whatever became of the test that began them. */
export const killWorkers = async (): Promise<void> => {
  await Promise.all([...living].map(worker => worker.kill()));
};

/** A real process that does a scenario's runs, and is watched. */
export class Worker {
  /** Resolves with the scenario's messages; undefined where the process ended before. */
  readonly messages: Promise<readonly Message[] | undefined>;
  readonly exit: Promise<unknown>;
  readonly #child: ChildProcess;
  readonly #seen: { readonly at: number; readonly resolve: () => void }[] = [];
  #updates = 0;
  #isAtWork = true;

  constructor(order: WorkerOrder, reader: Reader) {
    const stdio = ["ignore", "pipe", "inherit"] as const;
    this.#child = spawn(process.execPath, ["--conditions=translogue-source", script, JSON.stringify(order)], {
      stdio: [...stdio],
    });
    living.add(this);
    this.exit = once(this.#child, "exit").finally(() => living.delete(this));
    this.messages = this.#read(reader);
  }

  get updates(): number {
    return this.#updates;
  }

  /** Whether the end of the scenario is still to come from it. */
  get isAtWork(): boolean {
    return this.#isAtWork;
  }

  /** Resolves once it has told so many updates, or has ended. */
  async told(updates: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#seen.push({ at: updates, resolve });
    await Promise.race([promise, this.messages]);
  }

  signal(signal: "SIGKILL" | "SIGSTOP" | "SIGCONT"): void {
    this.#child.kill(signal);
  }

  async kill(): Promise<void> {
    this.signal("SIGKILL");
    await this.messages;
  }

  async #read(reader: Reader): Promise<readonly Message[] | undefined> {
    let messages: readonly Message[] | undefined;
    for await (const text of createInterface({ input: this.#child.stdout ?? process.stdin })) {
      const line = JSON.parse(text) as Line; // as the process writes them
      if (line.messages) {
        messages = line.messages;
        this.#isAtWork = false;
      } else {
        reader.hear(line.run, line.events);
        this.#updates++;
        for (const { at, resolve } of this.#seen) if (this.#updates >= at) resolve();
      }
    }
    this.#isAtWork = false;
    return messages;
  }
}

/** How often each operation was begun, by all processes. */
export function countsIn(file: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of readFileSync(file, "utf8").split("\n").filter(Boolean))
    counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
