import type { Conversation } from "../model/conversation.ts";
import { demandConversation } from "../model/given.ts";
import { formatPath, type Issue } from "../model/issue.ts";
import { demandOptions, text } from "../model/options.ts";
import { sentIndexes } from "./reads.ts";
import { rulesOf, targetOf } from "./registry.ts";
import { repairOf } from "./repairs/names.ts";
import { checks, ruleNames } from "./rules/index.ts";
import type { Values } from "./rules/rule.ts";
import { suspicionOf } from "./screen.ts";
import type { RuleName, Rules, Target } from "./target.ts";
import { filled } from "./templates.ts";
import { type View, viewOfSent } from "./turns.ts";
import { type WirePlaces, wirePlaces } from "./wire-places.ts";

export interface CheckTargetOptions {
  /** The model that will be asked. Default: the conversation's. */
  readonly model?: string;
}

/** An issue with what the provider would fill into its own text of it. */
export interface Finding {
  readonly issue: Issue;
  readonly values: Values;
}

/** Of one rule: more than anyone reads. */
const mostIssues = 1000;

/**
 * What a provider's endpoint would refuse of what would be sent (R26): an issue a place, its code the rule's name. No issue
 * of severity `error` = it is taken. @param target a target, or the id of one
 */
export const checkTarget = (
  conversation: Conversation,
  target: Target | string,
  options: CheckTargetOptions = {},
): Issue[] => {
  demandConversation(conversation);
  demandOptions(options, { model: text });
  return findingsFor(conversation, target, options).map(({ issue }) => issue);
};

/** The same with the values of the provider's text. */
export function findingsFor(
  conversation: Conversation,
  target: Target | string,
  options: CheckTargetOptions = {},
): Finding[] {
  const row = targetOf(target);
  const model = options.model ?? conversation.model;
  const rules = rulesOf(row, model);
  const sent = sentIndexes(conversation, rules, model);
  const findings: Finding[] = [];
  const suspicion = suspicionOf(conversation, sent, { target: row, rules, model });
  if (suspicion.rules.size === 0) return findings;
  const view = viewOfSent(conversation, row, sent);
  let known: WirePlaces | undefined;
  const places = (): WirePlaces => {
    known ??= wirePlaces(view, row);
    return known;
  };
  for (const name of ruleNames) {
    if (suspicion.rules.has(name)) checkRule(name, { row, model, view, rules, places }, findings);
  }
  return findings;
}

interface About {
  readonly row: Target;
  readonly model: string | undefined;
  readonly view: View;
  readonly rules: Rules;
  readonly places: () => WirePlaces;
}

function checkRule<Name extends RuleName>(name: Name, about: About, findings: Finding[]): void {
  const rule = about.rules[name];
  if (!rule) return;
  const repair = repairOf[name];
  let count = 0;
  checks[name](about.view, rule, {
    asked: { target: about.row, model: about.model },
    report: (path, text, values = {}) => {
      if (count++ >= mostIssues) return;
      const all = { ...about.places().valuesAt(path), ...values };
      const providerText = filled(rule.says ?? [], all);
      const issue: Issue = {
        code: name,
        severity: rule.severity ?? "error",
        path,
        message: `\`${formatPath(path)}\` ${text}`,
        rule: name,
        source: `${rule.source}, ${rule.date}`,
        ...(providerText !== undefined && { providerText }),
        ...(repair !== undefined && { repair }),
      };
      findings.push({ issue, values: all });
    },
  });
}
