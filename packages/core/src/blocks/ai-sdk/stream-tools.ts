/** The tool parts of a run while their chunks come: which chunk is about which part, and what it changes of ours. */

import { defined } from "../../codec/reader.ts";
import type { At, Event, PartMembers } from "../../model/events.ts";
import { equalJson, type JsonObject } from "../../model/json.ts";
import type { Part, ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import { readInput } from "../../stream/input.ts";
import type { Generation } from "./part.ts";
import { answerNumber, type OpenRun, type OpenStep, partNumber, type ToolSlot } from "./stream-run.ts";
import { OpenTool } from "./stream-tool.ts";
import { decodeTool, deniedOutput, type ToolUse } from "./tools.ts";

export interface ToolReading {
  readonly generation: Generation;
  readonly dynamic: boolean;
  readonly events: Event[];
  /** Reports a chunk that the SDK's readers would die of. */
  readonly issue: (code: string, message: string) => void;
}

export class StreamTools {
  readonly #reading: ToolReading;

  constructor(reading: ToolReading) {
    this.#reading = reading;
  }

  start(run: OpenRun, chunk: JsonObject): void {
    const slot = this.#slotFor(run, chunk);
    slot.tool.start(chunk);
    run.partial.set(slot.tool.callId, slot);
    const { partial: _, ...call } = this.#read(slot).call;
    this.#begin(slot, call);
  }

  append(run: OpenRun, callId: string, delta: string): void {
    const slot = run.partial.get(callId);
    if (!slot) {
      this.#reading.issue("unknown-call", `the arguments of the call \`${callId}\` come before their start; left out`);
      return;
    }
    run.flush();
    const isOpen = slot.isOpen && slot.tool.isStreaming;
    const isFirst = slot.tool.text === "";
    slot.tool.append(delta);
    // Reading the part costs as much as its text: only where its members may have changed.
    if (!isOpen) this.#begin(slot, this.#openCall(slot));
    else if (isFirst && delta === "") this.#set(slot, this.#openCall(slot));
    const text = isOpen ? delta : slot.tool.text;
    this.#reading.events.push({ type: "part-delta", ...this.#at(slot), of: "tool-call", text });
  }

  /** The call without what its deltas say. */
  #openCall(slot: ToolSlot): ToolCallPart {
    const { partial: _, input: __, inputText: ___, ...call } = this.#read(slot).call;
    return call;
  }

  /** A chunk that names the tool: about the part of its kind in this step, or a new one. */
  named(run: OpenRun, chunk: JsonObject, change: (tool: OpenTool) => void): void {
    const slot = this.#slotFor(run, chunk);
    change(slot.tool);
    this.#say(run, slot);
  }

  /** A chunk about the last part of its call, in whichever step. */
  answered(run: OpenRun, { dynamic }: JsonObject, callId: string, change: (tool: OpenTool) => void): boolean {
    if (!run.byCallId.has(callId)) return false;
    run.flush();
    const { generation } = this.#reading;
    const own = generation < 6 ? run.last().byKey.get(key(dynamic === true, callId)) : undefined;
    const slot = own ?? this.#inStep(run.last(), callId) ?? run.byCallId.get(callId);
    if (!slot) return false;
    change(slot.tool);
    this.#say(run, slot);
    return true;
  }

  approval(run: OpenRun, approvalId: string, change: (tool: OpenTool) => void): boolean {
    const slot = run.byApproval.get(approvalId);
    if (!slot) return false;
    run.flush();
    change(slot.tool);
    this.#say(run, slot);
    return true;
  }

  /** Says again what an answer that came later makes of a result. */
  again(run: OpenRun, callId: string): void {
    const slot = this.#inStep(run.last(), callId);
    if (slot) this.#say(run, slot);
  }

  /** The place of a call among those of its step. */
  orderOf(step: OpenStep, callId: string): number | undefined {
    return this.#inStep(step, callId)?.order;
  }

  /** Of two parts of one id the first; generation 5 tells them apart by their kind. */
  #inStep({ byKey }: OpenStep, callId: string): ToolSlot | undefined {
    return this.#first(callId, known => byKey.get(known));
  }

  #first(callId: string, find: (key: string) => ToolSlot | undefined): ToolSlot | undefined {
    const [fixed, dynamic] = [find(key(false, callId)), find(key(true, callId))];
    return fixed && dynamic && dynamic.slot < fixed.slot ? dynamic : (fixed ?? dynamic);
  }

  #slotFor(run: OpenRun, chunk: JsonObject): ToolSlot {
    const { generation } = this.#reading;
    const callId = String(chunk["toolCallId"]);
    const isFailure = chunk["type"] === "tool-input-error" && generation >= 6;
    const known = isFailure ? this.#first(callId, each => run.toolIn(each)) : undefined;
    const isDynamic = chunk["dynamic"] === true;
    const found = known ?? run.toolIn(key(isDynamic, callId));
    if (found) return found;
    const step = run.step();
    const tool = new OpenTool({ generation, isDynamic, callId, name: String(chunk["toolName"]) });
    const slot: ToolSlot = { tool, step, slot: step.slots++, order: step.orders++, said: new Map(), isOpen: false };
    step.byKey.set(key(isDynamic, callId), slot);
    run.byCallId.set(callId, slot);
    return slot;
  }

  #read(slot: ToolSlot): ToolUse {
    const { generation, dynamic } = this.#reading;
    const use = decodeTool(slot.tool.wire, { generation, dynamic, role: "assistant", issue: () => undefined });
    return use ?? { call: { type: "tool-call", callId: slot.tool.callId, name: "" } };
  }

  #at({ step, slot }: ToolSlot, piece: "call" | "request" | "result" = "call"): At {
    return { message: step.message, part: slot * partNumber.width + partNumber[piece] };
  }

  #begin(slot: ToolSlot, value: ToolCallPart): void {
    slot.isOpen = true;
    this.#remember(slot, this.#at(slot).part, value);
    this.#reading.events.push({ type: "part-start", ...this.#at(slot), value });
  }

  #set(slot: ToolSlot, value: ToolCallPart): void {
    const at = this.#at(slot);
    if (equalJson(slot.said.get(at.part), value)) return;
    this.#remember(slot, at.part, value);
    this.#reading.events.push({ type: "part-set", ...at, set: defined<PartMembers>({ native: value.native }) });
  }

  #remember(slot: ToolSlot, place: number, part: Part): void {
    slot.said.set(place, part);
  }

  /** Says what is new of a part: the difference between what it reads as now and what was said (E3). */
  #say(run: OpenRun, slot: ToolSlot): void {
    const { call, request, response, result } = this.#read(slot);
    this.#sayCall(slot, call);
    if (request) {
      run.byApproval.set(request.requestId, slot);
      this.#put(slot, this.#at(slot, "request"), request);
    }
    if (response) this.#put(slot, this.#answerAt(run, slot, "response"), response);
    if (!result) return;
    const isProviders = call.executedBy === "provider";
    const at = isProviders ? this.#at(slot, "result") : this.#answerAt(run, slot, "result");
    this.#put(slot, at, denied(result, slot.step));
  }

  #answerAt(run: OpenRun, { step, order }: ToolSlot, piece: "response" | "result"): At {
    return { message: run.toolsOf(step), part: order * answerNumber.width + answerNumber[piece] };
  }

  #put(slot: ToolSlot, at: At, value: Part): void {
    const place = at.message === slot.step.message ? at.part : -1 - at.part;
    if (equalJson(slot.said.get(place), value)) return;
    this.#remember(slot, place, value);
    this.#reading.events.push({ type: "part", ...at, value });
  }

  /** A call whose text was said reads as its value: only its end is new. */
  #sayCall(slot: ToolSlot, call: ToolCallPart): void {
    const at = this.#at(slot);
    const { input, inputText, partial: _, ...members } = call;
    const given = { ...(input !== undefined && { input }), ...(inputText !== undefined && { inputText }) };
    const isRead = slot.isOpen && !call.partial && equalJson(readInput(slot.tool.text, call.kind), given);
    if (isRead && equalJson(slot.said.get(at.part), members)) {
      slot.isOpen = false;
      this.#remember(slot, at.part, call);
      this.#reading.events.push({ type: "part-end", ...at });
      return;
    }
    slot.isOpen = false;
    this.#put(slot, at, call);
  }
}

const key = (isDynamic: boolean, callId: string): string => `${isDynamic ? "dynamic" : "static"} ${callId}`;

/** Generation 5 says a denial as an error beside the answer. */
export function denied(result: ToolResultPart, step: OpenStep): ToolResultPart {
  const [text] = result.output ?? [];
  if (!step.denials.has(result.callId) || result.outcome !== "error" || text?.type !== "text") return result;
  const { output: _, ...others } = result;
  const output = deniedOutput(text.text, step.denials.get(result.callId));
  return { ...others, ...(output && { output }), outcome: "denied" };
}
