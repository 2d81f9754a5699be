import type { Message } from "../model/conversation.ts";
import { demandMessages } from "../model/given.ts";
import { demandOptions, type OptionRules, oneOf } from "../model/options.ts";
import type { Part } from "../model/parts.ts";
import { sameList } from "./same-list.ts";

/** Everywhere, or before the last messages. */
export type PruneRange = "all" | "before-last-message" | `before-last-${number}-messages`;

export interface PruneOptions {
  /** Reasoning that goes. Absent = none. */
  readonly reasoning?: "none" | "all" | "before-last-message";
  /** Calls that go, with their results and approvals; of these tools only, where a rule names some. Absent = none. */
  readonly toolCalls?:
    | "none"
    | PruneRange
    | readonly { readonly type: PruneRange; readonly tools?: readonly string[] }[];
  /** Messages without parts. Absent = "remove". */
  readonly emptyMessages?: "keep" | "remove";
}

const rules: OptionRules<PruneOptions> = {
  reasoning: oneOf("none", "all", "before-last-message"),
  toolCalls: [
    value =>
      value === "none" ||
      isRange(value) ||
      (Array.isArray(value) && value.every(rule => isRange((rule as CallRule | null)?.type))), // any value may be asked
    "`none`, `all`, `before-last-message`, `before-last-3-messages`, or a list of `{ type, tools? }` with one of the last three",
  ],
  emptyMessages: oneOf("keep", "remove"),
};

const isRange = (value: unknown): boolean =>
  typeof value === "string" && /^(?:all|before-last-message|before-last-\d+-messages)$/.test(value);

/**
 * The messages without old reasoning and old calls. Both sides of a call go together: a call, result or approval that one of
 * the last messages has stays wherever it stands. Reasoning goes with what it was followed by.
 */
export function prune(messages: readonly Message[], options: PruneOptions = {}): readonly Message[] {
  demandMessages(messages);
  demandOptions(options, rules, "history/bad-option");
  let left = withoutReasoning(messages, options.reasoning ?? "none");
  for (const rule of rulesOf(options.toolCalls)) left = withoutCalls(left, rule);
  return sameList(messages, options.emptyMessages === "keep" ? left : left.filter(({ parts }) => parts.some(says)));
}

interface CallRule {
  readonly type: PruneRange;
  readonly tools?: readonly string[];
}

const rulesOf = (toolCalls: PruneOptions["toolCalls"] = "none"): readonly CallRule[] =>
  toolCalls === "none" ? [] : typeof toolCalls === "string" ? [{ type: toolCalls }] : toolCalls;

/** How many of the last messages a range leaves alone. */
function leftAlone(range: PruneRange): number {
  if (range === "all") return 0;
  return range === "before-last-message" ? 1 : Number(/\d+/.exec(range)?.[0] ?? 0);
}

const says = (part: Part): boolean => part.type !== "text" || part.text !== "" || part.seal !== undefined;

const isReasoning = (part: Part): boolean =>
  part.type === "reasoning" || (part.type === "file" && part.reasoning === true);

function withoutReasoning(
  messages: readonly Message[],
  range: "none" | "all" | "before-last-message",
): readonly Message[] {
  if (range === "none") return messages;
  return messages.map((message, index) => {
    const stays = message.role !== "assistant" || (range === "before-last-message" && index === messages.length - 1);
    return stays
      ? message
      : withParts(
          message,
          message.parts.map(part => !isReasoning(part)),
        );
  });
}

function withoutCalls(messages: readonly Message[], rule: CallRule): readonly Message[] {
  const border = messages.length - leftAlone(rule.type);
  const facts = factsOf(messages, border);
  return messages.map((message, index) => {
    if (index >= border || (message.role !== "assistant" && message.role !== "tool")) return message;
    const kept = message.parts.map(part => isKept(part, facts, rule));
    return withParts(message, message.role === "assistant" ? withReasons(message.parts, kept) : kept);
  });
}

interface Facts {
  /** Calls that the last messages speak of. */
  readonly calls: ReadonlySet<string>;
  readonly requests: ReadonlySet<string>;
  readonly names: ReadonlyMap<string, string>;
  /** Ids of requests → the calls that they ask for. */
  readonly asked: ReadonlyMap<string, string>;
}

function factsOf(messages: readonly Message[], border: number): Facts {
  const calls = new Set<string>();
  const requests = new Set<string>();
  const names = new Map<string, string>();
  const asked = new Map<string, string>();
  const look = (part: Part, isLast: boolean): void => {
    if (part.type === "tool-call" || part.type === "tool-result") {
      if (part.name !== undefined) names.set(part.callId, part.name);
      if (isLast) calls.add(part.callId);
    } else if (part.type === "approval-request" || part.type === "approval-response") {
      if (part.callId !== undefined) asked.set(part.requestId, part.callId);
      if (isLast) requests.add(part.requestId);
    }
  };
  messages.forEach(({ parts }, index) => {
    for (const part of parts) look(part, index >= border);
  });
  for (const request of requests) {
    const call = asked.get(request);
    if (call !== undefined) calls.add(call);
  }
  return { calls, requests, names, asked };
}

function isKept(part: Part, facts: Facts, { tools }: CallRule): boolean {
  const isOther = (callId: string | undefined): boolean => {
    const name = callId === undefined ? undefined : facts.names.get(callId);
    return tools !== undefined && name !== undefined && !tools.includes(name);
  };
  switch (part.type) {
    case "tool-call":
    case "tool-result":
      return facts.calls.has(part.callId) || isOther(part.callId);
    case "approval-request":
    case "approval-response":
      return facts.requests.has(part.requestId) || isOther(facts.asked.get(part.requestId));
    default:
      return true;
  }
}

/** A run of reasoning stays only where something that it was made for does, up to the next run. */
function withReasons(parts: readonly Part[], kept: readonly boolean[]): readonly boolean[] {
  const stays = [...kept];
  let begin = 0;
  while (begin < parts.length) {
    const first = parts.findIndex((part, index) => index >= begin && isReasoning(part));
    if (first === -1) break;
    let behind = first;
    while (behind < parts.length && parts.slice(behind, behind + 1).some(isReasoning)) behind++;
    let end = behind;
    while (end < parts.length && !parts.slice(end, end + 1).some(isReasoning)) end++;
    if (end > behind && !kept.slice(behind, end).includes(true)) stays.fill(false, first, behind);
    begin = end;
  }
  return stays;
}

function withParts(message: Message, kept: readonly boolean[]): Message {
  return kept.includes(false) ? { ...message, parts: message.parts.filter((_, index) => kept[index]) } : message;
}
