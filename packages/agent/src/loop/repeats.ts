import { isJsonObject, type Json, type ToolCallPart, type ToolResultPart } from "translogue";
import { fnv1a } from "../fnv.ts";
import { wordsResult } from "./results.ts";

/** How often in a row a call, by its tool and arguments, gave the same result; by a fingerprint of both. */
export type Repeats = Readonly<Record<string, { readonly result: string; readonly count: number }>>;

export interface RepeatPolicy {
  /** How often the same call may give the same result. */
  readonly max: number;
  /** The model is told that it repeats itself, or the run ends. */
  readonly action: "answer" | "stop";
}

export const isRepeated = (repeats: Repeats = {}, call: ToolCallPart, policy: RepeatPolicy | undefined): boolean =>
  policy !== undefined && (repeats[keyOf(call)]?.count ?? 0) >= policy.max;

export function noted(repeats: Repeats = {}, call: ToolCallPart, given: ToolResultPart): Repeats {
  const key = keyOf(call);
  const result = fingerprint([given.outcome ?? "", (given.output ?? []) as unknown as Json]); // parts are JSON
  const before = repeats[key];
  return { ...repeats, [key]: { result, count: before?.result === result ? before.count + 1 : 1 } };
}

export const repeated = (call: ToolCallPart, { max }: RepeatPolicy): ToolResultPart =>
  wordsResult(
    call,
    "error",
    `Error: "${call.name}" was called ${max} times with these arguments and gave the same result each time; it was not run again. Answer with what is known, or try something else.`,
  );

const keyOf = ({ name, input, inputText }: ToolCallPart): string =>
  `${name} ${fingerprint(input ?? inputText ?? null)}`;

/** Of the value, whatever the order of its members: twice, from different starts. */
function fingerprint(value: Json): string {
  const text = canonical(value);
  return [0x811c9dc5, 0x01000193].map(start => fnv1a(text, start).toString(36)).join("") + text.length.toString(36);
}

const canonical = (value: Json): string =>
  JSON.stringify(value, (_, member: Json) =>
    isJsonObject(member) ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))) : member,
  );
