import { type OptionRules, oneOf, text } from "../../model/options.ts";

/** What is to become of things where there is a choice. */
export interface Policies {
  /**
   * A call without a result where the target wants it. `move`: a result that stands elsewhere is brought there, else the call gets a
   * result that says it was interrupted. `error`: it gets such a result in any case. `drop`: the call goes, with its result.
   */
  readonly calls: "move" | "error" | "drop";
  /** A result before its call: brought behind it, or dropped. One without any call is dropped. */
  readonly results: "move" | "drop";
  /** Reasoning that the target does not take. `text` shows it to the model as text, which models then imitate. */
  readonly reasoning: "drop" | "text";
  /** Images and files of results that the target does not take there: shown by the user behind all results, or named by a fixed text. */
  readonly media: "move" | "placeholder";
  /** System text where there is no place for it: said by the user in its place, or dropped. */
  readonly system: "user" | "drop";
  /** Neighbours of one side where sides must alternate: joined, or a made message of the other side between them. */
  readonly turns: "join" | "bridge";
}

/** What each policy may be, the default first: for whoever reads them from text. */
export const policyValues: { readonly [Name in keyof Policies]: readonly [Policies[Name], ...Policies[Name][]] } = {
  calls: ["move", "error", "drop"],
  results: ["move", "drop"],
  reasoning: ["drop", "text"],
  media: ["move", "placeholder"],
  system: ["user", "drop"],
  turns: ["join", "bridge"],
};

/** What `repair` may be told. */
export const repairRules: OptionRules<Partial<Policies> & { readonly model?: string }> = {
  model: text,
  calls: oneOf(...policyValues.calls),
  results: oneOf(...policyValues.results),
  reasoning: oneOf(...policyValues.reasoning),
  media: oneOf(...policyValues.media),
  system: oneOf(...policyValues.system),
  turns: oneOf(...policyValues.turns),
};

export const defaultPolicies: Policies = {
  calls: "move",
  results: "move",
  reasoning: "drop",
  media: "move",
  system: "user",
  turns: "join",
};

/** What is said for others. They never vary, so that a prompt stays the same from one request to the next. */
export const fixedTexts = {
  interrupted: "Tool call was interrupted: it has no result.",
  opening: "(Earlier messages are left out.)",
  continue: "Continue.",
  understood: "Understood.",
  document: "(document)",
  failed: "The tool failed and said nothing.",
} as const;
