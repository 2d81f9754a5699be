import { TranslogueError } from "./error.ts";
import { kindOf } from "./given.ts";

/** What an option's value must be, and how that is said; undefined where whoever uses it looks. */
export type OptionRule = readonly [is: (value: unknown) => boolean, expected: string] | undefined;
export type OptionRules<Options> = { readonly [Name in keyof Options]-?: OptionRule };

/** Throws where an option is not of its kind, or there is none of its name: nothing would come of it, without a word. */
export function demandOptions<Options>(
  given: Options,
  rules: OptionRules<Options>,
  code: "options/invalid" | "history/bad-option" = "options/invalid",
): void {
  const options: unknown = given; // whatever it is
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new TranslogueError(code, `the options are ${kindOf(options)}: give an object`);
  }
  for (const [option, value] of Object.entries(options)) {
    const names = Object.keys(rules);
    if (!names.includes(option)) {
      const message = `there is no option \`${option}\`: there are \`${names.join("`, `")}\``;
      throw new TranslogueError(code, message, { data: { option } });
    }
    const rule = rules[option as keyof Options]; // it is one of the names
    if (value === undefined || rule === undefined || rule[0](value)) continue;
    const message = `Option ${option} must be ${rule[1]}.`;
    throw new TranslogueError(code, message, { data: { option } });
  }
}

export const oneOf = <Word extends string>(...words: readonly Word[]): OptionRule => [
  value => words.some(word => word === value),
  `one of \`${words.join("`, `")}\``,
];
export const count: OptionRule = [value => typeof value === "number" && value >= 0, "a number, at least 0"];
export const text: OptionRule = [value => typeof value === "string", "a text"];
export const flag: OptionRule = [value => typeof value === "boolean", "true or false"];
export const callback: OptionRule = [value => typeof value === "function", "a function"];
export const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every(item => typeof item === "string");
export const texts: OptionRule = [isTexts, "a list of texts"];
