/** Calls, questions, answers and results of a stream as chunks of the AI SDK's. */

import type { At, Event } from "../model/events.ts";
import { equalJson, type Json, type JsonObject } from "../model/json.ts";
import type { Part, PartOf, ToolCallPart, ToolResultPart } from "../model/parts.ts";
import { readInput } from "../stream/input.ts";
import { mergeMembers } from "../stream/merge.ts";
import { family, type LosePart, remainderOf } from "./ai-sdk-part.ts";
import { partialValue } from "./ai-sdk-partial.ts";
import { loseOthers, type PartsOptions, placeOf } from "./ai-sdk-stream-parts.ts";
import { encodeApproval, encodeTool, type ToolWriting } from "./ai-sdk-tool-writing.ts";
import { deniedText, type ToolUse } from "./ai-sdk-tools.ts";

export type ToolEvent = Event;
type Tool = PartOf<"tool-call" | "tool-result" | "approval-request" | "approval-response">;

/** A call that goes out as it comes, and what is known of it. */
interface CallOut {
  readonly at: At;
  value: ToolCallPart;
  /** The text of its arguments so far. */
  readonly text: string[];
  isStarted: boolean;
  isOpen: boolean;
  isAvailable: boolean;
  hasOutput: boolean;
  /** Its arguments went out with their error: its readers have no value of them. */
  isFailed?: boolean;
  /** What was sent of it beside its arguments. */
  sent: JsonObject;
  request?: { readonly at: At; readonly part: PartOf<"approval-request">; isSent: boolean };
  response?: { readonly at: At; readonly part: PartOf<"approval-response"> };
}

interface ResultOut {
  readonly at: At;
  value: ToolResultPart;
  readonly text: string[];
}

const silent: LosePart = () => undefined;

export class CallsOut {
  readonly #options: PartsOptions;
  readonly #calls = new Map<string, CallOut>();
  readonly #byCallId = new Map<string, CallOut>();
  readonly #byRequestId = new Map<string, CallOut>();
  readonly #results = new Map<string, ResultOut>();
  /** Questions that wait: before generation 7 an answer in the same stream cannot be told. */
  readonly #held = new Set<CallOut>();
  /** Calls whose arguments are no value: they wait for the error that says so. */
  readonly #failing = new Set<CallOut>();

  constructor(options: PartsOptions) {
    this.#options = options;
  }

  start(at: At, value: Tool): void {
    this.#options.enter(at.message);
    if (value.type === "tool-call") this.#open(at, value);
    else if (value.type === "tool-result") this.#results.set(placeOf(at), { at, value, text: [] });
    else this.whole(at, value);
  }

  append(at: At, text: string): void {
    const call = this.#calls.get(placeOf(at));
    if (call) {
      call.text.push(text);
      this.#options.put({ type: "tool-input-delta", toolCallId: call.value.callId, inputTextDelta: text });
    } else this.#results.get(placeOf(at))?.text.push(text);
  }

  set(at: At, set: object): void {
    const call = this.#calls.get(placeOf(at));
    const result = this.#results.get(placeOf(at));
    if (result) result.value = mergeMembers(result.value, set);
    if (!call) return;
    const before = call.value;
    call.value = mergeMembers(before, set);
    if (call.isAvailable && !isSameBut(before, call.value)) this.#lose(at)("late-change");
  }

  finish(at: At): void {
    const call = this.#calls.get(placeOf(at));
    const result = this.#results.get(placeOf(at));
    if (call?.isOpen) this.#complete(call, withInput(call.value, call.text.join("")));
    if (!result) return;
    this.#results.delete(placeOf(at));
    this.#answer(at, result.text.length > 0 ? withText(result.value, result.text.join("")) : result.value);
  }

  whole(at: At, value: Tool): void {
    this.#options.enter(at.message);
    switch (value.type) {
      case "tool-call":
        this.#call(at, value);
        break;
      case "tool-result":
        this.#results.delete(placeOf(at));
        this.#answer(at, value);
        break;
      case "approval-request":
        this.#ask(at, value);
        break;
      case "approval-response":
        this.#respond(at, value);
    }
  }

