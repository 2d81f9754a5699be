import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from "react";

/** The part of a long list that can be seen. Rows are of one height. */
export interface Window {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly onScroll: () => void;
  readonly rowHeight: number;
  readonly first: number;
  /** Behind the last. */
  readonly end: number;
  /** Characters of the monospaced font that fit beside each other. */
  readonly width: number;
  /** Brings a row into view, where it is not. */
  readonly reveal: (row: number) => void;
}

/** Rows beside those that are seen, so that a little scrolling shows no gap. */
const spare = 12;
const remsOfRow = 1.25;

export function useWindow(count: number): Window {
  const box = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState({ top: 0, height: 600, width: 0 });
  const [rowHeight] = useState(
    () => remsOfRow * (Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16),
  );
  const look = useCallback(() => {
    const { current } = box;
    if (!current) return;
    const next = { top: current.scrollTop, height: current.clientHeight, width: current.clientWidth };
    setSeen(before =>
      before.top === next.top && before.height === next.height && before.width === next.width ? before : next,
    );
  }, []);
  useLayoutEffect(() => {
    look();
    if (!box.current) return;
    const observer = new ResizeObserver(look);
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [look]);
  const reveal = useCallback(
    (row: number) => {
      const { current } = box;
      if (!current) return;
      const top = row * rowHeight;
      const isSeen = top >= current.scrollTop && top + rowHeight <= current.scrollTop + current.clientHeight;
      if (isSeen) return;
      // Its list may have become longer only now.
      requestAnimationFrame(() => {
        current.scrollTop = Math.max(0, top - current.clientHeight / 3);
        look();
      });
    },
    [rowHeight, look],
  );
  const first = Math.max(0, Math.floor(seen.top / rowHeight) - spare);
  const end = Math.min(count, Math.ceil((seen.top + seen.height) / rowHeight) + spare);
  return { box, onScroll: look, rowHeight, first: Math.min(first, end), end, width: seen.width, reveal };
}
