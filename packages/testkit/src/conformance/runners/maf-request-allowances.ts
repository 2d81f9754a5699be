import { equalJson } from "translogue";
import { readDataUri } from "translogue/maf";
import type { KeepOptions } from "../../keeps.ts";
import { isFitted, isReported } from "./fitted-schemas.ts";
import {
  type Checks,
  type Compared,
  holdsText,
  isEmpty,
  isGlued,
  isWithin,
  itemAt,
  member,
  nodesOf,
  options,
  parsedText,
} from "./maf-allowances.ts";

/** Where Microsoft's adapters send something else than ours on purpose. Each answers for one kind of difference. */

export const requestOptions = (all: Compared): KeepOptions => options(requestChecks, all);

const requestChecks: Checks = {
  "maf streaming": ({ at }) => at === "stream" || at === "stream_options",
  "maf json text": ({ theirs, ours }) => {
    const [their, our] = [parsedText(theirs), parsedText(ours)];
    return their !== undefined && equalJson(their, our);
  },
  "maf no arguments": ({ key, theirs, ours }) =>
    key === "arguments" && ((theirs === "null" && typeof ours === "string") || (theirs === null && isEmpty(ours))),
  "maf names": ({ at, theirs, ours }) =>
    /(^|\.)name$/.test(at) && typeof ours === "string" && ours.replace(/\W/g, "").slice(0, 64) === theirs,
  "maf addresses": ({ theirs, ours }) => typeof ours === "string" && URL.parse(ours)?.href === theirs,
  "maf service state": ({ at, theirs }) =>
    (at === "" && theirs === null) || ["background", "conversation", "previous_response_id"].includes(at),
  "maf floats": ({ theirs, ours }) => typeof ours === "number" && Math.fround(ours) === Math.fround(Number(theirs)),
  "maf schemas that are fitted": ({ path, theirs, ours, all }) =>
    all.fitted !== undefined && isFitted({ path, theirs, ours, request: all.theirs }, all.fitted),
  "maf schemas": ({ at, key, theirs, ours, all }) =>
    /\.(schema|parameters|input_schema)(\.|$)/.test(at) &&
    (/\.required\.\*$/.test(at)
      ? ours === undefined && !nodesOf(all.options).some(({ required }) => listOf(required).includes(theirs))
      : key === "description" && typeof theirs === "string"
        ? isSameButWords(theirs, String(ours ?? ""))
        : ours === undefined
          ? strictMembers.includes(String(key))
          : theirs === false || (ours === true && isEmpty(theirs))),
  "maf invisible texts": ({ theirs, ours, all }) =>
    (ours === undefined || ours === " " || isBlank(ours)) && isInvisible(theirs) && !holdsText(all.ours, "\u200b"),
  "maf developers": ({ theirs, ours, all }) =>
    ours === undefined &&
    member(theirs, "role") === "user" &&
    Array.isArray(member(all.ours, "system")) &&
    holdsText(member(all.ours, "system"), member(itemAt(member(theirs, "content"), 0), "text")),
  "maf live exceptions": ({ key, ours, all }) => key === "is_error" && ours === undefined && all.hasExceptions === true,
  "maf efforts": ({ at, theirs, ours, all }) =>
    all.options?.["reasoning"] !== undefined &&
    ((at === "thinking" && ours === undefined && isEffortTold(all)) ||
      (at === "max_tokens" && all.options["maxOutputTokens"] === undefined && isMadeLimit(theirs, ours))),
  "maf defaults": ({ key, theirs, ours, all }) =>
    (key === "tool_choice" && theirs === "auto") ||
    (key === "description" && theirs === "") ||
    (key === "strict" && theirs === null && ours === undefined) ||
    (key === "max_tokens" &&
      theirs === 1024 &&
      typeof ours === "number" &&
      all.options?.["maxOutputTokens"] === undefined),
  "maf hosted tools": ({ at, key, path, theirs, ours, all }) =>
    (ours === undefined && (key === "defer_loading" || (key === "strict" && theirs === false))) ||
    at === "web_search_options" ||
    at === "mcp_servers" ||
    (/^tools(\.|$)/.test(at) && !isFunction(path.length > 1 ? itemAt(member(all.theirs, "tools"), path[1]) : theirs)),
  "maf empty values": ({ theirs, ours }) =>
    ours === undefined &&
    (isEmpty(theirs) ||
      isBlanks(theirs) ||
      (member(theirs, "type") === "text" && isBlank(member(theirs, "text"))) ||
      (member(theirs, "role") !== undefined && isEmpty(member(theirs, "content")))),
  "maf instructions": ({ at, theirs, ours, all }) =>
    at === "system.*" && ours === undefined && holdsText(member(all.ours, "system"), member(theirs, "text")),
  "maf empty ids": ({ key, theirs, ours }) =>
    (ours === undefined && (member(theirs, "tool_call_id") === "" || member(theirs, "call_id") === "")) ||
    (["id", "tool_use_id"].includes(String(key)) && theirs === "" && typeof ours === "string"),
  "maf empty results": ({ at, theirs, ours }) =>
    at === "messages.*.content.*.content.*" && ours === undefined && member(theirs, "text") === "null",
  "maf assistant files": ({ path, theirs, ours, all }) =>
    ours === undefined &&
    member(itemAt(member(all.theirs, "messages"), path[1]), "role") === "assistant" &&
    ["image_url", "input_audio"].includes(String(member(theirs, "type"))),
  "maf tool files": ({ theirs, at }) => at.includes("content") && isContentText(member(theirs, "text") ?? theirs),
  "maf tool errors": ({ key, theirs, ours }) => key === "text" && member(parsedText(theirs), "message") === ours,
  "maf more text": ({ at, key, theirs, ours, all }) =>
    ((key === "text" || key === "refusal" || key === "output") && isWithin(theirs, ours)) ||
    (at === "messages.*.content.*" &&
      ours === undefined &&
      member(theirs, "type") === "text" &&
      !isBlank(member(theirs, "text")) &&
      holdsText(textsOf(all.ours), member(theirs, "text"))),
  "maf container files": ({ theirs, ours, all }) =>
    ours === undefined &&
    member(theirs, "type") === "document" &&
    holdsText(all.ours, `"container_upload","file_id":"${String(member(member(theirs, "source"), "file_id"))}"`),
  "maf glued choices": isGlued,
  "maf made role": ({ theirs, ours, all }) =>
    ours === undefined &&
    member(theirs, "role") === "system" &&
    holdsText(all.ours, member(itemAt(member(theirs, "content"), 0), "text")),
  "maf data uris": ({ theirs, ours }) => {
    const data = typeof ours === "string" ? readDataUri(ours) : undefined;
    return typeof data === "object" && data.uri === theirs;
  },
  "maf foreign calls": ({ theirs, ours }) => ours === undefined && member(theirs, "type") === "mcp_call",
  "maf compaction": ({ theirs, ours, all }) =>
    ours === undefined && member(theirs, "role") === "user" && holdsText(all.ours, '"compaction"'),
  "maf refusals": ({ theirs, all }) =>
    member(theirs, "type") === "refusal" && holdsText(all.ours, member(theirs, "refusal")),
  "maf schema names": ({ key, theirs }) => key === "name" && theirs === "json_schema",
  "maf foreign seals": ({ theirs, ours, all }) =>
    ours === undefined &&
    (isReasoning(theirs) || isReasoning(itemAt(member(theirs, "content"), 0))) &&
    isReported(/^(bare-reasoning|foreign-seal)$/, all),
  "maf status": ({ key, ours }) => key === "status" && ours === undefined,
  "maf raw reasoning": ({ at, theirs, all }) =>
    at === "input.*.summary.*" &&
    member(theirs, "type") === "summary_text" &&
    nodesOf(all.ours).some(({ type, text }) => type === "reasoning_text" && text === member(theirs, "text")),
};

