import type { Problem } from "./worker/problem.ts";
import type { Call, Question, Questions, Reply } from "./worker/protocol.ts";
import type { Phase } from "./worker/read.ts";

interface Waiting {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Refusal) => void;
  readonly onPhase: ((phase: Phase) => void) | undefined;
}

/** The worker could not answer. */
export class Refusal extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

/** Asks the worker. What is asked of one that was stopped is never answered. */
export class Asker {
  #worker: Worker | undefined;
  #waiting = new Map<number, Waiting>();
  #count = 0;

  ask<Name extends Question>(
    name: Name,
    ask: Questions[Name]["ask"],
    onPhase?: (phase: Phase) => void,
  ): Promise<Questions[Name]["answer"]> {
    const worker = this.#begin();
    const id = this.#count++;
    return new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, onPhase });
      worker.postMessage({ id, name, ask } as Call); // the question's own
    }) as Promise<Questions[Name]["answer"]>; // the worker's contract
  }

  /** Leaves everything that is under way. */
  stop(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#waiting = new Map();
  }

  #begin(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(new URL("./worker/worker.ts", import.meta.url), { type: "module" });
    worker.addEventListener("message", ({ data }: MessageEvent<Reply>) => this.#take(data));
    worker.addEventListener("error", ({ message }) => this.#fail(message));
    this.#worker = worker;
    return worker;
  }

  #take(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id);
    if (!waiting) return;
    if ("phase" in reply) {
      waiting.onPhase?.(reply.phase);
      return;
    }
    this.#waiting.delete(reply.id);
    if ("answer" in reply) waiting.resolve(unpacked(reply));
    else waiting.reject(new Refusal(reply.problem));
  }

  /** The worker itself is gone: it was too much, or it could not be loaded. */
  #fail(message: string): void {
    const waiting = [...this.#waiting.values()];
    this.stop();
    for (const { reject } of waiting) reject(new Refusal({ code: "failed", message }));
  }
}

function unpacked({ answer, text }: Extract<Reply, { readonly answer: string }>): unknown {
  const value: unknown = JSON.parse(answer);
  return text === undefined ? value : { ...(value as object), text }; // what had a text beside it is an object
}
