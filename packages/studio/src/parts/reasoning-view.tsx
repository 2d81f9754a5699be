import { MarkdownText } from "../markdown/markdown.tsx";
import { Icon } from "../shell/icon.tsx";
import { useWords } from "../shell/use-words.ts";
import type { Words } from "../shell/words.ts";
import type { PartProps } from "./part-views.tsx";

/** Reasoning is folded: it is there for whoever asks. */
export function ReasoningView({ part, isLive }: PartProps<"reasoning">) {
  const words = useWords();
  if (part.text === undefined) {
    return (
      <p className="reasoning hidden-reasoning">
        <Icon name="lock" /> {words.reasoningHidden}
      </p>
    );
  }
  const isThinking = isLive && part.partial === true;
  if (part.text.trim() === "" && !isThinking) return null;
  return (
    <details className="reasoning">
      <summary>
        <Icon name="chevron" />
        <span className={isThinking ? "shimmer" : undefined}>{isThinking ? words.thinking : titleOf(part, words)}</span>
      </summary>
      <div className="inside">
        <MarkdownText text={part.text} />
      </div>
    </details>
  );
}

function titleOf({ summary, startedAt, endedAt }: PartProps<"reasoning">["part"], words: Words): string {
  const seconds = (Date.parse(endedAt ?? "") - Date.parse(startedAt ?? "")) / 1000;
  if (Number.isFinite(seconds) && seconds >= 0) {
    return words.reasoningFor(words.seconds(seconds < 10 ? seconds.toFixed(1) : String(Math.round(seconds))));
  }
  return summary ? words.reasoningSummary : words.reasoning;
}
