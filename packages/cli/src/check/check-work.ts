import { check, formatPath, type Issue, type Severity } from "translogue";
import { checkTarget } from "translogue/targets";
import { endpointOf, forShape, withModel } from "../endpoints/endpoint.ts";
import { placeOfFile } from "../input/source.ts";
import { remarkLine } from "../reading/remark.ts";
import type { Done, Read, Work } from "../reading/work.ts";
import { issueText } from "./issue-text.ts";

export interface CheckOrder {
  /** Absent = of the provider whose format it is. */
  readonly target?: string | undefined;
  readonly model?: string | undefined;
  /** Issues below it are not told, nor counted. */
  readonly severity: Severity;
  readonly json: boolean;
  readonly color: boolean;
}

export const severities = ["error", "warning", "info"] as const satisfies readonly Severity[];

/** Says what an endpoint would refuse of each conversation, and what was wrong with the value that it was read from. */
export class CheckWork implements Work {
  readonly #order: CheckOrder;

  constructor(order: CheckOrder) {
    this.#order = order;
  }

  conversation({ conversation, format, shape, issues: read, place }: Read): Done {
    const { target: asked, model, severity, json, color } = this.#order;
    const target = endpointOf(format, asked);
    const least = severities.indexOf(severity);
    const refused = checkTarget(conversation, forShape(target, shape), withModel(model));
    const issues = [...read, ...notAlsoIn(refused, check(conversation)), ...refused].filter(
      issue => severities.indexOf(issue.severity) <= least,
    );
    const at = { ...placeOfFile(place), endpoint: target.id };
    const text = issues.map(issue => (json ? remarkLine({ issue }, at) : issueText(issue, { place, color }))).join("");
    const note = {
      of: "check",
      target: target.id,
      errors: count(issues, "error"),
      warnings: count(issues, "warning"),
      infos: count(issues, "info"),
      mended: issues.filter(({ repair }) => repair !== undefined).length,
    } as const;
    return { text, remarks: [], note };
  }
}

/** What the model calls what a rule of endpoints tells of the same place, with more to say. */
const ruleOf: ReadonlyMap<string, string> = new Map([
  ["lone-surrogate", "well-formed-text"],
  ["orphan-result", "results-called"],
]);

/** Without what is told by a rule of the endpoint. */
function notAlsoIn(refused: readonly Issue[], issues: readonly Issue[]): readonly Issue[] {
  const told = new Set(refused.map(({ code, path }) => `${code} ${formatPath(path)}`));
  return issues.filter(({ code, path }) => !told.has(`${ruleOf.get(code) ?? ""} ${formatPath(path)}`));
}

const count = (issues: readonly Issue[], severity: Severity): number =>
  issues.filter(issue => issue.severity === severity).length;
