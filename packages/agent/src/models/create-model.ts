import { type Event, type Issue, isJsonObject, type Json, type JsonObject, stringifyJson } from "translogue";
import { type Codec, type Decoded, decode, frames, streamDecoder } from "translogue/convert";
import { failure, type RunError } from "../errors.ts";
import type { Model, ModelRequest } from "../model.ts";
import { invalidToken } from "../token.ts";
import type { Compaction } from "./compactions.ts";
import type { Endpoint } from "./endpoints.ts";
import { answerEvents, errorLast, isFailed } from "./error-last.ts";
import { excerpt } from "./excerpt.ts";
import { keptHeaders } from "./headers.ts";
import { type FailureReading, type HostError, toldError } from "./host-error.ts";
import {
  again,
  answerTo,
  checkHttp,
  type HttpAnswer,
  type HttpCall,
  type HttpOptions,
  type Judgement,
  type Refusal,
  retryAfter,
} from "./http.ts";
import { endOnce, isOutput, tellTried, usageIn } from "./output.ts";
import { opening, parsed, rejoined, textOf } from "./pieces.ts";
import { type Addressee, type HostRequest, isReadAt, requestFor, withOwnNames } from "./request.ts";
import { Following, readPlace, tellConversation, tellGone, tellPlace } from "./stored-answers.ts";

export interface ModelOptions extends HttpOptions {
  readonly endpoint: Endpoint;
  /** As the provider calls it. */
  readonly model: string;
  readonly key?: string;
  /** In place of the endpoint's. */
  readonly codec?: Codec;
  readonly dialect?: string;
  readonly baseUrl?: string;
  /** The host keeps what is said, where it can: later calls send only what is new. Default false. */
  readonly keepsConversation?: boolean;
}

/** A model behind an endpoint, over HTTP. Throws `model/no-key`, `agent/invalid`. What goes wrong later is an error event of its answer. */
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
  checkHttp(options);
  const host = new Host(options);
  return {
    id: model,
    provider: endpoint.id,
    stream: request => host.stream(request),
    reads: compaction => host.reads(compaction),
    ...(endpoint.stored && { cancel: continuation => host.cancel(continuation) }),
  };
}

/** The model's place in a path. */
const inPath = "{model}";
const largestBody = 64 * 1024 * 1024;
const largestExcerpt = 64 * 1024;

class Host {
  readonly #options: ModelOptions;
  readonly #codec: Codec;
  readonly #dialect: string;
  readonly #base: string;
  readonly #url: string;