  restart(message: number): void {
    for (const [place, call] of this.#calls) {
      if (call.at.message !== message) continue;
      this.#calls.delete(place);
      this.#held.delete(call);
      this.#failing.delete(call);
      if (this.#byCallId.get(call.value.callId) === call) this.#byCallId.delete(call.value.callId);
    }
  }

  /** What waited for an answer or an error that did not come. */
  release(): void {
    for (const call of this.#failing) this.#sendAvailable(call);
    for (const call of this.#held) this.#sendRequest(call);
    this.#held.clear();
  }

  end(): void {
    for (const { at } of this.#results.values()) this.finish(at);
    for (const call of this.#calls.values()) if (call.isOpen) this.#leaveOpen(call);
    this.release();
  }

  // calls

  #open(at: At, value: ToolCallPart): CallOut {
    const call: CallOut = {
      at,
      value,
      text: [],
      isStarted: false,
      isOpen: true,
      isAvailable: false,
      hasOutput: false,
      sent: {},
    };
    this.#know(call);
    this.#sendStart(call);
    if (remainderOf(value)["$raw"] === "") this.append(at, "");
    return call;
  }

  #sendStart(call: CallOut): void {
    const { value } = call;
    const wire = encodeTool({ call: { ...plain(value), partial: true } }, this.#writing({}));
    const isNew = this.#options.generation >= 6;
    const { inputEncoding } = wire;
    call.isStarted = true;
    const { providerExecuted } = wire;
    call.sent = isNew ? about(wire) : providerExecuted === undefined ? {} : { providerExecuted };
    this.#options.put({
      type: "tool-input-start",
      toolCallId: value.callId,
      ...named(wire, value.name),
      ...call.sent,
      ...(isNew && inputEncoding !== undefined && { inputEncoding }),
    });
  }

  #call(at: At, value: ToolCallPart): void {
    const known = this.#calls.get(placeOf(at));
    if (value.partial) {
      const call = this.#open(at, value);
      const { input: _, inputText: __, ...others } = value;
      call.value = others;
      const text = openText(value);
      if (text !== undefined) this.append(at, text);
      return;
    }
    // Said again with other members: they go out with its result.
    if (known?.isAvailable && isSameBut(known.value, value)) {
      known.value = value;
      return;
    }
    const call: CallOut = known ?? {
      at,
      value,
      text: [],
      isStarted: false,
      isOpen: true,
      isAvailable: false,
      hasOutput: false,
      sent: {},
    };
    this.#know(call);
    this.#complete(call, value);
  }

  #know(call: CallOut): void {
    const { callId } = call.value;
    const other = this.#byCallId.get(callId);
    const isSame =
      other !== undefined && other.at.message === call.at.message && isDynamic(other.value) === isDynamic(call.value);
    if (isSame && other.at.part !== call.at.part) this.#lose(call.at)("same-call");
    this.#calls.set(placeOf(call.at), call);
    this.#byCallId.set(callId, call);
  }

  #complete(call: CallOut, value: ToolCallPart): void {
    const { partial: _, ...whole } = value;
    call.value = whole;
    call.isOpen = false;
    if (this.#isFailing(whole)) this.#failing.add(call);
    else this.#sendAvailable(call);
  }

  /** Something answers a call that did not end: its arguments are what they say so far. */
  #cut(call: CallOut): void {
    if (!call.isOpen) return;
    this.#lose(call.at)("partial-call");
    const { partial: _, inputText = call.text.join(""), ...value } = call.value;
    const input = value.input ?? partialValue(inputText, this.#options.generation) ?? {};
    this.#complete(call, { ...value, input });
  }

  /** The arguments broke off: what only their end would have told is lost. */
  #leaveOpen(call: CallOut): void {
    const isNew = this.#options.generation >= 6;
    const wire = encodeTool(
      { call: { ...plain(call.value), partial: true } },
      this.#writing({ call: this.#lose(call.at) }),
    );
    loseOthers(wire, isNew ? callMembers : openMembersOfOld, this.#lose(call.at));
  }

