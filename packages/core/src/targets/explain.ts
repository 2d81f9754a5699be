import type { Conversation } from "../model/conversation.ts";
import { demandConversation } from "../model/given.ts";
import type { Issue, Path } from "../model/issue.ts";
import type { FilePart } from "../model/parts.ts";
import { findingsFor } from "./check.ts";
import { toldBy } from "./data/told/index.ts";
import { type PlaceName, placeAt, placeOfRule } from "./places.ts";
import { type Position, pathOf, positionIn } from "./positions.ts";
import { viewOf } from "./reads.ts";
import { rulesOf, targetOf, targets } from "./registry.ts";
import { type RepairName, repairOf } from "./repairs/names.ts";
import { ruleNames } from "./rules/index.ts";
import type { Learned, RuleName, Rules, Target } from "./target.ts";
import { valuesIn } from "./templates.ts";
import type { Placed, View } from "./turns.ts";
import { wirePlaces } from "./wire-places.ts";

export interface ExplainOptions {
  /** Whose error it is: a target, or the id of one. Default: who is known to say most of it. */
  readonly target?: Target | string;
  /** What was sent: it tells where the fault is. */
  readonly conversation?: Conversation;
  /** The model that was asked. Default: the conversation's. */
  readonly model?: string;
}

/** What a provider's error text says. */
export interface Explanation {
  readonly target: string;
  readonly rule: RuleName;
  /** What the provider filled into its text, by name: `id`, `message`, `role`, … */
  readonly values: { readonly [name: string]: string };
  /** Where it is in the conversation. Absent: none was given, or nothing in it is what the text speaks of. */
  readonly path?: Path;
  /** What is wrong there and what to do, where `checkTarget` finds it too. */
  readonly message?: string;
  readonly repair?: RepairName;
  readonly source: string;
}

/**
 * The rule that a provider's error text speaks of, and the place in the conversation. Undefined for other errors: limits of
 * rate, unknown models, settings. @param errorText its message, or the whole body as text
 */
export function explain(errorText: string, options: ExplainOptions = {}): Explanation | undefined {
  if (options.conversation !== undefined) demandConversation(options.conversation);
  const { target, conversation } = options;
  const text = unescaped(errorText);
  const rows = target === undefined ? targets : [targetOf(target)];
  const model = options.model ?? conversation?.model;
  let said: { readonly row: Target; readonly meanings: readonly Meaning[]; readonly length: number } | undefined;
  for (const row of rows) {
    const meanings = meaningsOf(text, row, model);
    const [first] = meanings;
    if (first && first.length > (said?.length ?? 0)) said = { row, meanings, length: first.length };
  }
  if (!said) return undefined;
  const { row, meanings } = said;
  const [first] = meanings as readonly [Meaning, ...Meaning[]]; // one was found
  return conversation
    ? placed(meanings, row, { conversation, model, position: positionIn(text) })
    : explanation(first, row);
}

