import { type FakeHost, startFakeHost } from "@translogue/testkit/fake-host";
import { afterEach } from "vitest";
import {
  createAgent,
  createModel,
  type Endpoint,
  endpoints,
  type ModelOptions,
  type ModelReport,
} from "../src/index.ts";
import { fixed } from "./scripted-model.ts";

export const key = "sk-very-secret";
const hosts: FakeHost[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close();
});

export const endpointOf = (id: string): Endpoint => {
  const endpoint = endpoints.find(row => row.id === id);
  if (!endpoint) throw new Error(`no endpoint ${id}`);
  return endpoint;
};

/** A model at a fake host that gives these replies; waiting between tries is counted, not done. */
export async function hosted(replies: Parameters<typeof startFakeHost>[0], options: Partial<ModelOptions> = {}) {
  const host = await startFakeHost(replies);
  hosts.push(host);
  const waits: number[] = [];
  const model = createModel({
    endpoint: endpointOf("openai"),
    model: "gpt-5.2",
    key,
    baseUrl: options.endpoint?.path.startsWith("/v1") ? host.url : `${host.url}/v1/`,
    random: () => 1,
    now: () => Date.parse("2026-11-30T08:00:00Z"),
    setTimer: (callback, ms) => {
      // What bounds an answer is never over; what waits for the next try is, at once.
      if (ms > 100_000) return () => {};
      waits.push(ms);
      const timer = setImmediate(callback);
      return () => clearImmediate(timer);
    },
    ...options,
  });
  return { host, model, waits };
}

export async function ask(model: Awaited<ReturnType<typeof hosted>>["model"], signal?: AbortSignal) {
  const reports: ModelReport[] = [];
  const agent = createAgent({
    ...fixed(),
    id: "ada",
    model: { ...model, stream: request => model.stream({ ...request, report: report => reports.push(report) }) },
  });
  const response = await agent.run("Hi", signal ? { signal } : {});
  return { response, reports };
}

/** The hosts are closed already. */
export const forget = (): void => void hosts.splice(0);
