import { useMemo } from "react";
import { focusLastEntry } from "../transcript/walk-entries.ts";
import type { Actions } from "./actions.ts";
import type { Chat, ChatView } from "./chat.ts";

/** What parts may do about a chat. The same object as long as nothing begins or ends. */
export function useActionsOf(chat: Chat, view: ChatView, model: string | undefined): Actions {
  const isIdle = view.status === "ready" || view.status === "missing";
  const lastPart = view.settled.at(-1)?.parts.at(-1);
  const lastError = isIdle && lastPart?.type === "error" ? lastPart : undefined;
  const isLost = view.failure?.kind === "lost" || view.status === "missing";
  return useMemo(
    () => ({
      decide: (request, answer) => {
        focusLastEntry();
        void chat.decide(request, answer, model);
      },
      answer: (request, value) => {
        focusLastEntry();
        void chat.answer(request, value, model);
      },
      retry: () => {
        focusLastEntry();
        void (isLost ? chat.load() : chat.retry(model));
      },
      isIdle,
      lastError,
    }),
    [chat, model, isIdle, lastError, isLost],
  );
}
