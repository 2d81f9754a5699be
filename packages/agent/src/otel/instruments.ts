import type { Histogram, Meter } from "@opentelemetry/api";
import type { Usage } from "translogue";
import { type Attributes, attribute, tokenCounts } from "./conventions.ts";
import type { Timed } from "./timed.ts";

/** The conventions' buckets for durations, in seconds, and for tokens. */
const seconds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const tokens = [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864];

/** Attributes that a metric has too: few values each. */
const shared = ["gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model", "gen_ai.response.model"];

/** The histograms of the conventions. */
export class Instruments {
  readonly #run: Histogram;
  readonly #tool: Histogram;
  readonly #model: Histogram;
  readonly #first: Histogram;
  /** By the name of the count. */
  readonly #usage: ReadonlyMap<string, Histogram>;

  constructor(meter: Meter) {
    const duration = (name: string, description: string): Histogram =>
      meter.createHistogram(name, { description, unit: "s", advice: { explicitBucketBoundaries: seconds } });
    const count = (name: string, description: string): [string, Histogram] => [
      name,
      meter.createHistogram(`gen_ai.client.inference.usage.${name}`, {
        description,
        unit: "{token}",
        advice: { explicitBucketBoundaries: tokens },
      }),
    ];
    this.#run = duration("gen_ai.invoke_agent.duration", "Duration of runs of agents");
    this.#tool = duration("gen_ai.execute_tool.duration", "Duration of tool calls");
    this.#model = duration("gen_ai.client.inference.duration", "Duration of model calls");
    this.#first = duration("gen_ai.client.inference.time_to_first_chunk", "Time to the first piece of an answer");
    this.#usage = new Map([
      count("input_tokens", "Tokens that models read, cached ones included"),
      count("output_tokens", "Tokens that models wrote, reasoning included"),
      count("cache_read.input_tokens", "Tokens read from a provider's cache"),
      count("cache_write.input_tokens", "Tokens written to a provider's cache"),
      count("reasoning.output_tokens", "Tokens of reasoning"),
    ]);
  }

  runTook(span: Timed, attributes: Attributes): void {
    this.#run.record(span.took, of(span, attributes, "gen_ai.agent.name"));
  }

  toolTook(span: Timed, attributes: Attributes): void {
    this.#tool.record(span.took, of(span, attributes, "gen_ai.tool.name", "gen_ai.tool.type"));
  }

  modelTook(span: Timed, attributes: Attributes, usage: Usage | undefined): void {
    const about = of(span, attributes);
    this.#model.record(span.took, about);
    if (span.firstAfter !== undefined) this.#first.record(span.firstAfter, about);
    for (const [name, value] of tokenCounts(usage)) this.#usage.get(name)?.record(value, about);
  }
}

function of(span: Timed, attributes: Attributes, ...more: readonly string[]): Attributes {
  const kept = [...shared, ...more].flatMap(name => {
    const value = attributes[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(kept), ...attribute("error.type", span.error) };
}
