import {
  type ClipboardEvent,
  type DragEvent,
  type FormEvent,
  type KeyboardEvent,
  type RefObject,
  useId,
  useLayoutEffect,
  useState,
} from "react";
import type { FilePart, Part } from "translogue";
import type { Status } from "../chat/chat.ts";
import { Icon } from "../shell/icon.tsx";
import { useWords } from "../shell/use-words.ts";
import { filePart, maxFileBytes } from "./attachments.ts";
import { FileChips } from "./file-chips.tsx";
import { ModelPicker } from "./model-picker.tsx";
import type { ModelList } from "./use-models.ts";

export interface ComposerProps {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly status: Status;
  readonly models: ModelList;
  readonly onSend: (parts: readonly Part[]) => void;
  readonly onStop: () => void;
}

/** Where a message is written. Enter sends it, Shift+Enter begins a line. */
export function Composer({ field, status, models, onSend, onStop }: ComposerProps) {
  const words = useWords();
  const [text, setText] = useState("");
  const { files, problem, add, remove, clear } = useFiles();
  const isIdle = status === "ready";
  const maySend = isIdle && (text.trim() !== "" || files.length > 0);
  useHeight(field, text);

  const send = (event?: FormEvent): void => {
    event?.preventDefault();
    if (!maySend) return;
    onSend([...files, ...(text.trim() === "" ? [] : [{ type: "text", text } as const])]);
    setText("");
    clear();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    // Enter that picks a word of an input method is no Enter.
    const isComposing = event.nativeEvent.isComposing || event.keyCode === 229;
    if (event.key === "Enter" && !event.shiftKey && !isComposing) send(event);
    if (event.key !== "Escape") return;
    event.stopPropagation();
    event.currentTarget.blur();
  };
  return (
    <form className="composer" onSubmit={send} aria-label={words.message} {...dropZone(add)}>
      <FileChips files={files} onRemove={remove} />
      {problem !== undefined && (
        <p className="problem" role="alert">
          {words.fileTooLarge(problem)}
        </p>
      )}
      <textarea
        ref={field}
        id="message"
        rows={1}
        value={text}
        aria-label={words.message}
        placeholder={words.messagePlaceholder}
        onChange={event => setText(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={event => pasteFiles(event, add)}
      />
      <div className="tools">
        <AttachButton onFiles={add} />
        <ModelPicker models={models} />
        {isIdle || status === "loading" || status === "missing" ? (
          <button
            type="submit"
            className="primary round"
            disabled={!maySend}
            aria-label={words.send}
            title={words.send}
          >
            <Icon name="send" />
          </button>
        ) : (
          <StopButton status={status} onStop={onStop} />
        )}
      </div>
    </form>
  );
}

function StopButton({ status, onStop }: Pick<ComposerProps, "status" | "onStop">) {
  const words = useWords();
  const label = status === "stopping" ? words.stopping : words.stop;
  return (
    <button
      type="button"
      className="primary round"
      onClick={onStop}
      aria-disabled={status === "stopping"}
      aria-label={label}
      title={label}
    >
      <Icon name="stop" />
    </button>
  );
}

function AttachButton({ onFiles }: { readonly onFiles: (files: Iterable<File>) => void }) {
  const words = useWords();
  const id = useId();
  return (
    <label className="attach" htmlFor={id} title={words.attach}>
      <Icon name="attach" />
      <input
        id={id}
        className="sr-only"
        type="file"
        multiple
        aria-label={words.attach}
        onChange={event => {
          onFiles(event.target.files ?? []);
          event.target.value = "";
        }}
      />
    </label>
  );
}

/** The files that go with the next message. */
function useFiles() {
  const [files, setFiles] = useState<readonly FilePart[]>([]);
  const [problem, setProblem] = useState<string>();
  const add = async (given: Iterable<File>): Promise<void> => {
    const all = [...given];
    setProblem(all.find(({ size }) => size > maxFileBytes)?.name);
    const parts = await Promise.all(all.filter(({ size }) => size <= maxFileBytes).map(filePart));
    setFiles(before => [...before, ...parts]);
  };
  const remove = (file: FilePart): void => setFiles(before => before.filter(other => other !== file));
  const clear = (): void => {
    setFiles([]);
    setProblem(undefined);
  };
  return { files, problem, add, remove, clear };
}

/** Browsers that cannot size a field by its content are told its height. */
function useHeight(field: RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => {
    const area = field.current;
    if (!area || CSS.supports("field-sizing", "content")) return;
    area.style.height = "auto";
    area.style.height = text === "" ? "" : `${area.scrollHeight}px`;
  }, [field, text]);
}

function pasteFiles(event: ClipboardEvent, add: (files: Iterable<File>) => void): void {
  if (event.clipboardData.files.length === 0) return;
  event.preventDefault();
  add(event.clipboardData.files);
}

const dropZone = (add: (files: Iterable<File>) => void) => ({
  onDragOver: (event: DragEvent) => event.preventDefault(),
  onDrop: (event: DragEvent) => {
    if (event.dataTransfer.files.length === 0) return;
    event.preventDefault();
    add(event.dataTransfer.files);
  },
});
