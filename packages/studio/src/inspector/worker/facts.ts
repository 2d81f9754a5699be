import { type Conversation, formatPath, type Part, type Seal, walk } from "translogue";
import { countTokens, estimate } from "translogue/history";
import { partTokens } from "./rows.ts";

/** An id, and where it is. */
export interface IdFact {
  readonly id: string;
  readonly kind: "message" | "answer" | "call" | "approval" | "part";
  readonly row?: number;
  /** Of a call: where its result is. */
  readonly resultRow?: number;
  readonly hasResult?: boolean;
}

export interface SealFact {
  readonly maker?: string;
  readonly model?: string;
  readonly route?: string;
  /** Names of its values, and their size in characters. */
  readonly values: readonly (readonly [name: string, length: number])[];
  readonly row?: number;
}

/** What one message counts, by what it is made of. */
export interface Bar {
  readonly row: number;
  readonly role: string;
  readonly tokens: number;
  readonly parts: readonly (readonly [type: string, tokens: number])[];
}

export interface Facts {
  readonly model?: string;
  readonly tokens: number;
  readonly characters: number;
  readonly messages: number;
  readonly tools: number;
  readonly toolTokens: number;
  readonly byType: readonly (readonly [type: string, tokens: number, count: number])[];
  readonly byRole: readonly (readonly [role: string, tokens: number, count: number])[];
  readonly bars: readonly Bar[];
  readonly ids: readonly IdFact[];
  readonly seals: readonly SealFact[];
  /** As the providers counted, where the messages tell. */
  readonly usage?: { readonly input: number; readonly output: number };
}

/** What fills a conversation, and whose it is. */
export function factsOf(conversation: Conversation, names: ReadonlyMap<string, number>, characters: number): Facts {
  const { messages, tools = [], model } = conversation;
  const bars = messages.map((message, index): Bar => {
    const parts = new Tally();
    for (const part of message.parts) parts.add(part.type, partTokens(part));
    return {
      row: names.get(formatPath(["messages", index])) ?? -1,
      role: message.role,
      tokens: estimate(message),
      parts: parts.rows().map(([type, tokens]) => [type, tokens] as const),
    };
  });
  const byType = new Tally();
  const byRole = new Tally();
  for (const { parts } of messages) for (const part of parts) byType.add(part.type, partTokens(part));
  for (const { role, tokens } of bars) byRole.add(role, tokens);
  const usage = usageOf(conversation);
  return {
    ...(model !== undefined && { model }),
    tokens: countTokens(conversation),
    characters,
    messages: messages.length,
    tools: tools.length,
    toolTokens: countTokens({ messages: [], tools }),
    byType: byType.rows(),
    byRole: byRole.rows(),
    bars,
    ...idsAndSeals(conversation, names),
    ...(usage && { usage }),
  };
}

class Tally {
  readonly #sums = new Map<string, [number, number]>();

  add(name: string, tokens: number): void {
    const sum = this.#sums.get(name) ?? [0, 0];
    this.#sums.set(name, [sum[0] + tokens, sum[1] + 1]);
  }

  /** The largest first. */
  rows(): (readonly [string, number, number])[] {
    return [...this.#sums].map(([name, [tokens, count]]) => [name, tokens, count] as const).sort((a, b) => b[1] - a[1]);
  }
}

function usageOf({ messages }: Conversation): Facts["usage"] {
  const told = messages.flatMap(({ usage }) => (usage ? [usage] : []));
  if (told.length === 0) return undefined;
  const sum = (numbers: readonly (number | undefined)[]): number =>
    numbers.reduce<number>((total, number) => total + (number ?? 0), 0);
  return {
    input: sum(told.flatMap(({ input, cacheRead, cacheWrite }) => [input, cacheRead, cacheWrite])),
    output: sum(told.flatMap(({ output, reasoning }) => [output, reasoning])),
  };
}

function idsAndSeals(conversation: Conversation, names: ReadonlyMap<string, number>): Pick<Facts, "ids" | "seals"> {
  const ids: IdFact[] = [];
  const seals: SealFact[] = [];
  const results = new Map<string, number | undefined>();
  walk(conversation, {
    part: (part, path) => {
      if (part.type === "tool-result") results.set(part.callId, names.get(formatPath(path)));
    },
  });
  const at = (row: number | undefined) => (row === undefined ? {} : { row });
  walk(conversation, {
    message: ({ id, responseId }, path) => {
      const place = at(names.get(formatPath(path)));
      if (id !== undefined) ids.push({ kind: "message", id, ...place });
      if (responseId !== undefined) ids.push({ kind: "answer", id: responseId, ...place });
    },
    part: (part, path) => {
      const place = at(names.get(formatPath(path)));
      if (part.seal) seals.push({ ...sealOf(part.seal), ...place });
      const id = idOf(part);
      if (!id) return;
      const resultRow = id.kind === "call" ? results.get(id.id) : undefined;
      const hasResult = id.kind === "call" && { hasResult: results.has(id.id) };
      ids.push({ ...id, ...place, ...hasResult, ...(resultRow !== undefined && { resultRow }) });
    },
  });
  return { ids, seals };
}

function idOf(part: Part): Pick<IdFact, "id" | "kind"> | undefined {
  if (part.type === "tool-call") return { kind: "call", id: part.callId };
  if (part.type === "approval-request") return { kind: "approval", id: part.requestId };
  return part.id === undefined ? undefined : { kind: "part", id: part.id };
}

const sealOf = ({ maker, model, route, values }: Seal): SealFact => ({
  values: Object.entries(values).map(([name, value]) => [name, value.length] as const),
  ...(maker !== undefined && { maker }),
  ...(model !== undefined && { model }),
  ...(route !== undefined && { route }),
});
