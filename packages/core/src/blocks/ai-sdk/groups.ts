/** Which messages become one message of the AI SDK's. */

import type { Message } from "../../model/conversation.ts";
import type { Usage } from "./messages.ts";
import { family } from "./part.ts";

/** Neighbours in the conversation, together one message on the wire. */
export interface Group {
  /** run: messages of the assistant and its tools; single: any other message; raw: a piece that was no message. */
  readonly kind: "run" | "single" | "raw";
  /** Numbers of the messages, without gaps. */
  readonly members: readonly number[];
  /** The message whose id and metadata are those of the wire message; absent where none of the group's is. */
  readonly head?: number;
  /** It goes on with the run of the group before. */
  readonly continues: boolean;
}

interface OpenGroup extends Group {
  readonly members: number[];
  head?: number;
  readonly run: string | undefined;
}

interface Grouping extends Usage {
  /** Whether what a message says is written at other messages. */
  readonly isSilent: (index: number) => boolean;
}

/** The groups of the messages from `from` on; every message is in one, so that each can be carried. */
export function groupsOf(messages: readonly Message[], from: number, grouping: Grouping): Group[] {
  const groups: OpenGroup[] = [];
  /** Messages that nothing is written of, before the first that is. */
  let silent: number[] = [];
  const open = (group: Omit<OpenGroup, "members">, index: number): void => {
    groups.push({ ...group, members: [...silent, index] });
    silent = [];
  };
  for (let index = from; index < messages.length; index++) {
    const message = messages[index] as Message; // index < length
    const last = groups.at(-1);
    if (isRaw(message)) open({ kind: "raw", head: index, continues: false, run: undefined }, index);
    else if (isDataMessage(message)) open({ kind: "single", head: index, continues: false, run: undefined }, index);
    else if (belongs(message, index, { last, grouping })) {
      last?.members.push(index);
      if (last && message.role === "assistant") last.head ??= index;
    } else if (message.role === "control" || isSilent(message, index, grouping)) {
      silent.push(index);
    } else if (message.role === "assistant" || message.role === "tool") {
      const continues = last?.kind === "run" && isSameRun(message, last);
      const head = message.role === "assistant" ? { head: index } : {};
      open({ kind: "run", ...head, continues, run: message.run }, index);
    } else open({ kind: "single", head: index, continues: false, run: undefined }, index);
  }
  // A list without any message is refused, and has no place to carry what it lost.
  if (silent.length > 0) groups.push({ kind: "run", members: silent, continues: false, run: undefined });
  return groups;
}

/** A piece that was kept as it is goes back as it is. */
const isRaw = ({ role, parts: [part, ...others] }: Message): boolean =>
  role === "control" && part?.type === "opaque" && part.family === family && others.length === 0;

/** What an application put between the turns, which AI SDK 4 had a role for; the newer ones have parts for it. */
export const isDataMessage = ({ role, parts, native }: Message): boolean =>
  role === "control" && native?.[family]?.["$role"] === "data" && parts.every(({ type }) => type === "data");

const isSilent = (message: Message, index: number, grouping: Grouping): boolean =>
  (message.role === "tool" || message.parts.length > 0) && message.role !== "assistant" && grouping.isSilent(index);

/** It was the first of a message when it was read. */
const beginsMessage = (message: Message): boolean => message.native?.[family]?.["$message"] === true;

const isSameRun = (message: Message, last: OpenGroup): boolean => message.run === last.run;

/** Whether a message is part of the group before it. */
function belongs(
  message: Message,
  index: number,
  { last, grouping }: { readonly last: OpenGroup | undefined; readonly grouping: Grouping },
): boolean {
  if (!last) return false;
  if (message.role === "control") return !isRaw(message) && !isDataMessage(message);
  if (last.kind === "raw") return false;
  switch (message.role) {
    case "tool":
      return last.kind === "run" || isSilent(message, index, grouping);
    case "assistant":
      if (last.kind !== "run" || !isSameRun(message, last) || beginsMessage(message)) return false;
      return (
        grouping.steps === "joined" || last.head === undefined || message.native?.[family]?.["$stepStart"] === true
      );
    case "user":
      if (isSilent(message, index, grouping)) return true;
      return grouping.generation >= 7 && last.kind === "run" && message.run !== undefined && message.run === last.run;
    default:
      return false;
  }
}
