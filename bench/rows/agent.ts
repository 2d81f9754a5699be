import { spawn } from "node:child_process";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { createAgent, createModelRouter, type Model } from "../../packages/agent/dist/index.js";
import { type Event, encodeSse, partialJson, streamEncoder } from "../../packages/core/dist/index.js";
import { createServer, type Server, serve, sqliteStore } from "../../packages/server/dist/index.js";
import * as input from "../inputs.ts";
import type { Row } from "../measure.ts";

const sizes = [1000, 4000, 16_000];
const { tick } = input;
const words = (count: number): string[] => input.repeat(count, () => input.word);
const utf8 = new TextEncoder();

export const structuredRow: Row = {
  id: "structured",
  name: "an object that a model writes, its value to be had at every delta (5 characters)",
  unit: "µs per delta",
  sizes: [...sizes, 64_000],
  contenders: [
    {
      name: "floor: +=, JSON.parse once",
      prepare: count => {
        const deltas = input.pieces(count);
        return () => JSON.parse(deltas.reduce((all, each) => all + each, "")) as unknown;
      },
    },
    {
      name: "translogue runStreaming, its text as partial JSON",
      prepare: count => {
        const at = { message: 0, part: 0 } as const;
        const deltas = input.pieces(count).map((text): Event => ({ type: "part-delta", ...at, of: "text", text }));
        const [start, part, ...ends] = input.textEvents(0);
        const events = [...(start && part ? [start, part] : []), ...deltas, ...ends];
        return async () => {
          const json = partialJson();
          let last: unknown;
          await runAgent(events, batch => {
            for (const event of batch) {
              if (event.type !== "part-delta") continue;
              json.push(event.text);
              last = json.value;
            }
          });
          return last;
        };
      },
    },
    {
      name: "ai partialOutputStream",
      prepare: async count => {
        const { partialOutput } = await import("../peers/ai-run.ts");
        const deltas = input.pieces(count);
        return () => partialOutput(deltas);
      },
    },
  ],
};

/** One event a batch, as a stream that trickles gives them. `pace`: waited for before each. */
function scripted(events: readonly Event[], pace?: () => Promise<void>): Model {
  return {
    id: "scripted",
    provider: "bench",
    async *stream() {
      for (const event of events) {
        if (pace) await pace();
        yield [event];
      }
    },
  };
}

async function runAgent(events: readonly Event[], take: (events: readonly Event[]) => void): Promise<void> {
  const agent = createAgent({ model: scripted(events) });
  for await (const update of agent.runStreaming("go")) take(update.events);
}

export const agentRow: Row = {
  id: "agent",
  name: "an agent's loop over a model that is a script, one delta at a time",
  unit: "µs per delta",
  sizes,
  contenders: [
    {
      name: "floor: an async generator",
      prepare: count => {
        const events = input.textEvents(count);
        return async () => {
          let size = 0;
          for await (const batch of scripted(events).stream({ conversation: { messages: [] } })) size += batch.length;
          return size;
        };
      },
    },
    {
      name: "translogue runStreaming",
      prepare: count => {
        const events = input.textEvents(count);
        return async () => {
          let size = 0;
          await runAgent(events, batch => {
            size += batch.length;
          });
          return size;
        };
      },
    },
    {
      name: "translogue → the UI stream's bytes",
      prepare: count => {
        const events = input.textEvents(count);
        return async () => {
          const encoder = streamEncoder("ai-sdk-ui:v7");
          let size = 0;
          await runAgent(events, batch => {
            for (const event of batch) {
              for (const wire of encoder.push(event))
                size += utf8.encode(encodeSse({ data: JSON.stringify(wire) })).length;
            }
          });
          return size;
        };
      },
    },
    {
      name: "ai streamText",
      prepare: async count => {
        const { text } = await import("../peers/ai-run.ts");
        const deltas = words(count);
        return () => text(deltas);
      },
    },
    {
      name: "ai streamText → the UI stream's bytes",
      prepare: async count => {
        const { uiBytes } = await import("../peers/ai-run.ts");
        const deltas = words(count);
        return () => uiBytes(deltas);
      },
    },
    {
      name: "@langchain/core stream",
      prepare: async count => {
        const { streamed } = await import("../peers/langchain.ts");
        const deltas = words(count);
        return () => streamed(deltas);
      },
    },
  ],
};

async function serverOf(model: Model): Promise<Server> {
  const models = createModelRouter({ models: ["demo/scripted"], demo: () => model });
  const store = await sqliteStore({ path: ":memory:" });
  return createServer({ agent: createAgent({ model }), models, store, log: () => {} });
}

const message = { role: "user", content: "go" };

let sessions = 0;

