/** Questions, answers and results of a stream as chunks of the AI SDK's. */

import type { At } from "../../model/events.ts";
import { equalJson, type JsonObject } from "../../model/json.ts";
import type { PartOf, ToolResultPart } from "../../model/parts.ts";
import { type LosePart, remainderOf } from "./part.ts";
import { type CallOut, plain } from "./stream-call.ts";
import { type CallsOut, toolWriting } from "./stream-calls.ts";
import { loseAt, type PartOrder, type PartsOptions, silent } from "./stream-out.ts";
import { contradicts, deniedErrorText, encodeApproval, encodeTool } from "./tool-writing.ts";
import { deniedText, type ToolUse } from "./tools.ts";
import { callFor } from "./uses.ts";

export class AnswersOut {
  readonly #options: PartsOptions;
  readonly #calls: CallsOut;
  readonly #order: PartOrder;
  readonly #byRequestId = new Map<string, CallOut>();
  /** Questions of generation 6 that wait: one that is answered in the same stream is told as data. */
  readonly #held = new Set<CallOut>();
  /** Calls that were refused, as long as nothing says how they ended. */
  readonly #refused = new Set<CallOut>();
  /** Results that wait for the answer that led to them: a provider's own stands before it. */
  readonly #early = new Map<CallOut, { readonly at: At; readonly value: ToolResultPart }[]>();

  constructor(options: PartsOptions, calls: CallsOut, order: PartOrder) {
    this.#options = options;
    this.#calls = calls;
    this.#order = order;
  }

  /** What waited for an answer that did not come. What a provider makes of a refusal may come in a later step. */
  release({ isEnd }: { readonly isEnd: boolean }): void {
    for (const call of this.#early.keys()) this.#tellEarly(call);
    for (const call of this.#held) this.#askNow(call);
    this.#held.clear();
    for (const call of this.#refused) {
      if (!isEnd && call.value.executedBy === "provider") continue;
      this.#refused.delete(call);
      this.#sendRefusal(call);
    }
  }

  #tellEarly(call: CallOut): void {
    const results = this.#early.get(call) ?? [];
    this.#early.delete(call);
    for (const { at, value } of results) this.#tell(call, at, value);
  }

  /** Before generation 7 a stream has no state for it: told as one that still waits, its client would wait for ever. */
  #sendRefusal({ response, value }: CallOut): void {
    if (!response) return;
    this.#lose(response.at)("denied-result");
    const isDynamic = encodeTool({ call: plain(value) }, toolWriting(this.#options, {}))["type"] === "dynamic-tool";
    this.#options.put({
      type: "tool-output-error",
      toolCallId: value.callId,
      errorText: response.part.reason ?? deniedText,
      ...(value.executedBy === "provider" && { providerExecuted: true }),
      ...(isDynamic && { dynamic: true }),
    });
  }

  forgetAll(): void {
    this.#refused.clear();
    this.#byRequestId.clear();
  }

  forget(call: CallOut): void {
    this.#held.delete(call);
    this.#refused.delete(call);
    this.#early.delete(call);
  }

  ask(at: At, part: PartOf<"approval-request">): void {
    const { generation, put } = this.#options;
    const known = this.#calls.get(part.callId);
    if (part.call) this.#lose(at)("held-call", "call");
    if (!known && part.call) this.#calls.whole(at, part.call);
    const call = this.#calls.get(part.callId);
    if (!call) {
      put(encodeApproval({ request: part, response: undefined }, silent));
      return;
    }
    this.#calls.cut(call);
    call.request = { at, part };
    this.#byRequestId.set(part.requestId, call);
    if (generation < 6) this.#tellAsData(call);
    else if (generation >= 7) this.#askNow(call);
    else this.#held.add(call);
  }

  /** The question becomes one of the call's own, right behind it. */
  #askNow(call: CallOut): void {
    if (call.request && !this.#isNext(call.at, call.request.at)) this.#lose(call.request.at)("moved");
    this.#sendRequest(call);
  }

