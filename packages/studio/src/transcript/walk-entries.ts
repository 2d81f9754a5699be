/** Where the focus goes when what had it is gone: the newest message. */
export function focusLastEntry(): void {
  [...document.querySelectorAll<HTMLElement>("article.entry")].at(-1)?.focus({ preventScroll: true });
}

/** Gives the focus to the next message, or the one before: the last one where none has it. */
export function focusEntry(step: 1 | -1): void {
  const entries = [...document.querySelectorAll<HTMLElement>("article.entry")];
  const at = entries.findIndex(entry => entry.contains(document.activeElement));
  const next = at < 0 ? entries.at(-1) : entries[at + step];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}
