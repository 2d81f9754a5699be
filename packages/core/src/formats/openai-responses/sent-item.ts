import { writeAnnotation, writeContent } from "../../blocks/openai-responses/content.ts";
import type { Located, WriteScope } from "../../blocks/openai-responses/node.ts";
import { type Unit, type Writing, writeUnit } from "../../blocks/openai-responses/writing.ts";
import type { EncodeContext } from "../../codec/codec.ts";
import { present } from "../../codec/remainder.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Citation, Part, ToolResultPart } from "../../model/parts.ts";
import { writeInput } from "../../stream/input.ts";
import { OpenPart } from "../../stream/open-part.ts";

/** A part of an item that is out, and how far its own events are. */
interface SentPart {
  readonly open: OpenPart;
  /** Its number in the content or the summary of the item. */
  readonly index: number;
  readonly names: EventNames | undefined;
  /** The citations that have had their events, as `sortedText`. */
  readonly cited: string[];
  annotations: number;
  isDone: boolean;
}

/** The events that a part of a kind has. */
interface EventNames {
  /** Of its text. */
  readonly text: string;
  /** Of the part; absent: the item is the part. */
  readonly part?: string;
  /** The member that says which part it is of. */
  readonly index?: "content_index" | "summary_index";
  /** The member that holds the whole text at the end. */
  readonly member: string;
}

const spoken: { readonly [name: string]: EventNames } = {
  text: { text: "output_text", part: "content_part", index: "content_index", member: "text" },
  refusal: { text: "refusal", part: "content_part", index: "content_index", member: "refusal" },
  summary: { text: "reasoning_summary_text", part: "reasoning_summary_part", index: "summary_index", member: "text" },
  reasoning: { text: "reasoning_text", part: "content_part", index: "content_index", member: "text" },
  content: { text: "", part: "content_part", index: "content_index", member: "" },
};
const called: { readonly [type: string]: EventNames } = {
  function_call: { text: "function_call_arguments", member: "arguments" },
  mcp_call: { text: "mcp_call_arguments", member: "arguments" },
  custom_tool_call: { text: "custom_tool_call_input", member: "input" },
};

/** An item while its parts come: the events that say it. */
export class SentItem {
  readonly index: number;
  readonly message: number;
  isClosed = false;
  readonly #parts = new Map<number, SentPart>();
  #last: SentPart | undefined;
  /** How many entries the summary and the content have. */
  readonly #counts = { summary: 0, content: 0 };
  #result: { readonly number: number; readonly open: OpenPart } | undefined;
  readonly #writing: Writing;
  readonly #lose: EncodeContext["lose"];
  /** As it was announced. */
  #added: JsonObject = {};

  constructor(
    index: number,
    message: number,
    { writing, lose }: { readonly writing: Writing; readonly lose: EncodeContext["lose"] },
  ) {
    this.index = index;
    this.message = message;
    this.#writing = writing;
    this.#lose = lose;
  }

  /** Its last part so far. */
  get last(): Part | undefined {
    return this.#last?.open.read(false);
  }

  get hasResult(): boolean {
    return this.#result !== undefined;
  }

