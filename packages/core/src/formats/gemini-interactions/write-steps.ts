import { fillAll, hintsOf, present, remainderOf, restored } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Part, PartOf } from "../../model/parts.ts";
import { isResultType, sideOf, signatureOf, writeCall, writeResult } from "./calls.ts";
import { writeContent, writeError } from "./contents.ts";
import { groupOf, joins } from "./steps.ts";
import {
  asObject,
  envelopeMembers,
  family,
  type Located,
  ownNode,
  stepMember,
  stepOf,
  type WriteScope,
} from "./wire.ts";

/** Parts of one step. */
export interface Unit {
  readonly group: ReturnType<typeof groupOf>;
  readonly parts: Located[];
}

/** The steps that neighbouring parts of the model make. */
export function unitsOf(parts: readonly Located[]): Unit[] {
  const units: Unit[] = [];
  for (const located of parts) {
    const group = groupOf(located.part);
    const last = units.at(-1);
    if (last?.group === group && isOfStep(last.parts.at(-1)?.part, located.part)) last.parts.push(located);
    else units.push({ group, parts: [located] });
  }
  return units;
}

/** Whether a part stands in the step of the one before it. A step is over with its signature, or with what it says itself. */
export function isOfStep(before: Part | undefined, part: Part): boolean {
  if (!before || groupOf(before) === "own" || groupOf(before) !== groupOf(part)) return false;
  const { $step: told } = hintsOf(part, family);
  const isEnded = before.type === "error" || Object.hasOwn(hintsOf(before, family), stepMember);
  const isSigned = groupOf(before) === "thought" && before.seal !== undefined;
  if (isEnded || isSigned || told === "new") return false;
  return told === "same" || joins(before, part);
}

/** The step of parts of the model; undefined where it has nothing to say, which is reported. */
export function writeUnit({ group, parts }: Unit, scope: WriteScope): JsonObject | undefined {
  const [first] = parts;
  if (!first) return undefined;
  if (group === "output") return writeOutputStep(parts, scope);
  if (group === "thought") return writeThought(parts, scope);
  return writeOwn(first, scope, true);
}

function writeOutputStep(parts: readonly Located[], scope: WriteScope): JsonObject | undefined {
  const last = parts.at(-1)?.part;
  const step = last ? stepOf(last) : {};
  const { $content: told } = step;
  const [first] = parts;
  const isBare = parts.length === 1 && first?.part.type === "text" && first.part.text === "" && !first.part.citations;
  const isEmpty = isBare && (told === "none" || told === false);
  const content = isEmpty
    ? []
    : parts.flatMap(place => (place.part.type === "error" ? [] : writeContent(place, scope)));
  if (last?.type === "error" && last.seal) scope.lose("seal-place", [...(parts.at(-1)?.path ?? []), "seal"]);
  const error = last?.type === "error" ? writeError(withoutStep(last), "number") : undefined;
  if (content.length === 0 && error === undefined && !isEmpty) return undefined;
  const isMissing = content.length === 0 && (told === false || (error !== undefined && told !== "none"));
  const fields = present({ content: isMissing ? undefined : content, error, type: "model_output" });
  return restored(fields, { native: { [family]: step } }, family);
}

const withoutStep = (part: PartOf<"error">): PartOf<"error"> => ({ ...part, ...ownNode(part) });

function writeThought(parts: readonly Located[], scope: WriteScope): JsonObject | undefined {
  const last = parts.at(-1);
  const step = last ? stepOf(last.part) : {};
  const summary = parts.flatMap(place => writeSummary(place, scope));
  const signature = last && signatureOf(last, scope);
  const isNothing = summary.length === 0 && signature === undefined && scope.recipient === "provider";
  if (isNothing) {
    for (const { path } of parts) scope.lose("hidden-reasoning", path);
    return undefined;
  }
  const isListed = summary.length > 0 || step["$content"] === "none";
  const fields = present({ signature, summary: isListed ? summary : undefined, type: "thought" });
  return restored(fields, { native: { [family]: step } }, family);
}

