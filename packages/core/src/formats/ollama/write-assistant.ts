import type { Located } from "../../blocks/turns.ts";
import { hintsOf, present } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { OpaquePart, Part } from "../../model/parts.ts";
import { callIdOf, writeCall } from "./calls.ts";
import { family, places } from "./wire.ts";
import { finished, joined, type Writing, writeImage } from "./writing.ts";

/** A piece of the wire, and the part that it was written from. */
export interface Laid {
  readonly from: Located;
  readonly wire: Json;
}

/** An assistant's parts by the members that they go to. */
export interface Layout {
  readonly thinking: string | undefined;
  readonly content: string | undefined;
  readonly images: readonly Laid[];
  readonly calls: readonly Laid[];
}

type Slot = Exclude<keyof typeof places, "error">;

export function layOut(parts: readonly Located[], path: Path, writing: Writing): Layout {
  const { context } = writing;
  const slots: { readonly [slot in Slot]: Located[] } = { thinking: [], content: [], images: [], calls: [] };
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
    if (each.part.type === "refusal") context.lose("refusal", each.path);
  }
  if (!isOrdered) context.lose("order", [...path, "parts"]);
  const texts = (list: readonly Located[]) =>
    list.map(({ part, path: place }) => ({ text: "text" in part ? (part.text ?? "") : "", path: place }));
  return {
    thinking: joined(texts(slots.thinking), true, context),
    content: joined(texts(slots.content), true, context),
    images: slots.images.flatMap(from => {
      const { part, path: place } = from;
      if (part.type === "opaque") return [{ from, wire: part.value }];
      return part.type === "file" ? writeImage(part, place, context).map(wire => ({ from, wire })) : [];
    }),
    calls: slots.calls.map((from, position) => ({ from, wire: writeOne(from, position, writing) })),
  };
}

function writeOne({ part, path }: Located, position: number, writing: Writing): Json {
  if (part.type !== "tool-call") return (part as OpaquePart).value; // what slotOf puts there
  return writeCall(part, path, { id: callIdOf(part, path, writing), position, lose: writing.lose });
}

function slotOf(part: Part): Slot | undefined {
  switch (part.type) {
    case "text":
    case "refusal":
      return "content";
    case "reasoning":
      return part.text === undefined ? undefined : "thinking";
    case "file":
      return "images";
    case "tool-call":
      return part.executedBy ? undefined : "calls";
    case "opaque":
      return hintsOf(part, family)["$place"] === "calls" ? "calls" : "images";
    default:
      return undefined;
  }
}

function lossOf({ type }: Part): string {
  if (type === "reasoning") return "hidden-reasoning";
  return type === "tool-call" || type === "tool-result" ? "server-tool" : "misplaced";
}

/** One assistant's message. */
export function writeAssistant(
  parts: readonly Located[],
  { message, path }: { readonly message: Message; readonly path: Path },
  writing: Writing,
): JsonObject {
  const { thinking, content, images, calls } = layOut(parts, path, writing);
  const fields = present({
    ...saidOf(message, { thinking, content }, writing),
    images: images.length > 0 ? images.map(({ wire }) => wire) : undefined,
    tool_calls: calls.length > 0 ? calls.map(({ wire }) => wire) : undefined,
  });
  return finished(fields, message);
}

/** Role and texts; a content is always there, unless it was not. */
export function saidOf(
  message: Message,
  { thinking, content }: Pick<Layout, "thinking" | "content">,
  { context }: Writing,
): JsonObject {
  const hints = hintsOf(message, family);
  const { $content: hint, $role: role } = hints;
  const isAnswer = context.shape === "answer" || context.shape === "stream";
  const isUntold = Object.hasOwn(hints, "role") || (role === false && isAnswer);
  const nothing = hint === null ? null : hint === false || Object.hasOwn(hints, "content") ? undefined : "";
  return present({
    role: isUntold ? undefined : isAnswer && typeof role === "string" ? role : "assistant",
    content: content || nothing,
    thinking: thinking || (hints["$thinking"] === "" ? "" : undefined),
  });
}
