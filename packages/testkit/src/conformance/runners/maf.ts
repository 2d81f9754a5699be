import { decode, encode, isError, type Json, type JsonObject, parseJson, readText, writeText } from "translogue";
import {
  addUsageDetails,
  dotnetNumber,
  dotnetString,
  type FloatType,
  foldKey,
  hashMaf,
  hasTopLevelMediaType,
  mediaTypeOfUri,
  readDataUri,
  readMaf,
  type StyleName,
  sameKey,
  textOfMaf,
  writeMaf,
} from "translogue/maf";
import { type CaseResult, claims, type Runner } from "../case.ts";
import type { MafRule } from "../rules/maf.ts";
import { isLive, shapeOf, untold } from "./maf-texts.ts";

interface Case {
  readonly name: string;
  readonly type: string;
  readonly [member: string]: Json | undefined;
}
interface About {
  readonly format: string;
  readonly name: string;
}
type Results = AsyncIterable<CaseResult> | Iterable<CaseResult>;

const format = "maf";

/** MAF's JSON as .NET writes and reads it, byte for byte, and the values that .NET derives from it. */
export const mafJson: Runner = {
  name: format,
  reads: file => file.folder === "maf" && file.kind !== undefined && Object.hasOwn(kinds, file.kind),
  async *run(file) {
    const run = kinds[file.kind ?? ""];
    const whole = JSON.parse(file.read()) as { cases: Case[] } & JsonObject; // as the folder's README says
    const tables = wholeFile[file.kind ?? ""];
    if (tables) yield await claims({ format, name: `${file.kind} tables` }, [() => tables(whole)]);
    for (const each of whole.cases) if (run) yield* run({ format, name: `${file.kind} ${each.name}` }, each);
  },
};

const kinds: { readonly [kind: string]: (about: About, each: Case) => Results } = {
  write: writeCase,
  read: readCase,
  text: textCase,
  numbers: (about, each) => one(about, () => numberCase(each)),
  escaping: (about, each) => one(about, () => escapingCase(each)),
  casefold: (about, { a, b, equal }) => one(about, () => unequal(sameKey(String(a), String(b)), equal)),
  mediatypes: (about, { uri, mediaType }) => one(about, () => unequal(mediaTypeOfUri(String(uri)), mediaType)),
  hash: (about, each) => one(about, () => hashCase(each)),
};

async function* one(about: About, claim: () => string | undefined | Promise<string | undefined>) {
  yield await claims(about, [claim]);
}

const unequal = (ours: unknown, theirs: unknown): string | undefined =>
  ours === theirs ? undefined : `${JSON.stringify(ours)} is not ${JSON.stringify(theirs)}`;

const aside = (about: About, rule: MafRule): CaseResult => ({ ...about, outcome: { status: "set-aside", rule } });

// write

/** Text → conversation → text, without a loss. */
function throughConversation(text: string, type: string, style: StyleName): string {
  const kind = shapeOf(type);
  if (!kind) return writeMaf(readMaf(text, { type }), { type, style });
  const { value, exact } = readText(text, "maf");
  const { conversation } = decode(value, { from: "maf", ...kind, exact });
  const written = encode(conversation, { to: "maf", ...kind, recipient: "store", carry: false });
  const [loss] = written.losses;
  if (loss) throw new Error(`${loss.code} at ${loss.path.join(".")}: ${loss.message}`);
  return writeText(written.value, "maf", { ...kind, style, ...(written.exact && { exact: written.exact }) });
}

async function* writeCase(about: About, each: Case): AsyncGenerator<CaseResult> {
  const forms = each["forms"] as { readonly [form: string]: string }; // as the file's `about` says
  const { maf: text } = forms;
  if (text === undefined) {
    yield aside(about, "maf unwritable objects");
    return;
  }
  if (!knows(each.type)) {
    yield aside(about, "maf own types");
    return;
  }
  yield* strictWrite(about, each, text);
  const expected: { readonly [style in StyleName]: string | undefined } = {
    compact: text,
    indented: forms["meai"],
    nulls: forms["nulls"],
    web: each["web"] as string | undefined, // as the file's `about` says
  };
  for (const style of Object.keys(expected) as StyleName[]) {
    const wanted = expected[style];
    if (wanted !== undefined)
      yield await styleOf({ ...about, name: `${about.name} (${style})` }, each, { text, style, wanted });
  }
}

