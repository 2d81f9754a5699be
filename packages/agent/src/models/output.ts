import { accumulate, type Event, type Usage } from "translogue";
import type { RunError } from "../errors.ts";
import type { Model, ModelRequest } from "../model.ts";
import { sumUsage } from "../usage.ts";

/** Whatever a reader would have to be told to forget, should another answer take its place: not that a text or an answer begins or ends. */
export function isOutput(event: Event): boolean {
  switch (event.type) {
    case "message-start":
    case "message-set":
    case "message-end":
    case "part-end":
    case "error":
      return false;
    case "part-start":
      return event.value.type !== "text" || event.value.text !== "";
    case "part-delta":
      return event.of !== "text" || event.text !== "";
    default:
      return true;
  }
}

/** The end of a stream's decoder, which is made once, whoever asks; nothing of one that has read nothing. */
export function endOnce(
  decoder: { readonly end: () => readonly Event[] },
  hasRead: () => boolean,
): () => readonly Event[] {
  let ended: readonly Event[] | undefined;
  return () => {
    if (!hasRead()) return [];
    ended ??= decoder.end();
    return ended;
  };
}

/** A try that came to nothing costs what its host told of it all the same. */
export function tellTried(
  { report }: ModelRequest,
  events: readonly Event[],
  { model, error }: { readonly model: Pick<Model, "id" | "provider" | "alternatives">; readonly error: RunError },
): void {
  const messages = accumulate(events.filter(({ type }) => type !== "error"));
  const usage = sumUsage(messages);
  const named = messages.findLast(message => message.model !== undefined)?.model;
  const { id, provider } = model.alternatives?.find(other => other.id === named) ?? model;
  if (usage) report?.({ fallbacks: [{ model: id, provider, error, usage }] });
}

/** What events tell of the tokens of their last message. */
export function usageIn(events: readonly Event[]): Usage | undefined {
  const told = events.findLast(event => event.type === "message-set" && event.set.usage);
  return told?.type === "message-set" ? told.set.usage : undefined;
}
