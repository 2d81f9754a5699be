// #region sample
import { AssistantMessage, type BaseMessages, ToolMessage, UserMessage } from "translogue/lighter";

const messages: BaseMessages = [
  new UserMessage("计算 19 + 23。"),
  new AssistantMessage("", {
    toolCalls: [
      {
        callId: "call_add_1",
        toolName: "add",
        arguments: JSON.stringify({ a: 19, b: 23 }),
      },
    ],
  }),
  // The tool's result answers the call of its `callId`.
  new ToolMessage({ callId: "call_add_1", toolName: "add", toolOutput: "42" }),
  new AssistantMessage("19 + 23 = 42。"),
];
for (const message of messages) {
  // A tool message has `toolOutput`, every other `content`.
  console.log(message.role, message.role === "tool" ? message.toolOutput : message.content);
}
// #endregion