  /** Arguments that are no value are told with the error that they lead to; generation 5 would forget the metadata then. */
  #isFailing(call: ToolCallPart): boolean {
    const { $raw: hint } = remainderOf(call);
    const isText = call.input === undefined && call.inputText !== undefined && hint !== false;
    const isRaw = hint === true && this.#options.generation < 7;
    if (!isText && !isRaw) return false;
    return (
      this.#options.generation >= 6 ||
      about(encodeTool({ call: plain(call) }, this.#writing({})))["providerMetadata"] === undefined
    );
  }

  #sendAvailable(call: CallOut): void {
    const { value } = call;
    call.isAvailable = true;
    call.isFailed = false;
    this.#failing.delete(call);
    const lose = this.#lose(call.at);
    const wire = encodeTool({ call: plain(value) }, this.#writing({ call: lose }));
    loseOthers(wire, callMembers, lose);
    call.sent = about(wire);
    const { input = {} } = wire;
    const { callId: toolCallId, name } = value;
    this.#options.put({ type: "tool-input-available", toolCallId, ...named(wire, name), input, ...call.sent });
  }

  /** The error of arguments that the tool does not take. */
  #sendFailure(call: CallOut, errorText: Json): void {
    const { value } = call;
    if (!call.isStarted && Object.keys(about(encodeTool({ call: plain(value) }, this.#writing({})))).length > 0)
      this.#sendStart(call);
    call.isAvailable = true;
    call.isFailed = true;
    this.#failing.delete(call);
    const failed: ToolResultPart = { type: "tool-result", callId: value.callId, outcome: "error" };
    const lose = this.#lose(call.at);
    const wire = encodeTool({ call: plain(value), result: failed }, this.#writing({ call: lose }));
    loseOthers(wire, callMembers, lose);
    const { input, rawInput, providerExecuted } = wire;
    this.#options.put({
      type: "tool-input-error",
      toolCallId: value.callId,
      ...named(wire, value.name),
      input: input ?? rawInput ?? null,
      errorText,
      ...(providerExecuted !== undefined && { providerExecuted }),
    });
  }

  // approvals

  #ask(at: At, part: PartOf<"approval-request">): void {
    const { generation, put } = this.#options;
    const known = this.#byCallId.get(part.callId);
    if (part.call) this.#lose(at)("held-call", "call");
    if (!known && part.call) this.#call(at, part.call);
    const call = this.#byCallId.get(part.callId);
    if (call) this.#cut(call);
    if (!call || generation < 6) {
      put(encodeApproval({ request: part, response: undefined }, silent));
      if (call?.value.executedBy === "provider") this.#lose(at)("moved");
      if (call) {
        call.request = { at, part, isSent: true };
        this.#byRequestId.set(part.requestId, call);
      }
      return;
    }
    call.request = { at, part, isSent: false };
    this.#byRequestId.set(part.requestId, call);
    if (generation >= 7) this.#sendRequest(call);
    else this.#held.add(call);
  }

  #sendRequest(call: CallOut): void {
    if (!call.request || call.request.isSent) return;
    call.request.isSent = true;
    const { part } = call.request;
    const wire = encodeTool({ call: plain(call.value), request: part }, this.#writing({}))["approval"] as JsonObject; // it has a question
    const { id, requestReason, descriptor, ...others } = wire;
    this.#options.put({
      type: "tool-approval-request",
      approvalId: id ?? part.requestId,
      toolCallId: call.value.callId,
      ...(descriptor !== undefined && { approvalDescriptor: descriptor }),
      ...others,
      ...(requestReason !== undefined && { reason: requestReason }),
    });
  }

