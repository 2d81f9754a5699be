import { equalJson, isJsonObject, type Json, type JsonObject } from "translogue";
import { type Compared, listOf } from "./aisdk-provider-given.ts";
import { isEmpty, member } from "./aisdk-provider-places.ts";
import { geminiRequest } from "./gemini-normal.ts";
import { anthropicRequest, chatMessages, responsesItems } from "./maf-normal.ts";

/** A request in the one spelling that both are compared in. */
export function normal(request: Json): unknown {
  if (!isJsonObject(request)) return request;
  if (request["contents"] !== undefined) return geminiRequest(request);
  if (request["max_tokens"] !== undefined && isOfAnthropic(request))
    return withoutDirect(anthropicRequest(withoutEmpty(request), ["system", "user", "assistant"]));
  const { messages, input } = request;
  return {
    ...request,
    ...(messages !== undefined && {
      messages: isOfConverse(messages) ? joinedTurns(messages) : chatMessages(messages),
    }),
    ...(input !== undefined && { input: responsesItems(input) }),
  };
}

/** A turn without blocks says nothing, and parts no others. */
const withoutEmpty = ({ messages, ...request }: JsonObject): JsonObject => ({
  ...request,
  messages: (listOf(messages) as readonly Json[]).filter(message => !isEmpty(member(message, "content"))), // of a request
});

/** A call that nobody's program made may say so. */
function withoutDirect(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirect);
  if (!isJsonObject(value)) return value;
  const isDirect = value["type"] === "tool_use" && equalJson(value["caller"], { type: "direct" });
  const members = Object.entries(value).filter(([key]) => !isDirect || key !== "caller");
  return Object.fromEntries(members.map(([key, inner]) => [key, withoutDirect(inner)]));
}

/** Blocks without a type, in lists. */
const isOfConverse = (messages: Json): boolean =>
  listOf(messages).every(
    message =>
      Array.isArray(member(message, "content")) &&
      listOf(member(message, "content")).every(block => isJsonObject(block) && block["type"] === undefined),
  );

/** Neighbouring turns of one side are one. */
function joinedTurns(messages: Json): unknown {
  const joined: JsonObject[] = [];
  for (const message of listOf(messages) as readonly JsonObject[]) {
    const last = joined.at(-1);
    if (last?.["role"] !== message["role"]) joined.push(message);
    else
      joined[joined.length - 1] = {
        ...last,
        content: [...(listOf(last?.["content"]) as Json[]), ...(listOf(message["content"]) as Json[])],
      };
  }
  return joined;
}

/** Blocks and system as Anthropic has them. */
const isOfAnthropic = ({ system, messages, tools }: JsonObject): boolean =>
  system !== undefined ||
  (Array.isArray(messages) && messages.every(message => Array.isArray(member(message, "content")))) ||
  (Array.isArray(tools) && tools.some(tool => member(tool, "input_schema") !== undefined));

/** What stands in the turns of a request. */
export const blocksOf = (request: unknown): readonly unknown[] => {
  const turns = member(request, "messages") ?? member(request, "contents");
  return (Array.isArray(turns) ? turns : []).flatMap(turn => member(turn, "content") ?? member(turn, "parts") ?? []);
};

export const isThinking = (request: unknown): boolean => {
  const kind = member(member(request, "thinking"), "type");
  return kind !== undefined && kind !== "disabled";
};

/** Whether the words that both have follow each other alike, each on its side, and every result its call. */
export function isToldInTurn({ theirs, ours }: Compared): boolean {
  const [own, wanted] = [ours, theirs].map(request =>
    listOf(member(request, "messages")).flatMap(turn =>
      listOf(member(turn, "content")).flatMap(block => {
        const text = member(block, "text");
        return typeof text === "string" ? [`${String(member(turn, "role"))} ${text}`] : [];
      }),
    ),
  );
  const inBoth = (own ?? []).filter(text => wanted?.includes(text));
  const ordered = (wanted ?? []).filter(text => own?.includes(text));
  return inBoth.join("\n") === ordered.join("\n") && isAnsweredBehind(blocksOf(ours));
}

/** Whether no result stands before its call. */
function isAnsweredBehind(blocks: readonly unknown[]): boolean {
  const calls = blocks.map(block => member(block, "id") ?? member(member(block, "toolUse"), "toolUseId"));
  return blocks.every((block, index) => {
    const id = member(block, "tool_use_id") ?? member(member(block, "toolResult"), "toolUseId");
    return id === undefined || calls.indexOf(id) < index;
  });
}
