import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assistant, compactionPart, conversation, message, system, text, user } from "../../src/model/build.ts";
import { context, contextIndexes, pathToHead } from "../../src/model/context.ts";
import type { Conversation, Message } from "../../src/model/conversation.ts";
import type { PartOf } from "../../src/model/parts.ts";

/** `id<parent role` for each message, as `b<a assistant`: role user, no parent where they are left out. */
const listed = (head: string | undefined, ...lines: readonly string[]): Conversation => ({
  messages: lines.map(line => {
    const [, id = "", parent, role = "user"] = /^(\S+?)(?:<(\S+))?(?: (\S+))?$/.exec(line) ?? [];
    return { id, ...(parent && { parent: parent === "-" ? null : parent }), role, parts: [text(id)] };
  }),
  ...(head !== undefined && { head }),
});
const compacting = (from: Conversation, id: string, more: Partial<PartOf<"compaction">> = {}): Conversation => ({
  ...from,
  messages: from.messages.map(each => (each.id === id ? { ...each, parts: [compactionPart("so far", more)] } : each)),
});
const idsOf = ({ messages }: Conversation): string => messages.map(({ id }) => id).join(" ");

describe("The context of a conversation (R26)", () => {
  const plain = listed(undefined, "s system", "a", "b assistant", "c");
  const tree = listed("e", "s<- system", "a<s", "b<a assistant", "c<a assistant", "d<b", "e<c");

  it.each([
    ["a plain list is its own", plain, "s a b c"],
    ["a tree: the path to its head", tree, "s a c e"],
    ["a tree without a head: the path to its last message", { messages: tree.messages.slice(0, 5) }, "s a b d"],
    ["an unknown head counts as none", { ...tree, head: "x" }, "s a c e"],
    ["an unknown parent is the beginning", listed("c", "a<-", "b<x", "c<b"), "b c"],
    ["a cycle ends where it began", listed("c", "a<c", "b<a", "c<b"), "a b c"],
    ["messages of a tree may stand in any order", listed("c", "c<b", "b<a", "a<-"), "a b c"],
    ["a list that names its head ends there", { ...plain, head: "b" }, "s a b"],
    [
      "messages for the user only, and control messages, are left out",
      {
        messages: [
          ...listed(undefined, "a", "x control", "b").messages,
          { id: "y", role: "user", parts: [], audience: "user" },
          { id: "z", role: "user", parts: [], audience: "model" },
        ] satisfies Message[],
      },
      "a b z",
    ],
    [
      "compaction: what came before goes, but leading instructions stay",
      compacting(listed(undefined, "x control", "s system", "d developer", "a", "t system", "m", "z"), "m"),
      "s d m z",
    ],
    ["compaction: only the last one counts", compacting(compacting(plain, "a"), "b"), "s b c"],
    [
      "compaction: kept messages stand after the summary, in the order it says",
      compacting(listed(undefined, "a", "b", "c", "m", "z"), "m", { keep: ["c", "a", "?"] }),
      "m c a z",
    ],
    [
      "compaction: no message comes twice",
      compacting(listed(undefined, "s system", "a", "m", "z"), "m", { keep: ["s", "a", "a", "z"] }),
      "s m a z",
    ],
    [
      "compaction that replaces another history: its own ancestors stay",
      compacting(listed("z", "o<-", "p<o", "r<- system", "q<r", "m<q", "z<m"), "m", { replaces: "p", keep: ["o"] }),
      "r q m o z",
    ],
    [
      "compaction of a history that is not here: what stands before it stays",
      compacting(listed(undefined, "s system", "a", "m", "z"), "m", { replaces: null }),
      "s a m z",
    ],
    [
      "compaction in a control message works, and is left out itself",
      compacting(listed(undefined, "a", "m control", "z"), "m"),
      "z",
    ],
    ["compaction on another branch does not count", compacting(tree, "b"), "s a c e"],
    ["nothing", conversation(), ""],
  ])("%s", (_, before, ids) => {
    const after = context(before);
    expect(idsOf(after)).toBe(ids);
    expect(
      contextIndexes(before)
        .map(index => before.messages[index]?.id)
        .join(" "),
    ).toBe(ids);
    expect(after.head).toBe(undefined);
    expect(after.messages.every(({ parent }) => parent === undefined)).toBe(true);
    expect(context(after)).toBe(after);
  });

  it("is the same object where all of it is read", () => {
    const all = conversation(system("s"), user("a"), assistant("b"));
    expect(context(all)).toBe(all);
  });

  it("keeps the messages of a list the same objects, and everything else of the conversation", () => {
    const { messages } = plain;
    const before = { ...compacting(plain, "b"), title: "T", metadata: { a: 1 } };
    const after = context(before);
    expect(after).toMatchObject({ title: "T", metadata: { a: 1 } });
    expect(after.messages[0]).toBe(messages[0]);
  });

  it("has a path for every head of a long tree, in time of its length", () => {
    const messages: Message[] = Array.from({ length: 50_000 }, (_, index) =>
      message("user", [], { id: `${index}`, parent: index === 0 ? null : `${index - 1}` }),
    );
    expect(pathToHead({ messages, head: "49998" })).toHaveLength(49_999);
  });

  it("is the context of itself where its compaction is read, whatever else compacts, keeps and branches", () => {
    const ids = ["0", "1", "2", "3", "4", "5"];
    const member = fc.record(
      {
        role: fc.constantFrom("system", "user", "assistant", "control"),
        parent: fc.constantFrom(null, ...ids),
        audience: fc.constantFrom("user" as const, "model" as const),
        keep: fc.array(fc.constantFrom(...ids), { maxLength: 3 }),
        replaces: fc.constantFrom(null, ...ids),
      },
      { requiredKeys: ["role"] },
    );
    fc.assert(
      fc.property(fc.array(member, { maxLength: 6 }), fc.boolean(), (members, isTree) => {
        const messages = members.map(
          ({ role, parent, audience, keep, replaces }, index): Message => ({
            id: `${index}`,
            role,
            ...(isTree && parent !== undefined && { parent }),
            ...(audience && { audience }),
            parts:
              keep && role !== "control" && audience !== "user"
                ? [
                    compactionPart("so far", {
                      keep: keep.filter(id => Number(id) < index),
                      ...(replaces !== undefined && { replaces }),
                    }),
                  ]
                : [text("x")],
          }),
        );
        const once = context({ messages });
        expect(new Set(once.messages).size).toBe(once.messages.length);
        expect(context(once)).toBe(once);
      }),
      { numRuns: 1000 },
    );
  });
});
