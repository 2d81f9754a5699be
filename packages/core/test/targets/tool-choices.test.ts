import { type Conversation, conversation, type Message, type Part, type Settings, type Tool, user } from "translogue";
import { checkTarget, prepare, repair } from "translogue/targets";
import { describe, expect, test } from "vitest";

type Choice = NonNullable<Settings["toolChoice"]>;

const search: Tool = { name: "web_search", kind: "web-search" };
const asking = (toolChoice: Choice | undefined, ...tools: readonly Tool[]): Conversation => ({
  ...conversation(user("a")),
  ...(tools.length > 0 && { tools }),
  ...(toolChoice && { settings: { toolChoice } }),
});
const codes = (given: Conversation, target: string) => checkTarget(given, target).map(({ code }) => code);

const checked = [
  "openai-chat",
  "azure-openai-chat",
  "openai-responses",
  "anthropic-messages",
  "gemini",
  "vertex",
  "mistral",
  "cohere",
  "bedrock-converse",
  "xai",
  "chat",
];

describe("what the model is to call is among the tools", () => {
  test.each(
    checked.flatMap(target => [
      { target, what: "where there are none", given: asking("required"), left: undefined },
      { target, what: "by its name", given: asking({ name: "g" }, { name: "f" }), left: undefined },
      {
        target,
        what: "in a list of what it may call",
        given: asking({ allowed: ["g", "f"], required: true }, { name: "f" }),
        left: { allowed: ["f"], required: true },
      },
      {
        target,
        what: "in such a list of which nothing is there: nothing may be called",
        given: asking({ allowed: ["g"] }, { name: "f" }),
        left: "none",
      },
    ]),
  )("$target: $what", ({ target, given, left }) => {
    expect(codes(given, target)).toContain("tool-choice");
    const { conversation: repaired, changes } = repair(given, target);
    expect(repaired.settings?.toolChoice).toEqual(left);
    expect(changes).toMatchObject([{ repair: "fit-settings", path: ["settings", "toolChoice"] }]);
    expect(codes(repaired, target)).toEqual([]);
    expect(prepare(given, target).issues).toEqual([]);
  });

  test.each(
    checked.flatMap(target => [
      { target, given: asking("required", { name: "f" }) },
      { target, given: asking({ name: "f" }, { name: "f" }) },
      { target, given: asking({ allowed: ["f"] }, { name: "f" }) },
      // What its tools are called is told by nobody here.
      { target, given: asking({ name: "h" }, { name: "f" }, { name: "docs", kind: "mcp" }) },
    ]),
  )("$target: $given.settings.toolChoice is fine", ({ target, given }) => {
    expect(codes(given, target)).not.toContain("tool-choice");
  });

  test.each(["openai-responses", "mistral", "cohere", "bedrock-converse"])(
    "%s takes a choice of nothing that asks for nothing",
    target => {
      for (const choice of ["auto", "none"] as const) expect(codes(asking(choice), target)).toEqual([]);
    },
  );

  test.each([
    [
      "openai-chat",
      "Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are specified.",
    ],
    ["anthropic-messages", "tool_choice may only be specified while providing tools"],
  ])("%s is not told how many calls may come at once where there are no tools", (target, providerText) => {
    const given: Conversation = { ...asking(undefined), settings: { parallelToolCalls: false } };
    expect(checkTarget(given, target)).toMatchObject([
      { code: "tool-choice", path: ["settings", "parallelToolCalls"], providerText },
    ]);
    const { value, issues, changes } = prepare(given, target);
    expect(issues).toEqual([]);
    expect(changes).toMatchObject([{ repair: "fit-settings", path: ["settings", "parallelToolCalls"] }]);
    expect(JSON.stringify(value)).not.toMatch(/parallel|tool_choice/);
  });

  test("for Google's older models tools that it runs itself are none to choose", () => {
    const of = (model: string): Conversation => ({ ...asking("auto", search), model });
    expect(codes(of("gemini-2.5-flash"), "gemini")).toEqual(["tool-choice"]);
    expect(codes(of("gemini-3-flash-preview"), "gemini")).toEqual([]);
    expect(codes(asking("auto", search), "anthropic-messages")).toEqual([]);
  });
});

