import {
  type AuthProvider,
  type FetchLike,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";

/** A server that runs as a child process of this one. */
export interface StdioServer {
  readonly command: string;
  readonly args?: readonly string[];
  /** Beside the few variables that are safe to inherit. */
  readonly env?: { readonly [name: string]: string };
  readonly cwd?: string;
  /** Gets what the server writes to its standard error. Its last words stand in the error of a failed start anyway. */
  readonly onStderr?: (text: string) => void;
}

/** A server at an address, by streamable HTTP. */
export interface HttpServer {
  readonly url: string | URL;
  readonly headers?: { readonly [name: string]: string };
  /** Of the SDK: an OAuth provider, or whatever gives a token. */
  readonly authProvider?: AuthProvider | OAuthClientProvider;
  readonly fetch?: FetchLike;
}

/** Any other way to a server; asked anew for every connection. */
export interface TransportServer {
  readonly transport: () => Transport | Promise<Transport>;
}

/** A transport, and what the server last said beside it. */
export interface Channel {
  readonly transport: Transport;
  readonly stderr: () => string;
  /** Says goodbye to a server that keeps a session. */
  readonly leave: () => Promise<void>;
  readonly finishAuth?: (params: URLSearchParams) => Promise<void>;
}

export async function openChannel(server: StdioServer | HttpServer | TransportServer): Promise<Channel> {
  if ("command" in server) return stdioChannel(server);
  if ("url" in server) return httpChannel(server);
  return { transport: await server.transport(), stderr: () => "", leave: async () => {} };
}

function httpChannel({ url, headers, authProvider, fetch }: HttpServer): Channel {
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    ...(headers && { requestInit: { headers } }),
    ...(authProvider && { authProvider }),
    ...(fetch && { fetch }),
  });
  return {
    transport,
    stderr: () => "",
    leave: () => transport.terminateSession(),
    finishAuth: params => transport.finishAuth(params),
  };
}

const stderrKept = 2000;

/** What of Node's stream is used here: the package is typed without Node. */
interface Readable {
  on(event: "data", listener: (chunk: Uint8Array) => void): unknown;
}

/** Loaded only where a child process is asked for: no browser has one. */
async function stdioChannel({ command, args, env, cwd, onStderr }: StdioServer): Promise<Channel> {
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  const transport = new StdioClientTransport({
    command,
    ...(args && { args: [...args] }),
    ...(env && { env: { ...env } }),
    ...(cwd !== undefined && { cwd }),
    stderr: "pipe",
  });
  const decoder = new TextDecoder();
  let said = "";
  // Read to the end whoever listens: a server whose pipe is full would stop.
  (transport.stderr as unknown as Readable | null)?.on("data", chunk => {
    const text = decoder.decode(chunk, { stream: true });
    said = (said + text).slice(-stderrKept);
    onStderr?.(text);
  });
  return { transport, stderr: () => said.trim(), leave: async () => {} };
}
