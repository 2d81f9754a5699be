import { parseArgs } from "node:util";
import { type Call, type Command, commonOptions, type Option, type Options } from "./command.ts";
import { wrongUse } from "./failure.ts";
import { nearest } from "./nearest.ts";

export type Parsed = Pick<Call, "values" | "operands">;

type Token = ReturnType<typeof tokensOf>[number];

/** Reads what stands behind a verb by the command's table. Throws `command/wrong-use` naming the nearest option. */
export function parseArguments(command: Command, argv: readonly string[]): Parsed {
  const options: Options = { ...command.options, ...commonOptions };
  const values: { [name: string]: string | boolean | undefined } = {};
  for (const [name, option] of Object.entries(options)) values[name] = option.type === "boolean" ? false : undefined;
  const operands: string[] = [];
  for (const token of tokensOf(options, argv)) {
    if (token.kind === "option") values[token.name] = valueOfToken(token, options, command);
    else if (token.kind === "positional") operands.push(token.value);
  }
  if (values["help"] !== true) checkOperands(command, operands);
  // Each is of its option's type: `valueOfToken` has seen to it.
  return { values: values as Call["values"], operands };
}

/** Not strict: what is wrong is said in our own words. */
const tokensOf = (options: Options, argv: readonly string[]) =>
  parseArgs({
    args: [...argv],
    options: Object.fromEntries(
      Object.entries(options).map(([name, { type, short }]) => [name, short ? { type, short } : { type }]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  }).tokens;

function valueOfToken(
  token: Extract<Token, { kind: "option" }>,
  options: Options,
  command: Command,
): string | boolean | undefined {
  const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
  if (!option) throw unknownOption(token.rawName, options, command);
  if (option.type === "boolean") {
    if (token.value === undefined) return true;
    throw wrongUse(`\`${token.rawName}\` takes no value`);
  }
  const swallowed = token.inlineValue === false && token.value?.startsWith("-") && token.value !== "-";
  if (token.value === undefined || swallowed) {
    throw wrongUse(`\`${token.rawName}\` needs ${article(option.value ?? "VALUE")}`, choicesHint(option));
  }
  checkChoice(token.rawName, token.value, option);
  return token.value;
}

const article = (name: string) => `${/^[AEIOU]/.test(name) ? "an" : "a"} ${name}`;

function unknownOption(rawName: string, options: Options, command: Command): Error {
  const known = Object.keys(options).map(name => `--${name}`);
  const near = rawName.startsWith("--") ? nearest(rawName, known) : undefined;
  const hint = near ? `did you mean \`${near}\`?` : `\`translogue ${command.name} --help\` lists its options`;
  return wrongUse(`\`translogue ${command.name}\` has no option \`${rawName}\``, hint);
}

function checkChoice(rawName: string, value: string, option: Pick<Option, "choices">): void {
  if (!option.choices || option.choices.includes(value)) return;
  const near = nearest(value, option.choices);
  throw wrongUse(
    `\`${rawName}\` does not take \`${value}\``,
    `${near ? `did you mean \`${near}\`? ` : ""}${choicesHint(option) ?? ""}`,
  );
}

const choicesHint = ({ choices }: { readonly choices?: readonly string[] | undefined }): string | undefined =>
  choices && `it is one of ${choices.join(", ")}`;

function checkOperands({ name, operands }: Command, given: readonly string[]): void {
  const [first, second] = given;
  if (!operands && first !== undefined) throw wrongUse(`\`translogue ${name}\` takes no operand, and got \`${first}\``);
  if (!operands) return;
  if (operands.required && first === undefined) {
    throw wrongUse(`\`translogue ${name}\` needs ${article(operands.value)}`, choicesHint(operands));
  }
  if (!operands.many && second !== undefined) {
    throw wrongUse(`\`translogue ${name}\` takes one ${operands.value}, and got \`${second}\` too`);
  }
  if (operands.choices) for (const value of given) checkChoice(operands.value, value, { choices: operands.choices });
}
