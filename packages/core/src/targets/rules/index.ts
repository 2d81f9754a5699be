/** Every rule's check by its name. */

import type { RuleName } from "../target.ts";
import { reasoningOnce, resultsTogether, storedItems } from "./answers.ts";
import { approvalsAsked } from "./approvals-asked.ts";
import { argumentsShape, sizes, toolsDeclared } from "./arguments.ts";
import { cacheMarks } from "./cache-marks.ts";
import { callsAnswered } from "./calls-answered.ts";
import { callsJoined, callsTogether } from "./calls-together.ts";
import { knownMembers } from "./known-members.ts";
import { legacyFunctions } from "./legacy-functions.ts";
import {
  assistantMediaSource,
  documentsIntroduced,
  documentsNamed,
  failedResults,
  media,
  mediaData,
  mediaSource,
  mediaTypes,
  resultMediaSource,
} from "./media.ts";
import { callIds, callIdsUnique, idsUnpacked, messageName, roles, toolNames } from "./names.ts";
import { providerCallsAnswered } from "./provider-calls-answered.ts";
import { resultsCalled, resultsFinal, resultsOfKind } from "./results-called.ts";
import { resultsFirst } from "./results-first.ts";
import { resultsOnce } from "./results-once.ts";
import { resultsTold } from "./results-told.ts";
import type { RuleCheck } from "./rule.ts";
import {
  callsSealed,
  itemIds,
  reasoningFirst,
  reasoningFollowed,
  reasoningKept,
  reasoningNotLast,
  reasoningSealed,
  sealsAtHome,
} from "./seals.ts";
import { settingRanges, thinkingSettings, toolChoice } from "./settings.ts";
import { historyNotEmpty, messageNotEmpty, textNotEmpty, wellFormedText } from "./texts.ts";
import { answerAfterResults, firstTurn, lastTurn, prefillTrimmed, systemPlace, turnsAlternate } from "./turn-order.ts";

/** In the order in which issues are told: what a turn is comes before what is in it. */
export const checks: { readonly [Name in RuleName]: RuleCheck<Name> } = {
  roles,
  "system-place": systemPlace,
  "first-turn": firstTurn,
  "turns-alternate": turnsAlternate,
  "answer-after-results": answerAfterResults,
  "last-turn": lastTurn,
  // Before `calls-answered`: where calls stand apart, providers say of one that it has no result.
  "calls-together": callsTogether,
  "calls-joined": callsJoined,
  "calls-answered": callsAnswered,
  "provider-calls-answered": providerCallsAnswered,
  "results-called": resultsCalled,
  "results-once": resultsOnce,
  "approvals-asked": approvalsAsked,
  "results-final": resultsFinal,
  "results-first": resultsFirst,
  "results-of-kind": resultsOfKind,
  "results-together": resultsTogether,
  "history-not-empty": historyNotEmpty,
  "message-not-empty": messageNotEmpty,
  "text-not-empty": textNotEmpty,
  "prefill-trimmed": prefillTrimmed,
  "well-formed-text": wellFormedText,
  "known-members": knownMembers,
  "message-name": messageName,
  "legacy-functions": legacyFunctions,
  "call-ids": callIds,
  "call-ids-unique": callIdsUnique,
  "ids-unpacked": idsUnpacked,
  "tool-names": toolNames,
  arguments: argumentsShape,
  "tools-declared": toolsDeclared,
  "media-data": mediaData,
  "media-types": mediaTypes,
  media,
  "media-source": mediaSource,
  "result-media-source": resultMediaSource,
  "assistant-media-source": assistantMediaSource,
  "documents-named": documentsNamed,
  "documents-introduced": documentsIntroduced,
  // Known by its error text alone: no check without a network can tell.
  "media-reachable": () => {},
  "failed-results": failedResults,
  "results-told": resultsTold,
  "seals-at-home": sealsAtHome,
  "calls-sealed": callsSealed,
  "reasoning-first": reasoningFirst,
  "reasoning-not-last": reasoningNotLast,
  "reasoning-followed": reasoningFollowed,
  "reasoning-kept": reasoningKept,
  "reasoning-once": reasoningOnce,
  "reasoning-sealed": reasoningSealed,
  "item-ids": itemIds,
  "stored-items": storedItems,
  sizes,
  "tool-choice": toolChoice,
  "thinking-settings": thinkingSettings,
  "setting-ranges": settingRanges,
  "cache-marks": cacheMarks,
};

export const ruleNames = Object.keys(checks) as readonly RuleName[]; // the table has all of them and no other
