import { accumulator, type Event, sseDecoder, streamDecoder } from "../../packages/core/dist/index.js";
import * as input from "../inputs.ts";
import type { Row } from "../measure.ts";

const sizes = [1000, 4000, 16_000, 64_000, 256_000];

/** Pushes all, and reads the messages at every one where `reads`. */
function accumulate(events: readonly Event[], { reads = false, liveInput = false } = {}): unknown {
  const machine = accumulator({ liveInput });
  let read: unknown;
  for (const event of events) {
    machine.push(event);
    if (reads) read = machine.messages;
  }
  return [machine.end(), read];
}

function fromBytes(format: "openai-chat" | "anthropic-messages", packets: readonly Uint8Array[]): unknown {
  const frames = sseDecoder();
  const decoder = streamDecoder(format);
  const machine = accumulator();
  const take = (events: ReturnType<typeof frames.push>): void => {
    for (const { data } of events) if (data !== "[DONE]") machine.pushAll(decoder.push(JSON.parse(data)));
  };
  for (const packet of packets) take(frames.push(packet));
  take(frames.end());
  machine.pushAll(decoder.end());
  return machine.end();
}

/** As little as can be done: lines cut, parsed, texts joined. */
function joinBytes(packets: readonly Uint8Array[], textOf: (event: Wire) => string | undefined): string {
  const utf8 = new TextDecoder();
  let [rest, text] = ["", ""];
  for (const packet of packets) {
    const lines = (rest + utf8.decode(packet, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith("data: {")) text += textOf(JSON.parse(line.slice(6)) as Wire) ?? "";
    }
  }
  return text;
}

interface Wire {
  readonly choices?: readonly { readonly delta?: { readonly content?: string } }[];
  readonly delta?: { readonly text?: string };
}

const chatPackets = (count: number): Uint8Array[] => input.packets(input.chatFrames(input.chatText(count)));
const anthropicPackets = (count: number): Uint8Array[] =>
  input.packets(input.anthropicFrames(input.anthropicText(count)));
const words = (count: number): string[] => input.repeat(count, () => input.word);

export const bytesRow: Row = {
  id: "text-bytes",
  name: "a Chat stream's bytes → message, in packets of 16 kB",
  unit: "µs per delta",
  sizes,
  contenders: [
    {
      name: "floor: decode, JSON.parse, append",
      prepare: count => {
        const packets = chatPackets(count);
        return () => joinBytes(packets, event => event.choices?.[0]?.delta?.content).length;
      },
    },
    {
      name: "translogue",
      prepare: count => {
        const packets = chatPackets(count);
        return () => fromBytes("openai-chat", packets);
      },
    },
    {
      name: "translogue, Anthropic's bytes",
      prepare: count => {
        const packets = anthropicPackets(count);
        return () => fromBytes("anthropic-messages", packets);
      },
    },
    {
      name: "openai client",
      prepare: async count => (await import("../peers/openai.ts")).client(chatPackets(count)),
    },
    {
      name: "@anthropic-ai/sdk client, its bytes",
      prepare: async count => (await import("../peers/anthropic.ts")).client(anthropicPackets(count)),
    },
    { name: "pi-ai", prepare: async count => (await import("../peers/pi.ts")).client(chatPackets(count)) },
  ],
};

export const eventsRow: Row = {
  id: "text-events",
  name: "text events, parsed already → message",
  unit: "µs per delta",
  sizes,
  contenders: [
    {
      name: "floor: string +=, a new snapshot each",
      prepare: count => {
        const deltas = words(count);
        return () => {
          let snapshot = { role: "assistant", parts: [{ type: "text", text: "" }] };
          for (const delta of deltas) {
            snapshot = { role: "assistant", parts: [{ type: "text", text: snapshot.parts[0]?.text + delta }] };
          }
          return snapshot;
        };
      },
    },
    {
      name: "translogue",
      prepare: count => {
        const events = input.textEvents(count);
        return () => accumulate(events);
      },
    },
    {
      name: "translogue, read at every delta",
      prepare: count => {
        const events = input.textEvents(count);
        return () => accumulate(events, { reads: true });
      },
    },
    {
      name: "@langchain/core concat",
      prepare: async count => {
        const { concat, textChunks } = await import("../peers/langchain.ts");
        const chunks = textChunks(words(count));
        return () => concat(chunks);
      },
    },
    {
      name: "openai stream helper",
      prepare: async count => (await import("../peers/openai.ts")).helper(input.chatText(count)),
    },
    {
      name: "@anthropic-ai/sdk stream helper",
      prepare: async count => (await import("../peers/anthropic.ts")).helper(input.anthropicText(count)),
    },
    {
      name: "ai readUIMessageStream",
      prepare: async count => {
        const { readUi, uiText } = await import("../peers/ai.ts");
        const chunks = uiText(words(count));
        return () => readUi(chunks);
      },
    },
    {
      name: "@tanstack/ai StreamProcessor",
      prepare: async count => {
        const { process, textChunks } = await import("../peers/tanstack.ts");
        const chunks = textChunks(words(count));
        return () => process(chunks);
      },
    },
  ],
};

