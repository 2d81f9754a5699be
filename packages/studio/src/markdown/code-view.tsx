import { memo, type ReactNode, useState } from "react";
import { CopyButton } from "../shell/copy-button.tsx";
import { useWords } from "../shell/use-words.ts";
import { TextCutter } from "./text-cutter.ts";

interface CodeViewProps {
  readonly code: string;
  readonly language?: string;
}

/** Code with its language and a button that copies it. */
export function CodeView({ code, language = "" }: CodeViewProps) {
  const words = useWords();
  return (
    <figure className="code">
      <figcaption>
        <span>{language}</span>
        <CopyButton text={() => code} label={words.copyCode} />
      </figcaption>
      <LongText text={code} label={language === "" ? words.code : `${words.code}: ${language}`} />
    </figure>
  );
}

interface LongTextProps {
  readonly text: string;
  readonly label: string;
  /** How a piece of it is drawn. Default: as it is. */
  readonly paint?: Paint;
}

type Paint = (piece: string) => ReactNode;

/** Text as it is, in pieces: what grows at its end, or is long, changes only its last piece. */
export function LongText({ text, label, paint }: LongTextProps) {
  const [cutter] = useState(() => new TextCutter(2_000));
  const { pieces, open } = cutter.read(text);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <pre role="group" tabIndex={0} aria-label={label}>
      <code>
        {pieces.map((piece, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces only ever come behind the others
          <Piece key={index} text={piece} paint={paint} />
        ))}
        <Piece key={pieces.length} text={open} paint={paint} />
      </code>
    </pre>
  );
}

interface PieceProps {
  readonly text: string;
  readonly paint: Paint | undefined;
}

const Piece = memo(function Piece({ text, paint }: PieceProps) {
  return <span className="piece">{paint ? paint(text) : text}</span>;
});