  /** Whether nothing of it is still open. */
  get isWhole(): boolean {
    if (this.#result?.open.isOpen) return false;
    for (const { open } of this.#parts.values()) if (open.isOpen) return false;
    return true;
  }

  /** The events that announce it with its first part; none where the format has no such item. */
  announce(part: Part): Json[] | undefined {
    const items = writeUnit(
      { role: "assistant", parts: [{ part: emptied(part), path: [] }] },
      undefined,
      this.#writing,
    );
    const [item] = items;
    if (items.length !== 1 || !isJsonObject(item)) return undefined;
    this.#added = blank(item);
    return [{ type: "response.output_item.added", output_index: this.index, item: this.#added }];
  }

  /** A part begins. `isOpen`: deltas may come. */
  start(number: number, part: Part, isOpen: boolean): Json[] {
    const names = namesOf(part, this.#added);
    const list = names === spoken["summary"] ? "summary" : "content";
    const known = this.#parts.get(number);
    const index = known?.index ?? this.#counts[list]++;
    const open = new OpenPart(number, part, { isOpen, liveInput: false });
    const sent: SentPart = {
      open,
      index,
      names,
      cited: known?.cited ?? [],
      annotations: known?.annotations ?? 0,
      isDone: false,
    };
    this.#parts.set(number, sent);
    this.#last = sent;
    const events: Json[] = [];
    const wire = names?.part === undefined ? undefined : this.#part(emptied(part));
    if (names?.part !== undefined && wire !== undefined && !known)
      events.push(this.#event(`${names.part}.added`, sent, { part: wire }));
    const text = textOf(part);
    if (text !== undefined && text !== "" && !known) events.push(...this.#text(sent, text));
    if (part.type === "text") events.push(...this.#annotations(sent, number, part.citations));
    if (!isOpen) events.push(...this.#done(sent));
    return events;
  }

  /** The result that the item holds. */
  hold(number: number, result: ToolResultPart, isOpen: boolean): void {
    this.#result = { number, open: new OpenPart(number, result, { isOpen, liveInput: false }) };
  }

  #of(number: number): OpenPart | undefined {
    return this.#result?.number === number ? this.#result.open : this.#parts.get(number)?.open;
  }

  delta(number: number, text: string): Json[] {
    this.#of(number)?.append(text);
    const sent = this.#parts.get(number);
    return sent && text !== "" ? this.#text(sent, text) : [];
  }

  #text(sent: SentPart, text: string): Json[] {
    if (!sent.names || sent.names.text === "") return [];
    const extra = sent.names.text === "output_text" ? { logprobs: [] } : {};
    return [this.#event(`${sent.names.text}.delta`, sent, { delta: text, ...extra })];
  }

  cite(number: number, citation: Citation): Json[] {
    const sent = this.#parts.get(number);
    if (!sent) return [];
    sent.open.cite(citation);
    return [this.#annotation(sent, citation)];
  }

  /** Those of the part's list that have not had their event; one that had it and is not in the list cannot be taken back. */
  #annotations(sent: SentPart, number: number, citations: readonly Citation[] = []): Json[] {
    const others = new Map<string, number>();
    for (const key of sent.cited) others.set(key, (others.get(key) ?? 0) + 1);
    const added = citations.filter(citation => {
      const key = sortedText(citation);
      const left = others.get(key) ?? 0;
      if (left > 0) others.set(key, left - 1);
      return left === 0;
    });
    if ([...others.values()].some(left => left > 0))
      this.#lose("already-sent", ["messages", this.message, "parts", number, "citations"]);
    return added.map(citation => this.#annotation(sent, citation));
  }

  #annotation(sent: SentPart, citation: Citation): Json {
    sent.cited.push(sortedText(citation));
    const annotation = writeAnnotation(citation, [], this.#writing.scope);
    return this.#event("output_text.annotation.added", sent, { annotation_index: sent.annotations++, annotation });
  }

  set(number: number, members: Parameters<OpenPart["set"]>[0]): Json[] {
    this.#of(number)?.set(members);
    const sent = this.#parts.get(number);
    if (!sent || this.isClosed || !("citations" in members) || members.citations === undefined) return [];
    return this.#annotations(sent, number, members.citations);
  }

  endPart(number: number): Json[] {
    this.#of(number)?.end();
    const sent = this.#parts.get(number);
    return sent ? this.#done(sent) : [];
  }

  /** The whole text of a part, and the part. */
  #done(sent: SentPart): Json[] {
    const { names } = sent;
    if (sent.isDone || !names) return [];
    sent.isDone = true;
    const part = sent.open.read(true);
    const events: Json[] = [];
    const text = textOf(part);
    if (names.text !== "" && text !== undefined) {
      const extra = names.text === "output_text" ? { logprobs: [] } : {};
      events.push(this.#event(`${names.text}.done`, sent, { [names.member]: text, ...extra }));
    }
    const wire = names.part === undefined ? undefined : this.#part(part);
    if (names.part !== undefined && wire !== undefined)
      events.push(this.#event(`${names.part}.done`, sent, { part: wire }));
    return events;
  }

  #part(part: Part): Json | undefined {
    if (part.type !== "reasoning") return writeContent({ part, path: [] }, "assistant", this.#writing.scope);
    return { type: part.summary ? "summary_text" : "reasoning_text", text: part.text ?? "" };
  }

  #event(name: string, sent: SentPart, members: JsonObject): Json {
    const { id } = this.#added;
    const index = sent.names?.index;
    return present({
      type: `response.${name}`,
      item_id: id,
      output_index: this.index,
      ...(index && { [index]: sent.index }),
      ...members,
    });
  }

  /** No more is expected of it: the item as it is, by the id that it was announced with. */
  close(): Json[] {
    if (this.isClosed || !this.isWhole) return [];
    this.isClosed = true;
    const events = [...this.#parts.values()].flatMap(sent => this.#done(sent));
    const [item] = writeUnit(
      this.unit(() => []),
      undefined,
      this.#writing,
    );
    if (!isJsonObject(item)) return events;
    if (this.#added["type"] === "code_interpreter_call" && typeof item["code"] === "string") {
      const about = present({ item_id: this.#added["id"], output_index: this.index });
      events.push({ type: "response.code_interpreter_call_code.delta", ...about, delta: item["code"] });
      events.push({ type: "response.code_interpreter_call_code.done", ...about, code: item["code"] });
    }
    const { id } = this.#added;
    events.push({
      type: "response.output_item.done",
      output_index: this.index,
      item: present({ ...item, ...(id !== undefined && { id }) }),
    });
    return events;
  }

  /** What the item is made of now, each part read once. */
  unit(pathOf: (number: number) => Located["path"], read: (open: OpenPart) => Part = open => open.read(true)): Unit {
    const parts = [...this.#parts].sort(([a], [b]) => a - b);
    const result = this.#result;
    const located = parts.map(([number, { open }]): Located => ({ part: read(open), path: pathOf(number) }));
    const held = result && read(result.open);
    return {
      role: "assistant",
      parts: located,
      ...(result && held?.type === "tool-result" && { result: { part: held, path: pathOf(result.number) } }),
    };
  }
}

function namesOf(part: Part, item: JsonObject): EventNames | undefined {
  switch (part.type) {
    case "text":
    case "refusal":
      return spoken[part.type];
    case "reasoning":
      if (part.text === undefined) return undefined;
      return part.summary ? spoken["summary"] : spoken["reasoning"];
    case "tool-call":
      return typeof item["type"] === "string" && Object.hasOwn(called, item["type"]) ? called[item["type"]] : undefined;
    case "opaque":
      return item["type"] === "message" ? spoken["content"] : undefined;
    default:
      return undefined;
  }
}

function textOf(part: Part): string | undefined {
  if (part.type === "tool-call") return writeInput(part);
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
    case "reasoning":
      return part.text === undefined ? part : { ...part, text: "" };
    default:
      return part;
  }
}

/** The item before its content: what comes in events of its own is not in it. */
function blank(item: JsonObject): JsonObject {
  const { type } = item;
  const names = typeof type === "string" && Object.hasOwn(called, type) ? called[type] : undefined;
  const status = typeof item["status"] === "string" ? { status: "in_progress" } : {};
  if (type === "message" || (type === undefined && item["role"] !== undefined))
    return { ...item, ...status, content: [] };
  if (type === "reasoning") {
    const { content: _, encrypted_content: __, ...others } = item;
    return { ...others, ...status, summary: [] };
  }
  return { ...item, ...status, ...(names && { [names.member]: "" }) };
}

export const silent = (scope: WriteScope): WriteScope => ({ ...scope, lose: () => undefined });

/** The same for all that is equal as JSON, in whichever order its members stand. */
const sortedText = (citation: Citation): string =>
  JSON.stringify(citation, (_, value: unknown) =>
    isJsonObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
