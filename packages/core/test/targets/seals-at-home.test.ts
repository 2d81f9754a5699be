import { type Conversation, type FormatId, findFormat, type Part, type Seal } from "translogue";
import { checkTarget, prepare, targets } from "translogue/targets";
import { describe, expect, test } from "vitest";

const makers = ["anthropic", "google", "openai", "deepseek", "mistral", "amazon", "nobody"];
const routes = [undefined, "ai-studio", "vertex", "azure", "bedrock", "openrouter", "foundry"];
const values = [{ signature: "c2ln" }, { encrypted_content: "e", id: "rs_1" }, { thoughtSignature: "c2ln" }];
const seals = makers.flatMap(maker =>
  routes.flatMap(route => values.map((each): Seal => ({ maker, ...(route !== undefined && { route }), values: each }))),
);

const ruled = targets.filter(target => target.rules["seals-at-home"]);

describe.each(ruled.map(target => [target.id, target] as const))("%s", (_, target) => {
  test("keeps no seal that its format leaves out", () => {
    const { codec } = findFormat(target.format as FormatId); // of a target
    const dialect = target.dialect ?? codec.dialects[0];
    const context = { shape: "request", dialect, recipient: "provider", lose: () => {}, wrote: () => {} } as const;
    const left = seals.filter(seal => {
      const parts = [{ type: "reasoning", text: "t", seal } as const];
      const found = checkTarget({ messages: [{ role: "assistant", parts }] }, target);
      const isKept = !found.some(({ code }) => code === "seals-at-home");
      return isKept && codec.isHome?.(seal, context) !== true;
    });
    expect(left).toEqual([]);
  });
});

describe("a call whose reasoning stays home", () => {
  const reasoning = (seal: Seal): Part => ({ type: "reasoning", text: "hm", seal });
  const call = (id: string, callId: string): Part => ({
    type: "tool-call",
    callId,
    name: "f",
    input: {},
    seal: { maker: "openai", values: { id } },
  });
  const own: Seal = { maker: "openai", values: { id: "rs_1", encrypted_content: "e" } };
  const away: Seal = { maker: "openai", route: "azure", values: { id: "rs_2", encrypted_content: "e" } };
  const sent = (...parts: readonly Part[]) => {
    const ids = parts.flatMap(part => (part.type === "tool-call" ? [part.callId] : []));
    const given: Conversation = {
      messages: [
        { role: "user", parts: [{ type: "text", text: "a" }] },
        { role: "assistant", parts },
        { role: "tool", parts: ids.map((callId): Part => ({ type: "tool-result", callId, name: "f" })) },
      ],
      tools: [{ name: "f" }],
    };
    const { value, changes, issues } = prepare(given, "openai-responses");
    expect(issues).toEqual([]);
    return { text: JSON.stringify(value), changes: changes.map(({ repair, path }) => [repair, ...path]) };
  };

  test("goes out as a new one, without its id, which is told", () => {
    const { text, changes } = sent(reasoning(away), call("fc_1", "c"));
    expect(text).not.toMatch(/fc_1|rs_2/);
    expect(changes).toEqual([
      ["drop-seals", "messages", 1, "parts", 0],
      ["drop-item-ids", "messages", 1, "parts", 1, "seal", "values", "id"],
    ]);
  });

  test("and not one that has its own reasoning beside", () => {
    const { text } = sent(reasoning(away), call("fc_1", "c"), reasoning(own), call("fc_2", "d"));
    expect(text).not.toMatch(/fc_1|rs_2/);
    expect(text).toMatch(/rs_1.*fc_2/);
  });
});
