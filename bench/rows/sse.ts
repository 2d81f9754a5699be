import { encodeSse, sseDecoder, transcode } from "../../packages/core/dist/index.js";
import * as input from "../inputs.ts";
import type { Row } from "../measure.ts";

const events = 20_000;
const megabyte = 1024 * 1024;
const sizes = [5000, events];
const chatPackets = (count: number): Uint8Array[] => input.packets(input.chatFrames(input.chatText(count)));

/** MB of the bytes that the work reads in a second: the best of five runs, since a speed cannot be too high by chance. */
async function speed(bytes: readonly Uint8Array[], work: () => unknown): Promise<number> {
  const size = bytes.reduce((sum, each) => sum + each.length, 0) / megabyte;
  let best = 0;
  for (let run = 0; run < 6; run++) {
    const start = performance.now();
    await work();
    best = Math.max(best, (size * 1000) / (performance.now() - start));
  }
  return best;
}

/** `\n` alone ends lines, `data:` alone is read: less than the standard asks. */
function readByHand(packets: readonly Uint8Array[]): number {
  const utf8 = new TextDecoder();
  let [rest, count] = ["", 0];
  for (const packet of packets) {
    rest += utf8.decode(packet, { stream: true });
    let start = 0;
    for (let end = rest.indexOf("\n\n"); end !== -1; end = rest.indexOf("\n\n", start)) {
      const data = rest.slice(start + 6, end);
      if (data !== "[DONE]" && JSON.parse(data)) count++;
      start = end + 2;
    }
    rest = rest.slice(start);
  }
  return count;
}

function read(packets: readonly Uint8Array[]): number {
  const decoder = sseDecoder();
  let count = 0;
  const take = (frames: ReturnType<typeof decoder.push>): void => {
    for (const { data } of frames) if (data !== "[DONE]" && JSON.parse(data)) count++;
  };
  for (const packet of packets) take(decoder.push(packet));
  take(decoder.end());
  return count;
}

async function readParser(packets: readonly Uint8Array[]): Promise<() => number> {
  const { createParser } = await import("eventsource-parser");
  return () => {
    const utf8 = new TextDecoder();
    let count = 0;
    const onEvent = ({ data }: { readonly data: string }): void => {
      if (data !== "[DONE]" && JSON.parse(data)) count++;
    };
    const parser = createParser({ onEvent });
    for (const packet of packets) parser.feed(utf8.decode(packet, { stream: true }));
    return count;
  };
}

type Reader = (packets: readonly Uint8Array[]) => Promise<() => unknown>;

const readers: readonly (readonly [name: string, reader: Reader])[] = [
  ["floor: written by hand", async packets => () => readByHand(packets)],
  ["translogue sseDecoder", async packets => () => read(packets)],
  ["eventsource-parser", readParser],
  [
    "openai Stream",
    async packets => {
      const peer = await import("../peers/openai.ts");
      return () => peer.read(packets);
    },
  ],
  [
    "@anthropic-ai/sdk Stream, its bytes",
    async packets => {
      const peer = await import("../peers/anthropic.ts");
      return () => peer.read(packets);
    },
  ],
  [
    "llm-bridge parseOpenAIStream",
    async packets => {
      const peer = await import("../peers/llm-bridge.ts");
      return () => peer.read(packets);
    },
  ],
];

export const sseRow: Row = {
  id: "sse",
  name: "server-sent events and their JSON read, in packets of 16 kB",
  unit: "MB/s, by events",
  sizes,
  value: true,
  contenders: readers.map(([name, reader]) => ({
    name,
    prepare: async count => {
      const isAnthropic = name.startsWith("@anthropic");
      const packets = isAnthropic
        ? input.packets(input.anthropicFrames(input.anthropicText(count)))
        : chatPackets(count);
      const work = await reader(packets);
      return () => speed(packets, work);
    },
  })),
};

export const bigEventRow: Row = {
  id: "big-event",
  name: "one event of many MB, in packets of 16 kB",
  unit: "ms (exp 1 = linear), by MB",
  sizes: [1, 2, 4, 8],
  divisor: () => 1000,
  contenders: [
    {
      name: "floor: decode, JSON.parse",
      prepare: count => {
        const bytes = input.packets([new TextEncoder().encode(JSON.stringify("x".repeat(count * megabyte)))]);
        return () => JSON.parse(new TextDecoder().decode(Buffer.concat(bytes))) as unknown;
      },
    },
    ...readers
      .filter(([name]) => !/floor|@anthropic/.test(name))
      .map(([name, reader]) => ({
        name,
        prepare: (count: number) =>
          reader(input.packets(input.chatFrames([input.chatChunk({ content: "x".repeat(count * megabyte) })]))),
      })),
  ],
};

const uiDeltas = (count: number): object[] =>
  input.repeat(count, () => ({ type: "text-delta", id: "0", delta: input.word }));

