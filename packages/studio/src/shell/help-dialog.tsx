import { Dialog } from "./dialog.tsx";
import { useWords } from "./use-words.ts";
import type { Words } from "./words.ts";

/** The keys, as they are shown: those of one shortcut together, alternatives apart. */
const chatShortcuts: readonly (readonly [readonly string[], (words: Words) => string])[] = [
  [["Enter"], words => words.shortcutSend],
  [["Shift", "Enter"], words => words.shortcutNewline],
  [["/"], words => words.shortcutFocus],
  [["."], words => words.shortcutStop],
  [["n"], words => words.shortcutNewChat],
  [["f"], words => words.shortcutPanel],
  [["s"], words => words.shortcutSessions],
  [["j"], words => words.shortcutNext],
  [["k"], words => words.shortcutPrevious],
  [["Esc"], words => words.shortcutClose],
  [["?"], words => words.shortcutHelp],
];

/** Keys, and what they do. */
export type ShownShortcuts = readonly (readonly [keys: readonly string[], text: string])[];

interface HelpDialogProps {
  /** Of another room than the chat. */
  readonly shortcuts?: ShownShortcuts;
  readonly onClose: () => void;
}

export function HelpDialog({ shortcuts, onClose }: HelpDialogProps) {
  const words = useWords();
  const shown = shortcuts ?? chatShortcuts.map(([keys, text]): ShownShortcuts[number] => [keys, text(words)]);
  return (
    <Dialog title={words.keys} onClose={onClose}>
      <dl className="keys">
        {shown.map(([keys, text]) => (
          <div key={keys.join()}>
            <dt>
              {keys.map(key => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <p className="advice">{words.shortcutsNote}</p>
    </Dialog>
  );
}
