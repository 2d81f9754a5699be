import { isJsonObject } from "../../model/json.ts";
import { callsOf } from "./pairs.ts";
import type { RuleCheck } from "./rule.ts";

export const argumentsShape: RuleCheck<"arguments"> = (view, { shape }, { report }) => {
  if (shape === "any") return;
  for (const turn of view.turns) {
    if (turn.side !== "assistant") continue;
    for (const { part, path } of callsOf(turn)) {
      const { input, inputText, name } = part;
      // Nothing given is an empty object everywhere.
      if (isJsonObject(input) || (input === undefined && (inputText ?? "").trim() === "")) continue;
      const found = input === undefined ? "is missing, and `inputText` does not read as JSON" : "is no JSON object";
      report([...path, "input"], `${found}. Wrap or correct what tool \`${name}\` gets.`, { tool: name });
    }
  }
};

export const toolsDeclared: RuleCheck<"tools-declared"> = (view, _, { report }) => {
  if ((view.conversation.tools?.length ?? 0) > 0) return;
  for (const turn of view.turns) {
    const call = turn.parts.find(
      ({ part }) => (part.type === "tool-call" && part.executedBy !== "provider") || part.type === "tool-result",
    );
    if (!call) continue;
    report(
      ["tools"],
      "are missing, but the history calls tools. Declare the tools that it calls, even if none may be called again.",
    );
    return;
  }
};

export const sizes: RuleCheck<"sizes"> = (view, { messages, tools, textCharacters }, { report }) => {
  if (messages !== undefined && view.sent.length > messages) {
    report(["messages"], `are ${view.sent.length}, of at most ${messages}. Trim the history.`, {
      length: view.sent.length,
      most: messages,
    });
  }
  const count = view.conversation.tools?.length ?? 0;
  if (tools !== undefined && count > tools) {
    report(["tools"], `are ${count}, of at most ${tools}. Leave some out, or let the model search for them.`, {
      length: count,
      most: tools,
    });
  }
  if (textCharacters === undefined) return;
  for (const { parts } of view.turns) {
    for (const { part, path } of parts) {
      if (part.type !== "text" || part.text.length <= textCharacters) continue;
      report([...path, "text"], `is ${part.text.length} characters long, of at most ${textCharacters}. Shorten it.`, {
        length: part.text.length,
        most: textCharacters,
      });
    }
  }
};
