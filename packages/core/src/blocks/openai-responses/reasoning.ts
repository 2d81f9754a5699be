/** Reasoning items of the Responses wire: a summary, a content, and what only their maker can read. */

import { defined, Reader } from "../../codec/reader.ts";
import { hintsOf, kept, present, restored } from "../../codec/remainder.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Part, ReasoningPart } from "../../model/parts.ts";
import { closing, type From } from "./items.ts";
import {
  contentPlace,
  hasOwnId,
  type ItemScope,
  idHint,
  idOf,
  itemMember,
  itemOf,
  type Located,
  type Placed,
  type ReadItem,
  readId,
  readStatus,
  responses,
  sealOf,
  sealValues,
  type WriteScope,
  writeStatus,
} from "./node.ts";
import { reportOpen, sharedId, type Writing } from "./writing.ts";

// reading

export function readReasoning({ wire, path, scope }: From): ReadItem | undefined {
  const reader = new Reader(wire);
  reader.take("type");
  const summary = readEntries(reader, { member: "summary", type: "summary_text", path, scope });
  const content = readEntries(reader, { member: "content", type: "reasoning_text", path, scope });
  if (!summary.list || !content.list) return undefined;
  const id = readId(reader);
  const told = makerOfReasoning(reader);
  const from = told === undefined ? scope : { ...scope, maker: told };
  const sealed = nonEmpty(reader, "encrypted_content");
  const signature = nonEmpty(reader, "signature");
  const status = readStatus(reader, "reasoning", scope.form);
  const entries = [
    ...summary.list.map((part, place): Placed => ({ place, part })),
    ...content.list.map((part, place): Placed => ({ place: contentPlace + place, part })),
  ];
  const ownSeal = sealOf({ id }, from);
  const lastSeal = sealOf({ id, encrypted_content: sealed, signature }, from);
  const hidden: Placed = { place: 0, part: { type: "reasoning" } };
  const all = entries.length > 0 ? entries : [hidden];
  const rest = kept(responses, reader.rest(), {
    ...status.hints,
    ...idHint(wire, scope),
    ...summary.hints,
    ...content.hints,
  });
  const parts = all.map(({ place, part }, index): Placed => {
    const seal = index === all.length - 1 ? lastSeal : ownSeal;
    return { place, part: seal ? ({ ...part, seal } as Part) : part }; // a seal is a member of all parts
  });
  const item = rest.native?.[responses];
  const whole = closing(
    parts.map(({ part }) => part),
    {
      ...(status.partial && { partial: true }),
      ...(item && { native: { [responses]: { ...parts.at(-1)?.part.native?.[responses], [itemMember]: item } } }),
    },
  );
  return { role: "assistant", parts: parts.map(({ place }, index) => ({ place, part: whole[index] ?? hidden.part })) };
}

export const nonEmpty = (reader: Reader, member: string): string | undefined => {
  const value = reader.peek(member);
  if (typeof value !== "string" || value === "") return undefined;
  reader.take(member);
  return value;
};

/** OpenRouter tells whose reasoning it is (2026-11-30). */
function makerOfReasoning(reader: Reader): string | undefined {
  const format = reader.peek("format");
  const name =
    typeof format === "string"
      ? /^(?:azure-|bedrock-)?(openai|anthropic|google|xai|meta)-/.exec(format)?.[1]
      : undefined;
  return name;
}

/** Where an entry stands that is kept whole. */
export const entryPlaces = { summary: "summary", content: "reasoning" } as const;

interface Entries {
  /** undefined: something of it is no entry. */
  readonly list: readonly Part[] | undefined;
  readonly hints: JsonObject;
}

interface EntriesOf {
  readonly member: "summary" | "content";
  /** Their usual type. */
  readonly type: string;
  readonly path: Path;
  readonly scope: ItemScope;
}

function readEntries(reader: Reader, from: EntriesOf): Entries {
  const { member, path } = from;
  const wire = reader.peek(member);
  const isUsual = member === "summary" ? wire !== undefined : wire === undefined;
  if (wire === undefined) return { list: [], hints: isUsual ? {} : { $summary: false } };
  if (!Array.isArray(wire)) return { list: wire === null ? [] : undefined, hints: {} };
  reader.take(member);
  const list = wire.map((entry: Json, place) => readEntry(entry, { ...from, path: [...path, member, place] }));
  const isEmpty = member === "content" && list.length === 0;
  return { list, hints: isEmpty ? { $content: "none" } : {} };
}

