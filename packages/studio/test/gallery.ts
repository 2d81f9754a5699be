import { assistant, type Message, type Part, text, toolCall, toolMessage, toolResult, user } from "translogue";

const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAJUlEQVR42mNk+M9Qz0AEYBxVSF+FjAwM/xkYGBiYYPzRkDBYAgDzVwQJ1yz8fQAAAABJRU5ErkJggg==";

const markdown = `## What I found

The **Great Wall** is about *21,196 km* long[^1]. See [the survey](https://example.com/survey) or run:

\`\`\`ts
const wall = { kilometres: 21_196, built: "7th century BC" };
console.log(wall.kilometres / 1.609); // miles
\`\`\`

| section | length | state |
|---|---:|---|
| Jiankou | 20 km | wild |
| Badaling | 12 km | restored |

- [x] counted
- [ ] walked

> Raw <b>HTML</b> stays text. ![a picture](https://example.com/pixel.png)

مرحبا، هذا نص من اليمين إلى اليسار.

[^1]: By the survey of 2012.`;

const call = (callId: string, name: string, more: object = {}) => toolCall({ callId, name, ...more });

/** Every kind of part, and the states of those that have some. */
export const galleryMessages: readonly Message[] = [
  { role: "system", parts: [text("You are a careful guide. Answer briefly.")] },
  user([
    text("Look at this picture and the notes, and tell me how long the wall is.\n用中文也可以。"),
    { type: "file", mediaType: "image/png", name: "wall.png", source: { data: pixel } },
    { type: "file", mediaType: "application/pdf", name: "notes.pdf", source: { data: "JVBERi0xLjQK" } },
  ]),
  assistant(
    [
      {
        type: "reasoning",
        text: "The picture shows a **wall**.\n\nI look up its length.",
        startedAt: "2026-11-30T10:00:00Z",
        endedAt: "2026-11-30T10:00:03.4Z",
      },
      { type: "reasoning" },
      call("c1", "search", { input: { query: "length of the Great Wall", limit: 3 }, title: "Search the web" }),
      call("c2", "get_weather", { input: { city: "北京", days: [1, 2, 3], units: { temperature: "celsius" } } }),
      call("c3", "fail_on_purpose", { input: { reason: "This tool always fails." } }),
      call("c4", "code_interpreter", { inputText: "print('hello'", kind: "code-interpreter", executedBy: "provider" }),
      call("c5", "delete_note", { input: { title: "Draft" } }),
      { type: "approval-request", requestId: "r5", callId: "c5", reason: "A deleted note does not come back." },
      call("c6", "slow", { input: {} }),
    ],
    { run: "run1" },
  ),
  toolMessage(
    toolResult("c1", [
      { type: "data", data: { hits: [{ title: "Survey", km: 21196, exact: true }], more: null } },
      { type: "source", url: "https://www.example.com/survey", title: "The survey of 2012" },
    ]),
    toolResult("c2", "Sunny, 21 °C\nTomorrow: rain", { structured: { sky: "clear" } }),
    toolResult("c3", "This tool always fails.", { outcome: "error" }),
    toolResult("c4", [{ type: "error", message: "SyntaxError: '(' was never closed", code: "syntax" }]),
  ),
  {
    role: "tool",
    run: "run1",
    parts: [{ type: "approval-response", requestId: "r5", approved: false, reason: "keep it" }],
  },
  assistant(
    [
      {
        type: "text",
        text: markdown,
        citations: [{ url: "https://example.com/survey", title: "Survey", quote: "21,196 km" }],
      },
      { type: "source", url: "https://en.wikipedia.org/wiki/Great_Wall", title: "Great Wall" },
      { type: "source", name: "notes.pdf", mediaType: "application/pdf", parts: [text("Page 3: the wall.")] },
      { type: "data", name: "chart", data: { series: [1, 2, 3], label: "length" } },
      { type: "data", kind: "state", data: { step: 2 } },
      { type: "refusal", text: "I cannot tell you who built *every* stone." },
      {
        type: "change",
        toolsAdded: ["search"],
        toolsRemoved: ["slow"],
        model: "demo/large",
        effort: "high",
        agent: "guide",
      },
      { type: "compaction", summary: [text("They talked about a wall.")] },
      { type: "compaction", seal: { maker: "openai", values: { encrypted_content: "…" } } },
      { type: "input-request", requestId: "i1", kind: "form", message: "Which unit?", schema: { enum: ["km", "mi"] } },
      { type: "input-response", requestId: "i1", value: "km" },
      { type: "opaque", family: "anthropic", value: { type: "new_block", payload: [1, { deep: true }] } },
      { type: "file", mediaType: "text/plain", name: "answer.txt", source: { text: "21,196 km\n" } },
      { type: "file", mediaType: "image/png", source: { id: "file-123", provider: "openai" } },
    ] satisfies Part[],
    {
      run: "run1",
      model: "standard",
      usage: { input: 1200, cacheRead: 400, output: 300, reasoning: 120 },
      metadata: { demo: true },
      finish: { reason: "length" },
    },
  ),
  user("Send it to Ada, please."),
  assistant(
    [
      text("I would send this:"),
      call("c7", "send_email", {
        input: { to: "ada@example.com", subject: "The wall", body: "It is 21,196 km long." },
      }),
      { type: "approval-request", requestId: "r7", callId: "c7", reason: "It would send an e-mail in your name." },
    ],
    { run: "run2" },
  ),
];

/** Parts that are not as their types say, as a foreign store may hold them. */
export const brokenMessages: readonly Message[] = [
  user("Hi"),
  assistant([
    { type: "file", mediaType: "image/png" },
    { type: "change", toolsAdded: 7 },
  ] as unknown as Part[]), // wrong on purpose
  assistant("Still here."),
];

/** An answer that broke off. */
export const failedMessages: readonly Message[] = [
  user("model error"),
  assistant(
    [
      text("I begin to answer, and in the middle of"),
      { type: "error", message: "the demo model broke off, as it was asked to", code: "demo/asked-for" },
    ],
    { finish: { reason: "error" }, metadata: { demo: true } },
  ),
];

/** Each below the one before it, as a store keeps them. */
export function stored(messages: readonly Message[], prefix: string): Message[] {
  return messages.map((message, index) => ({
    ...message,
    id: `${prefix}${index}`,
    parent: index === 0 ? null : `${prefix}${index - 1}`,
  }));
}
