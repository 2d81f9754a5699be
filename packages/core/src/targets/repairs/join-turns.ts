import type { MessageHead } from "../../model/events.ts";
import { tellDenials } from "./answer-calls.ts";
import { bridge } from "./bridge-turns.ts";
import { type Draft, type DraftMessage, madeMessage } from "./draft.ts";
import { type DraftTurn, turnsOf } from "./draft-turns.ts";
import { dropReasoning } from "./drop-reasoning.ts";
import { faultsOf, faultyItems } from "./faults.ts";
import { fixedTexts } from "./policies.ts";

/** Turns of one side that follow one another: joined into one message, or with a made message of the other side between them. */
export function joinTurns(draft: Draft): void {
  // Of several answers no rule tells the reasoning apart once they are one message.
  dropReasoning(draft);
  joinCalls(draft);
  tellDenials(draft, faultyItems(faultsOf(draft, "turns-alternate")));
  const second = new Set(faultsOf(draft, "turns-alternate").map(({ message }) => message));
  if (second.size === 0) return;
  const groups: DraftTurn[][] = [];
  const made: DraftMessage[][] = [];
  for (const turn of turnsOf(draft)) {
    const [first] = turn.messages;
    const isSecond = first !== undefined && second.has(first);
    const last = groups.at(-1);
    if (isSecond && last && (draft.policies.turns === "join" || turn.side === "system")) {
      draft.changed(
        "join-turns",
        first.path,
        `the message is joined to the one before it: both are of the ${turn.side}'s side`,
      );
      last.push(turn);
      const host = last[0]?.messages[0];
      if (host && last.length === 2) draft.changed("join-turns", host.path, "the message takes in those behind it");

      continue;
    }
    groups.push([turn]);
    made.push(isSecond ? [between(turn, first, draft)] : []);
  }
  draft.messages = groups.flatMap((turns, index) => [...(made[index] ?? []), ...joined(turns)]);
}

/** What is said in a step that calls tools is one message. */
function joinCalls(draft: Draft): void {
  const faulty = new Set(faultsOf(draft, "calls-joined").map(({ message }) => message));
  if (faulty.size === 0) return;
  const messages: DraftMessage[] = [];
  for (const turn of turnsOf(draft)) {
    const [first] = turn.messages;
    if (!first || !turn.messages.some(message => faulty.has(message)))
      for (const each of turn.messages) messages.push(each);
    else {
      for (const { path } of turn.messages)
        draft.changed("join-turns", path, "the message is part of a step that calls tools: the step is one message");
      messages.push(oneOf(turn.messages, "assistant"));
    }
  }
  draft.messages = messages;
}

function between({ side }: DraftTurn, first: DraftMessage, draft: Draft): DraftMessage {
  draft.changed("join-turns", first.path, "a made message of the other side is put before it");
  return side === "assistant"
    ? bridge("user", fixedTexts.continue, first)
    : bridge("assistant", fixedTexts.understood, first);
}

function joined(turns: readonly DraftTurn[]): readonly DraftMessage[] {
  const messages = turns.flatMap(turn => turn.messages);
  const [first] = messages;
  if (!first || turns.length === 1) return messages;
  const roles = new Set(messages.map(({ head }) => head.role));
  const isMixed = roles.size > 1 && turns[0]?.side === "user";
  return [oneOf(messages, isMixed ? "user" : first.head.role)];
}

const oneOf = (messages: readonly DraftMessage[], role: string): DraftMessage =>
  madeMessage(
    headOf(messages, role),
    messages.flatMap(message => message.items),
    messages[0]?.path ?? [],
  );

/** How it ended and what it used is told by the last; spellings were those of the single messages. */
function headOf(messages: readonly DraftMessage[], role: string): MessageHead {
  const { native: _, finish: __, usage: ___, ...head } = messages[0]?.head ?? { role };
  const { finish, usage } = messages.at(-1)?.head ?? {};
  return { ...head, role, ...(finish && { finish }), ...(usage && { usage }) };
}
