import { type Conversation, type Json, type Part, text, user } from "translogue";
import { checkTarget, explain, prepare, repair } from "translogue/targets";
import { describe, expect, test } from "vitest";

const cache = {};
const marked = (words: string): Part => ({ type: "text", text: words, cache });
const claude = { target: "anthropic-messages" } as const;

describe("more marks of what is to be cached than Claude takes", () => {
  const inResult: Part = { type: "tool-result", callId: "c", output: [marked("x"), text("y")] };
  const whole: Conversation = {
    tools: [{ name: "f", cache }],
    messages: [
      { role: "system", parts: [marked("Be brief.")] },
      user(marked("a")),
      { role: "assistant", parts: [{ type: "tool-call", callId: "c", name: "f", input: {}, cache }] },
      { role: "tool", parts: [inResult, marked("b")] },
    ],
  };

  // Converse has no cache points inside of results.
  test.each([
    ["anthropic-messages", "claude-sonnet-4-0", ["tools.0.cache", "messages.0.parts.0.cache"]],
    ["bedrock-converse", "anthropic.claude-sonnet-4-5", ["tools.0.cache"]],
  ])("are told and taken away from the front, for %s", (target, model, places) => {
    const broken = checkTarget(whole, target, { model }).filter(({ code }) => code === "cache-marks");
    expect(broken.map(({ path, severity }) => [path.join("."), severity])).toEqual(places.map(at => [at, "error"]));
    const { conversation, changes } = repair(whole, target, { model });
    expect(changes.map(({ repair: name, path }) => [name, path.join(".")])).toEqual(
      places.map(at => ["drop-cache-marks", at]),
    );
    const first = { role: "system", parts: [text("Be brief.")] };
    expect(conversation.tools).toEqual([{ name: "f" }]);
    expect(conversation.messages).toEqual(places.length > 1 ? [first, ...whole.messages.slice(1)] : whole.messages);
  });

  const unwritten: readonly (readonly [what: string, part: Part])[] = [
    [
      "reasoning",
      { type: "reasoning", text: "hm", cache, seal: { maker: "anthropic", values: { signature: "c2ln" } } },
    ],
    ["a refusal", { type: "refusal", text: "no", cache }],
    ["a source", { type: "source", url: "https://example.org", cache }],
    ["a change of the model", { type: "change", model: "m", cache }],
    ["a summary, which is said by its parts", { type: "compaction", summary: [text("s")], replaces: null, cache }],
    ["what is for people", { type: "tool-result", callId: "w", display: [marked("x")], kind: "web-search" }],
  ];
  test.each(unwritten)("are counted as they are written: not that of %s", (_, part) => {
    const { messages } = whole;
    const said: Conversation = {
      ...whole,
      messages: [
        ...messages.slice(0, 2),
        { role: "assistant", parts: [part, ...(messages[2]?.parts ?? [])] },
        { role: "tool", parts: [{ type: "tool-result", callId: "c" }, text("b")] },
      ],
    };
    expect(checkTarget(said, "anthropic-messages").map(({ code }) => code)).not.toContain("cache-marks");
  });

  test("are taken away inside of results too, and only there", () => {
    const { messages } = whole;
    const more = {
      ...whole,
      messages: [...messages, { role: "user", parts: [marked("d"), marked("e"), marked("f")] }],
    };
    const { conversation } = repair(more, "anthropic-messages");
    expect(JSON.stringify(conversation).match(/"cache":/g)).toHaveLength(4);
    expect(conversation.messages[3]?.parts).toEqual([{ ...inResult, output: [text("x"), text("y")] }, marked("b")]);
  });

  test("count with the one that the provider sets by itself", () => {
    const four = { ...whole, messages: whole.messages.slice(0, 3) };
    const withAutomatic = (given: Conversation): Conversation => ({
      ...given,
      native: { "anthropic-messages": { cache_control: { type: "ephemeral" } } },
    });
    const codes = (given: Conversation) => checkTarget(given, "anthropic-messages").map(({ code }) => code);
    expect(codes(four)).not.toContain("cache-marks");
    expect(codes(withAutomatic(four))).toContain("cache-marks");
  });

  test("are explained by the provider's words", () => {
    const words = "A maximum of 4 blocks with cache_control may be provided. Found 5.";
    expect(explain(words, claude)).toMatchObject({ rule: "cache-marks" });
    expect(explain(words, { ...claude, conversation: { ...whole } })).toMatchObject({ path: ["tools", 0, "cache"] });
  });
});

