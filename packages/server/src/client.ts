/** A small client of the server's API, for browsers and Node. */
import type {
  ChatAnswer,
  ChatRequest,
  CheckAnswer,
  CheckRequest,
  ConfigSchema,
  ConvertAnswer,
  ConvertRequest,
  ErrorBody,
  ModelRow,
  PromptTypeRow,
  RepairAnswer,
  RepairRequest,
  SessionBody,
  SessionInFormat,
  SessionRow,
  StopAnswer,
  Success,
  ToolRow,
  ValidationReport,
} from "./contract.ts";

export type * from "./contract.ts";

export interface ClientOptions {
  /** Where the server is; "" = where the page is from. */
  readonly baseUrl?: string;
  readonly key?: string;
  readonly fetch?: typeof fetch;
}

/** Generations of the AI SDK whose streams the server writes. */
export type UiGeneration = 5 | 6 | 7;

interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface StreamOptions extends CallOptions {
  readonly ui?: UiGeneration;
}

/** An answer that is an error, as the server said it. */
export class RequestError extends Error {
  readonly status: number;
  readonly body: ErrorBody;

  constructor(body: ErrorBody) {
    super(body.message);
    this.name = "RequestError";
    this.status = body.statusCode;
    this.body = body;
  }
}

/** Every call throws `RequestError` where the server answers with an error. */
export interface Client {
  models(): Promise<readonly ModelRow[]>;
  tools(): Promise<readonly ToolRow[]>;
  promptTypes(): Promise<readonly PromptTypeRow[]>;
  configSchema(): Promise<ConfigSchema>;
  /** The whole answer at once. */
  chat(request: ChatRequest, options?: CallOptions): Promise<ChatAnswer>;
  /** Whether a request would run, and what its tools miss. */
  validate(request: ChatRequest, options?: CallOptions): Promise<ValidationReport>;
  /** The answer as it comes: bytes of an AI SDK UI message stream. */
  stream(request: ChatRequest, options?: StreamOptions): Promise<ReadableStream<Uint8Array>>;
  /** The stream of the run that a session has under way, from its start; undefined where it has none. */
  resume(session: string, options?: StreamOptions): Promise<ReadableStream<Uint8Array> | undefined>;
  stop(session: string): Promise<StopAnswer>;
  sessions(page?: { readonly limit?: number; readonly before?: string }): Promise<readonly SessionRow[]>;
  session(id: string): Promise<SessionBody>;
  sessionAs(id: string, format: string): Promise<SessionInFormat>;
  deleteSession(id: string): Promise<void>;
  /** A history in one format as one in another, with what that cannot hold. */
  convert(request: ConvertRequest, options?: CallOptions): Promise<ConvertAnswer>;
  /** A stream in one format as one in another, as it comes; with `report`, what was not kept comes behind its last event. */
  convertStream(
    bytes: ReadableStream<Uint8Array>,
    formats: { readonly from: string; readonly to: string; readonly report?: boolean },
    options?: CallOptions,
  ): Promise<ReadableStream<Uint8Array>>;
  /** What a provider's endpoint would refuse of a history. */
  check(request: CheckRequest, options?: CallOptions): Promise<CheckAnswer>;
  /** What the endpoint takes of it, in its own format, and what was changed. */
  repair(request: RepairRequest, options?: CallOptions): Promise<RepairAnswer>;
}

export function createClient(options: ClientOptions = {}): Client {
  const { baseUrl = "", key } = options;
  const send = options.fetch ?? fetch;

  async function call(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (key !== undefined) headers.set("authorization", `Bearer ${key}`);
    const response = await send(`${baseUrl}${path}`, { ...init, headers });
    if (!response.ok) throw new RequestError(await errorOf(response));
    return response;
  }
  const data = async <Data>(path: string, init?: RequestInit): Promise<Data> => {
    const answer = (await (await call(path, init)).json()) as Success<Data>; // the server's own contract
    return answer.data;
  };
  const post = (body: unknown, { signal }: CallOptions = {}): RequestInit => ({
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
  const bodyOf = (response: Response): ReadableStream<Uint8Array> => {
    if (response.body) return response.body;
    throw new Error("the server's answer has no body");
  };

  return {
    models: async () => (await data<{ models: ModelRow[] }>("/api/v1/models")).models,
    tools: async () => (await data<{ tools: ToolRow[] }>("/api/v1/tools")).tools,
    promptTypes: async () => (await data<{ promptTypes: PromptTypeRow[] }>("/api/v1/prompt-types")).promptTypes,
    configSchema: () => data<ConfigSchema>("/api/v1/config-schema"),
    chat: (request, options) => data("/api/v1/chat", post({ ...request, stream: false }, options)),
    validate: (request, options) => data("/api/v1/chat", post({ ...request, validateOnly: true }, options)),
    stream: async (request, { ui, ...options } = {}) =>
      bodyOf(await call(`/api/v1/chat${generation(ui)}`, post({ ...request, stream: true }, options))),
    resume: async (session, { ui, signal } = {}) => {
      const response = await call(`${chatPath(session)}/stream${generation(ui)}`, signal ? { signal } : {});
      return response.status === 204 ? undefined : bodyOf(response);
    },
    stop: session => data(`${chatPath(session)}/stop`, { method: "POST" }),
    sessions: async (page = {}) => {
      const query = new URLSearchParams(Object.entries(page).map(([name, value]) => [name, String(value)]));
      return (await data<{ sessions: SessionRow[] }>(`/api/v1/sessions?${query}`)).sessions;
    },
    session: id => data(sessionPath(id)),
    sessionAs: (id, format) => data(`${sessionPath(id)}?format=${encodeURIComponent(format)}`),
    deleteSession: async id => void (await call(sessionPath(id), { method: "DELETE" })),
    convert: (request, options) => data("/api/v1/convert", post(request, options)),
    convertStream: async (bytes, { from, to, report }, { signal } = {}) => {
      const query = new URLSearchParams({ from, to, ...(report && { report: "true" }) });
      const headers = { "content-type": "text/event-stream" };
      const init = { method: "POST", headers, body: bytes, duplex: "half", ...(signal && { signal }) };
      return bodyOf(await call(`/api/v1/convert?${query}`, init));
    },
    check: (request, options) => data("/api/v1/check", post(request, options)),
    repair: (request, options) => data("/api/v1/repair", post(request, options)),
  };
}

const chatPath = (session: string): string => `/api/v1/chat/${encodeURIComponent(session)}`;
const sessionPath = (id: string): string => `/api/v1/sessions/${encodeURIComponent(id)}`;
const generation = (ui: UiGeneration | undefined): string => (ui === undefined ? "" : `?ui=${ui}`);

async function errorOf(response: Response): Promise<ErrorBody> {
  const text = await response.text();
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === "object" && body !== null && "message" in body) return body as ErrorBody; // the server's own contract
  } catch {
    // Not the server's: a proxy's page.
  }
  const message = text.slice(0, 200) || response.statusText;
  return { error: response.statusText, message, statusCode: response.status, correlationId: "" };
}
