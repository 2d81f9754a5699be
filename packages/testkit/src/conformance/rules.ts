import type { FixtureFile, Rule } from "./case.ts";
import { aisdkRules } from "./rules/aisdk.ts";
import { aisdkModelRules } from "./rules/aisdk-model.ts";
import { anthropicRules } from "./rules/anthropic.ts";
import { historyRules } from "./rules/history.ts";
import { langchainRules } from "./rules/langchain.ts";
import { mafRules } from "./rules/maf.ts";
import { mafAgentRules } from "./rules/maf-agents.ts";
import { mafLoopRules } from "./rules/maf-loop.ts";
import { mafSessionRules } from "./rules/maf-session.ts";
import { ollamaRules } from "./rules/ollama.ts";
import { responsesRules } from "./rules/responses.ts";

const casesOf = (file: FixtureFile): number => {
  if (file.path.endsWith(".jsonl"))
    return file
      .read()
      .split("\n")
      .filter(line => line.trim() !== "").length;
  if (!file.path.endsWith(".json")) return 1;
  const value: unknown = JSON.parse(file.read());
  if (typeof value !== "object" || value === null) return 1;
  if ("cases" in value && Array.isArray(value.cases)) return value.cases.length;
  return Array.isArray(value) ? value.length : 1;
};

const kinds =
  (folder: string, ...names: string[]) =>
  (file: FixtureFile): boolean =>
    file.folder === folder && file.kind !== undefined && names.includes(file.kind);

const named =
  (folder: string, pattern: RegExp) =>
  (file: FixtureFile): boolean =>
    file.folder === folder && file.kind === undefined && pattern.test(file.path.slice(folder.length + 1));

/** Rules for cases: a runner names them. Each runner's own stand beside it, in `rules/`. */
export const caseRules = {
  ...aisdkRules,
  ...aisdkModelRules,
  ...anthropicRules,
  ...historyRules,
  ...langchainRules,
  ...mafAgentRules,
  ...mafLoopRules,
  ...mafSessionRules,
  ...mafRules,
  ...ollamaRules,
  ...responsesRules,
  "not refused for its messages":
    "the provider refused the model, a setting or the caller, which are no part of a history",
  "no target": "the format's own API is no target yet, so there is nothing to check",
  "not the same answer":
    "the whole and the streamed file of a pair are compared only where their ids are equal, and their counts of output",
  "refused by the SDK":
    "the SDK itself refuses the case's messages, so there is nothing to agree with; they still must survive the round trip",
  "continues a message":
    "the stream goes on with a message that the case does not give, or that no stream of its generation makes",
  "unsafe names": "the SDK's readers refuse members named `__proto__`, so our stream leaves them out, with a loss",
  "recording not found": "the case names a recording that is in none of the folders",
} as const satisfies Record<string, string>;

/** Rules for whole files. Each goes when the part that it names brings a runner. */
export const fileRules: readonly Rule[] = [
  rule("langchain agents", "middleware and typed answers are for reference", kinds("langchain", "agent", "structured")),
  rule(
    "langchain without input",
    "printed without the conversations that were put in",
    named("langchain", /^py_(utilities|provider_payloads)\.json$/),
  ),
  rule(
    "traces",
    "what a server of OpenAI's APIs must look like: no conversation to convert",
    file => file.folder === "traces",
    true,
  ),
  rule("samples", "files of formats that come later", file => file.folder === "samples", true),
];

function rule(name: string, reason: string, matches: (file: FixtureFile) => boolean, perFile = false): Rule {
  return { name, reason, matches, count: perFile ? () => 1 : casesOf };
}
