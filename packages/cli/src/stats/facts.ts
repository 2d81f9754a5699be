import { type Conversation, walk } from "translogue";
import { countTokens, estimate } from "translogue/history";
import { labelOf } from "../input/format.ts";
import { remarksOf } from "../reading/remark.ts";
import type { Read, Work } from "../reading/work.ts";

/** Counts by name. A map: names come from the input. */
export type Counts = ReadonlyMap<string, number>;

/** What is counted of one conversation. Plain data, and small: a run may have millions. */
export interface ConversationFacts {
  readonly format: string;
  readonly shape: string;
  readonly messages: number;
  readonly roles: Counts;
  readonly parts: Counts;
  readonly calls: Counts;
  /** Calls whose result says that they failed, were denied or interrupted, by tool. */
  readonly failed: Counts;
  /** Of the messages by the model that answered; where none says so, of the conversation by the model that is asked. */
  readonly models: Counts;
  /** By whose they are; `unknown` where nobody says. */
  readonly seals: Counts;
  /** Estimated. */
  readonly tokens: number;
  /** Those that providers counted, where usage is told. */
  readonly usage: Counts;
  /** UTF-8 bytes of the value's text; 0 for what a stream made. */
  readonly bytes: number;
  readonly issues: number;
}

export const statsWork: Work = {
  conversation: read => ({
    text: "",
    remarks: remarksOf({ issues: read.issues, losses: read.losses }),
    note: { of: "stats", facts: factsOf(read) },
  }),
};

/** @internal */
export function factsOf({ conversation, format, shape, text, issues }: Read): ConversationFacts {
  const [roles, parts, calls, failed] = [new Tally(), new Tally(), new Tally(), new Tally()];
  const [models, seals, usage] = [new Tally(), new Tally(), new Tally()];
  const names = new Map<string, string>();
  walk(conversation, {
    message: message => {
      roles.add(message.role);
      if (message.model !== undefined) models.add(message.model);
      for (const [name, tokens] of Object.entries(message.usage ?? {})) {
        if (typeof tokens === "number") usage.add(name, tokens);
      }
    },
    part: (part, path) => {
      if (part.seal) seals.add(part.seal.maker ?? "unknown");
      // Parts inside of others count with these.
      if (path.length === topLevel) parts.add(part.type);
      if (part.type === "tool-call") {
        calls.add(part.name);
        names.set(part.callId, part.name);
      } else if (part.type === "tool-result" && part.outcome !== undefined) {
        failed.add(part.name ?? names.get(part.callId) ?? "unknown");
      }
    },
    citation: ({ seal }) => {
      if (seal) seals.add(seal.maker ?? "unknown");
    },
  });
  if (models.counts.size === 0 && conversation.model !== undefined) models.add(conversation.model);
  return {
    format: labelOf(format),
    shape,
    messages: conversation.messages.length,
    roles: roles.counts,
    parts: parts.counts,
    calls: calls.counts,
    failed: failed.counts,
    models: models.counts,
    seals: seals.counts,
    tokens: tokensOf(conversation),
    usage: usage.counts,
    bytes: text === undefined ? 0 : Buffer.byteLength(text),
    issues: issues.length,
  };
}

/** `["messages", 0, "parts", 0]` */
const topLevel = 4;

const tokensOf = (conversation: Conversation): number => countTokens(conversation, estimate);

/** Counts that grow. */
export class Tally {
  readonly counts = new Map<string, number>();

  add(name: string, times = 1): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + times);
  }

  addAll(counts: Counts): void {
    for (const [name, times] of counts) this.add(name, times);
  }

  /** The most first, those of as many by name. */
  sorted(): readonly (readonly [name: string, times: number])[] {
    return [...this.counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  }
}
