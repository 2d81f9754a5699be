import { formatPath, isJsonObject, type Json, type Path } from "translogue";
import { failure } from "../errors.ts";

/** What was asked and answered, as plain JSON: to be kept beside a test. Headers of requests, where keys are, are not in it. */
export interface Recording {
  readonly version: 1;
  readonly exchanges: readonly Exchange[];
}

export interface Exchange {
  readonly request: {
    readonly method: string;
    /** Without user, password and query. */
    readonly url: string;
    /** The body as JSON, or as text. */
    readonly body?: Json;
  };
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    /** The body in the pieces it came in: texts, or base64 where a piece is no UTF-8. */
    readonly pieces: readonly (string | { readonly base64: string })[];
  };
}

type Fetch = typeof globalThis.fetch;
type FetchInput = Parameters<Fetch>;

/** Passes every call on, and keeps what was asked and what was read of its answer. */
export function recorder(fetch: Fetch = globalThis.fetch): { readonly fetch: Fetch; recording(): Recording } {
  const exchanges: (Exchange | undefined)[] = [];
  const recorded: Fetch = async (...given) => {
    const place = exchanges.push(undefined) - 1;
    const { request, again } = await asked(given);
    const response = await fetch(...again);
    const pieces: Piece[] = [];
    const keep = new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        pieces.push(pieceOf(bytes));
        controller.enqueue(bytes);
      },
    });
    exchanges[place] = { request, response: { status: response.status, headers: shown(response.headers), pieces } };
    const { status, statusText, headers } = response;
    const body = response.body ?? new Response("").body;
    return new Response(body?.pipeThrough(keep), { status, statusText, headers });
  };
  return {
    fetch: recorded,
    recording: () => ({ version: 1, exchanges: structuredClone(exchanges.filter(exchange => exchange !== undefined)) }),
  };
}

/**
 * A fetch that answers from a recording, without a network: in its order, each exchange once. A request that is not the
 * recorded one is refused with the place where they differ (`model/not-recorded`), so that a test sees what has changed.
 */
export function replay({ exchanges }: Recording): Fetch {
  let next = 0;
  return async (...given) => {
    const { 1: init } = given;
    init?.signal?.throwIfAborted();
    const place = next++;
    const exchange = exchanges[place];
    const { request } = await asked(given);
    if (!exchange) {
      const message = `request ${place + 1} goes to ${request.url}, and the recording has ${exchanges.length}: record it again`;
      throw failure("model/not-recorded", message, { data: { request: place } });
    }
    const path = difference(exchange.request, request, []);
    if (path) {
      const message = `request ${place + 1} differs from the recorded one at \`${formatPath(path)}\`: record it again, or mend what sends it`;
      throw failure("model/not-recorded", message, { data: { request: place, path: [...path] } });
    }
    return played(exchange.response);
  };
}

type Piece = Exchange["response"]["pieces"][number];

interface Asked {
  readonly request: Exchange["request"];
  /** The call, still to be made: a body that can be read once only has been. */
  readonly again: FetchInput;
}

async function asked(given: FetchInput): Promise<Asked> {
  const [input, init] = given;
  const sent = new Request(input, init);
  const text = await sent.clone().text();
  const { origin, pathname } = new URL(sent.url);
  const request = { method: sent.method, url: `${origin}${pathname}`, ...(text !== "" && { body: jsonOr(text) }) };
  const isUsedUp = input instanceof Request || init?.body instanceof ReadableStream;
  const { body: _, ...others } = init ?? {};
  return { request, again: isUsedUp ? [sent, others] : given };
}

function jsonOr(text: string): Json {
  try {
    return JSON.parse(text) as Json; // what JSON.parse gives
  } catch {
    return text;
  }
}

/** What is about this very connection, or about its owner, is no part of an answer. */
const left =
  /^(?:set-cookie|content-(?:encoding|length)|transfer-encoding|connection|keep-alive|date)$|organi[sz]ation|project/;

function shown(headers: Headers): Record<string, string> {
  const kept: Record<string, string> = {};
  headers.forEach((value, name) => {
    if (!left.test(name)) kept[name] = value;
  });
  return kept;
}

function pieceOf(bytes: Uint8Array): Piece {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return { base64: btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join("")) };
  }
}

function played({ status, headers, pieces }: Exchange["response"]): Response {
  const left = pieces.values();
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { value, done } = left.next();
      if (done) controller.close();
      else controller.enqueue(typeof value === "string" ? new TextEncoder().encode(value) : bytesOf(value.base64));
    },
  });
  return new Response(isBodiless(status) ? null : body, { status, headers });
}

/** https://fetch.spec.whatwg.org/#null-body-status, read 2026-11-30. */
const isBodiless = (status: number): boolean => status === 204 || status === 205 || status === 304;

const bytesOf = (base64: string): Uint8Array => Uint8Array.from(atob(base64), character => character.charCodeAt(0));

/** The first place where two values differ; the order of members says nothing. */
function difference(one: unknown, other: unknown, path: Path): Path | undefined {
  if (Array.isArray(one) && Array.isArray(other)) {
    if (one.length !== other.length) return [...path, Math.min(one.length, other.length)];
    for (const [index, item] of one.entries()) {
      const found = difference(item, other[index], [...path, index]);
      if (found) return found;
    }
    return undefined;
  }
  if (!isJsonObject(one) || !isJsonObject(other)) return Object.is(one, other) ? undefined : path;
  for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const found = difference(one[name], other[name], [...path, name]);
    if (found) return found;
  }
  return undefined;
}
