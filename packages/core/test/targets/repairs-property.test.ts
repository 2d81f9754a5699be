import { deepFreeze } from "@translogue/testkit/difference";
import * as fc from "fast-check";
import {
  type Conversation,
  decode,
  type FormatId,
  formatPath,
  type Message,
  type Part,
  type Path,
  pairResults,
} from "translogue";
import {
  type Change,
  checkTarget,
  prepare,
  type RuleName,
  repair,
  rulesOf,
  type Target,
  targets,
  viewOf,
} from "translogue/targets";
import { describe, expect, test } from "vitest";
import { checks, ruleNames } from "../../src/targets/rules/index.ts";
import { brokenConversation } from "./broken.ts";
import { sealWords } from "./broken-makers.ts";

/** Too much is for the application to leave out. */
const faultsOf = (conversation: Conversation, target: (typeof targets)[number], model = conversation.model) =>
  checkTarget(conversation, target, model === undefined ? {} : { model }).filter(({ code }) => code !== "sizes");

const models = [
  "claude-3-5-sonnet",
  "claude-opus-4-8",
  "gemini-3-pro",
  "o1-mini",
  "gpt-5",
  "amazon.nova-pro-v1:0",
  "deepseek-reasoner",
];
const rows = targets.flatMap(target => {
  const own = models.filter(model => target.models?.some(({ match }) => match.test(model)));
  return [undefined, ...own].map(model => [`${target.id} ${model ?? ""}`, target, model] as const);
});

/** A message as it is once it is in a list and no longer in a tree. */
const unlinked = ({ parent: _, ...message }: Message): string => JSON.stringify(message);

/** Of the generated loops: the call that a call or a result was made as, or for, whatever its id has become. */
function madeFor(part: Part): string | undefined {
  if (part.type === "tool-call") return (part.input as { readonly of?: string } | undefined)?.of; // of the generated loops
  const [first] = part.type === "tool-result" ? (part.output ?? []) : [];
  return first?.type === "text" && /^call_\d+_\d+$/.test(first.text) ? first.text : undefined;
}

/** What the rules say, each asked about all of it. */
function byEveryRule(conversation: Conversation, target: Target): readonly string[] {
  const { model } = conversation;
  const rules = rulesOf(target, model);
  const view = viewOf(conversation, target);
  const found: string[] = [];
  const ask = <Name extends RuleName>(name: Name): void => {
    const report = (path: Path): void => void found.push(`${name} ${formatPath(path)}`);
    const rule = rules[name];
    if (rule) checks[name](view, rule, { asked: { target, model }, report });
  };
  for (const name of ruleNames) ask(name);
  return found;
}

const runs = Number(process.env["TRANSLOGUE_RUNS"] ?? 40);
/** The same every time; others by `TRANSLOGUE_SEED`. */
const share = { seed: Number(process.env["TRANSLOGUE_SEED"] ?? 1), numRuns: runs };
/** What is asked for by hand takes as long as the machine needs. */
const timeout = process.env["TRANSLOGUE_RUNS"] === undefined ? 5000 : 0;

