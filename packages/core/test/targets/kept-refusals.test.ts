import { decode, type FormatId, type Json } from "translogue";
import { checkTarget, prepare } from "translogue/targets";
import { describe, expect, test } from "vitest";

const said = (role: string, content: Json): Json => ({ role, content });
const ask = said("user", "hi");
const asked: Json = { role: "user", parts: [{ text: "hi" }] };
const functions: Json = [{ type: "function", function: { name: "f" } }];
const chatCall = (args: Json, id = "callAAAA1"): Json => ({
  id,
  type: "function",
  function: { name: "f", arguments: args },
});
const chatResult: Json = { role: "tool", tool_call_id: "callAAAA1", content: "x" };
const claude = { model: "claude-3-7-sonnet", max_tokens: 4000 };
const use = (id: string): Json => ({ type: "tool_use", id, name: "f", input: {} });
const used = (id: string): Json => said("user", [{ type: "tool_result", tool_use_id: id, content: "x" }]);
const thought: Json = { type: "thinking", thinking: "t", signature: "c2ln" };
const thinks = { thinking: { type: "enabled", budget_tokens: 2000 } };
const picture = (words: string): Json => ({
  type: "image_url",
  image_url: { url: `data:image/png;base64,${Buffer.from(words).toString("base64")}` },
});
const claudeTools: Json = [{ name: "f", input_schema: { type: "object" } }];
const google = { model: "gemini-2.5-pro", tools: [{ functionDeclarations: [{ name: "f" }] }] };
const called: Json = { role: "model", parts: [{ functionCall: { name: "f", args: {} } }] };
const told: Json = { role: "user", parts: [{ functionResponse: { name: "f", response: { a: 1 } } }] };
const gptTools: Json = [
  { type: "custom", name: "f" },
  { type: "function", name: "g", parameters: {} },
];
const gpt = { model: "gpt-5", tools: gptTools };
const shell: Json = {
  type: "local_shell_call",
  id: "lsh_1",
  call_id: "c1",
  status: "completed",
  action: { type: "exec", command: ["ls"], env: {} },
};
const message = (id: string): Json => ({
  type: "message",
  id,
  role: "assistant",
  content: [{ type: "output_text", text: "a" }],
});
const dataUrl: Json = { type: "base64", media_type: "image/png", data: "data:image/png;base64,iVBORw0KGgo=" };

const read = (from: FormatId, request: Json) => decode(request, { from, shape: "request" }).conversation;
const codesOf = (target: string, from: FormatId, request: Json) =>
  checkTarget(read(from, request), target).map(({ code }) => code);