function writeSummary(place: Located, scope: WriteScope): JsonObject[] {
  const { part, path } = place;
  if (part.type === "reasoning") {
    if ((part.text !== undefined) !== (part.summary === true)) scope.lose("as-summary", path);
    return part.text === undefined ? [] : [restored({ type: "text", text: part.text }, ownNode(part), family)];
  }
  const { seal: _, ...unsealed } = part;
  return writeContent({ part: unsealed as Part, path }, scope); // its seal is the step's
}

/** A part that is a step by itself. */
function writeOwn(place: Located, scope: WriteScope, isModels: boolean): JsonObject | undefined {
  const { part, path } = place;
  switch (part.type) {
    case "tool-call":
      return writeCall({ part, path }, scope);
    case "tool-result":
      return writeResult({ part, path }, scope, isModels);
    case "opaque":
      return part.value as JsonObject; // whatever the wire had in its place
    default:
      scope.lose("misplaced", path, part.type);
      return undefined;
  }
}

// messages

/** Steps, and the messages that they were written from: several where they are joined. */
export interface Group {
  readonly steps: JsonObject[];
  readonly first: number;
  count: number;
}

interface Written {
  readonly role: string;
  readonly step: JsonObject;
}

/** The steps of messages. What is written of neighbours of one side reads as one message. */
export function writeSteps(messages: readonly Message[], scope: WriteScope, pathOf: (index: number) => Path): Group[] {
  const groups: Group[] = [];
  let open: string | undefined;
  let input: { readonly content: JsonObject[]; readonly group: Group } | undefined;
  for (const [index, message] of messages.entries()) {
    const path = pathOf(index);
    if (input && isJoinedInput(message) && input.group.first + input.group.count === index) {
      input.content.push(...inputContents(message, path, scope));
      input.group.count++;
      continue;
    }
    input = undefined;
    const written = writeMessage(message, path, scope);
    const [first] = written;
    if (!first) continue;
    const last = groups.at(-1);
    const steps = written.map(({ step }) => step);
    if (last && open !== undefined && first.role === open && isOpen(first)) {
      const from = last.count === 1 ? last.first : last.first + last.count; // each once
      for (let joined = from; joined <= index; joined++) scope.lose("messages-joined", pathOf(joined));
      last.steps.push(...steps);
      last.count = index - last.first + 1;
    } else groups.push({ steps, first: index, count: 1 });
    const end = written.at(-1);
    open = end && isOpen(end) ? end.role : undefined;
    const { type, content } = asObject(end?.step);
    const group = groups.at(-1);
    if (written.length === 1 && type === "user_input" && Array.isArray(content) && group) {
      input = { content: content as JsonObject[], group }; // the list was just made, for this step alone
    }
  }
  return groups;
}

const isOpen = ({ role, step }: Written): boolean =>
  (role === "assistant" || role === "tool") && asObject(step)["type"] !== "user_input";

const isJoinedInput = (message: Message): boolean =>
  hintsOf(message, family)["$join"] === true && (message.role === "user" || message.role === "tool");

function writeMessage(message: Message, path: Path, scope: WriteScope): Written[] {
  const { role } = message;
  if (role === "control") {
    scope.lose("control", path);
    return [];
  }
  reportEnvelope(message, path, scope);
  const written = role === "assistant" ? ofModel(message, path, scope) : ofOthers(message, path, scope);
  const isOfSteps = role === "assistant" || role === "tool";
  const side = isOfSteps ? role : "user";
  const isSplit = written.some(each => each.role !== side) || (!isOfSteps && written.length > 1);
  if (written.length === 0) scope.lose("empty-message", path);
  else if (isSplit) scope.lose("split", path);
  return written;
}

