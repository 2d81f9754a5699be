/** Where in a conversation an error text is about, if neither its numbers nor a check tell. */

import type { Path } from "../model/issue.ts";
import type { FilePart, Part } from "../model/parts.ts";
import { filesOf, mediumOf } from "./rules/media.ts";
import type { RuleName } from "./target.ts";
import type { Placed, View } from "./turns.ts";

export type Said = { readonly [name: string]: string };

type Place = (view: View, said: Said) => Path | undefined;

const parts = (view: View): readonly Placed[] => view.turns.flatMap(turn => turn.parts);

const partWhere = (view: View, is: (part: Part) => boolean): Path | undefined =>
  parts(view).find(({ part }) => is(part))?.path;

const lastWhere = (view: View, is: (part: Part) => boolean): Path | undefined =>
  parts(view).findLast(({ part }) => is(part))?.path;

/** The first message for which it holds. */
function messageWhere(view: View, is: (message: View["conversation"]["messages"][number]) => boolean) {
  const found = view.sent.find(index => {
    const message = view.conversation.messages[index];
    return message !== undefined && is(message);
  });
  return found === undefined ? undefined : ["messages", found];
}

const lastMessage = (view: View): Path | undefined => {
  const last = view.sent.at(-1);
  return last === undefined ? undefined : ["messages", last];
};

const isText = ({ type }: Part): boolean => type === "text" || type === "refusal";
const isEmptyText = (part: Part): boolean => isText(part) && "text" in part && part.text === "";
const isContent = (part: Part): boolean =>
  (isText(part) && !isEmptyText(part)) || part.type === "file" || part.type === "data" || part.type === "tool-result";

/** The first file of a medium that a text names, else the first at all. */
function fileOf(view: View, said: string): Path | undefined {
  const medium = /image|audio|video/i.exec(said)?.[0].toLowerCase();
  const files = [...filesOf(view)];
  const wanted = (file: FilePart): boolean => medium === undefined || mediumOf(file) === medium;
  return (files.find(({ file }) => wanted(file)) ?? files[0])?.path;
}

/** What a seal says that a text names whole, or by its beginning and its end (`gAAA…6KFQ`). */
function sealOf(view: View, { seal = "", id }: Said): Path | undefined {
  const [begin = "", end = ""] = seal.split(/\.{3}|…/);
  const isNamed = (value: string): boolean => begin !== "" && value.startsWith(begin) && value.endsWith(end);
  const values = ({ seal }: Part): readonly string[] => Object.values(seal?.values ?? {}).map(String);
  const named = partWhere(view, part => values(part).some(value => isNamed(value) || value === id));
  return named ?? lastWhere(view, ({ seal }) => seal !== undefined);
}

const isRoleOf = (view: View, { message }: Placed, role: string): boolean =>
  view.conversation.messages[message]?.role === role;

