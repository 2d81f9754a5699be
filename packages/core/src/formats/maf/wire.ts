import type { DecodeContext, EncodeContext } from "../../codec/codec.ts";
import type { Reader } from "../../codec/reader.ts";
import { fillAll, kept, present, remainderOf } from "../../codec/remainder.ts";
import { copyExact, type ExactText } from "../../model/exact-text.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject, type MutableJsonObject, setMember } from "../../model/json.ts";
import type { Node, TextPart } from "../../model/parts.ts";
import { spell } from "./spelling.ts";
import { type TypeRow, typeRow } from "./type-rows.ts";

export const family = "maf";

/** What a decoder of MAF's values needs beside the value. */
export interface Reading {
  readonly context: DecodeContext;
  /** Source texts of the value, where it came from a text. */
  readonly exact: ExactText | undefined;
}

/** What an encoder of a part needs beside the part. */
export interface Writing {
  readonly path: Path;
  readonly context: Pick<EncodeContext, "lose">;
}

export const within = (writing: Writing, ...steps: (string | number)[]): Writing => ({
  ...writing,
  path: [...writing.path, ...steps],
});

/** `native` of a node: what its wire object has beside its fields, with the spelling of its numbers, and hints. */
export function rest(reader: Reader, hints: JsonObject, exact: ExactText | undefined): Pick<Node, "native"> {
  const node = kept(family, reader.rest(), hints, ["response"]);
  const members = node.native?.[family];
  if (exact && members) copyExact(exact, reader.value, members);
  return node;
}

/** The wire object of a node: its fields, its remainder, in the order of its type. */
export function wireOf(type: string, fields: JsonObject, node: Node): JsonObject {
  const isPlain = node.native?.[family] === undefined;
  const filled = isPlain ? fields : fillAll(fields, remainderOf(node, family, ["response"]));
  const ordered = inOrder(filled, typeRow(type));
  for (const [pointer, text] of Object.entries(node.exact ?? {})) {
    const [, key] = /^\/native\/maf\/([^/]+)$/.exec(pointer) ?? [];
    if (key !== undefined) spell(ordered, key.replaceAll("~1", "/").replaceAll("~0", "~"), text);
  }
  return ordered;
}

/** The remainder of a message's head, without hints and without what its envelope said. */
export const remainderFor = (node: Node): JsonObject => remainderOf(node, family, ["response"]);

/** Members in the order of a type, others after them; `$type` first. */
export function inOrder(object: JsonObject, row: TypeRow | undefined): JsonObject {
  const ordered: MutableJsonObject = {};
  const put = (key: string): void => {
    const value = Object.hasOwn(object, key) && !Object.hasOwn(ordered, key) ? object[key] : undefined;
    if (value !== undefined) setMember(ordered, key, value);
  };
  put("$type");
  for (const { name } of row?.members ?? []) put(name);
  for (const key of Object.keys(object)) put(key);
  return ordered;
}

/** Members of `additionalProperties` that have a field here, and the rest as it stood. */
export class Properties {
  readonly #reader: Reader;
  readonly #all: JsonObject | undefined;
  readonly #taken: string[] = [];

  constructor(reader: Reader) {
    this.#reader = reader;
    const all = reader.peek("additionalProperties");
    this.#all = isJsonObject(all) ? all : undefined;
  }

  member<T extends Json>(key: string, is: (value: Json) => value is T): T | undefined {
    const value = this.#all && Object.hasOwn(this.#all, key) ? this.#all[key] : undefined;
    if (value === undefined || !is(value)) return undefined;
    this.#taken.push(key);
    return value;
  }

  /** What stays of them, as members of `native`: their order is a hint where something was taken out of the middle. */
  hints(exact: ExactText | undefined): JsonObject {
    if (!this.#all || this.#taken.length === 0) return {};
    this.#reader.take("additionalProperties");
    const keys = Object.keys(this.#all);
    const left = keys.filter(key => !this.#taken.includes(key));
    if (left.length === 0) return {};
    const others: MutableJsonObject = {};
    for (const key of left) setMember(others, key, this.#all[key] ?? null);
    if (exact) copyExact(exact, this.#all, others);
    const isInOrder = [...left, ...this.#taken].every((key, index) => key === keys[index]);
    return { additionalProperties: others, ...(!isInOrder && { $keys: keys }) };
  }
}

/** The property by which .NET's Anthropic client marks the end of what may be cached (13.14). */
const cacheMark = "anthropic:cache_control";

type Cache = NonNullable<TextPart["cache"]>;

const isCache = (value: Json): value is Cache & Json =>
  isJsonObject(value) && Object.keys(value).every(key => key === "ttl" && typeof value[key] === "string");

export function readCache(properties: Properties): { readonly cache?: Cache } {
  const cache = properties.member(cacheMark, isCache);
  return cache === undefined ? {} : { cache };
}

/** The properties that the fields of a part have. */
export const propertiesOf = ({ cache, detail }: { readonly cache?: Cache; readonly detail?: string }): JsonObject =>
  present({ [cacheMark]: cache, detail });

/** `additionalProperties` with what a field says, in the order in which they stood. */
export function withProperties(node: Node, fields: JsonObject): { additionalProperties?: JsonObject } {
  const { additionalProperties: others, $keys: order } = node.native?.[family] ?? {};
  const own = Object.keys(fields);
  if (own.length === 0) return {};
  const all: JsonObject = { ...(isJsonObject(others) ? others : {}), ...fields };
  const keys = [...(Array.isArray(order) ? order.map(String) : []), ...Object.keys(all)];
  const ordered: MutableJsonObject = {};
  for (const key of new Set(keys)) {
    const value = Object.hasOwn(all, key) ? all[key] : undefined;
    if (value !== undefined) setMember(ordered, key, value);
  }
  return { additionalProperties: ordered };
}