describe("tools of one name", () => {
  test.each([
    ["a function before the provider's own", [{ name: "web_search" }, search]],
    ["the provider's own before a function", [search, { name: "web_search" }]],
    ["two of the provider's own", [search, { ...search, native: { anthropic: { $tool: "web_search_20260209" } } }]],
  ] as const)("are refused by Claude, whoever runs them: %s", (_, [first, second]) => {
    const given = asking(undefined, first, second);
    expect(checkTarget(given, "anthropic-messages")).toMatchObject([
      { code: "tool-names", path: ["tools", 1, "name"], providerText: "tools: Tool names must be unique." },
    ]);
    const { conversation: repaired, changes } = repair(given, "anthropic-messages");
    expect(repaired.tools).toEqual([first]);
    expect(changes).toMatchObject([{ repair: "fit-tool-names", path: ["tools", 1] }]);
    expect(codes(repaired, "anthropic-messages")).toEqual([]);
  });

  test.each(["openai-responses", "gemini", "mistral"])(
    "are two to %s, where the provider's own has no name",
    target => {
      expect(codes(asking(undefined, { name: "web_search" }, search), target)).toEqual([]);
    },
  );
});

test.each([
  ["openai-responses", { prompt: { id: "pmpt_1" } }],
  ["anthropic-messages", { mcp_servers: [{ type: "url", name: "s", url: "https://example.org" }] }],
])("what %s knows by a name may bring the tool that is to be called", (target, member) => {
  for (const choice of ["required", { name: "f" }] as const) {
    const given = { ...asking(choice), native: { [target]: member } };
    expect(codes(given, target)).toEqual([]);
    expect(repair(given, target).changes).toEqual([]);
  }
});

describe("a history that calls a tool of which none is declared", () => {
  const adds: Message = { role: "user", parts: [{ type: "change", toolsAdded: [{ name: "f", description: "d" }] }] };
  const calls: readonly Message[] = [
    user("go"),
    { role: "assistant", parts: [{ type: "tool-call", callId: "c", name: "f", input: {} }] },
    { role: "tool", parts: [{ type: "tool-result", callId: "c", output: [{ type: "text", text: "x" }] }] },
  ];
  const stub = { name: "f", input: { type: "object", properties: {} } };

  test.each<[what: string, target: string, given: Conversation, declared: readonly Tool[] | undefined]>([
    ["gets it by its name", "anthropic-messages", { messages: calls }, [stub]],
    ["keeps what the provider runs", "anthropic-messages", { messages: calls, tools: [search] }, [search, stub]],
    [
      "gets it as a message defines it",
      "anthropic-messages",
      { messages: [adds, ...calls] },
      [{ name: "f", description: "d" }],
    ],
    [
      "needs none that a message defines, for Converse",
      "bedrock-converse",
      { messages: [adds, ...calls.slice(1)] },
      undefined,
    ],
  ])("%s", (_, target, given, declared) => {
    expect(codes(given, target).includes("tools-declared")).toBe(declared !== undefined);
    const { conversation: repaired, issues, value } = prepare(given, target);
    expect(repaired.tools).toEqual(declared);
    expect(issues).toEqual([]);
    if (target === "bedrock-converse") expect(JSON.stringify(value)).toContain('"description":"d"');
  });
});

test.each(["anthropic-messages", "bedrock-converse", "openai-responses"])(
  "a name that %s does not take is another one wherever a message tells it",
  target => {
    const changes: Part = { type: "change", toolsAdded: [{ name: "a.b" }, "c.d"], toolsRemoved: ["c.d"] };
    const given: Conversation = {
      tools: [{ name: "c.d" }],
      messages: [{ role: "user", parts: [changes, { type: "text", text: "go" }] }],
    };
    expect(codes(given, target)).toEqual(["tool-names", "tool-names"]);
    const { value, issues, changes: made, conversation: repaired } = prepare(given, target);
    expect(issues).toEqual([]);
    const [first, second] = ["a.b", "c.d"].map(name => made.find(({ was }) => was === name)?.now);
    expect(repaired.tools).toEqual([{ name: second }]);
    expect(repaired.messages[0]?.parts[0]).toEqual({
      type: "change",
      toolsAdded: [{ name: first }, second],
      toolsRemoved: [second],
    });
    expect(JSON.stringify(value)).not.toMatch(/"(?:a\.b|c\.d)"/);
  },
);
