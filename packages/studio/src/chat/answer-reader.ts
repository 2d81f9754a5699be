import { type Accumulator, accumulator, type Event, type Json, type Message, sseDecoder } from "translogue";
import { aiSdkUi } from "translogue/ai-sdk-ui";
import { type ReportingMachine, streamDecoder } from "translogue/convert";
import { dialect } from "./dialect.ts";
import { withQuestion } from "./questions.ts";

/** Bytes of an AI SDK UI message stream → messages, as they come. Reading costs what is new. */
export class AnswerReader {
  readonly #frames = sseDecoder();
  readonly #decoder: ReportingMachine<Json, Parameters<Accumulator["push"]>[0]> = streamDecoder(aiSdkUi, { dialect });
  readonly #accumulated = accumulator({ liveInput: true });
  #isDone = false;

  /** Throws where the bytes are no such stream. */
  push(bytes: Uint8Array): void {
    for (const { data } of this.#frames.push(bytes)) this.#take(data);
  }

  get messages(): readonly Message[] {
    return this.#accumulated.messages;
  }

  /** Whether the stream said that it is over: one that did not was cut. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** No more comes: what is open stays unfinished. */
  end(): readonly Message[] {
    for (const { data } of this.#frames.end()) this.#take(data);
    this.#accumulated.pushAll(this.#decoder.end());
    return this.#accumulated.end();
  }

  #take(data: string): void {
    if (data === "[DONE]") {
      this.#isDone = true;
      return;
    }
    const wireEvent: Json = JSON.parse(data);
    this.#accumulated.pushAll(this.#decoder.push(wireEvent).map(shownEvent));
  }
}

const shownEvent = (event: Event): Event =>
  event.type === "part" || event.type === "part-start" ? { ...event, value: withQuestion(event.value) } : event;
