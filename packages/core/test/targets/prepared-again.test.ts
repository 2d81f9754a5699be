/** The smallest of the generated histories that once went out as what their provider refuses. */

import { type Conversation, decode, type FormatId, type Message, type Part } from "translogue";
import { checkTarget, findTarget, prepare, repair } from "translogue/targets";
import { describe, expect, test } from "vitest";

const said = (role: string, ...parts: readonly Part[]): Message => ({ role, parts });
const shared: Part = { type: "tool-result", callId: "c", output: [{ type: "text", text: "done" }] };

const rows: readonly [what: string, target: string, broken: Conversation][] = [
  [
    "a tool is forced, and a message names one that is nowhere defined",
    "openai-responses",
    {
      settings: { toolChoice: "required" },
      messages: [{ role: "system", parts: [{ type: "change", toolsAdded: ["a"], effort: "low" }] }],
    },
  ],
  [
    "a compaction of the provider's own has nothing that the API has a member for",
    "anthropic-messages",
    {
      model: "claude-opus-4-8",
      messages: [
        {
          role: "assistant",
          parts: [
            {
              type: "compaction",
              summary: [{ type: "data", data: 1 }],
              seal: { maker: "anthropic", values: { a: "b" } },
            },
          ],
        },
      ],
    },
  ],
  [
    "all that stands before the system's word is a file that lies with another provider",
    "anthropic-messages",
    {
      model: "claude-opus-4-8",
      messages: [
        { role: "user", parts: [{ type: "file", source: { id: "file_1", provider: "openai" } }] },
        { role: "system", parts: [{ type: "text", text: "Be brief." }] },
        { role: "assistant", parts: [{ type: "text", text: "Yes." }] },
      ],
    },
  ],
  [
    "two compactions of one id stand in a message of the user",
    "openai-responses",
    {
      messages: [
        {
          role: "user",
          parts: [1, 2].map(() => ({
            type: "compaction",
            seal: { maker: "openai", values: { id: "cmp_0", encrypted_content: "b3Blbg==" } },
          })),
        },
      ],
    },
  ],
  [
    "a message defines the only tool, and Converse names tools there",
    "bedrock-converse",
    {
      tools: [],
      settings: { toolChoice: "auto" },
      messages: [{ role: "user", parts: [{ type: "change", toolsAdded: [{ name: "a", description: "" }] }] }],
    },
  ],
  [
    "a document holds an error without words",
    "anthropic-messages",
    { messages: [{ role: "user", parts: [{ type: "file", source: { parts: [{ type: "error", message: "" }] } }] }] },
  ],
  [
    "the user's message has a call of the provider's, and the answer its result",
    "bedrock-converse",
    {
      messages: [
        {
          role: "user",
          parts: [{ type: "tool-call", callId: "c", name: "f", executedBy: "provider", input: {} }],
        },
        { role: "assistant", parts: [{ type: "tool-result", callId: "c" }] },
      ],
    },
  ],
  [
    "a call that was cut off is all that there is",
    "ollama",
    { messages: [{ role: "assistant", parts: [{ type: "tool-call", callId: "c", name: "f", partial: true }] }] },
  ],
  [
    "one result stands behind a custom tool's call and behind a function's of the same id",
    "openai-responses",
    {
      tools: [{ name: "f" }],
      messages: [
        said("assistant", { type: "tool-call", callId: "c", name: "f", kind: "custom", input: "x" }),
        said("tool", shared),
        said("assistant", { type: "tool-call", callId: "c", name: "f", input: {} }),
        said("tool", shared),
      ],
    },
  ],
  [
    "a person answers a question that is not there",
    "openai-responses",
    {
      messages: [
        said("user", { type: "text", text: "go" }),
        said("tool", { type: "approval-response", requestId: "mcpr_1", approved: true }),
      ],
    },
  ],
  [
    "a document holds an error without words and a part of another provider's",
    "anthropic-messages",
    {
      messages: [
        said("user", {
          type: "file",
          source: {
            parts: [
              { type: "error", message: "" },
              { type: "opaque", family: "elsewhere", value: {} },
            ],
          },
        }),
      ],
    },
  ],
];

describe.each(rows)("where %s", (_, target, broken) => {
  const { model } = broken;
  const asked = model === undefined ? {} : { model };

  test("the request passes when it is read again", () => {
    const { value, issues } = prepare(broken, target, asked);
    expect(issues).toEqual([]);
    const row = findTarget(target);
    const { conversation } = decode(value, { from: row.format as FormatId, shape: "request" }); // of a target
    const faults = checkTarget(conversation, row, asked).filter(({ severity }) => severity === "error");
    expect(faults.map(({ message }) => message)).toEqual([]);
  });

  test("what is repaired needs no more repair", () => {
    const { conversation } = repair(broken, target, asked);
    expect(repair(conversation, target, asked)).toEqual({ conversation, changes: [] });
  });
});
