import {
  assistant,
  type Conversation,
  compactionPart,
  dataPart,
  formatPath,
  isError,
  type Message,
  reasoning,
  text,
  toolCall,
  toolMessage,
  toolResult,
  user,
} from "translogue";
import { applyDiff, diff, fork, personalData, redact, restore } from "translogue/history";
import { describe, expect, test } from "vitest";

describe("diff", () => {
  const [a, b, c, d] = [user("a", { id: "a" }), assistant("b", { id: "b" }), user("c", { id: "c" }), assistant("d")];
  const kinds = (before: readonly Message[], after: readonly Message[]) =>
    diff(before, after).map(
      change => `${change.kind} ${"from" in change ? change.from : ""}>${"at" in change ? change.at : ""}`,
    );

  test.each([
    ["nothing", [a, b, d], [a, b, structuredClone(d)], []],
    ["what is new", [a], [a, b, c], ["added >1", "added >2"]],
    ["what is gone", [a, b, c], [c], ["removed 0>", "removed 1>"]],
    ["what says something else", [a, b], [a, assistant("B", { id: "b" })], ["changed 1>1"]],
    ["a message without an id that says something else, as another", [d], [assistant("D")], ["removed 0>", "added >0"]],
    ["what stands elsewhere, and no more than that", [a, b, c], [c, a, b], ["moved 2>0"]],
  ])("tells %s", (_, before, after, expected) => {
    expect(kinds(before, after)).toEqual(expected);
  });
  test("of any two histories makes one of the other", () => {
    const pool = [a, b, c, d, assistant("B", { id: "b" }), user("e"), user("e"), user("f", { id: "f" })];
    let seed = 1;
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    const any = (): readonly Message[] => Array.from({ length: random(7) }, () => pool[random(pool.length)] ?? a);
    for (let run = 0; run < 500; run++) {
      const [before, after] = [any(), any()];
      expect(applyDiff(before, diff(before, after))).toEqual(after);
      expect(diff(after, after)).toEqual([]);
    }
  });
});

describe("fork", () => {
  const list: Conversation = {
    id: "k",
    title: "t",
    messages: [user("a", { id: "1" }), assistant("b", { id: "2" }), user("c")],
  };
  const tree: Conversation = {
    messages: [
      { ...user("a"), id: "1", parent: null },
      { ...assistant("b"), id: "2", parent: "1" },
      { ...assistant("other"), id: "3", parent: "1" },
      { ...user("c"), id: "4", parent: "3" },
    ],
    head: "2",
  };
  test("holds what leads to the message, and says where it came from", () => {
    expect(fork(list, "2")).toEqual({
      title: "t",
      messages: list.messages.slice(0, 2),
      origin: { kind: "fork", conversation: "k", message: "2" },
    });
    expect(fork(list, 2).messages).toEqual(list.messages);
  });
  test("of a tree holds one branch, up to the message", () => {
    const { messages, head, origin } = fork(tree, "3");
    expect(messages.map(({ id }) => id)).toEqual(["1", "3"]);
    expect([head, origin]).toEqual(["3", { kind: "fork", message: "3" }]);
  });
  test("holds what a compaction on the way stands for", () => {
    const compacted: Conversation = {
      messages: [...tree.messages, { ...user(compactionPart("sum", { replaces: "4" })), id: "5", parent: null }],
      head: "5",
    };
    expect(fork(compacted, "5").messages.map(({ id }) => id)).toEqual(["1", "3", "4", "5"]);
  });
  test("ends behind the results of the step, in a list and along a branch; `apart` ends at the message", () => {
    const call = (callId: string) => toolCall({ callId, name: "look" });
    const steps = [
      { ...user("a"), id: "1", parent: null },
      { ...assistant([call("x"), call("y")]), id: "2", parent: "1" },
      { ...toolMessage(toolResult("x", "sun")), id: "3", parent: "2" },
      { ...toolMessage(toolResult("y", "rain")), id: "4", parent: "3" },
      { ...assistant("b"), id: "5", parent: "4" },
      { ...user("c"), id: "6", parent: "1" },
    ];
    const ends = (conversation: Conversation, at: string, pairs?: "apart") => {
      const { messages, origin } = fork(conversation, at, pairs && { pairs });
      return [messages.at(-1)?.id, origin?.message];
    };
    const plain: Conversation = { messages: steps.slice(0, 5).map(({ parent: _, ...message }) => message) };
    for (const conversation of [plain, { messages: steps, head: "5" }, { messages: steps, head: "6" }]) {
      expect(["1", "2", "3", "4", "5"].map(at => ends(conversation, at)[0])).toEqual(["1", "4", "4", "4", "5"]);
      expect(ends(conversation, "2")).toEqual(["4", "4"]);
      expect(ends(conversation, "2", "apart")).toEqual(["2", "2"]);
    }
  });
  test.each(["9", 7, -1])("from %o, which is not there, is refused", at => {
    try {
      fork(list, at);
      expect.unreachable();
    } catch (error) {
      expect(isError(error, "history/unknown-message")).toBe(true);
    }
  });
});

