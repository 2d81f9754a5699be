import type { Message } from "translogue";
import type { Agent } from "../agent.ts";
import { toolNameOf } from "./agent-tool.ts";
import { checkToolName } from "./name.ts";
import type { AgentTool, ApprovalRule } from "./tool.ts";

/** What the next agent reads of what was said before it led: all of it, its texts and files alone, or what a function leaves. */
export type HandOffHistory = "all" | "text" | ((messages: readonly Message[]) => readonly Message[]);

export interface HandOffOptions {
  /** Default: `transfer_to_` and the agent's name. */
  readonly name?: string;
  /** Default: says to whom, and what that agent is. */
  readonly description?: string;
  /** Default `all`. */
  readonly history?: HandOffHistory;
  readonly needsApproval?: ApprovalRule<Record<string, never>>;
}

/**
 * A tool that makes another agent lead the session: once all calls of the answer have their results that agent answers, and
 * the next turns are its own, whichever of the two is run. Of several in one answer the first counts. Throws `tool/invalid`.
 */
export function handOffTool(agent: Agent, options: HandOffOptions = {}): AgentTool {
  const { name = `transfer_to_${toolNameOf(agent)}`.slice(0, 64), needsApproval, history } = options;
  const known = agent.name ?? "another agent";
  const about = agent.description === undefined ? "" : ` ${agent.description}`;
  checkToolName(name);
  return {
    name,
    description: options.description ?? `Hands the conversation over to ${known}.${about}`,
    input: { type: "object", properties: {} },
    validate: () => ({ ok: true, value: {} }),
    execute: () => `${agent.name ?? "Another agent"} leads the conversation from here on.`,
    ...(needsApproval !== undefined && { needsApproval: needsApproval as ApprovalRule<unknown> }), // as validated
    handsOff: agent,
    ...(history !== undefined && { handedHistory: history }),
  };
}

/** Texts and files of people and agents. */
export const textAlone = (messages: readonly Message[]): readonly Message[] =>
  messages.flatMap(message => {
    if (message.role === "tool") return [];
    const parts = message.parts.filter(({ type }) => type === "text" || type === "file");
    return parts.length === 0 ? [] : [parts.length === message.parts.length ? message : { ...message, parts }];
  });
