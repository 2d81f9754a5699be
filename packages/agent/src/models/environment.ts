import { demoModel } from "../demo/model.ts";
import { compatibleEndpoint, type Endpoint, endpoints } from "./endpoints.ts";
import type { HttpOptions } from "./http.ts";
import { createModelRouter, type ModelRouter } from "./router.ts";

/** A key or a server that could be used, and is not unless it is named. */
export interface FoundEndpoint {
  readonly provider: string;
  readonly title: string;
  /** The environment variable, or the address of a local server. Never the key. */
  readonly by: string;
  /** What a local server has. */
  readonly models?: readonly string[];
}

export interface EnvironmentModels extends ModelRouter {
  /** Keys and addresses that the environment holds. */
  readonly found: readonly FoundEndpoint[];
  /** No model is configured, or the demo is forced: it answers for every model. */
  readonly isDemo: boolean;
}

export interface EnvironmentOptions {
  /** From a configuration file or a flag; `TRANSLOGUE_MODEL=demo` is stronger. */
  readonly models?: readonly string[];
  readonly endpoints?: readonly Endpoint[];
  readonly http?: HttpOptions;
  /** Options of the demo model's pace: see `demoModel`. */
  readonly demo?: Parameters<typeof demoModel>[1];
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The models that an environment configures: `TRANSLOGUE_MODEL` (references, with commas between), keys and base URLs by the
 * variables of the endpoints, `TRANSLOGUE_BASE_URL` with `TRANSLOGUE_API_KEY` for any other OpenAI-compatible host (provider
 * `custom`). A key that is found is listed, and used only where a model is named.
 */
export function modelsFromEnvironment(env: Environment, options: EnvironmentOptions = {}): EnvironmentModels {
  const named = names(env["TRANSLOGUE_MODEL"]);
  const isForced = named.length === 1 && named[0] === "demo";
  const configured = options.models ?? [];
  const models = isForced ? [] : configured.length > 0 ? configured : named;
  const hosts = hostsOf(env, options.endpoints ?? []);
  const router = createModelRouter({
    models,
    endpoints: hosts,
    keys: valuesOf(hosts, ({ keyVariable }) => keyVariable && env[keyVariable]),
    baseUrls: valuesOf(hosts, ({ baseUrlVariable }) => baseUrlVariable && env[baseUrlVariable]),
    ...(options.http && { http: options.http }),
    demo: ref => demoModel(ref, options.demo),
  });
  const all = hosts.flatMap(({ id, title, keyVariable, baseUrlVariable }) =>
    [keyVariable, baseUrlVariable].flatMap(by => (by && env[by]?.trim() ? [{ provider: id, title, by }] : [])),
  );
  // A host may have several endpoints with one key; the first of them tells it.
  const found = all.filter(({ by }, index) => all.findIndex(each => each.by === by) === index);
  return { ...router, found, isDemo: models.length === 0 };
}

const names = (text = ""): string[] =>
  text
    .split(",")
    .map(name => name.trim())
    .filter(name => name !== "");

function hostsOf(env: Environment, own: readonly Endpoint[]): readonly Endpoint[] {
  const baseUrl = env["TRANSLOGUE_BASE_URL"]?.trim();
  const custom = baseUrl ? [{ ...compatibleEndpoint("custom", baseUrl), keyVariable: "TRANSLOGUE_API_KEY" }] : [];
  return [...new Map([...endpoints, ...custom, ...own].map(endpoint => [endpoint.id, endpoint])).values()];
}

function valuesOf(
  hosts: readonly Endpoint[],
  value: (endpoint: Endpoint) => string | undefined,
): Record<string, string> {
  return Object.fromEntries(
    hosts.flatMap(endpoint => {
      const text = value(endpoint)?.trim();
      return text ? [[endpoint.id, text]] : [];
    }),
  );
}

/** Local model servers that answer now, with their models. Asks each of the endpoints that are local, all at once. */
export async function findLocalServers(
  options: Pick<HttpOptions, "fetch"> & { readonly timeoutMs?: number } = {},
): Promise<readonly FoundEndpoint[]> {
  const { fetch = globalThis.fetch, timeoutMs = 500 } = options;
  const asked = endpoints.map(async ({ id, title, baseUrl, isLocal }): Promise<FoundEndpoint[]> => {
    if (!isLocal) return [];
    const models = await modelIds(`${baseUrl}/models`, { fetch, timeoutMs }).catch(() => undefined);
    return models ? [{ provider: id, title, by: baseUrl, models }] : [];
  });
  return (await Promise.all(asked)).flat();
}

async function modelIds(
  url: string,
  { fetch, timeoutMs }: { readonly fetch: typeof globalThis.fetch; readonly timeoutMs: number },
): Promise<readonly string[] | undefined> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
  if (!answer.ok) return undefined;
  const body = (await answer.json()) as { readonly data?: readonly { readonly id?: unknown }[] }; // its members are checked
  if (!Array.isArray(body?.data)) return undefined;
  return body.data.flatMap(({ id }) => (typeof id === "string" ? [id] : []));
}
