/**
 * Values of a running program as JSON: in the AI SDK's messages, prompts and streams stand URL objects, bytes, dates,
 * errors and the SDK's own file objects. What is written is JSON; what is read may be either.
 */

import { isJsonObject, type Json, type JsonObject, type MutableJsonObject, setMember } from "../../model/json.ts";

/** The value as JSON: itself where nothing in it is live. Members without a value (undefined, functions) are left out. */
export function plain(value: unknown): Json {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "number":
      return value;
    case "bigint":
      return value.toString();
    case "object":
      return value === null ? null : Array.isArray(value) ? plainList(value) : plainObject(value);
    default:
      return null;
  }
}

function plainList(list: readonly unknown[]): Json {
  let copy: Json[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const item = plain(list[index]);
    if (!copy && item !== list[index]) copy = list.slice(0, index) as Json[]; // each of them was plain
    copy?.push(item);
  }
  return copy ?? (list as readonly Json[]); // each of them was plain
}

function plainObject(object: object): Json {
  const live = liveValue(object);
  if (live !== undefined) return live;
  const members = object as { readonly [key: string]: unknown };
  let copy: MutableJsonObject | undefined;
  for (const key of Object.keys(members)) {
    const value = members[key];
    const isLeftOut = value === undefined || typeof value === "function" || typeof value === "symbol";
    const member = isLeftOut ? undefined : plain(value);
    if (!copy && member !== value) copy = before(members, key);
    if (copy && member !== undefined) setMember(copy, key, member);
  }
  return copy ?? (object as { readonly [key: string]: Json }); // each of its members was plain
}

/** The members before a key, all of which were plain. */
function before(members: { readonly [key: string]: unknown }, end: string): MutableJsonObject {
  const copy: MutableJsonObject = {};
  for (const key of Object.keys(members)) {
    if (key === end) break;
    if (members[key] !== undefined) setMember(copy, key, members[key] as Json); // each was plain
  }
  return copy;
}

/** By what an object is, not by its class: a value may come from another realm or another copy of the SDK. */
function liveValue(object: object): Json | undefined {
  switch (Object.prototype.toString.call(object)) {
    case "[object URL]":
      return String(object);
    case "[object Date]":
      return dateText(object as Date); // its tag says so
    case "[object Error]":
      return errorOf(object as Error); // its tag says so
    case "[object ArrayBuffer]":
      return base64OfBytes(new Uint8Array(object as ArrayBuffer)); // its tag says so
    case "[object Object]":
      return fileOf(object);
    default:
      return ArrayBuffer.isView(object)
        ? base64OfBytes(new Uint8Array(object.buffer, object.byteOffset, object.byteLength))
        : undefined;
  }
}

const dateText = (date: Date): Json => (Number.isNaN(date.getTime()) ? null : date.toISOString());

const errorOf = ({ name, message }: Error): Json => ({ name, message });

/** A generated file says its content by getters, which are no members. */
function fileOf(object: object): Json | undefined {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype === null || prototype === Object.prototype) return undefined;
  const { base64, mediaType } = object as { readonly base64?: unknown; readonly mediaType?: unknown };
  if (typeof base64 !== "string" || typeof mediaType !== "string") return undefined;
  return { mediaType, base64 };
}

/** Bytes as base64 of the standard alphabet. */
export function base64OfBytes(bytes: Uint8Array): string {
  const pieces: string[] = [];
  const step = 8190; // as many arguments as every engine takes, and whole groups of three
  for (let start = 0; start < bytes.length; start += step) {
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(start, start + step))));
  }
  return pieces.join("");
}

/** The bytes of a file as their members say them in some wire: `{ mediaType, base64 }`. */
export const isGeneratedFile = (value: Json | undefined): value is { mediaType: string; base64: string } =>
  isJsonObject(value) && typeof value["base64"] === "string" && typeof value["mediaType"] === "string";

/**
 * Model messages, a prompt or a call for the SDK's own functions: addresses of files as URL objects, which JSON does not
 * have. What holds no address is the same object.
 */
export function withUrls(value: Json): unknown {
  if (Array.isArray(value)) {
    const list = (value as readonly Json[]).map(withUrls);
    return list.every((item, index) => item === value[index]) ? value : list;
  }
  if (!isJsonObject(value)) return value;
  const { data } = value;
  if (fileTypes.has(value["type"])) {
    const live = isJsonObject(data) ? liveAddress(data) : typeof data === "string" ? bareAddress(data) : data;
    return live === data ? value : { ...value, data: live };
  }
  let copy: { [key: string]: unknown } | undefined;
  for (const key of value["type"] === "content" ? contents : holders) {
    const member = Object.hasOwn(value, key) ? value[key] : undefined;
    const made = typeof member === "object" ? withUrls(member) : member;
    if (made !== member) copy = { ...(copy ?? value), [key]: made };
  }
  return copy ?? value;
}

function liveAddress(data: JsonObject): unknown {
  const { type, url } = data;
  return type === "url" && typeof url === "string" && URL.canParse(url) ? { ...data, url: new URL(url) } : data;
}

/** A provider's package takes a text for base64, which has no colon. */
const bareAddress = (data: string): unknown =>
  /^[a-z][a-z0-9+.-]*:/i.test(data) && URL.canParse(data) ? new URL(data) : data;

const fileTypes: ReadonlySet<Json | undefined> = new Set(["file", "reasoning-file"]);
/** Where files stand; arguments and values of tools are left alone. */
const holders = ["prompt", "content", "output"] as const;
const contents = ["value"] as const;
