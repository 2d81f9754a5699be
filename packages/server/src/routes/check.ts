import { checkTarget, findTarget, type Policies, policyValues, prepare, type Target } from "translogue/targets";
import type { CheckAnswer, RepairAnswer } from "../contract.ts";
import { bareAnswer, codesOf, counted, exactAnswer, formatHeader, textOf } from "../histories/answer.ts";
import { at, atInput, formatNamed, read, readGiven, required } from "../histories/given.ts";
import { Members, refuse } from "../members.ts";
import { type Call, success } from "./call.ts";

/** `POST /api/v1/check` */
export async function checkHistory(call: Call): Promise<Response> {
  const given = await readGiven(call, "target");
  const target = targetIn(given.options);
  const model = modelIn(given.options);
  given.options.refuseOthers(["input", "from"]);
  refuse(given.options.faults);
  const { format: detected, conversation, issues } = read(given);
  const found = checkTarget(conversation, target, model);
  return success({ issues: [...issues, ...found], detected } satisfies CheckAnswer);
}

/** `POST /api/v1/repair`: what the target takes, in its own format. */
export async function repairHistory(call: Call): Promise<Response> {
  const given = await readGiven(call, "target");
  const { options, isBare } = given;
  const target = targetIn(options);
  const model = modelIn(options);
  const policies = policiesIn(options, isBare);
  options.refuseOthers(["input", "from"]);
  refuse(options.faults);
  const { format: detected, conversation, ...from } = read(given);
  const strict = from.strictTools === undefined ? {} : { strictTools: from.strictTools };
  // A bare list stays one where the target reads such lists.
  const shape = from.shape === "messages" && detected.format === target.format ? "messages" : "request";
  const { value, changes, issues, exact, ...prepared } = atInput(isBare, () =>
    prepare(conversation, target, { shape, ...model, ...policies, ...strict }),
  );
  const losses = [...from.losses, ...prepared.losses];
  if (!isBare) {
    const answer: RepairAnswer = {
      output: value,
      done: changes,
      losses,
      issues: [...from.issues, ...issues],
      detected,
    };
    return exactAnswer(answer, exact);
  }
  const { codec } = formatNamed(target.format, "to");
  const dialect = target.dialect ?? codec.dialects[0];
  const written = textOf({ codec, value, shape, dialect, ...(exact && { exact }) });
  return bareAnswer(written.text, {
    "x-detected": formatHeader(detected),
    "x-repairs": counted(changes.map(({ repair }) => repair)),
    "x-losses": codesOf([...losses, ...written.losses]),
    "x-issues": codesOf([...from.issues, ...issues]),
  });
}

function targetIn(options: Members): Target {
  const id = required(options, "target", "name an endpoint: `anthropic-messages`, `openai-responses`, …");
  return at(["target"], () => findTarget(id));
}

const modelIn = (options: Members): { readonly model?: string } => options.member("model", options.string("model"));

/** In an address they stand beside the other options. */
function policiesIn(options: Members, isBare: boolean): Partial<Policies> {
  const members = isBare ? options : new Members(options.object("policies") ?? {}, ["policies"]);
  const names = Object.keys(policyValues) as (keyof Policies)[]; // its own
  const policies = Object.fromEntries(names.map(name => [name, members.oneOf(name, policyValues[name])]));
  if (!isBare) {
    members.refuseOthers();
    options.take(members);
  }
  return Object.fromEntries(Object.entries(policies).filter(([, value]) => value !== undefined));
}
