import type { ReadMessage } from "../../blocks/chat-parts/wire.ts";
import { typeOfData } from "../../blocks/data-urls.ts";
import { readHistory, type HistoryScope as Scope, type Turns } from "../../blocks/history.ts";
import type { DecodeContext } from "../../codec/codec.ts";
import { at, defined, type Reader } from "../../codec/reader.ts";
import { kept } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { Node, OpaquePart, Part, PartOf } from "../../model/parts.ts";
import { answer, ask, next, readCall, readId } from "./calls.ts";
import { carryMember, envelopeMembers, family, isText, type Placed, places } from "./wire.ts";

const turns: Turns = {
  family,
  carryMember,
  assistant: readAssistant,
  result: (reader, role, scope) => (role === "tool" ? readResult(reader, scope) : undefined),
  other: (reader, role, scope) => {
    const images = readImages(reader, scope);
    const said = readContent(reader, images.length > 0);
    const head = { role, ...messageRest(reader, said.hints) };
    return { head, parts: [...said.parts, ...images] };
  },
};

/** The messages of a history. */
export const readMessages = (
  list: readonly Json[],
  context: DecodeContext,
  pathOf?: (index: number) => Path,
): Message[] => readHistory(list, turns, { context, pathOf });

const messageRest = (reader: Reader, hints: JsonObject): Pick<Node, "native"> =>
  kept(family, reader.rest(), hints, envelopeMembers);

interface Content {
  readonly parts: readonly Placed[];
  readonly hints: JsonObject;
}

/** `isBeside`: something else says what the message is there for, so that an empty text says nothing. */
function readContent(reader: Reader, isBeside: boolean): Content {
  const text = reader.peek("content");
  if (typeof text === "string") {
    reader.take("content");
    if (text === "" && isBeside) return { parts: [], hints: {} };
    return { parts: [{ place: places.content, part: { type: "text", text } }], hints: {} };
  }
  if (text === null) reader.take("content");
  return { parts: [], hints: { $content: text === null ? text : false } };
}

/** Pictures, as base64: which kind they are is told by their first letters. */
function readImages(reader: Reader, { context, path }: Scope): readonly Placed[] {
  const images = reader.peek("images");
  if (!Array.isArray(images) || images.length === 0) return [];
  reader.take("images");
  return images.map((data: Json, index): Placed => {
    const place = places.images + index;
    if (isData(data)) {
      return { place, part: { type: "file", mediaType: typeOfData("image/*", data), source: { data } } };
    }
    context.issue("unknown-image", at(path, "images", index), "expected base64; kept as it is");
    return { place, part: opaque(data, "images") };
  });
}

const isData = (value: Json): value is string => isText(value) && !/[:\s.]/.test(value.slice(0, 64));

const opaque = (value: Json, $place: string): OpaquePart => ({
  type: "opaque",
  family,
  value,
  ...kept(family, undefined, { $place }),
});

function readResult(reader: Reader, scope: Scope): Omit<ReadMessage, "carry"> {
  const { unanswered, made } = scope;
  const name = reader.peek("tool_name") === "" ? undefined : reader.string("tool_name");
  const id = readId(reader, "tool_call_id");
  if (id.callId !== undefined) answer(unanswered, id.callId);
  const callId = id.callId ?? next(unanswered, name) ?? `~${made}.0`;
  const images = readImages(reader, scope);
  const said = readContent(reader, images.length > 0);
  const parts = [...said.parts, ...images].map(({ part }) => part);
  const isSaid = parts.length > 0 || said.hints["$content"] === undefined;
  const part = defined<PartOf<"tool-result">>({
    type: "tool-result",
    callId,
    name,
    output: isSaid ? parts : undefined,
    ...kept(family, undefined, { ...id.hints, ...(name === undefined && { $name: false }) }),
  });
  return { head: { role: "tool", ...messageRest(reader, said.hints) }, parts: [{ place: 0, part }] };
}

/** Its members have no order among them: the parts get their fixed places. */
export function readAssistant(reader: Reader, scope: Scope): ReadMessage {
  const carry = reader.json(carryMember);
  const role = reader.peek("role");
  if (isText(role)) reader.take("role");
  const thinking = reader.string("thinking");
  const said = readContent(reader, true);
  const parts: Placed[] = [
    ...(isText(thinking) ? [{ place: places.thinking, part: { type: "reasoning", text: thinking } as const }] : []),
    ...said.parts,
    ...readImages(reader, scope),
    ...readCalls(reader, scope),
  ];
  const hints = {
    ...said.hints,
    ...(thinking === "" && { $thinking: "" }),
    ...(role !== "assistant" && (isText(role) ? { $role: role } : role === undefined ? { $role: false } : {})),
  };
  return { head: { role: "assistant", ...messageRest(reader, hints) }, parts, carry };
}

function readCalls(reader: Reader, scope: Scope): readonly Placed[] {
  const wire = reader.peek("tool_calls");
  const list = Array.isArray(wire) ? (wire as readonly Json[]) : []; // a list of JSON
  if (list.length > 0) reader.take("tool_calls");
  else if (wire !== undefined && wire !== null && !Array.isArray(wire)) {
    scope.context.issue("unknown-tool-calls", at(scope.path, "tool_calls"), "expected a list; kept as it is");
  }
  return list.map((call, position): Placed => {
    const place = places.calls + position;
    const made = `~${scope.made}.${position}`;
    const part: Part | undefined = readCall(call, { made, position });
    if (part) {
      ask(scope.unanswered, part, part.callId === made);
      return { place, part };
    }
    scope.context.issue(
      "not-a-tool-call",
      at(scope.path, "tool_calls", position),
      "no function with a name; kept as it is",
    );
    return { place, part: opaque(call, "calls") };
  });
}
