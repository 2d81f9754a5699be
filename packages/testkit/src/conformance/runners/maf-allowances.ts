import { equalJson, isJsonObject, type Json, type JsonObject, type Path } from "translogue";
import { readDataUri } from "translogue/maf";
import { type Allowance, type KeepOptions, keeps } from "../../keeps.ts";
import type { MafRule } from "../rules/maf.ts";
import { type Fitted, isFitted } from "./fitted-schemas.ts";

/** Where Microsoft's adapters and ours differ on purpose. Each answers for one kind of difference, by what stands there. */

/**
 * Where items of theirs stand in ours: at the next one that keeps them whole, else at the first free one of their kind
 * between its neighbours. Contents may stand in another order: Chat has none for reasoning and text.
 */
export function places(path: Path, theirs: readonly unknown[], ours: readonly unknown[]): readonly number[] {
  const isOrdered = path.at(-1) !== "contents";
  const found: number[] = [];
  const taken = new Set<number>();
  const find = (from: number, to: number, is: (own: unknown) => boolean): number => {
    const place = ours.findIndex((own, index) => index >= from && index < to && !taken.has(index) && is(own));
    if (place >= 0) taken.add(place);
    return place;
  };
  for (const item of theirs) {
    const from = isOrdered ? Math.max(-1, ...found) + 1 : 0;
    found.push(find(from, ours.length, own => keeps(item, own, { places }).missing.length === 0));
  }
  return found.map((place, index) => {
    if (place >= 0) return place;
    const before = isOrdered ? Math.max(-1, ...found.slice(0, index)) + 1 : 0;
    const next = isOrdered ? found.slice(index).find(later => later >= 0) : undefined;
    return find(before, next ?? ours.length, own => kindOf(own) === kindOf(theirs[index]));
  });
}

function kindOf(item: unknown): string {
  if (!isJsonObject(item)) return typeof item;
  const keys = ["$type", "type", "role", "callId", "tool_call_id", "call_id"];
  const own = item["role"] === undefined ? [...keys, "name"] : keys; // names of messages are compared as names
  return JSON.stringify(own.map(key => item[key] ?? null));
}

/** What is compared, and what the wire told that theirs was made of. */
export interface Compared {
  readonly theirs: unknown;
  readonly ours: unknown;
  /** A stream or answer of more than one choice. */
  readonly hasChoices?: boolean;
  /** A stream that tells usage more than once. */
  readonly hasUsages?: boolean;
  /** Functions that threw, in the live objects alone. */
  readonly hasExceptions?: boolean;
  /** The options of a call. */
  readonly options?: JsonObject;
  /** What became of the schemas of a request. */
  readonly fitted?: Fitted;
}

interface Place {
  readonly path: Path;
  /** The last member of the path, and the path with `*` for its numbers. */
  readonly key: string | number | undefined;
  readonly at: string;
  readonly theirs: unknown;
  readonly ours: unknown;
  readonly all: Compared;
}
type Checks = { readonly [rule in MafRule]?: (place: Place) => boolean };

const options = (checks: Checks, all: Compared): KeepOptions => ({
  places,
  allowances: Object.entries(checks).map(
    ([rule, check]): Allowance =>
      (path, theirs, ours) => {
        const at = path.map(step => (typeof step === "number" ? "*" : step)).join(".");
        return check({ path, key: path.at(-1), at, theirs, ours, all }) ? rule : undefined;
      },
  ),
});

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === "" ||
  (Array.isArray(value) && value.length === 0) ||
  (isJsonObject(value) && Object.values(value).every(isEmpty));

const member = (value: unknown, key: string): unknown => (isJsonObject(value) ? value[key] : undefined);

function parsedText(value: unknown): Json | undefined {
  if (typeof value !== "string") return undefined;
  try {
    return JSON.parse(value) as Json; // JSON.parse gives JSON
  } catch {
    return undefined;
  }
}

// answers

export const answerOptions = (all: Compared): KeepOptions => options(answerChecks, all);

