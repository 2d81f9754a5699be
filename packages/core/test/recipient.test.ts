import {
  type Conversation,
  type Event,
  encode,
  type FormatId,
  type Loss,
  type Part,
  runAll,
  type Seal,
  streamEncoder,
} from "translogue";
import { checkTarget, repair } from "translogue/targets";
import { describe, expect, test } from "vitest";

const seal: Seal = { maker: "openai", values: { signature: "SIGN", encrypted_index: "SIGN", id: "SIGN" } };
const sealed: Part = { type: "text", text: "said", seal };
const stored: Part = { type: "file", mediaType: "image/png", source: { url: "gs://STORE/x.png" } };
const call = { type: "tool-call", callId: "c", name: "f", input: {} } as const;
const result: Part = {
  type: "tool-result",
  callId: "c",
  structured: "FACE",
  display: [{ type: "text", text: "FACE" }],
};

/** Every member that holds parts, with what it holds. */
const holders: readonly (readonly [
  place: string,
  path: readonly (string | number)[],
  holding: (inner: Part) => Part,
])[] = [
  ["a compaction's summary", ["summary", 0], inner => ({ type: "compaction", summary: [inner] })],
  ["a result's output", ["output", 0], inner => ({ type: "tool-result", callId: "c", output: [inner] })],
  ["a source", ["parts", 0], inner => ({ type: "source", url: "https://a.b", parts: [inner] })],
  ["a document", ["source", "parts", 0], inner => ({ type: "file", source: { parts: [inner] } })],
  [
    "a document in a result",
    ["output", 0, "source", "parts", 0],
    inner => ({ type: "tool-result", callId: "c", output: [{ type: "file", source: { parts: [inner] } }] }),
  ],
];

const leaks = [
  ["a seal of another maker", sealed, "SIGN", ["seal"], "foreign-seal"],
  ["a file in another maker's store", stored, "STORE", ["source"], "foreign-state"],
  ["a face of a result for programs or people", result, "FACE", ["structured"], "tool-result.structured"],
  [
    "a citation's seal",
    { type: "text", text: "said", citations: [{ url: "https://a.b", seal }] },
    "SIGN",
    ["citations", 0, "seal"],
    "foreign-seal",
  ],
] as const satisfies readonly (readonly [string, Part, string, readonly (string | number)[], string])[];

const providers: readonly FormatId[] = ["anthropic-messages", "bedrock-converse", "mistral", "cohere"];

const history = (part: Part): Conversation => ({
  messages: [
    { role: "user", parts: [{ type: "text", text: "hi" }] },
    { role: "assistant", parts: [call] },
    { role: part.type === "tool-result" ? "tool" : "user", parts: [part] },
  ],
});

const at = (losses: readonly Loss[], code: string): readonly string[] =>
  losses.filter(loss => loss.code === code).map(({ path }) => path.join("."));

describe.each(providers)("a request to %s", to => {
  describe.each(holders)("has, inside of %s,", (_, way, holding) => {
    test.each(leaks)("never %s, and says so", (...[, inner, mark, member, code]) => {
      const { value, losses } = encode(history(holding(inner)), { to, shape: "request", recipient: "provider" });
      expect(JSON.stringify(value)).not.toContain(mark);
      expect(at(losses, code)).toContain(["messages", 2, "parts", 0, ...way, ...member].join("."));
    });
  });

  test("never a seal of the call inside an approval", () => {
    const asked: Part = { type: "approval-request", requestId: "r", callId: "c", call: { ...call, seal } };
    const given: Conversation = {
      messages: [
        { role: "user", parts: [{ type: "text", text: "hi" }] },
        { role: "assistant", parts: [{ type: "text", text: "wait" }, asked] },
      ],
    };
    const { value, losses } = encode(given, { to, shape: "request", recipient: "provider" });
    expect(JSON.stringify(value)).not.toContain("SIGN");
    expect(at(losses, "foreign-seal")).toEqual(["messages.1.parts.1.call.seal"]);
  });
});

