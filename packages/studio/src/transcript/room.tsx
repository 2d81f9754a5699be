import type { Part } from "translogue";
import type { ChatView } from "../chat/chat.ts";
import { useWords } from "../shell/use-words.ts";
import { FailureCard } from "./failure-card.tsx";
import { Transcript } from "./transcript.tsx";
import type { Follow } from "./use-follow.ts";
import { Welcome } from "./welcome.tsx";

interface RoomProps {
  readonly view: ChatView;
  readonly follow: Follow;
  readonly isDemo: boolean;
  readonly onSend: (parts: readonly Part[]) => void;
  readonly onNew: () => void;
}

/** Where the conversation is read. */
export function Room({ view, follow, isDemo, onSend, onNew }: RoomProps) {
  const words = useWords();
  const isEmpty = view.settled.length === 0 && view.live.length === 0;
  return (
    <section className="room" ref={follow.scroller} aria-label={words.conversation}>
      <div className="column" ref={follow.content}>
        {view.status === "loading" && <p className="progress">{words.loading}</p>}
        {view.status === "missing" && <Missing view={view} onNew={onNew} />}
        {view.status === "ready" && isEmpty && !view.failure && (
          <Welcome isDemo={isDemo} onChoose={text => onSend([{ type: "text", text }])} />
        )}
        {view.status !== "missing" && view.status !== "loading" && <Transcript view={view} follow={follow} />}
      </div>
    </section>
  );
}

/** An address that leads nowhere. */
function Missing({ view, onNew }: Pick<RoomProps, "view" | "onNew">) {
  const words = useWords();
  if (view.failure) return <FailureCard failure={view.failure} />;
  return (
    <section className="missing">
      <h2>{words.noSuchSession}</h2>
      <p>{words.noSuchSessionWhatToDo}</p>
      <button type="button" className="primary" onClick={onNew}>
        {words.newChat}
      </button>
    </section>
  );
}
