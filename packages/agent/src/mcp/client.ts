import {
  type CallToolResult,
  type Client,
  type ElicitRequestURLParams,
  type McpSubscription,
  type Progress,
  type Prompt,
  type ReadResourceResult,
  type Resource,
  type ResourceTemplateType,
  SdkError,
  SdkErrorCode,
  type Tool,
  UrlElicitationRequiredError,
} from "@modelcontextprotocol/client";
import type { JsonObject, Message, Part } from "translogue";
import { failure, messageOf } from "../errors.ts";
import type { ToolContext } from "../tools/tool.ts";
import { messagesOfPrompt, partOfResource } from "./content.ts";
import { type ChangedList, type ClientSetup, Link } from "./link.ts";
import { noTimeout } from "./no-timeout.ts";
import { sendTo } from "./questions.ts";
import type { HttpServer, StdioServer, TransportServer } from "./transport.ts";

/** A server, by the connection to it that holds now: one that forgot its session, or ended, is joined again when it is next needed. */
export class McpClient {
  readonly name: string;
  readonly #to: StdioServer | HttpServer | TransportServer;
  readonly #setup: ClientSetup;
  #link: Link;
  #joining: Promise<Link> | undefined;
  #isClosed = false;
  #tools: readonly Tool[] = [];
  /** Changes of the tools that are known of, and those that the list has seen. */
  #changes = 1;
  #seen = 0;
  #reading: Promise<void> | undefined;
  #isDeaf = false;
  /** Why the tools could not be read when they were last asked for. */
  problem: Error | undefined;

  private constructor(name: string, to: StdioServer | HttpServer | TransportServer, setup: ClientSetup, link: Link) {
    this.name = name;
    this.#to = to;
    this.#setup = setup;
    this.#link = link;
    this.#watch(link);
  }

  /** Throws `mcp/unreachable`, `mcp/unauthorised`. The signal ends this joining, and none that comes later. */
  static async connect(
    name: string,
    to: StdioServer | HttpServer | TransportServer,
    setup: ClientSetup,
    signal?: AbortSignal,
  ): Promise<McpClient> {
    let client: McpClient | undefined;
    const onChanged = (list: ChangedList) => client?.changed(list);
    const link = await Link.open(to, { ...setup, server: name, onChanged, signal });
    client = new McpClient(name, to, setup, link);
    return client;
  }

  /** The SDK's own client, of the connection that holds now. */
  get sdk(): Client {
    return this.#link.client;
  }

  /** `2026-07-28`, or an older one. */
  get protocolVersion(): string | undefined {
    return this.#link.client.getNegotiatedProtocolVersion();
  }

  /** What the server tells a model about its use. */
  get instructions(): string | undefined {
    return this.#link.client.getInstructions();
  }

  /** The server's own word that a list is another now. */
  changed(list: ChangedList): void {
    if (list === "tools") this.#changes++;
  }

  /**
   * All tools, of all pages: kept until the server says that they changed. However often it says so, one request is under
   * way at a time and none is made for what the last one may have seen. Where they cannot be read, those that were read
   * before hold, and `problem` says why.
   */
  async tools(): Promise<readonly Tool[]> {
    for (let reads = 0; reads < 2 && this.#seen !== this.#changes; reads++) {
      this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
      await this.#reading;
      if (this.problem !== undefined) break;
    }
    return this.#tools;
  }

  async #read(): Promise<void> {
    const at = this.#changes;
    try {
      await this.#listen();
      const options = { cacheMode: "refresh", timeout: this.#setup.connectTimeoutMs } as const;
      const { tools } = await this.ask(async client =>
        client.getServerCapabilities()?.tools ? client.listTools(undefined, options) : { tools: [] },
      );
      this.#tools = tools;
      // Joining the server anew counts as a change, and this list has seen it.
      this.#seen = Math.max(at, this.#joinedAt);
      this.problem = undefined;
    } catch (error) {
      this.problem = requestError(this.name, error);
      // What takes its time to fail is not tried at every step: a call that gets through joins the server, and reads again.
      const isSlow = !this.#link.isOpen || (SdkError.isInstance(error) && error.code === SdkErrorCode.RequestTimeout);
      if (isSlow) this.#seen = this.#changes;
    }
  }

  #joinedAt = 0;

