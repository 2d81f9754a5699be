import { asFunctionCall, writeToolCall } from "../../blocks/chat-parts/calls.ts";
import type { Located } from "../../blocks/turns.ts";
import { hintsOf, present } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { OpaquePart, Part, PartOf } from "../../model/parts.ts";
import { inPlace, type WrittenCitation, writeCitations } from "./citations.ts";
import { writeBlock } from "./content.ts";
import { isBlockOnly } from "./read-messages.ts";
import { family, places } from "./wire.ts";
import { callIdOf, finished, type Writing } from "./writing.ts";

/** A piece of the wire, and the part that it was written from. */
export interface Laid {
  readonly from: Located;
  readonly wire: Json;
}

/** An assistant's parts by the members that they go to. */
export interface Layout {
  readonly content: readonly Laid[];
  readonly plan: readonly Located<PartOf<"reasoning">>[];
  readonly citations: readonly (Laid | WrittenCitation)[];
  readonly calls: readonly Laid[];
  /** Events that only a stream has a place for. */
  readonly events: readonly Laid[];
}

type Slot = keyof typeof places;
type Slots = { readonly [slot in Slot]: Located[] };

export function layOut(parts: readonly Located[], path: Path, writing: Writing): Layout {
  const slots = sorted(parts, path, writing);
  const { context } = writing;
  const content = slots.content.flatMap((from): Laid[] => {
    const wire = writeSaid(from, writing);
    return wire === undefined ? [] : [{ from, wire }];
  });
  const texts = content.flatMap(({ from }, block) =>
    from.part.type === "text" ? [{ from: { ...from, part: from.part }, block }] : [],
  );
  const first = texts[0]?.block;
  const cited = texts.flatMap(({ from, block }) =>
    writeCitations(from, { block, isFirst: block === first, lose: context.lose }),
  );
  const others = slots.citations.map(from => {
    const { $index: index } = hintsOf(from.part, family);
    return { from, wire: pieceOf(from.part), ...(typeof index === "number" && { index }) };
  });
  const plan = slots.plan as readonly Located<PartOf<"reasoning">>[]; // what slotOf puts there
  if (plan.length > 1) for (const { path: place } of plan) context.lose("text-joined", place);
  for (const { part, path: place } of plan) if (part.text === "") context.lose("empty-text", place);
  return {
    content,
    plan,
    citations: inPlace([...cited, ...others]),
    calls: slots.calls.map((from, position) => ({ from, wire: writeCall(from, position, writing) })),
    events: slots.events.map(from => ({ from, wire: pieceOf(from.part) })),
  };
}

const pieceOf = (part: Part): Json => (part as OpaquePart).value; // what slotOf puts there

/** A refusal is a text here. */
function writeSaid({ part, path }: Located, { context }: Writing): Json | undefined {
  if (part.type === "refusal") {
    context.lose("refusal", path);
    return { type: "text", text: part.text };
  }
  return writeBlock(part as PartOf<"text" | "reasoning" | "opaque">, path, context); // what slotOf puts here
}

function writeCall({ part, path }: Located, position: number, writing: Writing): Json {
  if (part.type !== "tool-call") return pieceOf(part);
  const id = callIdOf(part, path, writing);
  if (part.kind !== "custom") return writeToolCall(part, path, { id, position, lose: writing.lose });
  if (writing.context.shape === "request" && writing.context.recipient === "provider") {
    writing.lose("tool-kind", path, part.kind);
    return writeToolCall(asFunctionCall(part), path, { id, position, lose: writing.lose });
  }
  // Tools are functions here, whose arguments are JSON: free text is the text of a JSON string.
  writing.lose("tool-kind", [...path, "kind"], part.kind);
  const { kind: _, inputText: __, ...call } = part;
  return writeToolCall(call, path, { id, position, lose: writing.lose });
}

/** The parts by the member that they go to. */
function sorted(parts: readonly Located[], path: Path, { context }: Writing): Slots {
  const slots: Slots = { content: [], plan: [], citations: [], calls: [], events: [], error: [] };
  let last = 0;
  let isOrdered = true;
  for (const each of parts) {
    const slot = slotOf(each.part);
    if (slot === undefined) {
      context.lose(lossOf(each.part), each.path, each.part.type);
      continue;
    }
    slots[slot].push(each);
    if (places[slot] < last) isOrdered = false;
    last = places[slot];
  }
  if (!isOrdered) context.lose("order", [...path, "parts"]);
  return slots;
}

function slotOf(part: Part): Slot | undefined {
  const { $place: place } = hintsOf(part, family);
  switch (part.type) {
    case "text":
    case "refusal":
      return "content";
    case "reasoning":
      return part.text === undefined ? undefined : place === "plan" ? "plan" : "content";
    case "tool-call":
      return part.executedBy ? undefined : "calls";
    case "opaque":
      return place === "citations" || place === "calls" || place === "events" ? place : "content";
    case "error":
      return "error";
    default:
      return undefined;
  }
}

function lossOf({ type }: Part): string {
  if (type === "reasoning") return "hidden-reasoning";
  if (type === "file") return "assistant-media";
  return type === "tool-call" || type === "tool-result" ? "server-tool" : "misplaced";
}

/** One assistant's message. */
export function writeAssistant(
  parts: readonly Located[],
  { message, path }: { readonly message: Message; readonly path: Path },
  writing: Writing,
): JsonObject {
  const { context } = writing;
  const layout = layOut(parts, path, writing);
  for (const { from } of layout.events) context.lose("event", from.path);
  const isEmpty = layout.content.length + layout.plan.length + layout.calls.length === 0;
  const hints = hintsOf(message, family);
  const isAnswer = context.shape === "answer";
  const fields = present({
    role: Object.hasOwn(hints, "role") || (hints["$role"] === false && isAnswer) ? undefined : "assistant",
    ...contentOf(layout.content, { hints, isAnswer, isBare: isEmpty && context.recipient === "provider" }),
    tool_plan: planOf(layout.plan) || (hints["$plan"] === "" ? "" : undefined),
    citations: layout.citations.length > 0 ? layout.citations.map(({ wire }) => wire) : undefined,
    tool_calls: layout.calls.length > 0 ? layout.calls.map(({ wire }) => wire) : undefined,
  });
  return finished(fields, message);
}

export const planOf = (parts: readonly Located<PartOf<"reasoning">>[]): string =>
  parts.map(({ part }) => part.text ?? "").join("");

/** `isBare`: nothing else is there either, and a provider refuses such a message without a content. */
function contentOf(
  content: readonly Laid[],
  about: { readonly hints: JsonObject; readonly isAnswer: boolean; readonly isBare: boolean },
): JsonObject {
  const { $content: hint } = about.hints;
  const [only] = content;
  if (!only) {
    if (hint === "empty") return { content: [] };
    if (hint === "" || hint === null) return { content: about.isBare ? "" : hint };
    return about.isBare ? { content: "" } : {};
  }
  const isText = content.length === 1 && only.from.part.type === "text" && !isBlockOnly(only.from.part);
  const asText = isText && only.from.part.type === "text" ? only.from.part.text : undefined;
  const isList = about.isAnswer ? hint !== "text" : hint === "list";
  // An empty text would be read as no content.
  return asText === undefined || isList || asText === ""
    ? { content: content.map(({ wire }) => wire) }
    : { content: asText };
}