  #respond(at: At, part: PartOf<"approval-response">): void {
    const { generation } = this.#options;
    const call = this.#byRequestId.get(part.requestId);
    if (!call?.request) {
      this.#lose(at)("answer-elsewhere");
      return;
    }
    if (call.response) {
      this.#lose(at)("second-answer");
      return;
    }
    call.response = { at, part };
    if (part.callId !== call.value.callId) this.#lose(at)("response-call", "callId");
    if (generation < 6) this.#options.put(encodeApproval({ request: call.request.part, response: part }, silent));
    else if (generation >= 7) this.#sendAnswer(call.request.part.requestId, part);
    else this.#keepSilent(call);
  }

  #sendAnswer(
    approvalId: string,
    { approved, reason }: { readonly approved: boolean; readonly reason?: string | undefined },
  ): void {
    this.#options.put({
      type: "tool-approval-response",
      approvalId,
      approved,
      ...(reason !== undefined && { reason }),
    });
  }

  /** Generation 6 has no chunk for an answer: a question that is answered in its own stream is not told. */
  #keepSilent(call: CallOut): void {
    this.#held.delete(call);
    if (call.request && !call.request.isSent) this.#lose(call.request.at)("silent-approval");
    if (call.response) this.#lose(call.response.at)("silent-approval");
  }

  // results

  #answer(at: At, value: ToolResultPart): void {
    const { generation, dynamic, put } = this.#options;
    const call = this.#byCallId.get(value.callId);
    if (call) this.#cut(call);
    if (call) this.#loseMove(call, at);
    const result = call ? this.#agreed(call, { at, value }) : value;
    const use: ToolUse = {
      call: call ? plain(call.value) : { type: "tool-call", callId: value.callId, name: value.name ?? "" },
      ...(call && this.#asked(call)),
      result,
    };
    if (value.name !== undefined) this.#lose(at)("result-name", "name");
    const lose = result === value ? this.#lose(at) : silent;
    const wire = encodeTool(use, this.#writing({ result: call ? lose : exceptMade(lose) }));
    const { resultProviderMetadata: metadata, toolMetadata, state, output, errorText } = wire;
    if (generation < 6 && (value.seal || value.cache || remainderOf(value)["resultProviderMetadata"] !== undefined)) {
      this.#lose(at)("result-metadata", "seal");
    }
    if (call && (this.#failing.has(call) || call.isFailed)) {
      if (state === "output-error" && metadata === undefined && !value.preliminary && !call.isFailed) {
        this.#sendFailure(call, errorText ?? "");
        return;
      }
      this.#sendAvailable(call);
    }
    if (call && state !== "output-denied") call.hasOutput = true;
    const asDynamic = call ? wire["type"] === "dynamic-tool" : dynamic;
    const fields = {
      toolCallId: value.callId,
      ...(value.preliminary && { preliminary: true }),
      ...(use.call.executedBy === "provider" && { providerExecuted: true }),
      ...(asDynamic && { dynamic: true }),
      ...(metadata !== undefined && { providerMetadata: metadata }),
      ...(generation >= 6 &&
        toolMetadata !== undefined &&
        !equalJson(toolMetadata, call?.sent["toolMetadata"]) && { toolMetadata }),
    };
    if (state === "output-denied") put({ type: "tool-output-denied", toolCallId: value.callId });
    else if (state === "output-error") put({ type: "tool-output-error", errorText: errorText ?? "", ...fields });
    else put({ type: "tool-output-available", output: output ?? null, ...fields });
  }

  /** A result is told with its call, whichever step it comes in. */
  #loseMove(call: CallOut, at: At): void {
    const isInline = call.value.executedBy === "provider";
    const isThere = isInline ? at.message === call.at.message : this.#options.isOfStep(call.at.message);
    if (isThere) return;
    this.#lose(at)("moved");
    this.#options.context.lose("moved", ["messages", call.at.message, "parts"]);
  }

  #asked(call: CallOut): Pick<ToolUse, "request" | "response"> {
    const isTold = this.#options.generation !== 6 || call.request?.isSent === true;
    if (!isTold) return {};
    return {
      ...(call.request && { request: call.request.part }),
      ...(call.response && { response: call.response.part }),
    };
  }

  /** Before a result its question must be answered as the result says; what is missing is made. */
  #agreed(call: CallOut, { at, value }: { readonly at: At; readonly value: ToolResultPart }): ToolResultPart {
    const { generation } = this.#options;
    const isDenied = value.outcome === "denied";
    const isOld = !call.request && !this.#options.isOfStep(call.at.message);
    if (isDenied && call.hasOutput && generation >= 6) return this.#failedInstead(call, { at, value });
    if ((generation === 6 && !call.request?.isSent) || (generation >= 7 && isOld)) {
      if (call.request) this.#keepSilent(call);
      return isDenied ? this.#failedInstead(call, { at, value }) : value;
    }
    if (generation < 7 || (!call.request && !isDenied)) return value;
    if (call.response?.part.approved === !isDenied) return value;
    if (!call.request) {
      const { callId } = value;
      const part = { type: "approval-request", requestId: callId, callId } as const;
      this.#lose(at)("made-request");
      call.request = { at, part, isSent: false };
      this.#sendRequest(call);
    }
    this.#lose(call.response?.at ?? at)("approval-answer");
    const { requestId, callId } = call.request.part;
    const [text] = value.output ?? [];
    const reason = isDenied && text?.type === "text" ? { reason: text.text } : {};
    const part = { type: "approval-response", requestId, callId, approved: !isDenied, ...reason } as const;
    call.response = { at, part };
    this.#sendAnswer(requestId, part);
    return value;
  }

  /** Where a denial would leave a part that the SDK refuses, it is an error that says why. */
  #failedInstead(call: CallOut, { at, value }: { readonly at: At; readonly value: ToolResultPart }): ToolResultPart {
    this.#lose(at)("denied-outcome", "outcome");
    const text = call.response?.part.reason ?? deniedText;
    return { ...value, outcome: "error", output: value.output ?? [{ type: "text", text }] };
  }

  #writing(lose: Partial<ToolWriting["lose"]>): ToolWriting {
    const { generation, dynamic } = this.#options;
    const all = { call: silent, request: silent, response: silent, result: silent };
    return { generation, dynamic, role: "assistant", lose: { ...all, ...lose } };
  }

  #lose({ message, part }: At): LosePart {
    return (code, member, detail) => {
      const path = ["messages", message, "parts", part, ...(member === undefined ? [] : [member])];
      this.#options.context.lose(code, path, detail);
    };
  }
}

