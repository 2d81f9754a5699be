/** LangChain's chat models as models of an agent. */

import * as messages from "@langchain/core/messages";
import type { Conversation, Event, Json, JsonObject, Loss, Settings, Tool } from "translogue";
import { asJson, langchain, type MessageInstance, toInstances } from "translogue/langchain";
import type { Model, ModelRequest } from "../model.ts";
import { isInWords, withSummaries } from "../models/compactions.ts";
import { type RetryOptions, retrying } from "../models/retrying.ts";
import { sdkError } from "../models/sdk-error.ts";
import { valueEvents } from "../models/values.ts";

/** What is used of a chat model of `@langchain/core`; any of theirs is one. */
export interface ChatModel {
  _llmType(): string;
  stream(messages: never, options?: never): Promise<AsyncIterable<unknown>>;
  /** Absent: the model knows no tools, and a run that has some fails. */
  bindTools?(tools: never, options?: never): Pick<ChatModel, "stream">;
}

export interface ChatModelOptions extends RetryOptions {
  /** As its provider calls it. Default: the model's own `model`, else its type. */
  readonly id?: string;
  /**
   * Who runs it: signatures and ids of no other go there. Default: by the model's type. To be given where a class speaks to
   * another's host (`ChatOpenAI` with a `baseURL`).
   */
  readonly provider?: string;
  /**
   * Settings of a run as call options of the model. A chat model has its settings from its constructor, and its own names
   * for them: what is not mapped here (beside stop sequences and the choice of tools) is reported as a loss.
   */
  readonly callOptions?: (settings: Settings) => JsonObject;
}

/** A chat model. Its own retries come first (`maxRetries`, six times by default); those of this package are off unless asked for. */
export function chatModel(model: ChatModel, options: ChatModelOptions = {}): Model {
  const { model: named } = model as { readonly model?: unknown }; // most have one
  const provider = options.provider ?? model._llmType().split("-")[0] ?? "langchain";
  const id = options.id ?? (typeof named === "string" ? named : model._llmType());
  const asked: Model = { id, provider, stream: request => stream(model, options, request), reads: isInWords };
  return retrying(asked, { retries: 0, ...options });
}

async function* stream(model: ChatModel, options: ChatModelOptions, request: ModelRequest) {
  const { signal, report } = request;
  const { conversation, losses: flattened } = withSummaries(request.conversation);
  const provider = options.provider ?? model._llmType();
  const { messages: history, losses } = toInstances(conversation, messages, { provider });
  const settings = conversation.settings ?? {};
  const mapped = options.callOptions?.(settings);
  report?.({ losses: [...flattened, ...losses, ...unmapped(settings, mapped)] });
  const call = {
    ...(settings.stopSequences && { stop: settings.stopSequences }),
    ...mapped,
    ...(signal && { signal }),
  };
  let chunks: AsyncIterable<unknown>;
  try {
    // What is written is what the methods of the model's own version take.
    chunks = await withTools(model, conversation).stream(history as never, call as never);
  } catch (thrown) {
    signal?.throwIfAborted();
    yield [{ type: "error", error: sdkError(thrown) } as const];
    return;
  }
  const read = (chunk: unknown): { readonly json: Json } => ({ json: asJson(chunk as MessageInstance) }); // or it throws
  yield* ended(valueEvents(chunks, { codec: langchain, dialect: "js-lc", report, signal, read }));
}

/**
 * Chunks of a provider's model say how the answer ended, or it was cut. Those of one's own model (`SimpleChatModel`, the fakes
 * of `@langchain/core`) name no provider and no finish: the end of its stream is the answer's.
 */
async function* ended(batches: AsyncIterable<readonly Event[]>): AsyncGenerator<readonly Event[], void, undefined> {
  let message: number | undefined;
  let isTold = false;
  let reason: "stop" | "tool-calls" = "stop";
  for await (const events of batches) {
    for (const event of events) {
      if (event.type === "error") isTold = true;
      else message = event.message;
      const told = event.type === "message-start" ? event.head : event.type === "message-set" ? event.set : {};
      if (told.finish || told.provider !== undefined) isTold = true;
      if ((event.type === "part" || event.type === "part-start") && event.value.type === "tool-call")
        reason = "tool-calls";
    }
    yield events;
  }
  if (message !== undefined && !isTold) yield [{ type: "message-set", message, set: { finish: { reason } } }];
}

function withTools(model: ChatModel, { tools = [], settings }: Conversation): Pick<ChatModel, "stream"> {
  if (tools.length === 0) return model;
  if (!model.bindTools)
    throw new Error(`the chat model \`${model._llmType()}\` takes no tools: it has no \`bindTools\``);
  const choice = settings?.toolChoice && choiceOf(settings.toolChoice);
  return model.bindTools(tools.map(toolOf) as never, { ...(choice !== undefined && { tool_choice: choice }) } as never);
}

/** As OpenAI has it, which LangChain's models read and put into their provider's form. */
const toolOf = ({ name, description, input, strict }: Tool): JsonObject => ({
  type: "function",
  function: {
    name,
    ...(description !== undefined && { description }),
    parameters: input ?? { type: "object", properties: {} },
    ...(strict !== undefined && { strict }),
  },
});

function choiceOf(choice: NonNullable<Settings["toolChoice"]>): string {
  if (typeof choice !== "string") return "name" in choice ? choice.name : choice.required ? "any" : "auto";
  return choice === "required" ? "any" : choice;
}

/** Settings that reach no call option. */
function unmapped({ stopSequences: _, toolChoice: __, ...settings }: Settings, mapped: JsonObject | undefined): Loss[] {
  if (mapped) return [];
  return Object.keys(settings).map(name => ({
    kind: "dropped",
    code: "setting",
    path: ["settings", name],
    message: `\`${name}\` has no call option that all chat models share: give it to the model's constructor, or map it by \`callOptions\``,
  }));
}
