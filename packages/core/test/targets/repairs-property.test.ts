import { deepFreeze } from "@translogue/testkit/difference";
import * as fc from "fast-check";
import { type Conversation, type Message, type Part, pairResults } from "translogue";
import { checkTarget, repair, targets } from "translogue/targets";
import { describe, expect, test } from "vitest";
import { brokenConversation } from "./broken.ts";

/** Too much is for the application to leave out. */
const faultsOf = (conversation: Conversation, target: (typeof targets)[number]) =>
  checkTarget(conversation, target).filter(({ code }) => code !== "sizes");

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

/** What a result says of the call that it was made for. */
const saysOf = (part: Part): unknown => (part.type === "tool-result" ? part.output?.[0] : undefined);

const runs = Number(process.env["TRANSLOGUE_RUNS"] ?? 40);

describe.each(rows)("a broken history that is repaired for %s", (_, target, model) => {
  const given = brokenConversation.map(broken => deepFreeze(model === undefined ? broken : { ...broken, model }));

  test("passes the check, and needs no more repair", () => {
    fc.assert(
      fc.property(given, conversation => {
        const { conversation: repaired, changes } = repair(conversation, target);
        expect(faultsOf(repaired, target).map(({ message }) => message)).toEqual([]);
        const again = repair(repaired, target);
        expect(again.changes).toEqual([]);
        expect(again.conversation).toBe(repaired);
        if (faultsOf(conversation, target).length > 0) return;
        expect(changes.filter(change => change.repair !== "close-streams")).toEqual([]);
      }),
      { numRuns: runs },
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
          const says = saysOf(result);
          const input = call.input as { readonly of?: string } | undefined; // of the generated loops
          if (input?.of === undefined || says === undefined || !("text" in (says as object))) continue; // a part
          const { text } = says as { readonly text: string }; // just looked up
          if (/^call_\d+_\d+$/.test(text)) expect(text).toBe(input.of);
        }
      }),
      { numRuns: runs },
    );
  });
});

/** Where several calls have one id, the order alone says whose a result is. */
function haveOwnIds({ messages }: Conversation): boolean {
  const ids = messages.flatMap(({ parts }) => parts.flatMap(part => (part.type === "tool-call" ? part.callId : [])));
  return new Set(ids).size === ids.length;
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
