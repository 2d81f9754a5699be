import type { Message } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import { type Child, everyChild } from "../../model/walk.ts";
import { isContinued } from "../stored.ts";
import type { RuleTable } from "../target.ts";
import { isJoined, sideOf, type Turn, type View } from "../turns.ts";
import { keptMember } from "./known-members.ts";
import { eachRead } from "./read.ts";
import type { RuleCheck, RuleReport } from "./rule.ts";
import { isContent, isSaid, saidIn } from "./said.ts";

export const textNotEmpty: RuleCheck<"text-not-empty"> = (view, rule, { asked, report }) => {
  const { blank, beside, sealed, files, system } = rule;
  for (const turn of view.turns) {
    if (system === "apart" && turn.side === "system" && isTextApart(turn, view, asked.target.format)) continue;
    const mayBeBlank = beside === "allowed" || (beside === "assistants" && turn.side === "assistant");
    const hasOthers = mayBeBlank && turn.parts.some(({ part }) => isSaid(part) && !isBlank(part));
    if (rule.results === "texts") emptyInResults(turn, report);
    for (const { part, path } of turn.parts.flatMap(({ part, path }) => saidIn(part, path, files === "texts"))) {
      const text = textOf(part, files);
      if (
        text === undefined ||
        hasWords(text) ||
        (sealed === "allowed" && part.seal !== undefined) ||
        (text !== "" && (!blank || hasOthers))
      )
        continue;
      const found = text === "" ? "is empty" : "is white space alone";
      report([...path, ...(part.type === "file" ? ["source"] : []), "text"], `${found}. Leave the part out.`);
    }
  }
};

/** Empty texts in results of the application's: what the provider's own tools gave goes back as it came. */
function emptyInResults({ parts }: Turn, report: RuleReport): void {
  for (const { part, path } of parts) {
    if (part.type !== "tool-result" || part.kind !== undefined) continue;
    part.output?.forEach((inner, index) => {
      if (isEmptyText(inner)) report([...path, "output", index, "text"], "is empty. Leave the part out.");
      if (isWordless(inner)) report([...path, "output", index, "message"], "is empty. Say what went wrong.");
    });
  }
}

/** Whether a part is a text, and there is nothing in it, not even white space. */
export const isEmptyText = (part: Part): boolean =>
  (part.type === "text" || part.type === "refusal") && part.text === "";

/** Whether a part is an error without a word, which is said as a text. */
export const isWordless = (part: Part): boolean => part.type === "error" && part.message === "";

/** An empty system text as a member of the request, and no list of blocks. */
function isTextApart({ messages, parts }: Turn, { conversation }: View, format: string): boolean {
  const [only] = parts;
  const message = conversation.messages[messages[0] ?? -1];
  const isEmpty = parts.length === 1 && only?.part.type === "text" && only.part.text === "";
  return isEmpty && message !== undefined && keptMember(message, systemText, format) !== undefined;
}

const systemText = { path: ["$content"], value: "string" } as const;

function textOf(part: Part, files: RuleTable["text-not-empty"]["files"]): string | undefined {
  if (part.type === "text" || part.type === "refusal") return part.text;
  return files === "texts" && part.type === "file" && "text" in part.source ? part.source.text : undefined;
}

const isBlank = (part: Part): boolean => (part.type === "text" || part.type === "refusal") && !hasWords(part.text);

/** Whether a text is more than white space. */
export const hasWords = (text: string): boolean => /\S/.test(text);

