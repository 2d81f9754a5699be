import { type Event, isJsonObject, type Json, type JsonObject } from "translogue";
import type { ModelRequest } from "../model.ts";
import { invalidToken, toBase64, tokenText } from "../token.ts";

/** How a host keeps its answers: it goes on with them in the background, and with the conversation that they end. */
export interface StoredAnswers {
  /** What a value of an answer, or of its stream, says of it. */
  readonly read: (value: JsonObject) => AnswerFacts;
  /** Members of a request whose answer may go on in the background. */
  readonly background: JsonObject;
  /** Members of a request whose answer is kept. */
  readonly kept: JsonObject;
  /** Members that name the conversation that a request goes on with. */
  readonly after: (conversationId: string) => JsonObject;
  /** Its name once an answer has come. */
  readonly next: (conversationId: string | undefined, answer: string) => string;
  /** Where an answer is fetched, behind the base URL. */
  readonly path: (answer: string, isStreamed: boolean) => string;
  /** Where one that goes on is ended: by a POST without a body. */
  readonly cancelPath: (answer: string) => string;
  /** The methods of the official client that fetch it, and end it. */
  readonly retrieve: string;
  readonly cancel: string;
}

export interface AnswerFacts {
  readonly id?: string;
  /** Of the value in its stream. */
  readonly position?: number;
  /** Whether the host works on. */
  readonly isOpen?: boolean;
}

/** Where an answer is, and how much of its stream was seen. */
export interface AnswerPlace {
  readonly answer: string;
  /** Absent: it is not streamed. */
  readonly seen?: number;
}

/** As .NET's client of OpenAI writes it (dotnet/extensions, `OpenAIResponsesContinuationToken`, 2026-11-30): base64 of JSON. */
export const placeText = ({ answer, seen }: AnswerPlace): string =>
  toBase64(JSON.stringify({ responseId: answer, ...(seen !== undefined && { sequenceNumber: seen }) }));

/** Throws `token/invalid`. */
export function readPlace(text: string): AnswerPlace {
  let value: unknown;
  try {
    value = JSON.parse(tokenText(text));
  } catch {
    value = undefined;
  }
  const { responseId: answer, sequenceNumber: seen } = isJsonObject(value) ? value : {};
  if (typeof answer !== "string") throw invalidToken("it names no answer of this host");
  return { answer, ...(typeof seen === "number" && { seen }) };
}

/** Follows an answer through its values. */
export class AnswerTrack {
  readonly #stored: StoredAnswers;
  #answer: string | undefined;
  #seen: number | undefined;
  #isOpen: boolean | undefined;

  constructor(stored: StoredAnswers, place?: AnswerPlace) {
    this.#stored = stored;
    this.#answer = place?.answer;
    this.#seen = place?.seen;
  }

  /** Gives the value's place in its stream. */
  see(value: Json): number | undefined {
    const { id, position, isOpen } = isJsonObject(value) ? this.#stored.read(value) : {};
    this.#answer = id ?? this.#answer;
    this.#seen = Math.max(position ?? -1, this.#seen ?? -1);
    this.#isOpen = isOpen ?? this.#isOpen;
    return position;
  }

  /** Where it goes on; null once it is over, undefined where nobody knows. */
  get continuation(): string | null | undefined {
    if (this.#answer === undefined || this.#isOpen === undefined) return undefined;
    if (!this.#isOpen) return null;
    return placeText({
      answer: this.#answer,
      ...(this.#seen !== undefined && this.#seen >= 0 && { seen: this.#seen }),
    });
  }

  /** The conversation once the answer is over. */
  conversationAfter(conversationId: string | undefined): string | undefined {
    return this.#isOpen === false && this.#answer !== undefined
      ? this.#stored.next(conversationId, this.#answer)
      : undefined;
  }
}

/**
 * How an answer is followed, where its host keeps it. One that goes on is read again from its start, since what comes later can
 * only be read by what came first; of that, what was told before is told as such. It is told at once, and only where something
 * new comes behind it: an answer that is cut before has lost nothing of what is known of it.
 */
export class Following {
  readonly track: AnswerTrack | undefined;
  readonly #seen: number | undefined;
  #isBefore: boolean;
  #before: Event[] = [];

  constructor(stored: StoredAnswers | undefined, place?: AnswerPlace) {
    this.track = stored && new AnswerTrack(stored, place);
    this.#seen = place?.seen;
    this.#isBefore = this.#seen !== undefined;
  }

  /** Whether what this value says was told before. */
  see(value: Json): boolean {
    const position = this.track?.see(value);
    if (position !== undefined && this.#isBefore) this.#isBefore = position <= (this.#seen ?? -1);
    return this.#isBefore;
  }

  /**
   * What was told before and what was not, each with the report that says so. Where the answer goes on is told with the last
   * of what came before that place: a reader may leave between any two.
   */
  *told(before: readonly Event[], after: readonly Event[], request: ModelRequest): Generator<readonly Event[]> {
    const isHeld = this.#isBefore;
    for (const event of before) if (!isHeld || !isError(event)) this.#before.push(event);
    // Behind a stream that ended there its decoder closes what is open; a failure is one wherever it comes.
    const now = isHeld ? [...before, ...after].filter(isError) : after;
    if (now.length > 0 && !isHeld && this.#before.length > 0) {
      const known = this.#before;
      this.#before = [];
      request.report?.({ told: true });
      yield known;
    }
    tellPlace(this.track, request);
    if (now.length === 0) return;
    if (this.#seen !== undefined) request.report?.({ told: false });
    yield now;
  }
}

const isError = ({ type }: Event): boolean => type === "error";

/** Where the answer goes on, as far as it may: to be told before what came of it. */
export function tellPlace(
  track: AnswerTrack | undefined,
  { background, continuation: from, report }: ModelRequest,
): void {
  const continuation = background || from !== undefined ? track?.continuation : undefined;
  if (continuation !== undefined) report?.({ continuation });
}

const gone = new Set<unknown>([404, 410]);

/** That the answer goes on nowhere, where this status says that its host has it no more. */
export function tellGone(status: number | undefined, { continuation, report }: ModelRequest): void {
  if (continuation !== undefined && gone.has(status)) report?.({ continuation: null });
}

/** Where the conversation is kept once its answer is there, where it is to be. */
export function tellConversation(
  track: AnswerTrack | undefined,
  { conversationId, report }: ModelRequest,
  keeps: boolean | undefined,
): void {
  const next = keeps || conversationId !== undefined ? track?.conversationAfter(conversationId) : undefined;
  if (next !== undefined) report?.({ conversationId: next });
}