/** A request, and the one rule that it breaks; `format` where the target has another name. */
const refused: readonly (readonly [target: string, rule: string, request: Json, format?: FormatId])[] = [
  ["anthropic-messages", "known-members", { ...claude, messages: [said("system", "s"), ask] }],
  ["anthropic-messages", "known-members", { ...claude, messages: [ask, said("tool", "s")] }],
  ["anthropic-messages", "last-turn", { ...claude, ...thinks, messages: [ask, said("assistant", "x")] }],
  [
    "anthropic-messages",
    "call-ids-unique",
    {
      ...claude,
      tools: claudeTools,
      messages: [ask, said("assistant", [use("a")]), used("a"), said("assistant", [use("a")]), used("a")],
    },
  ],
  ["anthropic-messages", "reasoning-not-last", { ...claude, messages: [ask, said("assistant", [thought]), ask] }],
  ["anthropic-messages", "history-not-empty", { ...claude, messages: [] }],
  ["anthropic-messages", "thinking-settings", { ...claude, ...thinks, temperature: 0.5, messages: [ask] }],
  ["anthropic-messages", "media-data", { ...claude, messages: [said("user", [{ type: "image", source: dataUrl }])] }],
  [
    "bedrock-converse",
    "known-members",
    { modelId: "anthropic.claude-3-7", messages: [said("system", [{ text: "s" }]), said("user", [{ text: "hi" }])] },
  ],
  [
    "bedrock-converse",
    "first-turn",
    { modelId: "amazon.nova-pro-v1:0", messages: [said("assistant", [{ text: "s" }]), said("user", [{ text: "hi" }])] },
  ],
  [
    "openai-chat",
    "known-members",
    {
      model: "gpt-5",
      tools: functions,
      messages: [ask, { role: "assistant", content: null, tool_calls: [chatCall({ a: 1 })] }, chatResult],
    },
  ],
  ["openai-chat", "known-members", { model: "gpt-5", messages: [said("user", null)] }],
  ["openai-chat", "known-members", { model: "gpt-5", messages: [said("user", 5)] }],
  [
    "openai-chat",
    "known-members",
    { model: "gpt-5", messages: [ask, { role: "assistant", content: "x", tool_calls: [] }, ask] },
  ],
  ["openai-chat", "known-members", { model: "gpt-5", tools: [], messages: [ask] }],
  ["openai-chat", "message-not-empty", { model: "gpt-5", messages: [ask, said("assistant", null), ask] }],
  ["openai-chat", "message-not-empty", { model: "gpt-5", messages: [ask, said("assistant", []), ask] }],
  [
    "openai-chat",
    "media",
    { model: "gpt-5", messages: [said("user", [picture("Please log in to see this picture.")])] },
  ],
  [
    "openai-chat",
    "known-members",
    { model: "gpt-5", messages: [said("user", [{ text: "hi" }, { type: "text", text: "hi" }])] },
  ],
  [
    "openai-responses",
    "results-called",
    {
      ...gpt,
      input: [
        ask,
        { type: "item_reference", id: "msg_1" },
        { type: "function_call_output", call_id: "c1", output: "x" },
        ask,
      ],
    },
  ],
  ["openai-chat", "tool-choice", { model: "gpt-5", tool_choice: "auto", messages: [ask] }],
  ["openai-chat", "message-name", { model: "gpt-5", messages: [{ role: "user", name: "Ada L", content: "hi" }] }],
  [
    "openai-chat",
    "media",
    {
      model: "gpt-5",
      messages: [said("user", [{ type: "image_url", image_url: { url: "data:image/bmp;base64,AAAA" } }])],
    },
  ],
  [
    "openai-chat",
    "media",
    {
      model: "gpt-5",
      messages: [said("system", [{ type: "image_url", image_url: { url: "https://e.org/a.png" } }]), ask],
    },
  ],
  [
    "deepseek-chat",
    "media",
    {
      model: "deepseek-chat",
      messages: [said("user", [{ type: "image_url", image_url: { url: "https://e.org/a.png" } }])],
    },
    "openai-chat",
  ],
  [
    "deepseek-chat",
    "reasoning-kept",
    {
      model: "deepseek-reasoner",
      tools: functions,
      messages: [ask, { role: "assistant", content: null, tool_calls: [chatCall("{}")] }, chatResult],
    },
    "openai-chat",
  ],
  [
    "gemini",
    "known-members",
    {
      ...google,
      contents: [asked, called, { role: "user", parts: [{ functionResponse: { name: "f", response: "x" } }] }],
    },
  ],
  [
    "gemini",
    "known-members",
    { ...google, contents: [asked, { role: "model", parts: [{ functionCall: { name: "f", args: [1] } }] }, told] },
  ],
  [
    "gemini",
    "results-first",
    { ...google, contents: [asked, called, { role: "user", parts: [{ text: "wait" }] }, told] },
  ],
  ["gemini", "calls-joined", { ...google, contents: [asked, { role: "model", parts: [{ text: "a" }] }, called, told] }],
  [
    "mistral",
    "known-members",
    { model: "mistral-large", messages: [ask, { role: "assistant", content: "x", reasoning_content: "r" }, ask] },
  ],
  [
    "openai-responses",
    "results-of-kind",
    {
      ...gpt,
      input: [
        ask,
        { type: "custom_tool_call", call_id: "c1", name: "f", input: "x" },
        { type: "function_call_output", call_id: "c1", output: "y" },
      ],
    },
  ],
  [
    "openai-responses",
    "results-once",
    {
      ...gpt,
      input: [
        ask,
        { type: "function_call", call_id: "c1", name: "g", arguments: "{}" },
        ...["y", "z"].map(output => ({ type: "function_call_output", call_id: "c1", output })),
      ],
    },
  ],
  ["openai-responses", "item-ids", { ...gpt, input: [ask, message("msg_1"), message("msg_1"), ask] }],
  [
    "openai-responses",
    "known-members",
    { ...gpt, input: [ask, said("assistant", [{ type: "input_text", text: "a" }])] },
  ],
  ["openai-responses", "stored-items", { ...gpt, previous_response_id: "resp_1", input: [ask, message("msg_1"), ask] }],
];

describe("what a codec keeps and a provider refuses", () => {
  const rows = refused.map(([target, rule, request, format]) => ({ target, rule, request, format }));
  test.each(rows)("$target: $rule is found and mended (%#)", ({ target, rule, request, format }) => {
    const from = format ?? (target as FormatId); // a target of the same name
    const conversation = read(from, request);
    expect(new Set(codesOf(target, from, request))).toEqual(new Set([rule]));
    const { value, issues, changes } = prepare(conversation, target);
    expect(issues).toEqual([]);
    expect(changes.map(({ repair }) => repair)).not.toContain("leave-out");
    expect(codesOf(target, from, value as Json)).toEqual([]); // a request
  });
});

