/** Small conversations of the tests. */

const add = { name: "add", arguments: '{"a":19,"b":23}' };

/** Its call has no result. */
export const unanswered = {
  model: "gpt-5.2",
  messages: [
    { role: "user", content: "What is 19 + 23?" },
    { role: "assistant", content: null, tool_calls: [{ id: "call_1", type: "function", function: add }] },
    { role: "user", content: "Well?" },
  ],
};

/** What its endpoint takes; the spelling is not ours. */
export const fine = '{ "model":"gpt-5.2", "messages" : [{"role":"user","content":"h\\u0069 1.0"}] }';

export const jsonLine = (value: unknown): string => `${JSON.stringify(value)}\n`;

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "gpt-5.2", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

/** A recorded answer that calls a tool. */
export const recording = [
  chunk({ role: "assistant", content: "" }),
  chunk({ tool_calls: [{ index: 0, id: "call_1", type: "function", function: add }] }),
  chunk({}, "tool_calls"),
  "data: [DONE]\n\n",
].join("");

/** JSON a line. */
export const linesOf = (text: string): unknown[] =>
  text
    .split("\n")
    .filter(line => line !== "")
    .map(line => JSON.parse(line));
