import { type Conversation, findFormat, formatPath, type Issue, type Loss } from "translogue";
import { encodeAs } from "translogue/convert";
import { estimate } from "translogue/history";
import { checkTarget } from "translogue/targets";
import { endpointFor, forShape, withModel } from "../endpoints/endpoint.ts";
import { labelOf } from "../input/format.ts";
import { placeOfFile } from "../input/source.ts";
import type { Done, Read, Work } from "../reading/work.ts";
import { transcript } from "./transcript.ts";

export interface InspectOrder {
  /** Whose issues are shown. Absent = of the provider whose format it is. */
  readonly target?: string | undefined;
  readonly model?: string | undefined;
  /** The format whose losses are shown. */
  readonly to?: string | undefined;
  /** Whether nothing is folded. */
  readonly full: boolean;
  readonly json: boolean;
  readonly color: boolean;
  readonly columns: number;
}

/** Shows each conversation with what is wrong in it, and what another format would lose. */
export class InspectWork implements Work {
  readonly #order: InspectOrder;

  /** Throws `format/unknown` and the like. */
  constructor(order: InspectOrder) {
    this.#order = order;
    if (order.to !== undefined) findFormat(order.to);
  }

  conversation(read: Read): Done {
    const { json } = this.#order;
    const remarks = this.#remarks(read);
    const { conversation, format, shape, place } = read;
    const text = json
      ? `${JSON.stringify(asData(read, remarks))}\n`
      : transcript(conversation, { ...this.#order, place, ...remarks, format: labelOf(format), shape });
    return { text, remarks: [] };
  }

  #remarks({ conversation, format, shape, issues, losses }: Read): Noted {
    const { target, model, to } = this.#order;
    const endpoint = endpointFor(format, target);
    const found = endpoint ? checkTarget(conversation, forShape(endpoint, shape), withModel(model)) : [];
    return {
      issues: [...issues, ...found],
      losses: to === undefined ? losses : [...losses, ...lossesOf(conversation, shape, to)],
      ...(endpoint && { endpoint: endpoint.id }),
    };
  }
}

export interface Noted {
  readonly issues: readonly Issue[];
  readonly losses: readonly Loss[];
  readonly endpoint?: string;
}

function lossesOf(conversation: Conversation, shape: Read["shape"], to: string): readonly Loss[] {
  const { codec, ...dialect } = findFormat(to);
  const written = shape === "stream" || shape === "event" ? "answer" : shape;
  return encodeAs(codec, { conversation, shape: written }, dialect).losses;
}

/** What the transcript shows, as data. */
function asData({ conversation, format, shape, place }: Read, { issues, losses, endpoint }: Noted) {
  const { messages, model } = conversation;
  const found = byMessage(issues);
  const lost = byMessage(losses);
  return {
    ...placeOfFile(place),
    format: labelOf(format),
    shape,
    ...(model !== undefined && { model }),
    ...(endpoint !== undefined && { endpoint }),
    messages: messages.map((message, index) => ({
      path: formatPath(["messages", index]),
      ...message,
      tokens: estimate(message),
      issues: found.get(index) ?? [],
      losses: lost.get(index) ?? [],
    })),
    issues: found.get(undefined) ?? [],
    losses: lost.get(undefined) ?? [],
  };
}

/** What is about no message stands under undefined. */
function byMessage<T extends { readonly path: Issue["path"] }>(
  items: readonly T[],
): ReadonlyMap<unknown, readonly T[]> {
  return Map.groupBy(items, ({ path: [root, index] }) => (root === "messages" ? index : undefined));
}
