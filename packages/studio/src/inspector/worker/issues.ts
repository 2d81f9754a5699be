import { type Conversation, check, formatPath, type Issue, type Loss, type Severity } from "translogue";
import {
  type Change,
  checkTarget,
  findTarget,
  type RepairName,
  type RuleName,
  repair,
  repairOf,
  rulesOf,
  type Target,
} from "translogue/targets";
import { nearestNode } from "./nodes.ts";

/** Where something is wrong. */
export interface Spot {
  readonly path: string;
  /** The row that it is in. */
  readonly row?: number;
  /** What is said of this place. */
  readonly message: string;
  readonly providerText?: string;
}

/** Issues of one code. */
export interface IssueGroup {
  readonly from: "reading" | "model" | "target";
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly count: number;
  readonly spots: readonly Spot[];
  readonly source?: string;
  readonly providerText?: string;
  /** The repair that mends it. */
  readonly repair?: string;
}

const mostSpots = 200;

export interface Found {
  readonly conversation: Conversation;
  readonly names: ReadonlyMap<string, number>;
  /** Of the text that it was read from. */
  readonly issues: readonly Issue[];
  readonly losses: readonly Loss[];
}

/** All that is wrong: in the text, in the conversation by itself, and for the target, the worst first. */
export function issueGroups(
  found: Found,
  target: string | undefined,
  model: string | undefined,
): readonly IssueGroup[] {
  const { conversation, names, issues, losses } = found;
  const lost = losses.map((loss): Issue => ({ ...loss, severity: "warning" }));
  const ofTarget = target === undefined ? [] : checkTarget(conversation, target, model === undefined ? {} : { model });
  return [
    ...grouped("target", ofTarget, names),
    ...grouped("reading", [...issues, ...lost], names),
    ...grouped("model", check(conversation), names),
  ];
}

const weights: { readonly [name in Severity]: number } = { error: 0, warning: 1, info: 2 };

function grouped(from: IssueGroup["from"], issues: readonly Issue[], names: Found["names"]): readonly IssueGroup[] {
  const byCode = Map.groupBy(issues, ({ code, severity }) => `${code} ${severity}`);
  const groups = [...byCode.values()].flatMap((group): IssueGroup[] => {
    const [first] = group;
    if (!first) return [];
    const { code, severity, message, source, providerText, repair: mends } = first;
    return [
      {
        ...{ from, code, severity, message, count: group.length },
        spots: group.slice(0, mostSpots).map(issue => spotOf(issue, names)),
        ...(source !== undefined && { source }),
        ...(providerText !== undefined && { providerText }),
        ...(mends !== undefined && { repair: mends }),
      },
    ];
  });
  return groups.sort((a, b) => weights[a.severity] - weights[b.severity]);
}

function spotOf({ path, wirePath, message, providerText }: Issue, names: Found["names"]): Spot {
  const row = nearestNode(path, names);
  return {
    path: path.length > 0 ? formatPath(path) : formatPath(wirePath ?? []),
    message,
    ...(row !== undefined && { row }),
    ...(providerText !== undefined && { providerText }),
  };
}

/** What a repair did. */
export interface Mended {
  readonly repair: Change["repair"];
  readonly path: string;
  readonly message: string;
}

/** Mends a conversation for a target: what breaks one rule, or all. */
export function mended(
  conversation: Conversation,
  {
    target,
    rule,
    model,
  }: { readonly target: string; readonly rule?: string | undefined; readonly model?: string | undefined },
): { readonly conversation: Conversation; readonly changes: readonly Mended[] } {
  const row = findTarget(target);
  const asked = rule === undefined ? row : onlyRule(row, rule, model ?? conversation.model);
  const { conversation: repaired, changes } = repair(conversation, asked, model === undefined ? {} : { model });
  return {
    conversation: repaired,
    changes: changes.map(change => ({
      repair: change.repair,
      path: formatPath(change.path),
      message: change.message,
    })),
  };
}

/** The target with the rules of one repair alone: those that it mends together. */
function onlyRule(target: Target, rule: string, model: string | undefined): Target {
  const { models: _, ...bare } = target;
  const wanted = repairNameOf(rule);
  const rules = Object.entries(rulesOf(target, model)).filter(([name]) => wanted && repairNameOf(name) === wanted);
  return { ...bare, rules: Object.fromEntries(rules) };
}

const repairNameOf = (rule: string): RepairName | undefined =>
  Object.hasOwn(repairOf, rule) ? repairOf[rule as RuleName] : undefined; // one of its keys
