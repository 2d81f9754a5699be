import { lazy, Suspense, useMemo } from "react";
import type { ChatView } from "../chat/chat.ts";
import { Side } from "../shell/side.tsx";
import { useWords } from "../shell/use-words.ts";
import { isWriting } from "../transcript/transcript.tsx";

// Every format comes with it: loaded when it is first opened.
const Panel = lazy(async () => ({ default: (await import("./panel.tsx")).Panel }));

interface PanelSideProps {
  readonly session: string;
  readonly view: ChatView;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** The formats beside the chat. */
export function PanelSide({ session, view, isOpen, onClose }: PanelSideProps) {
  const words = useWords();
  const { settled, live } = view;
  const messages = useMemo(() => (live.length === 0 ? settled : [...settled, ...live]), [settled, live]);
  return (
    <Side name="panel" label={words.formats} isOpen={isOpen} onClose={onClose}>
      <Suspense fallback={<p className="none">…</p>}>
        <Panel session={session} messages={messages} isLive={isWriting(view)} onClose={onClose} />
      </Suspense>
    </Side>
  );
}
