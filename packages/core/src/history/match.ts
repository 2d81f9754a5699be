import type { Message, Role } from "../model/conversation.ts";
import { isTexts, type OptionRule } from "../model/options.ts";

/** Which messages are meant: those of a role, of one of several, or whatever the function says. */
export type Match = Role | readonly Role[] | ((message: Message) => boolean);

export const match: OptionRule = [
  value => typeof value === "string" || typeof value === "function" || isTexts(value),
  "a role, a list of roles, or a function",
];

export function matcher(match: Match): (message: Message) => boolean {
  if (typeof match === "function") return match;
  const roles = new Set<string>(typeof match === "string" ? [match] : match);
  return ({ role }) => roles.has(role);
}

/** Says what the model is to be, and is no turn of anybody's. */
export const isSystem = ({ role }: Message): boolean => role === "system" || role === "developer";

/** How many messages of the system stand before anybody's turn. */
export function leadingSystems(messages: readonly Message[]): number {
  const turn = messages.findIndex(message => !isSystem(message));
  return turn === -1 ? messages.length : turn;
}
