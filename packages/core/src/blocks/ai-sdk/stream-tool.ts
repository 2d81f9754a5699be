/**
 * A tool part of the AI SDK's while its chunks come: the wire part as the readers of each generation put it together, read
 * whole whenever it changed (E3).
 */

import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Generation } from "./part.ts";
import { partialValue } from "./partial.ts";
import { staticPrefix } from "./tools.ts";

/** Members of a tool part; `undefined` = not there. */
type Members = { [member: string]: Json | undefined };

export interface OpenToolOptions {
  readonly generation: Generation;
  readonly isDynamic: boolean;
  readonly callId: string;
  readonly name: string;
}

export class OpenTool {
  readonly callId: string;
  readonly isDynamic: boolean;
  readonly #generation: Generation;
  readonly #members: Members = {};
  #name: string;
  /** The text of the arguments so far; absent before its first piece. */
  #text: string | undefined = undefined;
  #isStreaming = false;

  constructor({ generation, isDynamic, callId, name }: OpenToolOptions) {
    this.#generation = generation;
    this.isDynamic = isDynamic;
    this.callId = callId;
    this.#name = name;
  }

  get isStreaming(): boolean {
    return this.#isStreaming;
  }

  get text(): string {
    return this.#text ?? "";
  }

  get approvalId(): Json | undefined {
    const { approval } = this.#members;
    return isJsonObject(approval) ? approval["id"] : undefined;
  }

  /** The part as it would be stored now. */
  get wire(): JsonObject {
    const named = this.isDynamic
      ? { type: "dynamic-tool", toolName: this.#name }
      : { type: `${staticPrefix}${this.#name}` };
    const wire: { [member: string]: Json } = { ...named, toolCallId: this.callId };
    for (const [member, value] of Object.entries(this.#members)) if (value !== undefined) wire[member] = value;
    if (!this.#isStreaming || this.#text === undefined) return wire;
    const input = this.#readText();
    return { ...wire, ...(input !== undefined && { input }), rawInput: this.text };
  }

  start(chunk: JsonObject): void {
    this.#begin("input-streaming", chunk);
    this.#isStreaming = true;
    this.#text = undefined;
    if (this.#generation >= 6) this.#members["inputEncoding"] = stringOf(chunk["inputEncoding"]);
    if (this.#generation >= 6) this.#putMetadata(chunk, "callProviderMetadata");
  }

  append(delta: string): void {
    this.#text = this.text + delta;
    if (this.#isStreaming) return;
    this.#isStreaming = true;
    Object.assign(this.#members, { state: "input-streaming", ...nothing });
  }

  available(chunk: JsonObject): void {
    this.#begin("input-available", chunk);
    this.#members["input"] = chunk["input"];
    this.#putMetadata(chunk, "callProviderMetadata");
  }

  /** Arguments that the tool does not take. */
  failedInput({ title: _, ...chunk }: JsonObject): void {
    const isNew = this.#members["state"] === undefined;
    this.#begin("output-error", chunk);
    this.#members["errorText"] = chunk["errorText"];
    this.#members[this.isDynamic || this.#generation >= 7 ? "input" : "rawInput"] = chunk["input"];
    if (this.#generation >= 6) this.#putMetadata(chunk, "resultProviderMetadata");
    else if (isNew) this.#putMetadata(chunk, "callProviderMetadata");
  }

  output({ title: _, ...chunk }: JsonObject): void {
    const input = this.#stopped();
    this.#begin("output-available", chunk);
    Object.assign(this.#members, { input, output: chunk["output"], preliminary: chunk["preliminary"] });
    if (this.#generation >= 6) this.#putMetadata(chunk, "resultProviderMetadata");
  }

  failed({ title: _, ...chunk }: JsonObject): void {
    const text = this.#isStreaming && this.#text !== undefined ? this.text : undefined;
    const input = this.#stopped();
    const { rawInput = text } = this.#members;
    this.#begin("output-error", chunk);
    const raw = this.isDynamic ? undefined : rawInput;
    Object.assign(this.#members, { input, rawInput: raw, errorText: chunk["errorText"] });
    if (this.#generation >= 6) this.#putMetadata(chunk, "resultProviderMetadata");
  }

  askApproval(chunk: JsonObject): void {
    const { approvalId, approvalDescriptor, inputSchemaInput, reason, isAutomatic, signature } = chunk;
    const isNew = this.#generation >= 7;
    this.#freeze();
    this.#members["state"] = "approval-requested";
    this.#members["approval"] = present({
      id: approvalId,
      descriptor: approvalDescriptor ?? undefined,
      inputSchemaInput,
      requestReason: isNew ? (reason ?? undefined) : undefined,
      isAutomatic: isNew && isAutomatic === true ? true : undefined,
      signature: signature ?? undefined,
    });
  }

  answerApproval(chunk: JsonObject): void {
    const { approvalId, approved, reason, providerExecuted } = chunk;
    const { approval } = this.#members;
    this.#freeze();
    this.#members["state"] = "approval-responded";
    const before = isJsonObject(approval) ? approval : {};
    this.#members["approval"] = present({ ...before, id: approvalId, approved, ...(reason != null && { reason }) });
    if (typeof providerExecuted === "boolean") this.#members["providerExecuted"] = providerExecuted;
    this.#putMetadata(chunk, "callProviderMetadata");
  }

  deny(): void {
    this.#freeze();
    this.#members["state"] = "output-denied";
  }

  /** What every state begins with: the name, and nothing of the state before. */
  #begin(state: string, chunk: JsonObject): void {
    const { toolName, providerExecuted, title, toolMetadata } = chunk;
    if (typeof toolName === "string" && (this.isDynamic || this.#generation >= 6)) this.#name = toolName;
    Object.assign(this.#members, { ...nothing, state });
    this.#isStreaming = false;
    if (typeof providerExecuted === "boolean") this.#members["providerExecuted"] = providerExecuted;
    if (this.#generation < 6) return;
    if (typeof title === "string") this.#members["title"] = title;
    if (isJsonObject(toolMetadata)) this.#members["toolMetadata"] = toolMetadata;
  }

  #putMetadata(chunk: JsonObject, member: string): void {
    const metadata = chunk["providerMetadata"];
    if (isJsonObject(metadata)) this.#members[member] = metadata;
  }

  /** The arguments that the part has; of a text that was cut off, what it says so far. */
  #stopped(): Json | undefined {
    return this.#isStreaming && this.#text !== undefined ? this.#readText() : this.#members["input"];
  }

  #freeze(): void {
    if (!this.#isStreaming) return;
    this.#members["input"] = this.#stopped();
    if (this.#text !== undefined) this.#members["rawInput"] = this.text;
    this.#isStreaming = false;
  }

  #readText(): Json | undefined {
    return this.#members["inputEncoding"] === "text" ? this.text : partialValue(this.text, this.#generation);
  }
}

/** What a new state takes away. */
const nothing = {
  input: undefined,
  output: undefined,
  errorText: undefined,
  rawInput: undefined,
  inputEncoding: undefined,
  preliminary: undefined,
} as const;

const stringOf = (value: Json | undefined): string | undefined => (typeof value === "string" ? value : undefined);

function present(members: Members): JsonObject {
  const object: { [member: string]: Json } = {};
  for (const [key, value] of Object.entries(members)) if (value !== undefined) object[key] = value;
  return object;
}