async function styleOf(
  about: About,
  each: Case,
  { text, style, wanted }: { readonly text: string; readonly style: StyleName; readonly wanted: string },
): Promise<CaseResult> {
  // What was replaced when it was written reads as the replacement.
  const again = each["again"] === undefined ? wanted : wanted.replaceAll(style === "web" ? "" : "\\uFFFD", "\uFFFD");
  const read = throughConversation.bind(undefined, text, each.type, style);
  try {
    const written = read();
    const differs = written !== wanted && written !== again;
    if (differs && style !== "compact" && isLive(written, wanted, each.type)) return aside(about, "maf live values");
  } catch {
    // the claim says it
  }
  if (each["again.error"] !== undefined && text.includes('"role":null')) return aside(about, "maf null role");
  return claims(about, [() => (read() === again ? undefined : unequal(read(), wanted))]);
}

const knows = (type: string): boolean => {
  try {
    return writeMaf({ value: null }, { type }) === "null";
  } catch {
    return false;
  }
};

/** As .NET reads its own text again: the same text, what it made of it, or a refusal. */
async function* strictWrite(about: About, each: Case, text: string): AsyncGenerator<CaseResult> {
  const named = { ...about, name: `${about.name} (strict)` };
  const { type } = each;
  const again = () => writeMaf(readMaf(text, { type, strict: true }), { type, strict: true });
  if (typeof each["note"] === "string" && each["note"].includes("AddAIContentType")) {
    yield aside(named, "maf registered kinds");
    return;
  }
  if (each["again.error"] !== undefined) yield await claims(named, [() => refusal(again)]);
  else yield await claims(named, [() => unequal(again(), each["again"] ?? text)]);
}

function refusal(act: () => unknown): string | undefined {
  try {
    return `not refused, but ${JSON.stringify(act())}`;
  } catch (error) {
    return isError(error) || error instanceof SyntaxError ? undefined : String(error);
  }
}

// read

async function* readCase(about: About, each: Case): AsyncGenerator<CaseResult> {
  const { type, in: given, out } = each;
  if (typeof given !== "string") return;
  const strict = () => writeMaf(readMaf(given, { type, strict: true }), { type, strict: true });
  yield await claims(about, [() => (typeof out === "string" ? unequal(strict(), out) : refusal(strict))]);
  const tolerant = { ...about, name: `${about.name} (tolerant)` };
  if (typeof out === "string") {
    // What ours keeps beside, .NET drops when it reads our text.
    yield await claims(tolerant, [() => unequal(dotnet(throughConversation(given, type, "compact"), type), out)]);
    return;
  }
  const other = (each["outOfOrder"] as JsonObject | undefined)?.["out"]; // as the file's `about` says
  if (other !== undefined) {
    yield await claims(tolerant, [() => unequal(throughConversation(given, type, "compact"), other)]);
    return;
  }
  const read = () => throughConversation(given, type, "compact");
  if (refusal(read) === undefined) {
    yield await claims(tolerant, [() => refusal(read)]);
    return;
  }
  yield await claims(tolerant, [() => untold(given, type)]);
  yield aside(tolerant, "maf tolerant reading");
}

const dotnet = (text: string, type: string): string =>
  writeMaf(readMaf(text, { type, strict: true }), { type, strict: true });

// derived values

function textCase(about: About, each: Case): Results {
  const { in: given, a, b, uri } = each;
  if (typeof a === "string" && typeof b === "string") return one(about, () => usageCase(a, b, each));
  if (typeof uri === "string") return one(about, () => dataCase(uri, each));
  if (typeof given !== "string") return [];
  if (each["topLevel"] !== undefined) return one(about, () => topLevels(mediaTypeIn(given), each));
  const value = () => readMaf(given, { type: each.type }).value;
  return one(about, () => unequal(textOfMaf(value()), each["text"]) ?? unequal(textOfMaf(value()), each["toString"]));
}

/** The media type of a content, whether a member says it or its data URI. */
function mediaTypeIn(content: string): string | undefined {
  const { uri, mediaType } = readMaf(content, { type: "AIContent" }).value as JsonObject; // a content is an object
  const data = typeof uri === "string" ? readDataUri(uri) : undefined;
  if (typeof mediaType === "string") return mediaType;
  return typeof data === "object" ? data.mediaType : undefined;
}

function usageCase(a: string, b: string, each: Case): string | undefined {
  const type = "UsageDetails";
  const [first, second] = [readMaf(a, { type }), readMaf(b, { type })];
  for (const [holder, texts] of second.exact.numbers) first.exact.numbers.set(holder, texts);
  const sum = addUsageDetails(first.value as JsonObject, second.value as JsonObject, first.exact); // objects by their type
  return unequal(writeMaf({ value: sum, exact: first.exact }, { type }), each["out"]);
}

const topLevelWords = ["text", "TEXT", "Image", "image", "audio", "application", "", "text/plain"];

