import type { Message } from "../model/conversation.ts";
import { demandMessages } from "../model/given.ts";
import type { Loss, Path } from "../model/issue.ts";
import { isJsonObject, type Json, type MutableJsonObject, setMember } from "../model/json.ts";
import type { Node, Seal } from "../model/parts.ts";
import { mapNodes } from "../model/walk.ts";
import { sameList } from "./same-list.ts";

/** What is personal: a name in capitals, the pattern that finds it, and whether a finding is one. */
export interface RedactionRule {
  readonly name: string;
  /** With the flag g. */
  readonly pattern: RegExp;
  readonly isOne?: (found: string) => boolean;
}

export interface Redaction {
  readonly messages: readonly Message[];
  /** Placeholder → what stood there, and the seals that went. Whoever has it can read everything: keep it apart. */
  readonly map: { readonly [placeholder: string]: string };
  /** Seals that went because their text was changed: the maker would refuse it. `restore` brings them back with the words. */
  readonly losses: readonly Loss[];
}

const digitsOf = (text: string): readonly number[] => [...text.replace(/\D/g, "")].map(Number);

/** Luhn's sum of card numbers. */
function isCard(found: string): boolean {
  const digits = digitsOf(found).toReversed();
  const sum = digits.reduce((total, digit, index) => {
    const value = index % 2 === 1 ? digit * 2 : digit;
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return digits.length >= 13 && digits.length <= 19 && sum % 10 === 0;
}

/** ISO 7064 MOD 97-10 of account numbers. */
function isIban(found: string): boolean {
  const text = found.replace(/\s/g, "").toUpperCase();
  const moved = `${text.slice(4)}${text.slice(0, 4)}`;
  let rest = 0;
  for (const character of moved) rest = Number(`${rest}${Number.parseInt(character, 36)}`) % 97;
  return rest === 1;
}

const weights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];

/** ISO 7064 MOD 11-2 of identity numbers (GB 11643). */
function isChineseId(found: string): boolean {
  const sum = weights.reduce((total, weight, index) => total + weight * Number(found[index]), 0);
  return "10X98765432"[sum % 11] === found.slice(-1).toUpperCase();
}

/** Letters of other scripts only where all of a side is: in Chinese no space parts an address from the words around it. */
const email =
  /(?:[A-Za-z0-9._%+-]{1,64}|(?:(?![A-Za-z])\p{L}){1,64})(?:@|%40)(?:[\p{L}\p{N}-]{1,63}\.){1,8}(?:[A-Za-z]{2,24}|(?:(?![A-Za-z])\p{L}){2,8})/gu;

/** Each with its own check where it has one. An earlier one takes what a later one would find too. */
export const personalData: readonly RedactionRule[] = [
  { name: "EMAIL", pattern: email },
  { name: "IBAN", pattern: /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b/g, isOne: isIban },
  { name: "ID", pattern: /(?<!\d)[1-9]\d{5}(?:19|20)\d{9}[\dXx](?!\d)/g, isOne: isChineseId },
  { name: "CARD", pattern: /(?<!\d)\d(?:[ -]?\d){12,18}(?!\d)/g, isOne: isCard },
  // What no number of the US may be is none: 000, 666 and 9xx, and groups of zeros.
  { name: "SSN", pattern: /(?<![\d-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\d-])/g },
  // Behind a `v` or the word it is a version.
  {
    name: "IP",
    pattern:
      /(?<![\w.]|\b[Vv]er(?:sion)?[ .:]{0,3})(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?!\d|\.\d)/g,
  },
  {
    name: "PHONE",
    pattern:
      /(?<![A-Za-z\d])(?:\+\d{1,3}[ -]?(?:\(?\d{1,4}\)?[ -]?){2,5}\d{2,4}|1[3-9]\d{9}|\(\d{3}\) ?\d{3}[-. ]\d{4}|\d{3}([-.])\d{3}\1\d{4})(?![\d-])/g,
  },
];

/**
 * The messages with placeholders like `[EMAIL_1]` for what the rules find, in all texts, arguments, results and kept members;
 * the same finding gets the same placeholder. Ids, media and seals are left; a part or citation whose words change loses its seal.
 */
export function redact(messages: readonly Message[], rules: readonly RedactionRule[] = personalData): Redaction {
  demandMessages(messages);
  const redactor = new Redactor(rules, messages);
  const losses: Loss[] = [];
  const seals: [string, string][] = [];
  const redacted = messages.map((message, index) => {
    const changed = mapStrings(message, text => redactor.replaced(text));
    return mapChanged(message, changed, (node, before, path) => {
      if (before.seal === undefined) return node;
      losses.push(sealLoss(["messages", index, ...path]));
      const bare = withoutSeal(node);
      seals.push([`[SEAL:${seals.length + 1}]`, JSON.stringify([bare, before.seal])]);
      return bare;
    });
  });
  return { messages: sameList(messages, redacted), map: { ...redactor.map(), ...Object.fromEntries(seals) }, losses };
}

/**
 * Messages, ours or a model's answer to them, with what stood in place of the placeholders. A part or citation that is as `redact`
 * left it gets its seal back: its words are those that were sealed.
 */
export function restore(messages: readonly Message[], map: Redaction["map"]): readonly Message[] {
  demandMessages(messages);
  const put = (text: string): string =>
    text.replace(/\[[A-Z_]+_\d+\]/g, found => (Object.hasOwn(map, found) ? (map[found] ?? found) : found));
  const seals = sealsIn(map);
  const restored = messages.map(message => {
    const changed = mapStrings(message, put);
    if (seals.size === 0) return changed;
    return mapChanged(message, changed, (node, before) => {
      const seal = before.seal === undefined ? seals.get(JSON.stringify(before)) : undefined;
      return seal === undefined ? node : { ...node, seal };
    });
  });
  return sameList(messages, restored);
}

/** A part or a citation: what can be sealed. */
type Sealable = Node & { readonly seal?: Seal };

/** The changed message with every node mapped whose words are not those that it had, inner ones first, whatever holds them. */
function mapChanged(
  message: Message,
  changed: Message,
  map: (node: Sealable, before: Sealable, path: Path) => Sealable,
): Message {
  if (changed === message) return message;
  const mapNode = <T extends Node>(node: T, [, , ...path]: Path): T => {
    const before = nodeAt(message, path);
    if (path.length === 0 || nodeAt(changed, path) === before) return node;
    return map(node, before, path) as T; // a seal is never required, and no other member changes
  };
  return mapNodes({ messages: [changed] }, mapNode).messages[0] ?? changed;
}

const nodeAt = (message: Message, path: Path): Sealable =>
  path.reduce<unknown>((holder, step) => (holder as { readonly [step: string]: unknown })[step], message) as Sealable; // a path of one

/** Seals by the node that each was taken from, as it was left. */
function sealsIn(map: Redaction["map"]): ReadonlyMap<string, Seal> {
  const seals = new Map<string, Seal>();
  for (const [name, text] of Object.entries(map)) {
    if (!name.startsWith("[SEAL:")) continue;
    const [bare, seal] = JSON.parse(text) as [Json, Seal]; // as `redact` wrote it
    seals.set(JSON.stringify(bare), seal);
  }
  return seals;
}

const sealLoss = (path: Path): Loss => ({
  kind: "dropped",
  code: "redacted-seal",
  path: [...path, "seal"],
  message: "the seal is of words that are redacted now: its maker would refuse it",
});

function withoutSeal({ seal: _, ...others }: Sealable): Sealable {
  return others;
}

class Redactor {
  private readonly rules: readonly RedactionRule[];
  private readonly placeholders = new Map<string, string>();
  private readonly counts = new Map<string, number>();

  /** Numbers begin behind those that texts have already, so that no text is taken for a placeholder. */
  constructor(rules: readonly RedactionRule[], messages: readonly Message[]) {
    this.rules = rules;
    for (const message of messages) {
      mapStrings(message, text => {
        for (const [, name = "", number] of text.matchAll(/\[([A-Z_]+)_(\d{1,9})\]/g)) {
          this.counts.set(name, Math.max(this.counts.get(name) ?? 0, Number(number)));
        }
        return text;
      });
    }
  }

  replaced(text: string): string {
    return this.rules.reduce(
      (left, { name, pattern, isOne }) =>
        left.replace(pattern, found => (isOne && !isOne(found) ? found : this.placeholder(name, found))),
      text,
    );
  }

  map(): Redaction["map"] {
    return Object.fromEntries(
      [...this.placeholders].map(([key, placeholder]) => [placeholder, key.slice(key.indexOf(":") + 1)]),
    );
  }

  private placeholder(name: string, found: string): string {
    const key = `${name}:${found}`;
    const known = this.placeholders.get(key);
    if (known !== undefined) return known;
    const number = (this.counts.get(name) ?? 0) + 1;
    this.counts.set(name, number);
    const placeholder = `[${name}_${number}]`;
    this.placeholders.set(key, placeholder);
    return placeholder;
  }
}

/** Members that pair and address things: changed, they would not any more. */
const addresses: ReadonlySet<string> = new Set([
  ..."id callId requestId responseId run parent type role kind mediaType seal source createdAt startedAt endedAt".split(
    " ",
  ),
  ..."replaces keep caller model provider finish usage cache".split(" "),
]);

function mapStrings(message: Message, change: (text: string) => string): Message {
  return mapped(message as unknown as Json, change) as unknown as Message; // a message is JSON, and keeps its shape
}

/** The value itself where no string of it changes. A file's own words are changed, its bytes are not. */
const mapped = (value: Json, change: (text: string) => string): Json =>
  eachMember(value, change, (key, member) => memberOf(key, member, change));

const asItIs = (name: string): string => name;

function eachMember(
  value: Json,
  change: (text: string) => string,
  next: (key: string, member: Json) => Json,
  rename: (name: string) => string = asItIs,
): Json {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) {
    const items = value.map(item => eachMember(item as Json, change, next, rename)); // an item of JSON
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isJsonObject(value)) return value;
  const copy: MutableJsonObject = {};
  let isSame = true;
  for (const [key, member] of Object.entries(value)) {
    const changed = next(key, member);
    const name = rename(key);
    isSame &&= changed === member && name === key;
    setMember(copy, name, changed);
  }
  return isSame ? value : copy;
}

