import { hintsOf } from "../../codec/remainder.ts";
import type { PartMembers } from "../../model/events.ts";
import type { Path } from "../../model/issue.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { type ExactText, exactTable, inputTextOf, stringifyJson } from "../../model/json-text.ts";
import type { Citation, Part } from "../../model/parts.ts";
import { OpenPart } from "../../stream/open-part.ts";
import { isContent } from "./contents.ts";
import { groupOf } from "./steps.ts";
import { asObject, family, type WriteScope } from "./wire.ts";
import { unitsOf, writeUnit } from "./write-steps.ts";

/** A part, and how much of it is out. */
export class SentPart {
  readonly message: number;
  readonly number: number;
  readonly #open: OpenPart;
  readonly #scope: WriteScope;
  readonly #path: Path;
  /** Whether it goes out while it comes; others go out whole. */
  readonly isStreamed: boolean;
  /** Index of its step, once it has begun. */
  index: number | undefined;
  isOver: boolean;
  isDone = false;
  #unsent: string[] = [];
  #hasText = false;
  /** Its step, as it was announced. */
  #announced: JsonObject = {};
  /** What its step said at its end, without what deltas say. */
  #written: Json | undefined;

  constructor(
    at: { readonly message: number; readonly part: number },
    part: Part,
    about: { readonly isOpen: boolean; readonly scope: WriteScope },
  ) {
    this.message = at.message;
    this.number = at.part;
    this.#path = ["messages", at.message, "parts", at.part];
    this.#scope = about.scope;
    this.isOver = !about.isOpen;
    this.#open = new OpenPart(at.part, part, { isOpen: about.isOpen, liveInput: false });
    this.isStreamed = isStreamed(part);
    const text = textOf(part);
    if (text !== undefined && text !== "") this.#add(text);
  }

  get part(): Part {
    return this.#open.read(true);
  }

  get type(): Part["type"] {
    return this.#open.type;
  }

  get hasUnsent(): boolean {
    return this.#unsent.length > 0;
  }