const answerChecks: Checks = {
  "maf message ids": ({ key, ours }) => key === "messageId" && (ours === undefined || String(ours).startsWith("~")),
  "maf conversation ids": ({ key, theirs, all }) =>
    key === "conversationId" && theirs === member(all.ours, "responseId"),
  "maf service state": ({ at, ours }) => (at === "conversationId" || at === "continuationToken") && ours === undefined,
  "maf service members": ({ at, ours }) => /^additionalProperties(\.|$)/.test(at) && ours === undefined,
  "maf made dates": ({ key, theirs }) => key === "createdAt" && String(theirs).startsWith("0001-01-01"),
  "maf dates of chunks": ({ key, theirs, ours }) =>
    key === "createdAt" && typeof ours === "string" && Date.parse(ours) > Date.parse(String(theirs)),
  "maf made finish": ({ at, theirs, ours }) => at === "finishReason" && theirs === "stop" && ours !== theirs,
  "maf made role": ({ at, theirs, ours }) =>
    at === "messages.*" && member(theirs, "role") === "system" && ours === undefined,
  "maf empty values": ({ at, theirs, ours }) =>
    ours === undefined && (isEmpty(theirs) || (at === "usage.additionalCounts" && isEmpty(zerosOut(theirs)))),
  "maf audio counts": ({ key, theirs, all }) =>
    theirs === member(member(all.ours, "usage"), audioCounts[String(key)] ?? ""),
  "maf summed usage": ({ at, theirs, ours, all }) =>
    all.hasUsages === true && /^usage\.\w+TokenCount$/.test(at) && typeof ours === "number" && ours < Number(theirs),
  "maf reasoning beside": ({ at, theirs, ours, all }) =>
    at === "usage.outputTokenCount" &&
    ours === Number(theirs) + Number(member(member(all.ours, "usage"), "reasoningTokenCount")),
  "maf guessed types": ({ key, theirs, ours }) =>
    (key === "mediaType" && (familyOf(theirs) === familyOf(ours) || ours === "text/html")) ||
    (key === "uri" && familyOf(theirs) === familyOf(ours) && dataOf(theirs) === dataOf(ours)),
  "maf finish words": ({ at, theirs, ours }) => at === "finishReason" && finishWords[String(theirs)] === ours,
  "maf service counts": ({ at, ours }) => /^usage\.additionalCounts\.Web\w+Requests$/.test(at) && ours === undefined,
  "maf error codes": ({ key, theirs, ours }) =>
    typeof ours === "string" &&
    ((key === "errorCode" && ours.replaceAll("_", "") === String(theirs).toLowerCase()) ||
      (key === "message" && theirs === "" && /^[a-z_]+$/.test(ours))),
  "maf editor tools": ({ at, theirs, ours, all }) =>
    (/\.inputs\.\*$/.test(at) && holdsText(all.ours, decodedUri(member(theirs, "uri")))) ||
    (/\.outputs\.\*\.text$/.test(at) && /^File \w+$/.test(String(theirs)) && /is_file_update/.test(String(ours))),
  "maf web fetches": ({ theirs, ours, all }) =>
    ours === undefined &&
    /^webSearchTool(Call|Result)$/.test(String(member(theirs, "$type"))) &&
    contentsOf(all.ours).some(
      content => member(content, "name") === "web_fetch" && member(content, "callId") === member(theirs, "callId"),
    ),
  "maf results without calls": ({ theirs, ours, all }) =>
    ours === undefined &&
    /Result$/.test(String(member(theirs, "$type"))) &&
    !contentsOf(all.theirs).some(
      content => /Call$/.test(String(member(content, "$type"))) && isSameCall(content, theirs),
    ) &&
    contentsOf(all.ours).some(content => member(content, "$type") === "functionResult" && isSameCall(content, theirs)),
  "maf announced inputs": ({ at, ours }) => /\.contents\.\*\.inputs$/.test(at) && ours === undefined,
  "maf empty results": ({ theirs, ours }) =>
    ours === undefined &&
    /ToolResult$/.test(String(member(theirs, "$type"))) &&
    isEmptyOutput(member(theirs, "outputs")),
  "maf empty ranges": ({ key, theirs, ours }) =>
    key === "annotatedRegions" && ours === undefined && JSON.stringify(theirs).includes('"start":0,"end":0'),
  "maf hosted tools": ({ theirs, all }) =>
    member(theirs, "$type") === "toolResult" ||
    (member(theirs, "$type") === "toolCall" && holdsText(all.ours, member(theirs, "callId"))),
  "maf tool errors": ({ key, theirs, ours }) => key === "message" && member(parsedText(theirs), "message") === ours,
  "maf error details": ({ at, ours }) => at === "messages.*.contents.*.details" && ours === undefined,
  "maf more text": ({ key, theirs, ours }) => key === "text" && isWithin(theirs, ours),
  "maf glued choices": ({ key, theirs, ours, all }) =>
    all.hasChoices === true &&
    key === "text" &&
    typeof ours === "string" &&
    ours !== "" &&
    String(theirs).startsWith(ours),
  "maf sides": ({ theirs, ours, all }) =>
    ours === undefined &&
    ["functionResult", "toolApprovalResponse"].includes(String(member(theirs, "$type"))) &&
    contentsOf(all.ours).some(content => keeps(theirs, content).missing.length === 0),
  "maf foreign seals": ({ key, theirs, ours }) =>
    ours === undefined &&
    (key === "reasoningItemId" ||
      (key === "additionalProperties" && isEmpty({ ...Object(theirs), reasoningItemId: "" }))),
  "maf rotated ids": ({ key, ours }) => key === "reasoningItemId" && typeof ours === "string",
  "maf citations of no text": ({ theirs, ours }) =>
    ours === undefined && member(theirs, "text") === "" && member(theirs, "annotations") !== undefined,
  "maf unknown pieces": ({ theirs, ours, at }) =>
    ours === undefined && at.endsWith("outputs.*") && member(theirs, "$type") === "hostedFile",
};