function readEntry(entry: Json, { type, member, path, scope }: EntriesOf): Part {
  const reader = isJsonObject(entry) ? new Reader(entry) : undefined;
  const text = reader?.string("text");
  const wireType = reader?.peek("type");
  if (!reader || text === undefined || typeof wireType !== "string") {
    scope.issue("unknown-part", path, "expected an entry of a reasoning item; kept as it is");
    return {
      type: "opaque",
      family: responses,
      value: entry,
      native: { [responses]: { $place: entryPlaces[member] } },
    };
  }
  reader.take("type");
  return defined<ReasoningPart>({
    type: "reasoning",
    text,
    summary: member === "summary" ? true : undefined,
    ...kept(responses, reader.rest(), wireType === type ? {} : { $type: wireType }, [itemMember]),
  });
}

// writing

export const isEntry = (part: Part): boolean => part.type === "reasoning" || entryPlace(part) !== undefined;

export const entryPlace = (part: Part): "summary" | "reasoning" | undefined => {
  const { $place: place } = hintsOf(part, responses);
  return part.type === "opaque" && (place === "summary" || place === "reasoning") ? place : undefined;
};

export function isSameReasoning(before: Part, next: Part): boolean {
  if (hintsOf(next, responses)["$item"] === "new" || idOf(before) !== idOf(next)) return false;
  const isClosed = Object.keys(before.seal?.values ?? {}).some(name => name !== "id");
  const isHidden = [before, next].some(part => part.type === "reasoning" && part.text === undefined);
  const isBack = !isSummary(before) && isSummary(next);
  return !isClosed && !isHidden && !isBack;
}

const isSummary = (part: Part): boolean =>
  part.type === "reasoning" ? part.summary === true : entryPlace(part) === "summary";

export function writeReasoning(parts: readonly Located[], { scope, ids }: Writing): JsonObject | undefined {
  const last = parts.at(-1);
  const item = last ? itemOf(last.part) : {};
  const own: WriteScope = { ...scope, maker: makerOf(item) ?? scope.maker };
  const isSealed = parts.some(({ part }) => part.seal !== undefined);
  if (!isSealed && scope.recipient === "provider" && !scope.takesBareReasoning) {
    for (const { path } of parts) scope.lose("bare-reasoning", path);
    return undefined;
  }
  reportOpen(parts.slice(0, -1), scope);
  const id = sharedId(parts.slice(0, -1), ["id"], own);
  const values: { readonly [name: string]: string } = last ? sealValues(last.part, last.path, sealNames, own) : {};
  const entries = parts.map(({ part, path }) => ({ isSummary: isSummary(part), wire: entryOf(part, path, scope) }));
  const summary = entries.flatMap(({ isSummary: is, wire }) => (is && wire !== undefined ? [wire] : []));
  const content = entries.flatMap(({ isSummary: is, wire }) => (!is && wire !== undefined ? [wire] : []));
  const hasNone = item["$summary"] === false || Object.hasOwn(item, "summary");
  const fields = present({
    type: "reasoning",
    id: values["id"] ?? id ?? (hasOwnId(item) ? undefined : ids.made("rs")),
    summary: summary.length > 0 || !hasNone ? summary : undefined,
    content: content.length > 0 || item["$content"] === "none" ? content : undefined,
    encrypted_content: values["encrypted_content"],
    signature: values["signature"],
    status: last && writeStatus(last.part, "reasoning", scope.form, item),
  });
  return restored(fields, { native: { [responses]: item } }, responses);
}

const sealNames = ["id", "encrypted_content", "signature"];

const makerOf = ({ format }: JsonObject): string | undefined =>
  typeof format === "string" ? /^(?:azure-|bedrock-)?(openai|anthropic|google|xai|meta)-/.exec(format)?.[1] : undefined;

function entryOf(part: Part, path: Path, scope: WriteScope): Json | undefined {
  if (part.type === "opaque") return part.value;
  const { text, summary, id } = part as ReasoningPart; // all entries are opaque or reasoning
  if (id !== undefined) scope.lose("reasoning-seal", [...path, "id"]);
  if (text === undefined) {
    if (summary) scope.lose("hidden-reasoning", path);
    return undefined;
  }
  const { $type: told, item: _, ...native } = hintsOf(part, responses);
  const type = typeof told === "string" ? told : summary ? "summary_text" : "reasoning_text";
  return restored({ type, text }, { native: { [responses]: native } }, responses);
}
