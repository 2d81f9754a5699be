import type { Client } from "@translogue/server/client";
import { type DragEvent, useEffect, useState, useSyncExternalStore } from "react";
import type { ShownShortcuts } from "../shell/help-dialog.tsx";
import { type DialogName, OpenDialog } from "../shell/open-dialog.tsx";
import { inspectPath, navigate, setParameters, useParameters } from "../shell/route.ts";
import { useShortcuts } from "../shell/use-shortcuts.ts";
import { useWords } from "../shell/use-words.ts";
import { IconButton } from "./icon-button.tsx";
import { Inspection, type InspectionView } from "./inspection.ts";
import { OpenFile, Start } from "./start.tsx";
import { useInspectorWords } from "./use-words.ts";
import type { InspectorWords } from "./words.ts";
import { Workbench } from "./workbench.tsx";
import type { Offer } from "./worker/protocol.ts";
import "./inspector.css";

/** The inspector: a history or a recording of any format, looked into. Nothing leaves the browser. */
export function InspectorRoom({ client }: { readonly client: Client }) {
  const words = useInspectorWords();
  const shell = useWords();
  const [inspection] = useState(() => new Inspection());
  const view = useSyncExternalStore(inspection.subscribe, inspection.view);
  const offer = useOffer(inspection);
  const session = useParameters().get("session") ?? undefined;
  const [dialog, setDialog] = useState<DialogName>();
  useSession(inspection, client, session);

  const { open, close } = opening(inspection, view);
  useShortcuts({
    "?": () => setDialog("help"),
    n: close,
    j: () => inspection.walk(1),
    k: () => inspection.walk(-1),
  });
  usePaste(view.status === "ready" ? text => open(text, words.pasted) : undefined);
  const drop = useDrop({ inspection, open, close });
  const { status, opened } = view;
  return (
    <div className={drop.isOver ? "inspector over" : "inspector"} {...drop.handlers}>
      <title>{`${words.inspector} · ${shell.appName}`}</title>
      <header className="top">
        <IconButton icon="back" label={words.toChat} onClick={() => leave(session)} />
        <h1>{words.inspector}</h1>
        <div className="tools">
          {status !== "empty" && (
            <IconButton icon="plus" label={words.another} onClick={close}>
              <span className="wide">{words.another}</span>
            </IconButton>
          )}
          {status === "ready" && <OpenFile inspection={inspection} />}
          <IconButton icon="settings" label={shell.settings} onClick={() => setDialog("settings")} />
          <IconButton icon="help" label={shell.keys} onClick={() => setDialog("help")} />
        </div>
      </header>
      <main>
        {status === "working" && <Working phase={view.phase ?? "reading"} onCancel={close} />}
        {(status === "empty" || status === "failed") && (
          <Start key={status + view.reveals} inspection={inspection} view={view} onOpen={open} />
        )}
        {status === "ready" && opened && offer && (
          <Workbench inspection={inspection} view={view} opened={opened} offer={offer} />
        )}
      </main>
      <OpenDialog name={dialog} shortcuts={shortcutsOf(words)} onClose={() => setDialog(undefined)} />
    </div>
  );
}

interface Opening {
  readonly open: (text: string, name: string) => void;
  readonly close: () => void;
}

/** Opens and closes, and keeps the address true. */
function opening(inspection: Inspection, { status }: InspectionView): Opening {
  return {
    open: (text, name) => {
      // A format in the address is for what is opened first; what comes later is told by itself.
      const ref = status === "empty" ? (new URLSearchParams(location.search).get("format") ?? undefined) : undefined;
      setParameters({ session: undefined, ...(ref === undefined && { format: undefined }) });
      void inspection.open(text, name, ref === undefined ? {} : { ref });
    },
    close: () => {
      setParameters({ session: undefined, format: undefined });
      inspection.close();
    },
  };
}

/** Files and texts that are dropped anywhere are opened. */
function useDrop({ inspection, open, close }: Opening & { readonly inspection: Inspection }) {
  const words = useInspectorWords();
  const [isOver, setOver] = useState(false);
  const onDragOver = (event: DragEvent): void => {
    event.preventDefault();
    setOver(true);
  };
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    const [file] = event.dataTransfer.files;
    const text = event.dataTransfer.getData("text/plain");
    if (file) {
      close();
      void inspection.openFile(file);
    } else if (text.trim() !== "") open(text, words.dropped);
  };
  return { isOver, handlers: { onDragOver, onDrop, onDragLeave: () => setOver(false) } };
}

const shortcutsOf = ({ keys }: InspectorWords): ShownShortcuts => [
  [["j"], keys.next],
  [["k"], keys.previous],
  [["↑", "↓"], keys.walk],
  [["←", "→"], keys.open],
  [["n"], keys.another],
  [["?"], keys.help],
];

function leave(session: string | undefined): void {
  navigate(session === undefined ? {} : { session });
}

function useOffer(inspection: Inspection): Offer | undefined {
  const [offer, setOffer] = useState<Offer>();
  useEffect(() => {
    inspection.offer().then(setOffer, () => inspection.refuse({ code: "failed", message: "" }, inspectPath));
  }, [inspection]);
  return offer;
}

/** Opens a conversation of the server, where the address names one. */
function useSession(inspection: Inspection, client: Client, session: string | undefined): void {
  useEffect(() => {
    if (session === undefined) return;
    client.session(session).then(
      ({ session: { title }, conversation }) =>
        inspection.open(JSON.stringify(conversation, undefined, 2), title || session, { ref: "canonical" }),
      (error: unknown) =>
        inspection.refuse({ code: "not-there", message: error instanceof Error ? error.message : "" }, session),
    );
  }, [inspection, client, session]);
}

/** What is pasted beside any field is opened too. */
function usePaste(onPaste: ((text: string) => void) | undefined): void {
  useEffect(() => {
    if (!onPaste) return;
    const paste = (event: ClipboardEvent): void => {
      const { target } = event;
      if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) return;
      const text = event.clipboardData?.getData("text/plain") ?? "";
      if (text.trim() !== "") onPaste(text);
    };
    addEventListener("paste", paste);
    return () => removeEventListener("paste", paste);
  }, [onPaste]);
}

const phases = ["reading", "detecting", "decoding", "placing"] as const;

interface WorkingProps {
  readonly phase: (typeof phases)[number];
  readonly onCancel: () => void;
}

function Working({ phase, onCancel }: WorkingProps) {
  const words = useInspectorWords();
  return (
    <div className="working">
      <progress max={phases.length + 1} value={phases.indexOf(phase) + 1} aria-label={words.phases[phase]} />
      <p role="status">{words.phases[phase]}</p>
      <button type="button" onClick={onCancel}>
        {words.cancel}
      </button>
    </div>
  );
}
