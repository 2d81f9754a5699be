/** What a request says of what the provider keeps. */

import type { Conversation } from "../model/conversation.ts";
import { isJsonObject } from "../model/json.ts";
import type { Part } from "../model/parts.ts";
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

/** The id of an item that is told by its id alone; "" without one. @param named the type of such an item */
export function referenceOf(part: Part, named: string): string | undefined {
  const value = part.type === "opaque" ? part.value : undefined;
  if (!isJsonObject(value) || value["type"] !== named) return undefined;
  const { id } = value;
  return typeof id === "string" ? id : "";
}

/** Whether a call may be among what the provider has stored: with what is gone on with, or as an item that is told by its id. */
export function mayStoreCalls(request: Request, messagesOf: () => Conversation["messages"], target: Target): boolean {
  if (isContinued(request, target)) return true;
  const { reference } = target.rules["stored-items"] ?? {};
  if (reference === undefined) return false;
  const others = Object.values(target.rules["item-ids"]?.prefixes ?? {});
  return messagesOf().some(({ parts }) =>
    parts.some(part => {
      const id = referenceOf(part, reference);
      return id !== undefined && !others.some(prefix => id.startsWith(prefix));
    }),
  );
}
