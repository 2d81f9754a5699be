import type { Event, Json, JsonObject } from "translogue";
import type { Codec } from "translogue/convert";
import { failure } from "../errors.ts";
import type { Model, ModelRequest } from "../model.ts";
import type { Endpoint } from "./endpoints.ts";
import { requestFor, withOwnNames } from "./request.ts";
import { type RetryOptions, retrying } from "./retrying.ts";
import { sdkError } from "./sdk-error.ts";
import { valueEvents } from "./values.ts";

/** Sends a request's body by a client of the user's, and gives the values of the answer's stream. */
export type Send = (
  body: JsonObject,
  options: { readonly signal?: AbortSignal },
) => PromiseLike<AsyncIterable<unknown>> | AsyncIterable<unknown>;

export interface ClientModelOptions extends RetryOptions {
  /** Whose format the client speaks. */
  readonly endpoint: Endpoint;
  /** As the provider calls it. */
  readonly model: string;
  /**
   * The provider's official client (`new OpenAI()`, `new Anthropic()`, `new GoogleGenAI()`), which then has key, address,
   * proxies and retries; or a function that sends by any other.
   */
  readonly client: object | Send;
  readonly codec?: Codec;
  readonly dialect?: string;
}

/** A model by a client of the user's. Throws `agent/invalid` for a client that has not the method of its format. */
export function clientModel(options: ClientModelOptions): Model {
  const { endpoint, model, client } = options;
  const send = typeof client === "function" ? (client as Send) : methodOf(client, endpoint); // the type says it
  const asked: Model = { id: model, provider: endpoint.id, stream: request => stream(options, send, request) };
  return retrying(asked, { retries: 0, ...options });
}

/** The method that a client has under the endpoint's dotted path. */
function methodOf(client: object, { title, client: door }: Endpoint): Send {
  const names = door?.method.split(".") ?? [];
  let owner: unknown;
  let found: unknown = client;
  for (const name of names) {
    owner = found;
    found =
      typeof found === "object" && found !== null ? (found as Readonly<Record<string, unknown>>)[name] : undefined; // any object may be asked
  }
  if (door && typeof found === "function") {
    const method: (...given: unknown[]) => PromiseLike<AsyncIterable<unknown>> = found.bind(owner);
    return (body, { signal }) => method(...(door.arguments ?? bodyAndOptions)(body, signal));
  }
  const wanted = door ? `a client with \`${door.method}\`` : "a function that sends the request";
  throw failure("agent/invalid", `the client for ${title} is none: give ${wanted}`, { data: { endpoint: title } });
}

const bodyAndOptions = (body: JsonObject, signal: AbortSignal | undefined): readonly unknown[] => [
  body,
  signal ? { signal } : {},
];

async function* stream(
  { endpoint, model, codec = endpoint.codec, dialect = endpoint.dialect }: ClientModelOptions,
  send: Send,
  request: ModelRequest,
): AsyncGenerator<readonly Event[], void, undefined> {
  const { signal, report } = request;
  const { value, ownNames } = await requestFor({ endpoint, model, codec, dialect }, request);
  try {
    const values = await send({ ...value, ...endpoint.body }, signal ? { signal } : {});
    const read = (given: unknown): { readonly json: Json } => ({ json: given as Json }); // clients parse what came as JSON
    for await (const events of valueEvents(values, { codec, dialect, report, signal, read }))
      yield withOwnNames(events, ownNames);
  } catch (thrown) {
    signal?.throwIfAborted();
    yield [{ type: "error", error: sdkError(thrown) }];
  }
}
