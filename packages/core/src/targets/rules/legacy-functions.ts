import type { RuleCheck } from "./rule.ts";

/** How the Chat API's codec spells what it read so; other formats do not write these hints. */
export const legacyFunctions: RuleCheck<"legacy-functions"> = (view, _, { asked, report }) => {
  for (const index of view.sent) {
    const message = view.conversation.messages[index];
    if (message?.native?.[asked.target.format]?.["$role"] === "function") {
      report(["messages", index, "role"], "is spelled `function` on the wire. Send it as a tool's result.", {
        role: "function",
      });
    }
    message?.parts.forEach((part, place) => {
      if (part.type !== "tool-call" || part.native?.["chat-parts"]?.["$place"] !== "function_call") return;
      report(
        ["messages", index, "parts", place],
        "is spelled `function_call` on the wire. Send it as a call of a tool.",
        { tool: part.name },
      );
    });
  }
};
