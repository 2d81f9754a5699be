import { type Conversation, check, formatPath } from "translogue";
import { checkTarget, explain, type RuleName, rulesOf, type Target, targets } from "translogue/targets";
import { describe, expect, it } from "vitest";
import { type Sample, samples } from "./samples.ts";

/** A model of each family that a target tells apart, and one of none. */
const models: { readonly [target: string]: readonly string[] } = {
  "openai-chat": ["gpt-5-mini", "o1-mini", "gpt-audio"],
  "azure-openai-chat": ["gpt-5-mini", "o1-mini"],
  "anthropic-messages": ["claude-sonnet-4-0", "claude-opus-4-8"],
  gemini: ["gemini-2.5-flash", "gemini-3-pro"],
  vertex: ["gemini-2.5-flash", "gemini-3-pro"],
  "bedrock-converse": ["meta.llama", "anthropic.claude-sonnet-4-5", "anthropic.claude-opus-4-6-v1", "amazon.nova-pro"],
  "deepseek-chat": ["deepseek-chat", "deepseek-reasoner"],
  openrouter: ["google/gemini-3-pro", "deepseek/deepseek-v4", "anthropic/claude-opus-4.6", "openai/gpt-5"],
};

/** Rules that no check can see without a network, and tables that are only there for error texts. */
const unseen: ReadonlySet<string> = new Set(["vertex/media-reachable"]);

const sampleOf = (target: Target, model: string | undefined, rule: RuleName): Sample | undefined => {
  const found = samples[rule];
  if (!found || "valid" in found) return found as Sample | undefined; // one for all
  const rows = found as { readonly [key: string]: Sample }; // by target
  return rows[`${target.id}/${model}`] ?? rows[target.id] ?? rows["default"];
};

/** A row a rule a target: what is taken, and what is refused. */
const rows = targets.flatMap(target =>
  [undefined, ...(models[target.id] ?? [])].flatMap(model =>
    (Object.keys(rulesOf(target, model)) as RuleName[]) // keys of a rule table
      .filter(rule => !unseen.has(`${target.id}/${rule}`))
      .map(rule => ({ target, model, rule, name: `${target.id}${model ? ` for ${model}` : ""}: ${rule}` })),
  ),
);

const asked = (model: string | undefined) => (model === undefined ? {} : { model });

/** A row with what the provider says where its rule is broken; none where no words of its are known. */
function inWords(row: (typeof rows)[number]) {
  const { target, model, rule } = row;
  const broken = sampleOf(target, model, rule)?.broken;
  const issues = broken ? checkTarget(broken, target, asked(model)) : [];
  const words = issues.find(({ code }) => code === rule)?.providerText;
  return broken && words !== undefined ? [{ ...row, broken, issues, words }] : [];
}

describe("what a target takes", () => {
  for (const { target, model, rule, name } of rows)
    it(`${name}`, () => {
      const sample = sampleOf(target, model, rule);
      if (!sample) throw new Error(`there is no sample of ${rule} for ${target.id}`);
      const codes = (conversation: Conversation) =>
        checkTarget(conversation, target, asked(model)).map(({ code }) => code);
      expect(codes(sample.valid)).not.toContain(rule);
      const issue = checkTarget(sample.broken, target, asked(model)).find(({ code }) => code === rule);
      expect(issue).toMatchObject({ path: sample.path, severity: rulesOf(target, model)[rule]?.severity ?? "error" });
      expect(issue?.message).toContain(formatPath(sample.path));
      expect(issue?.source).toMatch(/, \d{4}-\d\d-\d\d$/);
      expect(issue?.providerText ?? "").not.toMatch(/\{[a-z]+\}/i);
    });

  for (const { target, model, name, broken, issues, words } of rows.flatMap(inWords))
    it(`${name} is explained by the provider's own words`, () => {
      const body = JSON.stringify({ error: { message: `Error: ${words}` } });
      const explained = explain(body, { target, conversation: broken, ...asked(model) });
      // The same words may be said of several rules; one of those that are broken is told.
      const said = issues.filter(({ providerText }) => providerText === words);
      expect(said.map(({ code, path }) => `${code} ${formatPath(path)}`)).toContain(
        `${explained?.rule} ${formatPath(explained?.path ?? [])}`,
      );
      expect(explain(body, { target })?.target).toBe(target.id);
    });

  it("has samples that are conversations", () => {
    for (const sample of Object.values(samples)) {
      for (const { valid, broken } of "valid" in sample
        ? [sample as Sample]
        : Object.values(sample as Record<string, Sample>)) {
        for (const conversation of [valid, broken]) {
          expect(check(conversation).filter(({ severity }) => severity === "error")).toEqual([]);
        }
      }
    }
  });
});
