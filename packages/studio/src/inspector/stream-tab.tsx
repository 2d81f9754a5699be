import { useEffect, useMemo } from "react";
import type { Message } from "translogue";
import { Choice } from "../shell/choice.tsx";
import { Icon } from "../shell/icon.tsx";
import { entriesOf } from "../transcript/entries.ts";
import { EntryView } from "../transcript/entry-view.tsx";
import { IconButton } from "./icon-button.tsx";
import type { Inspection } from "./inspection.ts";
import { type Player, timesOf, useMessagesAfter, usePlayer } from "./use-player.ts";
import { useInspectorWords } from "./use-words.ts";
import { useWindow } from "./virtual.ts";
import type { Opened } from "./worker/protocol.ts";
import type { StreamRow } from "./worker/stream-player.ts";

interface StreamTabProps {
  readonly inspection: Inspection;
  readonly opened: Opened;
  readonly events: readonly StreamRow[];
  /** Lights an event in the source. */
  readonly onEvent: (event: StreamRow | undefined) => void;
}

const speeds = [0.25, 1, 4, 16, 64];

/** A stream as it came: event by event, with the message so far. */
export function StreamTab({ inspection, opened, events, onEvent }: StreamTabProps) {
  const words = useInspectorWords();
  const times = useMemo(() => timesOf(events), [events]);
  const player = usePlayer(times);
  const messages = useMessagesAfter(inspection, opened, player.at);
  const { at, seek } = player;
  const event = events[at - 1];
  useEffect(() => onEvent(event), [event, onEvent]);
  const isTimed = events.some(({ time }) => time !== undefined);
  return (
    <div className="stream">
      <Controls player={player} count={events.length} />
      <TimeLine events={events} times={times} player={player} />
      <p className="none">{isTimed ? words.timed(seconds(times.at(-1) ?? 0)) : words.untimed}</p>
      <div className="beside">
        <EventList events={events} times={times} isTimed={isTimed} at={at} onSeek={seek} />
        <SoFar messages={messages} isOver={at === events.length} />
      </div>
    </div>
  );
}

function Controls({ player, count }: { readonly player: Player; readonly count: number }) {
  const words = useInspectorWords();
  const { at, isPlaying, speed, seek, toggle, setSpeed } = player;
  return (
    <div className="player">
      <IconButton icon="first" label={words.toStart} onClick={() => seek(0)} />
      <IconButton icon="back" label={words.stepBack} onClick={() => seek(at - 1)} />
      <button type="button" className="primary" onClick={toggle}>
        <Icon name={isPlaying ? "pause" : "play"} />
        {isPlaying ? words.pause : words.play}
      </button>
      <IconButton icon="next" label={words.step} onClick={() => seek(at + 1)} />
      <output>{words.eventOf(at, count)}</output>
      <Choice
        label={words.speed}
        value={String(speed)}
        options={speeds.map(value => [String(value), `${value}×`] as const)}
        onChoose={value => setSpeed(Number(value))}
      />
    </div>
  );
}

const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(2);

interface TimeLineProps {
  readonly events: readonly StreamRow[];
  readonly times: readonly number[];
  readonly player: Player;
}

const columns = 240;
/** A pause of this many milliseconds is worth a look. */
const longPause = 400;

/** When what came: a mark an event, and the pauses between them. */
function TimeLine({ events, times, player: { at, seek } }: TimeLineProps) {
  const words = useInspectorWords();
  const whole = Math.max(times.at(-1) ?? 0, 1);
  const { counts, gaps } = useMemo(() => drawnOf(events, times, whole), [events, times, whole]);
  const most = Math.max(...counts, 1);
  const now = (100 * (times[at - 1] ?? 0)) / whole;
  return (
    <div className="timeline">
      <svg viewBox={`0 0 ${columns} 24`} preserveAspectRatio="none" aria-hidden="true">
        {gaps.map(({ from, to }) => (
          <rect
            key={from}
            className="gap"
            x={(columns * from) / whole}
            width={(columns * (to - from)) / whole}
            y="0"
            height="24"
          />
        ))}
        <path className="tick" d={counts.map((count, column) => tickOf(column, count / most)).join("")} />
        <rect className="now" x={Math.min((columns * now) / 100, columns - 0.8)} width="0.8" y="0" height="24" />
      </svg>
      <input
        type="range"
        min={0}
        max={events.length}
        value={at}
        aria-label={words.place}
        aria-valuetext={words.eventOf(at, events.length)}
        onChange={event => seek(Number(event.target.value))}
      />
    </div>
  );
}