export const messageNotEmpty: RuleCheck<"message-not-empty"> = (
  view,
  { roles, texts, bare = [], changes = [], empty },
  { asked, report },
) => {
  const isTold = (part: Part): boolean =>
    part.type === "change" && changes.some(member => (part[member]?.length ?? 0) > 0);
  const isFull = ({ role, parts }: Message): boolean =>
    parts.some(part => (texts === "count" || bare.includes(role) ? isSaid(part) : isContent(part)) || isTold(part));
  for (const whole of wireMessages(view, asked.target.format)) {
    if (whole.some(({ message }) => isFull(message))) continue;
    for (const { message, index } of whole) {
      const { role } = message;
      if (!roles.includes(role) && !bare.includes(role)) continue;
      if (empty && keptMember(message, empty, asked.target.format) !== undefined) continue;
      // Instead of an answer that is still to come.
      if (texts === undefined && index === view.sent.at(-1) && role === "assistant") continue;
      report(["messages", index, "parts"], "have nothing that a model can read. Leave the message out.", { role });
    }
  }
};

interface Sent {
  readonly message: Message;
  readonly index: number;
}

/** What would be sent, with what was split of one message when it was read in one list. */
function wireMessages({ conversation, sent }: View, format: string): readonly (readonly Sent[])[] {
  const whole: Sent[][] = [];
  for (const index of sent) {
    const message = conversation.messages[index];
    if (!message) continue;
    const last = whole.at(-1);
    const [before] = last ?? [];
    if (last && before && sideOf(before.message) === sideOf(message) && isJoined(message, format))
      last.push({ message, index });
    else whole.push([{ message, index }]);
  }
  return whole;
}

export const historyNotEmpty: RuleCheck<"history-not-empty"> = (view, { system, stored = [] }, { asked, report }) => {
  const named = view.conversation.native?.[asked.target.format];
  if (stored.some(name => (named?.[name] ?? null) !== null)) return;
  const count = system === "counts" ? view.turns.length : view.turns.length - view.front;
  if (count > 0 || isContinued(view.conversation, asked.target)) return;
  report(["messages"], "have nothing to answer. Send a message of the user.");
};

export const wellFormedText: RuleCheck<"well-formed-text"> = (view, _, { report }) => {
  const broken = (path: Path): void =>
    report(
      path,
      "has half a character (a lone surrogate), which JSON in UTF-8 cannot carry. Cut it: `text.toWellFormed()`.",
    );
  eachRead(view, (node, path) => {
    for (const steps of brokenTexts(node)) broken([...path, ...steps]);
  });
};

/** Whether all texts of a part that a provider reads, and of what is in it, are well formed. */
export const isWellFormedPart = (node: Child): boolean =>
  brokenTexts(node).length === 0 && everyChild(node, isWellFormedPart);

const none: readonly string[] = [];

/** Members that are said as they are: of a call and its result ids and names are no texts. */
const saidMembers: { readonly [type in Part["type"]]?: readonly string[] } = {
  text: ["text"],
  refusal: ["text"],
  reasoning: ["text"],
  file: ["text", "name"],
  "tool-call": ["inputText", "input"],
  data: ["data"],
  error: ["message"],
  source: ["title", "url", "name"],
};
const citationMembers = ["quote", "title", "url", "name"];
const sourceMembers = ["text", "url"];

/** The ways to the texts of a node itself that are not well formed. */
function brokenTexts(node: Child): readonly Path[] {
  const own: Path[] = [];
  const names = "type" in node ? (saidMembers[node.type] ?? none) : citationMembers;
  for (const name of names) if (!isWellFormedIn(node, name)) own.push([name]);
  if (!("type" in node) || node.type !== "file") return own;
  for (const name of sourceMembers) if (!isWellFormedIn(node.source, name)) own.push(["source", name]);
  return own;
}

/** Whether a member is well formed, or not there. */
const isWellFormedIn = (node: object, name: string): boolean =>
  !Object.hasOwn(node, name) || isWellFormed((node as { readonly [name: string]: Json })[name] ?? null); // JSON, as all of it

function isWellFormed(value: Json): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (Array.isArray(value)) return value.every(isWellFormed);
  if (!isJsonObject(value)) return true;
  for (const name in value) if (!name.isWellFormed() || !isWellFormed(value[name] ?? null)) return false;
  return true;
}
