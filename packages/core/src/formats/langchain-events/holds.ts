import { holdsOf as messageHolds } from "../../blocks/langchain/holds.ts";
import type { Holds, PartHolds, Recipient } from "../../codec/codec.ts";
import { recordsFamily } from "./records.ts";

/** What messages hold; and of a stream that was cut, what was still being written. */
export function holdsOf(recipient: Recipient): Holds {
  const holds = messageHolds({ dialect: "python", recipient });
  return {
    ...holds,
    parts: { ...holds.parts, ...open(holds.parts) },
    families: [...holds.families, recordsFamily],
  };
}

function open({ text, reasoning, refusal }: PartHolds): Partial<PartHolds> {
  return {
    ...("unsupported" in text ? {} : { text: [...text, "partial"] }),
    ...("unsupported" in reasoning ? {} : { reasoning: [...reasoning, "partial"] }),
    ...("unsupported" in refusal ? {} : { refusal: [...refusal, "partial"] }),
  };
}