describe.each(rows)("a broken history that is repaired for %s", { timeout }, (_, target, model) => {
  const given = brokenConversation.map(broken => deepFreeze(model === undefined ? broken : { ...broken, model }));

  test("passes the check, and needs no more repair", () => {
    fc.assert(
      fc.property(given, conversation => {
        const { conversation: repaired, changes } = repair(conversation, target);
        expect(faultsOf(repaired, target).map(({ message }) => message)).toEqual([]);
        const again = repair(repaired, target);
        expect(again.changes).toEqual([]);
        expect(again.conversation).toBe(repaired);
        const isClosed = changes.some(change => change.repair === "close-streams");
        // Where a call that was cut off was all, a history without it is as broken as any that is empty.
        const isEmptied = isClosed && repaired.messages.every(({ synthetic }) => synthetic === "bridge");
        if (isEmptied || faultsOf(conversation, target).length > 0) return;
        const isNotice = ({ repair: name, path }: Change): boolean =>
          name === "close-streams" || (isClosed && name === "leave-out" && path.length === 1);
        expect(changes.filter(change => !isNotice(change))).toEqual([]);
      }),
      share,
    );
  });

  test("goes out as a request that passes when it is read again, without what others sealed", () => {
    const asked = model === undefined ? {} : { model };
    const { makers } = rulesOf(target, model)["seals-at-home"] ?? { makers: Object.keys(sealWords) };
    const foreign = Object.entries(sealWords).flatMap(([maker, word]) => (makers.includes(maker) ? [] : [word]));
    const { dialect } = target;
    const read = { from: target.format as FormatId, shape: "request", ...(dialect && { dialect }) } as const; // of a target
    fc.assert(
      fc.property(given, broken => {
        const { value, issues } = prepare(broken, target, asked);
        expect(issues.filter(({ code }) => code !== "sizes")).toEqual([]);
        const { conversation } = decode(value, read);
        const faults = faultsOf(conversation, target, model).filter(({ severity }) => severity === "error");
        expect(faults.map(({ message }) => message)).toEqual([]);
        const sent = JSON.stringify(value);
        for (const word of foreign) expect(sent).not.toContain(word);
      }),
      share,
    );
  });

  test("is found broken by the one look at its parts wherever one of the rules says so", () => {
    fc.assert(
      fc.property(given, conversation => {
        const found = checkTarget(conversation, target).map(({ code, path }) => `${code} ${formatPath(path)}`);
        expect(found).toEqual(byEveryRule(conversation, target));
      }),
      share,
    );
  });

  test("is the same wherever no change is told, its ids are no two alike, and results stay with their calls", () => {
    fc.assert(
      fc.property(given, conversation => {
        const { conversation: repaired, changes } = repair(conversation, target);
        if (changes.length === 0) expect(repaired).toBe(conversation);
        const told = new Set(changes.map(({ path: [, index] }) => index));
        const before = new Map<string, boolean>();
        conversation.messages.forEach((message, index) => {
          before.set(unlinked(message), told.has(index) || before.get(unlinked(message)) === true);
        });
        // What is there and was not is where something was told: of those that were, only these are gone.
        const after = new Set(repaired.messages.map(unlinked));
        const isMade = repaired.messages.filter(message => !before.has(unlinked(message)));
        if (isMade.length > 0) expect(told.size).toBeGreaterThan(0);
        for (const [message, isTold] of before) {
          if (!isTold && isInContext(conversation, message)) expect(after).toContain(message);
        }
        const spelled = new Map<string, string | undefined>();
        for (const { repair: name, was, now } of changes) {
          if (name !== "fit-call-ids" || now === undefined) continue;
          expect(spelled.get(now) ?? was).toBe(was);
          spelled.set(now, was);
        }
        if (!haveOwnIds(conversation)) return;
        for (const [result, call] of pairResults(repaired.messages)) {
          const own = madeFor(call);
          if (own !== undefined) expect(madeFor(result) ?? own).toBe(own);
        }
      }),
      share,
    );
  });
});

/** Where several calls have one id, or results of several, the order alone says whose a result is. */
function haveOwnIds({ messages }: Conversation): boolean {
  const called = new Set<string>();
  const owners = new Map<string, string>();
  for (const part of messages.flatMap(({ parts }) => parts)) {
    if (part.type !== "tool-call" && part.type !== "tool-result") continue;
    const { callId = "" } = part;
    if (part.type === "tool-call" && called.size === called.add(callId).size) return false;
    const owner = madeFor(part);
    if (owner === undefined) continue;
    if ((owners.get(callId) ?? owner) !== owner) return false;
    owners.set(callId, owner);
  }
  return true;
}

/** Messages of other branches, and of what was compacted away, are not sent at all. */
const isInContext = ({ messages, head }: Conversation, message: string): boolean =>
  head === undefined &&
  messages.every(
    ({ parent, audience, role, parts }) =>
      parent === undefined &&
      audience === undefined &&
      role !== "control" &&
      !parts.some(({ type }) => type === "compaction"),
  ) &&
  messages.some(each => unlinked(each) === message);