function topLevels(mediaType: string | undefined, each: Case): string | undefined {
  const wanted = each["topLevel"] as readonly string[]; // as the file's `about` says
  const wrong = topLevelWords.filter(word => hasTopLevelMediaType(mediaType, word) !== wanted.includes(word));
  return wrong.length === 0 ? undefined : `${JSON.stringify(mediaType)} and ${wrong.join(", ")}`;
}

function dataCase(uri: string, each: Case): string | undefined {
  const { given } = each;
  const read = readDataUri(uri, typeof given === "string" ? given : undefined);
  if (typeof read === "string") return each["error"] === undefined ? read : undefined;
  if (each["error"] !== undefined) return "not refused";
  const bytes = [...atob(read.base64)]
    .map(unit => unit.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0"))
    .join("");
  return (
    unequal(read.uri, each["canonical"]) ??
    unequal(read.mediaType, each["mediaType"]) ??
    unequal(read.base64, each["base64"]) ??
    unequal(bytes, each["bytes"]) ??
    topLevels(read.mediaType, each)
  );
}

function numberCase({ type, bits, text }: Case): string | undefined {
  const data = Uint8Array.from(String(bits).match(/../g) ?? [], byte => Number.parseInt(byte, 16));
  const view = new DataView(data.buffer);
  const values: { readonly [type: string]: () => number } = {
    double: () => view.getFloat64(0),
    float: () => view.getFloat32(0),
    half: () => halfOf(view.getUint16(0)),
  };
  return unequal(dotnetNumber(values[type]?.() ?? 0, type as FloatType), text); // as the file's `about` says
}

function halfOf(bits: number): number {
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (exponent === 0 ? (fraction / 1024) * 2 ** -14 : (1 + fraction / 1024) * 2 ** (exponent - 15));
}

function escapingCase({ cp, units, relaxed, default: plain }: Case): string | undefined {
  const text = Array.isArray(units)
    ? String.fromCharCode(...(units as number[])) // UTF-16 units
    : String.fromCodePoint(Number.parseInt(String(cp).slice(2), 16));
  return unequal(dotnetString(text), `"${relaxed}"`) ?? unequal(dotnetString(text, "default"), `"${plain}"`);
}

async function hashCase({ in: texts, hash, error }: Case): Promise<string | undefined> {
  const parsed = (texts as readonly string[]).map(text => parseJson(text)); // as the file's `about` says
  const exact = { members: new Map(), numbers: new Map() };
  const values = parsed.map(({ value, exact: own }) => {
    for (const [holder, members] of own.members) exact.members.set(holder, members);
    for (const [holder, numbers] of own.numbers) exact.numbers.set(holder, numbers);
    return value;
  });
  const [only] = parsed;
  const all = parsed.length === 1 && only?.exact.root ? { ...exact, root: only.exact.root } : exact;
  try {
    const ours = await hashMaf(values, all);
    return error === undefined ? unequal(ours, hash) : "not refused";
  } catch (refused) {
    return error === undefined || !isError(refused) ? String(refused) : undefined;
  }
}

/** Claims about a whole file: its tables are complete over all of Unicode. */
const wholeFile: { readonly [kind: string]: (file: JsonObject) => string | undefined } = {
  escaping: file =>
    escapedRanges(file, "relaxed", unit => dotnetString(unit)) ??
    escapedRanges(file, "default", unit => dotnetString(unit, "default")),
  casefold: file => {
    const groups = file["groups"] as readonly (readonly number[])[]; // as the file's `about` says
    const first = new Map(groups.flatMap(group => group.map(code => [code, group[0] ?? code] as const)));
    const wrong: number[] = [];
    for (let code = 0; code <= 0x10_ffff; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const known = String.fromCodePoint(first.get(code) ?? code);
      if (foldKey(String.fromCodePoint(code)) !== foldKey(known)) wrong.push(code);
      else if (!first.has(code) && foldKey(known) !== known) wrong.push(code);
    }
    return wrong.length === 0 ? undefined : `${wrong.length} code points, U+${wrong[0]?.toString(16)} the first`;
  },
};

function escapedRanges(file: JsonObject, encoder: string, write: (unit: string) => string): string | undefined {
  const ranges = file[`${encoder}Escaped`] as readonly (readonly [number, number])[]; // as the file's `about` says
  const escaped = new Set(
    ranges.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, index) => from + index)),
  );
  for (let code = 0; code <= 0xffff; code++) {
    const unit = String.fromCharCode(code);
    if ((write(unit) !== `"${unit}"`) !== escaped.has(code)) return `${encoder}: U+${code.toString(16)}`;
  }
  return undefined;
}