/** Members of an answer that a history has no place for. */
function reportEnvelope(message: Message, path: Path, scope: WriteScope): void {
  const hints = hintsOf(message, family);
  const isTold = envelopeMembers.some(member => isJsonObject(hints[member]) && Object.keys(hints[member]).length > 0);
  if (isTold && scope.form !== "answer") scope.lose("envelope", [...path, "native", family]);
}

const locate = (parts: readonly Part[], path: Path): Located[] =>
  parts.map((part, index) => ({ part, path: [...path, "parts", index] }));

function ofModel(message: Message, path: Path, scope: WriteScope): Written[] {
  return unitsOf(locate(message.parts, path)).flatMap(unit => {
    const step = writeUnit(unit, scope);
    return step !== undefined ? [{ role: roleOf(step), step }] : [];
  });
}

/** The side that a step is read on. */
export function roleOf(step: Json): string {
  const { type } = asObject(step);
  if (type === "user_input") return "user";
  return typeof type === "string" && isResultType(type) ? sideOf(type) : "assistant";
}

/** What a user or a tool says. */
function ofOthers(message: Message, path: Path, scope: WriteScope): Written[] {
  const { role, parts } = message;
  if (role !== "user" && role !== "tool") scope.lose("role", [...path, "role"], role);
  const { $in: told, $content: form } = hintsOf(message, family);
  if (role === "tool" && told !== "user_input") {
    return locate(parts, path).flatMap(place => ofTool(place, scope));
  }
  const contents: JsonObject[] = [];
  const written: Written[] = [];
  for (const place of locate(parts, path)) {
    const isInput = groupOf(place.part) === "output" || place.part.type === "opaque" || role === "tool";
    if (isInput || place.part.type === "file") contents.push(...inputContent(place, scope, told === "user_input"));
    else written.push(...ofModel({ ...message, role: "assistant", parts: [place.part] }, path, located(place, scope)));
  }
  const isMissing = form === false && contents.length === 0;
  const fields = present({ content: isMissing ? undefined : contents, type: "user_input" });
  const wire = fillAll(fields, remainderOf(message, family, envelopeMembers));
  if (contents.length === 0 && parts.length > 0) return written;
  return [{ role: role === "tool" ? "tool" : "user", step: wire }, ...written];
}

/** Losses at the place itself. */
const located = ({ path }: Located, scope: WriteScope): WriteScope => ({
  ...scope,
  lose: (code, [, , , , ...rest], detail) => scope.lose(code, [...path, ...rest], detail),
});

const inputContents = (message: Message, path: Path, scope: WriteScope): JsonObject[] =>
  locate(message.parts, path).flatMap(place => inputContent(place, scope, message.role === "tool"));

function inputContent(place: Located, scope: WriteScope, hasResults: boolean): JsonObject[] {
  const { part, path } = place;
  if (part.type === "tool-result" && hasResults) {
    const step = writeResult({ part, path }, scope, false);
    return step !== undefined ? [step] : [];
  }
  if (part.type === "error") {
    scope.lose("misplaced", path, part.type);
    return [];
  }
  if (part.type === "file" && part.reasoning) scope.lose("file-member", [...path, "reasoning"]);
  return writeContent(place, scope);
}

function ofTool(place: Located, scope: WriteScope): Written[] {
  const { part, path } = place;
  if (part.type === "tool-result") {
    const step = writeResult({ part, path }, scope, false);
    return step !== undefined ? [{ role: roleOf(step), step }] : [];
  }
  if (groupOf(part) === "output" && part.type !== "error") {
    const content = writeContent(place, scope);
    return content.length > 0 ? [{ role: "user", step: { content, type: "user_input" } }] : [];
  }
  const [unit] = unitsOf([place]);
  const step = unit && writeUnit(unit, scope);
  return step !== undefined ? [{ role: roleOf(step), step }] : [];
}

/** The steps alone. */
export const stepsOf = (groups: readonly Group[]): JsonObject[] => groups.flatMap(({ steps }) => steps);