describe("a stream to a provider", () => {
  const streamed = (...events: readonly Event[]) => {
    const encoder = streamEncoder("anthropic-messages", { recipient: "provider" });
    const begin: Event = { type: "message-start", message: 3, head: { role: "assistant" } };
    const end: Event = { type: "message-end", message: 3 };
    const text = JSON.stringify(runAll(encoder, [begin, ...events, end]));
    return { text, losses: encoder.losses };
  };
  const place = { message: 3, part: 5 };

  describe.each(holders)("has, inside of %s,", (_, way, holding) => {
    describe.each(leaks)("never %s, and says so,", (...[, inner, mark, member, code]) => {
      const value = holding(inner);
      const path = ["messages", 3, "parts", 5, ...way, ...member].join(".");

      test.each(["part", "part-start"] as const)("in a `%s`", type => {
        const { text, losses } = streamed({ type, value, ...place });
        expect(text).not.toContain(mark);
        expect(at(losses, code)).toContain(path);
      });

      test("in a `part-set`", () => {
        const { type, ...set } = value;
        const begun = { type, ...(type === "file" && { source: { text: "" } }), callId: "c" } as Part; // of that type
        const { text, losses } = streamed(
          { type: "part-start", value: begun, ...place },
          { type: "part-set", set, ...place },
        );
        expect(text).not.toContain(mark);
        expect(at(losses, code)).toContain(path);
      });
    });
  });

  test("keeps the words of a text or of reasoning that begins with a seal of another's", () => {
    for (const type of ["text", "reasoning"] as const) {
      const { text, losses } = streamed(
        { type: "part-start", value: { type, text: "", seal }, ...place },
        { type: "part-delta", of: type, text: "words", ...place },
        { type: "part-end", ...place },
      );
      expect(text).toContain("words");
      expect(at(losses, "foreign-seal")).toEqual(["messages.3.parts.5.seal"]);
    }
  });

  test("names a loss inside of a part by what the part was before others were taken out", () => {
    const output: readonly Part[] = [stored, { type: "error", message: "no" }];
    const { losses } = streamed({ type: "part", value: { type: "tool-result", callId: "c", output }, ...place });
    const lost = losses.map(loss => `${loss.code} ${loss.path.slice(4).join(".")}`);
    expect(lost).toContain("foreign-state output.0.source");
    expect(lost).toContain("error-text output.1");
  });
});

describe("a target", () => {
  const found = (conversation: Conversation, code: string): readonly string[] =>
    checkTarget(conversation, "anthropic-messages").flatMap(issue => (issue.code === code ? issue.path.join(".") : []));

  test.each(holders)("finds a seal that is not at home inside of %s, and a repair takes it out", (_, way, holding) => {
    const given = history(holding(sealed));
    expect(found(given, "seals-at-home")).toEqual([["messages", 2, "parts", 0, ...way, "seal"].join(".")]);
    const { conversation, changes } = repair(given, "anthropic-messages");
    expect(JSON.stringify(conversation)).not.toContain("SIGN");
    expect(JSON.stringify(conversation)).toContain("said");
    expect(changes.map(({ path }) => path.join("."))).toContain(["messages", 2, "parts", 0, ...way, "seal"].join("."));
    expect(found(conversation, "seals-at-home")).toEqual([]);
  });

  test.each(holders)("finds half a character inside of %s, and a repair mends it", (_, way, holding) => {
    const given = history(holding({ type: "text", text: "half \ud800" }));
    expect(found(given, "well-formed-text")).toEqual([["messages", 2, "parts", 0, ...way, "text"].join(".")]);
    const { conversation } = repair(given, "anthropic-messages");
    expect(found(conversation, "well-formed-text")).toEqual([]);
    expect(JSON.stringify(conversation)).toContain("half \ufffd");
  });

  test("looks at no seal of what only people see, and a repair keeps it", () => {
    const display: readonly Part[] = [sealed];
    const output: readonly Part[] = [{ type: "text", text: "shown", citations: [{ url: "https://a.b", seal }] }];
    const given = history({ type: "tool-result", callId: "c", output, display });
    expect(found(given, "seals-at-home")).toEqual(["messages.2.parts.0.output.0.citations.0.seal"]);
    const { conversation } = repair(given, "anthropic-messages");
    expect(conversation.messages[2]?.parts[0]).toMatchObject({
      display,
      output: [{ citations: [{ url: "https://a.b" }] }],
    });
    expect(found(conversation, "seals-at-home")).toEqual([]);
  });
});
