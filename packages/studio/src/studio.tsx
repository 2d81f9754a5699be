import type { Client } from "@translogue/server/client";
import { useRef, useState } from "react";
import type { Part } from "translogue";
import { ActionsContext } from "./chat/actions.ts";
import { newId } from "./chat/new-id.ts";
import { useActionsOf } from "./chat/use-actions.ts";
import { useChat } from "./chat/use-chat.ts";
import { Composer } from "./composer/composer.tsx";
import { useModels } from "./composer/use-models.ts";
import { PanelSide } from "./panel/panel-side.tsx";
import { SessionList } from "./sessions/session-list.tsx";
import { useSessions } from "./sessions/use-sessions.ts";
import { Header } from "./shell/header.tsx";
import { type DialogName, OpenDialog } from "./shell/open-dialog.tsx";
import { inspect } from "./shell/route.ts";
import { Side } from "./shell/side.tsx";
import { useShortcuts } from "./shell/use-shortcuts.ts";
import { useSides } from "./shell/use-sides.ts";
import { useWords } from "./shell/use-words.ts";
import { Room } from "./transcript/room.tsx";
import { isWriting } from "./transcript/transcript.tsx";
import { useEndOnceLoaded, useFollow } from "./transcript/use-follow.ts";
import { focusEntry } from "./transcript/walk-entries.ts";

/** The chat in the middle, the conversations on one side, the formats on the other. */
export function Studio({ client }: { readonly client: Client }) {
  const words = useWords();
  const { chat, view, begin } = useChat(client);
  const models = useModels(client);
  const sessions = useSessions(client, `${chat.id} ${isWriting(view)}`);
  const sides = useSides();
  const [dialog, setDialog] = useState<DialogName>();
  const field = useRef<HTMLTextAreaElement>(null);
  const follow = useFollow(isWriting(view));
  useEndOnceLoaded(view.status === "loading", follow);
  const actions = useActionsOf(chat, view, models.chosen);
  const title = sessions.rows.find(({ id }) => id === chat.id)?.title ?? words.appName;

  const send = (parts: readonly Part[]): void => {
    void chat.send({ id: newId(), role: "user", parts }, models.chosen);
    follow.toEnd();
  };
  const beginNew = (): void => {
    begin();
    if (sides.isNarrow) sides.close();
    field.current?.focus();
  };
  useShortcuts({
    "/": () => field.current?.focus(),
    ".": () => void chat.stop(),
    "?": () => setDialog("help"),
    n: beginNew,
    f: sides.togglePanel,
    s: sides.toggleSessions,
    j: () => focusEntry(1),
    k: () => focusEntry(-1),
    Escape: sides.close,
  });
  return (
    <ActionsContext value={actions}>
      <title>{title === words.appName ? title : `${title} · ${words.appName}`}</title>
      <a className="skip" href="#message">
        {words.skipToComposer}
      </a>
      <Header
        title={title}
        areSessionsOpen={sides.areSessionsOpen}
        isPanelOpen={sides.isPanelOpen}
        onSessions={sides.toggleSessions}
        onPanel={sides.togglePanel}
        onNew={beginNew}
        onInspect={() => inspect(view.settled.length > 0 ? chat.id : undefined)}
        onSettings={() => setDialog("settings")}
        onHelp={() => setDialog("help")}
      />
      <div className="rooms">
        <Side name="sessions-side" isOpen={sides.areSessionsOpen} onClose={sides.close}>
          <SessionList sessions={sessions} current={chat.id} onNew={beginNew} onGo={sides.closeIfNarrow} />
        </Side>
        <main inert={sides.coversMain}>
          <Room view={view} follow={follow} isDemo={models.isDemo} onSend={send} onNew={beginNew} />
          <div className="composer-bar">
            <Composer
              field={field}
              status={view.status}
              models={models}
              onSend={send}
              onStop={() => void chat.stop()}
            />
          </div>
        </main>
        <PanelSide session={chat.id} view={view} isOpen={sides.isPanelOpen} onClose={sides.close} />
      </div>
      <OpenDialog name={dialog} onClose={() => setDialog(undefined)} />
    </ActionsContext>
  );
}
