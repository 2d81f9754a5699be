import type { Path } from "../../model/issue.ts";

/** Family of the nodes that this format reads, but for tool calls, which are Chat's. */
export const family = "mistral";

/** Numbers of an assistant's parts: the content in its order, then the calls (E4). */
export const places = { content: 0, calls: 1_000_000_000, error: 8_000_000_000 } as const;

/** The member of a message that holds a carry. */
export const carryMember = "translogue";

/** Reports a loss by one of the codec's codes. */
export type Lose = (code: string, path: Path, detail?: string) => void;