describe("a setting that is out of a provider's range", () => {
  test.each([
    ["anthropic-messages", "temperature", 1.5, 1],
    ["bedrock-converse", "temperature", 1.5, 1],
    ["openai-chat", "temperature", 3, 2],
    ["openai-chat", "frequencyPenalty", -3, -2],
    ["openai-chat", "stopSequences", ["a", "b", "c", "d", "e"], ["a", "b", "c", "d"]],
    ["openai-responses", "temperature", 2.5, 2],
    ["gemini", "temperature", 3, 2],
    ["gemini", "stopSequences", ["a", "b", "c", "d", "e", "f"], ["a", "b", "c", "d", "e"]],
    ["mistral", "temperature", 2, 1.5],
    ["cohere", "topP", 1, 0.99],
  ] as const)("of %s is an error: %s %j becomes %j", (target, name, value, fit) => {
    const given = { messages: [user("hi")], settings: { [name]: value } };
    expect(checkTarget(given, target)).toMatchObject([
      { code: "setting-ranges", severity: "error", path: ["settings", name] },
    ]);
    const { conversation, changes, issues } = prepare(given, target);
    expect(conversation.settings).toEqual({ [name]: fit });
    expect(changes).toMatchObject([{ repair: "fit-settings", path: ["settings", name] }]);
    expect(issues).toEqual([]);
  });

  test("stays where it is in range, and where no range is known", () => {
    const given = { messages: [user("hi")], settings: { temperature: 1, topP: 0.5, stopSequences: ["a"] } };
    for (const target of ["anthropic-messages", "openai-chat", "gemini", "mistral", "cohere"])
      expect(repair(given, target).conversation).toBe(given);
    const hot = { messages: [user("hi")], settings: { temperature: 5 } };
    expect(repair(hot, "ollama").conversation).toBe(hot);
  });

  test("of a family's own row is beside those of its endpoint", () => {
    const many = Array.from({ length: 2501 }, (_, index) => `${index}`);
    const given = {
      model: "cohere.command-r-v1:0",
      messages: [user("hi")],
      settings: { topP: 1, stopSequences: many },
    };
    const found = checkTarget(given, "bedrock-converse").map(({ path }) => path[1]);
    expect(found).toEqual(["topP", "stopSequences"]);
  });

  test("is left out where thinking takes none, and not fitted first", () => {
    const given = { messages: [user("hi")], settings: { temperature: 1.5, reasoning: { budget: 2000 } } };
    const { conversation, changes } = repair(given, "anthropic-messages");
    expect(conversation.settings).toEqual({ reasoning: { budget: 2000 } });
    expect(changes).toHaveLength(1);
  });

  test("is explained by the provider's words", () => {
    const hot = { messages: [user("hi")], settings: { temperature: 1.5 } };
    expect(explain("temperature: range: 0..1", { ...claude, conversation: hot })).toMatchObject({
      rule: "setting-ranges",
      path: ["settings", "temperature"],
    });
    expect(
      explain(
        "Invalid 'stop': array too long. Expected an array with maximum length 4, but got an array with length 9 instead.",
        { target: "openai-chat" },
      ),
    ).toMatchObject({ rule: "setting-ranges" });
  });
});

