import {
  type Conversation,
  check,
  type Detected,
  decode,
  detect,
  type ExactText,
  type FormatRef,
  findFormat,
  type Issue,
  isJsonObject,
  type Json,
  type Loss,
  type Path,
  parseJson,
  readText,
  type Shape,
} from "translogue";
import { canonical } from "../../panel/canonical.ts";
import { type Container, containerOf, type Piece, piecesOf } from "./container.ts";
import { indexJson, type JsonIndex } from "./json-index.ts";
import { isCramped, tidyJson } from "./json-tidy.ts";
import { mostCharacters, Unreadable } from "./problem.ts";
import { readStream, type StreamReading } from "./stream-reading.ts";

export interface Asked {
  /** `format`, `format:dialect` or `canonical`. Default: as detected. */
  readonly ref?: string;
  /** Of several values, which; from 0. */
  readonly value?: number;
  /** Whether JSON is shown with a line a value. Default: where it is long lines. */
  readonly isTidy?: boolean;
}

export type Phase = "reading" | "detecting" | "decoding" | "placing";

/** A format that the text may be in. */
export interface Candidate {
  readonly format: string;
  readonly dialect?: string;
  readonly shape: Shape;
  readonly confidence: number;
  readonly keys: readonly string[];
}

/** A text, and the conversation that is in it. */
export interface Reading {
  /** As it is shown. */
  readonly text: string;
  readonly isTidy: boolean;
  readonly container: Container;
  readonly candidates: readonly Candidate[];
  readonly format: string;
  readonly dialect?: string;
  readonly shape: Shape;
  readonly values: number;
  readonly value: number;
  readonly conversation: Conversation;
  readonly issues: readonly Issue[];
  readonly losses: readonly Loss[];
  /** Of the text; absent where it is a stream, which is known by its events. */
  readonly index?: JsonIndex;
  readonly stream?: StreamReading;
}

type Report = (phase: Phase) => void;

/** Reads a text of any format. Throws `Unreadable` and errors of core that `problemOf` explains. */
export function readAny(given: string, asked: Asked, report: Report): Reading {
  report("reading");
  const text = given.charCodeAt(0) === 0xfeff ? given.slice(1) : given;
  if (text.trim() === "") throw new Unreadable({ code: "empty", message: "" });
  if (text.length > mostCharacters)
    throw new Unreadable({ code: "too-large", message: `${text.length} > ${mostCharacters}` });
  const container = containerOf(text);
  return container === "json" ? readValue(text, asked, report) : readPieces(text, { container, asked, report });
}

/** The text of one value. */
function readValue(given: string, asked: Asked, report: Report, more: Partial<Reading> = {}): Reading {
  const { value: whole, exact } = parse(given, asked.ref);
  const isTidy = asked.isTidy ?? isCramped(given);
  const text = isTidy ? tidyJson(given) : given;
  report("detecting");
  const { value, path, candidates, issues } = held(whole);
  const choice = choose(candidates, asked);
  report("decoding");
  const shown = { text, isTidy, container: "json" as const, candidates, values: 1, value: 0, ...more };
  const index = indexJson(text);
  if (choice.format !== canonical && isEvents(choice.shape) && Array.isArray(value)) {
    const items: readonly Json[] = value;
    const pieces = items.map((item, place): Piece => {
      const id = index.find([...path, place]);
      return { from: index.starts[id] ?? 0, to: index.ends[id] ?? 0, value: item };
    });
    return { ...shown, ...streamOf(pieces, choice) };
  }
  const read = wholeOf(value, choice, exact);
  return { ...shown, ...read, issues: [...issues, ...read.issues], index };
}

interface Held {
  readonly value: Json;
  readonly path: Path;
  readonly candidates: readonly Candidate[];
  readonly issues: readonly Issue[];
}