describe("redact", () => {
  const said = (words: string) => {
    const [part] = redact([user(words)]).messages[0]?.parts ?? [];
    return part?.type === "text" ? part.text : "";
  };
  test.each([
    ["write to ann.lee+x@mail.example.org.", "write to [EMAIL_1]."],
    ["李雷@例子.公司 or a@b.cn", "[EMAIL_1] or [EMAIL_2]"],
    ["card 4111 1111 1111 1111, not 4111 1111 1111 1112", "card [CARD_1], not 4111 1111 1111 1112"],
    ["DE89 3704 0044 0532 0130 00 but not DE00 3704 0044 0532 0130 00", "[IBAN_1] but not DE00 3704 0044 0532 0130 00"],
    ["身份证11010519491231002X,电话13812345678", "身份证[ID_1],电话[PHONE_1]"],
    ["请联系a@b.cn谢谢", "请联系[EMAIL_1]谢谢"],
    ["call +49 30 1234567 or 13812345678", "call [PHONE_1] or [PHONE_2]"],
    ["from 192.168.0.1, version 1.2.3", "from [IP_1], version 1.2.3"],
    ["call (555) 123-4567, 555-123-4567 or 555.123.4567", "call [PHONE_1], [PHONE_2] or [PHONE_3]"],
    ["SSN 123-45-6789, not 000-45-6789 or 123-45-67890", "SSN [SSN_1], not 000-45-6789 or 123-45-67890"],
    ["v1.2.3.4, version 1.2.3.4 and 10.0.0.1.", "v1.2.3.4, version 1.2.3.4 and [IP_1]."],
    ["a@b.cn, c@d.cn and a@b.cn again", "[EMAIL_1], [EMAIL_2] and [EMAIL_1] again"],
    ["nothing here: 2026-11-30, 12:30, 3.14", "nothing here: 2026-11-30, 12:30, 3.14"],
  ])("%s → %s", (words, expected) => {
    expect(said(words)).toBe(expected);
  });

  const history: readonly Message[] = [
    user("I am a@b.cn; [EMAIL_3] is a word of mine", { id: "a@b.cn", metadata: { from: "a@b.cn" } }),
    assistant([toolCall({ callId: "a@b.cn", name: "mail", input: { id: "a@b.cn", source: ["c@d.cn"], n: 1 } })]),
    toolMessage(toolResult("a@b.cn", [dataPart({ to: "a@b.cn" })])),
    assistant([{ type: "file", source: { text: "c@d.cn" } }, text("plain")], { native: { x: { y: "c@d.cn" } } }),
  ];
  test("finds it in arguments, results, files and kept members, and leaves ids alone", () => {
    const { messages } = redact(history);
    const written = JSON.stringify(messages);
    expect(written.match(/c@d\.cn/g)).toBeNull();
    expect(written.match(/a@b\.cn/g)).toHaveLength(3);
    expect(messages[0]?.id).toBe("a@b.cn");
  });
  test("is taken back exactly, and nothing that looked like a placeholder before is taken for one", () => {
    const { messages, map } = redact(history);
    expect(Object.keys(map)).toEqual(["[EMAIL_4]", "[EMAIL_5]"]);
    expect(restore(messages, map)).toEqual(history);
    expect(restore([assistant("mail [EMAIL_4] and [EMAIL_9]")], map)).toEqual([assistant("mail a@b.cn and [EMAIL_9]")]);
  });
  const hidden: readonly Message[] = [
    assistant([toolCall({ callId: "k", name: "mail", input: { "a@b.cn": { n: 1 } } })]),
    toolMessage(toolResult("k", [dataPart({ by: { "a@b.cn": "x" } })])),
    user([{ type: "file", source: { url: "https://x.example/f.pdf?u=a@b.cn&v=a%40b.cn" } }]),
    assistant([
      {
        type: "tool-call",
        callId: "k",
        name: "mail",
        inputText: '{"to":"a\\u0040b.cn","n":13812345678,"at":"\\na@b.cn"}',
      },
      { type: "tool-call", callId: "l", name: "mail", inputText: '{"to":"a\\u0040b.cn' },
    ]),
  ];
  test("finds it in names of members, in URLs, and in arguments as text, which stay JSON", () => {
    const { messages, map } = redact(hidden);
    expect(JSON.stringify(messages)).not.toMatch(/a(?:@|%40|\\+u0040)b/);
    const [written, cut] = messages[3]?.parts ?? [];
    expect(written).toHaveProperty("inputText", '{"to":"[EMAIL_1]","n":13812345678,"at":"\\n[EMAIL_1]"}');
    expect(cut).toHaveProperty("inputText", '{"to":"[EMAIL_1]');
    expect(restore(messages, map).slice(0, 3)).toEqual(hidden.slice(0, 3));
    expect(restore(messages, map)[3]?.parts[0]).toHaveProperty(
      "inputText",
      '{"to":"a@b.cn","n":13812345678,"at":"\\na@b.cn"}',
    );
  });
  test("leaves messages without findings as they are", () => {
    const message = user("hello");
    expect(redact([message]).messages[0]).toBe(message);
  });
  test("drops the seal of changed words, and says so", () => {
    const seal = { maker: "m", values: { signature: "s" } };
    const { messages, losses } = redact([assistant([reasoning("a@b.cn", { seal }), reasoning("hm", { seal })])]);
    expect(messages[0]?.parts).toEqual([reasoning("[EMAIL_1]"), reasoning("hm", { seal })]);
    expect(losses).toMatchObject([{ code: "redacted-seal", path: ["messages", 0, "parts", 0, "seal"] }]);
  });
  test("gives a part its seal back with its words, and no other part", () => {
    const seal = { maker: "m", values: { signature: "s" } };
    const before = [assistant([reasoning("a@b.cn", { seal }), reasoning("hm", { seal })])];
    const { messages, map } = redact(before);
    expect(restore(messages, map)).toEqual(before);
    expect(restore(JSON.parse(JSON.stringify(messages)) as Message[], map)).toEqual(before);
    expect(restore([assistant([reasoning("to [EMAIL_1]")])], map)).toEqual([assistant([reasoning("to a@b.cn")])]);
  });
  test("drops the seals of what changed inside of others, however deep, gives them back, and leaves those beside them", () => {
    const seal = { maker: "m", values: { signature: "s" } };
    const cited = text("b", {
      citations: [
        { quote: "a@b.cn", seal },
        { quote: "c", seal },
      ],
    });
    const before: readonly Message[] = [
      assistant([
        { type: "compaction", summary: [reasoning("a@b.cn", { seal }), reasoning("hm", { seal })], seal },
        { type: "source", parts: [{ type: "file", source: { parts: [reasoning("a@b.cn", { seal })] } }] },
        {
          type: "approval-request",
          requestId: "r",
          callId: "k",
          call: toolCall({ callId: "k", name: "a@b.cn", seal }),
        },
        cited,
      ]),
      toolMessage(toolResult("k", [reasoning("a@b.cn", { seal })])),
    ];
    const { messages, map, losses } = redact(before);
    expect(losses.map(({ path }) => formatPath(path))).toEqual([
      "messages[0].parts[0].summary[0].seal",
      "messages[0].parts[0].seal",
      "messages[0].parts[1].parts[0].source.parts[0].seal",
      "messages[0].parts[2].call.seal",
      "messages[0].parts[3].citations[0].seal",
      "messages[1].parts[0].output[0].seal",
    ]);
    expect(JSON.stringify(messages).match(/"signature"/g)).toHaveLength(2);
    expect(restore(messages, map)).toEqual(before);
  });
  test("takes rules of one's own beside the usual ones", () => {
    const rules = [{ name: "TICKET", pattern: /\bT-\d+\b/g }, ...personalData];
    expect(redact([user("T-12 of a@b.cn")], rules).map).toEqual({ "[TICKET_1]": "T-12", "[EMAIL_1]": "a@b.cn" });
  });
});