  /** Since 2026-07-28 a server tells of changes in a stream of its own, which may break. */
  #watch(link: Link): void {
    this.#isDeaf = false;
    this.#hear(link.client.autoOpenedSubscription);
  }

  #hear(subscription: McpSubscription | undefined): void {
    void subscription?.closed.then(cause => {
      if (cause === "local") return;
      this.#isDeaf = true;
      this.#changes++;
    });
  }

  async #listen(): Promise<void> {
    if (!this.#isDeaf || !this.#link.isOpen) return;
    this.#isDeaf = false;
    await this.#link.client.listen({ toolsListChanged: true }).then(
      subscription => this.#hear(subscription),
      () => (this.#isDeaf = true),
    );
  }

  /**
   * A request, made once; where the server forgot this session (it answered that it knows none, so nothing was done) it is
   * joined again and asked once more.
   */
  async ask<T>(work: (client: Client, link: Link) => Promise<T>): Promise<T> {
    const link = await this.#live();
    try {
      return await link.use(client => work(client, link));
    } catch (error) {
      if (!link.forgot(error) || this.#isClosed) throw error;
    }
    const again = await this.#joined(link);
    return again.use(client => work(client, again));
  }

  async #live(): Promise<Link> {
    if (this.#isClosed) throw failure("mcp/closed", `the connection to \`${this.name}\` was closed`);
    return this.#link.isOpen ? this.#link : this.#joined(this.#link);
  }

  /** One at a time: several requests that fail together join it once. */
  async #joined(instead: Link): Promise<Link> {
    if (this.#link !== instead) return this.#link;
    this.#joining ??= this.#join(instead).finally(() => (this.#joining = undefined));
    return this.#joining;
  }

  async #join(instead: Link): Promise<Link> {
    const options = { ...this.#setup, server: this.name, onChanged: (list: ChangedList) => this.changed(list) };
    const link = await Link.open(this.#to, options);
    if (this.#isClosed) {
      await link.close();
      throw failure("mcp/closed", `the connection to \`${this.name}\` was closed`);
    }
    this.#link = link;
    this.#watch(link);
    this.#joinedAt = ++this.#changes; // its tools may be others now
    await instead.retire();
    return link;
  }

  /** Throws what the model may read: the words of the server, or that it cannot be reached. */
  async call(definition: Tool, input: JsonObject, context: ToolContext): Promise<CallToolResult> {
    const { name: tool, outputSchema, ...defined } = definition;
    const params = { name: tool, arguments: input };
    const options = {
      signal: context.signal,
      timeout: noTimeout,
      // The SDK throws away a result that is not as promised, though the tool has run.
      ...(outputSchema && { toolDefinition: { ...defined, name: tool } }),
      onprogress: ({ progress, total, message }: Progress) => {
        const counted = total === undefined ? String(progress) : `${progress}/${total}`;
        const structured = {
          progress,
          ...(total !== undefined && { total }),
          ...(message !== undefined && { message }),
        };
        context.progress({ output: message ?? counted, structured });
      },
    };
    const send = () =>
      this.ask((client, link) => link.calling({ tool, context }, () => client.callTool(params, options)));
    try {
      return await send().catch(async (error: unknown) => {
        if (!UrlElicitationRequiredError.isInstance(error)) throw error;
        if (!(await this.#visited(error.elicitations, { tool, context }))) throw error;
        return send();
      });
    } catch (error) {
      context.signal.throwIfAborted();
      throw requestError(this.name, error);
    }
  }

  /** A call may fail because the person has to go somewhere first (2025-11-25). */
  async #visited(
    elicitations: readonly ElicitRequestURLParams[],
    call: { readonly tool: string; readonly context: ToolContext },
  ): Promise<boolean> {
    const handlers = this.#setup.questions;
    const link = this.#link;
    return link.calling(call, async () => {
      for (const elicitation of elicitations) {
        if (!(await sendTo(elicitation, { server: this.name, handlers, calls: link.askers }))) return false;
      }
      return elicitations.length > 0;
    });
  }

  /** Throws `mcp/…` errors, as all below. */
  async resources(): Promise<readonly Resource[]> {
    return this.#listed("resources", async client => (await client.listResources()).resources);
  }

  async resourceTemplates(): Promise<readonly ResourceTemplateType[]> {
    return this.#listed("resources", async client => (await client.listResourceTemplates()).resourceTemplates);
  }

  async prompts(): Promise<readonly Prompt[]> {
    return this.#listed("prompts", async client => (await client.listPrompts()).prompts);
  }

  #listed<T>(of: "resources" | "prompts", list: (client: Client) => Promise<readonly T[]>): Promise<readonly T[]> {
    return this.#asked(client => (client.getServerCapabilities()?.[of] ? list(client) : Promise.resolve([])));
  }

  /** The resource as parts of a message: a text as a source, bytes as a file. */
  async readResource(uri: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<readonly Part[]> {
    const { contents }: ReadResourceResult = await this.#asked(client =>
      client.readResource({ uri }, { ...(signal && { signal }) }),
    );
    return contents.map(partOfResource);
  }

  /** The prompt as messages to begin a conversation with. */
  async getPrompt(
    name: string,
    args: { readonly [name: string]: string } = {},
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<readonly Message[]> {
    const { messages } = await this.#asked(client =>
      client.getPrompt({ name, arguments: { ...args } }, { ...(signal && { signal }) }),
    );
    return messagesOfPrompt(messages);
  }

  async #asked<T>(work: (client: Client) => Promise<T>): Promise<T> {
    try {
      return await this.ask(work);
    } catch (error) {
      throw requestError(this.name, error);
    }
  }

  /** Leaves the session, and ends the child process. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#joining?.catch(() => undefined);
    await this.#link.close();
  }
}

function requestError(server: string, error: unknown): Error {
  if (error instanceof Error && "code" in error && String(error.code).startsWith("mcp/")) return error;
  if (!SdkError.isInstance(error)) return error instanceof Error ? error : new Error(messageOf(error));
  return failure("mcp/failed", `\`${server}\`: ${error.message}`, { cause: error, data: { server } });
}
