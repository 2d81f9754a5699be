import { chatParts } from "../../blocks/chat-parts/parts.ts";
import type { EncodeContext } from "../../codec/codec.ts";
import { hintsOf } from "../../codec/remainder.ts";
import type { Conversation, Message } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject, type MutableJsonObject, setMember } from "../../model/json.ts";
import type { Citation, Node, OpaquePart, Part } from "../../model/parts.ts";
import { everyChild } from "../../model/walk.ts";
import { dialectOf, isHome } from "./dialects.ts";
import { makerOfDetail } from "./reasoning.ts";
import { envelopeMembers, family } from "./wire.ts";

/**
 * What a host may get of members that no field was made of (R14): proxies put other makers' seals under names of their
 * own (LiteLLM's `thinking_blocks` and `provider_specific_fields`, Copilot's `reasoning_opaque`, 2026-11-30), and whoever
 * they belong to, it is not this host, unless its row says so. Clients and stores get everything.
 */
export function forHost(
  conversation: Conversation,
  context: EncodeContext,
): { readonly conversation: Conversation; readonly context: EncodeContext } {
  if (context.recipient !== "provider") return { conversation, context };
  const cleaner = new Cleaner(context);
  const places = new Map<number, readonly number[]>();
  const messages = conversation.messages.map((message, index) => {
    if (isPlain(message)) return message;
    const cleaned = cleaner.message(message, ["messages", index]);
    places.set(index, cleaned.places);
    return cleaned.message;
  });
  const before = ([root, message, member, part, ...rest]: Path): Path | undefined => {
    const kept = typeof message === "number" && member === "parts" ? places.get(message) : undefined;
    if (!kept || root === undefined || message === undefined || typeof part !== "number") return undefined;
    return [root, message, "parts", kept[part] ?? part, ...rest];
  };
  return {
    conversation: { ...conversation, messages },
    context: { ...context, lose: (code, path, detail) => context.lose(code, before(path) ?? path, detail) },
  };
}

/** Nothing in the message has members that no field was made of: what almost every message is, so that it costs no path and no copy. */
const isPlain = ({ native, parts }: Message): boolean => native === undefined && parts.every(isPlainPart);
const isPlainPart = (part: Part): boolean => part.type !== "opaque" && isBare(part) && everyChild(part, isBare);
const isBare = (node: Node): boolean => node.native === undefined;

class Cleaner {
  readonly #context: EncodeContext;
  readonly #own: readonly string[];

  constructor(context: EncodeContext) {
    this.#context = context;
    this.#own = dialectOf(context).own;
  }