/** The value itself, or the first of its members that some format knows: logs put a name and a status around a request. */
function held(whole: Json): Held {
  const candidates = candidatesOf(whole);
  if (candidates.length > 0 || !isJsonObject(whole)) return { value: whole, path: [], candidates, issues: [] };
  for (const [name, value] of Object.entries(whole)) {
    if (typeof value !== "object" || value === null) continue;
    const inner = candidatesOf(value).filter(({ format }) => format !== canonical);
    if (inner.length === 0) continue;
    const message = `only \`${name}\` is a conversation: what stands around it is not read`;
    return {
      value,
      path: [name],
      candidates: inner,
      issues: [{ code: "inner-value", severity: "info", path: [], wirePath: [name], message }],
    };
  }
  return { value: whole, path: [], candidates, issues: [] };
}

function parse(text: string, ref: string | undefined): { readonly value: Json; readonly exact: ExactText } {
  if (ref === undefined || ref === canonical) return parseJson(text);
  return readText(text, refOf(ref));
}

/** A text of several values. */
function readPieces(
  text: string,
  {
    container,
    asked,
    report,
  }: { readonly container: Exclude<Container, "json">; readonly asked: Asked; readonly report: Report },
): Reading {
  const pieces = piecesOf(text, container);
  const values = pieces.filter(piece => piece.value !== undefined && !piece.isEnd);
  const [first] = values;
  if (first?.value === undefined) throw noValue(pieces);
  report("detecting");
  const holdsEvents = container !== "jsonl" || first.time !== undefined;
  const candidates = firstReadings(values, holdsEvents);
  // Lines that are no values of a format may have some in them.
  const isUnknown = candidates.length === 0 && !holdsEvents;
  if (isUnknown) return oneOf(values, { container, asked, report, text, issues: lineIssues(pieces) });
  const choice = choose(candidates, asked, holdsEvents);
  const shown = { text, isTidy: false, container, candidates, values: 1, value: 0 };
  report("decoding");
  if (holdsEvents || (isEvents(choice.shape) && !Array.isArray(first.value)))
    return { ...shown, ...streamOf(pieces, choice) };
  if (choice.shape === "message" || choice.shape === "block") {
    const list = values.flatMap(({ value }) => (value === undefined ? [] : [value]));
    const whole = wholeOf(list, { ...choice, shape: "messages" });
    const index = indexJson(
      text,
      values.map(({ from, to }) => [from, to] as const),
    );
    return { ...shown, ...whole, issues: [...lineIssues(pieces), ...whole.issues], index };
  }
  return oneOf(values, { container, asked, report, text, issues: lineIssues(pieces) });
}

interface Several {
  readonly text: string;
  readonly container: Container;
  readonly asked: Asked;
  readonly report: Report;
  readonly issues: readonly Issue[];
}

/** Of several conversations the one that was asked for. */
function oneOf(values: readonly Piece[], { text, container, asked, report, issues }: Several): Reading {
  const at = Math.min(Math.max(asked.value ?? 0, 0), values.length - 1);
  const { from, to } = values[at] ?? { from: 0, to: 0 };
  const one = readValue(text.slice(from, to), asked, report, { container, values: values.length, value: at });
  return { ...one, issues: [...issues, ...one.issues] };
}

function noValue(pieces: readonly Piece[]): Unreadable {
  const problem = pieces.find(piece => piece.problem)?.problem;
  if (!problem) return new Unreadable({ code: "empty", message: "" });
  const { message, line, column } = problem;
  return new Unreadable({ code: "not-json", message, line, ...(column !== undefined && { column }) });
}

const lineIssues = (pieces: readonly Piece[]): Issue[] =>
  pieces.flatMap(({ problem }): Issue[] => {
    if (!problem) return [];
    const { message, line, column } = problem;
    const place = column === undefined ? `line ${line}` : `line ${line}, column ${column}`;
    return [{ code: "line/not-json", severity: "error", path: [], message: `${message} (${place})` }];
  });

const isEvents = (shape: Shape): boolean => shape === "event" || shape === "stream";

const candidateOf = ({ format, dialect, shape, confidence, keys }: Detected): Candidate => ({
  format,
  shape,
  confidence,
  keys,
  ...(dialect !== undefined && { dialect }),
});