/** Members that hold the application's own JSON: every text of it may be personal. */
const payloads: ReadonlySet<string> = new Set(
  "input data structured native exact metadata value schema details".split(" "),
);

function memberOf(key: string, member: Json, change: (text: string) => string): Json {
  if (key === "inputText" && typeof member === "string") return inJsonText(member, change);
  if (payloads.has(key)) return everyString(member, change);
  if (key !== "source") return addresses.has(key) ? member : mapped(member, change);
  if (!isJsonObject(member)) return member;
  const { url } = member;
  if (typeof url === "string" && !url.startsWith("data:")) {
    const changed = change(url);
    return changed === url ? member : { ...member, url: changed };
  }
  return "text" in member || "parts" in member ? mapped(member, change) : member;
}

/** The names of the application's own members may be personal too. */
const everyString = (value: Json, change: (text: string) => string): Json =>
  eachMember(value, change, (_, member) => everyString(member, change), change);

/** Its texts as they read, whatever they are spelled with; the last one may be unfinished. Text that is no JSON is one text. */
function inJsonText(text: string, change: (text: string) => string): string {
  if (!/^\s*["[{]/.test(text)) return change(text);
  return text.replace(/"(?:[^"\\]|\\.)*("?)/gs, (literal, end: string) => {
    const whole = end === "" ? `${literal}"` : literal;
    const words = textOf(whole);
    if (words === undefined) return change(literal);
    const changed = change(words);
    return changed === words ? literal : JSON.stringify(changed).slice(0, end === "" ? -1 : undefined);
  });
}

function textOf(literal: string): string | undefined {
  try {
    return String(JSON.parse(literal));
  } catch {
    return undefined;
  }
}
