import { type Sleep, sleep } from "../time.ts";
import { type AgentTool, defineTool } from "../tools/tool.ts";
import { evaluate } from "./arithmetic.ts";
import { fields } from "./schema.ts";
import { cities, cityNamed, skies } from "./weather.ts";

export interface DemoToolOptions {
  readonly clock?: () => Date;
  /** Milliseconds that `research` takes for each of its steps. Default 0. */
  readonly paceMs?: number;
  readonly sleep?: Sleep;
}

/** Tools that reach nothing outside: sums, the clock, a table of weather, and some that are only there to be seen. */
export const createDemoTools = (options: DemoToolOptions = {}): readonly AgentTool[] => [
  add,
  calculate,
  getTime(options.clock ?? (() => new Date())),
  getWeather,
  research(options),
  sendEmail,
  deleteNote,
  failOnPurpose,
];

const add = defineTool({
  name: "add",
  title: "Add",
  description: "Adds two numbers.",
  parameters: fields({
    a: { type: "number", description: "The first number." },
    b: { type: "number", description: "The second number." },
  }),
  execute: ({ a, b }) => Number((a + b).toPrecision(15)),
});

const calculate = defineTool({
  name: "calculate",
  title: "Calculate",
  description: "Calculates an expression of numbers with + - * / and brackets.",
  parameters: fields({ expression: { type: "string", description: "For example (2 + 3) * 4." } }),
  execute: ({ expression }) => evaluate(expression),
});

const getTime = (clock: () => Date) =>
  defineTool({
    name: "get_time",
    title: "Time",
    description: "The date and time now.",
    parameters: fields({
      timezone: { type: "string", description: "An IANA name such as Asia/Shanghai. Default UTC.", optional: true },
    }),
    execute: ({ timezone = "UTC" }) => {
      const now = clock();
      // The Swedish way to write a date is the ISO way.
      const time = new Intl.DateTimeFormat("sv-SE", { timeZone: timezone, dateStyle: "short", timeStyle: "short" });
      return { time: time.format(now), timezone, iso: now.toISOString() };
    },
  });

const getWeather = defineTool({
  name: "get_weather",
  title: "Weather",
  description: `The weather in a city, from a table that never changes: ${cities.map(({ en }) => en).join(", ")}.`,
  parameters: fields({ city: { type: "string", description: "Its name in English or Chinese." } }),
  execute: ({ city: name }) => {
    const city = cityNamed(name);
    if (!city) throw new Error(`The table has no city "${name}". It has ${cities.map(({ en }) => en).join(", ")}.`);
    const { en, zh, celsius, sky } = city;
    return {
      output: { city: en, celsius, sky: skies[sky].en },
      structured: { city: { en, zh }, celsius, sky: { ...skies[sky] } },
      display: [{ type: "text", text: `${en} ${zh} · ${celsius} °C · ${skies[sky].en} ${skies[sky].zh}` }],
    };
  },
});

const stages = ["looking for sources", "reading three of them", "writing it down"];

const research = ({ paceMs = 0, sleep: wait = sleep }: DemoToolOptions) =>
  defineTool({
    name: "research",
    title: "Research",
    description: "Pretends to look something up, and shows how far it is.",
    parameters: fields({ topic: { type: "string", description: "What to look up." } }),
    timeoutMs: 60_000,
    execute: async ({ topic }, context) => {
      for (const [index, stage] of stages.entries()) {
        context.progress({ stage, done: index, of: stages.length });
        if (paceMs > 0) await wait(paceMs, context.signal);
      }
      return { topic, findings: [`"${topic}" has ${topic.length} characters.`], sources: 3 };
    },
  });

const sendEmail = defineTool({
  name: "send_email",
  title: "Send e-mail",
  description: "Sends an e-mail once a person has approved it. In the demo nothing leaves the machine.",
  parameters: fields({
    to: { type: "string", description: "The address." },
    subject: { type: "string", description: "The subject." },
    body: { type: "string", description: "The text." },
  }),
  needsApproval: true,
  approvalReason: "It would send an e-mail in your name.",
  execute: ({ to, subject }) => ({ sent: true, to, subject }),
});

const deleteNote = defineTool({
  name: "delete_note",
  title: "Delete note",
  description: "Deletes a note. Drafts go at once, all others need a person's approval.",
  parameters: fields({ title: { type: "string", description: "Title of the note." } }),
  needsApproval: ({ title }) => !/draft|草稿/i.test(title),
  approvalReason: "A deleted note does not come back.",
  execute: ({ title }) => ({ deleted: title }),
});

const failOnPurpose = defineTool({
  name: "fail_on_purpose",
  title: "Fail",
  description: "Fails, so that a failure can be seen.",
  parameters: fields({ reason: { type: "string", description: "What it says." } }),
  execute: ({ reason }) => {
    throw new Error(reason);
  },
});
