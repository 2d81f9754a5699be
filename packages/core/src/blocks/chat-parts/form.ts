import type { DecodeContext, EncodeContext } from "../../codec/codec.ts";
import type { Reader } from "../../codec/reader.ts";
import type { Message } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { Part, PartOf } from "../../model/parts.ts";
import type { FinishWords } from "./finish.ts";
import type { Located, ReadMessage } from "./wire.ts";

/** Where a choice's message stands, and what made ids begin with (R8). */
export interface ChoiceScope {
  readonly context: DecodeContext;
  readonly path: Path;
  readonly made: string;
}

/** Writes the messages of one conversation. */
export interface MessageWriter {
  /** The parts as they are written, with their places: a compaction is its summary. */
  flatten(parts: readonly Part[], path: Path): Located[];
  /** One assistant's message. */
  write(parts: readonly Located[], at: { readonly message: Message; readonly path: Path }): JsonObject;
}

/** What is a format's own, of those whose answers are OpenAI's Chat completions: choices with a message each. */
export interface ChatForm {
  readonly family: string;
  /** The number of an error among the parts, behind all others. */
  readonly errorPlace: number;
  readonly finish: FinishWords;
  /** Stands for an id that nobody knows, where "" will not do. */
  readonly madeId: string;
  readMessage(reader: Reader, scope: ChoiceScope): ReadMessage;
  writer(context: EncodeContext, messages: readonly Message[]): MessageWriter;
  readError(wire: Json): PartOf<"error">;
  /** What must be kept to write the error as it was. */
  errorRemainder(wire: Json, error: PartOf<"error">): Json | undefined;
  writeError(error: PartOf<"error">, remainder: Json | undefined): Json;
}
