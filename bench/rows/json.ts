import { partialJson } from "../../packages/core/dist/index.js";
import { pieces } from "../inputs.ts";
import type { Row } from "../measure.ts";

/** All parsers that parse again what they have. */
const again = (parse: (text: string) => unknown) => (deltas: readonly string[]) => {
  let text = "";
  let last: unknown;
  for (const delta of deltas) {
    text += delta;
    last = parse(text);
  }
  return last;
};

export const partialRow: Row = {
  id: "partial-json",
  name: "partial JSON at every delta of 5 characters, by the argument's size in bytes",
  unit: "ms in all (exp 1 = linear)",
  sizes: [12_500, 25_000, 50_000, 100_000, 1_000_000],
  divisor: () => 1000,
  contenders: [
    {
      name: "floor: +=, JSON.parse once",
      prepare: bytes => {
        const deltas = pieces(bytes / 5);
        return () => JSON.parse(deltas.reduce((all, each) => all + each, "")) as unknown;
      },
    },
    {
      name: "translogue partialJson",
      prepare: bytes => {
        const deltas = pieces(bytes / 5);
        return () => {
          const machine = partialJson();
          let last: unknown;
          for (const delta of deltas) {
            machine.push(delta);
            last = machine.value;
          }
          return last;
        };
      },
    },
    {
      name: "partial-json",
      prepare: async bytes => {
        const { parse } = await import("partial-json");
        const deltas = pieces(bytes / 5);
        return () => again(parse)(deltas);
      },
    },
    {
      name: "@anthropic-ai/sdk's own",
      prepare: async bytes => {
        const { partialParse } = await import("@anthropic-ai/sdk/_vendor/partial-json-parser/parser");
        const deltas = pieces(bytes / 5);
        return () => again(partialParse)(deltas);
      },
    },
    {
      name: "openai's own",
      prepare: async bytes => {
        const { partialParse } = await import("openai/_vendor/partial-json-parser/parser");
        const deltas = pieces(bytes / 5);
        return () => again(partialParse)(deltas);
      },
    },
    {
      name: "ai parsePartialJson",
      prepare: async bytes => {
        const { parsePartial } = await import("../peers/ai.ts");
        const deltas = pieces(bytes / 5);
        return () => parsePartial(deltas);
      },
    },
    {
      name: "@langchain/core parsePartialJson",
      prepare: async bytes => {
        const { parsePartial } = await import("../peers/langchain.ts");
        const deltas = pieces(bytes / 5);
        return () => parsePartial(deltas);
      },
    },
    {
      name: "pi-ai parseStreamingJson",
      prepare: async bytes => {
        const { parsePartial } = await import("../peers/pi.ts");
        const deltas = pieces(bytes / 5);
        return () => parsePartial(deltas);
      },
    },
  ],
};
