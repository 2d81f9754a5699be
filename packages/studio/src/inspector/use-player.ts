import { useCallback, useEffect, useRef, useState } from "react";
import type { Message } from "translogue";
import type { Inspection } from "./inspection.ts";
import type { Opened } from "./worker/protocol.ts";
import type { StreamRow } from "./worker/stream-player.ts";

/** A recording without times is played at this pace, in milliseconds. */
const pace = 50;

/** When each event came; by an even pace where the recording does not tell. */
export function timesOf(events: readonly StreamRow[]): readonly number[] {
  const isTimed = events.some(({ time }) => time !== undefined);
  let last = 0;
  return events.map(({ time }, index) => {
    last = Math.max(last, isTimed ? (time ?? last) : (index + 1) * pace);
    return last;
  });
}

export interface Player {
  /** How many events have come. */
  readonly at: number;
  readonly isPlaying: boolean;
  readonly speed: number;
  readonly setSpeed: (speed: number) => void;
  /** Stops, and goes to where so many events have come. */
  readonly seek: (at: number) => void;
  readonly toggle: () => void;
}

/** Plays the events of a recording by a clock of its own. */
export function usePlayer(times: readonly number[]): Player {
  const [at, setAt] = useState(times.length);
  const [isPlaying, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(1);
  const clock = useRef(0);
  useEffect(() => {
    if (!isPlaying) return;
    let last = performance.now();
    let frame = 0;
    const tick = (now: number): void => {
      clock.current += (now - last) * speed;
      last = now;
      const next = countUntil(times, clock.current);
      setAt(next);
      if (next < times.length) frame = requestAnimationFrame(tick);
      else setPlaying(false);
    };
    frame = requestAnimationFrame(tick);
    return () => cancelAnimationFrame(frame);
  }, [isPlaying, speed, times]);
  const seek = useCallback(
    (wanted: number) => {
      const next = Math.min(Math.max(wanted, 0), times.length);
      setPlaying(false);
      setAt(next);
      clock.current = times[next - 1] ?? 0;
    },
    [times],
  );
  const toggle = (): void => {
    if (!isPlaying && at >= times.length) {
      setAt(0);
      clock.current = 0;
    }
    setPlaying(!isPlaying);
  };
  return { at: Math.min(at, times.length), isPlaying, speed, setSpeed, seek, toggle };
}

function countUntil(times: readonly number[], clock: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) <= clock) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The messages as they were after so many events. While one question is under way only the last of the others waits. */
export function useMessagesAfter(inspection: Inspection, opened: Opened, at: number): readonly Message[] {
  const [messages, setMessages] = useState<readonly Message[]>([]);
  const wanted = useRef(at);
  const isAsking = useRef(false);
  useEffect(() => {
    wanted.current = at;
    if (isAsking.current) return;
    const ask = async (): Promise<void> => {
      isAsking.current = true;
      for (let asked = -1; asked !== wanted.current; ) {
        asked = wanted.current;
        setMessages(await inspection.ask("after", { events: asked }));
      }
      isAsking.current = false;
    };
    ask().catch(() => {
      isAsking.current = false;
    });
  }, [inspection, at]);
  // Of what is opened anew nothing has come yet.
  const [of, setOf] = useState(opened);
  if (of !== opened) {
    setOf(opened);
    setMessages([]);
  }
  return messages;
}
