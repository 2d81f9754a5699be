import { createAgent, type Model } from "../../packages/agent/dist/index.js";
import type { Event } from "../../packages/core/dist/index.js";
import * as input from "../inputs.ts";
import type { Contender, Row } from "../measure.ts";

const deltas = 100;
const texts = input.repeat(deltas, () => input.word);
const events = input.textEvents(deltas);

type Pace = () => Promise<void>;
/** One run: a text to its end, `pace` waited for before each delta. Gives the characters that it heard. */
type Run = (pace: Pace) => Promise<number>;

function scripted(pace: Pace): Model {
  return {
    id: "scripted",
    provider: "bench",
    async *stream() {
      for (const event of events) {
        await pace();
        yield [event];
      }
    },
  };
}

const sizeOf = (batch: readonly Event[]): number =>
  batch.reduce((sum, event) => sum + (event.type === "part-delta" ? event.text.length : 0), 0);

async function bare(pace: Pace): Promise<number> {
  let size = 0;
  for await (const batch of scripted(pace).stream({ conversation: { messages: [] } })) size += sizeOf(batch);
  return size;
}

async function ours(pace: Pace): Promise<number> {
  let size = 0;
  for await (const update of createAgent({ model: scripted(pace) }).runStreaming("go")) size += sizeOf(update.events);
  return size;
}

const runs: readonly (readonly [name: string, run: () => Run | Promise<Run>])[] = [
  ["floor: async generators", () => bare],
  ["translogue runStreaming", () => ours],
  [
    "ai streamText",
    async () => {
      const { text } = await import("../peers/ai-run.ts");
      return pace => text(texts, pace);
    },
  ],
  [
    "@langchain/core stream",
    async () => {
      const { modelText } = await import("../peers/langchain-agent.ts");
      return pace => modelText(texts, pace);
    },
  ],
  [
    "langchain createAgent, stream",
    async () => {
      const { agentText } = await import("../peers/langchain-agent.ts");
      return pace => agentText(texts, pace);
    },
  ],
];

/** All at once, to their ends. */
async function together(run: Run, count: number, paceOf: () => Pace = () => input.tick): Promise<void> {
  const sizes = await Promise.all(input.repeat(count, () => run(paceOf())));
  const wrong = sizes.find(size => size !== deltas * input.word.length);
  if (wrong !== undefined) throw new Error(`a run told ${wrong} characters`);
}

const contenders = (work: (run: Run, count: number) => () => unknown): Contender[] =>
  runs.map(([name, make]) => ({ name, prepare: async count => work(await make(), count) }));

const about = `at once in one process, ${deltas} deltas each, one a turn of the event loop`;

export const manyRow: Row = {
  id: "many",
  name: `runs ${about}`,
  unit: "µs per delta, by runs",
  sizes: [1, 10, 100, 1000],
  divisor: count => count * deltas,
  contenders: contenders((run, count) => () => together(run, count)),
};

export const manyCpuRow: Row = {
  id: "many-cpu",
  name: `the processor's time of runs ${about}`,
  unit: "µs of CPU per delta, by runs",
  sizes: [1000],
  value: true,
  contenders: contenders((run, count) => async () => {
    await together(run, 10);
    const before = process.cpuUsage();
    await together(run, count);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / (count * deltas);
  }),
};

/** What is kept for each run while all are in the middle of their texts, over the same process before them. */
async function heldPerRun(run: Run, count: number, measured: () => number): Promise<number> {
  await together(run, 10);
  globalThis.gc?.();
  const idle = measured();
  let [waiting, perRun] = [0, Number.NaN];
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const paceOf = (): Pace => {
    let calls = 0;
    return async () => {
      if (++calls !== deltas / 2) return input.tick();
      if (++waiting === count) {
        // What the last turn left is no run's.
        await input.tick();
        globalThis.gc?.();
        perRun = (measured() - idle) / count;
        open();
      }
      return gate;
    };
  };
  await together(run, count, paceOf);
  return perRun;
}

const kB = 1000;

const heldRow = (id: string, what: string, measured: () => number): Row => ({
  id,
  name: `${what} that a run holds halfway, of runs ${about}`,
  unit: "kB a run over the idle process, by runs",
  sizes: [1000],
  value: true,
  contenders: contenders((run, count) => async () => (await heldPerRun(run, count, measured)) / kB),
});

export const manyHeapRow: Row = heldRow("many-heap", "memory", () => {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
});

export const manyRssRow: Row = heldRow("many-rss", "resident memory", () => process.memoryUsage.rss());
