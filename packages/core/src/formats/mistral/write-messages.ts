import { asFunctionCall, deniedText, writeCallId, writeToolCall } from "../../blocks/chat-parts/calls.ts";
import { chatParts } from "../../blocks/chat-parts/parts.ts";
import { envelopeMembers, type Located } from "../../blocks/chat-parts/wire.ts";
import { withoutHusk } from "../../blocks/turns.ts";
import { fillAll, hintsOf, present, remainderOf } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { jsonTextOf } from "../../model/json-text.ts";
import type { Part, PartOf } from "../../model/parts.ts";
import { type ChunkPart, writeChunks } from "./chunks.ts";
import { plainTextOf } from "./thinking.ts";
import { family } from "./wire.ts";
import { flattened, type Writing } from "./writing.ts";

/** The wire messages of a history, each message by itself: neighbours are never joined (R15). */
export function writeMessages(messages: readonly Message[], writing: Writing): Json[] {
  return messages.flatMap((message, index) => {
    const path = ["messages", index];
    const written = withoutHusk(writeMessage(message, path, writing), message, { path, context: writing.context });
    // What is no object has no room for a carry, and says all that there is to say.
    const [first, ...rest] = written.map(wire => (isJsonObject(wire) ? wire : {}));
    if (first) writing.context.wrote([first, ...rest], index, 1);
    return written;
  });
}

function writeMessage(message: Message, path: Path, writing: Writing): Json[] {
  const parts = flattened(message.parts, [...path, "parts"], writing);
  if (message.role === "control") return writeControl(parts, path, writing);
  if (message.role === "assistant") return [writeAssistant(parts, { message, path }, writing)];
  const results = parts.filter(isResult);
  const others = parts.filter(each => !isResult(each));
  const isTool = message.role === "tool";
  const count = results.length + (isTool || others.length === 0 ? 0 : 1);
  if (count > 1) writing.lose("split", path);
  if (isTool) {
    for (const { part, path: place } of others) writing.lose("misplaced", place, part.type);
    if (count === 0) writing.lose("no-result", path);
    return results.map((result, index) => writeResult(result, index === 0 ? message : undefined, writing));
  }
  if (count === 1 && results.length === 1) writing.lose("result-role", [...path, "role"], message.role);
  const written = results.map(result => writeResult(result, undefined, writing));
  if (others.length === 0 && results.length > 0) return written;
  // Results belong right behind their calls, so they go first (R15).
  if (results.length > 0 && !isResult(parts[0] ?? { part: { type: "text", text: "" }, path })) {
    writing.lose("order", path);
  }
  return [...written, writeTurn(others, { message, path }, writing)];
}

const isResult = (each: Located): each is Located<PartOf<"tool-result">> => each.part.type === "tool-result";

interface MessageAt {
  readonly message: Message;
  readonly path: Path;
}

function writeControl(parts: readonly Located[], path: Path, { lose }: Writing): Json[] {
  const [only] = parts;
  if (parts.length === 1 && only?.part.type === "opaque" && only.part.family === family) {
    const { value } = only.part;
    return [isJsonObject(value) ? { ...value } : value]; // a copy: what is written may get a carry
  }
  lose("control", path);
  return [];
}

/** A system's, a person's, or a message of another role. */
function writeTurn(parts: readonly Located[], { message, path }: MessageAt, writing: Writing): JsonObject {
  const isDeveloper = message.role === "developer" && writing.context.recipient === "provider";
  if (isDeveloper) writing.lose("developer", [...path, "role"]);
  const content = contentOf(parts, message, writing);
  if (message.parts.length === 0 && content["content"] === "") writing.lose("no-content", [...path, "parts"]);
  return finished({ role: isDeveloper ? "system" : message.role, ...content }, message);
}

/** Members that a message of any role may have, and what was kept beside them. */
const finished = (fields: JsonObject, message: Message): JsonObject =>
  fillAll({ ...fields, ...present({ weight: message.weight }) }, remainderOf(message, family, envelopeMembers));

// content

interface Written {
  readonly wire: Json;
  /** The text of a chunk that is nothing else. */
  readonly text: string | undefined;
}

