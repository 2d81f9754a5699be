import { type AgentTool, createAgent, type Model } from "../../packages/agent/dist/index.js";
import type { Event } from "../../packages/core/dist/index.js";
import * as input from "../inputs.ts";
import type { Row } from "../measure.ts";

const at = { message: 0, part: 0 } as const;

/** An answer that calls the tool once. */
const callOf = (step: number): readonly Event[] => [
  { type: "message-start", message: 0, head: { role: "assistant" } },
  { type: "part-start", ...at, value: { type: "tool-call", callId: `c${step}`, name: "count" } },
  { type: "part-delta", ...at, of: "tool-call", text: JSON.stringify({ n: step }) },
  { type: "part-end", ...at },
  { type: "message-set", message: 0, set: { finish: { reason: "tool-calls" } } },
  { type: "message-end", message: 0 },
];

/** Calls the tool in so many answers, then says a word. */
function caller(steps: number): Model {
  let step = 0;
  return {
    id: "scripted",
    provider: "bench",
    async *stream() {
      yield step < steps ? callOf(step) : input.textEvents(1);
      step++;
    },
  };
}

/** The model's arguments are taken as they come, as those of the peers. */
const count = (calls: { made: number }): AgentTool => ({
  name: "count",
  input: input.countSchema,
  validate: value => ({ ok: true, value }),
  execute: () => {
    calls.made++;
    return "counted";
  },
});

async function runSteps(steps: number, isStreamed: boolean): Promise<void> {
  const calls = { made: 0 };
  const agent = createAgent({ model: caller(steps), tools: [count(calls)], limits: { maxSteps: steps + 1 } });
  let size = 0;
  if (isStreamed) for await (const { events } of agent.runStreaming("go")) size += events.length;
  else size = (await agent.run("go")).text.length;
  input.expectSteps(calls.made, steps);
  if (size === 0) throw new Error("nothing was told");
}

/** What a loop cannot leave out: the model asked, its call parsed, the tool run, both kept. */
async function runBare(steps: number): Promise<void> {
  const model = caller(steps);
  const messages: unknown[] = [];
  let made = 0;
  for (let goesOn = true; goesOn; ) {
    let [text, isCall] = ["", false];
    for await (const events of model.stream({ conversation: { messages: [] } })) {
      for (const event of events) {
        if (event.type !== "part-delta") continue;
        text += event.text;
        isCall = event.of === "tool-call";
      }
    }
    messages.push(isCall ? { call: JSON.parse(text) as unknown } : { text });
    if (isCall) messages.push({ result: await Promise.resolve(`${++made}`) });
    goesOn = isCall;
  }
  input.expectSteps(made, steps);
}

export const stepsRow: Row = {
  id: "steps",
  name: "an agent's loop over a model that is a script and calls a tool in every step",
  unit: "µs per step",
  sizes: [1, 10, 100, 1000],
  contenders: [
    { name: "floor: a loop by hand", prepare: steps => () => runBare(steps) },
    { name: "translogue run", prepare: steps => () => runSteps(steps, false) },
    { name: "translogue runStreaming", prepare: steps => () => runSteps(steps, true) },
    {
      name: "ai generateText",
      prepare: async steps => {
        const { generatedSteps } = await import("../peers/ai-run.ts");
        return () => generatedSteps(steps);
      },
    },
    {
      name: "ai streamText",
      prepare: async steps => {
        const { streamedSteps } = await import("../peers/ai-run.ts");
        return () => streamedSteps(steps);
      },
    },
    {
      name: "langchain createAgent, invoke",
      prepare: async steps => {
        const { invokedSteps } = await import("../peers/langchain-agent.ts");
        return () => invokedSteps(steps);
      },
    },
    {
      name: "langchain createAgent, stream",
      prepare: async steps => {
        const { streamedSteps } = await import("../peers/langchain-agent.ts");
        return () => streamedSteps(steps);
      },
    },
  ],
};
