import type {
  Client,
  CreateMessageRequestParams,
  CreateMessageResultWithTools,
  SamplingMessageContentBlock,
} from "@modelcontextprotocol/client";
import {
  accumulator,
  type Conversation,
  type FinishReason,
  isJsonObject,
  type Message,
  type Part,
  type Settings,
} from "translogue";
import { failure } from "../errors.ts";
import { jsonCopy } from "../json-copy.ts";
import { type Model, streamOf } from "../model.ts";
import { blocksOf, partOf, partsOf } from "./content.ts";

/**
 * Lets servers ask a model of this program. Deprecated in the specification of 2026-07-28, where servers are told to call
 * models themselves; served for those that still ask.
 */
export interface SamplingOptions {
  readonly model: Model;
  /** Asked before each request: a person should see what a server has the model read. Default: yes. */
  readonly allow?: (request: SamplingRequest) => boolean | Promise<boolean>;
}

export interface SamplingRequest {
  readonly server: string;
  readonly conversation: Conversation;
}

export const samplingCapability = (options: SamplingOptions | undefined) =>
  options ? { sampling: { tools: {} } } : {};

export function answerSamples(client: Client, { model, allow }: SamplingOptions, server: string): void {
  client.setRequestHandler("sampling/createMessage", async ({ params }, { mcpReq }) => {
    const conversation = conversationOf(params, model);
    if (allow && !(await allow({ server, conversation }))) {
      throw failure("mcp/refused", `the sampling request of \`${server}\` was not allowed`);
    }
    const answer = accumulator();
    for await (const events of streamOf(model, { conversation, signal: mcpReq.signal })) {
      const failed = events.find(event => event.type === "error");
      if (failed) throw new Error(failed.error.message);
      answer.pushAll(events);
    }
    return resultOf(answer.end(), { model, isList: params.tools !== undefined });
  });
}

function conversationOf(params: CreateMessageRequestParams, model: Model): Conversation {
  const { systemPrompt, messages, tools = [], maxTokens, temperature, stopSequences, toolChoice } = params;
  const system: Message[] =
    systemPrompt === undefined ? [] : [{ role: "system", parts: [{ type: "text", text: systemPrompt }] }];
  const settings: Settings = {
    maxOutputTokens: maxTokens,
    ...(temperature !== undefined && { temperature }),
    ...(stopSequences && { stopSequences }),
    ...(toolChoice?.mode && tools.length > 0 && { toolChoice: toolChoice.mode }),
  };
  return {
    messages: [...system, ...messages.flatMap(messagesOf)],
    model: model.id,
    settings,
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, inputSchema }) => ({
        name,
        ...(description !== undefined && { description }),
        input: jsonCopy(inputSchema),
      })),
    }),
  };
}

type Sampled = CreateMessageRequestParams["messages"][number];

/** Results of tools stand in a message of their own. */
function messagesOf({ role, content }: Sampled): Message[] {
  const parts = (Array.isArray(content) ? content : [content]).map(partOfBlock);
  const isResults = parts.length > 0 && parts.every(({ type }) => type === "tool-result");
  return [{ role: isResults ? "tool" : role, parts }];
}

function partOfBlock(block: SamplingMessageContentBlock): Part {
  if (block.type === "tool_use") {
    return { type: "tool-call", callId: block.id, name: block.name, input: jsonCopy(block.input) };
  }
  if (block.type !== "tool_result") return partOf(block);
  const { toolUseId: callId, content = [], structuredContent, isError } = block;
  return {
    type: "tool-result",
    callId,
    output: partsOf(content),
    ...(structuredContent !== undefined && { structured: jsonCopy(structuredContent) }),
    ...(isError && { outcome: "error" as const }),
  };
}

const stopReasons: Partial<Record<FinishReason, string>> = {
  stop: "endTurn",
  "stop-sequence": "stopSequence",
  length: "maxTokens",
  "tool-calls": "toolUse",
};

/** `isList`: the content is a list, which only those who offer tools can read (2025-11-25); for others it is one block. */
function resultOf(
  messages: readonly Message[],
  { model, isList }: { readonly model: Model; readonly isList: boolean },
): CreateMessageResultWithTools {
  const last = messages.at(-1);
  const blocks = messages.flatMap(({ parts }) => parts.flatMap(samplesOf));
  const reason = last?.finish?.reason ?? "stop";
  return {
    role: "assistant",
    model: last?.model ?? model.id,
    stopReason: stopReasons[reason] ?? reason,
    content: isList ? blocks : oneOf(blocks),
  };
}

function oneOf(blocks: readonly SamplingMessageContentBlock[]): SamplingMessageContentBlock {
  const texts = blocks.flatMap(block => (block.type === "text" ? [block.text] : []));
  const [first] = blocks;
  return texts.length === 0 && first ? first : { type: "text", text: texts.join("\n") };
}

/** What a server can be given of an answer: reasoning is the model's own. */
function samplesOf(part: Part): SamplingMessageContentBlock[] {
  if (part.type === "tool-call") {
    const { callId: id, name, input } = part;
    return [{ type: "tool_use", id, name, input: isJsonObject(input) ? { ...input } : {} }];
  }
  return blocksOf([part]).flatMap(block =>
    block.type === "text" || block.type === "image" || block.type === "audio" ? [block] : [],
  );
}
