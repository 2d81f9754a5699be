import { equalJson, type Message } from "translogue";
import type { Model, ModelReport } from "../model.ts";
import type { OpenAnswer, ServedConversation } from "./state.ts";

/** The conversation as far as it is this model's: another provider knows no such id, and has none of its messages. */
export const servedBy = (
  served: ServedConversation | undefined,
  { provider }: Pick<Model, "provider">,
): ServedConversation | undefined =>
  served?.provider === undefined || served.provider === provider ? served : undefined;

/** Where the conversation is kept once an answer is there. One that another provider keeps is still there, and has read what it had. */
export function keptAfter(
  before: ServedConversation | undefined,
  { id, provider, known }: { readonly id: string | undefined; readonly provider: string; readonly known: number },
): ServedConversation | undefined {
  if (id?.trim()) return { id, provider, known };
  return servedBy(before, { provider }) ? undefined : before;
}

/** Where an answer goes on in the background, and at whose. */
export const whereabouts = (
  { continuation, answeredBy }: Pick<ModelReport, "continuation" | "answeredBy">,
  asked: Pick<Model, "provider">,
) => (continuation === undefined ? {} : { continuation, provider: (answeredBy ?? asked).provider });

/**
 * The answer of a run that was stopped: where its host goes on with it, it is told to end. The run does not wait for that. One
 * whose reader left goes on, and so does one whose process died.
 */
export function giveUp(asked: Model, answer: OpenAnswer | undefined, report: Pick<ModelReport, "continuation">): void {
  const continuation = report.continuation === undefined ? answer?.continuation : report.continuation;
  if (typeof continuation !== "string") return;
  asked.cancel?.(continuation, answer?.provider).catch(() => undefined); // it costs until it ends by itself
}

/** Once a session reads other messages in place of those before: behind the last that the provider has, all are new to it. */
export function servedAfter(
  served: ServedConversation | undefined,
  before: readonly Message[],
  after: readonly Message[],
): ServedConversation | undefined {
  if (!served || before === after) return served;
  const known = new Set<unknown>(before.slice(0, served.known).flatMap(message => [message, message.id ?? message]));
  return { ...served, known: after.findLastIndex(message => known.has(message) || known.has(message.id)) + 1 };
}

/** Once the history was rewritten: the provider's is still this one where it begins with all that the provider has. */
export function servedUnder(
  served: ServedConversation | undefined,
  before: readonly Message[],
  after: readonly Message[],
): ServedConversation | undefined {
  const known = before.slice(0, served?.known);
  const isSame = known.every((message, index) => message === after[index] || equalJson(message, after[index]));
  return isSame ? served : undefined;
}
