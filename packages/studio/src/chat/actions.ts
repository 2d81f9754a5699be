import { createContext, useContext } from "react";
import type { ApprovalRequestPart, ErrorPart, InputRequestPart, Json } from "translogue";

/** What a part's view may do about the conversation. */
export interface Actions {
  readonly decide: (
    request: ApprovalRequestPart,
    answer: { readonly approved: boolean; readonly reason?: string },
  ) => void;
  /** Without a value the person does not say. */
  readonly answer: (request: InputRequestPart, value: Json | undefined) => void;
  readonly retry: () => void;
  /** Whether nothing is under way. */
  readonly isIdle: boolean;
  /** The error that the conversation ends with. */
  readonly lastError: ErrorPart | undefined;
}

export const ActionsContext = createContext<Actions>({
  decide: () => undefined,
  answer: () => undefined,
  retry: () => undefined,
  isIdle: false,
  lastError: undefined,
});

export const useActions = (): Actions => useContext(ActionsContext);
