import { isTextType, textOfData } from "../../blocks/data-urls.ts";
import { expand, refineInside } from "../../codec/provenance.ts";
import type { Path } from "../../model/issue.ts";
import type { FilePart, Part, PartOf } from "../../model/parts.ts";
import { checks } from "../rules/index.ts";
import { isUrlOfData, meantType, mediaTypeOf, mediumOf, missingName } from "../rules/media.ts";
import type { Medium, RuleName } from "../target.ts";
import { viewOfSent } from "../turns.ts";
import { type Draft, type DraftMessage, type Item, madeMessage, placeIn } from "./draft.ts";
import { isResult, turnsOf } from "./draft-turns.ts";
import { faultsOf, innerPlaces } from "./faults.ts";
import type { RepairName } from "./names.ts";
import { fixedTexts } from "./policies.ts";

/** Said in place of a file, always in the same words. */
const omitted: { readonly [medium in Medium]: string } = {
  image: "(image omitted: the model does not take it)",
  audio: "(audio omitted: the model does not take it)",
  video: "(video omitted: the model does not take it)",
  document: "(document omitted: the model does not take it)",
  text: "(text file omitted: the model does not take it)",
};
const below = "(shown by the user below)";

/** What a result cannot hold: files are shown by the user behind all results of the turn, the rest becomes text. */
export function moveMedia(draft: Draft): void {
  sayFiles(draft);
  const inner = innerPlaces(
    [...faultsOf(draft, "failed-results"), ...faultsOf(draft, "media"), ...faultsOf(draft, "result-media-source")],
    "output",
  );
  if (inner.size === 0) return;
  const takes = new Map<FilePart, boolean>();
  const isMoved = (part: FilePart): boolean => {
    if (draft.policies.media !== "move") return false;
    const known = takes.get(part) ?? isTakenOfUser(part, draft);
    takes.set(part, known);
    return known;
  };
  const behind = new Map<DraftMessage, Item[]>();
  const tools = toolNames(draft);
  for (const { messages } of turnsOf(draft)) {
    const shown: Item[] = [];
    for (const message of messages) {
      message.items = message.items.map(item => {
        const places = inner.get(item);
        if (!places || item.part.type !== "tool-result") return item;
        return withoutInner({ ...item, part: item.part }, { places, isMoved, shown, tools, draft });
      });
    }
    const last = messages.findLast(({ items }) => items.some(isResult));
    if (last && shown.length > 0) behind.set(last, shown);
  }
  draft.messages = draft.messages.flatMap(message => {
    const shown = behind.get(message);
    return shown ? [message, madeMessage({ role: "user", synthetic: "tool-media" }, shown, message.path)] : [message];
  });
}

/** Data that is a URL which holds it is cut down to that; a picture is said to be what it is. */
function sayFiles(draft: Draft): void {
  if (faultsOf(draft, "media-data").length > 0)
    draft.mapItems(item => sayFile(item.part, [], { item, draft, say: cutUrl }));
  if (faultsOf(draft, "media-types").length > 0)
    draft.mapItems(item => sayFile(item.part, [], { item, draft, say: sayType }));
  if (faultsOf(draft, "documents-named").length > 0)
    draft.mapItems(item => sayFile(item.part, [], { item, draft, say: nameFile }));
}

interface Saying {
  readonly item: Item;
  readonly draft: Draft;
  readonly say: (file: FilePart, path: Path, of: Saying) => FilePart;
}

function cutUrl(file: FilePart, path: Path, { item, draft }: Saying): FilePart {
  if (!isUrlOfData(file) || !("data" in file.source)) return file;
  draft.changed(
    "replace-media",
    placeIn(item, [...path, "source", "data"]),
    "a `data:` URL is cut down to the data in it",
  );
  return { ...file, source: { data: file.source.data.replace(/^data:[^,]*,?/, "") } };
}

function sayType(file: FilePart, path: Path, { item, draft }: Saying): FilePart {
  const mediaType = meantType(file);
  if (mediaType === undefined) return file;
  draft.changed("replace-media", placeIn(item, [...path, "mediaType"]), `the picture is said to be \`${mediaType}\``);
  return { ...file, mediaType };
}

function nameFile(file: FilePart, path: Path, { item, draft }: Saying): FilePart {
  const rule = draft.rules["documents-named"];
  const name = rule && missingName(file, rule);
  if (name === undefined) return file;
  draft.changed("replace-media", placeIn(item, path), `the document is named \`${name}\``);
  return { ...file, name };
}

/** What is for people is sent nowhere, and stays. */
function sayFile(part: Part, path: Path, of: Saying): Part {
  if (part.type === "file") return of.say(part, path, of);
  if (part.type !== "tool-result" && part.type !== "compaction") return part;
  return refineInside(part, path, {
    part: (inner, at, member) => (member === "display" ? inner : sayFile(inner, at, of)),
    citation: citation => citation,
    tool: tool => tool,
  });
}

function toolNames(draft: Draft): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { items } of draft.messages) {
    for (const { part } of items) if (part.type === "tool-call") names.set(part.callId, part.name);
  }
  return names;
}

