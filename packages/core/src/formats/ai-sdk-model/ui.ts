/** The SDK's UI messages, as the functions between them and model messages read and write them. */

import {
  decodeMessages,
  encodeMessages,
  type Generation,
  holdsOf,
  isKnownMaker,
  losses,
  writeCarry,
} from "../../blocks/ai-sdk/family.ts";
import { defineCodec } from "../../codec/codec.ts";
import { TranslogueError } from "../../model/error.ts";
import type { Json } from "../../model/json.ts";

/** The generations that both forms have. */
export type ModelVersion = "v5" | "v6" | "v7";

export const generationOf = (version: ModelVersion): Generation => (version === "v5" ? 5 : version === "v6" ? 6 : 7);

const usage = (dialect: string) =>
  ({ generation: generationOf(dialect as ModelVersion), steps: "joined", dynamic: false }) as const; // its dialects

export const uiMessages = defineCodec<readonly Json[]>({
  id: "ai-sdk-ui",
  title: "AI SDK UI messages",
  spec: "https://ai-sdk.dev/docs/reference/ai-sdk-core/ui-message",
  shapes: ["messages"],
  dialects: ["v7", "v6", "v5"],
  losses,
  holds: ({ dialect }) => holdsOf(usage(dialect).generation, "whole"),
  isHome: isKnownMaker,
  slot: { write: writeCarry },
  sniff: () => [],
  decode: (value, context) => {
    if (!Array.isArray(value))
      throw new TranslogueError("decode/not-this-format", "expected a list of UI messages of the AI SDK", {
        data: { format: "ai-sdk-ui" },
      });
    const list = value as readonly Json[]; // a list of JSON
    return { messages: decodeMessages(list, { path: [], first: 0 }, { ...usage(context.dialect), context }) };
  },
  encode: ({ messages }, context) => encodeMessages(messages, { ...usage(context.dialect), context }),
});
