import { type MouseEvent, type ReactNode, useEffect, useId, useRef } from "react";
import { Icon } from "./icon.tsx";
import { useWords } from "./use-words.ts";

interface DialogProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly onClose: () => void;
}

/** The browser's own dialog: it keeps the focus, and gives it back. */
export function Dialog({ title, children, onClose }: DialogProps) {
  const words = useWords();
  const box = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const dialog = box.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  const onClick = (event: MouseEvent): void => {
    if (event.target === box.current) onClose();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it too, by the browser itself
    <dialog ref={box} aria-labelledby={heading} onClose={onClose} onClick={onClick}>
      <header>
        <h2 id={heading}>{title}</h2>
        <button type="button" className="quiet" onClick={onClose} aria-label={words.close}>
          <Icon name="close" />
        </button>
      </header>
      {children}
    </dialog>
  );
}
