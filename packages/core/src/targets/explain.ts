import type { Conversation } from "../model/conversation.ts";
import type { Path } from "../model/issue.ts";
import type { FilePart } from "../model/parts.ts";
import { findingsFor } from "./check.ts";
import { findTarget, rulesOf, targets } from "./registry.ts";
import { type RepairName, repairOf } from "./repairs/names.ts";
import { ruleNames } from "./rules/index.ts";
import type { Learned, RuleName, Target } from "./target.ts";
import { valuesIn } from "./templates.ts";
import { type Placed, viewOf } from "./turns.ts";
import { wirePlaces } from "./wire-places.ts";

export interface ExplainOptions {
  /** Whose error it is: a target, or the id of one. Default: whoever is known to say so, the first of them. */
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
  const { target, conversation } = options;
  // Bodies as text have their quotes escaped.
  const text = errorText.replaceAll('\\"', '"');
  const rows = target === undefined ? targets : [typeof target === "string" ? findTarget(target) : target];
  for (const row of rows) {
    const meanings = meaningsOf(text, row, options.model ?? conversation?.model);
    const [first] = meanings;
    if (!first) continue;
    return conversation ? placed(meanings, row, { ...options, conversation }) : explanation(first, row);
  }
  return undefined;
}

interface Meaning {
  readonly rule: RuleName;
  readonly learned: Learned;
  readonly values: { readonly [name: string]: string };
  /** How much of the text is the template's own: the longer one says more. */
  readonly length: number;
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
      for (const template of learned?.says ?? []) {
        const values = template.length > (best?.length ?? 0) ? valuesIn(template, text) : undefined;
        if (learned && values) best = { rule, learned, values, length: template.length };
      }
      // What holds for the model goes before what holds for others.
      if (best) break;
    }
    if (best) meanings.push(best);
  }
  return meanings.sort((one, other) => other.length - one.length);
}

/** The meaning that the conversation shows, where it shows one. */
function placed(
  meanings: readonly Meaning[],
  target: Target,
  { conversation, model }: { readonly conversation: Conversation; readonly model?: string },
): Explanation {
  const findings = findingsFor(conversation, target, model === undefined ? {} : { model });
  const shown = meanings.flatMap(meaning =>
    findings
      .filter(({ issue }) => issue.code === meaning.rule)
      .map(finding => ({ meaning, finding, agreed: agreement(meaning.values, finding.values) })),
  );
  const most = Math.max(0, ...shown.map(({ agreed }) => agreed));
  const best = shown.find(({ agreed }) => agreed === most);
  const [first] = meanings as readonly [Meaning, ...Meaning[]]; // the caller has one
  if (best) {
    const { path, message } = best.finding.issue;
    return { ...explanation(best.meaning, target), path, message };
  }
  const path =
    first.rule === "media-reachable" ? fileByUrl(conversation, target) : namedPath(first.values, conversation, target);
  return { ...explanation(first, target), ...(path && { path }) };
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
function namedPath(
  { id, ids, message, part }: Meaning["values"],
  conversation: Conversation,
  target: Target,
): Path | undefined {
  const view = viewOf(conversation, target);
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