  /** A part of data, which is read as a question and its answer. It stands where it is told, behind a provider's result. */
  #tellAsData(call: CallOut): void {
    const { request, response, value } = call;
    if (!request) return;
    const { at, part, sent } = request;
    if (!sent && (value.executedBy === "provider" || this.#order.last(at.message) !== at.part)) this.#lose(at)("moved");
    request.sent = "data";
    this.#held.delete(call);
    this.#options.put(encodeApproval({ request: part, response: response?.part }, silent));
  }

  #sendRequest(call: CallOut): void {
    if (!call.request || call.request.sent) return;
    call.request.sent = "chunk";
    // Readers know a call from its arguments on, even if these are no value.
    if (this.#calls.isFailing(call)) this.#calls.sendAvailable(call);
    const { part } = call.request;
    const wire = encodeTool({ call: plain(call.value), request: part }, toolWriting(this.#options, {}))[
      "approval"
    ] as JsonObject; // it has a question
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

  respond(at: At, part: PartOf<"approval-response">): void {
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
    if (generation >= 7) this.#sendAnswer(call.request.part.requestId, part);
    else if (call.request.sent === "chunk") this.#lose(at)("silent-approval");
    else {
      this.#tellAsData(call);
      // Our reader takes the data for an answer; to the SDK's the call has none.
      if (generation === 6) this.#lose(at)("silent-approval");
      if (!part.approved && !call.hasOutput) this.#refused.add(call);
    }
    this.#tellEarly(call);
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

  // results

  answer(at: At, value: ToolResultPart): void {
    const call = this.#calls.get(value.callId) ?? this.#made(at, value);
    if (!call || !this.#isEarly(call, value)) this.#tell(call, at, value);
    else this.#early.set(call, [...(this.#early.get(call) ?? []), { at, value }]);
  }

  /** Whether the answer to the call's question may still come, and would be told before its result. */
  #isEarly({ request, response }: CallOut, { outcome }: ToolResultPart): boolean {
    if (!request || response) return false;
    const { generation } = this.#options;
    return outcome === "denied" || generation >= 7 || (generation === 6 && request.sent !== "chunk");
  }

  #tell(call: CallOut | undefined, at: At, value: ToolResultPart): void {
    const { generation, dynamic, put } = this.#options;
    if (call) {
      this.#refused.delete(call);
      this.#calls.cut(call);
      this.#loseMove(call, at);
    }
    const result = call ? this.#agreed(call, { at, value }) : value;
    const use: ToolUse = {
      call: call ? plain(call.value) : { type: "tool-call", callId: value.callId, name: value.name ?? "" },
      ...(call && this.#asked(call)),
      result,
    };
    if (value.name !== undefined) this.#lose(at)("result-name", "name");
    const lose = result === value ? this.#lose(at) : silent;
    const wire = encodeTool(use, toolWriting(this.#options, { result: call ? lose : exceptMade(lose) }));
    const { resultProviderMetadata: metadata, toolMetadata, state, output, errorText } = wire;
    if (generation < 6 && (value.seal || value.cache || remainderOf(value)["resultProviderMetadata"] !== undefined)) {
      this.#lose(at)("result-metadata", "seal");
    }
    if (call && (this.#calls.isFailing(call) || call.isFailed)) {
      const isTold = metadata === undefined || generation >= 6;
      if (state === "output-error" && isTold && !value.preliminary && !call.isFailed) {
        this.#calls.sendFailure(call, {
          errorText: errorText ?? "",
          ...(metadata !== undefined && { providerMetadata: metadata }),
        });
        return;
      }
      this.#calls.sendAvailable(call);
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

  /** What a provider found without saying what it was asked: the client has no call for it. One of a tool may answer a call that it has. */
  #made(at: At, value: ToolResultPart): CallOut | undefined {
    if (!this.#options.isAssistant(at.message)) return undefined;
    this.#lose(at)("made-call");
    this.#calls.whole(at, callFor(value, "assistant"));
    return this.#calls.get(value.callId);
  }

  /** A result is told with its call, whichever step it comes in; a provider's stands right behind it. */
  #loseMove(call: CallOut, at: At): void {
    const isInline = call.value.executedBy === "provider";
    const isThere = isInline ? this.#isBehind(call, at) : this.#options.isOfStep(call.at.message);
    if (isThere) return;
    this.#lose(at)("moved");
    if (at.message !== call.at.message) this.#options.context.lose("moved", ["messages", call.at.message, "parts"]);
  }

  /** Whether nothing but its question stands between a call and its result. */
  #isBehind({ at: call, request }: CallOut, at: At): boolean {
    return (
      this.#isNext(call, at) ||
      (request !== undefined && this.#isNext(call, request.at) && this.#isNext(request.at, at))
    );
  }

  #isNext(first: At, second: At): boolean {
    if (first.message !== second.message) return false;
    return first.part === second.part || this.#order.before(second) === first.part;
  }

  /** What the tool part says of it: data beside it says the same again. */
  #asked({ request, response }: CallOut): Pick<ToolUse, "request" | "response"> {
    if (this.#options.generation === 6 && request?.sent !== "chunk") return {};
    return { ...(request && { request: request.part }), ...(response && { response: response.part }) };
  }

  /** Before a result its question must be answered as the result says; what is missing is made. */
  #agreed(call: CallOut, { at, value }: { readonly at: At; readonly value: ToolResultPart }): ToolResultPart {
    const { generation } = this.#options;
    const response = call.response?.part;
    const isDenied =
      value.outcome === "denied" || (generation >= 7 && contradicts({ ...(response && { response }), result: value }));
    const isOld = !call.request && !this.#options.isOfStep(call.at.message);
    if (generation >= 6 && !response && remainderOf(value)["$approval"] === "as-is") {
      this.#sendRequest(call);
      return value;
    }
    if (generation === 6 && call.request && call.request.sent !== "chunk") {
      if (!call.request.sent) this.#tellAsData(call);
      return isDenied ? this.#deniedBeside(call, { at, value }) : value;
    }
    if (isDenied && call.hasOutput && generation >= 6) return this.#failedInstead(call, { at, value });
    if ((generation === 6 && !call.request) || (generation >= 7 && isOld))
      return isDenied ? this.#failedInstead(call, { at, value }) : value;
    if (generation < 7 || (!call.request && !isDenied)) return value;
    if (call.response?.part.approved === !isDenied) return value;
    if (!call.request) {
      const { callId } = value;
      const part = { type: "approval-request", requestId: callId, callId } as const;
      this.#lose(at)("made-request");
      call.request = { at, part };
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

  /** An error beside data that says it is a denial: so it is read. */
  #deniedBeside(
    { response }: CallOut,
    { at, value }: { readonly at: At; readonly value: ToolResultPart },
  ): ToolResultPart {
    const text = deniedErrorText({ ...(response && { response: response.part }), result: value }, this.#lose(at));
    return { ...value, outcome: "error", output: [{ type: "text", text }] };
  }

  /** Where a denial would leave a part that the SDK refuses, it is an error that says why. */
  #failedInstead(call: CallOut, { at, value }: { readonly at: At; readonly value: ToolResultPart }): ToolResultPart {
    this.#lose(at)("denied-outcome", "outcome");
    const text = call.response?.part.reason ?? deniedText;
    return { ...value, outcome: "error", output: value.output ?? [{ type: "text", text }] };
  }

  #lose(at: At): LosePart {
    return loseAt(this.#options, at);
  }
}

/** A result whose call is in an earlier message: the client knows how it was asked for. */
const exceptMade =
  (lose: LosePart): LosePart =>
  (code, member, detail) => {
    if (code !== "made-request" && code !== "approval-answer") lose(code, member, detail);
  };
