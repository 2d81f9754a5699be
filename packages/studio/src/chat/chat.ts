import type { Client } from "@translogue/server/client";
import { RequestError } from "@translogue/server/client";
import type { ChatRequest, SessionBody } from "@translogue/server/contract";
import type { ApprovalRequestPart, InputRequestPart, Json, Message } from "translogue";
import { isWordOnly } from "../transcript/entries.ts";
import type { AnswerReader } from "./answer-reader.ts";
import { generation } from "./dialect.ts";
import { type Failure, failureOf } from "./failure.ts";
import { answerAgain, answerTo, branchOf, decision, nextTurn, startOfAnswer, wholeHistory } from "./turn.ts";

export type Status = "loading" | "missing" | "ready" | "sending" | "streaming" | "stopping" | "reconnecting";

/** A chat at one moment. What did not change is the same object as the moment before. */
export interface ChatView {
  readonly status: Status;
  /** All that is over. */
  readonly settled: readonly Message[];
  /** The answer that is being written. */
  readonly live: readonly Message[];
  /** Why the last request came to nothing. */
  readonly failure?: Failure;
}

export interface ChatOptions {
  readonly id: string;
  /** Whether the server may have it already. */
  readonly isStored: boolean;
  readonly client: Client;
  /** Calls back once, at the display's next chance. */
  readonly onFrame: (draw: () => void) => void;
  readonly wait: (milliseconds: number) => Promise<void>;
  /** The server took the first message: the session is there. */
  readonly onBegun?: () => void;
}

/** Milliseconds before each attempt to take up a stream that was cut. */
const pauses = [0, 500, 2000, 5000];

/** One conversation with the server: what was said, what is being said, and what can be done about it. */
export class Chat {
  readonly id: string;
  readonly #options: ChatOptions;
  readonly #listeners = new Set<() => void>();
  #view: ChatView;
  #abort = new AbortController();
  #reader: AnswerReader | undefined;
  #isDrawing = false;
  /** Whether the server has all that is settled. */
  #isStored = true;