  /** `places`: where each part stood. */
  message(message: Message, path: Path): { readonly message: Message; readonly places: readonly number[] } {
    const parts: Part[] = [];
    const places: number[] = [];
    const isWire = message.role === "assistant" || message.role === "control";
    for (const [index, part] of message.parts.entries()) {
      const cleaned = this.#part(part, [...path, "parts", index], isWire);
      if (!cleaned) continue;
      parts.push(cleaned);
      places.push(index);
    }
    return { message: { ...this.#node(message, path), parts }, places };
  }

  #part(part: Part, path: Path, isWire: boolean): Part | undefined {
    const node = this.#node(part, path);
    switch (node.type) {
      // What people and tools put into a list is data, whatever its names are.
      case "opaque":
        return isWire ? this.#opaque(node, path) : node;
      case "text": {
        const { citations } = node;
        if (!citations) return node;
        const cleaned = (citation: Citation, index: number) => this.#node(citation, [...path, "citations", index]);
        return { ...node, citations: citations.map(cleaned) };
      }
      case "tool-result": {
        const { output } = node;
        if (!output) return node;
        return { ...node, output: output.map((inner, index) => this.#node(inner, [...path, "output", index])) };
      }
      case "compaction": {
        const { summary } = node;
        if (!summary) return node;
        return { ...node, summary: summary.map((inner, index) => this.#node(inner, [...path, "summary", index])) };
      }
      default:
        return node;
    }
  }

  #opaque(part: OpaquePart, path: Path): OpaquePart | undefined {
    const isDetail = hintsOf(part, family)["$place"] === "details";
    const maker = isDetail ? makerOfDetail(part.value) : undefined;
    const seal = { ...(maker !== undefined && { maker }), route: "openrouter", values: {} };
    const isOwn = isDetail && isHome(seal, this.#context);
    const value = this.#value(part.value, [...path, "value"], isOwn);
    if (value === part.value) return part;
    return value === undefined ? undefined : { ...part, value };
  }

  #node<N extends Node>(node: N, path: Path): N {
    if (!node.native) return node;
    let native = node.native;
    for (const name of [family, chatParts]) {
      const members = native[name];
      const cleaned = members && this.#members(members, [...path, "native", name]);
      if (cleaned !== members) native = { ...native, [name]: cleaned ?? {} };
    }
    return native === node.native ? node : { ...node, native };
  }

  /** Hints stay; what an envelope had is not written to a host. */
  #members(members: JsonObject, path: Path): JsonObject {
    return mapped(members, (key, value) => {
      if ((key.startsWith("$") && key !== "$$members") || envelope.has(key)) return value;
      return this.#member(key, value, { path, isOwn: this.#own.includes(key) });
    });
  }

  #member(key: string, value: Json, at: { readonly path: Path; readonly isOwn: boolean }): Json | undefined {
    const path = [...at.path, key];
    if (key === carry || (!at.isOwn && isSealName(key) && holdsSomething(value))) return this.#drop(path);
    return given.has(key) ? value : this.#value(value, path, at.isOwn);
  }

  /** What is left of it; undefined where that is nothing. Of what is the host's own (`isOwn`) only our carry is taken. */
  #value(value: Json, path: Path, isOwn: boolean): Json | undefined {
    if (Array.isArray(value)) {
      const list = value as readonly Json[]; // a list of JSON
      const cleaned = list.map((item, index) => this.#value(item, [...path, index], isOwn));
      if (cleaned.every((item, index) => item === list[index])) return value;
      const left = cleaned.filter(item => item !== undefined);
      return left.length > 0 ? left : undefined;
    }
    if (!isJsonObject(value)) return value;
    if (!isOwn && isSealedThought(value)) return this.#drop(path);
    const kept = mapped(value, (key, member) => this.#member(key, member, { path, isOwn }));
    return kept !== value && Object.keys(kept).length === 0 ? undefined : kept;
  }

  #drop(path: Path): undefined {
    this.#context.lose("foreign-seal", path);
  }
}

const carry = "translogue";
const envelope: ReadonlySet<string> = new Set(envelopeMembers);
/** What a model or a tool says: its names are its own. */
const given: ReadonlySet<string> = new Set(["arguments", "input"]);

/** Names that say that only their maker can read what they hold. */
function isSealName(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  const last = words.at(-1) ?? "";
  if (last === "opaque" || last === "ciphertext" || /signatures?$/.test(last)) return true;
  return words.some(word => word.startsWith("encrypted") || word.startsWith("redacted"));
}

/** Counts and flags are no seals. */
const holdsSomething = (value: Json): boolean =>
  typeof value === "string" ? value !== "" : typeof value === "object" && value !== null;

/** A block of reasoning and its seal are one: neither is of use without the other. */
function isSealedThought(block: JsonObject): boolean {
  const type = Object.hasOwn(block, "type") ? block["type"] : undefined;
  if (typeof type !== "string") return false;
  if (isSealName(type)) return true;
  const isThought = type.startsWith("thinking") || type.startsWith("reasoning");
  return isThought && Object.keys(block).some(key => isSealName(key) && holdsSomething(block[key] ?? null));
}

/** The object with its members mapped, without those that became undefined; itself where nothing changed. */
function mapped(object: JsonObject, map: (key: string, value: Json) => Json | undefined): JsonObject {
  const kept: MutableJsonObject = {};
  let isSame = true;
  for (const key of Object.keys(object)) {
    const value = object[key] ?? null;
    const left = map(key, value);
    if (left !== value) isSame = false;
    if (left !== undefined) setMember(kept, key, left);
  }
  return isSame ? object : kept;
}
