import {
  type Event,
  emit,
  type Json,
  type JsonObject,
  type Message,
  type StreamError,
  stringifyJson,
} from "translogue";
import { type Codec, decode, encode, frames, streamDecoder } from "translogue/convert";
import { type AgentErrorCode, failure } from "../errors.ts";
import type { Model, ModelRequest } from "../model.ts";
import type { Endpoint } from "./endpoints.ts";
import { type HttpAnswer, type HttpOptions, isRetryable, post } from "./http.ts";

export interface ModelOptions extends HttpOptions {
  readonly endpoint: Endpoint;
  /** As the provider calls it. */
  readonly model: string;
  readonly key?: string;
  /** In place of the endpoint's. */
  readonly codec?: Codec;
  readonly dialect?: string;
  readonly baseUrl?: string;
}

/** A model behind an endpoint, over HTTP. Throws `model/no-key`. What goes wrong later is an error event of its answer. */
export function createModel(options: ModelOptions): Model {
  const { endpoint, model, key } = options;
  if (endpoint.needsKey && !key) {
    const where = endpoint.keyVariable ? `set ${endpoint.keyVariable}` : "give its `key`";
    throw failure("model/no-key", `${endpoint.title} needs a key: ${where}`, { data: { provider: endpoint.id } });
  }
  const host = new Host(options);
  return { id: model, provider: endpoint.id, stream: request => host.stream(request) };
}

/** Headers that help to find a request again or to keep to a limit. */
const keptHeaders =
  /^(?:x-request-id|request-id|openai-processing-ms|openai-version|x-ratelimit-.*|retry-after|cf-ray)$/;
const largestBody = 64 * 1024 * 1024;

class Host {
  readonly #options: ModelOptions;
  readonly #codec: Codec;
  readonly #dialect: string;
  readonly #url: string;

  constructor(options: ModelOptions) {
    const { endpoint, codec = endpoint.codec, dialect = endpoint.dialect, baseUrl = endpoint.baseUrl } = options;
    this.#options = options;
    this.#codec = codec;
    this.#dialect = dialect ?? codec.dialects[0];
    this.#url = `${baseUrl.replace(/\/+$/, "")}${endpoint.path}`;
  }

