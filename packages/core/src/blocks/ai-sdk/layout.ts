/** Says what of the order, the ids and the heads of messages does not come back from one message of the AI SDK's. */

import type { EncodeContext } from "../../codec/codec.ts";
import { isContent } from "../../codec/hints.ts";
import type { Message } from "../../model/conversation.ts";
import { isJsonObject, type Json } from "../../model/json.ts";
import type { ToolResultPart } from "../../model/parts.ts";
import type { Group } from "./groups.ts";
import { family, type Generation, isMadeId, remainderOf } from "./part.ts";
import { hasApprovals } from "./tool-writing.ts";
import { type Entry, isSamePlace, type Place, type Placed, type PlacedUse, type Uses } from "./uses.ts";

/** One step: what the assistant says, and the tool messages after it. The reader gives it one at most. */
interface Segment {
  readonly assistant: number | undefined;
  readonly tools: number[];
}

/** A denial stands beside the question that it answers. */
const needsRequest = (result: ToolResultPart | undefined): boolean =>
  result?.outcome === "denied" && remainderOf(result)["$approval"] !== "as-is";

/** A message that is not the first of its wire message has no place for what is the application's. */
export function loseJoined(
  { role, metadata, native }: Omit<Message, "parts">,
  index: number,
  lose: EncodeContext["lose"],
): void {
  if (metadata !== undefined) lose("joined-metadata", ["messages", index, "metadata"]);
  // What a user said meanwhile has members of its own.
  if (role !== "user" && Object.keys(native?.[family] ?? {}).some(isContent))
    lose("joined-native", ["messages", index, "native", family]);
}

export class Layout {
  readonly #messages: readonly Message[];
  readonly #uses: Uses;
  readonly #generation: Generation;
  readonly #lose: EncodeContext["lose"];

  constructor(
    messages: readonly Message[],
    uses: Uses,
    { generation, context }: { readonly generation: Generation; readonly context: EncodeContext },
  ) {
    this.#messages = messages;
    this.#uses = uses;
    this.#generation = generation;
    this.#lose = (code, path, detail) => context.lose(code, path, detail);
  }

  /** Compares the messages of a group with what a reader makes of the wire message that was written of them. */
  check(group: Group, wire: Json): void {
    for (const index of group.members) {
      if (index !== group.head) this.#head(index);
    }
    if (group.kind === "single" && group.head !== undefined) this.#single(group.head);
    if (group.kind === "run") this.#run(group, wire);
  }

  #head(index: number): void {
    const message = this.#messages[index];
    if (!message) return;
    if (message.role === "control") this.#lose("control", ["messages", index]);
    loseJoined(message, index, this.#lose);
    if (message.role === "tool" && message.parts.length === 0) this.#lose("no-parts", ["messages", index]);
  }