/** The effort that was asked for is ours as well; where none was, there is nothing to tell. */
function isEffortTold({ ours, options }: Compared): boolean {
  const asked = member(options?.["reasoning"], "effort");
  const told = member(member(ours, "output_config"), "effort");
  return typeof asked !== "string" || told === effortWords[asked];
}

const effortWords: { readonly [effort: string]: string } = {
  Low: "low",
  Medium: "medium",
  High: "high",
  ExtraHigh: "xhigh",
};

/** A made limit of theirs is its own default beside a made budget. */
const isMadeLimit = (theirs: unknown, ours: unknown): boolean =>
  typeof ours === "number" && [1024, 2048, 9216, 17408, 33792].includes(Number(theirs));

const isBlank = (text: unknown): boolean => typeof text === "string" && text.trim() === "";
const isBlanks = (blocks: unknown): boolean =>
  Array.isArray(blocks) && blocks.every(block => isBlank(member(block, "text")));

/** The texts of all turns. */
const textsOf = (request: unknown): readonly unknown[] => {
  const messages = member(request, "messages");
  return (Array.isArray(messages) ? messages : []).flatMap(message => {
    const content = member(message, "content");
    return Array.isArray(content) ? content.map(block => member(block, "text")) : [];
  });
};

/** A zero-width space: alone, in a block, or in all blocks of a message. */
function isInvisible(value: unknown): boolean {
  const inner = member(value, "text") ?? member(value, "content") ?? value;
  return Array.isArray(inner) ? inner.length > 0 && inner.every(isInvisible) : inner === "\u200b";
}

