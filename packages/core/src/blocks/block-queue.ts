/**
 * Blocks of a stream that follow one another: another part closes an idle text or thinking block, and one that goes on begins
 * a new block; only what comes beside a call whose arguments are half told waits for it (E6).
 */

import type { EncodeContext } from "../codec/codec.ts";
import type { Event } from "../model/events.ts";
import type { Json } from "../model/json.ts";
import type { Citation } from "../model/parts.ts";

/** A part that is sent as one block after the other. */
export interface QueuedBlock {
  readonly message: number;
  /** Its part's number. */
  readonly number: number;
  readonly isStreamed: boolean;
  readonly isCall: boolean;
  readonly hasUnsent: boolean;
  readonly hasStarted: boolean;
  /** Nothing may come between what is out of it and the rest. */
  readonly holdsOthers: boolean;
  /** Its part is over. */
  readonly isOver: boolean;
  /** All of it is out. */
  isDone: boolean;
  /** It is over, and what it ends with needs a block of its own. */
  readonly isUnsigned?: boolean;
  /** It is over, and its block stays open for what may be said of it. */
  readonly isLasting?: boolean;
  delta(text: string): void;
  cite(citation: Citation): void;
  end(): void;
  /** The beginning of its next block; undefined where there is nothing to send. */
  begin(index: number): readonly Json[] | undefined;
  flush(index: number): readonly Json[];
  close(index: number, isLast: boolean): readonly Json[];
  /** All of it at once, block by block. */
  whole(first: number): readonly (readonly Json[])[];
}

export class BlockQueue<Block extends QueuedBlock> {
  readonly #lose: EncodeContext["lose"];
  /** The block that is open, and those that wait for it. */
  #current: Block | undefined;
  readonly #waiting = new Set<Block>();
  /** The highest number, by message, of the parts that have a block. */
  readonly #entered = new Map<number, number>();
  /** Number of the next block. */
  #index = 0;

  constructor(lose: EncodeContext["lose"]) {
    this.#lose = lose;
  }

  get current(): Block | undefined {
    return this.#current;
  }

  get hasWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** What an event of its part makes of a block that is there already. */
  take(block: Block | undefined, event: Event): Json[] {
    if (!block) return [];
    switch (event.type) {
      case "part-delta":
        block.delta(event.text);
        break;
      case "citation":
        block.cite(event.citation);
        break;
      case "part-end":
        block.end();
        break;
      default:
        return [];
    }
    return this.advance(block);
  }

  /** Sends what is new of a block, once no other holds it up. */
  advance(block: Block, isNew = false): Json[] {
    const isCurrent = this.#current === block;
    if (block.isDone || (!isCurrent && !wants(block, isNew))) return [];
    if (!isCurrent && this.#current?.holdsOthers) {
      this.#waiting.add(block);
      return [];
    }
    const events: Json[] = [];
    if (!isCurrent) events.push(...this.#leave(false), ...this.#enter(block));
    if (this.#current !== block) return [...events, ...this.#release()];
    events.push(...block.flush(this.#index));
    if (block.isOver && !block.isLasting) events.push(...this.#leave(true));
    return this.#current?.holdsOthers ? events : [...events, ...this.#release()];
  }

  /** Ends the blocks of a message whose end nobody told. */
  endAll(blocks: Iterable<Block>): Json[] {
    const events: Json[] = [];
    for (const block of blocks) {
      if (block.isOver || block.isDone) continue;
      this.#lose("open", ["messages", block.message, "parts", block.number]);
      block.end();
      events.push(...this.advance(block));
    }
    return events;
  }

  /** Ends the open block and its part, and sends what waited for it. */
  close(): Json[] {
    return [...this.#leave(true), ...this.#release()];
  }

  /** A message starts over: its open block ends, and what waits is void. */
  restart(message: number): Json[] {
    const events = this.#leave(true);
    this.#entered.delete(message);
    this.#waiting.clear();
    return events;
  }

  /** The answer begins anew, as if nothing were out. */
  reset(): void {
    this.#current = undefined;
    this.#entered.clear();
    this.#waiting.clear();
    this.#index = 0;
  }

  #enter(block: Block): readonly Json[] {
    const { message, number } = block;
    const entered = this.#entered.get(message) ?? number;
    if (number < entered) this.#lose("order", ["messages", message, "parts"]);
    this.#entered.set(message, Math.max(number, entered));
    if (!block.isStreamed) {
      const written = block.whole(this.#index).filter(({ length }) => length > 0);
      this.#index += written.length;
      return written.flat();
    }
    const events = block.begin(this.#index);
    if (events) this.#current = block;
    else block.isDone = true;
    return events ?? [];
  }

  /** The open block ends; `isLast`: so does its part. */
  #leave(isLast: boolean): Json[] {
    const block = this.#current;
    if (!block) return [];
    this.#current = undefined;
    return [...block.close(this.#index++, isLast || block.isOver)];
  }

  /** What waited goes on, until another call holds the rest up. */
  #release(): Json[] {
    const events: Json[] = [];
    for (const block of this.#waiting) {
      if (this.#current?.holdsOthers) break;
      this.#waiting.delete(block);
      events.push(...this.advance(block, true));
    }
    return events;
  }
}

/** Whether there is something of it to send that no block of its has said. */
function wants(block: QueuedBlock, isNew: boolean): boolean {
  if (!block.isStreamed) return block.isOver;
  if (block.isCall && isNew) return true;
  // A text that does not begin yet would leave an empty block behind.
  return block.hasUnsent || (block.isOver && (!block.hasStarted || block.isUnsigned === true));
}