  #single(index: number): void {
    const { id, run, parts } = this.#messages[index] as Message; // a member of a group
    if (id === "" || (id !== undefined && isMadeId(id))) this.#lose("made-id", ["messages", index, "id"]);
    if (run !== undefined) this.#lose("run", ["messages", index, "run"]);
    parts.forEach((_, part) => {
      const entry = this.#uses.entryAt({ message: index, part });
      if (entry && "use" in entry && entry.as === "call") this.#inline(entry.use, { isAssistant: false });
    });
  }

  #run(group: Group, wire: Json): void {
    const wireId = isJsonObject(wire) && typeof wire["id"] === "string" ? wire["id"] : "";
    const id = wireId === "" || isMadeId(wireId) ? undefined : wireId;
    const steps = this.#steps(group);
    const decoded: { readonly index: number | undefined; readonly isSteering: boolean }[] = [];
    for (const step of steps) {
      if (typeof step === "number") decoded.push({ index: step, isSteering: true });
      else decoded.push(...this.#step(step).map(index => ({ index, isSteering: false })));
    }
    const hasSteering = steps.some(step => typeof step === "number");
    const needsRun = hasSteering || (decoded.length > 1 && id !== undefined);
    const run = needsRun ? (id ?? (wireId === "" ? `~${group.head ?? 0}` : wireId)) : undefined;
    decoded.forEach(({ index, isSteering }, place) => {
      const message = index === undefined ? undefined : this.#messages[index];
      if (!message || index === undefined) return;
      const numbered = id === undefined ? undefined : place === 0 ? id : `${id}:${place}`;
      const own = message.id !== undefined && isMadeId(message.id) ? undefined : message.id;
      if (message.id !== (isSteering ? own : numbered)) this.#lose("message-id", ["messages", index, "id"]);
      if (message.run !== run) this.#lose("run", ["messages", index, "run"]);
    });
  }

  /** The steps of a run, and the numbers of what a user said between them. */
  #steps(group: Group): (Segment | number)[] {
    const steps: (Segment | number)[] = [];
    for (const index of group.members) {
      const { role } = this.#messages[index] as Message; // a member of a group
      const last = steps.at(-1);
      if (role === "assistant") steps.push({ assistant: index, tools: [] });
      else if (role === "user" && !this.#isSilentUser(index)) steps.push(index);
      else if (role !== "tool") continue;
      else if (typeof last === "object") last.tools.push(index);
      else steps.push({ assistant: undefined, tools: [index] });
    }
    return steps.length > 0 ? steps : [{ assistant: undefined, tools: [] }];
  }

  #isSilentUser(index: number): boolean {
    const { parts } = this.#messages[index] as Message; // a member of a group
    return parts.length > 0 && parts.every((_, part) => this.#uses.entryAt({ message: index, part }) !== undefined);
  }

  /** The messages that the reader makes of a step: the assistant's, and the tools' if there is an answer. */
  #step({ assistant, tools }: Segment): (number | undefined)[] {
    const expected: Place[] = [];
    const orders = new Map<string, number>();
    const answers: { readonly order: number; readonly rank: number; readonly at: Place }[] = [];
    let count = 0;
    for (const message of assistant === undefined ? tools : [assistant, ...tools]) {
      this.#messages[message]?.parts.forEach((_, part) => {
        const entry = this.#uses.entryAt({ message, part });
        const found = entry && this.#answersAt(entry, { message, part });
        if (!found) return;
        const order = (found.callId !== undefined && !found.isCall ? orders.get(found.callId) : undefined) ?? count++;
        if (found.isCall && found.callId !== undefined && !orders.has(found.callId)) orders.set(found.callId, order);
        for (const { at, rank } of found.answers) answers.push({ order, rank, at });
        if (found.isMade && assistant !== undefined && message !== assistant)
          this.#lose("made-call", ["messages", assistant]);
      });
    }
    answers.sort((a, b) => a.order - b.order || a.rank - b.rank);
    expected.push(...answers.map(({ at }) => at));
    this.#answers(expected, tools);
    this.#misplaced(assistant, tools);
    return expected.length > 0 ? [assistant, tools[0]] : [assistant];
  }

  /** The answers that the reader finds where this part is written, and in which order. */
  #answersAt(entry: Entry, at: Place) {
    if ("replaced" in entry) return undefined;
    if ("loose" in entry) {
      const { request, response } = entry.loose;
      if (entry.as === "response" && request) return undefined;
      const callId = request?.part.callId ?? response?.part.callId;
      return { callId, isCall: false, isMade: false, answers: response ? [{ at: response.at, rank: 0 }] : [] };
    }
    const { call, request, response, result, isMade } = entry.use;
    const { callId } = call.part;
    const isApart = !hasApprovals(call.part, this.#generation) && request !== undefined;
    if (isApart && isSamePlace(request.at, at) && !isSamePlace(call.at, at)) {
      return { callId, isCall: false, isMade: false, answers: response ? [{ at: response.at, rank: 0 }] : [] };
    }
    if (!isSamePlace(call.at, at)) return undefined;
    this.#inline(entry.use, { isAssistant: true });
    const isOutside = result && call.part.executedBy !== "provider";
    const answers = [
      ...(response && !(isApart && !isSamePlace(request.at, at)) ? [{ at: response.at, rank: 0 }] : []),
      ...(isOutside ? [{ at: result.at, rank: 1 }] : []),
    ];
    return { callId, isCall: true, isMade: isMade === true && !request?.part.call, answers };
  }

  /** What the reader puts right after the call. */
  #inline(
    { call, request, response, result, isMade }: PlacedUse,
    { isAssistant }: { readonly isAssistant: boolean },
  ): void {
    if (isMade) return;
    const isInside = hasApprovals(call.part, this.#generation);
    if (isInside && !request && needsRequest(result?.part)) {
      this.#lose("made-request", ["messages", call.at.message, "parts"]);
    }
    const after: (Placed<Message["parts"][number]> | undefined)[] = [];
    if (isInside) after.push(request);
    if (!isAssistant) after.push(response);
    if (!isAssistant || call.part.executedBy === "provider") after.push(result);
    let next = call.at.part + 1;
    for (const piece of after) {
      if (!piece) continue;
      if (!isSamePlace(piece.at, { message: call.at.message, part: next })) this.#moved(piece.at, call.at.message);
      next++;
    }
  }

  #moved({ message, part }: Place, to: number): void {
    this.#lose("moved", ["messages", message, "parts", part]);
    if (message !== to) this.#lose("moved", ["messages", to, "parts"]);
  }

  /** Results and answers of a step stand in one tool message, in the order of their calls. */
  #answers(expected: readonly Place[], [tool]: readonly number[]): void {
    let isSame = tool !== undefined && this.#messages[tool]?.parts.length === expected.length;
    expected.forEach((at, index) => {
      if (tool !== undefined && isSamePlace(at, { message: tool, part: index })) return;
      isSame = false;
      this.#lose("moved", ["messages", at.message, "parts", at.part]);
    });
    if (!isSame && tool !== undefined && expected.length > 0) this.#lose("results-joined", ["messages", tool, "parts"]);
  }

  /** What is no answer in a tool message is written as the assistant's. */
  #misplaced(assistant: number | undefined, tools: readonly number[]): void {
    for (const tool of tools) {
      const hasOther = this.#messages[tool]?.parts.some((_, part) => !this.#uses.entryAt({ message: tool, part }));
      if (hasOther && assistant !== undefined) this.#lose("misplaced", ["messages", assistant, "parts"]);
    }
  }
}