export const encodeRow: Row = {
  id: "sse-encode",
  name: "events → bytes of server-sent events",
  unit: "µs per event",
  sizes,
  contenders: [
    {
      name: "floor: a template",
      prepare: count => {
        const chunks = uiDeltas(count);
        const utf8 = new TextEncoder();
        return () => chunks.reduce((sum, each) => sum + utf8.encode(`data: ${JSON.stringify(each)}\n\n`).length, 0);
      },
    },
    {
      name: "translogue encodeSse",
      prepare: count => {
        const chunks = uiDeltas(count);
        const utf8 = new TextEncoder();
        return () =>
          chunks.reduce((sum, each) => sum + utf8.encode(encodeSse({ data: JSON.stringify(each) })).length, 0);
      },
    },
    {
      name: "openai toReadableStream",
      prepare: async count => {
        const { write } = await import("../peers/openai.ts");
        const chunks = uiDeltas(count);
        return () => write(chunks);
      },
    },
    {
      name: "ai JsonToSseTransformStream",
      prepare: async count => {
        const { write } = await import("../peers/ai.ts");
        const chunks = uiDeltas(count);
        return () => write(chunks);
      },
    },
  ],
};

/** A Chat stream's text deltas as Anthropic's, and nothing else of it. */
function transcodeByHand(packets: readonly Uint8Array[]): number {
  const utf8 = new TextEncoder();
  const text = new TextDecoder();
  let [rest, size] = ["", 0];
  for (const packet of packets) {
    rest += text.decode(packet, { stream: true });
    let start = 0;
    for (let end = rest.indexOf("\n\n"); end !== -1; end = rest.indexOf("\n\n", start)) {
      const data = rest.slice(start + 6, end);
      start = end + 2;
      if (data === "[DONE]") continue;
      const chunk = JSON.parse(data) as {
        readonly choices: readonly { readonly delta: { readonly content?: string } }[];
      };
      const delta = JSON.stringify(chunk.choices[0]?.delta.content ?? "");
      const event = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":${delta}}}`;
      size += utf8.encode(`event: content_block_delta\ndata: ${event}\n\n`).length;
    }
    rest = rest.slice(start);
  }
  return size;
}

function transcodeAll(packets: readonly Uint8Array[], to: "anthropic-messages" | "ai-sdk-ui" | "openai-chat"): number {
  const machine = transcode("openai-chat", to);
  let size = 0;
  for (const packet of packets) for (const bytes of machine.push(packet)) size += bytes.length;
  for (const bytes of machine.end()) size += bytes.length;
  return size;
}

export const transcodeRow: Row = {
  id: "transcode",
  name: "a Chat stream's bytes → Anthropic's bytes, in packets of 16 kB",
  unit: "µs per chunk",
  sizes: [1000, 4000, 16_000, 64_000],
  contenders: [
    {
      name: "floor: JSON.parse and a template",
      prepare: count => {
        const packets = chatPackets(count);
        return () => transcodeByHand(packets);
      },
    },
    {
      name: "translogue",
      prepare: count => {
        const packets = chatPackets(count);
        return () => transcodeAll(packets, "anthropic-messages");
      },
    },
    {
      name: "translogue → the AI SDK's UI stream",
      prepare: count => {
        const packets = chatPackets(count);
        return () => transcodeAll(packets, "ai-sdk-ui");
      },
    },
    {
      name: "translogue, Chat → Chat",
      prepare: count => {
        const packets = chatPackets(count);
        return () => transcodeAll(packets, "openai-chat");
      },
    },
    {
      name: "llm-bridge",
      prepare: async count => {
        const { transcode: peer } = await import("../peers/llm-bridge.ts");
        const packets = chatPackets(count);
        return () => peer(packets);
      },
    },
  ],
};

export const speedRow: Row = {
  id: "transcode-speed",
  name: transcodeRow.name,
  unit: "MB/s read, by chunks",
  sizes: [16_000, 64_000],
  value: true,
  contenders: transcodeRow.contenders.map(contender => ({
    name: contender.name,
    prepare: async count => {
      const work = await contender.prepare(count);
      return () => speed(chatPackets(count), work);
    },
  })),
};

const atATime = 5000;

/** Microseconds from a chunk's coming in until its bytes are out, at a percentile. */
const percentile = (times: readonly number[], percent: number): number =>
  ([...times].sort((a, b) => a - b)[Math.floor((times.length * percent) / 100)] ?? Number.NaN) * 1000;

export const latencyRow: Row = {
  id: "latency",
  name: `a Chat stream → Anthropic's, one chunk a packet (${atATime}): from a chunk's coming to its bytes' leaving`,
  unit: "µs, by percentile",
  sizes: [50, 99],
  value: true,
  contenders: [
    {
      name: "translogue",
      prepare: percent => {
        const frames = input.chatFrames(input.chatText(atATime));
        return () => {
          const machine = transcode("openai-chat", "anthropic-messages");
          const times = frames.map(bytes => {
            const start = performance.now();
            machine.push(bytes);
            return performance.now() - start;
          });
          return percentile(times.slice(atATime / 2), percent);
        };
      },
    },
    {
      name: "llm-bridge",
      prepare: async percent => {
        const { transcoded } = await import("../peers/llm-bridge.ts");
        const frames = input.chatFrames(input.chatText(atATime)).slice(1, -2);
        return async () => {
          const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
          const [reader, writer] = [transcoded(readable).getReader(), writable.getWriter()];
          const times: number[] = [];
          for (const bytes of frames) {
            const start = performance.now();
            void writer.write(bytes);
            await reader.read();
            times.push(performance.now() - start);
          }
          return percentile(times.slice(atATime / 2), percent);
        };
      },
    },
  ],
};
