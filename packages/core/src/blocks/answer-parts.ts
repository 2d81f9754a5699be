/** What formats share whose answer is one message with one error and the probabilities of its tokens. */

import type { EncodeContext } from "../codec/codec.ts";
import type { OneAnswer } from "../codec/one-answer.ts";
import { areStale, saidIn } from "../codec/token-texts.ts";
import type { Message } from "../model/conversation.ts";
import type { Path } from "../model/issue.ts";
import { isJsonObject, type JsonObject } from "../model/json.ts";
import type { PartOf } from "../model/parts.ts";
import { flattened, type Located } from "./turns.ts";

/** The parts of all its messages. */
export const partsOf = ({ messages, indexes }: OneAnswer, context: EncodeContext): readonly Located[] =>
  messages.flatMap(({ parts }, place) => flattened(parts, ["messages", indexes[place] ?? 0, "parts"], context));

/** The error that the answer failed with. */
export function errorOf(
  parts: readonly Located[],
  message: Message | undefined,
  context: EncodeContext,
): PartOf<"error"> | undefined {
  const errors = parts.filter((each): each is Located<PartOf<"error">> => each.part.type === "error");
  const last = errors.at(-1);
  for (const each of errors) {
    const isEnd = each === last && parts.at(-1) === each && message?.finish?.reason === "error";
    if (!isEnd) context.lose("error-place", each === last ? each.path.slice(0, 2) : each.path);
    if (each.part.code !== undefined) context.lose("error-code", [...each.path, "code"], each.part.code);
  }
  return last?.part;
}

/** Members of the answer without a field; probabilities only while they are of what it says. `family`: whose hints these are. */
export function freshIn(
  hints: JsonObject,
  said: readonly Located[],
  { family, path, context }: { readonly family: string; readonly path: Path; readonly context: EncodeContext },
): JsonObject {
  const { answer: told } = hints;
  if (!isJsonObject(told)) return {};
  const { logprobs, ...others } = told;
  if (!areStale(logprobs, saidIn(said.map(({ part }) => part)), hints)) return told;
  context.lose("stale", [...path, "native", family, "answer", "logprobs"]);
  return others;
}
