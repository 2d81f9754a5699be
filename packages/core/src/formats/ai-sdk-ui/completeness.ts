import { isJsonObject } from "../../model/json.ts";
import type { UIVersion } from "./check.ts";

/** What the questions look at, whatever else a message has. */
interface Asked {
  /** A chat's messages, oldest first. */
  readonly messages: readonly AskedMessage[];
  /** Whose rules count: generation 5 takes a preliminary output for one. Default: `v7`. */
  readonly version?: UIVersion;
}
interface AskedMessage {
  readonly role: string;
  readonly parts: readonly object[];
}

/**
 * Whether the last message is the assistant's and every tool call of its last step that the client runs has a result, so that
 * the chat can be sent on: for the SDK's `sendAutomaticallyWhen`. Text after the calls must be done.
 */
export function lastAssistantMessageIsCompleteWithToolCalls({ messages, version = "v7" }: Asked): boolean {
  const step = lastStep(messages);
  const own = step.filter(part => isTool(part) && !part["providerExecuted"]);
  const after = step.slice(step.findLastIndex(part => isTool(part) && !part["providerExecuted"]) + 1);
  const isSaid = after.every(({ type, state }) => type !== "text" || state === "done");
  return own.length > 0 && isSaid && own.every(part => hasOutput(part, version));
}

/**
 * Whether the last message is the assistant's, an approval of its last step was answered, and no call of the step waits for
 * anything else: for the SDK's `sendAutomaticallyWhen`.
 */
export function lastAssistantMessageIsCompleteWithApprovalResponses({ messages }: Pick<Asked, "messages">): boolean {
  const calls = lastStep(messages).filter(isTool);
  const isAnswered = ({ state }: Part): boolean => state === "approval-responded";
  const settled = calls.every(part => isAnswered(part) || part["state"] === "output-denied" || hasOutput(part, "v7"));
  return settled && calls.some(isAnswered);
}

interface Part {
  readonly [member: string]: unknown;
}

/** The parts after the last mark of a step; none where the last message is not the assistant's. */
function lastStep(messages: readonly AskedMessage[]): readonly Part[] {
  const last = messages.at(-1);
  if (last?.role !== "assistant") return [];
  const parts = last.parts.filter(isJsonObject);
  return parts.slice(parts.findLastIndex(({ type }) => type === "step-start") + 1);
}

const isTool = ({ type }: Part): boolean =>
  typeof type === "string" && (type === "dynamic-tool" || type.startsWith("tool-"));

const hasOutput = ({ state, preliminary }: Part, version: UIVersion): boolean =>
  (state === "output-available" && (version === "v5" || preliminary !== true)) || state === "output-error";
