import { decode, encode, isJsonObject, type Json, readText, type Shape, writeText } from "translogue";
import { readMaf, writeMaf } from "translogue/maf";

/** Two texts of MAF's that are not the same: which differences the rules let pass. */

const format = "maf";

/** The shape and dialect of a declared type, where a conversation can hold its values. */
export function shapeOf(type: string): { readonly shape: Shape; readonly dialect: string } | undefined {
  const list = /^(?:(?:I?List|IEnumerable)<(.+)>|(.+)\[\])$/.exec(type);
  const item = list?.[1] ?? list?.[2] ?? type;
  const dialect = item.startsWith("Agent") ? "agent" : "chat";
  if (item === "AIContent") return { shape: "block", dialect };
  if (item === "ChatMessage") return { shape: list ? "messages" : "message", dialect };
  if (list) return undefined;
  if (item === "ChatResponse" || item === "AgentResponse") return { shape: "answer", dialect };
  return /^(Chat|Agent)ResponseUpdate$/.test(item) ? { shape: "event", dialect } : undefined;
}

// what .NET writes of live objects

/** Whether two texts differ only where .NET held objects in a slot without a type, and only as another option set writes those. */
export function isLive(ours: string, theirs: string, type: string): boolean {
  const [our, their] = [slotsOf(ours, type), slotsOf(theirs, type)];
  const isSame = our.around === their.around && our.values.length === their.values.length;
  return isSame && our.values.every((value, index) => isReadBack(value, their.values[index] ?? null));
}

/** JSON that was an object of .NET's once: it says no nulls, and an enum by its name. */
function isReadBack(ours: Json, theirs: Json): boolean {
  if (Array.isArray(ours) && Array.isArray(theirs))
    return ours.length === theirs.length && ours.every((item: Json, index) => isReadBack(item, theirs[index] ?? null));
  if (isJsonObject(ours) && isJsonObject(theirs)) {
    const isKept = Object.keys(ours).every(
      key => Object.hasOwn(theirs, key) && isReadBack(ours[key] ?? null, theirs[key] ?? null),
    );
    return isKept && Object.keys(theirs).every(key => Object.hasOwn(ours, key) || theirs[key] === null);
  }
  const isEnum = typeof ours === "string" && /^[A-Z]\w*$/.test(ours) && /^#\d+$/.test(String(theirs));
  return ours === theirs || isEnum;
}

/** A JSON text around the values that have no declared type, and those values. */
function slotsOf(text: string, type: string): { readonly around: string; readonly values: readonly Json[] } {
  if (type === "object") return { around: "", values: [withNumberText(text)] };
  const pattern = /"(?:result|arguments|additionalProperties)": ?/g;
  const values: Json[] = [];
  let around = "";
  let from = 0;
  for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
    around += text.slice(from, pattern.lastIndex);
    from = endOfValue(text, pattern.lastIndex);
    values.push(withNumberText(text.slice(pattern.lastIndex, from)));
    pattern.lastIndex = from;
  }
  return { around: around + text.slice(from), values };
}

/** What a JSON text says, its numbers as texts, which have a spelling. */
const withNumberText = (text: string): Json =>
  JSON.parse(
    text.replace(/"(?:\\.|[^"\\])*"|-?\d[\d.eE+-]*/g, token => (token.startsWith('"') ? token : `"#${token}"`)),
  ) as Json; // JSON.parse gives JSON

function endOfValue(text: string, start: number): number {
  let depth = 0;
  let isQuoted = false;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (isQuoted && character === "\\") at++;
    else if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (character === "[" || character === "{") depth++;
    else if (depth === 0 && (character === "," || character === "]" || character === "}")) return at;
    else if (character === "]" || character === "}") depth--;
  }
  return text.length;
}

// what .NET refuses to read

/** What is wrong with a text of the type, in our words. */
function issuesOf(text: string, type: string): readonly string[] {
  const kind = shapeOf(type);
  if (!kind) return readMaf(text, { type }).issues.map(({ code }) => code);
  const { value, exact } = readText(text, format);
  return decode(value, { from: format, ...kind, exact }).issues.map(({ code }) => code);
}

/** What .NET refuses is told as an issue or a loss; every value comes back but those that are told to be none of .NET's. */
export function untold(given: string, type: string): string | undefined {
  const { text: written, isLossy } = tolerantly(given, type);
  const issues = issuesOf(given, type);
  const value = JSON.parse(given) as Json; // JSON.parse gives JSON
  // .NET refuses to write what it read, or lists and depths that JSON has.
  const isOther = isRead(given, type) || depthOf(value) > 60 || Array.isArray(value);
  if (issues.length === 0 && !isLossy && !isOther) return "neither an issue nor a loss";
  const ours = leavesOf(JSON.parse(written) as Json); // JSON.parse gives JSON
  const missing = leavesOf(value).filter(leaf => !ours.includes(leaf));
  const isTold = isLossy || issues.some(code => code === "legacy" || code === "not-dotnet");
  // One value to a word, or the content that stands where a list should.
  return missing.length === 0 || (isTold && missing.length <= Math.max(2, issues.length))
    ? undefined
    : `not kept: ${missing.join(", ")}`;
}

function isRead(given: string, type: string): boolean {
  try {
    readMaf(given, { type, strict: true });
    return true;
  } catch {
    return false;
  }
}

function tolerantly(given: string, type: string): { readonly text: string; readonly isLossy: boolean } {
  const kind = shapeOf(type);
  if (!kind) return { text: writeMaf(readMaf(given, { type }), { type }), isLossy: false };
  const { value, exact } = readText(given, format);
  const { conversation } = decode(value, { from: format, ...kind, exact });
  const written = encode(conversation, { to: format, ...kind, recipient: "store", carry: false });
  const { losses } = written;
  return {
    text: writeText(written.value, format, { ...kind, ...(written.exact && { exact: written.exact }) }),
    isLossy: losses.length > 0,
  };
}

const depthOf = (value: Json): number =>
  typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

const leavesOf = (value: Json): readonly string[] =>
  typeof value === "object" && value !== null
    ? Object.values(value).flatMap(leavesOf)
    : value === null
      ? []
      : [typeof value === "string" ? value.toWellFormed() : String(value)];
