import { readFileSync } from "node:fs";
import { deepFreeze } from "@translogue/testkit/difference";
import {
  assistant,
  type Conversation,
  conversation,
  fileData,
  reasoning,
  text,
  toolCall,
  toolMessage,
  toolResult,
  user,
} from "translogue";
import {
  checkTarget,
  type Policies,
  prepare,
  type RepairOptions,
  repair,
  repairNames,
  repairOf,
} from "translogue/targets";
import { describe, expect, test } from "vitest";

const page = readFileSync(new URL("../../../../docs/repairs.md", import.meta.url), "utf8");

/** The examples of the page: name, target, model, before, after. */
const examples = page
  .split(/^## /m)
  .slice(1)
  .map(section => {
    const [before = "", after = ""] = [...section.matchAll(/```json\n(.*?)```/gs)].map(([, json = ""]) => json);
    const [, target = "", model] = /For `([^`]+)`(?:, model `([^`]+)`)?:/.exec(section) ?? [];
    const read = (json: string): Conversation => deepFreeze(JSON.parse(json) as Conversation); // the page's examples are conversations
    return { name: section.split("\n")[0] ?? "", target, model, before: read(before), after: read(after) };
  });

test("every repair has its example, in the order in which they run", () => {
  expect(examples.map(({ name }) => name)).toEqual([...repairNames]);
});

test.each(examples)(
  "$name does for $target what its page says, and nothing else",
  ({ name, target, model, before, after }) => {
    const options = model === undefined ? {} : { model };
    const { conversation: repaired, changes } = repair(before, target, options);
    expect(repaired).toEqual(after);
    expect([...new Set(changes.map(change => change.repair))]).toEqual([name]);
    expect(checkTarget(repaired, target, options)).toEqual([]);
    expect(repair(repaired, target, options)).toEqual({ conversation: repaired, changes: [] });
    for (const message of repaired.messages) {
      const same = before.messages.find(each => JSON.stringify(each) === JSON.stringify(message));
      if (same) expect(message).toBe(same);
    }
    const told = checkTarget(before, target, options).map(({ code }) => repairOf[code as keyof typeof repairOf]); // codes are names of rules
    // What a place does not take is one rule, whatever is done about it; a cut call is found as one without a result.
    const named = { "move-media": "replace-media", "close-streams": "answer-calls" }[name] ?? name;
    expect(told).toContain(named);
  },
);

const ask = user("ask");
const call = (callId: string) => toolCall({ callId, name: "search", input: {} });
const found = (callId: string) => toolMessage(toolResult(callId, callId));

describe("policies", () => {
  const rolesAndTexts = ({ messages }: Conversation) =>
    messages.map(({ role, parts }) => [
      role,
      ...parts.map(part => ("text" in part ? part.text : "callId" in part ? part.callId : part.type)),
    ]);
  const late = conversation(ask, assistant(call("c")), user("b"), found("c"), user("d"));
  const early = conversation(found("c"), ask, assistant(call("c")));
  const thought = conversation(
    ask,
    assistant([reasoning("hm", { seal: { maker: "openai", values: { id: "rs_1" } } }), "so"]),
    user("b"),
  );
  const seen = conversation(
    ask,
    assistant(call("c")),
    toolMessage(toolResult("c", [fileData("AAAA", "image/png"), "done"])),
  );
  const twice = conversation(user("a"), user("b"));
  const ruled = conversation(user("a"), assistant("b"), { role: "system", parts: [text("rule")] }, user("c"));

  test.each<[policy: Partial<Policies>, target: string, given: Conversation, expected: unknown[][]]>([
    [
      {},
      "openai-chat",
      late,
      [
        ["user", "ask"],
        ["assistant", "c"],
        ["tool", "c"],
        ["user", "b"],
        ["user", "d"],
      ],
    ],
    [
      { calls: "drop" },
      "openai-chat",
      late,
      [
        ["user", "ask"],
        ["user", "b"],
        ["user", "d"],
      ],
    ],
    [
      { calls: "error" },
      "openai-chat",
      late,
      [
        ["user", "ask"],
        ["assistant", "c"],
        ["tool", "c"],
        ["user", "b"],
        ["user", "d"],
      ],
    ],
    [
      {},
      "openai-chat",
      early,
      [
        ["user", "ask"],
        ["assistant", "c"],
        ["tool", "c"],
      ],
    ],
    [
      { reasoning: "text" },
      "anthropic-messages",
      thought,
      [
        ["user", "ask"],
        ["assistant", "hm", "so"],
        ["user", "b"],
      ],
    ],
    [
      {},
      "openai-chat",
      seen,
      [
        ["user", "ask"],
        ["assistant", "c"],
        ["tool", "c"],
        ["user", "From the result of tool `search`:", "file"],
      ],
    ],
    [
      { media: "placeholder" },
      "openai-chat",
      seen,
      [
        ["user", "ask"],
        ["assistant", "c"],
        ["tool", "c"],
      ],
    ],
    [{ turns: "join" }, "bedrock-converse", twice, [["user", "a", "b"]]],
    [
      { turns: "bridge" },
      "bedrock-converse",
      twice,
      [
        ["user", "a"],
        ["assistant", "Understood."],
        ["user", "b"],
      ],
    ],
    [
      { system: "drop" },
      "anthropic-messages",
      ruled,
      [
        ["user", "a"],
        ["assistant", "b"],
        ["user", "c"],
      ],
    ],
  ])("%j for %s", (policies, target, given, expected) => {
    const { conversation: repaired } = repair(deepFreeze(given), target, policies);
    expect(rolesAndTexts(repaired)).toEqual(expected);
    expect(checkTarget(repaired, target)).toEqual([]);
  });

  test("that move a result move its message, the same object", () => {
    const { conversation: repaired } = repair(late, "openai-chat");
    expect(repaired.messages[2]).toBe(late.messages[3]);
    expect(repair(late, "openai-chat", { calls: "error" }).conversation.messages[2]?.parts[0]).toMatchObject({
      outcome: "error",
    });
  });
});

