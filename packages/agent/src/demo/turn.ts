import type { Conversation, FilePart, Message, ToolCallPart, ToolResultPart } from "translogue";

export type Language = "en" | "zh";

/** What the demo model looks at: the last thing a person said, and what was done about it since. */
export interface Turn {
  readonly text: string;
  readonly files: readonly FilePart[];
  readonly language: Language;
  /** Nothing was answered in this conversation yet. */
  readonly isFirst: boolean;
  readonly done: readonly { readonly call: ToolCallPart; readonly result: ToolResultPart }[];
  /** Names of the tools that are offered. */
  readonly tools: ReadonlySet<string>;
  /** Calls of a tool so far, over the whole conversation. */
  readonly callsOf: (tool: string) => number;
}

export function readTurn({ messages, tools = [] }: Conversation): Turn {
  const last = messages.findLastIndex(isSaid);
  const said = messages[last]?.parts ?? [];
  const text = said.map(part => (part.type === "text" ? part.text : "")).join("\n");
  const all = callsIn(messages);
  const results = new Map(
    messages
      .slice(last + 1)
      .flatMap(({ parts }) =>
        parts.flatMap(part => (part.type === "tool-result" ? [[part.callId, part] as const] : [])),
      ),
  );
  const done = callsIn(messages.slice(last + 1)).flatMap(call => {
    const result = results.get(call.callId);
    return result ? [{ call, result }] : [];
  });
  return {
    text,
    files: said.filter(part => part.type === "file"),
    language: /\p{Script=Han}/u.test(text) ? "zh" : "en",
    isFirst: !messages.some(({ role, parts }) => role === "assistant" && parts.some(({ type }) => type === "text")),
    done,
    tools: new Set(tools.map(({ name }) => name)),
    callsOf: tool => all.filter(({ name }) => name === tool).length,
  };
}

/** An answer to a request for approval is no new turn. */
const isSaid = ({ role, parts }: Message): boolean =>
  role === "user" && !(parts.length > 0 && parts.every(({ type }) => type === "approval-response"));

const callsIn = (messages: readonly Message[]): ToolCallPart[] =>
  messages.flatMap(({ parts }) => parts.filter(part => part.type === "tool-call"));
