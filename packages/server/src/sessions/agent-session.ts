import type { Agent, AgentSession } from "@translogue/agent";
import { isJsonObject, type Json, type Message } from "translogue";
import type { Kept } from "../runs/live-run.ts";
import { branchTo, type History } from "./history.ts";

/** A session as an agent takes it, and what the next run is given. */
export interface Resumed {
  readonly session: AgentSession;
  readonly input: readonly Message[];
  /** What the session is to keep of the run. */
  kept(streamed: readonly Message[]): Promise<Kept>;
}

interface Next {
  readonly id: string;
  readonly history: History;
  /** The stored message that the new ones follow. */
  readonly parent: string | null;
  /** New messages, placed below `parent`. */
  readonly input: readonly Message[];
}

/**
 * The agent's session at a place of the stored history. It begins where a run ended, with what the agent kept then; what
 * stands between there and the new messages is given to the agent as it was when it was first said. So an answer that is
 * asked for again, or a branch, finds the agent as it was.
 */
export async function resumeSession(agent: Agent, { id, history, parent, input }: Next): Promise<Resumed> {
  const branch = branchTo(history.messages, parent);
  const base = branch.findLastIndex(message => message.id !== undefined && history.states.has(message.id));
  const past = branch.slice(0, base + 1);
  const state = history.states.get(past.at(-1)?.id ?? "");
  const messages = past.map(({ parent: _, ...message }) => message);
  const session = await (state === undefined
    ? agent.createSession({ id })
    : agent.deserializeSession(withMessages(state, { id, messages })));
  return {
    session,
    input: [...branch.slice(base + 1), ...input].map(({ parent: _, ...message }) => message),
    kept: async streamed => ({
      messages: placed(session.messages.slice(past.length), { parent: past.at(-1)?.id ?? null, streamed }),
      state: withoutMessages(await agent.serializeSession(session)),
    }),
  };
}

/** The events have the messages: the agent's own record of them is not stored a second time. */
function withoutMessages(session: Json): Json {
  if (!isJsonObject(session)) return session;
  const { messages: _, ...state } = session;
  return state;
}

const withMessages = (state: Json, more: { readonly id: string; readonly messages: readonly Message[] }): Json =>
  isJsonObject(state) ? { ...state, id: more.id, messages: more.messages as unknown as Json } : state; // messages are JSON

/** Messages in the order of the agent, one below the other. What was streamed has told its answer already. */
function placed(
  messages: readonly Message[],
  { parent, streamed }: { readonly parent: string | null; readonly streamed: readonly Message[] },
): Message[] {
  const told = new Map(streamed.map(message => [message.id, message.run]));
  let last = parent;
  return messages.map(message => {
    const run = told.get(message.id) ?? message.run;
    const inPlace: Message = { ...message, parent: last, ...(run !== undefined && { run }) };
    last = message.id ?? last;
    return inPlace;
  });
}