export const callsRow: Row = {
  id: "arguments",
  name: "a call's arguments, their value to be had at every delta (5 characters)",
  unit: "µs per delta",
  sizes,
  contenders: [
    {
      name: "floor: +=, JSON.parse once",
      prepare: count => {
        const deltas = input.pieces(count);
        return () => JSON.parse(deltas.reduce((all, each) => all + each, "")) as unknown;
      },
    },
    {
      name: "translogue, read at every delta",
      prepare: count => {
        const events = input.callEvents(count);
        return () => accumulate(events, { reads: true, liveInput: true });
      },
    },
    {
      name: "openai stream helper (text alone)",
      prepare: async count => (await import("../peers/openai.ts")).helper(input.chatCall(count)),
    },
    {
      name: "@anthropic-ai/sdk with a listener",
      prepare: async count => (await import("../peers/anthropic.ts")).helper(input.anthropicCall(count), true),
    },
    {
      name: "ai readUIMessageStream",
      prepare: async count => {
        const { readUi, uiCall } = await import("../peers/ai.ts");
        const chunks = uiCall(input.pieces(count));
        return () => readUi(chunks);
      },
    },
    {
      name: "@langchain/core concat, read",
      prepare: async count => {
        const { callChunks, concatLive } = await import("../peers/langchain.ts");
        const chunks = callChunks(input.pieces(count));
        return () => concatLive(chunks);
      },
    },
    {
      name: "@tanstack/ai StreamProcessor",
      prepare: async count => {
        const { callChunks, process } = await import("../peers/tanstack.ts");
        const chunks = callChunks(input.pieces(count));
        return () => process(chunks);
      },
    },
    {
      name: "pi-ai, from bytes",
      prepare: async count =>
        (await import("../peers/pi.ts")).client(input.packets(input.chatFrames(input.chatCall(count)))),
    },
  ],
};

/** Events of parts that are there already, then of a text after them. */
function afterTools(tools: number, count: number): { readonly before: Event[]; readonly after: Event[] } {
  const parts = input.repeat(
    tools,
    (part): Event => ({
      type: "part",
      message: 0,
      part,
      value: { type: "tool-call", callId: `c${part}`, name: "read", input: { path: `src/${part}.ts` } },
    }),
  );
  const at = { message: 0, part: tools } as const;
  return {
    before: [
      { type: "message-start", message: 0, head: { role: "assistant" } },
      ...parts,
      { type: "part-start", ...at, value: { type: "text", text: "" } },
    ],
    after: input.repeat(count, (): Event => ({ type: "part-delta", ...at, of: "text", text: input.word })),
  };
}

const deltasAfter = 5000;

/** A UI message with that many finished tools, and the chunks of a text after them. */
const uiTools = (tools: number): object => ({
  id: "m",
  role: "assistant",
  parts: input.repeat(tools, index => ({
    type: "tool-read",
    toolCallId: `c${index}`,
    state: "output-available",
    input: { path: `src/${index}.ts` },
    output: "done",
  })),
});

export const afterToolsRow: Row = {
  id: "after-tools",
  name: `a text delta after finished tool parts (${deltasAfter} deltas, read at each)`,
  unit: "µs per delta, by how many tool parts came before",
  sizes: [1, 10, 100],
  value: true,
  contenders: [
    {
      name: "translogue",
      prepare: tools => {
        const { before, after } = afterTools(tools, deltasAfter);
        const once = (): number => {
          const machine = accumulator();
          machine.pushAll(before);
          const start = performance.now();
          for (const event of after) {
            machine.push(event);
            void machine.messages;
          }
          return ((performance.now() - start) * 1000) / deltasAfter;
        };
        return () => Math.min(...input.repeat(9, once));
      },
    },
    {
      name: "ai readUIMessageStream",
      prepare: async tools => {
        const { readUi, uiText } = await import("../peers/ai.ts");
        const chunks = uiText(words(deltasAfter));
        return async () => {
          await readUi(chunks, uiTools(tools));
          const start = performance.now();
          await readUi(chunks, uiTools(tools));
          return ((performance.now() - start) * 1000) / deltasAfter;
        };
      },
    },
  ],
};

const megabyte = 1024 * 1024;

/** How far the process grew over what it had when the work began. */
async function peak(work: () => unknown): Promise<number> {
  const before = process.memoryUsage.rss();
  await work();
  return (process.resourceUsage().maxRSS * 1024 - before) / megabyte;
}

export const memoryRow: Row = {
  id: "memory",
  name: "peak memory over what there was: text events, parsed already → message",
  unit: "MB, by deltas",
  sizes: [16_000, 64_000, 256_000],
  value: true,
  contenders: eventsRow.contenders.map(contender => ({
    name: contender.name,
    prepare: async count => {
      const work = await contender.prepare(count);
      return async () => await peak(work);
    },
  })),
};
