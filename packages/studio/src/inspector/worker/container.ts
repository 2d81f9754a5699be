import { isError, type Json, type JsonObject, parseJson, sseDecoder } from "translogue";

/** How values stand in a text: one JSON value, one a line, server-sent events, or events a line behind a code. */
export type Container = "json" | "jsonl" | "sse" | "coded";

/** One value of a text of several, and where it stands. */
export interface Piece {
  readonly from: number;
  readonly to: number;
  /** Absent where the text there is no JSON. */
  readonly value?: Json;
  /** What is wrong where there is none. */
  readonly problem?: { readonly message: string; readonly line: number; readonly column?: number };
  /** Milliseconds since the recording began, where it tells. */
  readonly time?: number;
  /** It says that the stream is over, and is no value (`[DONE]`). */
  readonly isEnd?: true;
}

const sseField = /^(?:data|event|id|retry)?:/;
const codedLine = /^([\da-z]):(?=\s*["[{\d])/;

/** Tells by the first two lines that are not blank. */
export function containerOf(text: string): Container {
  const [first = "", second] = firstLines(text);
  if (sseField.test(first)) return "sse";
  if (codedLine.test(first)) return "coded";
  if (second === undefined) return "json";
  if (isJson(first)) return "jsonl";
  return isJson(second) && isRecord(second) && /^\s*\{.*\}\s*$/s.test(first) ? "jsonl" : "json";
}

const isRecord = (line: string): boolean => /^\s*[{[]/.test(line);

function firstLines(text: string): readonly string[] {
  const found: string[] = [];
  for (const { from, to } of linesOf(text)) {
    if (from === to) continue;
    found.push(text.slice(from, to));
    if (found.length === 2) break;
  }
  return found;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

interface Line {
  /** From 1. */
  readonly line: number;
  /** Without white space around it. */
  readonly from: number;
  readonly to: number;
}

function* linesOf(text: string): Generator<Line> {
  let line = 1;
  for (let at = 0; at < text.length; line++) {
    const newline = text.indexOf("\n", at);
    const end = newline === -1 ? text.length : newline;
    let [from, to] = [at, end];
    while (from < to && isBlank(text.charCodeAt(from))) from++;
    while (to > from && isBlank(text.charCodeAt(to - 1))) to--;
    yield { line, from, to };
    at = end + 1;
  }
}

const isBlank = (code: number): boolean => code === 32 || code === 9 || code === 13 || code === 0xfeff;

/** The values of a text that has several. */
export function piecesOf(text: string, container: Exclude<Container, "json">): readonly Piece[] {
  if (container === "sse") return ssePieces(text);
  const pieces: Piece[] = [];
  for (const { line, from, to } of linesOf(text)) {
    if (from === to) continue;
    const content = text.slice(from, to);
    const code = container === "coded" ? codedLine.exec(content)?.[1] : undefined;
    const read = readPiece(code === undefined ? content : content.slice(2), line);
    const isCoded = code !== undefined && read.value !== undefined;
    pieces.push({ from, to, ...read, ...(isCoded && { value: [code, read.value ?? null] }) });
  }
  return timed(pieces);
}

/** The framing is core's; it is fed line by line, so that an event knows where it stands. */
function ssePieces(text: string): Piece[] {
  const decoder = sseDecoder();
  const pieces: Piece[] = [];
  let start: Line | undefined;
  let end = 0;
  const take = (events: ReturnType<typeof decoder.push>): void => {
    for (const { data } of events) {
      const place = { from: start?.from ?? 0, to: end };
      if (data !== "")
        pieces.push(data === "[DONE]" ? { ...place, isEnd: true } : { ...place, ...readPiece(data, start?.line ?? 1) });
      start = undefined;
    }
  };
  for (const line of linesOf(text)) {
    if (line.from < line.to) {
      start ??= line;
      end = line.to;
    }
    take(decoder.push(`${text.slice(line.from, line.to)}\n`));
    if (line.from === line.to) start = undefined;
  }
  take(decoder.end());
  return pieces;
}

function readPiece(text: string, line: number): Pick<Piece, "value" | "problem"> {
  try {
    return { value: parseJson(text).value };
  } catch (error) {
    if (!isError(error)) throw error;
    const { column } = error.data;
    const message = error.message.replace(/ at line \d+, column \d+ \(offset \d+\)/, "");
    return { problem: { message, line, ...(typeof column === "number" && { column }) } };
  }
}

const times = ["t", "at", "ms", "time", "timestamp", "elapsed"] as const;
const payloads = ["event", "data", "chunk", "value", "payload"] as const;

/** Lines that are a time and what came then, as that; all others as they are. */
function timed(pieces: readonly Piece[]): readonly Piece[] {
  const first = pieces[0]?.value;
  if (!isObject(first)) return pieces;
  const timeName = times.find(name => milliseconds(first[name]) !== undefined);
  const payloadName = payloads.find(name => first[name] !== undefined);
  // Whatever else it has would be left out: then it is an event that has a time, not a record of one.
  if (!timeName || !payloadName || Object.keys(first).length > 3 || first["type"] !== undefined) return pieces;
  const begun = milliseconds(first[timeName]) ?? 0;
  const chunks = pieces.flatMap(piece => {
    if (!isObject(piece.value)) return [];
    const time = milliseconds(piece.value[timeName]);
    return [{ piece, time: (time ?? begun) - begun, payload: piece.value[payloadName] ?? null }];
  });
  return chunks.every(({ payload }) => typeof payload === "string")
    ? textChunks(chunks.map(({ piece, time, payload }) => ({ piece, time, text: String(payload) })))
    : chunks.map(({ piece, time, payload }) => ({ from: piece.from, to: piece.to, value: payload, time }));
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** ISO 8601, or a number: of milliseconds where it is large or counts from nothing, else of seconds since 1970. */
function milliseconds(value: Json | undefined): number | undefined {
  if (typeof value === "number") return value > 1e9 && value < 1e11 ? value * 1000 : value;
  const parsed = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(parsed) ? undefined : parsed;
}

interface Chunk {
  readonly piece: Piece;
  readonly time: number;
  readonly text: string;
}

/** Text as it came from a connection: an event has the time of the chunk that ended it. */
function textChunks(chunks: readonly Chunk[]): Piece[] {
  const [first] = chunks;
  const isSse = first !== undefined && sseField.test(first.text.trimStart());
  const decoder = sseDecoder();
  const pieces: Piece[] = [];
  let rest = "";
  const push = ({ piece: { from, to }, time }: Chunk, data: string): void => {
    if (data.trim() === "") return;
    pieces.push(data === "[DONE]" ? { from, to, time, isEnd: true } : { from, to, time, ...readPiece(data, 1) });
  };
  for (const chunk of chunks) {
    if (isSse) {
      for (const { data } of decoder.push(chunk.text)) push(chunk, data);
      continue;
    }
    const lines = (rest + chunk.text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) push(chunk, line);
  }
  const last = chunks.at(-1);
  if (last) for (const data of isSse ? decoder.end().map(event => event.data) : [rest]) push(last, data);
  return pieces;
}
