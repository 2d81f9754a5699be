import { type ReactNode, useEffect, useRef } from "react";

interface SideProps {
  readonly name: string;
  readonly label?: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A column beside the chat; where there is no room beside it, a sheet over it. What had the focus gets it back. */
export function Side({ name, label, isOpen, onClose, children }: SideProps) {
  const box = useRef<HTMLElement>(null);
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    // What was open when the page came takes no focus.
    const isNew = isOpen && !wasOpen.current;
    wasOpen.current = isOpen;
    if (!isNew) return;
    const before = document.activeElement;
    box.current?.focus();
    return () => {
      const isLost = document.activeElement === document.body || box.current?.contains(document.activeElement);
      if (isLost && before instanceof HTMLElement) before.focus();
    };
  }, [isOpen]);
  if (!isOpen) return null;
  return (
    <>
      <div className="scrim" onClick={onClose} aria-hidden="true" />
      <aside className={name} ref={box} tabIndex={-1} {...(label !== undefined && { "aria-label": label })}>
        {children}
      </aside>
    </>
  );
}
