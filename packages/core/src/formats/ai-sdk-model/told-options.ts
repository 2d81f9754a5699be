/** Which provider options a call and its result have when the SDK tells UI messages to a model. */

import { noFields, writeMetadata } from "../../blocks/ai-sdk/metadata.ts";
import { modelFamily, ownOf, readOptions, sharedOf } from "../../blocks/ai-sdk/model-part.ts";
import { family } from "../../blocks/ai-sdk/part.ts";
import { callMetadataOf } from "../../blocks/ai-sdk/tool-writing.ts";
import { type PlacedUse, Uses } from "../../blocks/ai-sdk/uses.ts";
import { Reader } from "../../codec/reader.ts";
import type { Message } from "../../model/conversation.ts";
import { equalJson, type JsonObject } from "../../model/json.ts";
import type { ToolCallPart, ToolResultPart } from "../../model/parts.ts";

type Member = "callProviderMetadata" | "resultProviderMetadata";

/** A client's result has the options of its call; one of the provider's has its own, if there are any. */
export function withCallOptions(result: ToolResultPart, call: ToolCallPart): ToolResultPart {
  if (call.executedBy === "provider" && optionsOf(result)) return result;
  const options = callOptionsOf(call);
  return options || optionsOf(result) ? withOptions(result, "resultProviderMetadata", options) : result;
}

/** Whether the options of a result are told neither with it nor with its call. */
export function losesOptions(result: ToolResultPart, call: ToolCallPart): boolean {
  const own = optionsOf(result);
  if (!own || call.executedBy === "provider") return false;
  const told = callOptionsOf(call);
  const isMoved = told === undefined && result.outcome !== undefined && result.outcome !== "denied";
  return !isMoved && !equalJson(own, told);
}

/** A call that failed has the options of its result where it has none. */
export function withResultOptions(call: ToolCallPart, { result }: PlacedUse): ToolCallPart {
  if (result?.part.outcome === undefined || result.part.outcome === "denied" || callOptionsOf(call)) return call;
  const options = optionsOf(result.part);
  return options ? withOptions(call, "callProviderMetadata", options) : call;
}

/** `withResultOptions` undone: of a client's call that failed, options that its result lacks were the result's. */
export function withOptionsOfResults(messages: readonly Message[]): readonly Message[] {
  const uses = new Uses(messages);
  return messages.map((message, index) => {
    const parts = message.parts.map((part, at) => {
      const entry = uses.entryAt({ message: index, part: at });
      const options = entry && "use" in entry ? optionsToMove(entry.use) : undefined;
      if (!options) return part;
      if (part.type === "tool-call") return withOptions(part, "callProviderMetadata", undefined);
      return part.type === "tool-result" ? withOptions(part, "resultProviderMetadata", options) : part;
    });
    return parts.every((part, at) => part === message.parts[at]) ? message : { ...message, parts };
  });
}

function optionsToMove({ call: { part: call }, result }: PlacedUse): JsonObject | undefined {
  if (result?.part.outcome === undefined || result.part.outcome === "denied" || optionsOf(result.part))
    return undefined;
  // What became a field of the call stays with it.
  const isField = call.executedBy !== undefined || call.kind !== undefined || call.caller !== undefined;
  return isField ? undefined : callOptionsOf(call);
}

/** A denial that is written as an error of its reason. */
export const asError = (result: ToolResultPart): ToolResultPart => ({
  ...result,
  native: { ...result.native, [modelFamily]: { ...ownOf(result), $output: "error-text" } },
});

const optionsOf = (result: ToolResultPart): JsonObject | undefined =>
  writeMetadata(result, noFields, sharedOf(result), "resultProviderMetadata");

function callOptionsOf(call: ToolCallPart): JsonObject | undefined {
  const none = (): undefined => undefined;
  return callMetadataOf({ call }, { generation: 7, lose: { call: none, request: none, response: none, result: none } });
}

type Options = JsonObject | undefined;

/** The part with these options in place of its own. */
function withOptions(part: ToolCallPart, node: Member, options: Options): ToolCallPart;
function withOptions(part: ToolResultPart, node: Member, options: Options): ToolResultPart;
function withOptions(
  { seal: _, cache: __, ...part }: ToolCallPart | ToolResultPart,
  node: Member,
  options: Options,
): ToolCallPart | ToolResultPart {
  const reader = new Reader(options ? { providerOptions: options } : {});
  const { members, kept } = readOptions(reader, noFields, { wire: "providerOptions", node });
  const { [node]: ___, $provider: ____, $cache: _____, ...shared } = sharedOf(part);
  return { ...part, ...members, native: { ...part.native, [family]: { ...shared, ...kept } } };
}
