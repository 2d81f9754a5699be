import { type RefObject, useCallback, useEffect, useRef, useState } from "react";

/** How near the end counts as being there, and how far from it a way back is offered, in pixels. */
const near = 32;
const far = 160;

export interface Follow {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly content: RefObject<HTMLDivElement | null>;
  /** Whether the reader has gone far from the end. */
  readonly isAway: boolean;
  readonly toEnd: () => void;
}

const fromEnd = (view: HTMLElement): number => view.scrollHeight - view.scrollTop - view.clientHeight;

/**
 * Keeps the end in view as long as the reader is there. Whoever scrolls up is left alone, and so is whoever opens something
 * while nothing is written.
 */
export function useFollow(isWriting: boolean): Follow {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const writes = useRef(isWriting);
  const [isAway, setAway] = useState(false);

  const toEnd = useCallback(() => {
    follows.current = true;
    const view = scroller.current;
    if (view) view.scrollTop = view.scrollHeight;
  }, []);

  useEffect(() => {
    writes.current = isWriting;
    if (isWriting && scroller.current && fromEnd(scroller.current) <= near) follows.current = true;
  }, [isWriting]);

  useEffect(() => {
    const [view, inside] = [scroller.current, content.current];
    if (!view || !inside) return;
    let last = view.scrollTop;
    const onScroll = (): void => {
      if (fromEnd(view) <= near) follows.current = true;
      else if (view.scrollTop < last) follows.current = false;
      last = view.scrollTop;
      setAway(fromEnd(view) > far);
    };
    const onTouch = (): void => {
      if (!writes.current) follows.current = false;
    };
    const grown = new ResizeObserver(() => {
      if (follows.current) view.scrollTop = view.scrollHeight;
      setAway(fromEnd(view) > far);
    });
    view.addEventListener("scroll", onScroll, { passive: true });
    inside.addEventListener("click", onTouch, { capture: true });
    grown.observe(inside);
    grown.observe(view);
    return () => {
      view.removeEventListener("scroll", onScroll);
      inside.removeEventListener("click", onTouch, { capture: true });
      grown.disconnect();
    };
  }, []);

  return { scroller, content, isAway, toEnd };
}

/** A conversation that was loaded is read from its end. */
export function useEndOnceLoaded(isLoading: boolean, { toEnd }: Follow): void {
  useEffect(() => {
    if (!isLoading) toEnd();
  }, [isLoading, toEnd]);
}
