import { untoldOf } from "../rules/results-told.ts";
import type { Draft } from "./draft.ts";
import { faultsOf, faultyItems } from "./faults.ts";
import { fixedTexts } from "./policies.ts";

/** Results that say nothing where the target asks for something: fixed words of a failure, else an empty text. */
export function tellResults(draft: Draft): void {
  const rule = draft.rules["results-told"];
  const faulty = faultyItems(faultsOf(draft, "results-told"));
  if (!rule || faulty.size === 0) return;
  draft.mapItems(item => {
    const { part, path } = item;
    const lack = faulty.has(item) && part.type === "tool-result" ? untoldOf(part, rule) : undefined;
    if (part.type !== "tool-result" || lack === undefined) return part;
    const text = lack === "words" ? fixedTexts.failed : "";
    draft.changed("tell-results", path, text === "" ? "a result of nothing is an empty text" : "the failure is told");
    return { ...part, output: [{ type: "text", text }] };
  });
}
