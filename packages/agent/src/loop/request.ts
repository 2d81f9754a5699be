import type { ModelRequest } from "../model.ts";
import type { Reading } from "./reading.ts";
import type { Effect, RunState, ServedConversation } from "./state.ts";
import type { RunTask } from "./task.ts";

/** What a model call is asked with, whoever hears of it. */
export function requestOf(
  { promptCache, background, polls }: RunTask,
  { answer }: RunState,
  asked: {
    readonly reading: Reading;
    readonly served: ServedConversation | undefined;
    readonly effect: Extract<Effect, { readonly type: "call-model" }>;
    readonly signal: AbortSignal;
  },
): ModelRequest {
  const { reading, served, effect, signal } = asked;
  const { continuation } = effect;
  const holder = answer?.provider;
  return {
    conversation: reading.conversation,
    signal,
    ...(served && { conversationId: served.id }),
    ...(promptCache && { promptCache }),
    ...(background && { background: true }),
    ...(polls && { polls: true as const }),
    ...(continuation !== undefined && {
      continuation,
      ...(holder !== undefined && { continuationProvider: holder }),
    }),
  };
}
