import type { Path } from "../../model/issue.ts";
import type { RuleName, RuleTable, Target } from "../target.ts";
import type { View } from "../turns.ts";

/** What a provider fills into its error text, by the names of its template. */
export type Values = { readonly [name: string]: string | number };

/** @param text what was found and what to do: goes on after the path */
export type RuleReport = (path: Path, text: string, values?: Values) => void;

/** What a rule reads beside the turns. */
export interface Asked {
  readonly target: Target;
  readonly model: string | undefined;
}

/** Reports each place where what would be sent breaks a rule. One pass. */
export type RuleCheck<Name extends RuleName> = (
  view: View,
  params: RuleTable[Name],
  context: { readonly asked: Asked; readonly report: RuleReport },
) => void;