/** The chunks of neighbouring parts. `isResult`: a tool's output, in which a source is a text. */
function writeParts(parts: readonly Located[], writing: Writing, isResult = false): readonly Written[] {
  const chunks = parts.flatMap(each => chunkPart(each, writing, isResult));
  return writeChunks(chunks, writing).map(wire => ({ wire, text: plainTextOf(wire) }));
}

/** The chunks that a part of an answer is written as. */
export const contentOfPart = (part: Part, path: Path, writing: Writing): Json[] =>
  writeParts(flattened([part], path.slice(0, -1), writing), writing).map(({ wire }) => wire);

function chunkPart({ part, path }: Located, { lose }: Writing, isResult: boolean): readonly Located<ChunkPart>[] {
  const flat = (code: string, text: string): readonly Located<ChunkPart>[] => {
    lose(code, path);
    return [{ part: { type: "text", text }, path }];
  };
  switch (part.type) {
    case "text":
    case "reasoning":
    case "file":
    case "opaque":
      return [{ part, path }];
    case "source":
      return isResult ? flat("source-text", sourceText(part)) : [{ part, path }];
    case "refusal":
      return flat("refusal", part.text);
    case "data":
      return flat("data", jsonTextOf(part, "data") ?? "null");
    case "error":
      return flat("error-text", part.message);
    default:
      lose("misplaced", path, part.type);
      return [];
  }
}

const sourceText = (source: PartOf<"source">): string =>
  [source.title, source.url, ...(source.parts ?? []).map(part => (part.type === "text" ? part.text : undefined))]
    .filter(text => text !== undefined)
    .join("\n");

/** One plain text is written as a string, unless it was a list; nothing at all as it was, else as an empty text. */
function contentOf(parts: readonly Located[], message: Message, writing: Writing): JsonObject {
  const content = writeParts(parts, writing);
  const { $content: hint, ...members } = hintsOf(message, family);
  const [only] = content;
  if (hint === "list" || content.length > 1) return { content: content.map(({ wire }) => wire) };
  if (only) return { content: only.text ?? [only.wire] };
  return hint === false || Object.hasOwn(members, "content") ? {} : { content: "" };
}

// assistant

/** One assistant's message: what it says in its order, then its calls. */
export function writeAssistant(parts: readonly Located[], { message, path }: MessageAt, writing: Writing): JsonObject {
  const { context, lose } = writing;
  const said: Located[] = [];
  const calls: Located<PartOf<"tool-call" | "opaque">>[] = [];
  let isOrdered = true;
  for (const each of parts) {
    const { part } = each;
    const isServers = part.type === "tool-result" || (part.type === "tool-call" && part.executedBy !== undefined);
    if (isServers) lose("server-tool", each.path, part.type);
    else if (part.type === "tool-call" || (part.type === "opaque" && hintsOf(part, chatParts)["$place"] === "calls")) {
      calls.push({ part, path: each.path });
    } else {
      if (calls.length > 0) isOrdered = false;
      said.push(each);
    }
  }
  if (!isOrdered) lose("order", [...path, "parts"]);
  const list = calls.map(({ part, path: place }, position) => writeCall(part, place, { position, writing }));
  const hints = hintsOf(message, family);
  const isRoleless =
    Object.hasOwn(hints, "role") ||
    (hints["$role"] === false && context.shape !== "request" && context.recipient !== "provider");
  const fields = present({
    role: isRoleless ? undefined : "assistant",
    ...saidContent(said, message, { hasCalls: list.length > 0, writing }),
    tool_calls: list.length > 0 ? list : undefined,
  });
  return finished(fields, message);
}

/** One plain text is a string, unless it was a list; of nothing at all it is said how it was spelled, if it was. */
function saidContent(
  parts: readonly Located[],
  message: Message,
  { hasCalls, writing }: { readonly hasCalls: boolean; readonly writing: Writing },
): JsonObject {
  const content = writeParts(parts, writing);
  const { $content: hint, ...members } = hintsOf(message, family);
  const [only] = content;
  if (only?.text === "" && content.length === 1 && hint !== "list") {
    writing.lose("empty-text", parts[0]?.path ?? []);
    return { content: "" };
  }
  if (only)
    return {
      content: content.length === 1 && hint !== "list" ? (only.text ?? [only.wire]) : content.map(({ wire }) => wire),
    };
  if (hint === "list") return { content: [] };
  if (hint === "" || hint === null) return { content: hint };
  if (Object.hasOwn(members, "content") || hint === false) return {};
  // A message that says nothing and calls nothing is refused without a text.
  return hasCalls ? {} : { content: "" };
}

