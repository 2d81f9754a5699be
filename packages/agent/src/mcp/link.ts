import { AsyncLocalStorage } from "node:async_hooks";
import { Client, SdkHttpError, UnauthorizedError } from "@modelcontextprotocol/client";
import { failure, messageOf } from "../errors.ts";
import { answerQuestions, type OpenCall, type QuestionHandlers, questionCapability } from "./questions.ts";
import { answerSamples, type SamplingOptions, samplingCapability } from "./sampling.ts";
import { type Channel, type HttpServer, openChannel, type StdioServer, type TransportServer } from "./transport.ts";

export interface Root {
  /** A `file:` address. */
  readonly uri: string;
  readonly name?: string;
}

/** What every server is told of its client. */
export interface ClientSetup {
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly questions: QuestionHandlers;
  readonly sampling: SamplingOptions | undefined;
  readonly roots: readonly Root[] | undefined;
  readonly connectTimeoutMs: number;
}

/** What a server tells of its lists. */
export type ChangedList = "tools" | "resources" | "prompts";

export interface LinkOptions extends ClientSetup {
  readonly server: string;
  readonly onChanged: (list: ChangedList) => void;
  readonly signal?: AbortSignal | undefined;
}

/** The call that code runs for: over HTTP, and everywhere since 2026-07-28, a server's question comes within it. */
const asking = new AsyncLocalStorage<OpenCall>();

/** One connection to a server, from its handshake to its end. */
export class Link {
  readonly client: Client;
  readonly #channel: Channel;
  readonly #calls = new Set<OpenCall>();
  #isOpen = false;
  #isRetired = false;
  #uses = 0;

  private constructor(client: Client, channel: Channel) {
    this.client = client;
    this.#channel = channel;
  }

  /** Throws `mcp/unreachable`, `mcp/unauthorised`; nothing of the connection is left then. */
  static async open(to: StdioServer | HttpServer | TransportServer, options: LinkOptions): Promise<Link> {
    const { clientInfo, questions, sampling, roots, connectTimeoutMs, onChanged, server } = options;
    const changed = (list: ChangedList) => ({ autoRefresh: false, debounceMs: 0, onChanged: () => onChanged(list) });
    const client = new Client(
      { ...clientInfo },
      {
        capabilities: {
          ...questionCapability(questions),
          ...samplingCapability(sampling),
          ...(roots && { roots: {} }),
        },
        versionNegotiation: { mode: "auto", probe: { timeoutMs: Math.ceil(connectTimeoutMs / 2) } },
        listChanged: { tools: changed("tools"), resources: changed("resources"), prompts: changed("prompts") },
        listMaxPages: 1000,
      },
    );
    const channel = await openChannel(to);
    const link = new Link(client, channel);
    const { form, url } = questions;
    if (form || url) answerQuestions(client, { server, handlers: questions, calls: () => link.#askers() });
    if (sampling) answerSamples(client, sampling, server);
    if (roots) client.setRequestHandler("roots/list", () => ({ roots: roots.map(root => ({ ...root })) }));
    client.onclose = () => (link.#isOpen = false);
    await link.#connect(connectTimeoutMs, options.signal).catch((error: unknown) => {
      throw joinError(server, error, link.#channel.stderr());
    });
    return link;
  }

  async #connect(timeoutMs: number, given: AbortSignal | undefined): Promise<void> {
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(given ? [given] : [])]);
    const { transport } = this.#channel;
    const { promise: stopped, reject } = Promise.withResolvers<never>();
    const stop = (): void => reject(signal.reason);
    signal.addEventListener("abort", stop);
    try {
      signal.throwIfAborted();
      await Promise.race([this.client.connect(transport, { timeout: timeoutMs, signal }), stopped]);
      this.#isOpen = true;
    } catch (error) {
      await Promise.allSettled([this.client.close(), transport.close()]);
      throw error;
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** The server does not know this connection any more: nothing of the request was done. */
  forgot(error: unknown): boolean {
    if (!SdkHttpError.isInstance(error) || this.#channel.transport.sessionId === undefined) return false;
    // Servers made after the SDK's own early examples say 400 in place of 404.
    const said = String(error.data["text"] ?? "");
    return error.status === 404 || (error.status === 400 && /session|not initialized/i.test(said));
  }

  async use<T>(work: (client: Client) => Promise<T>): Promise<T> {
    this.#uses++;
    try {
      return await work(this.client);
    } finally {
      this.#uses--;
      if (this.#isRetired && this.#uses === 0) await this.#end();
    }
  }

  /** Runs a call, during which the server may ask. */
  async calling<T>(call: Omit<OpenCall, "over">, work: () => Promise<T>): Promise<T> {
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const open = { ...call, over };
    const { signal } = call.context;
    const stop = (): void => resolve();
    signal.addEventListener("abort", stop);
    this.#calls.add(open);
    try {
      return await asking.run(open, work);
    } finally {
      signal.removeEventListener("abort", stop);
      resolve();
      this.#calls.delete(open);
    }
  }

  #askers(): readonly OpenCall[] {
    const call = asking.getStore();
    return call && this.#calls.has(call) ? [call] : [...this.#calls];
  }

  /** As `questions.ts` wants it, for what a call's own error asks. */
  askers = (): readonly OpenCall[] => this.#askers();

  /** Closes it once what is under way has ended. */
  async retire(): Promise<void> {
    this.#isRetired = true;
    if (this.#uses === 0) await this.#end();
  }

  /** Ends it now, and the child process with it. */
  async close(): Promise<void> {
    this.#isRetired = true;
    if (this.#isOpen) await this.#channel.leave().catch(() => undefined);
    await this.#end();
  }

  async #end(): Promise<void> {
    await Promise.allSettled([this.client.close(), this.#channel.transport.close()]);
    this.#isOpen = false;
  }
}

/** What went wrong on the way in, in the words of whoever said them. */
function joinError(server: string, error: unknown, stderr: string): Error {
  const code = UnauthorizedError.isInstance(error) ? "mcp/unauthorised" : "mcp/unreachable";
  const said = stderr === "" ? "" : `; it said: ${stderr}`;
  return failure(code, `\`${server}\` cannot be joined: ${messageOf(error)}${said}`, {
    cause: error,
    data: { server },
  });
}
