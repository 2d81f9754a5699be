import { decodeMessage } from "../../blocks/langchain/decode.ts";
import { escapedValue, liveKind } from "../../blocks/langchain/escape.ts";
import { readPython } from "../../blocks/langchain/text.ts";
import { type DialectName, family } from "../../blocks/langchain/wire.ts";
import { WaitingCalls } from "../../blocks/waiting-calls.ts";
import type { DecodeContext } from "../../codec/codec.ts";
import { withExact } from "../../codec/exact.ts";
import type { Message } from "../../model/conversation.ts";
import { TranslogueError } from "../../model/error.ts";
import { formatPath, type Issue, type Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject, type MutableJsonObject, setMember } from "../../model/json.ts";
import type { ParsedJson } from "../../model/json-text.ts";

export interface LoadOptions {
  /** Values within one another. Default 50, as LangChain's loaders have it. */
  readonly maxDepth?: number;
}

export interface Loaded {
  /** What the text says, with the wrapping of escaped data taken off; messages stand in it as they were serialised. */
  readonly value: Json;
  /** The messages in it, wherever they stand, in order. */
  readonly messages: readonly { readonly path: Path; readonly message: Message }[];
  readonly issues: readonly Issue[];
}

/**
 * Reads a text that `dumps` or `JSON.stringify` made of messages, or of values that hold messages, as `load` of both
 * languages does. Nothing but messages is ever built, no secret is ever looked up. Throws `json/syntax` where the text is
 * no JSON, `decode/not-this-format` where it holds another serialised object or a secret, `input/too-deep` above `maxDepth`.
 */
export function load(text: string, options: LoadOptions = {}): Loaded {
  const { maxDepth = 50 } = options;
  const parsed = readPython(text);
  const loading: Loading = { maxDepth, messages: [], issues: [], unanswered: new WaitingCalls() };
  const value = visit(parsed.value, [], loading);
  return { value, messages: exactly(loading.messages, parsed, loading.issues), issues: loading.issues };
}

interface Loading {
  readonly maxDepth: number;
  readonly messages: { readonly path: Path; readonly message: Message }[];
  readonly issues: Issue[];
  readonly unanswered: WaitingCalls;
}

function visit(value: Json, path: Path, loading: Loading): Json {
  if (path.length > loading.maxDepth) throw tooDeep(path, loading.maxDepth);
  if (Array.isArray(value)) return value.map((item: Json, index) => visit(item, [...path, index], loading));
  if (!isJsonObject(value)) return value;
  const escaped = escapedValue(value);
  if (escaped !== undefined) return escaped;
  const kind = liveKind(value);
  if (kind === "message") {
    checkInside(value["kwargs"] ?? null, [...path, "kwargs"], loading.maxDepth);
    loading.messages.push({ path, message: read(value, path, loading) });
    return value;
  }
  if (kind) throw refused(kind, path);
  const members: MutableJsonObject = {};
  for (const key of Object.keys(value)) setMember(members, key, visit(value[key] ?? null, [...path, key], loading));
  return members;
}

/** What stands inside of a message is kept as data, but for what its own loader would refuse. */
function checkInside(value: Json, path: Path, maxDepth: number): void {
  if (path.length > maxDepth) throw tooDeep(path, maxDepth);
  if (Array.isArray(value)) for (const [index, item] of value.entries()) checkInside(item, [...path, index], maxDepth);
  if (!isJsonObject(value) || escapedValue(value) !== undefined) return;
  const kind = liveKind(value);
  if (kind === "secret" || kind === "constructor") throw refused(kind, path);
  for (const key of Object.keys(value)) checkInside(value[key] ?? null, [...path, key], maxDepth);
}

function read(wire: JsonObject, path: Path, { messages, issues, unanswered }: Loading): Message {
  const context: DecodeContext = {
    shape: "message",
    dialect: "js-lc" satisfies DialectName,
    newId: undefined,
    issue: (code, wirePath, message, severity = "warning") =>
      issues.push({ code, severity, path: [], wirePath, message }),
    lose: () => {},
    carried: () => {},
  };
  return decodeMessage(wire, { context, path, index: messages.length, unanswered });
}

function exactly(found: Loaded["messages"], { value, exact }: ParsedJson, issues: Issue[]): Loaded["messages"] {
  const { messages } = withExact({ messages: found.map(({ message }) => message) }, { exact, value, issues });
  return found.map(({ path, message }, index) => ({ path, message: messages[index] ?? message }));
}

const reasons = {
  secret: "a serialised secret is never looked up",
  constructor: "it names a class that is none of the messages, and nothing else is built",
  not_implemented: "its source could not be serialised",
} as const;

function refused(kind: keyof typeof reasons, path: Path): TranslogueError {
  const place = formatPath(path) || "the top";
  return new TranslogueError("decode/not-this-format", `the object at ${place} is refused: ${reasons[kind]}`, {
    data: { format: family, path: [...path] },
  });
}

function tooDeep(path: Path, maxDepth: number): TranslogueError {
  return new TranslogueError(
    "input/too-deep",
    `more than ${maxDepth} values within one another at ${formatPath(path)}; raise \`maxDepth\` if the text is to be trusted`,
    { data: { limit: maxDepth } },
  );
}