/** A member of `tool_calls`. */
export function writeCall(
  part: PartOf<"tool-call" | "opaque">,
  path: Path,
  { position, writing }: { readonly position: number; readonly writing: Writing },
): Json {
  if (part.type === "opaque") return part.value;
  const { shape, recipient } = writing.context;
  const isWrapped = part.kind === "custom" && shape === "request" && recipient === "provider";
  const { seal, kind, ...call } = isWrapped ? { ...asFunctionCall(part), kind: part.kind } : part;
  if (seal) writing.lose("part-seal", [...path, "seal"]);
  if (kind !== undefined) writing.lose("tool-kind", isWrapped ? path : [...path, "kind"], kind);
  const hints = { ...hintsOf(part, chatParts), ...hintsOf(part, family) };
  const spelled = { ...call, native: { [chatParts]: hints } };
  const wire = writeToolCall(spelled, path, { id: callIdOf(part, path, writing), position, lose: writing.lose });
  const isCounted = hints["$index"] === undefined && !Object.hasOwn(hints, "index");
  return isCounted ? { ...wire, index: position } : wire;
}

/** The wire id of a call or a result: a made one that has to be written is fitted to what the API takes (R8). */
function callIdOf(part: PartOf<"tool-call" | "tool-result">, path: Path, writing: Writing): Json | undefined {
  const isNamed = writing.named.has(part.callId);
  if (!part.callId.startsWith("~")) return part.callId;
  if (!isNamed) return writeCallId(part);
  writing.lose("made-id", [...path, "callId"]);
  return fittedId(part.callId);
}

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Nine letters and digits, by the whole id's hash. */
export function fittedId(id: string): string {
  let [low, high] = [0x811c9dc5, 0x1000193];
  for (let index = 0; index < id.length; index++) {
    low = Math.imul(low ^ id.charCodeAt(index), 0x01000193);
    high = Math.imul(high ^ id.charCodeAt(index), 0x85ebca6b);
  }
  let [left, right] = [low >>> 0, high >>> 0];
  const letters: string[] = [];
  for (let place = 0; place < 9; place++) {
    const source = place % 2 === 0 ? left : right;
    letters.push(alphabet[source % alphabet.length] ?? "0");
    if (place % 2 === 0) left = Math.floor(left / alphabet.length);
    else right = Math.floor(right / alphabet.length);
  }
  return letters.join("");
}

// results

/** `message`: the one whose own members the wire message has, if it has any. */
function writeResult(
  { part, path }: Located<PartOf<"tool-result">>,
  message: Message | undefined,
  writing: Writing,
): JsonObject {
  const hints = message ? hintsOf(message, family) : {};
  if (part.outcome) writing.lose("outcome", [...path, "outcome"], part.outcome);
  const id = callIdOf(part, path, writing);
  const fields = present({
    role: "tool",
    tool_call_id: Object.hasOwn(hints, "tool_call_id") ? undefined : id,
    name: part.name,
    ...resultContent(part, path, { hints, writing }),
  });
  return message ? finished(fields, message) : fields;
}

function resultContent(
  { output, outcome }: PartOf<"tool-result">,
  path: Path,
  { hints, writing }: { readonly hints: JsonObject; readonly writing: Writing },
): JsonObject {
  const { $content: hint } = hints;
  const [first] = output ?? [];
  if (hint === "json" && output?.length === 1 && first?.type === "data") return { content: first.data };
  if (output === undefined && (hint === false || Object.hasOwn(hints, "content"))) return {};
  if (output === undefined) writing.lose("no-output", [...path, "output"]);
  const content = writeParts(
    (output ?? []).map((part, index) => ({ part, path: [...path, "output", index] })),
    writing,
    true,
  );
  const [only] = content;
  if (hint === "list" || content.length > 1) return { content: content.map(({ wire }) => wire) };
  if (only) return { content: only.text ?? [only.wire] };
  if (output?.length === 0) writing.lose("no-output", [...path, "output"]);
  return { content: outcome === "denied" ? deniedText : "" };
}
