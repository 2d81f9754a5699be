import { failure } from "../errors.ts";
import type { Model } from "../model.ts";
import { createModel } from "./create-model.ts";
import { type Endpoint, endpoints as known } from "./endpoints.ts";
import type { HttpOptions } from "./http.ts";

/** A model that may be asked for. `model` is `*` where any of the provider's may. */
export interface ListedModel {
  /** `provider/model` */
  readonly ref: string;
  readonly provider: string;
  readonly model: string;
  readonly isDemo?: true;
}

/** Models by their reference. */
export interface ModelRouter {
  /** The first is the one that is taken where none is named. */
  readonly list: readonly ListedModel[];
  /** Throws `model/malformed`; `model/not-listed` where models are configured and this is none of them. */
  resolve(ref?: string): Model;
}

export interface RouterOptions {
  /** References; `provider/*` allows all of a provider's. None: the demo answers for every model. */
  readonly models?: readonly string[];
  /** Beside those this package knows; one of the same id is taken instead. */
  readonly endpoints?: readonly Endpoint[];
  /** By provider. */
  readonly keys?: Readonly<Record<string, string>>;
  readonly baseUrls?: Readonly<Record<string, string>>;
  readonly http?: HttpOptions;
  /** What answers in the name of a model where none is configured, and for the provider `demo`. */
  readonly demo: (ref: string) => Model;
}

/** Throws for a configuration that does not hold together: `model/malformed`, `model/no-endpoint`, `model/no-key`. */
export function createModelRouter(options: RouterOptions): ModelRouter {
  const { models = [], demo } = options;
  const hosts = new Map([...known, ...(options.endpoints ?? [])].map(endpoint => [endpoint.id, endpoint]));
  const list = models.map(ref => listed(ref, hosts));
  const make = (provider: string, model: string): Model => {
    if (provider === "demo") return demo(`${provider}/${model}`);
    const { http, keys = {}, baseUrls = {} } = options;
    const endpoint = hosts.get(provider) as Endpoint; // `listed` looked it up
    const [key, baseUrl] = [keys[provider], baseUrls[provider]];
    return createModel({
      ...http,
      endpoint,
      model,
      ...(key !== undefined && { key }),
      ...(baseUrl !== undefined && { baseUrl }),
    });
  };
  for (const { provider, model } of list) make(provider, model); // says at the start that a key is missing
  if (list.length === 0) return demoRouter(demo);
  return {
    list,
    resolve(ref = list.find(({ model }) => model !== "*")?.ref) {
      if (ref === undefined) throw failure("model/malformed", "no model is named, and none is the default");
      const { provider, model } = parseRef(ref);
      if (list.some(row => row.provider === provider && (row.model === model || row.model === "*"))) {
        return make(provider, model);
      }
      const names = list.map(row => row.ref).join(", ");
      throw failure("model/not-listed", `the model \`${ref}\` is not configured here; there are ${names}`, {
        data: { model: ref, models: list.map(row => row.ref) },
      });
    },
  };
}

const demoRef = "demo/standard";

function demoRouter(demo: (ref: string) => Model): ModelRouter {
  return {
    list: [{ ...parseRef(demoRef), isDemo: true }],
    resolve: (ref = demoRef) => demo(parseRef(ref).ref),
  };
}

function listed(ref: string, hosts: ReadonlyMap<string, Endpoint>): ListedModel {
  const row = parseRef(ref);
  if (row.provider === "demo") return { ...row, isDemo: true };
  if (hosts.has(row.provider)) return row;
  const names = [...hosts.keys(), "demo"].join(", ");
  throw failure("model/no-endpoint", `no endpoint is known for \`${row.provider}\` of \`${ref}\`; there are ${names}`, {
    data: { model: ref },
  });
}

/** `provider/model`; the model's own name may have more slashes. Throws `model/malformed`. */
export function parseRef(ref: string): ListedModel {
  const [, provider, model] = /^([^\s/]+)\/(\S+)$/.exec(ref) ?? [];
  if (provider === undefined || model === undefined) {
    throw failure("model/malformed", `\`${ref}\` names no model: write \`provider/model\`, as \`openai/gpt-5.2\``, {
      data: { model: ref },
    });
  }
  return { ref, provider, model };
}
