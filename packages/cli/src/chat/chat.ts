import type { Agent, AgentSession, Model, PendingApproval, PendingInput, RunInput } from "@translogue/agent";
import { type ApprovalResponsePart, inputResponse, isError, type Json, type Message, type Part } from "translogue";
import { exitCodes, interrupted } from "../failure.ts";
import { type Io, paint } from "../io.ts";
import { writeText } from "../output/sink.ts";
import { AnswerView, type Shown } from "./answer-view.ts";
import { exportMessages } from "./export.ts";
import { printable } from "./printable.ts";
import { blanksOf, typedValue } from "./questions.ts";
import { readConsent, readLine, type SlashCommand, slashHelp } from "./slash.ts";
import type { Typed } from "./typed.ts";

export interface ChatOptions {
  readonly io: Io;
  readonly agent: Agent;
  readonly model: Model;
  /** Another model by its `provider/model`. Throws where there is none. */
  readonly findModel: (ref: string) => Promise<Model>;
  readonly typed: Typed;
  /** Told what a person typed. */
  readonly onTyped: (text: string) => Promise<void>;
}

/** One conversation with a person, or with a script: then answers go to standard output, and all else to standard error. */
export class Chat {
  readonly #options: ChatOptions;
  readonly #io: Io;
  #model: Model;
  #session: AgentSession;
  /** How many messages there were before each turn. */
  readonly #turns: number[] = [];

  private constructor(options: ChatOptions, session: AgentSession) {
    this.#options = options;
    this.#io = options.io;
    this.#model = options.model;
    this.#session = session;
  }

  static async begin(options: ChatOptions): Promise<Chat> {
    return new Chat(options, await options.agent.createSession());
  }

  /** Until the input ends or says so. Throws `command/interrupted` where Ctrl-C did. */
  async talk(): Promise<void> {
    const { typed, onTyped } = this.#options;
    for (let text = await typed.next("> "); text !== undefined; text = await typed.next("> ")) {
      if (typed.isPerson && text.trim() !== "") await onTyped(text);
      const line = readLine(text);
      if (line.kind === "exit") return;
      if (line.kind === "nothing") continue;
      if (line.kind === "say") await this.#attempt(() => this.#turn(line.text));
      else await this.#attempt(() => this.#command(line));
    }
    if (typed.wasInterrupted) throw interrupted("SIGINT");
  }

  /** What goes wrong in one turn is said, and the chat goes on. */
  async #attempt(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      // Without an output there is no chat.
      if (!isError(error) || error.code.startsWith("output/")) throw error;
      await this.#note(error.message);
    }
  }

  async #command(command: SlashCommand): Promise<void> {
    switch (command.kind) {
      case "model":
        if (command.ref !== undefined) this.#model = await this.#options.findModel(command.ref);
        return this.#note(`${refOf(this.#model)} answers.`);
      case "export": {
        const { text, notes } = await exportMessages(this.#session.messages, command);
        await writeText(this.#io.stdout, text);
        for (const note of notes) await this.#note(note);
        return;
      }
      case "undo":
        return this.#undo();
      case "help":
        return this.#note(slashHelp.trimEnd());
      case "wrong":
        return this.#note(command.message);
    }
  }

  async #undo(): Promise<void> {
    const count = this.#turns.pop();
    if (count === undefined) return this.#note("There is nothing to take back.");
    const { id, messages } = this.#session;
    this.#session = await this.#options.agent.createSession({ id, messages: messages.slice(0, count) });
    return this.#note("The last turn is taken back; what tools did is done.");
  }

  async #turn(text: string): Promise<void> {
    this.#turns.push(this.#session.messages.length);
    await this.#run(text);
    for (;;) {
      const { pendingApprovals, pendingInputs } = this.#session;
      if (pendingApprovals.length + pendingInputs.length === 0) return;
      const parts: Part[] = [];
      for (const request of pendingApprovals) parts.push(await this.#consent(request));
      for (const request of pendingInputs) parts.push(await this.#answer(request));
      await this.#answered({ role: parts.some(({ type }) => type === "input-response") ? "user" : "tool", parts });
    }
  }

  /** An answer that its question does not take is asked for again. */
  async #answered(message: Message): Promise<void> {
    try {
      await this.#run(message);
    } catch (error) {
      if (!isError(error, "input-request/invalid")) throw error;
      await this.#note(error.message, "yellow");
    }
  }

  async #run(input: RunInput): Promise<void> {
    const { agent, typed } = this.#options;
    const view = new AnswerView({ color: this.#io.colors.stdout });
    await stoppable(async signal => {
      for await (const { events } of agent.runStreaming(input, {
        session: this.#session,
        model: this.#model,
        signal,
      })) {
        for (const event of events) await this.#show(view.push(event));
      }
      await this.#show(view.end());
      if (signal.aborted && typed.isPerson) await this.#note("Stopped.");
    });
  }

  async #consent({ requestId, call, reason }: PendingApproval): Promise<ApprovalResponsePart> {
    const { typed } = this.#options;
    const given = call.inputText ?? (call.input === undefined ? "" : JSON.stringify(call.input));
    await this.#note(`${call.name} ${given}`.trimEnd() + (reason === undefined ? "" : `\n${reason}`), "yellow");
    for (;;) {
      const text = await typed.next("Let it run? (y, n, or n and why) ");
      const consent = text === undefined ? { approved: false, reason: "nobody was there to ask" } : readConsent(text);
      if (consent) return { type: "approval-response", requestId, callId: call.callId, ...consent };
      await this.#note("`y` lets it run; `n` does not, and what follows tells the model why.");
    }
  }

  /** Line by line; where nothing is typed, nothing is said. */
  async #answer({ requestId, message, url, schema }: PendingInput): Promise<Part> {
    const { typed } = this.#options;
    await this.#note([message, url].filter(Boolean).join("\n") || "A tool asks for something.", "yellow");
    const given: [name: string, value: Json][] = [];
    for (const { name, label, schema: own } of blanksOf(schema)) {
      const text = await typed.next(printable(label === "" ? "? " : `${label} ? `));
      if (text === undefined) return inputResponse(requestId);
      if (text.trim() === "") continue;
      const value = typedValue(text, own);
      if (name === undefined) return inputResponse(requestId, value);
      given.push([name, value]);
    }
    return given.length === 0 ? inputResponse(requestId) : inputResponse(requestId, Object.fromEntries(given));
  }

  async #show({ answer, aside }: Shown): Promise<void> {
    const { stdout, stderr } = this.#io;
    const { isPerson } = this.#options.typed;
    if (answer !== "") await writeText(stdout, answer);
    if (aside !== "") await writeText(isPerson ? stdout : stderr, aside);
  }

  #note(text: string, style: "dim" | "yellow" = "dim"): Promise<void> {
    const screen = this.#options.typed.isPerson ? "stdout" : "stderr";
    return writeText(this.#io[screen], `${paint(this.#io.colors[screen], style, printable(text))}\n`);
  }
}

const refOf = ({ provider, id }: Model): string => (id.startsWith(`${provider}/`) ? id : `${provider}/${id}`);

/** Ctrl-C stops what runs; a second one, before it has stopped, ends the program. */
async function stoppable(run: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const controller = new AbortController();
  const stop = (): void => {
    if (controller.signal.aborted) process.exit(exitCodes.interrupted);
    controller.abort();
  };
  process.on("SIGINT", stop);
  try {
    await run(controller.signal);
  } finally {
    process.off("SIGINT", stop);
  }
}
