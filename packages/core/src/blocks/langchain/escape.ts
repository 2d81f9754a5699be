import { isJsonObject, type Json, type JsonObject, type MutableJsonObject, setMember } from "../../model/json.ts";
import { classNamed } from "./wire.ts";

/** Wraps data of users that looks like a serialised object, so that no loader builds anything of it. */
const escapeKey = "__lc_escaped__";

/** An object that a loader would build something of, found where data was expected. */
export interface Live {
  /** JSON pointer from the members of its message. */
  readonly pointer: string;
  readonly kind: "message" | "constructor" | "secret" | "not_implemented";
}

/** What an unescaped value is, and what of it a loader would have taken for more than data. */
export interface Unescaped {
  readonly value: Json;
  readonly live: readonly Live[];
}

/** Takes the wrapping off. Values that have none keep their identity, and what is inside of one is data as it is. */
export function unwrapAll(value: Json): Unescaped {
  const live: Live[] = [];
  const read = (inner: Json, pointer: string): Json => {
    if (Array.isArray(inner)) return sameList(inner, (item, index) => read(item, `${pointer}/${index}`));
    if (!isJsonObject(inner)) return inner;
    if (isEscaped(inner)) return inner[escapeKey] ?? null;
    const kind = liveKind(inner);
    if (kind) {
      live.push({ pointer, kind });
      return inner;
    }
    return sameObject(inner, (member, key) => read(member, `${pointer}/${pointerStep(key)}`));
  };
  return { value: read(value, ""), live };
}

/** Wraps every object that a loader would take for more than data, but for those at the `live` pointers that may be. */
export function wrapAll(value: Json, live: ReadonlySet<string>): Json {
  const write = (inner: Json, pointer: string): Json => {
    if (Array.isArray(inner)) return sameList(inner, (item, index) => write(item, `${pointer}/${index}`));
    if (!isJsonObject(inner)) return inner;
    if (Object.hasOwn(inner, "lc") || isEscaped(inner)) {
      return live.has(pointer) && isHarmless(liveKind(inner)) ? inner : { [escapeKey]: inner };
    }
    return sameObject(inner, (member, key) => write(member, `${pointer}/${pointerStep(key)}`));
  };
  return write(value, "");
}

export const isHarmless = (kind: Live["kind"] | undefined): boolean => kind === "message" || kind === "not_implemented";

/** What was wrapped; undefined = nothing is. */
export const escapedValue = (value: JsonObject): Json | undefined =>
  isEscaped(value) ? (value[escapeKey] ?? null) : undefined;

const isEscaped = (value: JsonObject): boolean => Object.keys(value).length === 1 && Object.hasOwn(value, escapeKey);

/** What a loader would build of the object; undefined = it is plain data. */
export function liveKind(value: JsonObject): Live["kind"] | undefined {
  if (memberOf(value, "lc") !== 1) return undefined;
  const type = memberOf(value, "type");
  if (type === "secret" || type === "not_implemented") return type;
  if (type !== "constructor") return undefined;
  return classOfId(memberOf(value, "id")) && isJsonObject(memberOf(value, "kwargs")) ? "message" : "constructor";
}

/**
 * The class that the path of a serialised object names, if it is one of the messages: nothing else is ever built.
 * Python writes `langchain.schema.messages`, JavaScript `langchain_core.messages`; Python reads a module in between, too.
 */
export function classOfId(id: Json | undefined): string | undefined {
  if (!Array.isArray(id) || !id.every(step => typeof step === "string")) return undefined;
  const name = id.at(-1) as string; // all are strings, and none is no class
  const space = id.slice(0, -1).join(".");
  const isKnown = space === "langchain.schema.messages" || /^langchain_core\.messages(?:\.[a-z_]+)?$/.test(space);
  return isKnown && classNamed(name ?? "") ? name : undefined;
}

export const memberOf = (value: JsonObject, key: string): Json | undefined =>
  Object.hasOwn(value, key) ? value[key] : undefined;

const pointerStep = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");

function sameList(list: readonly Json[], map: (item: Json, index: number) => Json): readonly Json[] {
  const mapped = list.map(map);
  return mapped.every((item, index) => Object.is(item, list[index])) ? list : mapped;
}

function sameObject(object: JsonObject, map: (value: Json, key: string) => Json): JsonObject {
  const mapped: MutableJsonObject = {};
  let isSame = true;
  for (const key of Object.keys(object)) {
    const value = object[key] ?? null;
    const made = map(value, key);
    if (!Object.is(made, value)) isSame = false;
    setMember(mapped, key, made);
  }
  return isSame ? object : mapped;
}
