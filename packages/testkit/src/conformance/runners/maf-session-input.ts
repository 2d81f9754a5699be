import type { AgentSession } from "@translogue/agent";
import {
  type ApprovalResponsePart,
  equalJson,
  isJsonObject,
  type Json,
  type JsonObject,
  type Message,
  type Part,
  type ToolCallPart,
} from "translogue";
import type { MafLoopRule } from "../rules/maf-loop.ts";
import { objects, readMessages } from "./maf-loop-compared.ts";

/**
 * Answers that ours refuses, with the whole input, where the original goes on without what is wrong about them: by our code,
 * the rule and what is left. An answer to what was not asked is none, of two the first counts, and the call is the one that
 * was asked about.
 */
const mended: {
  readonly [code: string]: { readonly rule: MafLoopRule; keep(answer: Answer, seen: Known): readonly Part[] };
} = {
  "approval/unknown": {
    rule: "maf forged approvals",
    keep: (answer, { pending }) => (pending.has(answer.requestId) ? [answer] : []),
  },
  "approval/answered": {
    rule: "maf repeated answers",
    keep: (answer, { pending, answered }) =>
      pending.has(answer.requestId) && answered.has(answer.requestId) ? [] : [answer],
  },
  "approval/changed-call": {
    rule: "maf bound calls",
    keep: (answer, { pending }) => {
      const call = pending.get(answer.requestId);
      return call && answer.call && !isSame(call, answer.call) ? [{ ...answer, call, callId: call.callId }] : [answer];
    },
  },
};

/** By their values: 1.0 is 1. Arguments that are no JSON are their text. */
const isSame = (call: ToolCallPart, other: ToolCallPart): boolean =>
  call.name === other.name && call.callId === other.callId && equalJson(givenOf(call), givenOf(other));
const givenOf = ({ input, inputText }: ToolCallPart) => input ?? inputText ?? null;

type Answer = ApprovalResponsePart;
interface Known {
  readonly pending: ReadonlyMap<string, ToolCallPart>;
  readonly answered: ReadonlySet<string>;
}

/** The input with its answers as the original takes them, and the rule; nothing where no answer has that fault. */
export function mendedInput(
  input: readonly Message[],
  code: string | undefined,
  session: Pick<AgentSession, "messages" | "pendingApprovals">,
): { readonly rule: MafLoopRule; readonly input: readonly Message[] } | undefined {
  const way = code === undefined ? undefined : mended[code];
  if (!way) return undefined;
  // What a service asks itself stands in the history alone.
  const asked = session.messages.flatMap(({ parts }) =>
    parts.flatMap(part => (part.type === "approval-request" && part.call ? [{ ...part, call: part.call }] : [])),
  );
  const pending = new Map(
    [...asked, ...session.pendingApprovals].map(({ requestId, call }) => [requestId, call] as const),
  );
  const answered = new Set<string>();
  let isMended = false;
  const messages = input.flatMap(message => {
    const parts = message.parts.flatMap(part => {
      if (part.type !== "approval-response") return [part];
      const kept = way.keep(part, { pending, answered });
      answered.add(part.requestId);
      isMended ||= kept[0] !== part;
      return kept;
    });
    return parts.length === 0 && message.parts.length > 0 ? [] : [{ ...message, parts }];
  });
  return isMended ? { rule: way.rule, input: messages } : undefined;
}

/** The input of a run: answers name the requests of ours that are about their calls. */
export function inputOf(
  given: Json | undefined,
  session: AgentSession | undefined,
): string | readonly Message[] | undefined {
  if (typeof given === "string") return given;
  if (!Array.isArray(given)) return undefined;
  const always = new Map<string, string>();
  const plain = objects(given).map(message => ({
    ...message,
    contents: objects(message["contents"]).map(content => answerIn(content, always)),
  }));
  const pending = session?.pendingApprovals ?? [];
  return readMessages(plain).map(message => ({
    ...message,
    parts: message.parts.map(part => {
      if (part.type !== "approval-response") return part;
      const own =
        pending.find(({ requestId }) => requestId === part.requestId) ??
        pending.find(({ call }) => `ficc_${call.callId}` === part.requestId);
      const optionId = always.get(part.requestId);
      return { ...part, requestId: own?.requestId ?? part.requestId, ...(optionId !== undefined && { optionId }) };
    }),
  }));
}

function answerIn(content: JsonObject, always: Map<string, string>): JsonObject {
  const { alwaysApprove, request, reason } = content;
  if (alwaysApprove === undefined || !isJsonObject(request)) return content;
  const { requestId, toolCall = null } = request;
  always.set(String(requestId), alwaysApprove === "tool" ? "allow-always" : "allow-always-arguments");
  return {
    $type: "toolApprovalResponse",
    approved: true,
    toolCall,
    requestId: requestId ?? null,
    ...(reason !== undefined && { reason }),
  };
}