interface Moving {
  readonly places: ReadonlySet<number>;
  readonly isMoved: (file: FilePart) => boolean;
  readonly shown: Item[];
  readonly tools: ReadonlyMap<string, string>;
  readonly draft: Draft;
}

function withoutInner(
  item: Item & { readonly part: PartOf<"tool-result"> },
  { places, isMoved, shown, tools, draft }: Moving,
): Item {
  const { part, path } = item;
  const name = part.name ?? tools.get(part.callId) ?? part.callId;
  const files: Item[] = [];
  const output = expand(part.output ?? [], (each, place): readonly Part[] => {
    if (!places.has(place)) return [each];
    const at = placeIn(item, ["output", place]);
    if (each.type !== "file") return replaced(each, { draft, path: at, repair: "move-media" });
    if (!isMoved(each)) return replaced(each, { draft, path: at, repair: "replace-media" });
    draft.changed("move-media", at, `the ${mediumOf(each)} of a result is shown by the user behind the results`);
    files.push({ part: each, path: at });
    return [];
  });
  if (files.length > 0)
    shown.push({ part: { type: "text", text: `From the result of tool \`${name}\`:` }, path }, ...files);
  const left: readonly Part[] = output.length > 0 ? output : [{ type: "text", text: below }];
  return { part: { ...part, output: left }, path };
}

/** Whether the user may show the file. */
function isTakenOfUser(file: FilePart, { target, rules, model }: Draft): boolean {
  const view = viewOfSent({ messages: [{ role: "user", parts: [file] }] }, target, [0]);
  const isFine = <Name extends RuleName>(name: Name): boolean => {
    const row = rules[name];
    let found = false;
    const report = (): void => {
      found = true;
    };
    if (row) checks[name](view, row, { asked: { target, model }, report });
    return !found;
  };
  return isFine("media") && isFine("media-source");
}

/** Files that the target does not take where they stand: their words where they have some, else a fixed text. */
export function replaceMedia(draft: Draft): void {
  const faulty = new Map<Item, Set<number>>();
  for (const { item, inner } of [
    ...faultsOf(draft, "media"),
    ...faultsOf(draft, "media-source"),
    ...faultsOf(draft, "assistant-media-source"),
  ]) {
    const [member, place] = inner;
    const isIn = item?.part.type === "compaction" && member === "summary" && typeof place === "number";
    if (!item || (item.part.type !== "file" && !isIn)) continue;
    const places = faulty.get(item) ?? new Set();
    faulty.set(item, places);
    if (isIn) places.add(place);
  }
  for (const message of draft.messages) {
    if (!message.items.some(item => faulty.has(item))) continue;
    message.items = message.items.flatMap(item => {
      const places = faulty.get(item);
      return places ? inWords(item, places, draft).map(part => ({ part, path: item.path })) : [item];
    });
  }
  introduceDocuments(draft);
}

/** A file, or those of a summary at these places, in words. */
function inWords(item: Item, places: ReadonlySet<number>, draft: Draft): readonly Part[] {
  const { part, path } = item;
  if (part.type !== "compaction") return replaced(part, { draft, path, repair: "replace-media" });
  const summary = expand(part.summary ?? [], (each, place) =>
    places.has(place)
      ? replaced(each, { draft, path: placeIn(item, ["summary", place]), repair: "replace-media" })
      : [each],
  );
  return [{ ...part, summary }];
}

/** A message of documents alone says so. */
function introduceDocuments(draft: Draft): void {
  for (const { message, item } of faultsOf(draft, "documents-introduced")) {
    if (!item) continue;
    const words: Item = { part: { type: "text", text: fixedTexts.document }, path: item.path };
    message.items = message.items.flatMap(each => (each === item ? [words, each] : [each]));
    draft.changed("replace-media", item.path, "a text is put before the document, which does not stand alone");
  }
}

function replaced(
  part: Part,
  { draft, path, repair }: { readonly draft: Draft; readonly path: Item["path"]; readonly repair: RepairName },
): readonly Part[] {
  const text = textOf(part);
  draft.changed(
    repair,
    path,
    `the ${part.type} is ${text === undefined ? "left out" : "told in words"}: the model does not take it there`,
  );
  return text === undefined ? [] : [{ type: "text", text }];
}

/** The words of a part, fixed ones for a file that has none. */
function textOf(part: Part): string | undefined {
  if (part.type === "file") {
    const words = part.text ?? wordsIn(part);
    return /\S/.test(words) ? words : omitted[mediumOf(part)];
  }
  if (part.type === "data") return JSON.stringify(part.data);
  if (part.type === "error") return part.message;
  const words = "text" in part && typeof part.text === "string" ? part.text : "";
  return words === "" ? undefined : words;
}

/** What a file says that is a text, given as one or by its bytes. */
function wordsIn(file: FilePart): string {
  const { source } = file;
  if ("text" in source) return source.text;
  return "data" in source && isTextType(mediaTypeOf(file) ?? "") ? (textOfData(source.data) ?? "") : "";
}