/** A chat in a session of its own, heard by several readers. */
async function chat(server: Server, readers: number): Promise<number> {
  const id = `bench-${sessions++}`;
  const headers = { "content-type": "application/json", "translogue-session": id };
  const body = JSON.stringify({ model: "demo/scripted", message, stream: true });
  const first = await server.fetch(new Request("http://bench.test/api/v1/chat", { method: "POST", headers, body }));
  const followed = input.repeat(readers - 1, () =>
    server.fetch(new Request(`http://bench.test/api/v1/chat/${id}/stream`)),
  );
  const sizes = await Promise.all([first, ...(await Promise.all(followed))].map(sizeOf));
  if (new Set(sizes).size > 1) throw new Error(`readers heard ${sizes.join(", ")} bytes`);
  return sizes[0] ?? 0;
}

async function sizeOf(response: Response): Promise<number> {
  if (!response.ok || !response.body) throw new Error(`${response.status} ${await response.text()}`);
  let size = 0;
  for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) size += bytes.length;
  return size;
}

export const serverRow: Row = {
  id: "server",
  name: "a chat of the server, in process: model, a delta a turn of the event loop → stored session → the UI stream's bytes",
  unit: "µs per delta",
  sizes,
  contenders: [
    {
      name: "floor: an async generator, a template",
      prepare: count => {
        const events = input.textEvents(count);
        return async () => {
          let size = 0;
          for await (const [event] of scripted(events, tick).stream({ conversation: { messages: [] } })) {
            const delta = event?.type === "part-delta" ? event.text : "";
            size += utf8.encode(`data: {"type":"text-delta","id":"0","delta":${JSON.stringify(delta)}}\n\n`).length;
          }
          return size;
        };
      },
    },
    ...[1, 4].map(readers => ({
      name: `translogue, ${readers} ${readers === 1 ? "reader" : "readers of one run"}`,
      prepare: async (count: number) => {
        const server = await serverOf(scripted(input.textEvents(count), tick));
        return () => chat(server, readers);
      },
    })),
    {
      name: "ai streamText → the UI stream's bytes, nothing stored",
      prepare: async count => {
        const { uiBytes } = await import("../peers/ai-run.ts");
        const deltas = words(count);
        return () => uiBytes(deltas, tick);
      },
    },
  ],
};

const deltas = 200;
const responses = 300;

/** A reader of many responses at once, in a process of its own. */
const client = `
const http = require("node:http");
const [, url, connections, responses] = process.argv;
const agent = new http.Agent({ keepAlive: true, maxSockets: Number(connections) });
const body = JSON.stringify({ model: "demo/scripted", messages: [{ role: "user", content: "go" }], stream: true });
let left = Number(responses);
const next = () => {
  if (left-- <= 0) return;
  const request = http.request(url, { method: "POST", agent, headers: { "content-type": "application/json" } }, response => {
    if (response.statusCode !== 200) throw new Error(String(response.statusCode));
    response.on("data", () => {}).on("end", next);
  });
  request.end(body);
};
for (let index = 0; index < Number(connections); index++) next();
`;

async function load(url: string, connections: number): Promise<void> {
  const child = spawn(process.execPath, ["-e", client, url, String(connections), String(responses)], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  const code = await new Promise(resolve => child.on("exit", resolve));
  if (code !== 0) throw new Error(`the client ended with ${code}`);
}

/** What this process spends on a delta, the second time. */
async function cpuOf(url: string, connections: number): Promise<number> {
  await load(url, connections);
  const before = process.cpuUsage();
  await load(url, connections);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / (responses * deltas);
}

async function cpuOfHttp(listener: RequestListener, connections: number): Promise<number> {
  const server = createHttpServer(listener);
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  const cpu = await cpuOf(`http://127.0.0.1:${port}/`, connections);
  server.close();
  return cpu;
}

export const httpRow: Row = {
  id: "http",
  name: `streams over HTTP: ${responses} answers of ${deltas} deltas, one a turn of the event loop`,
  unit: "µs of the server's CPU per delta, by connections",
  sizes: [1, 50],
  value: true,
  contenders: [
    {
      name: "floor: node:http, a write a delta",
      prepare: connections => () =>
        cpuOfHttp(async (_, response) => {
          response.writeHead(200, { "content-type": "text/event-stream" });
          for (let index = 0; index < deltas; index++) {
            await tick();
            response.write(`data: {"type":"text-delta","id":"0","delta":"${input.word}"}\n\n`);
          }
          response.end("data: [DONE]\n\n");
        }, connections),
    },
    {
      name: "translogue",
      prepare: connections => async () => {
        const server = await serverOf(scripted(input.textEvents(deltas), tick));
        const { url, close } = await serve(server, { port: 0 });
        const cpu = await cpuOf(`${url}/api/v1/chat`, connections);
        await close();
        return cpu;
      },
    },
    {
      name: "ai streamText, piped",
      prepare: async connections => {
        const { answer } = await import("../peers/ai-run.ts");
        const texts = words(deltas);
        return () => cpuOfHttp((_, response) => answer(texts, tick, response), connections);
      },
    },
  ],
};