function candidatesOf(value: Json): readonly Candidate[] {
  const found = detect(value).map(candidateOf);
  if (!isCanonical(value)) return found;
  // Other formats have messages of parts too, but not our kinds of them.
  const areOurs = value.messages.some(({ parts }) => parts.some(({ type }) => !sharedTypes.has(type)));
  const ours: Candidate = { format: canonical, shape: "messages", confidence: areOurs ? 1 : 0.4, keys: ["parts"] };
  return [...found, ours].sort((a, b) => b.confidence - a.confidence);
}

const sharedTypes: ReadonlySet<string> = new Set(["text", "reasoning", "file"]);

/** Some hosts begin a stream with an event that says nothing: the first that one format alone fits tells. */
function firstReadings(pieces: readonly Piece[], areEvents: boolean): readonly Candidate[] {
  let best: readonly Candidate[] = [];
  for (const { value } of pieces.slice(0, 16)) {
    const all = detect(value).map(candidateOf);
    const events = areEvents ? all.filter(({ shape }) => isEvents(shape)) : all;
    const fitting = events.length > 0 ? events : all;
    if (best.length === 0) best = fitting;
    if (isSurest(fitting)) return fitting;
    if (!areEvents) break;
  }
  return best;
}

function isSurest(candidates: readonly Candidate[]): boolean {
  const [first] = candidates;
  const rival = candidates.find(({ format }) => format !== first?.format);
  return first !== undefined && first.confidence > (rival?.confidence ?? 0);
}

type Choice = Pick<Candidate, "format" | "dialect" | "shape"> & { readonly isAsked: boolean };

function choose(candidates: readonly Candidate[], { ref }: Asked, areEvents = false): Choice {
  if (ref === undefined) {
    const [first] = candidates;
    if (!first) throw new Unreadable({ code: "not-detected", message: "" });
    return { ...first, isAsked: false };
  }
  const [format = "", dialect] = ref.split(":");
  if (format !== canonical) findFormat(ref);
  const fitting = candidates.find(candidate => candidate.format === format);
  const shape = fitting?.shape ?? (areEvents ? "stream" : "messages");
  const named = dialect ?? fitting?.dialect;
  return { format, shape, ...(named !== undefined && { dialect: named }), isAsked: fitting === undefined };
}

const refOf = (ref: string): FormatRef => ref as FormatRef; // `findFormat` knows it, or says that it does not

type Read = Pick<Reading, "format" | "shape" | "conversation" | "issues" | "losses"> &
  Pick<Partial<Reading>, "dialect" | "stream">;

function streamOf(pieces: readonly Piece[], { format, dialect }: Choice): Read {
  const stream = readStream(pieces, refOf(dialect === undefined ? format : `${format}:${dialect}`));
  const { conversation, issues, losses } = stream;
  return { format, shape: "stream", conversation, issues, losses, stream, ...(dialect !== undefined && { dialect }) };
}

function wholeOf(value: Json, { format, dialect, shape, isAsked }: Choice, exact?: ExactText): Read {
  if (format === canonical) return canonicalOf(value);
  const decoded = decode(value, {
    from: refOf(format),
    // A format that was only named says itself which of its shapes it is.
    ...(!isAsked && { shape }),
    ...(dialect !== undefined && { dialect }),
    ...(exact && { exact }),
  });
  const { conversation, issues, losses } = decoded;
  return { format, shape: decoded.shape, dialect: decoded.dialect, conversation, issues, losses };
}

function canonicalOf(value: Json): Read {
  if (!isCanonical(value)) {
    throw new Unreadable({ code: "not-this-format", message: "`messages` with `role` and `parts`" });
  }
  return { format: canonical, shape: "messages", conversation: value, issues: [], losses: [] };
}

/** What a conversation cannot have; whatever else is wrong in one is to be shown. */
const outlineCodes = new Set(
  "wrong-type missing-member unknown-type unknown-value not-json too-deep unreadable".split(" "),
);

/** A conversation as we hold it ourselves. */
const isCanonical = (value: unknown): value is Conversation =>
  typeof value === "object" &&
  value !== null &&
  "messages" in value &&
  !check(value).some(({ code }) => outlineCodes.has(code));