  constructor(options: ChatOptions) {
    this.id = options.id;
    this.#options = options;
    this.#view = { status: options.isStored ? "loading" : "ready", settled: [], live: [] };
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly view = (): ChatView => this.#view;

  async open(): Promise<void> {
    if (this.#view.status === "loading") await this.load();
  }

  /** Reads what the server has, and takes up the answer that is under way. */
  async load(): Promise<void> {
    this.#show({ status: "loading", settled: [], live: [] });
    const signal = this.#begin();
    try {
      this.#take(await this.#options.client.session(this.id), signal);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof RequestError && error.status === 404)
        this.#show({ status: "missing", settled: [], live: [] });
      else this.#show({ status: "missing", settled: [], live: [], failure: failureOf(error) });
    }
  }

  /** A new message. What was sent before and not taken goes along. */
  async send(message: Message, model?: string): Promise<void> {
    if (!this.#isIdle) return;
    const settled = [...this.#view.settled, message];
    const turn = { session: this.id, model, messages: settled };
    const request = this.#isStored ? nextTurn({ ...turn, messages: [message] }) : wholeHistory(turn);
    this.#isStored = false;
    await this.#ask(request, settled);
  }

  /** Answers a request for approval; the run goes on with it. */
  async decide(
    request: ApprovalRequestPart,
    answer: { readonly approved: boolean; readonly reason?: string },
    model?: string,
  ): Promise<void> {
    const asking = this.#view.settled.find(({ parts }) => parts.includes(request));
    if (!this.#isIdle || !asking) return;
    const before = this.#view.settled;
    const settled = [...before, decision(asking, request, answer)];
    const isTaken = await this.#ask(wholeHistory({ session: this.id, model, messages: settled }), settled);
    // What the server did not take was not decided.
    if (!isTaken && this.#view.settled === settled) this.#show({ ...this.#view, settled: before });
  }

  /** Answers a question; the run goes on with it. Without a value the person does not say. */
  async answer({ requestId }: InputRequestPart, value: Json | undefined, model?: string): Promise<void> {
    if (!this.#isIdle) return;
    const before = this.#view.settled;
    const message = answerTo(requestId, value);
    const settled = [...before, message];
    const isTaken = await this.#ask(nextTurn({ session: this.id, model, messages: [message] }), settled);
    // As above.
    if (!isTaken && this.#view.settled === settled) this.#show({ ...this.#view, settled: before });
  }

  /** Asks for another answer to the last turn: what a person said on the way is asked again. */
  async retry(model?: string): Promise<void> {
    if (!this.#isIdle) return;
    const end = this.#view.settled.findLastIndex(message => message.role === "user" && !isWordOnly(message)) + 1;
    if (end === 0) return this.load();
    const settled = this.#view.settled.slice(0, end);
    await this.#ask(answerAgain({ session: this.id, model, messages: settled }), settled);
  }

  /** Stops the answer; what has been said is kept. */
  async stop(): Promise<void> {
    const { status } = this.#view;
    if (status !== "sending" && status !== "streaming" && status !== "reconnecting") return;
    this.#show({ ...this.#view, status: "stopping" });
    const abort = this.#abort;
    try {
      await this.#options.client.stop(this.id);
      // The stream ends by itself now; one that hangs is left.
      await this.#options.wait(3000);
    } catch {
      // Whoever cannot be told to stop is not listened to any more.
    }
    if (this.#abort === abort && this.#view.status === "stopping") {
      abort.abort();
      this.#settle();
    }
  }

  /** Nobody looks any more. The run goes on without us. */
  leave(): void {
    this.#abort.abort();
    this.#listeners.clear();
  }

  get #isIdle(): boolean {
    return this.#view.status === "ready";
  }

  #begin(): AbortSignal {
    this.#abort.abort();
    this.#abort = new AbortController();
    return this.#abort.signal;
  }

  /** Whether the server took the request. */
  async #ask(request: Promise<ChatRequest>, settled: readonly Message[]): Promise<boolean> {
    this.#show({ status: "sending", settled, live: [] });
    const signal = this.#begin();
    let stream: ReadableStream<Uint8Array>;
    try {
      stream = await this.#options.client.stream(await request, { ui: generation, signal });
    } catch (error) {
      if (!signal.aborted) this.#show({ status: "ready", settled, live: [], failure: failureOf(error) });
      return false;
    }
    this.#isStored = true;
    this.#options.onBegun?.();
    await this.#follow(stream, signal);
    return true;
  }

  async #follow(stream: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<void> {
    const isWhole = await this.#read(stream, signal);
    if (signal.aborted) return;
    if (isWhole || this.#view.status === "stopping") this.#settle();
    else await this.#reconnect(signal);
  }

  /** Whether the stream came to its end. */
  async #read(stream: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<boolean> {
    let reader: AnswerReader;
    try {
      reader = new (await import("./answer-reader.ts")).AnswerReader();
      for await (const bytes of chunksOf(stream)) {
        if (signal.aborted) return false;
        reader.push(bytes);
        this.#reader = reader;
        this.#drawSoon();
      }
    } catch {
      return false; // Cut, or no such stream: what came so far is shown, and the rest asked for.
    }
    return reader.isDone;
  }

  async #reconnect(signal: AbortSignal): Promise<void> {
    this.#show({ ...this.#view, status: "reconnecting", live: this.#reader?.messages ?? this.#view.live });
    for (const pause of pauses) {
      await this.#options.wait(pause);
      if (signal.aborted) return;
      try {
        const stream = await this.#options.client.resume(this.id, { ui: generation, signal });
        if (!stream) return this.#take(await this.#options.client.session(this.id), signal);
        if (await this.#read(stream, signal)) return this.#settle();
      } catch {
        // The next pause is longer.
      }
    }
    if (!signal.aborted) this.#settle({ kind: "lost" });
  }

  /** What the server has becomes what is shown. */
  #take({ session, conversation }: SessionBody, signal: AbortSignal): void {
    if (signal.aborted) return;
    const messages = branchOf(conversation);
    this.#isStored = true;
    this.#reader = undefined;
    if (session.run === undefined) {
      this.#show({ status: "ready", settled: messages, live: [] });
      return;
    }
    const start = startOfAnswer(messages);
    this.#show({ status: "reconnecting", settled: messages.slice(0, start), live: messages.slice(start) });
    void this.#resume(signal, messages);
  }

  async #resume(signal: AbortSignal, messages: readonly Message[]): Promise<void> {
    try {
      const stream = await this.#options.client.resume(this.id, { ui: generation, signal });
      if (stream) return await this.#follow(stream, signal);
      // It ended in between, or with the process that did it.
      const { conversation } = await this.#options.client.session(this.id);
      if (!signal.aborted) this.#show({ status: "ready", settled: branchOf(conversation), live: [] });
    } catch (error) {
      if (!signal.aborted) this.#show({ status: "ready", settled: messages, live: [], failure: failureOf(error) });
    }
  }

  #settle(failure?: Failure): void {
    const said = this.#reader?.end() ?? this.#view.live;
    this.#reader = undefined;
    this.#show({ status: "ready", settled: [...this.#view.settled, ...said], live: [], ...(failure && { failure }) });
    if (!failure) void this.#refresh();
  }

  /** The stored history says more than the stream does: usage, models, times. */
  async #refresh(): Promise<void> {
    const { settled } = this.#view;
    try {
      const { session, conversation } = await this.#options.client.session(this.id);
      const isCurrent = this.#view.settled === settled && this.#isIdle && session.run === undefined;
      if (isCurrent) this.#show({ ...this.#view, settled: branchOf(conversation) });
    } catch {
      // What was streamed is shown all the same.
    }
  }

  #drawSoon(): void {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    this.#options.onFrame(() => {
      this.#isDrawing = false;
      const live = this.#reader?.messages;
      if (!live) return;
      const { status } = this.#view;
      this.#show({ ...this.#view, live, status: status === "stopping" ? status : "streaming" });
    });
  }

  #show(view: ChatView): void {
    this.#view = view;
    for (const listener of this.#listeners) listener();
  }
}

/** Not every browser's streams can be iterated. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = stream.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
