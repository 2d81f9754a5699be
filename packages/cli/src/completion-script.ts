import { formats } from "translogue";
import { type Command, commonOptions, type Option, type Options } from "./command.ts";

export const shells = ["bash", "zsh", "fish"] as const;

/** A script for a shell, made of the same tables as help. */
export function completionScript(shell: (typeof shells)[number], commands: readonly Command[]): string {
  if (shell === "fish") return fish(commands);
  return shell === "zsh" ? zsh(commands) : bash(commands);
}

const optionsOf = (command: Command): [string, Option][] =>
  Object.entries<Option>({ ...command.options, ...commonOptions } satisfies Options);

/** Every `format` and `format:dialect`. */
const references = (): string[] =>
  formats.flatMap(({ id, dialects }) => [
    id,
    ...(dialects.length > 1 ? dialects.map(dialect => `${id}:${dialect}`) : []),
  ]);

const wordsFor = ({ choices, completes }: Option): readonly string[] =>
  choices ?? (completes === "format" ? references() : []);

const flags = (name: string, { short }: Option): string[] => [`--${name}`, ...(short ? [`-${short}`] : [])];

function bash(commands: readonly Command[]): string {
  const afterOption = commands.flatMap(command =>
    optionsOf(command).flatMap(([name, option]) =>
      option.type === "string" ? [bashValue(command.name, flags(name, option), option)] : [],
    ),
  );
  const operands = commands.map(command => {
    const names = optionsOf(command).flatMap(([name, option]) => flags(name, option));
    const words = command.operands?.choices;
    const rest = words ? `words="${words.join(" ")}"` : command.operands ? "files=1" : ":";
    return `    ${command.name}) if [[ $cur == -* ]]; then words="${names.join(" ")}"; else ${rest}; fi ;;`;
  });
  return `_translogue() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} verb=\${COMP_WORDS[1]} words="" files=""
  # A colon breaks words: "format:dialect" comes as three.
  if [[ $cur == : ]]; then cur="$prev:"; prev=\${COMP_WORDS[COMP_CWORD-2]}
  elif [[ $prev == : ]]; then cur="\${COMP_WORDS[COMP_CWORD-2]}:$cur"; prev=\${COMP_WORDS[COMP_CWORD-3]}; fi
  if [[ $COMP_CWORD == 1 ]]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(" ")} --help --version" -- "$cur"))
    return
  fi
  case "$verb $prev" in
${afterOption.join("\n")}
    *) case "$verb" in
${operands.map(line => `  ${line}`).join("\n")}
      esac ;;
  esac
  if [[ $files ]]; then COMPREPLY=($(compgen -f -- "$cur")); return; fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  if [[ $cur == *:* ]]; then COMPREPLY=("\${COMPREPLY[@]#"\${cur%"\${cur##*:}"}"}"); fi
}
complete -o filenames -o bashdefault -F _translogue translogue
`;
}

function bashValue(verb: string, names: readonly string[], option: Option): string {
  const words = wordsFor(option);
  const act = words.length > 0 ? `words="${words.join(" ")}"` : option.completes ? "files=1" : ":";
  return `    ${names.map(name => `"${verb} ${name}"`).join("|")}) ${act} ;;`;
}

const zshQuoted = (text: string): string => text.replaceAll("'", "'\\''").replaceAll(/[[\]:]/g, "\\$&");

function zsh(commands: readonly Command[]): string {
  const cases = commands.map(command => {
    const options = optionsOf(command).map(([name, option]) => `      ${zshOption(name, option)} \\`);
    return `    ${command.name}) _arguments -s \\\n${options.join("\n")}\n      ${zshOperands(command)} ;;`;
  });
  return `#compdef translogue
_translogue() {
  if (( CURRENT == 2 )); then
    local -a verbs=(
${commands.map(({ name, summary }) => `      '${name}:${zshQuoted(summary)}'`).join("\n")}
    )
    _describe command verbs
    return
  fi
  local verb=$words[2]
  shift words
  (( CURRENT-- ))
  case $verb in
${cases.join("\n")}
  esac
}
compdef _translogue translogue
`;
}

function zshOption(name: string, option: Option): string {
  const words = wordsFor(option).map(word => word.replaceAll(":", "\\:"));
  const list = words.length > 0 ? `(${words.join(" ")})` : option.completes ? "_files" : "";
  const value = option.type === "string" ? `:${option.value ?? "value"}:${list}` : "";
  const about = `[${zshQuoted(option.summary)}]${value}`;
  const [long, short] = flags(name, option);
  return short ? `{${short},${long}}'${about}'` : `'${long}${about}'`;
}

function zshOperands({ operands }: Command): string {
  if (!operands) return "''";
  return `'${operands.many ? "*" : "1"}:${operands.value}:${operands.choices ? `(${operands.choices.join(" ")})` : "_files"}'`;
}

const fishQuoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

function fish(commands: readonly Command[]): string {
  const verbs = commands.map(
    ({ name, summary }) => `complete -c translogue -f -n __fish_use_subcommand -a ${name} -d ${fishQuoted(summary)}`,
  );
  const options = commands.flatMap(command =>
    optionsOf(command).map(([name, option]) => fishOption(command.name, name, option)),
  );
  const operands = commands.map(({ name, operands: given }) => {
    const when = `complete -c translogue -n '__fish_seen_subcommand_from ${name}'`;
    if (given?.choices) return `${when} -f -a ${fishQuoted(given.choices.join(" "))}`;
    return given ? `${when} -F` : `${when} -f`;
  });
  return `${[...verbs, ...operands, ...options].join("\n")}\n`;
}

function fishOption(verb: string, name: string, option: Option): string {
  const words = wordsFor(option);
  const short = option.short ? ` -s ${option.short}` : "";
  const value = words.length > 0 ? ` -x -a ${fishQuoted(words.join(" "))}` : option.completes ? " -r -F" : " -x";
  return `complete -c translogue -n '__fish_seen_subcommand_from ${verb}'${short} -l ${name}${option.type === "string" ? value : ""} -d ${fishQuoted(option.summary)}`;
}
