import type { Message, Usage } from "../model/conversation.ts";
import { demandMessages } from "../model/given.ts";
import { equalJson } from "../model/json.ts";
import { callback, demandOptions, text } from "../model/options.ts";
import type { Part } from "../model/parts.ts";

export interface MergeRunsOptions {
  /** Stands between two texts that meet, which then are one part. Absent = they stay two parts, which loses nothing. */
  readonly separator?: string;
  /** Whether two neighbours may be one; asked after role, author and audience were found equal. */
  readonly when?: (first: Message, second: Message) => boolean;
}

/**
 * Neighbours of one role, author and audience as one message; messages of tools and of no turn stay apart. What a message has
 * once (id, times, answer's id, native members) is the first's, its end the last's; usage is added up.
 */
export function mergeRuns(messages: readonly Message[], options: MergeRunsOptions = {}): readonly Message[] {
  demandMessages(messages);
  demandOptions(options, { separator: text, when: callback }, "history/bad-option");
  const runs: Message[][] = [];
  for (const message of messages) {
    const run = runs.at(-1);
    const before = run?.at(-1);
    if (run && before && isRun(before, message) && (options.when?.(before, message) ?? true)) run.push(message);
    else runs.push([message]);
  }
  return runs.length === messages.length ? messages : runs.flatMap(run => merged(run, options.separator));
}

const isRun = (first: Message, second: Message): boolean =>
  first.role === second.role &&
  first.role !== "tool" &&
  first.role !== "control" &&
  first.audience === second.audience &&
  first.synthetic === second.synthetic &&
  equalJson(first.author, second.author);

function merged(run: readonly Message[], separator: string | undefined): readonly Message[] {
  const [first] = run;
  const last = run.at(-1);
  if (!first || !last || run.length === 1) return run;
  const usage = usageOf(run);
  return [
    {
      ...first,
      parts: separator === undefined ? run.flatMap(({ parts }) => parts) : joined(run, separator),
      ...(last.finish && { finish: last.finish }),
      ...(usage && { usage }),
    },
  ];
}

/** Texts that meet are collected and joined once. */
function joined(run: readonly Message[], separator: string): readonly Part[] {
  const parts: Part[] = [];
  let words: string[] = [];
  const end = (): void => {
    if (words.length > 0) parts.push({ type: "text", text: words.join("") });
    words = [];
  };
  for (const message of run) {
    message.parts.forEach((part, place) => {
      const plain = plainText(part);
      if (plain === undefined || (place > 0 && words.length > 0)) end();
      if (plain === undefined) parts.push(part);
      else if (words.length > 0 && plain !== "" && words.at(-1) !== "") words.push(separator, plain);
      else words.push(plain);
    });
  }
  end();
  return parts;
}

/** The words of a part that is nothing but words: citations, seals and spellings are of one part. */
function plainText(part: Part): string | undefined {
  if (part.type !== "text") return undefined;
  return Object.keys(part).length === 2 ? part.text : undefined;
}

/** Once for each answer. */
function usageOf(run: readonly Message[]): Usage | undefined {
  const counted = run.filter(
    ({ usage, responseId }, index) =>
      usage &&
      (responseId === undefined || !run.slice(index + 1).some(later => later.usage && later.responseId === responseId)),
  );
  if (counted.length <= 1) return counted[0]?.usage;
  const sum: { [bucket in "input" | "cacheRead" | "cacheWrite" | "output" | "reasoning" | "other"]?: number } = {};
  for (const { usage } of counted)
    for (const bucket of ["input", "cacheRead", "cacheWrite", "output", "reasoning", "other"] as const) {
      const tokens = usage?.[bucket];
      if (tokens !== undefined) sum[bucket] = (sum[bucket] ?? 0) + tokens;
    }
  return sum;
}
