import { type Event, emit, type Issue, type Json, type JsonObject, type Message, stringifyJson } from "translogue";
import { type Codec, type Decoded, decode, frames, streamDecoder } from "translogue/convert";
import { failure, type RunError } from "../errors.ts";
import type { Model, ModelRequest } from "../model.ts";
import type { Endpoint } from "./endpoints.ts";
import { excerpt } from "./excerpt.ts";
import { keptHeaders } from "./headers.ts";
import { codeOf, type HostError, toldError } from "./host-error.ts";
import { again, type HttpAnswer, type HttpCall, type HttpOptions, isRetryable, post, retryAfter } from "./http.ts";
import { isOutput } from "./output.ts";
import { type HostRequest, requestFor, withOwnNames } from "./request.ts";

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
  if (key && !/^[!-~]+$/.test(key)) {
    throw failure(
      "model/no-key",
      `the key for ${endpoint.title} holds a space or a sign that no key has: copy it again`,
      {
        data: { provider: endpoint.id },
      },
    );
  }
  const host = new Host(options);
  return { id: model, provider: endpoint.id, stream: request => host.stream(request) };
}

/** The model's place in a path. */
const inPath = "{model}";
const largestBody = 64 * 1024 * 1024;
const largestExcerpt = 64 * 1024;

class Host {
  readonly #options: ModelOptions;
  readonly #codec: Codec;
  readonly #dialect: string;
  readonly #url: string;