describe("ids", () => {
  const odd = ["a:b", "a.b", "a_b", "a b", "x".repeat(70), "x".repeat(71), "é"];
  const history = conversation(ask, ...odd.flatMap(id => [assistant(call(id)), found(id)]));

  test.each(["anthropic-messages", "mistral", "bedrock-converse", "openai-chat"])(
    "for %s: no two alike, each in call and result, valid ones as they are",
    target => {
      const { conversation: repaired } = repair(history, target);
      const ids = repaired.messages.flatMap(({ parts }) =>
        parts.flatMap(part => (part.type === "tool-call" ? part.callId : [])),
      );
      const answers = repaired.messages.flatMap(({ parts }) =>
        parts.flatMap(part => (part.type === "tool-result" ? [[part.callId, part.output?.[0]]] : [])),
      );
      expect(new Set(ids).size).toBe(odd.length);
      expect(answers).toEqual(ids.map((id, index) => [id, text(odd[index] ?? "")]));
      if (target !== "mistral") expect(ids[2]).toBe("a_b");
    },
  );

  test("do not change when the history goes on", () => {
    const longer = { messages: [...history.messages, assistant(call("new:1")), found("new:1")] };
    const { messages } = repair(history, "mistral").conversation;
    expect(repair(longer, "mistral").conversation.messages.slice(0, messages.length)).toEqual(messages);
  });

  test("that one step has twice are told apart, each with its own result", () => {
    const given = conversation(
      ask,
      assistant([call("c"), call("c")]),
      toolMessage(toolResult("c", "1"), toolResult("c", "2")),
    );
    const { conversation: repaired } = repair({ ...given, tools: [{ name: "search" }] }, "anthropic-messages");
    const [, calls, results] = repaired.messages;
    const idsOf = (parts: Conversation["messages"][number]["parts"] = []) =>
      parts.map(part => ("callId" in part ? part.callId : ""));
    expect(idsOf(calls?.parts)).toEqual(idsOf(results?.parts));
    expect(new Set(idsOf(calls?.parts)).size).toBe(2);
    expect(idsOf(calls?.parts)[0]).toBe("c");
  });
});

describe("prepare", () => {
  const options: readonly RepairOptions[] = [{ model: "gpt-5" }, { model: "claude-opus-4-8" }];
  const signed = assistant([
    reasoning("hm", { seal: { maker: "anthropic", values: { signature: "S" } } }),
    "so",
    call("toolu_1"),
  ]);
  const history = deepFreeze(conversation(ask, signed, found("toolu_1"), assistant("done"), user("and?")));

  test("writes what the target takes, and brings the seals of the first provider back whole when it is asked again", () => {
    const first = JSON.stringify(prepare(history, "anthropic-messages", options[1]).value);
    const { value, changes, issues } = prepare(history, "openai-chat", options[0]);
    expect(JSON.stringify(value)).not.toMatch(/"S"|hm/);
    expect(changes.map(change => [change.repair, change.path])).toEqual([["drop-seals", ["messages", 1, "parts", 0]]]);
    expect(issues).toEqual([]);
    expect(JSON.stringify(prepare(history, "anthropic-messages", options[1]).value)).toBe(first);
    expect(first).toContain('"signature":"S"');
  });

  test("tells what no repair mends", () => {
    const tools = Array.from({ length: 200 }, (_, index) => ({ name: `t${index}` }));
    expect(prepare({ ...history, tools }, "openai-chat", options[0]).issues).toMatchObject([{ code: "sizes" }]);
  });

  test("refuses a target that there is not", () => {
    expect(() => prepare(history, "nobody")).toThrow(/there is no target `nobody`/);
  });

  test("reads each message of a long history as often as of a short one", () => {
    const long = (steps: number): Conversation => ({
      messages: Array.from({ length: steps }, (_, step) => [
        user("q"),
        assistant([reasoning("t"), call(`f.s:${step}`)]),
      ]).flat(),
    });
    const [small, large] = [25, 200].map(steps => readsOf(long(steps), each => repair(each, "anthropic-messages")));
    expect(small).toBeGreaterThan(0);
    expect(Number(large) / Number(small)).toBeLessThan(10); // eight times the length: quadratic would be 64
  });
});

/** How often a member of a value, or of what it holds, is read. */
function readsOf<T extends object>(value: T, use: (value: T) => unknown): number {
  let reads = 0;
  const seen = new WeakMap<object, object>();
  const watched = <O extends object>(target: O): O => {
    const known = seen.get(target) ?? new Proxy(target, { get: (...given) => counted(Reflect.get(...given)) });
    seen.set(target, known);
    return known as O; // made of it
  };
  const counted = (member: unknown): unknown => {
    reads++;
    return typeof member === "object" && member !== null ? watched(member) : member;
  };
  use(watched(value));
  return reads;
}
