import { type Event, isJsonObject, type Message, type Tool } from "translogue";
import type { Agent, RunOptions } from "./agent.ts";
import { failure } from "./errors.ts";
import type { Model, ModelRequest } from "./model.ts";
import type { AgentResponseUpdate } from "./response.ts";
import type { AgentSession } from "./session.ts";
import type { AgentTool } from "./tools/tool.ts";

export interface AgentModelOptions {
  /** The conversation that every call goes on with. Default: each call is one of its own, and brings its history along. */
  readonly session?: AgentSession;
  /** As the callers know that conversation. Default: the session's id. */
  readonly conversationId?: string;
}

/**
 * An agent as a model: for an outer agent, a fallback, a server. It runs its own tools; tools that it is offered are the
 * caller's to run. Throws `agent/invalid`.
 */
export function agentModel(agent: Agent, { session, conversationId }: AgentModelOptions = {}): Model {
  if (conversationId !== undefined && !session) {
    throw failure("agent/invalid", "`conversationId` names the conversation of a `session`: give that too, or neither");
  }
  if (conversationId?.trim() === "") throw failure("agent/invalid", "`conversationId` is blank");
  const own = conversationId ?? session?.conversationId ?? session?.id;
  return {
    id: agent.name ?? agent.id,
    provider: "agent",
    // Its own model may not: whatever it reads, it is given what every compaction hides.
    reads: () => false,
    async *stream(request) {
      const asked = request.conversationId?.trim() ? request.conversationId : undefined;
      if (asked !== undefined && asked !== own) throw unknownConversation(asked, own);
      if (own !== undefined) request.report?.({ conversationId: own });
      yield* answer(agent, request, session);
    },
  };
}

const unknownConversation = (asked: string, own: string | undefined) =>
  failure(
    "model/unknown-conversation",
    own === undefined
      ? `the conversation \`${asked}\` is not known: this model keeps none, so send the whole history`
      : `the conversation \`${asked}\` is not known: this model keeps \`${own}\``,
    { data: { conversationId: asked } },
  );

async function* answer(
  agent: Agent,
  { conversation, signal }: ModelRequest,
  session: AgentSession | undefined,
): AsyncGenerator<readonly Event[]> {
  const { messages, tools = [], settings: { toolChoice, ...settings } = {} } = conversation;
  const isInstructions = ({ synthetic }: Message) => synthetic === "instructions";
  const instructions = messages.filter(isInstructions).flatMap(({ parts }) => parts);
  const text = instructions.map(part => (part.type === "text" ? part.text : "")).join("\n");
  const own = session ?? (await agent.createSession());
  const options: RunOptions = {
    session: own,
    settings,
    ...(signal && { signal }),
    ...(text !== "" && { instructions: text }),
    ...(tools.length > 0 && { tools: tools.map(offered) }),
    ...(toolChoice !== undefined && { toolChoice }),
  };
  let last = -1;
  for await (const update of agent.runStreaming(
    messages.filter(message => !isInstructions(message)),
    options,
  )) {
    for (const event of update.events) if (event.type === "message-start") last = event.message;
    yield [...update.events, ...(update.isFinal && waits(own) ? [unasked(agent, own)] : ending(update, last))];
  }
}

const waits = ({ pendingApprovals, pendingInputs }: AgentSession): boolean =>
  pendingApprovals.length + pendingInputs.length > 0;

/** Its calls are its own: whoever asked the model would take them for theirs, and nobody would ask the person. */
function unasked(agent: Agent, { pendingApprovals, pendingInputs }: AgentSession): Event {
  const names = [...pendingApprovals, ...pendingInputs].map(({ call }) => `\`${call.name}\``).join(", ");
  const who = `the agent \`${agent.name ?? agent.id}\` waits for a person because of ${names}`;
  const message = `${who}, and a model cannot ask: make it a tool, or answer in a \`session\` that it is given`;
  return { type: "error", error: { code: "model/waits", message } };
}

/** How the run ended is how the answer ended, whatever its last message says. */
function ending({ isFinal, finish, error, events }: AgentResponseUpdate, message: number): readonly Event[] {
  if (!isFinal) return [];
  if (error) return events.some(({ type }) => type === "error") ? [] : [{ type: "error", error }];
  if (message < 0) return [{ type: "message-start", message: 0, head: { role: "assistant" } }, ...finished(0, finish)];
  return finished(message, finish);
}

const finished = (message: number, finish: AgentResponseUpdate["finish"]): readonly Event[] => [
  { type: "message-set", message, set: { finish: finish ?? { reason: "stop" } } },
];

/** Its calls are the caller's. */
const offered = ({ name, description, input }: Tool): AgentTool => ({
  name,
  ...(description !== undefined && { description }),
  input: isJsonObject(input) ? input : { type: "object" },
  validate: value => ({ ok: true, value }),
});