const isReasoning = (block: unknown): boolean => ["reasoning", "thinking"].includes(String(member(block, "type")));

/** What the original adds to a schema for strict mode. */
const strictMembers = ["additionalProperties", "required", "properties", "type", "parameters", "anyOf"];

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The same description, with words of each side's own behind it for keywords that strict mode does not take. */
function isSameButWords(theirs: string, ours: string): boolean {
  const [their, our] = [wordsIn(theirs), wordsIn(ours)];
  const isSaidAlike = ([name, value]: readonly [string, string]) => (our.words.get(name) ?? value) === value;
  return their.text === our.text && [...their.words].every(isSaidAlike);
}

/** Keywords of JSON Schema: a line each (of the original's OpenAI adapters), or in braces (of Anthropic's SDK). */
const keyword =
  /^(?:default|Default value|\$schema|format|pattern|const|(?:min|max)(?:imum|Length|Items|Properties)|exclusive(?:Min|Max)imum|multipleOf|uniqueItems)$/;

function wordsIn(description: string): { readonly text: string; readonly words: ReadonlyMap<string, string> } {
  const words = new Map<string, string>();
  const take = (name: string, value: string): boolean => {
    if (!keyword.test(name)) return false;
    words.set(name === "Default value" ? "default" : name, value);
    return true;
  };
  const text = description
    .replace(/(?:^|\n\n)\{([^{}]*)\}$/, (whole, list: string) => {
      const pairs = list.split(/, (?=[$\w]+: )/).map(pair => pair.split(": "));
      return pairs.every(([name = "", ...value]) => take(name, value.join(": "))) ? "" : whole;
    })
    .replaceAll(/(?:^|\n)(Default value|\w+): (.*)/g, (whole, name: string, value: string) =>
      take(name, value) ? "" : whole,
    );
  return { text, words };
}

/** MAF's contents as the JSON text of a tool's result. */
function isContentText(text: unknown): boolean {
  const value = parsedText(text);
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof member(first, "$type") === "string";
}

const isFunction = (tool: unknown): boolean =>
  Array.isArray(tool)
    ? tool.some(isFunction)
    : member(tool, "type") === "function" ||
      (member(tool, "type") === undefined && member(tool, "input_schema") !== undefined);
