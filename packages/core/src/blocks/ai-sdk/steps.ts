/** The steps of a run, put together from the parts of one message of the AI SDK's. */

import type { Message } from "../../model/conversation.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Part, ToolResultPart } from "../../model/parts.ts";
import { deniedOutput, type ToolUse } from "./tools.ts";

/** A message of a run in the making. */
export interface Step {
  readonly role: "assistant" | "tool" | "user";
  /** A steering message has an id of its own, or none. */
  readonly id?: { readonly id?: string };
  readonly parts: readonly Part[];
  readonly hints: JsonObject;
}

interface OpenStep extends Step {
  readonly parts: Part[];
  readonly hints: { [hint: string]: JsonObject | boolean };
}

/** An answer or a result, by the place of its call in the step. */
interface Answer {
  readonly order: number;
  readonly rank: number;
  readonly part: Part;
}

/** Splits a run at the marks of its steps. Its first message is always there, even if it is empty (R18). */
export class Steps {
  readonly #markedByDefault: boolean;
  readonly #steps: [Step, ...Step[]];
  /** Undefined after a steering message: what follows begins a message. */
  #current: OpenStep | undefined;
  #isFresh = true;
  #answers: Answer[] = [];
  /** Calls of the step, by their id, in order. */
  readonly #orders = new Map<string, number>();
  /** Calls of the step that were denied, with the reason. */
  readonly #denials = new Map<string, string | undefined>();
  /** Results of the step by the id of their call, and how to put another in their place. */
  readonly #results = new Map<
    string,
    { readonly part: ToolResultPart; readonly put: (denied: ToolResultPart) => void }
  >();
  #count = 0;
  hasSteering = false;

  constructor({ markedByDefault }: { readonly markedByDefault: boolean }) {
    this.#markedByDefault = markedByDefault;
    const first = this.#newStep(false);
    this.#current = first;
    this.#steps = [first];
  }

  /** A mark: what follows is a new step. `members`: what the mark says beside its type. */
  mark(members: JsonObject): void {
    const isFirst = this.#isFresh && this.#steps.length === 1;
    if (isFirst && this.#current) this.#say(this.#current, true, members);
    else {
      this.#flush();
      this.#begin(true, members);
    }
    this.#isFresh = false;
  }

  add(...parts: readonly Part[]): void {
    this.#isFresh = false;
    (this.#current ?? this.#begin(false)).parts.push(...parts);
  }

  /** The call stands where it stood; a result of the provider's follows it, others wait for the end of the step. */
  addTool({ call, request, response, result }: ToolUse): void {
    const order = this.#count++;
    if (!this.#orders.has(call.callId)) this.#orders.set(call.callId, order);
    this.add(call, ...(request ? [request] : []));
    if (response) this.#answers.push({ order, rank: 0, part: response });
    if (!result) return;
    const part = this.#denied(result);
    const inline = call.executedBy === "provider" ? this.#current : undefined;
    if (inline) {
      inline.parts.push(part);
      this.#results.set(call.callId, {
        put: denied => inline.parts.splice(inline.parts.indexOf(part), 1, denied),
        part,
      });
    } else {
      const index = this.#answers.push({ order, rank: 1, part }) - 1;
      const answers = this.#answers;
      this.#results.set(call.callId, {
        put: denied => answers.splice(index, 1, { order, rank: 1, part: denied }),
        part,
      });
    }
  }

  /** An approval that stands beside its call. */
  addApproval({ request, response }: Pick<ToolUse, "request" | "response">): void {
    const callId = request?.callId ?? response?.callId;
    const known = callId === undefined ? undefined : this.#orders.get(callId);
    const order = known ?? this.#count++;
    if (request) this.add(request);
    if (!response) return;
    this.#answers.push({ order, rank: 0, part: response });
    if (response.approved || callId === undefined) return;
    this.#denials.set(callId, response.reason);
    const result = this.#results.get(callId);
    result?.put(this.#denied(result.part));
  }

  /** What a user said while the run went on. */
  steer({ id, parts, native }: Message): void {
    this.#flush();
    const hints = Object.values(native ?? {})[0] ?? {};
    this.#steps.push({ role: "user", id: id === undefined ? {} : { id }, parts, hints });
    this.#current = undefined;
    this.hasSteering = true;
  }

  end(): [Step, ...Step[]] {
    this.#flush();
    return this.#steps;
  }

  /** Generation 5 says a denial as an error beside the answer. */
  #denied(result: ToolResultPart): ToolResultPart {
    const [text] = result.output ?? [];
    if (!this.#denials.has(result.callId) || result.outcome !== "error" || text?.type !== "text") return result;
    const { output: _, ...others } = result;
    const output = deniedOutput(text.text, this.#denials.get(result.callId));
    return { ...others, ...(output && { output }), outcome: "denied" };
  }

  #newStep(isMarked: boolean, members: JsonObject = {}): OpenStep {
    const step: OpenStep = { role: "assistant", parts: [], hints: {} };
    this.#say(step, isMarked, members);
    return step;
  }

  #begin(isMarked: boolean, members?: JsonObject): OpenStep {
    const step = this.#newStep(isMarked, members);
    this.#steps.push(step);
    this.#current = step;
    return step;
  }

  #say(step: OpenStep, isMarked: boolean, members: JsonObject): void {
    if (isMarked === this.#markedByDefault) delete step.hints["$stepStart"];
    else step.hints["$stepStart"] = isMarked;
    if (Object.keys(members).length > 0) step.hints["$$step"] = members;
  }

  #flush(): void {
    if (this.#answers.length > 0) {
      const answers = this.#answers.toSorted((a, b) => a.order - b.order || a.rank - b.rank);
      this.#steps.push({ role: "tool", parts: answers.map(({ part }) => part), hints: {} });
    }
    this.#answers = [];
    for (const known of [this.#orders, this.#denials, this.#results]) if (known.size > 0) known.clear();
  }
}
