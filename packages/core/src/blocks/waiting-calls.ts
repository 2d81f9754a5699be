interface Call {
  readonly callId: string;
  isAnswered: boolean;
}

interface Turn {
  readonly number: number;
  readonly calls: Call[];
  /** Those before it have their results. */
  next: number;
}

/**
 * Calls that wait for results, by what a result can say of its call where it has no id. It answers the first call that waits
 * in the nearest turn that has one (R9); messages of the assistant with nothing between them are one turn.
 */
export class WaitingCalls {
  readonly #turns = new Map<string, Turn[]>();
  #turn = 0;

  /** Someone else than the assistant speaks. */
  endTurn(): void {
    this.#turn++;
  }

  ask(keys: readonly string[], callId: string): void {
    const call: Call = { callId, isAnswered: false };
    for (const key of keys) {
      const turns = this.#turns.get(key) ?? [];
      this.#turns.set(key, turns);
      const last = turns.at(-1);
      if (last?.number === this.#turn) last.calls.push(call);
      else turns.push({ number: this.#turn, calls: [call], next: 0 });
    }
  }

  /** The call that a result answers, which waits no more. */
  answer(key: string): string | undefined {
    this.endTurn();
    return this.take(key);
  }

  /** The call that a result would answer. */
  next(key: string): string | undefined {
    return firstWaiting(this.#turns.get(key) ?? [])?.callId;
  }

  /** As `answer`, for a result that stands inside the assistant's turn. */
  take(key: string): string | undefined {
    const call = firstWaiting(this.#turns.get(key) ?? []);
    if (call) call.isAnswered = true;
    return call?.callId;
  }
}

/** Answered calls are passed once, so that a long history costs no search. */
function firstWaiting(turns: Turn[]): Call | undefined {
  for (let last = turns.at(-1); last; last = turns.at(-1)) {
    while (last.calls[last.next]?.isAnswered) last.next++;
    const call = last.calls[last.next];
    if (call) return call;
    turns.pop();
  }
  return undefined;
}
