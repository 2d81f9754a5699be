import { useEffect, useRef } from "react";
import { preferences } from "./preferences.ts";

export type Shortcuts = { readonly [key: string]: () => void };

/** Single keys that do something while nobody types. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const current = useRef(shortcuts);
  useEffect(() => {
    current.current = shortcuts;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      const isSingle = event.key.length === 1;
      if (isSingle && (preferences().keys === "off" || isTyping(event.target))) return;
      if (document.querySelector("dialog[open]")) return;
      const action = Object.hasOwn(current.current, event.key) ? current.current[event.key] : undefined;
      if (!action) return;
      if (isSingle) event.preventDefault();
      action();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:TEXTAREA|SELECT)$/.test(target.tagName) || isTextInput(target));

const isTextInput = (target: HTMLElement): boolean =>
  target instanceof HTMLInputElement && !/^(?:button|checkbox|radio|file|submit)$/.test(target.type);