  async *stream(request: ModelRequest): AsyncGenerator<readonly Event[], void, undefined> {
    const { signal, report } = request;
    const answer = await post(
      {
        url: this.#url,
        name: this.#options.endpoint.title,
        headers: this.#headers(),
        body: this.#body(request),
        ...(signal && { signal }),
      },
      this.#options,
    );
    report?.({ headers: headersOf(answer.headers) });
    if (answer.status >= 300) yield [{ type: "error", error: await this.#refusal(answer) }];
    else yield* this.#answer(answer, request);
  }

  #headers(): Record<string, string> {
    const { endpoint, key } = this.#options;
    return {
      "content-type": "application/json",
      accept: "text/event-stream, application/json",
      ...endpoint.headers,
      ...(key && { authorization: `Bearer ${key}` }),
    };
  }

  #body({ conversation, report }: ModelRequest): string {
    const { endpoint, model } = this.#options;
    const { value, losses, exact } = encode(
      this.#codec,
      { ...conversation, model },
      { shape: "request", recipient: "provider", dialect: this.#dialect },
    );
    report?.({ losses });
    const body = Object.assign(value as object, endpoint.body); // a request is an object, and this one is ours
    return stringifyJson(body as Json, exact); // a request is JSON
  }

  /** A stream; or a whole answer, from a host that does not stream, whatever its content type says. */
  async *#answer(answer: HttpAnswer, { report }: ModelRequest): AsyncGenerator<readonly Event[], void, undefined> {
    const { stream } = this.#codec;
    const pieces = answer.pieces[Symbol.asyncIterator]();
    const begin = await opening(pieces);
    const all = rejoined(begin, pieces);
    const isWhole = stream?.framing !== "ndjson" && /^\s*[[{]/.test(new TextDecoder().decode(begin));
    if (isWhole || !stream) yield this.#wholeAnswer(await textOf(all, largestBody), report);
    else yield* this.#streamed(all, stream, report);
  }

  async *#streamed(
    pieces: AsyncIterable<Uint8Array>,
    stream: NonNullable<Codec["stream"]>,
    report: ModelRequest["report"],
  ): AsyncGenerator<readonly Event[], void, undefined> {
    const wire = frames.decoder(stream);
    const decoder = streamDecoder(this.#codec, { dialect: this.#dialect });
    const decode = (values: readonly Json[]): Event[] =>
      values.flatMap(value => decoder.push(value).map(event => this.#shown(event)));
    let isFinished = false;
    let broken: unknown;
    try {
      for await (const piece of pieces) {
        const events = decode(wire.push(piece));
        isFinished ||= events.some(isFinish);
        if (events.length > 0) yield events;
      }
    } catch (error) {
      broken = error;
    }
    const last = [...decode(wire.end()), ...decoder.end()];
    if (last.length > 0) yield last;
    report?.({ issues: [...wire.issues, ...decoder.issues] });
    // A connection that breaks after the finish has taken nothing away.
    if (broken !== undefined && !isFinished && !last.some(isFinish)) throw broken;
  }

  #wholeAnswer(text: string, report: ModelRequest["report"]): readonly Event[] {
    const raw = parsed(text);
    if (raw === undefined) {
      const message = `${this.#options.endpoint.title} answered with what is neither a stream nor JSON: ${this.#clip(text)}`;
      return [{ type: "error", error: { code: "model/not-understood", message } }];
    }
    const { conversation, issues } = decode(this.#codec, raw, { shape: "answer", dialect: this.#dialect });
    report?.({ raw, issues });
    return answerEvents(conversation.messages).map(event => this.#shown(event));
  }

  async #refusal(answer: HttpAnswer): Promise<StreamError> {
    const { status } = answer;
    const text = await textOf(answer.pieces, 64 * 1024).catch(() => "");
    const { message, code } = this.#errorIn(text);
    const said = message.trim() === "" ? "" : `: ${this.#clip(message)}`;
    const named = code !== undefined && !message.includes(code) ? ` (${code})` : "";
    return {
      code: codeOf(status),
      message: this.#redacted(`${this.#options.endpoint.title} answered ${status}${said}${named}`),
      retryable: isRetryable(status),
    };
  }

  #errorIn(text: string): { readonly message: string; readonly code?: string } {
    const body = parsed(text);
    if (body === undefined) return { message: text };
    if (!this.#codec.shapes.includes("error")) return { message: text };
    const { messages } = decode(this.#codec, body, { shape: "error", dialect: this.#dialect }).conversation;
    const error = messages.flatMap(({ parts }) => parts).find(part => part.type === "error");
    return error ?? { message: text };
  }

  /** Some hosts repeat the key in what they complain of. */
  #shown(event: Event): Event {
    if (event.type !== "error") return event;
    return { type: "error", error: { ...event.error, message: this.#redacted(event.error.message) } };
  }

  #redacted(text: string): string {
    const { key } = this.#options;
    return key ? text.replaceAll(key, "[key]") : text;
  }

  #clip(text: string): string {
    return text.length > 1000 ? `${text.slice(0, 1000)}…` : text;
  }
}

const isFinish = (event: Event): boolean =>
  event.type === "message-set" && event.set.finish !== undefined && event.set.finish.reason !== "incomplete";

/** The pieces up to the first byte that is no white space. */
async function opening(pieces: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  let begin = new Uint8Array();
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
    begin = begin.length === 0 ? new Uint8Array(next.value) : joined(begin, next.value);
    if (begin.some(byte => byte > 32)) break;
  }
  return begin;
}

function joined(left: Uint8Array, right: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(left.length + right.length);
  both.set(left);
  both.set(right, left.length);
  return both;
}

async function* rejoined(begin: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield begin;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

/** An answer that failed as whole ends in an error event, as a streamed one does. */
function answerEvents(messages: readonly Message[]): readonly Event[] {
  const last = messages.at(-1);
  const error = last?.finish?.reason === "error" ? last.parts.find(part => part.type === "error") : undefined;
  if (!last || !error) return emit(messages);
  const { message, code } = error;
  const parts = last.parts.filter(part => part !== error);
  return [
    ...(parts.length > 0 ? emit([...messages.slice(0, -1), { ...last, parts }]) : []),
    { type: "error", error: { message, ...(code !== undefined && { code }) } },
  ];
}

function codeOf(status: number): AgentErrorCode {
  if (status === 401 || status === 403) return "model/unauthorised";
  if (status === 404) return "model/not-found";
  if (status === 408 || status === 504) return "model/timeout";
  if (status === 429) return "model/rate-limited";
  return status >= 500 ? "model/unavailable" : "model/refused";
}

function headersOf(headers: Headers): Record<string, string> {
  const kept: Record<string, string> = {};
  headers.forEach((value, name) => {
    if (keptHeaders.test(name)) kept[name] = value;
  });
  return kept;
}

async function textOf(pieces: AsyncIterable<Uint8Array>, most: number): Promise<string> {
  const utf8 = new TextDecoder();
  const texts: string[] = [];
  let size = 0;
  for await (const piece of pieces) {
    size += piece.length;
    if (size > most) break;
    texts.push(utf8.decode(piece, { stream: true }));
  }
  return texts.join("") + utf8.decode();
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as JsonObject) : undefined; // what JSON.parse gives
  } catch {
    return undefined;
  }
}
