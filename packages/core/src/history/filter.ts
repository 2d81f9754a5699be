import type { Message } from "../model/conversation.ts";
import type { PartType } from "../model/parts.ts";
import { type Match, matcher } from "./match.ts";

export interface FilterOptions {
  readonly includeRoles?: Match;
  readonly excludeRoles?: Match;
  /** Names of authors; of a message of results also the tools' names. */
  readonly includeNames?: readonly string[];
  readonly excludeNames?: readonly string[];
  readonly includeIds?: readonly string[];
  readonly excludeIds?: readonly string[];
  /** Parts of these types stay, others go; a message that loses all of its parts goes too. */
  readonly includeParts?: readonly PartType[];
  readonly excludeParts?: readonly PartType[];
  /** Calls of these ids go with their results, approvals and questions; true = all calls. Messages that are then empty go. */
  readonly excludeToolCalls?: true | readonly string[];
}

/**
 * The messages that are not excluded and, where something is to be included, are included by any of it: role, name or id.
 * A message of which nothing goes is the same object. Calls and results are told apart by nothing but these options: to drop
 * both sides of a call name it in `excludeToolCalls`.
 */
export function filter(messages: readonly Message[], options: FilterOptions = {}): readonly Message[] {
  const goes = anyOf(options.excludeRoles, options.excludeNames, options.excludeIds);
  const stays = anyOf(options.includeRoles, options.includeNames, options.includeIds);
  const includes = [options.includeRoles, options.includeNames, options.includeIds].some(list => list !== undefined);
  const kept = messages.filter(message => !goes(message) && (!includes || stays(message)));
  const isKept = partFilter(options);
  return isKept === undefined ? kept : kept.flatMap(message => withParts(message, isKept));
}

function anyOf(
  roles: Match | undefined,
  names: readonly string[] | undefined,
  ids: readonly string[] | undefined,
): (message: Message) => boolean {
  const isRole = roles === undefined ? () => false : matcher(roles);
  const isName = new Set(names);
  const isId = new Set(ids);
  return message =>
    isRole(message) ||
    (message.id !== undefined && message.id !== "" && isId.has(message.id)) ||
    (isName.size > 0 && namesOf(message).some(name => isName.has(name)));
}

/** Whose it is: its author, or the tools whose results it has. */
export function namesOf({ author, parts }: Message): readonly string[] {
  if (author?.name !== undefined && author.name !== "") return [author.name];
  return parts.flatMap(part => (part.type === "tool-result" && part.name ? [part.name] : []));
}

type PartTest = (part: Message["parts"][number]) => boolean;

function partFilter({ includeParts, excludeParts, excludeToolCalls }: FilterOptions): PartTest | undefined {
  if (includeParts === undefined && excludeParts === undefined && excludeToolCalls === undefined) return undefined;
  const included = includeParts && new Set(includeParts);
  const excluded = new Set(excludeParts);
  const calls = excludeToolCalls === true ? undefined : new Set(excludeToolCalls);
  const isExcludedCall: PartTest = part => {
    const callId = "callId" in part ? part.callId : undefined;
    if (callId === undefined || excludeToolCalls === undefined) return false;
    return calls === undefined || calls.has(callId);
  };
  return part => (included?.has(part.type) ?? true) && !excluded.has(part.type) && !isExcludedCall(part);
}

function withParts(message: Message, isKept: PartTest): readonly Message[] {
  const parts = message.parts.filter(isKept);
  if (parts.length === message.parts.length) return [message];
  return parts.length === 0 ? [] : [{ ...message, parts }];
}
