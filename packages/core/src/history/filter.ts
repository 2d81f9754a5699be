import type { Message } from "../model/conversation.ts";
import { demandMessages } from "../model/given.ts";
import { demandOptions, isTexts, type OptionRules, oneOf, texts } from "../model/options.ts";
import type { Part, PartType, ToolResultPart } from "../model/parts.ts";
import { eachLink } from "./links.ts";
import { type Match, match, matcher } from "./match.ts";
import { sameList } from "./same-list.ts";

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
  /**
   * `together`: where a call goes its results, approvals and questions go too, and where a result goes so does its call; to
   * include either kind of part is to include both. `apart`: what the
   * other options say and no more; providers refuse such halves. Default `together`.
   */
  readonly pairs?: "together" | "apart";
}

const rules: OptionRules<FilterOptions> = {
  ...{ includeRoles: match, excludeRoles: match, includeNames: texts, excludeNames: texts, includeIds: texts },
  ...{ excludeIds: texts, includeParts: texts, excludeParts: texts, pairs: oneOf("together", "apart") },
  excludeToolCalls: [value => value === true || isTexts(value), "true or a list of ids"],
};

/**
 * The messages that are not excluded and, where something is to be included, are included by any of it: role, name or id.
 * A message of which nothing goes is the same object. What belongs to a call goes or stays with it, see `pairs`.
 */
export function filter(messages: readonly Message[], options: FilterOptions = {}): readonly Message[] {
  demandMessages(messages);
  demandOptions(options, rules, "history/bad-option");
  const goes = anyOf(options.excludeRoles, options.excludeNames, options.excludeIds);
  const stays = anyOf(options.includeRoles, options.includeNames, options.includeIds);
  const includes = [options.includeRoles, options.includeNames, options.includeIds].some(list => list !== undefined);
  const kept = messages.filter(message => !goes(message) && (!includes || stays(message)));
  const isKept = partFilter(options);
  const left = isKept === undefined ? kept : kept.flatMap(message => withParts(message, isKept));
  if (options.pairs === "apart" || (left.length === messages.length && isKept === undefined))
    return sameList(messages, left);
  const halves = halvesOf(messages, left);
  return halves.size === 0
    ? sameList(messages, left)
    : left.flatMap(message => withParts(message, part => !halves.has(part)));
}

/** What is left of calls of which something is gone. */
function halvesOf(before: readonly Message[], left: readonly Message[]): ReadonlySet<Part> {
  const isLeft = new Set(left.flatMap(({ parts }) => parts));
  const steps = stepsOf(before);
  const halves = new Set<Part>();
  for (const [call, { results, others }] of steps) {
    const isWhole = isLeft.has(call) && results.every(part => part.preliminary || isLeft.has(part));
    if (!isWhole) for (const part of [call, ...results, ...others]) if (isLeft.has(part)) halves.add(part);
  }
  return halves;
}

interface Step {
  readonly results: ToolResultPart[];
  /** Approvals, and questions of the tool's. */
  readonly others: Part[];
}

/** Calls with what belongs to each (R9). */
function stepsOf(messages: readonly Message[]): ReadonlyMap<Part, Step> {
  const steps = new Map<Part, Step>();
  for (const part of messages.flatMap(({ parts }) => parts))
    if (part.type === "tool-call") steps.set(part, { results: [], others: [] });
  const requests = new Map<Part, Step>();
  eachLink(messages, ({ part }, to) => {
    const step = steps.get(to.part) ?? requests.get(to.part);
    if (part.type === "tool-result") step?.results.push(part);
    else if (step) {
      step.others.push(part);
      requests.set(part, step);
    }
  });
  return steps;
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

function partFilter({ includeParts, excludeParts, excludeToolCalls, pairs }: FilterOptions): PartTest | undefined {
  if (includeParts === undefined && excludeParts === undefined && excludeToolCalls === undefined) return undefined;
  const included = includeParts && new Set(includeParts);
  if (included && pairs !== "apart" && (included.has("tool-call") || included.has("tool-result")))
    included.add("tool-call").add("tool-result");
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
