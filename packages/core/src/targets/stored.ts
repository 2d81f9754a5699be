/** What a request says of what the provider keeps. */

import type { Conversation } from "../model/conversation.ts";
import type { Target } from "./target.ts";

/** A conversation, whole or at work. */
interface Request {
  readonly native?: Conversation["native"] | undefined;
}
type Asked = Pick<Target, "continues" | "stores" | "format">;

/** Whether it goes on with what the provider has stored: calls and items may be there. */
export const isContinued = ({ native }: Request, { continues = [], format }: Asked): boolean =>
  continues.some(name => (native?.[format]?.[name] ?? null) !== null);

/** Whether what is sent and answered is stored, so that it can be named by its id. */
export const isStored = ({ native }: Request, { stores, format }: Asked): boolean =>
  stores === undefined || native?.[format]?.[stores] !== false;
