/** Questions, answers and results of a stream as chunks of the AI SDK's. */

import type { At } from "../../model/events.ts";
import { equalJson, type JsonObject } from "../../model/json.ts";
import type { PartOf, ToolResultPart } from "../../model/parts.ts";
import { type LosePart, remainderOf } from "./part.ts";
import { type CallOut, plain } from "./stream-call.ts";
import { type CallsOut, toolWriting } from "./stream-calls.ts";
import { loseAt, type PartsOptions, silent } from "./stream-out.ts";
import { encodeApproval, encodeTool } from "./tool-writing.ts";
import { deniedText, type ToolUse } from "./tools.ts";
import { callFor } from "./uses.ts";

export class AnswersOut {
  readonly #options: PartsOptions;
  readonly #calls: CallsOut;
  readonly #byRequestId = new Map<string, CallOut>();
  /** Questions that wait: before generation 7 an answer in the same stream cannot be told. */
  readonly #held = new Set<CallOut>();

  /** Calls that were refused, as long as nothing says how they ended. */
  readonly #refused = new Set<CallOut>();

  constructor(options: PartsOptions, calls: CallsOut) {
    this.#options = options;
    this.#calls = calls;
  }

  /** What waited for an answer that did not come. */
  release(): void {
    for (const call of this.#held) this.#sendRequest(call);
    this.#held.clear();
    for (const call of this.#refused) this.#sendRefusal(call);
    this.#refused.clear();
  }

  /** Generation 5 has no state for it: told as one that still waits, its client would wait for ever. */
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
  }

  ask(at: At, part: PartOf<"approval-request">): void {
    const { generation, put } = this.#options;
    const known = this.#calls.get(part.callId);
    if (part.call) this.#lose(at)("held-call", "call");
    if (!known && part.call) this.#calls.whole(at, part.call);
    const call = this.#calls.get(part.callId);
    if (call) this.#calls.cut(call);
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
    if (generation < 6) {
      this.#options.put(encodeApproval({ request: call.request.part, response: part }, silent));
      if (!part.approved && !call.hasOutput) this.#refused.add(call);
    } else if (generation >= 7) this.#sendAnswer(call.request.part.requestId, part);
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

  answer(at: At, value: ToolResultPart): void {
    const { generation, dynamic, put } = this.#options;
    const call = this.#calls.get(value.callId) ?? this.#made(at, value);
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
      if (state === "output-error" && metadata === undefined && !value.preliminary && !call.isFailed) {
        this.#calls.sendFailure(call, errorText ?? "");
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
