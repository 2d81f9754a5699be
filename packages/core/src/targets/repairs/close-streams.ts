import type { Draft, Item } from "./draft.ts";
import { pairsOf } from "./pairs.ts";

/** Calls that were cut off while they were written: nobody ran them, and nobody can tell what they were to be. */
export function closeStreams(draft: Draft): void {
  if (!draft.rules["calls-answered"] && !draft.rules.arguments) return;
  const cut = new Set<Item>();
  for (const { part, item, answer } of pairsOf(draft).calls) {
    if (answer || !(part.partial || isUnread(part))) continue;
    cut.add(item);
    draft.changed(
      "close-streams",
      item.path,
      `the call \`${part.callId}\` of \`${part.name}\` is left out: it was cut off`,
    );
  }
  if (cut.size > 0) draft.mapItems(item => (cut.has(item) ? undefined : item.part));
}

/** Arguments that are there and do not read as JSON. */
const isUnread = ({ input, inputText = "" }: { readonly input?: unknown; readonly inputText?: string }): boolean =>
  input === undefined && inputText.trim() !== "";
