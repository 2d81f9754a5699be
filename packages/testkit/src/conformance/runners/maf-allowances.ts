import { isJsonObject, type Json, type JsonObject, type Path } from "translogue";
import { type Allowance, type KeepOptions, keeps } from "../../keeps.ts";
import type { MafRule } from "../rules/maf.ts";
import { pictureOf, stepsInto } from "./aisdk-provider-places.ts";
import type { Fitted } from "./fitted-schemas.ts";

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
  const ids = ["role", "callId", "tool_call_id", "call_id"];
  // What has an id or a role is found by it, and its name is compared.
  const names = ids.every(key => item[key] === undefined) ? ["name"] : [];
  return JSON.stringify(["$type", "type", ...ids, ...names].map(key => item[key] ?? null));
}

/** What is compared, and what the wire told that theirs was made of. */
export interface Compared {
  readonly theirs: unknown;
  readonly ours: unknown;
  /** A stream or answer of more than one choice. */
  readonly hasChoices?: boolean;
  /** A stream that tells usage more than once. */
  readonly hasUsages?: boolean;
  /** What the service sent. */
  readonly wire?: unknown;
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
export type Checks = { readonly [rule in MafRule]?: (place: Place) => boolean };

export const options = (checks: Checks, all: Compared): KeepOptions => ({
  places,
  allowances: Object.entries(checks).map(
    ([rule, check]): Allowance =>
      (path, theirs, ours) => {
        const at = path.map(step => (typeof step === "number" ? "*" : step)).join(".");
        return check({ path, key: path.at(-1), at, theirs, ours, all }) ? rule : undefined;
      },
  ),
});

export const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === "" ||
  (Array.isArray(value) && value.length === 0) ||
  (isJsonObject(value) && Object.values(value).every(isEmpty));

export const member = (value: unknown, key: string): unknown => (isJsonObject(value) ? value[key] : undefined);

export function parsedText(value: unknown): Json | undefined {
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
  "maf message ids": ({ key, theirs, ours, all }) =>
    key === "messageId" &&
    (ours === undefined || String(ours).startsWith("~")) &&
    (isOfWire(theirs, all) || String(theirs).startsWith("<guid-")),
  "maf conversation ids": ({ key, theirs, all }) =>
    key === "conversationId" && theirs === member(all.ours, "responseId"),
  "maf service state": ({ at, theirs, ours, all }) =>
    ours === undefined && (at === "continuationToken" || (at === "conversationId" && isOfWire(theirs, all))),
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
  "maf guessed types": ({ at, key, theirs, ours }) =>
    (key === "mediaType" &&
      (isFamily(ours, theirs) || (/\.outputs\.\*\.mediaType$/.test(at) && ours === "text/html"))) ||
    (key === "uri" &&
      dataOf(theirs) === dataOf(ours) &&
      (isFamily(typeOf(ours), theirs) || typeOf(ours) === pictureOf(dataOf(ours)))),
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
  "maf announced inputs": ({ at, theirs, ours }) =>
    /\.contents\.\*\.inputs$/.test(at) &&
    ours === undefined &&
    parsedText(decodedUri(member(itemAt(theirs, 0), "uri"))) === undefined,
  "maf empty results": ({ theirs, ours, all }) =>
    ours === undefined &&
    /[tT]oolResult$/.test(String(member(theirs, "$type"))) &&
    isEmptyOutput(member(theirs, "outputs")) &&
    !nodesOf(all.wire).some(({ id, results }) => id === member(theirs, "callId") && !isEmpty(results ?? null)),
  "maf empty ranges": ({ key, theirs, ours }) =>
    key === "annotatedRegions" && ours === undefined && JSON.stringify(theirs).includes('"start":0,"end":0'),
  "maf hosted tools": ({ theirs, all }) =>
    /^tool(Call|Result)$/.test(String(member(theirs, "$type"))) &&
    contentsOf(all.ours).some(content => isSameCall(content, theirs) && isSide(content, theirs)),
  "maf tool errors": ({ key, theirs, ours }) => key === "message" && member(parsedText(theirs), "message") === ours,
  "maf error details": ({ at, theirs, ours, all }) =>
    at === "messages.*.contents.*.details" &&
    ours === undefined &&
    nodesOf(all.wire).some(({ param }) => param === theirs),
  "maf more text": ({ key, path, theirs, ours, all }) =>
    key === "text" &&
    isWithin(theirs, ours) &&
    (theirs !== "" || member(stepsInto(all.theirs, path.slice(0, -1)), "$type") === "reasoning"),
  "maf glued choices": isGlued,
  "maf sides": ({ theirs, ours, all }) =>
    ours === undefined &&
    ["functionResult", "toolApprovalResponse"].includes(String(member(theirs, "$type"))) &&
    contentsOf(all.ours).some(content => keeps(theirs, content).missing.length === 0),
  "maf foreign seals": ({ key, theirs, ours }) =>
    ours === undefined &&
    (key === "reasoningItemId" ||
      (key === "additionalProperties" && isEmpty({ ...Object(theirs), reasoningItemId: "" }))),
  "maf rotated ids": ({ key, theirs, ours, all }) =>
    key === "reasoningItemId" && [theirs, ours].every(id => id !== "" && isOfWire(id, all)),
  "maf citations of no text": ({ theirs, ours }) =>
    ours === undefined && member(theirs, "text") === "" && member(theirs, "annotations") !== undefined,
  "maf unknown pieces": ({ theirs, ours, at }) =>
    ours === undefined && at.endsWith("outputs.*") && member(theirs, "$type") === "hostedFile",
};

/** The text of the first of several choices, and that of the others behind it. */
export function isGlued({ key, theirs, ours, all }: Place): boolean {
  const isText = key === "text" && typeof ours === "string" && ours !== "";
  return all.hasChoices === true && isText && String(theirs).startsWith(ours);
}

/** Whether the service itself said this text. */
const isOfWire = (text: unknown, { wire }: Compared): boolean => holdsText(wire, text);

const finishWords: { readonly [theirs: string]: string } = {
  content_filter: "refusal",
  length: "context",
  pause_turn: "pause",
};

/** Every object in a value. */
export function nodesOf(value: unknown): readonly JsonObject[] {
  if (Array.isArray(value)) return value.flatMap(nodesOf);
  return isJsonObject(value) ? [value, ...Object.values(value).flatMap(nodesOf)] : [];
}

/** Whether both are calls, or both are results. */
const isSide = (first: unknown, second: unknown): boolean =>
  /Call$/.test(String(member(first, "$type"))) === /Call$/.test(String(member(second, "$type")));

const isSameCall = (first: unknown, second: unknown): boolean => member(first, "callId") === member(second, "callId");

/** The text of a base64 data URI. */
const decodedUri = (uri: unknown): string => Buffer.from(dataOf(uri), "base64").toString();

const contentsOf = (answer: unknown): readonly unknown[] => {
  const messages = member(answer, "messages");
  return (Array.isArray(messages) ? messages : []).flatMap(message => member(message, "contents") ?? []);
};

/** Whether a text stands in another, in a few pieces and in order. */
export function isWithin(part: unknown, whole: unknown): boolean {
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

/** `image/*`, of which theirs says more. */
const isFamily = (ours: unknown, theirs: unknown): boolean =>
  familyOf(ours) === familyOf(theirs) && /\/\*$/.test(String(ours));

/** `image` of a media type, or of that of a data URI. */
const familyOf = (value: unknown): string => /^(?:data:)?([^/]*)\//.exec(String(value))?.[1] ?? "";
/** The media type of a data URI. */
const typeOf = (uri: unknown): string => /^data:([^;,]*)/.exec(String(uri))?.[1] ?? "";
const dataOf = (value: unknown): string => String(value).replace(/^[^,]*,/, "");

/** No outputs, or a picture without data. */
const isEmptyOutput = (outputs: unknown): boolean =>
  !Array.isArray(outputs) || outputs.every(output => /^data:[^,]*,$/.test(String(member(output, "uri"))));

const audioCounts: { readonly [name: string]: string } = {
  "InputTokenDetails.AudioTokenCount": "inputAudioTokenCount",
  "OutputTokenDetails.AudioTokenCount": "outputAudioTokenCount",
};

export const itemAt = (list: unknown, index: unknown): unknown =>
  Array.isArray(list) && typeof index === "number" ? list[index] : undefined;

/** Whether a text, or a piece of JSON, stands anywhere in a value. */
export function holdsText(value: unknown, text: unknown): boolean {
  const whole = JSON.stringify(value);
  return typeof text === "string" && (whole.includes(text) || whole.includes(JSON.stringify(text).slice(1, -1)));
}