  constructor(options: ModelOptions) {
    const { endpoint, codec = endpoint.codec, dialect = endpoint.dialect, baseUrl = endpoint.baseUrl } = options;
    const name = encodeURIComponent(options.model.replace(/^models\//, "")); // Google's own lists have it in front
    this.#options = options;
    this.#codec = codec;
    this.#dialect = dialect ?? codec.dialects[0];
    this.#base = baseUrl.replace(/\/+$/, "");
    this.#url = `${this.#base}${endpoint.path.replace(inPath, () => name)}`;
  }

  /** A failure that comes before the first output is asked about again, under whatever status it came. */
  async *stream(request: ModelRequest): AsyncGenerator<readonly Event[], void, undefined> {
    const { signal, report } = request;
    const { ownNames, following, ...what } =
      request.continuation === undefined ? await this.#asking(request) : this.#fetching(request, request.continuation);
    const asked = { request, ownNames, following };
    const call: HttpCall = {
      name: this.#options.endpoint.title,
      headers: this.#headers(),
      judge: refusal => this.#judged(refusal),
      ...what,
      ...(signal && { signal }),
    };
    for (let tries = 0; ; tries++) {
      const answer = await answerTo(call, this.#options, tries);
      tries = answer.tries;
      report?.({ headers: keptHeaders(answer.headers) });
      const isLast = yield* this.#tried(answer, asked, wait => again(answer, wait, { call, options: this.#options }));
      if (isLast) return;
    }
  }

  reads(compaction: Compaction): Promise<boolean> {
    return isReadAt(this.#addressee, compaction);
  }

  get #addressee(): Addressee {
    const { endpoint, model, keepsConversation: keeps } = this.#options;
    return { endpoint, model, codec: this.#codec, dialect: this.#dialect, keeps };
  }

  /** An answer that is over by then says so; that it could not be ended nobody can mend. */
  async cancel(continuation: string): Promise<void> {
    const { stored, title } = this.#options.endpoint;
    if (!stored) return;
    const url = `${this.#base}${stored.cancelPath(readPlace(continuation).answer)}`;
    const call: HttpCall = { name: title, headers: this.#headers(), url, method: "POST" };
    const { pieces } = await answerTo(call, this.#options);
    await textOf(pieces, largestBody);
  }

  /** The events of an answer; what only says that one begins is held back until something does. */
  async *#tried(
    answer: HttpAnswer,
    asked: Asked,
    mayTryAgain: (wait: number | undefined) => Promise<boolean>,
  ): AsyncGenerator<readonly Event[], boolean, undefined> {
    // What is told of an answer in the background is told with where it goes on.
    const { background, continuation } = asked.request;
    const goesOn = this.#options.endpoint.stored && (background || continuation !== undefined);
    let held: Event[] | undefined = goesOn ? undefined : [];
    for await (const events of this.#events(answer, asked)) {
      if (!held) yield events;
      else {
        held.push(...events);
        const failed = held.find(event => event.type === "error");
        const isBegun = held.some(isOutput);
        const passing = !isBegun && failed && answer.status < 300 ? passingIn(failed.error) : undefined;
        if (passing && (await mayTryAgain(passing.details?.retryAfterMs))) {
          const { model: id, endpoint } = this.#options;
          tellTried(asked.request, held, { model: { id, provider: endpoint.id }, error: passing });
          return false;
        }
        if (!isBegun && !failed) continue;
        yield held;
        held = undefined;
      }
    }
    if (held && held.length > 0) yield held;
    return true;
  }

  async *#events(answer: HttpAnswer, asked: Asked): AsyncGenerator<readonly Event[], void, undefined> {
    const { request, ownNames, following } = asked;
    if (answer.status >= 300) {
      tellGone(answer.status, request);
      yield [failed(await this.#refusal(answer))];
      return;
    }
    for await (const events of this.#answer(answer, asked)) yield withOwnNames(events, ownNames);
    tellConversation(following.track, request, this.#options.keepsConversation);
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

  async #asking(request: ModelRequest): Promise<Call> {
    const { endpoint } = this.#options;
    const { stored } = endpoint;
    const { value, exact, ownNames } = await requestFor(this.#addressee, request);
    const isWhole = stored && request.background && request.polls;
    const sent: JsonObject = { ...value, ...endpoint.body, ...(isWhole && { stream: false }) };
    const { model: named, ...members } = sent;
    const body = endpoint.path.includes(inPath) || named === undefined ? members : { model: named, ...members };
    const following = new Following(stored);
    return { url: this.#url, body: stringifyJson(body as Json, exact), ownNames, following }; // a request is JSON
  }

  /** An answer that the host goes on with by itself. */
  #fetching({ polls }: ModelRequest, continuation: string): Call {
    const { stored, title } = this.#options.endpoint;
    if (!stored) throw invalidToken(`${title} goes on with no answer in the background`);
    const place = readPlace(continuation);
    const isStreamed = place.seen !== undefined && !polls;
    const url = `${this.#base}${stored.path(place.answer, isStreamed)}`;
    return { url, ownNames: new Map(), following: new Following(stored, place) };
  }

  /** A stream; or a whole answer, from a host that does not stream, whatever its content type says. */
  async *#answer(answer: HttpAnswer, asked: Asked): AsyncGenerator<readonly Event[], void, undefined> {
    const { stream } = this.#codec;
    const reading = { answer, ...asked };
    const type = answer.headers.get("content-type") ?? "";
    if (stream?.framing === "binary" && type.includes("eventstream")) {
      yield* this.#streamed(answer.pieces, { stream, ...reading });
      return;
    }
    const pieces = answer.pieces[Symbol.asyncIterator]();
    const begin = await opening(pieces);
    const all = rejoined(begin.bytes, pieces);
    const isEvents = type.includes("event-stream") && !begin.text.startsWith("<");
    if (begin.text === "") yield [failed(this.#empty())];
    else if (stream && (stream.framing === "ndjson" ? /^[[{]/ : sseField).test(begin.text))
      yield* this.#streamed(all, { stream, ...reading });
    else if (/^[[{]/.test(begin.text)) yield this.#wholeAnswer(await textOf(all, largestBody), reading);
    else if (stream && isEvents) yield* this.#streamed(all, { stream, ...reading });
    else yield [failed(this.#notUnderstood(await textOf(all, largestExcerpt)))];
  }

  async *#streamed(
    pieces: AsyncIterable<Uint8Array>,
    { stream, answer, request, following }: Reading & { readonly stream: NonNullable<Codec["stream"]> },
  ): AsyncGenerator<readonly Event[], void, undefined> {
    const wire = frames.decoder(stream);
    const decoder = streamDecoder(this.#codec, { dialect: this.#dialect });
    let values = 0;
    const ending = endOnce(decoder, () => values > 0);
    request.report?.({ usageSoFar: () => usageIn(ending()) });
    const decode = (read: readonly Json[]) => {
      values += read.length;
      const [before, after]: [Event[], Event[]] = [[], []];
      for (const value of read) {
        const events = following.see(value) ? before : after;
        for (const event of decoder.push(value)) events.push(this.#told(event, value, answer));
      }
      return { before, after };
    };
    let isFinished = false;
    let broken: unknown;
    let failing: readonly Event[] = [];
    try {
      for await (const piece of pieces) {
        const { before, after } = decode(wire.push(piece));
        isFinished ||= after.some(isFinish);
        if (isFailed(after)) failing = after;
        yield* following.told(before, isFailed(after) ? [] : after, request);
        // Leaving the loop closes a connection that the host keeps open behind its answer.
        if (wire.isOver || isFailed(after)) break;
      }
    } catch (error) {
      broken = error;
    }
    const { before, after: rest } = decode(wire.end());
    // Without a single value the decoder would end an answer that nobody began.
    const [wrong] = wire.issues;
    const nothing = (): Event => failed(wrong ? this.#notUnderstood(wrong.message) : this.#empty());
    const last = values > 0 ? [...rest, ...ending()] : broken === undefined ? [nothing()] : [];
    yield* following.told(before, isFailed(failing) ? errorLast(failing, last) : last, request);
    request.report?.({ issues: [...wire.issues, ...decoder.issues].map(issue => this.#shownIssue(issue)) });
    // A connection that breaks after the finish has taken nothing away.
    if (broken !== undefined && !isFinished && !last.some(isFinish)) throw broken;
  }

  #wholeAnswer(text: string, reading: Reading): readonly Event[] {
    const { answer, request, following } = reading;
    const { report } = request;
    const raw = parsed(text);
    if (raw) following.see(raw);
    tellPlace(following.track, request);
    if (typeof following.track?.continuation === "string") return [];
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

  async #refusal({ status, headers, pieces }: HttpAnswer): Promise<RunError> {
    const text = await textOf(pieces, largestExcerpt).catch(() => "");
    const { message, code } = this.#errorIn(text);
    const said = message.trim() === "" ? "" : `: ${this.#excerpt(message)}`;
    const named = code !== undefined && !message.includes(code) ? ` (${this.#excerpt(code)})` : "";
    const error = this.#refused({ status, headers, text });
    return { ...error, message: `${this.#options.endpoint.title} answered ${status}${said}${named}` };
  }

  #refused({ status, headers, text }: Refusal): RunError {
    return toldError(this.#errorIn(text), parsed(text), { ...this.#reading(headers), status });
  }

  #judged(refusal: Refusal): Judgement {
    const { retryable = false, details } = this.#refused(refusal);
    return { mayPass: retryable, wait: details?.retryAfterMs };
  }

  #reading(headers: Headers): FailureReading {
    const wait = retryAfter(headers, (this.#options.now ?? Date.now)());
    return { headers, wait, limitNames: this.#options.endpoint.limitNames, show: text => this.#excerpt(text) };
  }

  #errorIn(text: string): HostError {
    const value: unknown = parsed(text);
    const body: unknown = Array.isArray(value) ? value[0] : value; // as Google's streams have it
    if (!isJsonObject(body)) return { message: text };
    if (!this.#codec.shapes.includes("error")) return { message: text };
    const { messages } = decode(this.#codec, body, { shape: "error", dialect: this.#dialect }).conversation;
    const error = messages.flatMap(({ parts }) => parts).find(part => part.type === "error");
    return error ?? { message: text };
  }

  /** An error that an answer tells, in our codes; some hosts repeat the key in what they complain of. */
  #told(event: Event, raw: Json, { headers }: HttpAnswer): Event {
    return event.type === "error" ? failed(toldError(event.error, raw, this.#reading(headers))) : event;
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

interface Call extends Pick<HttpCall, "url" | "body">, Pick<HostRequest, "ownNames"> {
  readonly following: Following;
}

/** What was asked, and how. */
interface Asked extends Pick<HostRequest, "ownNames"> {
  readonly request: ModelRequest;
  readonly following: Following;
}

/** What an answer is read with. */
interface Reading extends Asked {
  readonly answer: HttpAnswer;
}

/** How a line of server-sent events may begin. */
const sseField = /^(?::|(?:data|event|id|retry)\b)/;

const failed = (error: RunError): Event => ({ type: "error", error });

/** The host told of a failure that a status would have told of. Silence is none: nobody said that it will pass. */
const passingIn = (error: RunError): RunError | undefined =>
  error.retryable === true && error.code !== "model/no-output" ? error : undefined;

const isFinish = (event: Event): boolean =>
  event.type === "message-set" && event.set.finish !== undefined && event.set.finish.reason !== "incomplete";
