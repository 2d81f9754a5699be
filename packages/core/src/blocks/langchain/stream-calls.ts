import type { EncodeContext } from "../../codec/codec.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { PartOf } from "../../model/parts.ts";
import { readInput } from "../../stream/input.ts";
import { jsonKey, sayingOf } from "./call-sayings.ts";
import type { InputTexts } from "./spelling.ts";
import { callPiece } from "./stream-pieces.ts";

interface SentCall {
  readonly index: number;
  readonly id: string;
  readonly name: string;
  text: string;
}

interface Rest {
  /** Of the arguments that the whole has as objects. */
  readonly texts: InputTexts;
  readonly context: EncodeContext;
}

/** The calls of an answer of which pieces are out. */
export class SentCalls {
  readonly #calls = new Map<number, SentCall>();

  get size(): number {
    return this.#calls.size;
  }

  has(number: number): boolean {
    return this.#calls.has(number);
  }

  /** The first piece of a call. */
  start(number: number, { callId, name }: PartOf<"tool-call">): JsonObject {
    const call: SentCall = { index: this.#calls.size, id: callId, name, text: "" };
    this.#calls.set(number, call);
    // An id of ours is only written where the call gets no other.
    return callPiece({ ...call, id: isMadeId(callId) ? undefined : callId, args: "" });
  }

  /** A piece of the arguments of a call that is out. */
  argue(number: number, text: string): JsonObject | undefined {
    const call = this.#calls.get(number);
    if (!call) return undefined;
    call.text += text;
    return callPiece({ index: call.index, args: text });
  }

  /** What the lists of the whole say beyond the pieces. */
  rest(entries: readonly Json[], { texts, context }: Rest): readonly Json[] {
    const sent = sentOf(entries.filter(isJsonObject), [...this.#calls.values()]);
    const rest: Json[] = [];
    for (const entry of entries) {
      if (!isJsonObject(entry)) {
        context.lose("call-member", ["messages", 0, "parts"]);
        continue;
      }
      const { name, args, id, type: _, error: __, ...more } = entry;
      const call = sent.get(entry);
      if (Object.keys(more).length > 0)
        context.lose("call-member", ["messages", 0, "parts"], Object.keys(more).join(", "));
      if (call) {
        if (isMadeId(call.id) && typeof id === "string") rest.push(callPiece({ id, args: "", index: call.index }));
        // Arguments that came as a value, when the call was out.
        const late = call.text === "" && args !== undefined ? textOf(entry, texts) : null;
        if (late !== null && late !== "" && late !== "{}") {
          call.text = late;
          rest.push(callPiece({ args: late, index: call.index }));
        } else if (!isSameInput(call.text, args ?? null))
          context.lose("already-sent", ["messages", 0, "parts"], call.name);
        continue;
      }
      const text = textOf(entry, texts);
      const index = this.#calls.size;
      this.#calls.set(-1 - index, { index, id: typeof id === "string" ? id : "", name: "", text: text ?? "" });
      rest.push(callPiece({ name, args: text, id, index }));
    }
    return rest;
  }
}

/** Which call that is out each entry is: by its id, else by what it says, else the next of its name. */
function sentOf(entries: readonly JsonObject[], calls: readonly SentCall[]): ReadonlyMap<JsonObject, SentCall> {
  const found = new Map<JsonObject, SentCall>();
  const taken = new Set<SentCall>();
  const match = (keyOfCall: (call: SentCall) => string | undefined, keyOf: (entry: JsonObject) => string): void => {
    const queues = new Map<string, SentCall[]>();
    for (const call of [...calls].reverse()) {
      const key = taken.has(call) ? undefined : keyOfCall(call);
      if (key === undefined) continue;
      const queue = queues.get(key);
      if (queue) queue.push(call);
      else queues.set(key, [call]);
    }
    for (const entry of entries) {
      const call = found.has(entry) ? undefined : queues.get(keyOf(entry))?.pop();
      if (!call) continue;
      found.set(entry, call);
      taken.add(call);
    }
  };
  match(
    ({ id }) => jsonKey(id),
    ({ id }) => jsonKey(id ?? null),
  );
  match(({ id, name, text }) => (isMadeId(id) ? sayingOf({ name, args: text }) : undefined), sayingOf);
  match(
    ({ id, name }) => (isMadeId(id) ? jsonKey(name) : undefined),
    ({ name }) => jsonKey(name ?? ""),
  );
  return found;
}

/** The arguments as the text that they are, or were before they were read. */
function textOf({ args = {}, id = null }: JsonObject, texts: InputTexts): string | null {
  if (typeof args === "string") return args;
  return texts.take(id, text => isSameInput(text, args)) ?? (args === null ? null : JSON.stringify(args));
}

/** Whether the text that is out says these arguments. */
function isSameInput(text: string, args: Json): boolean {
  const { input, inputText } = readInput(text);
  if (typeof args === "string" && args === (inputText ?? text)) return true;
  return equalJson(input ?? inputText ?? {}, args ?? {});
}

const isMadeId = (id: string): boolean => id.startsWith("~");
