import type { Event, Json, JsonObject } from "translogue";
import type { Codec } from "translogue/convert";
import { failure, type RunError } from "../errors.ts";
import type { Model, ModelRequest } from "../model.ts";
import { invalidToken } from "../token.ts";
import type { Endpoint } from "./endpoints.ts";
import { type Addressee, isReadAt, requestFor, withOwnNames } from "./request.ts";
import { type RetryOptions, retrying } from "./retrying.ts";
import { sdkError } from "./sdk-error.ts";
import { Following, readPlace, tellConversation, tellGone } from "./stored-answers.ts";
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
  /** The host keeps what is said, where it can: later calls send only what is new. Default false. */
  readonly keepsConversation?: boolean;
}

/** A model by a client of the user's. Throws `agent/invalid` for a client that has not the method of its format. */
export function clientModel(options: ClientModelOptions): Model {
  const { endpoint, model, client } = options;
  const send = typeof client === "function" ? (client as Send) : methodOf(client, endpoint); // the type says it
  const fetch = typeof client === "function" ? undefined : retrieving(client, endpoint);
  const asked: Model = {
    id: model,
    provider: endpoint.id,
    stream: request => stream(options, { send, fetch }, request),
    reads: compaction => isReadAt(addresseeOf(options), compaction),
    ...cancelling(client, endpoint),
  };
  return retrying(asked, { retries: 0, ...options });
}

const addresseeOf = ({ endpoint, model, codec, dialect, keepsConversation: keeps }: ClientModelOptions): Addressee => ({
  endpoint,
  model,
  codec: codec ?? endpoint.codec,
  dialect: dialect ?? endpoint.dialect,
  keeps,
});

type Method = (...given: unknown[]) => PromiseLike<AsyncIterable<unknown>>;

/** What a client has under a dotted path. */
function methodAt(client: object, path: string): Method | undefined {
  let owner: unknown;
  let found: unknown = client;
  for (const name of path.split(".")) {
    owner = found;
    found =
      typeof found === "object" && found !== null ? (found as Readonly<Record<string, unknown>>)[name] : undefined; // any object may be asked
  }
  return typeof found === "function" ? found.bind(owner) : undefined;
}

/** The method that fetches the stream of an answer that the host has, from its start. */
function retrieving(client: object, { stored }: Endpoint): Fetch | undefined {
  const method = stored && methodAt(client, stored.retrieve);
  return method && ((answer, signal) => method(answer, { stream: true }, signal ? { signal } : {}));
}

/** What ends an answer that the host goes on with. */
function cancelling(client: object, { stored }: Endpoint): Pick<Model, "cancel"> {
  const method = stored && typeof client !== "function" ? methodAt(client, stored.cancel) : undefined;
  return method ? { cancel: async continuation => void (await method(readPlace(continuation).answer)) } : {};
}

/** The method that a client has for the endpoint's requests. */
function methodOf(client: object, { title, client: door }: Endpoint): Send {
  const method = door && methodAt(client, door.method);
  if (door && method) {
    return (body, { signal }) => method(...(door.arguments ?? bodyAndOptions)(body, signal));
  }
  const wanted = door ? `a client with \`${door.method}\`` : "a function that sends the request";
  throw failure("agent/invalid", `the client for ${title} is none: give ${wanted}`, { data: { endpoint: title } });
}

const bodyAndOptions = (body: JsonObject, signal: AbortSignal | undefined): readonly unknown[] => [
  body,
  signal ? { signal } : {},
];

type Fetch = (answer: string, signal: AbortSignal | undefined) => PromiseLike<AsyncIterable<unknown>>;

interface Client {
  readonly send: Send;
  /** Absent: its answers are not fetched. */
  readonly fetch: Fetch | undefined;
}

async function* stream(
  options: ClientModelOptions,
  { send, fetch }: Client,
  given: ModelRequest,
): AsyncGenerator<readonly Event[], void, undefined> {
  const { endpoint, keepsConversation: keeps } = options;
  const addressee = addresseeOf(options);
  const { codec, dialect } = addressee;
  const { background: _, ...others } = given;
  // Nobody may work on where nobody can ask.
  const request = fetch ? given : others;
  const { signal, report, continuation } = request;
  const place = continuation === undefined ? undefined : readPlace(continuation);
  if (place && !fetch) throw invalidToken(`this client of ${endpoint.title} fetches no answers`);
  const { value, ownNames } = await requestFor(addressee, request);
  const following = new Following(endpoint.stored, place);
  const told = (events: readonly Event[]): readonly Event[] => {
    for (const event of events)
      if (event.type === "error") tellGone((event.error as RunError).details?.status, request); // which it may have
    return withOwnNames(events, ownNames);
  };
  try {
    const asking = signal ? { signal } : {};
    const values =
      place && fetch ? await fetch(place.answer, signal) : await send({ ...value, ...endpoint.body }, asking);
    const read = (given: unknown): { readonly json: Json } => ({ json: given as Json }); // clients parse what came as JSON
    const follow = (events: readonly Event[], value?: Json) =>
      value !== undefined && following.see(value)
        ? following.told(events, [], request)
        : following.told([], events, request);
    for await (const events of valueEvents(values, { codec, dialect, report, signal, read, follow }))
      yield told(events);
    tellConversation(following.track, request, keeps);
  } catch (thrown) {
    signal?.throwIfAborted();
    yield told([{ type: "error", error: sdkError(thrown) }]);
  }
}
