import type { SessionRow } from "@translogue/server/contract";
import { type MouseEvent, memo } from "react";
import { Icon } from "../shell/icon.tsx";
import { navigate, pathOf } from "../shell/route.ts";
import { useLanguage, useWords } from "../shell/use-words.ts";
import type { Sessions } from "./use-sessions.ts";

interface SessionListProps {
  readonly sessions: Sessions;
  readonly current: string | undefined;
  readonly onNew: () => void;
  /** A conversation was chosen. */
  readonly onGo: () => void;
}

/** The stored conversations, the newest first. */
export function SessionList({ sessions, current, onNew, onGo }: SessionListProps) {
  const words = useWords();
  const { rows, leaving, remove, undo } = sessions;
  return (
    <nav className="sessions" aria-label={words.sessions}>
      <button type="button" className="new" onClick={onNew}>
        <Icon name="plus" />
        {words.newChat}
      </button>
      {leaving && (
        <p className="undo" role="status">
          <span>{words.deleted(leaving.title ?? words.untitled)}</span>
          <button type="button" onClick={undo}>
            {words.undo}
          </button>
        </p>
      )}
      {rows.length === 0 && <p className="none">{words.noSessions}</p>}
      <ul>
        {rows.map(row => (
          <SessionLink
            key={row.id}
            row={row}
            isCurrent={row.id === current}
            onGo={onGo}
            onDelete={() => {
              remove(row);
              if (row.id === current) onNew();
            }}
          />
        ))}
      </ul>
    </nav>
  );
}

interface SessionLinkProps {
  readonly row: SessionRow;
  readonly isCurrent: boolean;
  readonly onGo: () => void;
  readonly onDelete: () => void;
}

function SessionLink({ row, isCurrent, onGo, onDelete }: SessionLinkProps) {
  const words = useWords();
  const title = row.title ?? words.untitled;
  const go = (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    navigate({ session: row.id });
    onGo();
  };
  return (
    <li className={isCurrent ? "current" : undefined}>
      <a href={pathOf({ session: row.id })} aria-current={isCurrent ? "page" : undefined} onClick={go} title={title}>
        <span>{title}</span>
        <Ago time={row.updatedAt} minute={Math.floor(Date.now() / 60_000)} />
      </a>
      <button type="button" className="quiet" aria-label={words.deleteSession(title)} onClick={onDelete}>
        <Icon name="trash" />
      </button>
    </li>
  );
}

const units = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;

interface AgoProps {
  readonly time: string;
  /** Now, in minutes: once a minute it reads otherwise. */
  readonly minute: number;
}

const Ago = memo(function Ago({ time, minute }: AgoProps) {
  const words = useWords();
  const language = useLanguage();
  const seconds = (Date.parse(time) - (minute + 1) * 60_000) / 1000;
  const format = new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "narrow" });
  const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ["minute", 60];
  const isOld = seconds < -7 * 86_400;
  const ago = seconds > -120 ? words.now : format.format(Math.round(seconds / size), unit);
  return <time dateTime={time}>{isOld ? new Date(time).toLocaleDateString(language) : ago}</time>;
});
