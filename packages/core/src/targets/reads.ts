/** What a target reads of a conversation. */

import { isReadable } from "../codec/recipient.ts";
import { contextIndexes, type ReadsCompaction } from "../model/context.ts";
import type { Conversation } from "../model/conversation.ts";
import { rulesOf } from "./registry.ts";
import { isAtHome } from "./rules/seals.ts";
import type { Rules, Target } from "./target.ts";
import { type View, viewOfSent } from "./turns.ts";

/** Compactions in words, and those whose seals may go there: where nothing is known of seals, all of them. */
export function readsIn(rules: Rules, model: string | undefined): ReadsCompaction {
  const home = rules["seals-at-home"];
  return part => isReadable(part, seal => home === undefined || isAtHome(seal, home, model));
}

/** Indexes of what would be sent (R26), in that order. @param rules of the target, for the model that is asked */
export const sentIndexes = (conversation: Conversation, rules: Rules, model: string | undefined): readonly number[] =>
  contextIndexes(conversation, readsIn(rules, model));

/** The turns of what would be sent, as the target counts them. @param model that is asked. Default: the conversation's */
export const viewOf = (conversation: Conversation, target: Target, model = conversation.model): View =>
  viewOfSent(conversation, target, sentIndexes(conversation, rulesOf(target, model), model));
