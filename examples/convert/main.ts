// #region convert
import { convert } from "translogue";

// A history as OpenAI's Chat Completions API takes it…
const history = [
  { role: "user", content: "What is 19 + 23?" },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "call_1", type: "function", function: { name: "add", arguments: '{"a":19,"b":23}' } }],
  },
  { role: "tool", tool_call_id: "call_1", content: "42" },
  { role: "assistant", content: "19 + 23 = 42." },
];

// …as messages of the AI SDK's `useChat`, and back. What cannot come along is in `losses`, by path.
const ui = convert(history, { from: "openai-chat", to: "ai-sdk-ui:v7", carry: true });
const again = convert(ui.value, { from: "ai-sdk-ui:v7", to: "openai-chat" });
console.log(JSON.stringify(again.value) === JSON.stringify(history), ui.losses);

// #endregion

export { again, history, ui };