describe("marks of what is to be cached that Claude does not take", () => {
  const control = (value: Json) => ({ native: { anthropic: { cache_control: value } } });
  const hour = (words: string): Part => ({ type: "text", text: words, cache: { ttl: "1h" } });
  const thought: Part = { type: "reasoning", text: "hm", seal: { maker: "anthropic", values: { signature: "c2ln" } } };
  const said = (...parts: readonly Part[]): Conversation => ({ messages: [user(parts)] });
  const four = [marked("a"), marked("b"), marked("c"), marked("d")];
  const block = (value: Json): Part => ({ type: "opaque", family: "anthropic", value });

  test.each<[what: string, given: Conversation, at: string, providerText: string | undefined]>([
    [
      "of an hour behind one that says nothing, which is of five minutes",
      said(marked("a"), hour("b")),
      "messages.0.parts.1.cache.ttl",
      "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block.",
    ],
    [
      "of an hour behind a tool's of five minutes",
      { ...said(hour("b")), tools: [{ name: "f", cache: { ttl: "5m" } }] },
      "messages.0.parts.0.cache.ttl",
      "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block.",
    ],
    [
      "of an hour at the end, which the provider sets by itself",
      { ...said(marked("a")), native: { "anthropic-messages": { cache_control: { type: "ephemeral", ttl: "1h" } } } },
      "native.anthropic-messages.cache_control.ttl",
      "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block.",
    ],
    [
      "of a time that there is not",
      said({ type: "text", text: "a", cache: { ttl: "2h" } }),
      "messages.0.parts.0.cache.ttl",
      undefined,
    ],
    [
      "of a type that there is not",
      said({ type: "text", text: "a", ...control({ type: "persistent" }) }),
      "messages.0.parts.0.native.anthropic.cache_control",
      undefined,
    ],
    [
      "of a tool, of a type that there is not",
      { ...said(text("a")), tools: [{ name: "f", ...control({ type: "persistent" }) }] },
      "tools.0.native.anthropic.cache_control",
      undefined,
    ],
    [
      "on thinking",
      {
        messages: [
          user("a"),
          { role: "assistant", parts: [{ ...thought, ...control({ type: "ephemeral" }) }, text("b")] },
          user("c"),
        ],
      },
      "messages.1.parts.0.native.anthropic.cache_control",
      "thinking.cache_control: Extra inputs are not permitted",
    ],
    [
      "as a codec kept one, which counts",
      said({ type: "text", text: "x", ...control({ type: "ephemeral", scope: "s" }) }, ...four),
      "messages.0.parts.0.native.anthropic.cache_control",
      "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ],
    [
      "of a block that nobody knows, which counts",
      said(block({ type: "new", cache_control: { type: "ephemeral" } }), ...four),
      "messages.0.parts.0.value.cache_control",
      "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ],
    [
      "inside of a result",
      {
        tools: [{ name: "f" }],
        messages: [
          user("a"),
          { role: "assistant", parts: [{ type: "tool-call", callId: "c", name: "f", input: {} }] },
          {
            role: "tool",
            parts: [
              {
                type: "tool-result",
                callId: "c",
                name: "f",
                output: [{ type: "text", text: "x", ...control({ type: "persistent" }) }],
              },
            ],
          },
        ],
      },
      "messages.2.parts.0.output.0.native.anthropic.cache_control",
      undefined,
    ],
  ])("%s", (_, given, at, providerText) => {
    const issues = checkTarget(given, "anthropic-messages");
    expect(issues.map(({ code, path }) => [code, path.join(".")])).toEqual([["cache-marks", at]]);
    expect(issues[0]?.providerText).toBe(providerText);
    const { conversation, changes } = repair(given, "anthropic-messages");
    expect(changes.map(({ repair: name, path }) => [name, path.join(".")])).toEqual([["drop-cache-marks", at]]);
    expect(checkTarget(conversation, "anthropic-messages")).toEqual([]);
    expect(prepare(given, "anthropic-messages").issues).toEqual([]);
  });

  test.each<[what: string, given: Conversation]>([
    ["those of an hour before those of five minutes", said(hour("a"), marked("b"))],
    ["those of five minutes that say so", said({ type: "text", text: "a", cache: { ttl: "5m" } }, marked("b"))],
    [
      "one that a codec kept, with what it says beside",
      said({ type: "text", text: "x", ...control({ type: "ephemeral", scope: "s" }) }),
    ],
  ])("and it takes %s", (_, given) => {
    expect(checkTarget(given, "anthropic-messages")).toEqual([]);
  });

  test("are so on Bedrock too, where a point of another type is a block of its own", () => {
    const model = "anthropic.claude-sonnet-4-5";
    expect(checkTarget(said(marked("a"), hour("b")), "bedrock-converse", { model })).toMatchObject([
      { path: ["messages", 0, "parts", 1, "cache", "ttl"] },
    ]);
    const point: Part = { type: "opaque", family: "bedrock-converse", value: { cachePoint: { type: "other" } } };
    expect(checkTarget(said(text("a"), point), "bedrock-converse", { model })).toMatchObject([
      { path: ["messages", 0, "parts", 1, "value", "cachePoint"] },
    ]);
  });
});