  constructor(options: ModelOptions) {
    const { endpoint, codec = endpoint.codec, dialect = endpoint.dialect, baseUrl = endpoint.baseUrl } = options;
    const name = encodeURIComponent(options.model.replace(/^models\//, "")); // Google's own lists have it in front
    this.#options = options;
    this.#codec = codec;
    this.#dialect = dialect ?? codec.dialects[0];
    this.#url = `${baseUrl.replace(/\/+$/, "")}${endpoint.path.replace(inPath, () => name)}`;
  }

  /** A failure that comes before the first output is asked about again, under whatever status it came. */
  async *stream(request: ModelRequest): AsyncGenerator<readonly Event[], void, undefined> {
    const { signal, report } = request;
    const { body, ownNames } = await this.#request(request);
    const asked = { request, ownNames };
    const call: HttpCall = {
      url: this.#url,
      name: this.#options.endpoint.title,
      headers: this.#headers(),
      body,
      ...(signal && { signal }),
    };
    for (let tries = 0; ; tries++) {
      const answer = await post(call, this.#options, tries);
      tries = answer.tries;
      report?.({ headers: keptHeaders(answer.headers) });
      const isLast = yield* this.#tried(answer, asked, () => again(answer, call, this.#options));
      if (isLast) return;
    }
  }

  /** The events of an answer; what only says that one begins is held back until something does. */
  async *#tried(
    answer: HttpAnswer,
    asked: Asked,
    mayTryAgain: () => Promise<boolean>,
  ): AsyncGenerator<readonly Event[], boolean, undefined> {
    let held: Event[] | undefined = [];
    for await (const events of this.#events(answer, asked)) {
      if (!held) yield events;
      else {
        held.push(...events);
        const failed = held.find(event => event.type === "error");
        const isBegun = held.some(isOutput);
        if (!isBegun && failed && isPassing(failed.error) && answer.status < 300 && (await mayTryAgain())) return false;
        if (!isBegun && !failed) continue;
        yield held;
        held = undefined;
      }
    }
    if (held && held.length > 0) yield held;
    return true;
  }

  async *#events(answer: HttpAnswer, { request, ownNames }: Asked): AsyncGenerator<readonly Event[], void, undefined> {
    if (answer.status >= 300) yield [failed(await this.#refusal(answer))];
    else for await (const events of this.#answer(answer, request)) yield withOwnNames(events, ownNames);
  }

  #headers(): Record<string, string> {
    const { endpoint, key } = this.#options;
    const { keyHeader } = endpoint;
    return {
      "content-type": "application/json",
      accept: "text/event-stream, application/json",
      ...endpoint.headers,
      ...(key && (keyHeader === undefined ? { authorization: `Bearer ${key}` } : { [keyHeader]: key })),
    };
  }

  async #request(request: ModelRequest): Promise<{ readonly body: string } & Pick<HostRequest, "ownNames">> {
    const { endpoint, model } = this.#options;
    const addressee = { endpoint, model, codec: this.#codec, dialect: this.#dialect };
    const { value, exact, ownNames } = await requestFor(addressee, request);
    const body: { model?: unknown } = Object.assign(value, endpoint.body); // ours: nobody else has it
    if (endpoint.path.includes(inPath)) delete body.model;
    return { body: stringifyJson(body as Json, exact), ownNames }; // a request is JSON
  }

  /** A stream; or a whole answer, from a host that does not stream, whatever its content type says. */
  async *#answer(answer: HttpAnswer, { report }: ModelRequest): AsyncGenerator<readonly Event[], void, undefined> {
    const { stream } = this.#codec;
    const type = answer.headers.get("content-type") ?? "";
    if (stream?.framing === "binary" && type.includes("eventstream")) {
      yield* this.#streamed(answer.pieces, { stream, answer, report });
      return;
    }
    const pieces = answer.pieces[Symbol.asyncIterator]();
    const begin = await opening(pieces);
    const all = rejoined(begin.bytes, pieces);
    const isEvents = type.includes("event-stream") && !begin.text.startsWith("<");
    if (begin.text === "") yield [failed(this.#empty())];
    else if (stream && (stream.framing === "ndjson" ? /^[[{]/ : sseField).test(begin.text))
      yield* this.#streamed(all, { stream, answer, report });
    else if (/^[[{]/.test(begin.text)) yield this.#wholeAnswer(await textOf(all, largestBody), { answer, report });
    else if (stream && isEvents) yield* this.#streamed(all, { stream, answer, report });
    else yield [failed(this.#notUnderstood(await textOf(all, largestExcerpt)))];
  }

  async *#streamed(
    pieces: AsyncIterable<Uint8Array>,
    { stream, answer, report }: Reading & { readonly stream: NonNullable<Codec["stream"]> },
  ): AsyncGenerator<readonly Event[], void, undefined> {
    const wire = frames.decoder(stream);
    const decoder = streamDecoder(this.#codec, { dialect: this.#dialect });
    let values = 0;
    const decode = (read: readonly Json[]): Event[] => {
      values += read.length;
      return read.flatMap(value => decoder.push(value).map(event => this.#told(event, value, answer)));
    };
    let isFinished = false;
    let broken: unknown;
    try {
      for await (const piece of pieces) {
        const events = decode(wire.push(piece));
        isFinished ||= events.some(isFinish);
        if (events.length > 0) yield events;
        // Leaving the loop closes a connection that the host keeps open behind its answer.
        if (wire.isOver || events.some(({ type }) => type === "error")) break;
      }
    } catch (error) {
      broken = error;
    }
    const rest = decode(wire.end());
    // Without a single value the decoder would end an answer that nobody began.
    const [wrong] = wire.issues;
    const nothing = (): Event => failed(wrong ? this.#notUnderstood(wrong.message) : this.#empty());
    const last = values > 0 ? [...rest, ...decoder.end()] : broken === undefined ? [nothing()] : [];
    if (last.length > 0) yield last;
    report?.({ issues: [...wire.issues, ...decoder.issues].map(issue => this.#shownIssue(issue)) });
    // A connection that breaks after the finish has taken nothing away.
    if (broken !== undefined && !isFinished && !last.some(isFinish)) throw broken;
  }

  #wholeAnswer(text: string, { answer, report }: Reading): readonly Event[] {
    const raw = parsed(text);
    const read = raw && this.#decoded(raw);
    if (!read) return [failed(this.#notUnderstood(text))];
    const { messages } = read.conversation;
    report?.({ raw, issues: read.issues.map(issue => this.#shownIssue(issue)) });
    if (
      messages.every(({ parts, finish }) => parts.length === 0 && (finish?.reason ?? "incomplete") === "incomplete")
    ) {
      const isNamed = messages.some(({ responseId, model }) => responseId !== undefined || model !== undefined);
      return [failed(isNamed ? this.#empty() : this.#notUnderstood(text))];
    }
    return answerEvents(messages).map(event => this.#told(event, raw, answer));
  }

  #decoded(raw: JsonObject): Decoded | undefined {
    try {
      return decode(this.#codec, raw, { shape: "answer", dialect: this.#dialect });
    } catch {
      return undefined;
    }
  }

  async #refusal(answer: HttpAnswer): Promise<RunError> {
    const { status } = answer;
    const text = await textOf(answer.pieces, largestExcerpt).catch(() => "");
    const { message, code } = this.#errorIn(text);
    const said = message.trim() === "" ? "" : `: ${this.#excerpt(message)}`;
    const named = code !== undefined && !message.includes(code) ? ` (${this.#excerpt(code)})` : "";
    return {
      code: codeOf(status),
      message: `${this.#options.endpoint.title} answered ${status}${said}${named}`,
      retryable: isRetryable(status),
      details: { status, ...(code !== undefined && { code: this.#excerpt(code) }), ...this.#waitOf(answer) },
    };
  }

  #errorIn(text: string): HostError {
    const body = parsed(text);
    if (body === undefined) return { message: text };
    if (!this.#codec.shapes.includes("error")) return { message: text };
    const { messages } = decode(this.#codec, body, { shape: "error", dialect: this.#dialect }).conversation;
    const error = messages.flatMap(({ parts }) => parts).find(part => part.type === "error");
    return error ?? { message: text };
  }

  /** An error that an answer tells, in our codes; some hosts repeat the key in what they complain of. */
  #told(event: Event, raw: Json, answer: HttpAnswer): Event {
    if (event.type !== "error") return event;
    const { message, code } = event.error;
    const told = { message: this.#excerpt(message), ...(code !== undefined && { code: this.#excerpt(code) }) };
    return failed(toldError(told, raw, this.#waitOf(answer)));
  }

  #waitOf({ headers }: HttpAnswer): { readonly retryAfterMs?: number } {
    const ms = retryAfter(headers, (this.#options.now ?? Date.now)());
    return ms === undefined ? {} : { retryAfterMs: ms };
  }

  #empty(): RunError {
    const message = `${this.#options.endpoint.title} answered, and said nothing`;
    return { code: "model/no-output", message, retryable: true };
  }

  #notUnderstood(text: string): RunError {
    const what = `${this.#options.endpoint.title} answered with what is no answer of its format`;
    return { code: "model/not-understood", message: `${what}: ${this.#excerpt(text)}` };
  }

  #shownIssue(issue: Issue): Issue {
    return { ...issue, message: this.#excerpt(issue.message) };
  }

  #excerpt(text: string): string {
    return excerpt(text, this.#options.key);
  }
}

/** What was asked, and how. */
interface Asked extends Pick<HostRequest, "ownNames"> {
  readonly request: ModelRequest;
}

/** What an answer is read with. */
interface Reading {
  readonly answer: HttpAnswer;
  readonly report: ModelRequest["report"];
}

/** How a line of server-sent events may begin. */
const sseField = /^(?::|(?:data|event|id|retry)\b)/;

const failed = (error: RunError): Event => ({ type: "error", error });

/** The host told of a failure that a status would have told of. Silence is none: nobody said that it will pass. */
const isPassing = ({ retryable, code }: RunError): boolean => retryable === true && code !== "model/no-output";

const isFinish = (event: Event): boolean =>
  event.type === "message-set" && event.set.finish !== undefined && event.set.finish.reason !== "incomplete";

interface Opening {
  readonly bytes: Uint8Array;
  readonly text: string;
}

/** As much as tells what it is: the first brace, or the first few letters. White space before it means nothing in any framing. */
async function opening(pieces: AsyncIterator<Uint8Array>): Promise<Opening> {
  let bytes: Uint8Array = new Uint8Array();
  let text = "";
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
    const from = bytes.length === 0 ? next.value.findIndex(byte => byte > 32) : 0;
    if (from === -1) continue;
    bytes = joined(bytes, next.value.subarray(from));
    text = new TextDecoder().decode(bytes.subarray(0, 64)).trimStart();
    if (/^[[{<:]/.test(text) || text.length >= 8) break;
  }
  return { bytes, text };
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
