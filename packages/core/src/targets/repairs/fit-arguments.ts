import type { Tool } from "../../model/conversation.ts";
import type { Json } from "../../model/json.ts";
import { definedBy } from "../rules/defined-tools.ts";
import type { Draft } from "./draft.ts";
import { faultsOf, faultyItems, isBroken, without } from "./faults.ts";

/** Arguments that are no object, where the target takes objects only: they are its member `input`. */
export function fitArguments(draft: Draft): void {
  const faulty = faultyItems(faultsOf(draft, "arguments"));
  if (faulty.size === 0) return;
  draft.mapItems(item => {
    const { part, path } = item;
    if (!faulty.has(item) || part.type !== "tool-call") return part;
    draft.changed(
      "fit-arguments",
      [...path, "input"],
      `the input of \`${part.callId}\` is no object: it becomes the member \`input\` of one`,
    );
    const input: Json = part.input ?? part.inputText ?? null;
    return { ...without(part, "inputText", "exact"), input: { input } };
  });
}

/**
 * Tools that the history calls, where the target wants some and there are none: as a message defines them, or their names, with any
 * input. What the provider runs stays declared.
 */
export function declareTools(draft: Draft): void {
  if (!isBroken(draft, "tools-declared")) return;
  const defined = new Map<string, Tool>();
  const known = new Set(draft.tools?.map(({ name }) => name));
  const tools = new Map<string, Tool>();
  for (const { items } of draft.messages) {
    for (const { part } of items) {
      for (const tool of definedBy(part)) if (!defined.has(tool.name)) defined.set(tool.name, tool);
      const isCalled = (part.type === "tool-call" && part.executedBy !== "provider") || part.type === "tool-result";
      const name = isCalled ? (part.name ?? "") : "";
      if (name === "" || known.has(name) || tools.has(name)) continue;
      tools.set(name, defined.get(name) ?? { name, input: { type: "object", properties: {} } });
    }
  }
  if (tools.size === 0) tools.set("tool", { name: "tool", input: { type: "object", properties: {} } });
  draft.tools = [...(draft.tools ?? []), ...tools.values()];
  draft.changed("declare-tools", ["tools"], `tools of the history are declared: ${[...tools.keys()].join(", ")}`);
}
