import type { ExactText } from "../../model/exact-text.ts";
import type { JsonObject } from "../../model/json.ts";
import { UsageSum } from "./update-usage.ts";

/** `UsageDetails.Add`: both as one, neither is changed; a count that neither has stays absent. `exact` as elsewhere. */
export function addUsageDetails(a: JsonObject, b: JsonObject, exact?: ExactText): JsonObject {
  const sum = new UsageSum();
  sum.add(a, exact);
  sum.add(b, exact);
  return sum.details(exact);
}
