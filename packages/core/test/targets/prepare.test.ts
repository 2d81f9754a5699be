import { assistant, type Conversation, conversation, decode, encode, type FormatId, type Part, user } from "translogue";
import { checkTarget, prepare, targets } from "translogue/targets";
import { describe, expect, test } from "vitest";

const searched: readonly Part[] = [
  { type: "tool-call", callId: "w", name: "web_search", kind: "web-search", executedBy: "provider", input: {} },
  { type: "tool-result", callId: "w", output: [{ type: "text", text: "found" }] },
];
const image: Part = { type: "file", mediaType: "image/png", source: { data: "iVBORw0KGgo=" } };
const given: { readonly [what: string]: Conversation } = {
  "an answer of which the format takes nothing": conversation(user("a"), assistant([...searched]), user("b")),
  "results of a provider's call that came bit by bit": conversation(user("a"), {
    role: "assistant",
    parts: [
      ...searched.slice(0, 1),
      { type: "tool-result", callId: "w", preliminary: true, output: [{ type: "text", text: "so far" }] },
      ...searched.slice(1),
      { type: "text", text: "done" },
    ],
  }),
  "a file in a summary": conversation(assistant([{ type: "compaction", summary: [image] }]), user("b")),
  "a text file made while thinking, in a person's message": conversation({
    role: "user",
    parts: [{ type: "file", source: { text: "words" }, reasoning: true }],
  }),
};

describe.each(targets.map(target => [target.id, target] as const))("what is prepared for %s", (_, target) => {
  test.each(Object.entries(given))("passes when it is read again: %s", (_, broken) => {
    const { value, issues, conversation: sent } = prepare(broken, target);
    expect(issues.filter(({ severity }) => severity === "error")).toEqual([]);
    const from = target.format as FormatId; // of a target
    const read = decode(value, { from, shape: "request", ...(target.dialect && { dialect: target.dialect }) });
    const faults = checkTarget(read.conversation, target).filter(({ severity }) => severity === "error");
    expect(faults).toEqual([]);
    expect(prepare(sent, target).changes).toEqual([]);
  });
});

test("what had no place is told once: as a change where the rest had to be mended, else as a loss", () => {
  const { value, changes, losses } = prepare(
    conversation(user("a"), assistant([...searched]), user("b")),
    "bedrock-converse",
  );
  expect(value).toMatchObject({ messages: [{ role: "user", content: [{ text: "a" }, { text: "b" }] }] });
  expect(losses).toEqual([]);
  expect(changes.map(({ repair, path }) => [repair, ...path.slice(1)])).toEqual([
    ["leave-out", 1, "parts", 0],
    ["leave-out", 1, "parts", 1],
    ["join-turns", 2],
    ["join-turns", 0],
  ]);
  const kept = prepare(
    conversation(user("a"), assistant([...searched, { type: "text", text: "so" }]), user("b")),
    "bedrock-converse",
  );
  expect(kept.changes).toEqual([]);
  expect(kept.losses.map(({ path }) => path.slice(1))).toEqual([
    [1, "parts", 0],
    [1, "parts", 1],
  ]);
});

test("a provider is offered no empty list where every tool was left out, and nothing to choose of", () => {
  const tools = [{ name: "memory", kind: "memory" }];
  for (const { id, format, dialect } of targets) {
    const asked = { ...conversation(user("a")), tools, settings: { toolChoice: "required" as const } };
    const to = { to: format as FormatId, shape: "request", ...(dialect && { dialect }) } as const; // of a target
    const { value, losses } = encode(asked, to);
    const hosted = JSON.stringify(value).includes("memory");
    expect([id, hosted || /"(?:tools|tool_choice|toolConfig|toolChoice)"/.test(JSON.stringify(value))]).toEqual([
      id,
      hosted,
    ]);
    if (!hosted) expect(losses.map(({ path }) => path)).toContainEqual(["tools", 0]);
  }
});

test.each(["anthropic-messages", "gemini"] as const)(
  "a made result stands right behind its call, not behind what the turn says without it, for %s",
  target => {
    const call: Part = { type: "tool-call", callId: "c", name: "t", input: {} };
    const { conversation: mended, issues } = prepare(
      conversation(user("a"), assistant([call]), assistant([{ type: "text", text: "15 °C" }]), user("b")),
      target,
    );
    expect(mended.messages.map(({ parts }) => parts.map(({ type }) => type).join())).toEqual([
      "text",
      "tool-call",
      "tool-result",
      "text",
      "text",
    ]);
    expect(issues).toEqual([]);
  },
);

test("Converse is sent no empty description of a tool, and others get it as it is", () => {
  const asked = { ...conversation(user("a")), tools: [{ name: "f", description: "", input: { type: "object" } }] };
  const { value, changes, issues } = prepare(asked, "bedrock-converse");
  expect(JSON.stringify(value)).not.toContain("description");
  expect(changes.map(({ path }) => path)).toEqual([["tools", 0, "description"]]);
  expect(issues).toEqual([]);
  expect(JSON.stringify(prepare(asked, "anthropic-messages").value)).toContain('"description":""');
});

test("places of what was encoded are led home into the conversation given; what was added counts where it was added", () => {
  const { conversation, home } = prepare(
    {
      messages: [
        { role: "user", parts: [{ type: "text", text: "" }] },
        { role: "user", parts: [{ type: "text", text: "a" }] },
        { role: "assistant", parts: [{ type: "tool-call", callId: "c", name: "t", input: {} }] },
        {
          role: "user",
          parts: [
            { type: "text", text: "" },
            { type: "text", text: "b" },
          ],
        },
      ],
    },
    "anthropic-messages",
  );
  const places = conversation.messages.flatMap(({ parts }, message) =>
    parts.map((part, index) => [part.type, ...home(["messages", message, "parts", index]).slice(1)]),
  );
  expect(places).toEqual([
    ["text", 1, "parts", 0],
    ["tool-call", 2, "parts", 0],
    ["tool-result", 2, "parts", 0],
    ["text", 3, "parts", 1],
  ]);
  expect(home(["settings", "topP"])).toEqual(["settings", "topP"]);
});
