import { estimateText, estimator, trim } from "../../packages/core/dist/history.js";
import { decode } from "../../packages/core/dist/index.js";
import { chatHistory } from "../inputs.ts";
import type { Row } from "../measure.ts";

const budget = 4000;

export const trimRow: Row = {
  id: "trim",
  name: `a Chat history cut to ${budget} tokens, every text counted`,
  unit: "ms in all (exp 1 = linear)",
  sizes: [100, 1000, 10_000],
  divisor: () => 1000,
  contenders: [
    {
      name: "floor: the length of every text",
      prepare: count => {
        const messages = chatHistory(count);
        return () => messages.reduce((sum, each) => sum + JSON.stringify(each).length, 0);
      },
    },
    {
      name: "translogue trim, counts not known",
      prepare: count => {
        const { messages } = decode(chatHistory(count), { from: "openai-chat", shape: "messages" }).conversation;
        return () => trim(messages, { maxTokens: budget, tokenCounter: estimator() });
      },
    },
    {
      name: "translogue trim, counts known",
      prepare: count => {
        const { messages } = decode(chatHistory(count), { from: "openai-chat", shape: "messages" }).conversation;
        const tokenCounter = estimator();
        trim(messages, { maxTokens: budget, tokenCounter });
        return () => trim(messages, { maxTokens: budget, tokenCounter });
      },
    },
    {
      name: "@langchain/core trimMessages",
      prepare: async count => {
        const { trimTo } = await import("../peers/langchain.ts");
        return trimTo(chatHistory(count), budget);
      },
    },
  ],
};

const megabyte = 1024 * 1024;
const mixed = "The quick brown fox jumps over the lazy dog, again and again; 狐狸跳过了懒狗。 ";
const mixedText = (bytes: number): string => mixed.repeat(Math.round(bytes / Buffer.byteLength(mixed)));

export const tokensRow: Row = {
  id: "tokens",
  name: "tokens estimated",
  unit: "ms in all (exp 1 = linear), by bytes",
  sizes: [megabyte / 16, megabyte],
  divisor: () => 1000,
  contenders: [
    {
      name: "floor: one look at every character",
      prepare: bytes => {
        const text = mixedText(bytes);
        return () => {
          let sum = 0;
          for (let index = 0; index < text.length; index++) sum += text.charCodeAt(index);
          return sum;
        };
      },
    },
    {
      name: "translogue, English and Chinese",
      prepare: bytes => {
        const text = mixedText(bytes);
        return () => estimateText(text);
      },
    },
    {
      name: "translogue, one run without spaces",
      prepare: bytes => {
        const text = "a".repeat(bytes);
        return () => estimateText(text);
      },
    },
  ],
};