/** Requests as real hosts took them, one of each kind. */
const taken: readonly (readonly [what: string, target: string, request: Json, format?: FormatId])[] = [
  [
    "an empty text in place of an answer",
    "openai-chat",
    { model: "gpt-4o-mini", messages: [ask, said("assistant", ""), ask] },
  ],
  ["an empty system text", "anthropic-messages", { ...claude, system: "", messages: [ask] }],
  [
    "white space of the assistant's beside other content",
    "anthropic-messages",
    {
      ...claude,
      tools: claudeTools,
      messages: [ask, said("assistant", [{ type: "text", text: " " }, use("a")]), used("a")],
    },
  ],
  [
    "a user behind a user of a model that reads one text",
    "bedrock-converse",
    {
      modelId: "amazon.titan-text-express-v1",
      messages: [said("user", [{ text: "a" }]), said("user", [{ text: "b" }])],
    },
  ],
  [
    "a user right behind results of a small model",
    "mistral",
    {
      model: "mistral-small-latest",
      messages: [ask, { role: "assistant", content: "", tool_calls: [chatCall("{}")] }, chatResult, ask],
    },
  ],
  ["a prompt that is stored", "openai-responses", { model: "gpt-5", prompt: { id: "pmpt_1" } }],
  [
    "the output of a call that is named by its item",
    "openai-responses",
    {
      ...gpt,
      input: [
        ask,
        { type: "item_reference", id: "fc_1" },
        { type: "function_call_output", call_id: "c1", output: "x" },
      ],
    },
  ],
];

describe("what a provider takes", () => {
  test.each(taken.map(row => ({ what: row[0], row })))("$what", ({ row: [, target, request, format] }) => {
    const from = format ?? (target as FormatId); // a target of the same name
    const asked = read(from, request);
    const model = (request as { readonly modelId?: string }).modelId; // where the URL names it
    expect(
      checkTarget(asked, target, model === undefined ? {} : { model }).filter(({ severity }) => severity === "error"),
    ).toEqual([]);
    const { changes } = prepare(asked, target, model === undefined ? {} : { model });
    expect(changes).toEqual([]);
  });

  test.each([
    { type: "local_shell_call_output", call_id: "c1", output: "x" },
    { type: "local_shell_call_output", id: "c1", output: "x" },
    { type: "local_shell_call_output", id: "lsh_1", output: "x" },
  ])("a local shell's output that names its call in any of the ways that are documented (%#)", output => {
    const request = { model: "gpt-5", tools: [{ type: "local_shell" }], input: [ask, shell, output] };
    const conversation = read("openai-responses", request);
    expect(checkTarget(conversation, "openai-responses")).toEqual([]);
    expect(prepare(conversation, "openai-responses").value).toMatchObject({ input: [{}, shell, output] });
  });

  test("an open tool loop of Claude's that thought only at its beginning", () => {
    const loop = [ask, said("assistant", [thought, use("a")]), used("a"), said("assistant", [use("b")]), used("b")];
    expect(
      codesOf("anthropic-messages", "anthropic-messages", { ...claude, ...thinks, tools: claudeTools, messages: loop }),
    ).toEqual([]);
  });
});

test("ids of two turns that must be spelled in another way stay two", () => {
  const id = "functions.f:0";
  const messages = [ask, said("assistant", [use(id)]), used(id), said("assistant", [use(id)]), used(id)];
  const conversation = read("anthropic-messages", { ...claude, tools: claudeTools, messages });
  const ids = prepare(conversation, "anthropic-messages").conversation.messages.flatMap(({ parts }) =>
    parts.flatMap(part => ("callId" in part ? [part.callId] : [])),
  );
  expect(new Set(ids).size).toBe(2);
  expect([ids[0], ids[2]]).toEqual([ids[1], ids[3]]);
});

test.each(["anthropic", "google"])("a seal of %s's that is JSON text is nobody's own", maker => {
  const name = maker === "google" ? "thoughtSignature" : "signature";
  const seal = { maker, values: { [name]: '{"type":"reasoning","id":"rs_1"}' } };
  const target = maker === "google" ? "gemini" : "anthropic-messages";
  const { issues, changes } = prepare(
    {
      messages: [
        { role: "user", parts: [{ type: "text", text: "hi" }] },
        {
          role: "assistant",
          parts: [
            { type: "reasoning", text: "t", seal },
            { type: "text", text: "x" },
          ],
        },
        { role: "user", parts: [{ type: "text", text: "hi" }] },
      ],
    },
    target,
  );
  expect(changes.map(({ repair }) => repair)).toEqual(["drop-seals"]);
  expect(issues).toEqual([]);
});

test.each(["openai-chat", "openai-responses"])("an image of the assistant's is told in words to %s", target => {
  const image = { type: "file" as const, mediaType: "image/png", source: { data: "iVBORw0KGgo=" } };
  const hi = { role: "user", parts: [{ type: "text" as const, text: "hi" }] };
  const conversation = { messages: [hi, { role: "assistant", parts: [image] }, hi] };
  expect(checkTarget(conversation, target).map(({ code }) => code)).toEqual(["media"]);
  expect(JSON.stringify(prepare(conversation, target).value)).toContain("(image omitted: the model does not take it)");
});