/** Bodies as text have their quotes escaped: once, or again by each that passed them on. */
const unescaped = (text: string): string => text.replace(/\\+(?=["'`])/g, "").replace(/(?:\\+[nrt])+/g, "\n");

interface Meaning {
  readonly rule: RuleName;
  readonly learned: Learned;
  readonly values: { readonly [name: string]: string };
  /** How much of the text is the template's own: the longer one says more. */
  readonly length: number;
  /** What the rule asks where this is said, if it is not what the target asks. */
  readonly asks?: object;
  readonly at?: PlaceName;
}

/** Rules whose texts match, those first that say most of it; several may have the same words. */
function meaningsOf(text: string, target: Target, model: string | undefined): readonly Meaning[] {
  const own = rulesOf(target, model);
  const layers = [own, target.rules, ...(target.models ?? []).map(({ rules }) => rules)];
  const meanings: Meaning[] = [];
  for (const rule of ruleNames) {
    let best: Meaning | undefined;
    for (const layer of layers) {
      const learned: Learned | null | undefined = layer[rule];
      best = learned ? (longest(text, { rule, learned }) ?? best) : best;
      // What holds for the model goes before what holds for others.
      if (best) break;
    }
    if (best) meanings.push(best);
  }
  for (const told of toldBy(target.id)) {
    const { rule, asks, at } = told;
    const found = longest(text, { rule, learned: told, ...(asks && { asks }), ...(at && { at }) });
    if (found) meanings.push(found);
  }
  return meanings.sort((one, other) => other.length - one.length);
}

function longest(text: string, meaning: Omit<Meaning, "length" | "values">): Meaning | undefined {
  let best: Meaning | undefined;
  for (const template of meaning.learned.says ?? []) {
    const length = template.replace(/\{\w+\}/g, "").length;
    const values = length > (best?.length ?? 0) ? valuesIn(template, text) : undefined;
    if (values) best = { ...meaning, values, length };
  }
  return best;
}

interface Sent {
  readonly conversation: Conversation;
  readonly model: string | undefined;
  readonly position: Position;
}

/** The meaning that the conversation shows, where it shows one. */
function placed(meanings: readonly Meaning[], target: Target, { conversation, model, position }: Sent): Explanation {
  const view = viewOf(conversation, target, model);
  const there = pathOf(position, view, target);
  const findings = findingsFor(conversation, asking(target, meanings, model), model === undefined ? {} : { model });
  const counted = Object.fromEntries(Object.entries(position).map(([name, number]) => [name, String(number)]));
  const shown = meanings.flatMap(meaning =>
    findings
      .filter(({ issue }) => issue.code === meaning.rule && meaning.at === undefined)
      .map(finding => ({ meaning, finding, agreed: agreement({ ...counted, ...meaning.values }, finding.values) })),
  );
  const most = Math.max(0, ...shown.map(({ agreed }) => agreed));
  const best = shown.find(({ agreed }) => agreed === most);
  const [first] = meanings as readonly [Meaning, ...Meaning[]]; // the caller has one
  if (best && !isElsewhere(best.finding.issue, there)) {
    const { path, message } = best.finding.issue;
    return { ...explanation(best.meaning, target), path, message };
  }
  const path =
    first.rule === "media-reachable" ? fileByUrl(conversation, target) : pathSaid(first, { view, target, there });
  return { ...explanation(first, target), ...(path && { path }) };
}

/** The target with what the meanings ask. */
function asking(target: Target, meanings: readonly Meaning[], model: string | undefined): Target {
  const asked = meanings
    .toReversed()
    .flatMap(({ rule, learned, asks }) => (asks ? [[rule, { ...learned, ...asks }]] : []));
  if (asked.length === 0) return target;
  const rules = { ...rulesOf(target, model), ...Object.fromEntries(asked) } as Rules; // of rules by their names
  return { ...target, rules, models: [] };
}

/** What may be lost is found at many places; one that the text names is meant. */
function isElsewhere({ severity, path }: Issue, there: Path | undefined): boolean {
  return severity === "warning" && there !== undefined && !there.every((step, place) => path[place] === step);
}

/** By what the text names, else where such things stand. */
function pathSaid(
  { rule, values, at }: Meaning,
  { view, target, there }: { readonly view: View; readonly target: Target; readonly there: Path | undefined },
): Path | undefined {
  const isWhole = there !== undefined && (there.length > 2 || at === undefined);
  if (isWhole) return there;
  const byName = namedPath(values, view, target);
  if (byName && byName.length > (there?.length ?? 0)) return byName;
  const guess = at === undefined ? undefined : placeAt(at, view, values);
  // Within the message that the text names.
  if (there !== undefined) return guess?.[1] === there[1] && guess?.[0] === there[0] ? guess : there;
  const names = [values["id"], values["ids"], values["message"]];
  return guess ?? byName ?? (names.some(name => name !== undefined) ? undefined : placeOfRule(rule, view, values));
}

/** How well what the provider named fits what was found; below 0 where it names something else. */
function agreement(said: Meaning["values"], found: { readonly [name: string]: string | number }): number {
  let agreed = 0;
  for (const name of Object.keys(said)) {
    const value = found[name];
    const isSame = value !== undefined && String(value) === said[name];
    // Ids say what is meant; numbers count in the request, which may have been written otherwise.
    const weight = name === "id" ? 4 : 1;
    if (value !== undefined) agreed += isSame ? weight : name === "id" ? -weight : 0;
  }
  const isAmong = found["id"] !== undefined && said["ids"]?.includes(String(found["id"]));
  return agreed + (isAmong ? 4 : 0);
}

/** The piece that has the id, or stands where the numbers say. */
function namedPath({ id, ids, message, part }: Meaning["values"], view: View, target: Target): Path | undefined {
  const wanted = id ?? ids;
  if (wanted !== undefined) {
    for (const turn of view.turns) {
      for (const { part: own, path } of turn.parts) {
        if ("callId" in own && own.callId !== undefined && wanted.includes(own.callId)) return [...path, "callId"];
        if (own.seal?.values["id"] === wanted) return path;
      }
    }
  }
  if (message === undefined) return undefined;
  return wirePlaces(view, target).pathAt(Number(message), part === undefined ? undefined : Number(part));
}

/** Of files that may be out of reach the one sent last: those before it were read already. */
function fileByUrl(conversation: Conversation, target: Target): Path | undefined {
  const files = viewOf(conversation, target).turns.flatMap(({ parts }) => parts.flatMap(each => filesIn(each)));
  return files.findLast(({ part }) => "url" in part.source && !part.source.url.startsWith("data:"))?.path;
}

function filesIn({ part, path }: Pick<Placed, "part" | "path">): { readonly part: FilePart; readonly path: Path }[] {
  if (part.type === "file") return [{ part, path }];
  if (part.type !== "tool-result") return [];
  return (part.output ?? []).flatMap((inner, index) => filesIn({ part: inner, path: [...path, "output", index] }));
}

function explanation({ rule, learned, values }: Meaning, target: Target): Explanation {
  const repair = repairOf[rule];
  return {
    target: target.id,
    rule,
    values,
    source: `${learned.source}, ${learned.date}`,
    ...(repair && { repair }),
  };
}
