import { type ChangeEvent, type ClipboardEvent, useId, useState } from "react";
import { Icon } from "../shell/icon.tsx";
import type { Inspection, InspectionView } from "./inspection.ts";
import { samples } from "./samples.ts";
import { useInspectorWords } from "./use-words.ts";
import type { Problem } from "./worker/problem.ts";

interface StartProps {
  readonly inspection: Inspection;
  readonly view: InspectionView;
  readonly onOpen: (text: string, name: string) => void;
}

/** Where something is pasted, dropped or opened. */
export function Start({ inspection, view, onOpen }: StartProps) {
  const words = useInspectorWords();
  const [text, setText] = useState(view.status === "failed" ? inspection.text.slice(0, mostShown) : "");
  const field = useId();
  const onPaste = (event: ClipboardEvent<HTMLTextAreaElement>): void => {
    const pasted = event.clipboardData.getData("text/plain");
    // What is pasted into an empty field is all that is meant; it is not drawn first, for it may be long.
    if (text !== "" || pasted.trim() === "") return;
    event.preventDefault();
    onOpen(pasted, words.pasted);
  };
  return (
    <div className="start">
      {view.problem && <Failure problem={view.problem} name={view.name} />}
      <h2>{words.startTitle}</h2>
      <p>{words.startNote}</p>
      <label htmlFor={field}>{words.pasteHere}</label>
      <textarea
        id={field}
        value={text}
        rows={8}
        spellCheck={false}
        onPaste={onPaste}
        onChange={event => setText(event.target.value)}
      />
      <div className="buttons">
        <button
          type="button"
          className="primary"
          disabled={text.trim() === ""}
          onClick={() => onOpen(text, words.pasted)}
        >
          {words.inspect}
        </button>
        <OpenFile inspection={inspection} />
      </div>
      <h3>{words.tryOne}</h3>
      <div className="buttons">
        <button type="button" onClick={() => onOpen(samples.history, words.sampleHistory)}>
          {words.sampleHistory}
        </button>
        <button type="button" onClick={() => onOpen(samples.recording, words.sampleRecording)}>
          {words.sampleRecording}
        </button>
      </div>
    </div>
  );
}

/** A field holds only what it can hold without stopping the page. */
const mostShown = 200_000;

export function OpenFile({ inspection }: { readonly inspection: Inspection }) {
  const words = useInspectorWords();
  const open = (event: ChangeEvent<HTMLInputElement>): void => {
    const [file] = event.target.files ?? [];
    event.target.value = "";
    if (file) void inspection.openFile(file);
  };
  return (
    <label className="open-file" title={words.openFile}>
      <input type="file" className="sr-only" onChange={open} />
      <Icon name="file" />
      <span>{words.openFile}</span>
    </label>
  );
}

/** What is wrong with a text, where, and what to do. */
function Failure({ problem, name }: { readonly problem: Problem; readonly name: string }) {
  const words = useInspectorWords();
  const { code, message, line, column, excerpt } = problem;
  const { title, whatToDo } = words.problems[code];
  return (
    <section className="note failure" role="alert">
      <h2>
        <Icon name="warning" />
        {title}
      </h2>
      <p>
        {name !== "" && <strong>{name}</strong>} {line !== undefined && words.at(line, column)} {message}
      </p>
      {excerpt !== undefined && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <pre tabIndex={0}>{excerpt}</pre>
      )}
      <p className="advice">{whatToDo}</p>
    </section>
  );
}
