import { type FormatId, findFormat, type Seal } from "translogue";
import { checkTarget, targets } from "translogue/targets";
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
