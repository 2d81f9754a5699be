import type { Client } from "@translogue/server/client";
import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { navigate, routeOf, usePath } from "../shell/route.ts";
import { Chat, type ChatView } from "./chat.ts";
import { newId } from "./new-id.ts";

export interface OpenChat {
  readonly chat: Chat;
  readonly view: ChatView;
  /** Leaves the conversation for a new one. */
  readonly begin: () => void;
}

/** The chat of the page's address. A new one gets its address once the server took its first message. */
export function useChat(client: Client): OpenChat {
  const path = usePath();
  const [place, setPlace] = useState(() => ({ path, chat: chatAt(path, client) }));
  if (place.path !== path) {
    const isSame = routeOf(path).session === place.chat.id;
    setPlace({ path, chat: isSame ? place.chat : chatAt(path, client) });
  }
  const { chat } = place;
  useEffect(() => {
    void chat.open();
    return () => chat.leave();
  }, [chat]);
  const begin = useCallback(() => {
    navigate({});
    setPlace({ path: "/", chat: chatAt("/", client) });
  }, [client]);
  return { chat, view: useSyncExternalStore(chat.subscribe, chat.view), begin };
}

function chatAt(path: string, client: Client): Chat {
  const { session } = routeOf(path);
  const id = session ?? newId();
  return new Chat({
    id,
    isStored: session !== undefined,
    client,
    onFrame: draw => requestAnimationFrame(draw),
    wait: milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds)),
    onBegun: () => navigate({ session: id }),
  });
}
