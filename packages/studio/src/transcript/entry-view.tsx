import { memo } from "react";
import { PartView } from "../parts/part-views.tsx";
import { CopyButton } from "../shell/copy-button.tsx";
import { useLanguage, useWords } from "../shell/use-words.ts";
import type { Words } from "../shell/words.ts";
import { type Entry, factsOf, textOf } from "./entries.ts";

interface EntryViewProps {
  readonly entry: Entry;
  readonly isLive: boolean;
}

/** One turn of one side. */
export const EntryView = memo(function EntryView({ entry, isLive }: EntryViewProps) {
  const words = useWords();
  return (
    <article className={`entry ${entry.side}`} aria-label={sideName(entry, words)} tabIndex={-1}>
      <h2 className={entry.side === "note" ? "role" : "sr-only"}>{sideName(entry, words)}</h2>
      <div className="parts">
        {entry.items.map(({ key, ...item }) => (
          <PartView key={key} {...item} isLive={isLive} side={entry.side} />
        ))}
      </div>
      {entry.side === "answer" && !isLive && <AnswerFacts entry={entry} />}
    </article>
  );
});

function sideName({ side, messages: [first] }: Entry, words: Words): string {
  if (side === "user") return words.you;
  if (side === "answer") return first?.author?.name ?? words.assistant;
  return first?.role === "system" ? words.system : first?.role === "developer" ? words.developer : words.note;
}

function AnswerFacts({ entry: { messages } }: { readonly entry: Entry }) {
  const words = useWords();
  const language = useLanguage();
  const { model, isDemo, usage, finish } = factsOf(messages);
  const endings: { readonly [reason: string]: string } = words.finishes;
  const ending = finish === undefined ? undefined : endings[finish];
  const text = textOf(messages);
  return (
    <footer className="facts-line" lang={language}>
      {isDemo && (
        <span className="badge" title={words.demoNote}>
          {words.demo}
        </span>
      )}
      {model !== undefined && <span>{model}</span>}
      {usage && (
        <span title={words.tokensTitle(usage.input, usage.output, usage.reasoning)}>
          {words.tokens(usage.input, usage.output)}
        </span>
      )}
      {ending !== undefined && <strong>{ending}</strong>}
      {text !== "" && <CopyButton text={() => text} label={words.copyAnswer} />}
    </footer>
  );
}