  #add(text: string): void {
    this.#unsent.push(text);
    this.#hasText = true;
  }

  delta(text: string): void {
    this.#open.append(text);
    if (text !== "") this.#add(text);
  }

  cite(citation: Citation): void {
    this.#open.cite(citation);
  }

  set(members: PartMembers): void {
    this.#open.set(members);
  }

  end(): void {
    this.#open.end();
    this.isOver = true;
  }

  #write(part: Part, scope: WriteScope, holder: string): JsonObject | undefined {
    const [unit] = unitsOf([{ part, path: this.#path }]);
    const step = unit && writeUnit(unit, scope);
    return step && step["type"] === "model_output" ? { ...step, type: holder } : step;
  }

  /** Its step begins. Undefined where it has none. `holder`: the type of step that contents are in. */
  begin(index: number, holder: string): Json[] | undefined {
    const step = this.#write(emptied(this.part), silent(this.#scope), holder);
    if (!isJsonObject(step)) return undefined;
    const { content: _, summary: __, ...announced } = step;
    const isCall = step["type"] === "function_call" && Object.hasOwn(step, "arguments");
    this.#announced = isCall ? { ...announced, arguments: {} } : announced;
    this.index = index;
    return [{ event_type: "step.start", index, step: this.#announced }];
  }

  /** It stands in a step that has begun. */
  join(index: number, announced: JsonObject): void {
    this.index = index;
    this.#announced = announced;
  }

  get announced(): JsonObject {
    return this.#announced;
  }

  /** What is new of it. */
  flush(): Json[] {
    const { type } = this.#open;
    const deltas = this.#unsent.map((text): JsonObject => {
      if (type === "tool-call") return { type: "arguments_delta", arguments: text };
      if (type === "reasoning") return { type: "thought_summary", content: { type: "text", text } };
      return { type: "text", text };
    });
    this.#unsent = [];
    return deltas.map(delta => this.#event(delta));
  }

  #event(delta: JsonObject): Json {
    return { event_type: "step.delta", index: this.index ?? 0, delta };
  }

  /** Its last deltas, with all that it says. */
  finish(holder: string): Json[] {
    this.isDone = true;
    const part = this.part;
    const step = this.#write(
      part,
      this.#hasText && part.type === "tool-call" ? asText(this.#scope) : this.#scope,
      holder,
    );
    const events = this.flush();
    if (!step) return events;
    this.#written = beside(step);
    const { content, summary, arguments: args, signature, ...others } = step;
    const { arguments: _, signature: begun, ...before } = this.#announced;
    if (!equalJson(others, before)) this.#scope.lose("already-sent", this.#path);
    const [last] = Array.isArray(content) ? (content as readonly Json[]) : []; // contents that were just written
    const [entry] = Array.isArray(summary) ? (summary as readonly Json[]) : []; // as above
    if (isJsonObject(last)) events.push(...this.#rest(last));
    if (isJsonObject(entry)) events.push(...this.#entry(entry));
    if (!this.#hasText && isJsonObject(args) && Object.keys(args).length > 0) {
      const text = stringifyJson(args, spellingOf(part));
      events.push(this.#event({ type: "arguments_delta", arguments: text ?? "{}" }));
    }
    if (typeof signature === "string" && signature !== begun) events.push(this.#sign(signature, others["type"]));
    return events;
  }

  /** What a text says beside its words. */
  #rest({ type: _, text, annotations, ...others }: JsonObject): Json[] {
    const isBare = text === "" && !this.#hasText;
    const events: Json[] = [];
    if (isBare || Object.keys(others).length > 0) events.push(this.#event({ type: "text", text: "", ...others }));
    if (annotations !== undefined) events.push(this.#event({ type: "text_annotation_delta", annotations }));
    return events;
  }

  #entry({ text, ...others }: JsonObject): Json[] {
    const isBare = text === "" && !this.#hasText;
    if (!isBare && Object.keys(others).length <= 1) return [];
    return [this.#event({ type: "thought_summary", content: { ...others, text: "" } })];
  }

  #sign(signature: string, type: Json | undefined): Json {
    return this.#event(
      type === "thought"
        ? { type: "thought_signature", signature }
        : { type: "arguments_delta", arguments: "", signature },
    );
  }

  /** All of it at once, as a step of its own or inside of one that has begun. */
  whole(index: number, holder: string, isInside: boolean): Json[] {
    this.isDone = true;
    this.index = index;
    this.#unsent = [];
    const step = this.#write(this.part, this.#scope, holder);
    if (step === undefined) {
      this.index = undefined;
      return [];
    }
    this.#written = step;
    const { begun, deltas } = pieces(step, spellingOf(this.part));
    const { type } = asObject(begun);
    if (isInside && !equalJson(begun, { type: type ?? null })) this.#scope.lose("already-sent", this.#path);
    this.#announced = asObject(begun);
    const events = deltas.map(delta => this.#event(delta));
    return isInside ? events : [{ event_type: "step.start", index, step: begun }, ...events];
  }

  /** Whether something of it was told after it was sent. */
  isLate(holder: string): boolean {
    if (this.#written === undefined) return false;
    const step = this.#write(this.part, silent(this.#scope), holder);
    return !equalJson(this.isStreamed ? beside(step) : (step ?? null), this.#written);
  }
}

/** The step without what deltas say while it comes. */
function beside(step: Json | undefined): Json {
  const { arguments: _, ...others } = asObject(step);
  return others;
}

/** Texts, thoughts with words and calls of functions. */
function isStreamed(part: Part): boolean {
  if (part.type === "tool-call") return part.executedBy === undefined && part.kind !== "custom";
  return part.type === "text" || part.type === "refusal" || (part.type === "reasoning" && part.text !== undefined);
}

function textOf(part: Part): string | undefined {
  if (!isStreamed(part)) return undefined;
  if (part.type === "tool-call") return inputTextOf(part) ?? "";
  return part.type === "text" || part.type === "refusal" || part.type === "reasoning" ? part.text : undefined;
}

/** The part before its text. */
function emptied(part: Part): Part {
  switch (part.type) {
    case "text": {
      const { citations: _, ...others } = part;
      return { ...others, text: "" };
    }
    case "refusal":
      return { ...part, text: "" };
    case "reasoning": {
      const { seal: _, ...others } = part;
      return { ...others, text: "" };
    }
    case "tool-call": {
      const { inputText: _, input: __, ...others } = part;
      const isNone = hintsOf(part, family)["$arguments"] === false && part.input === undefined;
      return isNone ? others : { ...others, input: {} };
    }
    default:
      return part;
  }
}

const silent = (scope: WriteScope): WriteScope => ({ ...scope, recipient: "store", lose: () => undefined });

/** Arguments go out as their text, so nothing of it is lost. */
const asText = (scope: WriteScope): WriteScope => ({
  ...scope,
  lose: (code, path, detail) => {
    if (code !== "arguments" && code !== "arguments-text") scope.lose(code, path, detail);
  },
});

const spellingOf = (part: Part): ExactText | undefined =>
  exactTable({ messages: [{ role: "assistant", parts: [part] }] });

/** A whole step as its beginning and the deltas that say the rest of it, as the API streams it. */
function pieces(
  step: JsonObject,
  exact: ExactText | undefined,
): { readonly begun: Json; readonly deltas: readonly JsonObject[] } {
  const { type } = asObject(step);
  if (!isJsonObject(step) || typeof type !== "string") return { begun: step, deltas: [] };
  if (type === "model_output" || type === "user_input") {
    const { content, ...begun } = step;
    const list: readonly Json[] = Array.isArray(content) ? content : [];
    if (list.length === 0 || !list.every(isContent)) return { begun: step, deltas: [] };
    return { begun, deltas: list.flatMap(contentDeltas) };
  }
  if (type === "thought") {
    const { summary, signature, ...begun } = step;
    const list: readonly Json[] = Array.isArray(summary) ? summary : [];
    const entries = list.map((content): JsonObject => ({ type: "thought_summary", content }));
    const isEmpty = Array.isArray(summary) && list.length === 0;
    return {
      begun: isEmpty ? { ...begun, summary } : begun,
      deltas: signature === undefined ? entries : [...entries, { type: "thought_signature", signature }],
    };
  }
  const { arguments: args, result, is_error: isError, ...begun } = step;
  if (type === "function_call") {
    if (!isJsonObject(args) || Object.keys(args).length === 0) return { begun: step, deltas: [] };
    const delta = { type: "arguments_delta", arguments: stringifyJson(args, exact) };
    return { begun: { ...begun, arguments: {} }, deltas: [delta] };
  }
  const isKnown = /_(?:call|result)$/.test(type) && (args !== undefined || result !== undefined);
  if (!isKnown || typeof args === "string") return { begun: step, deltas: [] };
  const { name, server_name: server } = step;
  const said = { name, server_name: server, arguments: args, result, is_error: isError };
  const told = Object.entries(said).filter(([, value]) => value !== undefined);
  return { begun, deltas: [{ type, ...Object.fromEntries(told) } as JsonObject] }; // undefined was left out
}

function contentDeltas(content: Json): JsonObject[] {
  const { annotations, ...said } = asObject(content);
  if (annotations === undefined || said["type"] !== "text") return [asObject(content)];
  return [said, { type: "text_annotation_delta", annotations }];
}

/** Whether a part may stand in the step of the one before it: of two texts in a row a reader would make one. */
export const canJoin = (before: Part, part: Part): boolean =>
  groupOf(part) !== "own" && groupOf(part) === groupOf(before) && (part.type === "file" || before.type === "file");
