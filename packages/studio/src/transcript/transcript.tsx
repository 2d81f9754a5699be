import { useMemo } from "react";
import type { ChatView } from "../chat/chat.ts";
import { Icon } from "../shell/icon.tsx";
import { useWords } from "../shell/use-words.ts";
import { Announcer } from "./announcer.tsx";
import { type Entry, entriesOf, withLive } from "./entries.ts";
import { EntryView } from "./entry-view.tsx";
import { FailureCard } from "./failure-card.tsx";
import type { Follow } from "./use-follow.ts";

interface TranscriptProps {
  readonly view: ChatView;
  readonly follow: Follow;
}

const writing: ReadonlySet<ChatView["status"]> = new Set(["sending", "streaming", "stopping", "reconnecting"]);
export const isWriting = ({ status }: ChatView): boolean => writing.has(status);

/** The conversation, its newest end below. */
export function Transcript({ view, follow }: TranscriptProps) {
  const words = useWords();
  const settled = useMemo(() => entriesOf(view.settled), [view.settled]);
  const entries = withLive(settled, view.live);
  const isLive = isWriting(view);
  return (
    <>
      <ol className="entries" aria-label={words.conversation}>
        {entries.map((entry, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: entries only ever come behind the others
          <li key={index}>
            <EntryView entry={entry} isLive={isLive && isLast(entries, index) && entry.side === "answer"} />
          </li>
        ))}
      </ol>
      {isLive && <Progress view={view} />}
      {view.failure && <FailureCard failure={view.failure} />}
      <Announcer entries={entries} status={view.status} failure={view.failure} />
      {follow.isAway && (
        <button type="button" className="to-end" onClick={follow.toEnd}>
          <Icon name="down" />
          {words.jumpToLatest}
        </button>
      )}
    </>
  );
}

const isLast = (entries: readonly Entry[], index: number): boolean => index === entries.length - 1;

/** Says that something is under way where nothing else shows it. */
function Progress({ view: { status, live } }: { readonly view: ChatView }) {
  const words = useWords();
  const text = status === "reconnecting" ? words.reconnecting : status === "stopping" ? words.stopping : words.working;
  const showsItself = status === "streaming" && live.length > 0;
  return (
    <p className={showsItself ? "progress idle" : "progress"} aria-hidden={showsItself}>
      <span className="dots" aria-hidden="true" />
      <span>{text}</span>
    </p>
  );
}