const finishWords: { readonly [theirs: string]: string } = {
  content_filter: "refusal",
  length: "context",
  pause_turn: "pause",
};

const isSameCall = (first: unknown, second: unknown): boolean => member(first, "callId") === member(second, "callId");

/** The text of a base64 data URI. */
const decodedUri = (uri: unknown): string => Buffer.from(dataOf(uri), "base64").toString();

const contentsOf = (answer: unknown): readonly unknown[] => {
  const messages = member(answer, "messages");
  return (Array.isArray(messages) ? messages : []).flatMap(message => member(message, "contents") ?? []);
};

/** Whether a text stands in another, in a few pieces and in order. */
function isWithin(part: unknown, whole: unknown): boolean {
  if (typeof part !== "string" || typeof whole !== "string") return false;
  let at = 0;
  for (let rest = part; rest !== ""; ) {
    let length = rest.length;
    while (length > 0 && whole.indexOf(rest.slice(0, length), at) < 0) length = Math.floor(length / 2);
    while (length < rest.length && whole.indexOf(rest.slice(0, length + 1), at) >= 0) length++;
    if (length < Math.min(rest.length, 3)) return false; // shorter pieces stand in any text
    at = whole.indexOf(rest.slice(0, length), at) + length;
    rest = rest.slice(length);
  }
  return true;
}

const zerosOut = (counts: unknown): unknown =>
  isJsonObject(counts) ? Object.values(counts).filter(count => count !== 0) : counts;

/** `image` of a media type, or of that of a data URI. */
const familyOf = (value: unknown): string => /^(?:data:)?([^/]*)\//.exec(String(value))?.[1] ?? "";
const dataOf = (value: unknown): string => String(value).replace(/^[^,]*,/, "");

/** No outputs, or a picture without data. */
const isEmptyOutput = (outputs: unknown): boolean =>
  !Array.isArray(outputs) || outputs.every(output => /^data:[^,]*,$/.test(String(member(output, "uri"))));

const audioCounts: { readonly [name: string]: string } = {
  "InputTokenDetails.AudioTokenCount": "inputAudioTokenCount",
  "OutputTokenDetails.AudioTokenCount": "outputAudioTokenCount",
};

// requests

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
  "maf schemas": ({ at, key, theirs, ours }) =>
    /\.(schema|parameters)(\.|$)/.test(at) &&
    (/\.required\.\*$/.test(at) ||
      (ours === undefined
        ? strictMembers.includes(String(key))
        : key === "description" || theirs === false || (ours === true && isEmpty(theirs)))),
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
    (at === "messages.*.content.*" && ours === undefined && holdsText(textsOf(all.ours), member(theirs, "text"))),
  "maf container files": ({ theirs, ours, all }) =>
    ours === undefined &&
    member(theirs, "type") === "document" &&
    holdsText(all.ours, `"container_upload","file_id":"${String(member(member(theirs, "source"), "file_id"))}"`),
  "maf glued choices": ({ key, theirs, ours, all }) =>
    all.hasChoices === true &&
    key === "text" &&
    typeof ours === "string" &&
    ours !== "" &&
    String(theirs).startsWith(ours),
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
  "maf foreign seals": ({ theirs, ours }) =>
    ours === undefined && (isReasoning(theirs) || isReasoning(itemAt(member(theirs, "content"), 0))),
  "maf status": ({ key, ours }) => key === "status" && ours === undefined,
  "maf raw reasoning": ({ at, theirs, all }) =>
    at === "input.*.summary.*" && holdsText(all.ours, member(theirs, "text")),
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
const strictMembers = ["additionalProperties", "required", "description", "properties", "type", "parameters", "anyOf"];

const itemAt = (list: unknown, index: unknown): unknown =>
  Array.isArray(list) && typeof index === "number" ? list[index] : undefined;

/** Whether a text, or a piece of JSON, stands anywhere in a value. */
function holdsText(value: unknown, text: unknown): boolean {
  const whole = JSON.stringify(value);
  return typeof text === "string" && (whole.includes(text) || whole.includes(JSON.stringify(text).slice(1, -1)));
}

/** MAF's contents as the JSON text of a tool's result. */
function isContentText(text: unknown): boolean {
  const value = parsedText(text);
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof member(first, "$type") === "string";
}

const isFunction = (tool: unknown): boolean =>
  Array.isArray(tool) ? tool.some(isFunction) : member(tool, "type") === "function";
