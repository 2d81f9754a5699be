import type { Tool } from "../../model/conversation.ts";
import { isJsonObject } from "../../model/json.ts";
import type { PartOf } from "../../model/parts.ts";
import { toolsIn } from "./defined-tools.ts";
import { oversized } from "./media.ts";
import { callsOf } from "./pairs.ts";
import type { RuleCheck } from "./rule.ts";

/** Whether a call's arguments are an object; nothing given is an empty one everywhere. */
export const isObjectCall = ({ input, inputText }: PartOf<"tool-call">): boolean =>
  input === undefined ? (inputText ?? "").trim() === "" : isJsonObject(input);

export const argumentsShape: RuleCheck<"arguments"> = (view, { shape }, { report }) => {
  if (shape === "any") return;
  for (const turn of view.turns) {
    if (turn.side !== "assistant") continue;
    for (const { part, path } of callsOf(turn)) {
      if (isObjectCall(part)) continue;
      const { input, name } = part;
      const found = input === undefined ? "is missing, and `inputText` does not read as JSON" : "is no JSON object";
      report([...path, "input"], `${found}. Wrap or correct what tool \`${name}\` gets.`, { tool: name });
    }
  }
};

/** Whether a history may call the tool: most of what providers run is run by one provider alone. */
export const isCallable = ({ kind }: Pick<Tool, "kind">): boolean => kind === undefined || kind === "custom";

export const toolsDeclared: RuleCheck<"tools-declared"> = (view, { defined }, { report }) => {
  const tools = defined ? toolsIn(view) : (view.conversation.tools ?? []);
  if (tools.some(isCallable)) return;
  const called = new Set(view.turns.flatMap(turn => callsOf(turn).map(({ part }) => part.name)));
  if (tools.some(({ name }) => called.has(name))) return;
  for (const turn of view.turns) {
    const call = turn.parts.find(
      ({ part }) =>
        (part.type === "tool-call" && part.executedBy !== "provider") ||
        (part.type === "tool-result" && turn.side !== "assistant"),
    );
    if (!call) continue;
    report(
      ["tools"],
      "are missing, but the history calls tools. Declare the tools that it calls, even if none may be called again.",
    );
    return;
  }
};

export const sizes: RuleCheck<"sizes"> = (view, { messages, tools, textCharacters, media }, { report }) => {
  if (media) oversized(view, media, report);
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
