import { useEffect, useState } from "react";
import { Icon } from "./icon.tsx";
import { useWords } from "./use-words.ts";

interface CopyButtonProps {
  /** Asked for when it is pressed. */
  readonly text: () => string;
  readonly label: string;
  /** Whether the label is shown, or only told. */
  readonly isLabelled?: boolean;
}

/** Copies a text, and says that it did. */
export function CopyButton({ text, label, isLabelled = false }: CopyButtonProps) {
  const words = useWords();
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async (): Promise<void> => setCopied(await copyText(text()));
  const said = isCopied ? words.copied : label;
  return (
    <button type="button" className="quiet" onClick={copy} aria-label={said} title={said}>
      <Icon name={isCopied ? "check" : "copy"} />
      {isLabelled && <span>{isCopied ? words.copied : words.copy}</span>}
    </button>
  );
}

/** Pages that are not served securely have no clipboard; the old way works there. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    field.className = "sr-only";
    document.body.append(field);
    field.select();
    const isCopied = document.execCommand("copy");
    field.remove();
    return isCopied;
  }
}
