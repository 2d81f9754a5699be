import { Asker, Refusal } from "./asker.ts";
import { mostCharacters, type Problem } from "./worker/problem.ts";
import type { Offer, Opened, Question, Questions } from "./worker/protocol.ts";
import type { Asked, Phase } from "./worker/read.ts";

/** What the room shows at one moment. */
export interface InspectionView {
  readonly status: "empty" | "working" | "ready" | "failed";
  readonly phase?: Phase;
  /** Of the file, or of what was pasted. */
  readonly name: string;
  /** Characters of what was given. */
  readonly size: number;
  readonly problem?: Problem;
  readonly opened?: Opened;
  readonly selected?: number;
  /** Grows whenever something is to be brought into view. */
  readonly reveals: number;
}

const empty: InspectionView = { status: "empty", name: "", size: 0, reveals: 0 };

/** What is opened in the inspector. All the work is done beside the page. */
export class Inspection {
  readonly #asker = new Asker();
  readonly #listeners = new Set<() => void>();
  #view: InspectionView = empty;
  #given: { readonly text: string; readonly asked: Asked } = { text: "", asked: {} };
  readonly #offer = Promise.withResolvers<Offer>();
  #isOffered = false;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly view = (): InspectionView => this.#view;

  get text(): string {
    return this.#given.text;
  }

  offer(): Promise<Offer> {
    this.#askOffer();
    return this.#offer.promise;
  }

  #askOffer(): void {
    const taken = (offer: Offer): void => {
      this.#isOffered = true;
      this.#offer.resolve(offer);
    };
    this.#asker.ask("offer", {}).then(taken, this.#offer.reject);
  }

  /** Leaves what is under way, but for what the room needs to be there. */
  #stop(): void {
    this.#asker.stop();
    if (!this.#isOffered) this.#askOffer();
  }

  ask<Name extends Question>(name: Name, ask: Questions[Name]["ask"]): Promise<Questions[Name]["answer"]> {
    return this.#asker.ask(name, ask);
  }

  /** Reads a text; what was under way is left. */
  async open(text: string, name: string, asked: Asked = {}): Promise<void> {
    if (this.#view.status === "working") this.#stop();
    this.#given = { text, asked };
    this.#show({ ...empty, status: "working", phase: "reading", name, size: text.length });
    await this.#take(
      this.#asker.ask("open", { text, asked }, phase => this.#show({ ...this.#view, phase })),
      text,
    );
  }

  /** Reads the same text in another way. */
  again(asked: Asked): Promise<void> {
    return this.open(this.#given.text, this.#view.name, { ...this.#given.asked, ...asked });
  }

  async openFile(file: File): Promise<void> {
    if (file.size > mostCharacters * 3) {
      return this.refuse({ code: "too-large", message: "" }, file.name);
    }
    this.#show({ ...empty, status: "working", phase: "reading", name: file.name });
    try {
      await this.open(await textOf(file), file.name);
    } catch (error) {
      this.refuse({ code: "not-text", message: error instanceof Error ? error.message : "" }, file.name);
    }
  }

  refuse(problem: Problem, name: string): void {
    this.#show({ ...empty, status: "failed", problem, name });
  }

  async repair(ask: Questions["repair"]["ask"]): Promise<void> {
    await this.#take(this.#asker.ask("repair", ask), this.#given.text);
  }

  async undo(): Promise<void> {
    await this.#take(this.#asker.ask("undo", {}), this.#given.text);
  }

  select(selected: number | undefined): void {
    const { selected: _, ...view } = this.#view;
    this.#show({ ...view, reveals: view.reveals + 1, ...(selected !== undefined && { selected }) });
  }

  /** The next message from the one selected, or the one before it. */
  walk(step: 1 | -1): void {
    const { opened, selected } = this.#view;
    const messages = (opened?.rows ?? []).flatMap(({ kind }, row) => (kind === "message" ? [row] : []));
    const at = selected ?? (step > 0 ? -1 : messages.length);
    const next = step > 0 ? messages.find(row => row > at) : messages.findLast(row => row < at);
    if (next !== undefined) this.select(next);
  }

  close(): void {
    this.#stop();
    this.#given = { text: "", asked: {} };
    this.#show(empty);
  }

  async #take(answer: Promise<Opened>, text: string): Promise<void> {
    try {
      const opened = await answer;
      const { problem: _, phase: __, selected: ___, ...view } = this.#view;
      if (this.#given.text === text) this.#show({ ...view, status: "ready", opened });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { opened: _, ...view } = this.#view;
      this.#show({ ...view, status: "failed", problem: error.problem });
    }
  }

  #show(view: InspectionView): void {
    this.#view = view;
    for (const listener of this.#listeners) listener();
  }
}

/** Text of a file, unpacked where it is packed. Throws where it is no UTF-8. */
async function textOf(file: File): Promise<string> {
  const begin = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const isPacked = begin[0] === 0x1f && begin[1] === 0x8b;
  const stream = isPacked ? file.stream().pipeThrough(new DecompressionStream("gzip")) : file.stream();
  const bytes = await new Response(stream).arrayBuffer();
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}
