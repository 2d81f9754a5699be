import type { Message } from "../model/conversation.ts";
import { jsonTextOf } from "../model/json-text.ts";
import { pairResults } from "../model/pairing.ts";
import type { Part, ToolResultPart } from "../model/parts.ts";

/** Calls in words: each tool's name with what it gave, in the order of the first calls. Text of a tool's message without results counts for the next call that has none. */
export function toolDigest(messages: readonly Message[]): string {
  const parts = messages.flatMap(message => message.parts);
  const results = new Map([...pairResults(messages)].map(([result, call]) => [call, result]));
  const loose = messages.flatMap(message =>
    message.role === "tool" && !message.parts.some(({ type }) => type === "tool-result") ? [saidIn(message.parts)] : [],
  );
  const lines = new Map<string, string[]>();
  for (const call of parts) {
    if (call.type !== "tool-call") continue;
    const result = results.get(call);
    const said = result ? resultText(result) : (loose.shift() ?? "");
    const list = lines.get(call.name) ?? [];
    lines.set(call.name, list);
    if (said !== "") list.push(`\n  - ${said}`);
  }
  return `[Tool Calls]${[...lines].map(([name, said]) => `\n${name}:${said.join("")}`).join("")}`;
}

const resultText = ({ output }: ToolResultPart): string => saidIn(output ?? []);

const saidIn = (parts: readonly Part[]): string => parts.map(textOf).join("");

function textOf(part: Part): string {
  switch (part.type) {
    case "text":
    case "refusal":
      return part.text;
    case "data":
      return part.data === null ? "" : (jsonTextOf(part, "data") ?? "");
    case "error":
      return part.message;
    case "file":
      return "text" in part.source ? part.source.text : `[${part.mediaType ?? "file"}]`;
    default:
      return "";
  }
}
