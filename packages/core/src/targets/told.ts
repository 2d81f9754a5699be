import type { PlaceName } from "./places.ts";
import type { Learned, RuleName, RuleTable } from "./target.ts";

/**
 * An error text beside those of the target's own rules: of a rule that holds for some of its models or servers only, or in words
 * that no check fills in. `explain` alone reads these.
 */
export type Told = { readonly [Name in RuleName]: ToldOf<Name> }[RuleName];

interface ToldOf<Name extends RuleName> extends Learned {
  readonly rule: Name;
  readonly says: readonly string[];
  /** What the rule asks where the text is said: its check finds the place. Default: what the target's own rule asks. */
  readonly asks?: RuleTable[Name];
  /** Where it is, if no check of the rule finds that. */
  readonly at?: PlaceName;
}
