import type { Json, Part, ToolResultPart } from "translogue";
import { LongText } from "../markdown/code-view.tsx";
import { useWords } from "../shell/use-words.ts";
import type { Words } from "../shell/words.ts";
import { inOneLine, JsonTree } from "./json-tree.tsx";
import { type PartProps, PartView } from "./part-views.tsx";

/** A result whose call is not in the conversation. */
export function ResultView({ part }: PartProps<"tool-result">) {
  const words = useWords();
  return (
    <section className="call orphan">
      <h3>{part.name === undefined ? words.resultOfUnknown : words.resultOf(part.name)}</h3>
      <div className="inside">
        <ResultFaces result={part} />
      </div>
    </section>
  );
}

/** What a result shows to people; where it has nothing for them, what it tells the model, and what it gives programs. */
export function ResultFaces({ result }: { readonly result: ToolResultPart }) {
  const words = useWords();
  const { output = [], display, structured } = result;
  return (
    <>
      {display && (
        <section className="face">
          <Outputs parts={display} label={words.output} />
        </section>
      )}
      <section className="face">
        <p className="label">{words.output}</p>
        {output.length === 0 && <p className="none">{words.noOutput}</p>}
        <Outputs parts={output} label={words.output} />
      </section>
      {structured !== undefined && (
        <section className="face">
          <p className="label">{words.structured}</p>
          <JsonTree value={structured} depth={1} />
        </section>
      )}
    </>
  );
}

interface OutputsProps {
  readonly parts: readonly Part[];
  readonly label: string;
}

function Outputs({ parts, label }: OutputsProps) {
  return parts.map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of an output do not move
    <Output key={index} part={part} label={label} />
  ));
}

/** A tool's text is what it is, not Markdown. */
function Output({ part, label }: { readonly part: Part; readonly label: string }) {
  if (part.type === "text") return <LongText text={part.text} label={label} />;
  if (part.type === "data") return <JsonTree value={part.data} />;
  return <PartView part={part} isLive={false} />;
}

/** A result in one line. */
export function outputLine({ output = [] }: ToolResultPart, words: Words): string | undefined {
  const [first] = output;
  if (!first) return undefined;
  const line = inOneLine(faceOf(first, words));
  return output.length > 1 ? `${line} +${output.length - 1}` : line;
}

function faceOf(part: Part, words: Words): Json {
  if (part.type === "text") return part.text;
  if (part.type === "data") return part.data;
  if (part.type === "file") return part.name ?? part.mediaType ?? words.file;
  if (part.type === "error") return part.message;
  return part.type;
}
