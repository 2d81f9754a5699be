import { bedrock, idsToName, makerOf, type ReadScope, type WriteScope } from "../../blocks/bedrock-converse/node.ts";
import type { DecodeContext, EncodeContext } from "../../codec/codec.ts";
import type { Message } from "../../model/conversation.ts";
import { pairResults } from "../../model/pairing.ts";
import type { Part, ToolCallPart } from "../../model/parts.ts";

/** Family of bodies, messages and blocks alike. */
export const family = bedrock;

/** Members of a message's `native` that are those of its answer, and no members of a message in a request. */
export const envelopeMembers = ["answer", "output", "usage"] as const;

export const readScope = (context: DecodeContext, model?: string): ReadScope => ({
  maker: makerOf(model),
  issue: (code, path, message) => context.issue(code, path, message),
});

export function writeScope(messages: readonly Message[], context: EncodeContext): WriteScope {
  const pairs = pairResults(messages);
  const calls = new Map<string, ToolCallPart>();
  for (const { parts } of messages)
    for (const part of parts) if (part.type === "tool-call") calls.set(part.callId, part);
  return {
    ...baseScope(context),
    // A second result of a call answers none, but is of its kind.
    callOf: result => pairs.get(result) ?? calls.get(result.callId),
    named: idsToName(messages),
  };
}

export function baseScope(context: EncodeContext): WriteScope {
  return {
    recipient: context.recipient,
    // Only a request names the model that is asked.
    maker: makerOf(context.shape === "request" ? context.model : undefined),
    callOf: () => undefined,
    named: new Set(),
    documents: new Set(),
    lose: (code, path, detail) => context.lose(code, path, detail),
  };
}

/** The one text that a list of parts is, where it is nothing else. */
export function plainText(parts: readonly Part[]): string | undefined {
  const [only] = parts;
  return parts.length === 1 && only?.type === "text" && Object.keys(only).length === 2 ? only.text : undefined;
}
