import { useCallback, useState, useSyncExternalStore } from "react";
import { prefer, usePreferences } from "./preferences.ts";

export interface Sides {
  readonly areSessionsOpen: boolean;
  readonly isPanelOpen: boolean;
  /** There is no room beside the chat. */
  readonly isNarrow: boolean;
  /** A side lies over the chat. */
  readonly coversMain: boolean;
  readonly toggleSessions: () => void;
  readonly togglePanel: () => void;
  /** Closes what lies over the chat; where nothing does, the panel. */
  readonly close: () => void;
  readonly closeIfNarrow: () => void;
}

const narrow = "(max-width: 60rem)";

/** Which columns beside the chat are open. */
export function useSides(): Sides {
  const isNarrow = useMedia(narrow);
  const { sessions } = usePreferences();
  const [isPanelOpen, setPanel] = useState(false);
  const [isSheetOpen, setSheet] = useState(false);
  const areSessionsOpen = isNarrow ? isSheetOpen : sessions === "open";

  const toggleSessions = useCallback(() => {
    if (!isNarrow) return prefer("sessions", sessions === "open" ? "closed" : "open");
    setPanel(false);
    setSheet(open => !open);
  }, [isNarrow, sessions]);
  const togglePanel = useCallback(() => {
    setSheet(false);
    setPanel(open => !open);
  }, []);
  const close = useCallback(() => {
    setSheet(false);
    setPanel(false);
  }, []);
  const closeIfNarrow = useCallback(() => {
    if (isNarrow) close();
  }, [isNarrow, close]);
  const coversMain = isNarrow && (isPanelOpen || isSheetOpen);
  return { areSessionsOpen, isPanelOpen, isNarrow, coversMain, toggleSessions, togglePanel, close, closeIfNarrow };
}

function useMedia(query: string): boolean {
  return useSyncExternalStore(
    useCallback(
      onChange => {
        const media = matchMedia(query);
        media.addEventListener("change", onChange);
        return () => media.removeEventListener("change", onChange);
      },
      [query],
    ),
    () => matchMedia(query).matches,
  );
}
