import { idSpelling, readToolCall } from "../../blocks/chat-parts/calls.ts";
import { chatParts } from "../../blocks/chat-parts/parts.ts";
import type { ReadMessage } from "../../blocks/chat-parts/wire.ts";
import { readHistory, type HistoryScope as Scope, type Turns } from "../../blocks/history.ts";
import type { DecodeContext } from "../../codec/codec.ts";
import { at, defined, type Reader } from "../../codec/reader.ts";
import { kept } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { Node, Part, PartOf } from "../../model/parts.ts";
import { readCitations } from "./citations.ts";
import { readBlock, type Side } from "./content.ts";
import { carryMember, envelopeMembers, family, isText, type Placed, places } from "./wire.ts";

const turns: Turns = {
  family,
  carryMember,
  assistant: readAssistant,
  result: (reader, role, scope) => (role === "tool" ? readResult(reader, scope) : undefined),
  other: (reader, role, scope) => {
    const { parts, hints } = readContent(reader, role === "system" ? "system" : "user", scope);
    const head = { role, ...messageRest(reader, hints) };
    return { head, parts: parts.map((part, index) => ({ place: index, part })) };
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
  readonly parts: readonly Part[];
  readonly hints: JsonObject;
}

/** A text or a list of blocks; which of them, as a hint, where the blocks alone do not tell. */
function readContent(reader: Reader, side: Side, { context, path }: Scope): Content {
  const content = reader.peek("content");
  if (typeof content === "string") {
    reader.take("content");
    return { parts: [{ type: "text", text: content }], hints: {} };
  }
  if (Array.isArray(content)) {
    reader.take("content");
    const parts = content.map((wire: Json, index) =>
      readBlock(wire, side, { path: at(path, "content", index), context }),
    );
    const isTold = parts.length > 1 || parts.some(part => part.type !== "text" || isBlockOnly(part));
    return { parts, hints: isTold ? {} : { $content: "list" } };
  }
  if (content !== undefined && content !== null) {
    context.issue("unknown-content", at(path, "content"), "expected a text or a list of blocks; kept as it is");
  }
  return { parts: [], hints: content === undefined ? { $content: false } : {} };
}

/** A text that can only stand in a list. */
export const isBlockOnly = (part: Part): boolean => Object.keys(part.native?.[family] ?? {}).length > 0;

function readResult(reader: Reader, scope: Scope): Omit<ReadMessage, "carry"> {
  const id = reader.peek("tool_call_id");
  const spelling = idSpelling(id);
  const hasId = isText(id);
  if (hasId || spelling !== false) reader.take("tool_call_id");
  const { parts, hints } = readContent(reader, "tool", scope);
  const content = reader.peek("content");
  const part = defined<PartOf<"tool-result">>({
    type: "tool-result",
    callId: hasId ? id : (scope.unanswered.answer("tool") ?? `~${scope.made}.0`),
    output: typeof content === "string" || Array.isArray(content) ? parts : undefined,
    ...kept(chatParts, undefined, spelling === undefined ? {} : { $id: spelling }),
  });
  return { head: { role: "tool", ...messageRest(reader, hints) }, parts: [{ place: 0, part }] };
}

// assistant

/** Its members have no order among them: the parts get their fixed places. */
export function readAssistant(reader: Reader, scope: Scope): ReadMessage {
  const carry = reader.json(carryMember);
  const hasRole = reader.literal("role", "assistant");
  const said = readSaid(reader, scope);
  const plan = readPlan(reader);
  const list = reader.peek("citations");
  const isCited = Array.isArray(list) && list.length > 0;
  if (isCited) reader.take("citations");
  const cited = isCited ? readCitations(list, said.parts) : { content: said.parts, others: [] };
  const parts: Placed[] = [
    ...cited.content.map((part, index) => ({ place: places.content + index, part })),
    ...plan.parts,
    ...cited.others,
    ...readCalls(reader, scope),
  ];
  const isRoleless = !hasRole && reader.peek("role") === undefined;
  const hints = { ...said.hints, ...plan.hints, ...(isRoleless && { $role: false }) };
  return { head: { role: "assistant", ...messageRest(reader, hints) }, parts, carry };
}

/** Nothing said is a spelling of no content; in answers content is a list, in histories mostly a text. */
function readSaid(reader: Reader, scope: Scope): Content {
  const isAnswer = scope.context.shape === "answer" || scope.context.shape === "stream";
  const wire = reader.peek("content");
  if (wire === "" || wire === null || (Array.isArray(wire) && wire.length === 0)) {
    reader.take("content");
    return { parts: [], hints: { $content: Array.isArray(wire) ? "empty" : wire } };
  }
  const { parts, hints } = readContent(reader, "assistant", scope);
  const { $content: form, ...others } = hints;
  if (typeof wire === "string") return { parts, hints: isAnswer ? { $content: "text" } : {} };
  return { parts, hints: form === "list" && !isAnswer ? { ...others, $content: form } : others };
}

/**
 * What a model of Cohere's plans to do with its tools is a reasoning, which it says before its calls: the API itself calls
 * it a chain of thought, shows it apart from the answer, and takes it back in its own member.
 */
function readPlan(reader: Reader): { readonly parts: readonly Placed[]; readonly hints: JsonObject } {
  const text = reader.string("tool_plan");
  if (text === undefined) return { parts: [], hints: {} };
  if (text === "") return { parts: [], hints: { $plan: text } };
  const part: Part = { type: "reasoning", text, ...kept(family, undefined, { $place: "plan" }) };
  return { parts: [{ place: places.plan, part }], hints: {} };
}

function readCalls(reader: Reader, scope: Scope): readonly Placed[] {
  const wire = reader.peek("tool_calls");
  const list = Array.isArray(wire) ? (wire as readonly Json[]) : []; // a list of JSON
  if (list.length > 0) reader.take("tool_calls");
  else if (wire !== undefined && wire !== null && !Array.isArray(wire)) {
    scope.context.issue("unknown-tool-calls", at(scope.path, "tool_calls"), "expected a list; kept as it is");
  }
  return list.map((call, index): Placed => {
    const made = `~${scope.made}.${index}`;
    const path = at(scope.path, "tool_calls", index);
    const part = readToolCall(call, path, { made, position: index, issues: scope.context });
    if (part.type === "tool-call" && part.callId === made) scope.unanswered.ask(["tool"], made);
    const placed = part.type === "opaque" ? { ...part, family, ...kept(family, undefined, { $place: "calls" }) } : part;
    return { place: places.calls + index, part: placed };
  });
}
