import {
  decodeModelOutput,
  decodeModelPart,
  family,
  type Generation,
  nothingKnown,
  plain,
} from "../../blocks/ai-sdk/model.ts";
import { natives } from "../../blocks/ai-sdk/model-part.ts";
import { encodeOutput } from "../../blocks/ai-sdk/output.ts";
import { stateOf } from "../../blocks/ai-sdk/tools.ts";
import { type Entry, type Place, type PlacedUse, Uses } from "../../blocks/ai-sdk/uses.ts";
import { decodeWith } from "../../codec/decode.ts";
import { encodeWith } from "../../codec/encode.ts";
import { present } from "../../codec/reader.ts";
import { refusalLoss } from "../../codec/refusals.ts";
import type { Message } from "../../model/conversation.ts";
import type { Issue, Loss } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { DataPart, Part, PartOf, SourcePart, ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import { aiSdkModel } from "./codec.ts";
import { asError, losesOptions, withCallOptions, withResultOptions } from "./told-options.ts";
import { generationOf, type ModelVersion, uiMessages } from "./ui.ts";

/** What a tool says to the model instead of its output: in generation 5 of the output, later of `{ toolCallId, input, output }`. */
export interface ModelTool {
  toModelOutput?(about: unknown): unknown;
}

export interface ToModelOptions {
  /** The generation of both forms. Default `v7`. */
  readonly version?: ModelVersion;
  /** Leaves out calls without a final result, as in the SDK. */
  readonly ignoreIncompleteToolCalls?: boolean;
  /** A text or file part for an application's data; undefined = left out. */
  readonly convertDataPart?: (part: JsonObject) => unknown;
  /** By name; they may be those of the SDK. */
  readonly tools?: { readonly [name: string]: ModelTool };
}

export interface ModelMessages {
  readonly messages: readonly Json[];
  /** What is wrong with the UI messages. */
  readonly issues: readonly Issue[];
  /** What model messages do not say of them, by its place in the conversation that they are read as. */
  readonly losses: readonly Loss[];
}

/**
 * UI messages → model messages, with the options of the SDK's `convertToModelMessages`: what `convert` does, and besides
 * what a model must not see is left out: calls that still come, questions that were passed over, other people's data.
 */
export async function toModelMessages(messages: unknown, options: ToModelOptions = {}): Promise<ModelMessages> {
  const { version = "v7" } = options;
  const { conversation, issues } = decodeWith(uiMessages, plain(messages), { shape: "messages", dialect: version });
  const losses: Loss[] = [];
  const preparation = new Preparation(conversation.messages, options, losses);
  const prepared = await preparation.run();
  const written = encodeWith(
    aiSdkModel,
    { ...conversation, messages: prepared },
    { shape: "messages", dialect: version },
  );
  const value = written.value as readonly Json[]; // of the shape asked for
  return { messages: value, issues, losses: [...losses, ...written.losses] };
}

/** Whether the part said nothing of its state: generation 5 passes such calls on. */
function isStateless({ native }: ToolCallPart): boolean {
  const hint = native?.[family]?.["$state"];
  return Array.isArray(hint) && hint[1] === "none";
}

/** To the SDK, `null` is no arguments of a failed call (but of generation 5's dynamic ones): `rawInput` counts, if there is one. */
function withFailedArguments(call: ToolCallPart, { result }: PlacedUse): ToolCallPart {
  if (call.input !== null || result?.part.outcome === undefined || result.part.outcome === "denied") return call;
  const { input: _, ...others } = call;
  const raw = call.native?.[family]?.["rawInput"];
  return raw === undefined || raw === null ? others : { ...others, input: raw };
}

/** What is put in the place of a part. */
type Replacement = readonly Part[];

class Preparation {
  readonly #messages: readonly Message[];
  readonly #options: ToModelOptions;
  readonly #generation: Generation;
  readonly #losses: Loss[];
  readonly #uses: Uses;
  /** The last message of a user's. */
  readonly #lastUser: number;

  constructor(messages: readonly Message[], options: ToModelOptions, losses: Loss[]) {
    this.#messages = messages;
    this.#options = options;
    this.#generation = generationOf(options.version ?? "v7");
    this.#losses = losses;
    this.#uses = new Uses(messages);
    this.#lastUser = messages.findLastIndex(({ role, run }) => role === "user" && run === undefined);
  }

  async run(): Promise<Message[]> {
    const prepared: Message[] = [];
    for (const [index, message] of this.#messages.entries()) {
      const parts: Part[] = [];
      for (const [at, part] of message.parts.entries())
        parts.push(...(await this.#part(part, { message: index, part: at })));
      const isSame = parts.length === message.parts.length && parts.every((part, at) => part === message.parts[at]);
      // A message in which nothing is left is not sent; one of a user's stays a turn.
      if (parts.length > 0 || message.role === "user" || message.role === "system")
        prepared.push(isSame ? message : { ...message, parts });
    }
    return prepared;
  }

  async #part(part: Part, at: Place): Promise<Replacement> {
    if (part.type === "data" || part.type === "source") return this.#data(part, at);
    if (this.#generation < 6 && (part.type === "approval-request" || part.type === "approval-response")) {
      this.#lose(part.type, at, "generation 5 has no approvals");
      return [];
    }
    const entry = this.#uses.entryAt(at);
    if (!entry || !("use" in entry)) return [part];
    const why = this.#leftOut(entry.use);
    if (why !== undefined) {
      this.#lose("incomplete-call", at, why);
      return [];
    }
    if (part.type === "tool-call") {
      const isAsIs = this.#generation < 6 && part.native?.[family]?.["$dynamic"] === true;
      const call = isAsIs ? part : withFailedArguments(part, entry.use);
      return [this.#generation < 6 ? call : withResultOptions(call, entry.use)];
    }
    if (part.type === "tool-result") return await this.#result(part, entry.use, at);
    return part.type === "approval-response" ? this.#answer(part, entry, at) : [part];
  }

  /** Why a call is not told at all. */
  #leftOut({ call, request, response, result }: PlacedUse): string | undefined {
    const state = stateOf({
      call: call.part,
      ...(request && { request: request.part }),
      ...(response && { response: response.part }),
      ...(result && { result: result.part }),
    });
    if (state === "input-streaming") return "the call still comes";
    const isPassed = call.at.message < this.#lastUser && this.#generation >= 7;
    if (state === "approval-requested" && isPassed) return "the question was passed over";
    if (this.#options.ignoreIncompleteToolCalls !== true) return undefined;
    const isAsked = state === "approval-requested" && this.#generation >= 6;
    const isNameless = this.#generation < 6 && isStateless(call.part);
    if ((state === "input-available" && !isNameless) || isAsked) return "the call has no result";
    return result?.part.preliminary ? "the result is preliminary" : undefined;
  }

  /** A denial is told as the call's result where nothing else would be. */
  #answer(part: PartOf<"approval-response">, entry: Entry, at: Place): Replacement {
    const use = "use" in entry ? entry.use : undefined;
    if (part.approved || !use || use.result || this.#generation < 7) return [part];
    const output = part.reason === undefined ? {} : { output: [{ type: "text", text: part.reason } as const] };
    const { callId, name } = use.call.part;
    this.#losses.push(refusalLoss(["messages", at.message, "parts", at.part]));
    const result: ToolResultPart = { type: "tool-result", callId, name, ...output, outcome: "denied" };
    return [part, withCallOptions(result, use.call.part)];
  }

  async #result(part: ToolResultPart, { call }: PlacedUse, at: Place): Promise<Replacement> {
    const isProviders = call.part.executedBy === "provider";
    const isOld = this.#generation < 6;
    if (!isOld && losesOptions(part, call.part))
      this.#lose("result-options", at, "the SDK tells the result of a client with the options of its call");
    if (part.outcome === undefined) {
      const said = await this.#output(part, call.part);
      return [isOld ? said : withCallOptions(said, call.part)];
    }
    if (part.outcome === "denied") return this.#denied(part, call.part, at);
    const result = isOld ? part : withCallOptions(part, call.part);
    if (!isProviders) return [result];
    const [only, ...others] = result.output ?? [];
    const isText = only?.type === "text" && others.length === 0;
    return [isText ? { ...result, output: [{ type: "data", data: only.text }] } : result];
  }

  /** The SDK tells a stored denial as an error, and of the provider's own tools not at all. */
  #denied(part: ToolResultPart, call: ToolCallPart, at: Place): Replacement {
    if (this.#generation < 6) return [part];
    if (call.executedBy !== "provider") return [withCallOptions(asError(part), call)];
    this.#lose("denied-result", at, "the provider knows of the answer");
    return [];
  }

  async #output(part: ToolResultPart, { name, input, callId, native }: ToolCallPart): Promise<ToolResultPart> {
    const tools = this.#options.tools;
    const tool = tools && Object.hasOwn(tools, name) ? tools[name] : undefined;
    if (tool?.toModelOutput) {
      const said = encodeOutput(part, () => undefined);
      const about = this.#generation < 6 ? said : { toolCallId: callId, input, output: said };
      const given = await tool.toModelOutput(about);
      const read = decodeModelOutput(plain(given), { generation: this.#generation, form: "message" });
      if (!read) return part;
      const { output: _, structured: __, native: ___, ...others } = part;
      const { resultProviderMetadata, $provider, $cache } = part.native?.[family] ?? {};
      const shared = present({ resultProviderMetadata, $provider, $cache });
      return { ...others, ...read.members, ...natives(shared, read.rest, read.hints) };
    }
    // The SDK marks so the calls of dynamic tools that were taken away.
    const { $dynamic, dynamic } = native?.[family] ?? {};
    if (tool === undefined && $dynamic === true && dynamic === false)
      return {
        ...part,
        output: [{ type: "text", text: "Tool output omitted because the tool is no longer available." }],
      };
    return part;
  }

  /** A model is told neither sources nor data, unless the application says how. */
  #data(part: DataPart | SourcePart, at: Place): Replacement {
    const { convertDataPart: convert } = this.#options;
    const role = this.#messages[at.message]?.role;
    if (!convert || part.type === "source" || (role !== "user" && role !== "assistant")) {
      this.#lose(part.type, at, "a model is not told it");
      return [];
    }
    const { name = "", id, data } = part;
    const given = convert({ type: `data-${name}`, ...(id !== undefined && { id }), data });
    if (given === undefined || given === null) {
      this.#lose("data", at, "`convertDataPart` gives nothing for it");
      return [];
    }
    const wire = plain(given);
    const read = decodeModelPart(wire, { generation: this.#generation, form: "message", known: nothingKnown() });
    if (read) return [read];
    this.#lose("data", at, isJsonObject(wire) ? "`convertDataPart` gives no text or file" : "it gives no part");
    return [];
  }

  #lose(code: string, at: Place, message: string): void {
    this.#losses.push({ kind: "dropped", code, path: ["messages", at.message, "parts", at.part], message });
  }
}