/** A bar of a column. */
const tickOf = (column: number, share: number): string =>
  share === 0 ? "" : `M${column} 24v${-(4 + 18 * share)}h.8v${4 + 18 * share}z`;

function drawnOf(events: readonly StreamRow[], times: readonly number[], whole: number) {
  const counts: number[] = Array.from({ length: columns }, () => 0);
  const gaps: { readonly from: number; readonly to: number }[] = [];
  times.forEach((time, index) => {
    const column = Math.min(columns - 1, Math.floor((columns * time) / whole));
    counts[column] = (counts[column] ?? 0) + 1;
    const before = times[index - 1] ?? 0;
    if (events[index]?.time !== undefined && time - before >= longPause) gaps.push({ from: before, to: time });
  });
  return { counts, gaps };
}

interface EventListProps {
  readonly events: readonly StreamRow[];
  readonly times: readonly number[];
  readonly isTimed: boolean;
  readonly at: number;
  readonly onSeek: (at: number) => void;
}

function EventList({ events, times, isTimed, at, onSeek }: EventListProps) {
  const words = useInspectorWords();
  const view = useWindow(events.length);
  const { reveal } = view;
  useEffect(() => {
    if (at > 0) reveal(at - 1);
  }, [at, reveal]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <div className="events" role="group" aria-label={words.events} tabIndex={0} ref={view.box} onScroll={view.onScroll}>
      <div className="tall" style={{ height: events.length * view.rowHeight }}>
        <div className="seen" style={{ transform: `translateY(${view.first * view.rowHeight}px)` }}>
          {events.slice(view.first, view.end).map(({ name, text, isBroken }, place) => {
            const index = view.first + place;
            const gap = (times[index] ?? 0) - (times[index - 1] ?? 0);
            return (
              <button
                key={index}
                type="button"
                tabIndex={-1}
                className={`event${index === at - 1 ? " now" : ""}${index >= at ? " later" : ""}`}
                aria-current={index === at - 1 ? "step" : undefined}
                onClick={() => onSeek(index + 1)}
              >
                <span className="figure">{index + 1}</span>
                {isTimed && <span className={gap >= longPause ? "figure gap" : "figure"}>+{Math.round(gap)} ms</span>}
                <span className={isBroken ? "name error" : "name"}>{isBroken ? words.brokenEvent : name}</span>
                <span className="text" dir="auto">
                  {text}
                </span>
              </button>
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** What has come, as it is read. */
function SoFar({ messages, isOver }: { readonly messages: readonly Message[]; readonly isOver: boolean }) {
  const words = useInspectorWords();
  const entries = useMemo(() => entriesOf(messages.map(atHome)), [messages]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="so-far" aria-label={words.soFar} tabIndex={0}>
      {entries.length === 0 && <p className="none">{words.nothingSoFar}</p>}
      {entries.map((entry, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: entries only ever come behind the others
        <EntryView key={index} entry={entry} isLive={!isOver} />
      ))}
    </section>
  );
}

/** Nothing leaves the browser: what a message only points to is named, and not fetched. */
const atHome = (message: Message): Message => ({
  ...message,
  parts: message.parts.map(part =>
    part.type === "file" && "url" in part.source && !part.source.url.startsWith("data:")
      ? { ...part, name: part.name ?? part.source.url, source: { id: part.source.url } }
      : part,
  ),
});