const named = {
  messages: () => ["messages"],
  "first-message": view => {
    const first = view.turns[view.front]?.messages[0] ?? view.sent[0];
    return first === undefined ? undefined : ["messages", first];
  },
  "last-message": lastMessage,
  /** In the last message, which is an assistant's. */
  "last-reasoning": view => {
    const last = view.sent.at(-1);
    const found = parts(view).findLast(({ part, message }) => message === last && part.type === "reasoning");
    return found?.path ?? lastMessage(view);
  },
  "reasoning-at-end": view => {
    const found = view.sent.find(index => view.conversation.messages[index]?.parts.at(-1)?.type === "reasoning");
    const end = view.conversation.messages[found ?? -1]?.parts.length ?? 0;
    return found === undefined ? undefined : ["messages", found, "parts", end - 1];
  },
  reasoning: view => partWhere(view, ({ type }) => type === "reasoning"),
  "duplicate-tool": view => {
    const { tools = [] } = view.conversation;
    const names = new Set<string>();
    const place = tools.findIndex(({ name }) => names.size === names.add(name).size);
    return place === -1 ? undefined : ["tools", place, "name"];
  },
  /** A block of a type that its message cannot have. */
  block: (view, { block = "", rest = "" }) => {
    if (/image|audio|video|file|document/.test(block)) return fileOf(view, block);
    const isAnswer = /output_text|refusal/.test(rest);
    return messageWhere(view, ({ role }) => (role === "assistant") === isAnswer);
  },
  file: (view, { medium = "", type = "" }) => fileOf(view, medium || type),
  image: view => fileOf(view, "image"),
  /** In a message of the role that the text names. */
  "file-of-role": (view, { role = "" }) =>
    parts(view).find(placed => placed.part.type === "file" && isRoleOf(view, placed, role))?.path ??
    [...filesOf(view)].find(({ place }) => place !== "user")?.path,
  "misnamed-file": view => {
    const isOdd = (file: FilePart): boolean => /[^\p{L}\p{N}\s()[\]-]|\s{2}/u.test(file.name ?? "");
    const files = [...filesOf(view)];
    return (files.find(({ file }) => isOdd(file)) ?? files.find(({ file }) => mediumOf(file) === "document"))?.path;
  },
  /** The call of a tool, by the tool's name. */
  call: (view, { tool }) => partWhere(view, part => part.type === "tool-call" && part.name === tool),
  "nameless-result": view =>
    partWhere(view, part => part.type === "tool-result" && !part.name) ??
    partWhere(view, ({ type }) => type === "tool-result"),
  /** What stands with results and is none. */
  "beside-results": view => {
    const turn = view.turns.find(({ side, parts: [...own] }, place) => {
      const around = [...own, ...(view.turns[place - 1]?.side === side ? (view.turns[place - 1]?.parts ?? []) : [])];
      const isResult = ({ part }: Placed): boolean => part.type === "tool-result";
      return side === "user" && around.some(isResult) && !own.every(isResult);
    });
    return turn?.parts.find(({ part }) => part.type !== "tool-result")?.path;
  },
  seal: sealOf,
  /** A message without text, of which some want at least an empty one. */
  "no-content": view => {
    const empty = messageWhere(view, message => message.parts.every(isEmptyText));
    if (empty) return empty;
    const isBare = (part: Part): boolean => part.type === "tool-result" && (part.output ?? []).every(isEmptyText);
    return partWhere(view, isBare) ?? messageWhere(view, message => !message.parts.some(isContent));
  },
  "empty-part": view => partWhere(view, isEmptyText) ?? messageWhere(view, message => message.parts.length === 0),
} as const satisfies { readonly [name: string]: Place };

export type PlaceName = keyof typeof named;

export const placeAt = (name: PlaceName, view: View, said: Said): Path | undefined => named[name](view, said);

const lastCall: Place = view => lastWhere(view, ({ type }) => type === "tool-call");
const firstResult: Place = view => partWhere(view, ({ type }) => type === "tool-result");
const roleNamed: Place = (view, { role }) => messageWhere(view, message => message.role === role);

/** Where something of the kind stands that a rule is about. */
const byRule: { readonly [Name in RuleName]?: Place } = {
  "calls-answered": lastCall,
  "results-called": firstResult,
  "first-turn": named["first-message"],
  "last-turn": lastMessage,
  roles: roleNamed,
  "system-place": view => messageWhere(view, ({ role }) => role === "system" || role === "developer"),
  media: named.file,
  "media-source": named.file,
  "message-not-empty": named["no-content"],
  "text-not-empty": named["empty-part"],
  "seals-at-home": sealOf,
  "reasoning-sealed": named.reasoning,
  "reasoning-kept": view =>
    lastWhere(view, ({ type }) => type === "tool-call") ?? messageWhere(view, ({ role }) => role === "assistant"),
  "reasoning-followed": named["reasoning-at-end"],
};

export const placeOfRule = (rule: RuleName, view: View, said: Said): Path | undefined => byRule[rule]?.(view, said);
