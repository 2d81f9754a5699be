import { bedrock, idsToName, makerOf, type ReadScope, type WriteScope } from "../../blocks/bedrock-converse/node.ts";
import type { DecodeContext, EncodeContext } from "../../codec/codec.ts";
import type { Message } from "../../model/conversation.ts";
import type { Part } from "../../model/parts.ts";
import { callsOfResults } from "../../model/result-calls.ts";

/** Family of bodies, messages and blocks alike. */
export const family = bedrock;

/** Members of a message's `native` that are those of its answer, and no members of a message in a request. */
export const envelopeMembers = ["answer", "output", "usage"] as const;

export const readScope = (context: DecodeContext, model?: string): ReadScope => ({
  maker: makerOf(model),
  issue: (code, path, message) => context.issue(code, path, message),
});

export function writeScope(messages: readonly Message[], context: EncodeContext): WriteScope {
  return {
    ...baseScope(context),
    callOf: callsOfResults(messages),
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
    declares: () => false,
    lose: (code, path, detail) => context.lose(code, path, detail),
  };
}

/** The one text that a list of parts is, where it is nothing else. */
export function plainText(parts: readonly Part[]): string | undefined {
  const [only] = parts;
  return parts.length === 1 && only?.type === "text" && Object.keys(only).length === 2 ? only.text : undefined;
}
