import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What a fake host answers to one request. */
export interface Reply {
  /** Default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Written one after another, each by a write of its own. */
  readonly pieces?: readonly (string | Uint8Array)[];
  /** Default `close`: the answer ends. `cut`: the connection breaks after the pieces. `hold`: nothing more comes, and it stays open. */
  readonly end?: "close" | "cut" | "hold";
}

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Parsed, where it is JSON. */
  readonly body: unknown;
}

export interface FakeHost extends AsyncDisposable {
  /** Without a slash at its end. */
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  /** Connections of answers that are still open. */
  readonly open: number;
  close(): Promise<void>;
}

/**
 * A server on this machine that replays answers: one a request, in order, or as a function says. A request beyond the last
 * answer gets a 500 that says so.
 */
export async function startFakeHost(
  replies: readonly Reply[] | ((request: SeenRequest, count: number) => Reply),
): Promise<FakeHost> {
  const requests: SeenRequest[] = [];
  const answers = new Set<ServerResponse>();
  const server = createServer(async (incoming, answer) => {
    answers.add(answer);
    answer.on("close", () => answers.delete(answer));
    const request = await seen(incoming);
    const count = requests.push(request) - 1;
    const reply = typeof replies === "function" ? replies(request, count) : replies[count];
    await send(answer, reply ?? { status: 500, pieces: [`the fake host has no answer ${count}`] });
  });
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  };
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    get open() {
      return answers.size;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function seen(incoming: IncomingMessage): Promise<SeenRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer); // an incoming message gives buffers
  const text = Buffer.concat(chunks).toString("utf8");
  const { method = "GET", url = "/", headers } = incoming;
  return { method, path: url, headers, body: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function send(answer: ServerResponse, reply: Reply): Promise<void> {
  const { status = 200, headers = {}, pieces = [], end = "close" } = reply;
  answer.writeHead(status, headers);
  answer.flushHeaders();
  for (const piece of pieces) await new Promise(written => answer.write(piece, written));
  if (end === "close") answer.end();
  else if (end === "cut") answer.destroy();
}

/** Values as the data of server-sent events, one piece each, with the `[DONE]` of OpenAI behind them. */
export const sseReply = (values: readonly unknown[], more: Reply = {}): Reply => ({
  headers: { "content-type": "text/event-stream" },
  pieces: [...values.map(value => `data: ${JSON.stringify(value)}\n\n`), "data: [DONE]\n\n"],
  ...more,
});

export const jsonReply = (value: unknown, more: Reply = {}): Reply => ({
  headers: { "content-type": "application/json" },
  pieces: [JSON.stringify(value)],
  ...more,
});
