import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import type { RuleTable } from "../target.ts";
import { isContinued } from "./pairs.ts";
import type { RuleCheck } from "./rule.ts";
import { isSaid } from "./said.ts";

export const textNotEmpty: RuleCheck<"text-not-empty"> = (view, { blank, beside, sealed }, { report }) => {
  for (const turn of view.turns) {
    const hasOthers = beside === "allowed" && turn.parts.some(({ part }) => isSaid(part) && !isBlank(part));
    for (const { part, path } of turn.parts) {
      if (
        (part.type !== "text" && part.type !== "refusal") ||
        hasWords(part.text) ||
        (sealed === "allowed" && part.seal !== undefined) ||
        (part.text !== "" && (!blank || hasOthers))
      )
        continue;
      const found = part.text === "" ? "is empty" : "is white space alone";
      report([...path, "text"], `${found}. Leave the part out.`);
    }
  }
};

const isBlank = (part: Part): boolean => (part.type === "text" || part.type === "refusal") && !hasWords(part.text);

/** Whether a text is more than white space. */
export const hasWords = (text: string): boolean => /\S/.test(text);

export const messageNotEmpty: RuleCheck<"message-not-empty"> = (view, { roles, texts }, { report }) => {
  view.sent.forEach((index, place) => {
    const message = view.conversation.messages[index];
    if (!message || !roles.includes(message.role) || message.parts.some(part => isContent(part, texts))) return;
    // Instead of an answer that is still to come.
    if (texts === undefined && place === view.sent.length - 1 && message.role === "assistant") return;
    report(["messages", index, "parts"], "have nothing that a model can read. Leave the message out.", {
      role: message.role,
    });
  });
};

/** A seal alone is something that its maker reads. */
const isContent = (part: Part, texts: RuleTable["message-not-empty"]["texts"]): boolean =>
  isSaid(part) &&
  (texts === "count" ||
    !((part.type === "text" || part.type === "refusal") && part.text === "" && part.seal === undefined));

export const historyNotEmpty: RuleCheck<"history-not-empty"> = (view, { system }, { asked, report }) => {
  const count = system === "counts" ? view.turns.length : view.turns.length - view.front;
  if (count > 0 || isContinued(view, asked.target.continues, asked.target.format)) return;
  report(["messages"], "have nothing to answer. Send a message of the user.");
};

export const wellFormedText: RuleCheck<"well-formed-text"> = (view, _, { report }) => {
  const broken = (path: Path): void =>
    report(
      path,
      "has half a character (a lone surrogate), which JSON in UTF-8 cannot carry. Cut it: `text.toWellFormed()`.",
    );
  for (const { parts } of view.turns) {
    for (const { part, path } of parts) if (!isWellFormedPart(part)) brokenTexts(part, path, broken);
  }
};

/** Whether all texts of a part that a provider reads are well formed. */
export function isWellFormedPart(part: Part): boolean {
  switch (part.type) {
    case "tool-call":
      return (part.inputText?.isWellFormed() ?? true) && (part.input === undefined || isWellFormed(part.input));
    case "tool-result":
      return part.output?.every(isWellFormedPart) ?? true;
    case "data":
      return isWellFormed(part.data);
    case "file":
      return !("text" in part.source) || part.source.text.isWellFormed();
    default:
      return !("text" in part) || typeof part.text !== "string" || part.text.isWellFormed();
  }
}

/** Paths of the texts of a part that a provider reads and that are not well formed. */
function brokenTexts(part: Part, path: Path, broken: (path: Path) => void): void {
  if ("text" in part && typeof part.text === "string" && !part.text.isWellFormed()) broken([...path, "text"]);
  switch (part.type) {
    case "tool-call":
      if (part.inputText?.isWellFormed() === false) broken([...path, "inputText"]);
      if (part.input !== undefined && !isWellFormed(part.input)) broken([...path, "input"]);
      return;
    case "tool-result":
      part.output?.forEach((inner, index) => {
        brokenTexts(inner, [...path, "output", index], broken);
      });
      return;
    case "data":
      if (!isWellFormed(part.data)) broken([...path, "data"]);
      return;
    case "file":
      if ("text" in part.source && !part.source.text.isWellFormed()) broken([...path, "source", "text"]);
      return;
    default:
  }
}

function isWellFormed(value: Json): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (Array.isArray(value)) return value.every(isWellFormed);
  if (!isJsonObject(value)) return true;
  for (const name in value) if (!name.isWellFormed() || !isWellFormed(value[name] ?? null)) return false;
  return true;
}
