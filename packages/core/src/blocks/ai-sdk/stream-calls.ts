/** Calls of a stream as chunks of the AI SDK's. */

import type { At } from "../../model/events.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import { mergeMembers } from "../../stream/merge.ts";
import { tellPart } from "../spelling.ts";
import { type LosePart, remainderOf } from "./part.ts";
import { partialValue } from "./partial.ts";
import {
  about,
  type CallOut,
  callMembers,
  isDynamic,
  isSameBut,
  named,
  newCall,
  openMembersOfOld,
  openText,
  plain,
  withInput,
} from "./stream-call.ts";
import { loseAt, loseOthers, type PartsOptions, placeOf, silent } from "./stream-out.ts";
import { encodeTool, type ToolWriting } from "./tool-writing.ts";
import { isRawUsual } from "./tools.ts";

export function toolWriting({ generation, dynamic }: PartsOptions, lose: Partial<ToolWriting["lose"]>): ToolWriting {
  const all = { call: silent, request: silent, response: silent, result: silent };
  return { generation, dynamic, role: "assistant", lose: { ...all, ...lose } };
}

export class CallsOut {
  readonly #options: PartsOptions;
  readonly #calls = new Map<string, CallOut>();
  readonly #byCallId = new Map<string, CallOut>();
  /** Calls whose arguments are no value: they wait for the error that says so. */
  readonly #failing = new Set<CallOut>();

  constructor(options: PartsOptions) {
    this.#options = options;
  }

  get(callId: string): CallOut | undefined {
    return this.#byCallId.get(callId);
  }

  isFailing(call: CallOut): boolean {
    return this.#failing.has(call);
  }

  start(at: At, value: ToolCallPart): void {
    this.#open(at, value);
  }

  /** Whether the part is a call. */
  append(at: At, text: string): boolean {
    const call = this.#calls.get(placeOf(at));
    if (!call) return false;
    call.text.push(text);
    this.#options.put({ type: "tool-input-delta", toolCallId: call.value.callId, inputTextDelta: text });
    return true;
  }

  set(at: At, set: object): void {
    const call = this.#calls.get(placeOf(at));
    if (!call) return;
    const before = call.value;
    call.value = mergeMembers(before, set);
    if (call.isAvailable && !isSameBut(before, call.value)) this.#lose(at)("late-change");
  }

  finish(at: At): void {
    const call = this.#calls.get(placeOf(at));
    if (call?.isOpen) this.#complete(call, withInput(call.value, call.text.join("")));
  }

  forget(): void {
    this.#byCallId.clear();
  }

  /** Takes away the calls of a message. */
  restart(message: number): readonly CallOut[] {
    const gone = [...this.#calls].filter(([, call]) => call.at.message === message);
    return gone.map(([place, call]) => {
      this.#calls.delete(place);
      this.#failing.delete(call);
      if (this.#byCallId.get(call.value.callId) === call) this.#byCallId.delete(call.value.callId);
      return call;
    });
  }

  /** What waited for an error that did not come. */
  release(): void {
    for (const call of this.#failing) this.sendAvailable(call);
  }

  end(): void {
    for (const call of this.#calls.values()) if (call.isOpen) this.#leaveOpen(call);
  }

  #open(at: At, value: ToolCallPart): CallOut {
    const call = newCall(at, value);
    this.#know(call);
    this.#sendStart(call);
    if (remainderOf(value)["$raw"] === "") this.append(at, "");
    return call;
  }

  #sendStart(call: CallOut): void {
    const { value } = call;
    const wire = encodeTool({ call: { ...plain(value), partial: true } }, toolWriting(this.#options, {}));
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

  whole(at: At, value: ToolCallPart): void {
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
    const call = known ?? newCall(at, value);
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
    if (this.#isFailing(call)) this.#failing.add(call);
    else this.sendAvailable(call);
  }

  /** Something answers a call that did not end: its arguments are what they say so far. */
  cut(call: CallOut): void {
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
      toolWriting(this.#options, { call: this.#lose(call.at) }),
    );
    loseOthers(wire, isNew ? callMembers : openMembersOfOld, this.#lose(call.at));
  }

  /** Arguments that are no value are told with the error that they lead to; of a call that began generation 5 would forget the metadata then. */
  #isFailing({ value: call, isStarted }: CallOut): boolean {
    const { $raw: hint } = remainderOf(call);
    const isText = call.input === undefined && call.inputText !== undefined && hint !== false;
    const isRaw = hint === true && this.#options.generation < 7;
    if (!isText && !isRaw) return false;
    return (
      this.#options.generation >= 6 ||
      !isStarted ||
      about(encodeTool({ call: plain(call) }, toolWriting(this.#options, {})))["providerMetadata"] === undefined
    );
  }

  sendAvailable(call: CallOut): void {
    const { value } = call;
    call.isAvailable = true;
    call.isFailed = false;
    this.#failing.delete(call);
    const lose = this.#lose(call.at);
    const wire = encodeTool({ call: plain(value) }, toolWriting(this.#options, { call: lose }));
    tellPart(value, this.#options.context);
    loseOthers(wire, callMembers, lose);
    this.#loseRaw(call, wire);
    call.sent = about(wire);
    const { input = {} } = wire;
    const { callId: toolCallId, name } = value;
    this.#options.put({ type: "tool-input-available", toolCallId, ...named(wire, name), input, ...call.sent });
  }

  /** The error of arguments that the tool does not take; from generation 6 on its metadata are those of the result. */
  sendFailure(call: CallOut, failure: { readonly errorText: Json; readonly providerMetadata?: Json }): void {
    const { value } = call;
    const said = call.isStarted ? {} : about(encodeTool({ call: plain(value) }, toolWriting(this.#options, {})));
    // Generation 5 has the metadata of a new call from its error, and forgets those of its start.
    const isOld = this.#options.generation < 6;
    if (!isOld && Object.keys(said).length > 0) this.#sendStart(call);
    call.isAvailable = true;
    call.isFailed = true;
    this.#failing.delete(call);
    const failed: ToolResultPart = { type: "tool-result", callId: value.callId, outcome: "error" };
    const lose = this.#lose(call.at);
    const wire = encodeTool({ call: plain(value), result: failed }, toolWriting(this.#options, { call: lose }));
    tellPart(value, this.#options.context);
    loseOthers(wire, callMembers, lose);
    const { input, rawInput, providerExecuted } = wire;
    this.#loseRaw(call, wire);
    this.#options.put({
      type: "tool-input-error",
      toolCallId: value.callId,
      ...named(wire, value.name),
      input: input ?? rawInput ?? null,
      ...(isOld && said["providerMetadata"] !== undefined && { providerMetadata: said["providerMetadata"] }),
      ...failure,
      ...(providerExecuted !== undefined && { providerExecuted }),
    });
  }

  /** A stream has the arguments once, and its readers know one place for them. */
  #loseRaw({ at, value, isFailed }: CallOut, wire: JsonObject): void {
    const isRaw = remainderOf(value)["$raw"] === true;
    const isKept = isFailed === true && isRawUsual(this.#options.generation, wire["type"] === "dynamic-tool");
    if (isRaw && !isKept) this.#lose(at)("raw-input", "native");
    else if (wire["rawInput"] !== undefined && wire["input"] !== undefined)
      this.#lose(at)("stream-member", "native", "rawInput");
  }

  #lose(at: At): LosePart {
    return loseAt(this.#options, at);
  }
}