/** A result whose call is in an earlier message: the client knows how it was asked for. */
const exceptMade =
  (lose: LosePart): LosePart =>
  (code, member, detail) => {
    if (code !== "made-request" && code !== "approval-answer") lose(code, member, detail);
  };

/** The call with the arguments that its text says, where none were given as such (R7). */
function withInput(call: ToolCallPart, text: string): ToolCallPart {
  if (call.input !== undefined || text === "") return call;
  const { inputText = text, ...others } = call;
  return { ...others, ...readInput(inputText, call.kind) };
}

/** The call as a stream has it: what an older generation stored in later words goes out in its own. */
function plain(call: ToolCallPart): ToolCallPart {
  const own = call.native?.[family];
  if (own?.["$late"] === undefined) return call;
  const { $late: _, ...others } = own;
  return { ...call, native: { ...call.native, [family]: others } };
}

/** What chunks say of a call. */
const callMembers = [
  "type",
  "toolName",
  "toolCallId",
  "state",
  "input",
  "rawInput",
  "inputEncoding",
  "title",
  "toolMetadata",
  "providerExecuted",
  "callProviderMetadata",
  "errorText",
];

const openMembersOfOld = ["type", "toolName", "toolCallId", "state", "input", "rawInput", "providerExecuted"];

/** The text that stands for the arguments of an open call. */
function openText(call: ToolCallPart): string | undefined {
  if (call.inputText !== undefined) return call.inputText;
  if (call.input === undefined) return undefined;
  return call.kind === "custom" && typeof call.input === "string" ? call.input : JSON.stringify(call.input);
}

/** Whether nothing but what a result can still bring is new. */
const isSameBut = (before: ToolCallPart, { native: _, ...now }: ToolCallPart): boolean => {
  const { native: __, ...then } = before;
  return equalJson(then, now);
};

const isDynamic = (call: ToolCallPart): boolean => remainderOf(call)["$dynamic"] === true;

function named(wire: JsonObject, toolName: string): JsonObject {
  return { toolName, ...(wire["type"] === "dynamic-tool" && { dynamic: true }) };
}

/** What chunks say of a call beside its name and arguments. */
function about(wire: JsonObject): JsonObject {
  const { providerExecuted, callProviderMetadata: providerMetadata, title, toolMetadata } = wire;
  return {
    ...(providerExecuted !== undefined && { providerExecuted }),
    ...(providerMetadata !== undefined && { providerMetadata }),
    ...(title !== undefined && { title }),
    ...(toolMetadata !== undefined && { toolMetadata }),
  };
}

function withText(result: ToolResultPart, text: string): ToolResultPart {
  const output = result.output ?? [];
  const last = output.at(-1);
  const others: readonly Part[] = last?.type === "text" ? output.slice(0, -1) : output;
  return { ...result, output: [...others, { ...(last?.type === "text" ? last : { type: "text" }), text }] };
}
