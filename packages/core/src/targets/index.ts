export { type CheckTargetOptions, checkTarget } from "./check.ts";
export { type ExplainOptions, type Explanation, explain } from "./explain.ts";
export { type Prepared, type PrepareOptions, prepareWith, readsPrepared } from "./prepare.ts";
export { viewOf } from "./reads.ts";
export { findTarget, rulesOf, targets } from "./registry.ts";
export {
  type Change,
  defaultPolicies,
  fixedTexts,
  type Policies,
  policyValues,
  type Repaired,
  type RepairName,
  type RepairOptions,
  repair,
  repairNames,
  repairOf,
} from "./repair.ts";
export type * from "./target.ts";
export type { Placed, Side, Turn, View } from "./turns.ts";
