import type { Message } from "translogue";

/** What a format of one answer has of messages: the last answer; where it is a choice, with its others, of which the first counts. */
export function lastAnswer(messages: readonly Message[]): readonly Message[] {
  const answers = messages.filter(({ role }) => role === "assistant");
  const { parent, responseId } = answers.at(-1) ?? {};
  if (parent === undefined) return answers.slice(-1);
  return answers.filter(each => each.parent === parent && each.responseId === responseId);
}
