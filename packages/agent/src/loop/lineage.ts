import type { Message } from "translogue";

/**
 * The messages with their place in the tree, where some of them stand in one: what was said in the session since comes after
 * the message before it, which it does not say itself. A list is the list given.
 */
export function linked(messages: readonly Message[]): readonly Message[] {
  if (!messages.some(({ parent }) => parent !== undefined)) return messages;
  return messages.map((message, index) => {
    const before = messages[index - 1]?.id;
    return message.parent !== undefined || before === undefined ? message : { ...message, parent: before };
  });
}
