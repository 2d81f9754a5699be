import type { Message } from "./conversation.ts";
import { demandMessages } from "./given.ts";
import type { ToolCallPart, ToolResultPart } from "./parts.ts";

/** Calls of one id in one message; the first `answered` of them have their results. */
interface Group<Call> {
  readonly message: number;
  readonly calls: Call[];
  answered: number;
}

/**
 * Which result answers which call (R9), along one path: the nearest message before it that has an unanswered call of its
 * id, and there the first such call. How to take each step back is noted in `undo`, if given, so that the branches of a tree share what is
 * above them.
 */
export class Pairing<Call> {
  private readonly open = new Map<string, Group<Call>[]>();
  private readonly answered = new Map<string, Call>();
  private readonly undo: (() => void)[] | undefined;

  constructor(undo?: (() => void)[]) {
    this.undo = undo;
  }

  call(id: string, message: number, call: Call): void {
    const groups = this.open.get(id) ?? [];
    this.open.set(id, groups);
    const last = groups.at(-1);
    if (last?.message === message) {
      last.calls.push(call);
      this.undo?.push(() => last.calls.pop());
    } else {
      groups.push({ message, calls: [call], answered: 0 });
      this.undo?.push(() => groups.pop());
    }
  }

  /** The call that a result of this id would answer. */
  next(id: string): Call | undefined {
    const group = this.open.get(id)?.at(-1);
    return group?.calls[group.answered];
  }

  /** The last call of this id that has its result. */
  last(id: string): Call | undefined {
    return this.answered.get(id);
  }

  answer(id: string): Call | undefined {
    const call = this.next(id);
    const groups = this.open.get(id);
    const group = groups?.at(-1);
    if (call === undefined || !groups || !group) return undefined;
    const before = this.answered.get(id);
    this.answered.set(id, call);
    group.answered++;
    const spent = group.answered === group.calls.length;
    if (spent) groups.pop();
    this.undo?.push(() => {
      if (spent) groups.push(group);
      group.answered--;
      if (before === undefined) this.answered.delete(id);
      else this.answered.set(id, before);
    });
    return call;
  }
}

/** Every result of a list of messages with the call that it answers (R9); a preliminary result leaves its call unanswered. */
export function pairResults(messages: readonly Message[]): ReadonlyMap<ToolResultPart, ToolCallPart> {
  demandMessages(messages);
  const pairing = new Pairing<ToolCallPart>();
  const pairs = new Map<ToolResultPart, ToolCallPart>();
  messages.forEach(({ parts }, index) => {
    const whole = new Set(parts.flatMap(part => (part.type === "tool-call" && !part.partial ? part.callId : [])));
    for (const part of parts) {
      // A call that broke off is not what is answered where the same message has it whole.
      if (part.type === "tool-call") {
        if (!part.partial || !whole.has(part.callId)) pairing.call(part.callId, index, part);
      } else if (part.type === "tool-result") {
        const call = part.preliminary ? pairing.next(part.callId) : pairing.answer(part.callId);
        if (call) pairs.set(part, call);
      }
    }
  });
  return pairs;
}
